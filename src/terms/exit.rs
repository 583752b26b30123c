//! Exit codes, and the fold of many into one. Invariant: a proven finding outranks everything but an interruption.

use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All as declared.
    Ok = 0,
    /// A reading differs from what is declared: idempotent in name, and charged twice.
    Finding = 2,
    /// A precondition failed: wrong usage, a port, a folder, unreadable or malformed input.
    Precondition = 3,
    /// Nothing to judge.
    ZeroInput = 4,
    /// A selftest check failed.
    SelftestFailed = 5,
    /// Stopped by a signal.
    Interrupted = 130,
}

impl Exit {
    /// Merges two results of one command. Where a finding and bad input both apply the finding wins: it is proven.
    pub fn and(self, other: Exit) -> Exit {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::ZeroInput => 1,
            Exit::Precondition => 2,
            Exit::SelftestFailed => 3,
            Exit::Finding => 4,
            Exit::Interrupted => 5,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_outranks_bad_input_in_either_order() {
        assert_eq!(Exit::Finding.and(Exit::Precondition), Exit::Finding);
        assert_eq!(Exit::Precondition.and(Exit::Finding), Exit::Finding);
        assert_eq!(Exit::Ok.and(Exit::ZeroInput), Exit::ZeroInput);
        assert_eq!(Exit::Interrupted.and(Exit::Finding), Exit::Interrupted);
    }
}
