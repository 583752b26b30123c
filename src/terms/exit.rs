//! Exit codes, and the fold of many into one. Invariant: a proven finding outranks everything but an interruption.

use std::num::NonZeroU8;
use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All as declared.
    Ok,
    /// A reading differs from what is declared: idempotent in name, and charged twice.
    Finding,
    /// A precondition failed: wrong usage, a port, a folder, unreadable or malformed input.
    Precondition,
    /// Nothing to judge.
    ZeroInput,
    /// A selftest check failed.
    SelftestFailed,
    /// Stopped by a signal.
    Interrupted,
    /// That of the command that was run between all this, which failed (`idem proxy -- COMMAND`).
    Command(NonZeroU8),
}

impl Exit {
    /// Of a command that ended with this code.
    pub fn of_command(code: u8) -> Exit {
        NonZeroU8::new(code).map_or(Exit::Ok, Exit::Command)
    }

    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Finding => 2,
            Exit::Precondition => 3,
            Exit::ZeroInput => 4,
            Exit::SelftestFailed => 5,
            Exit::Interrupted => 130,
            Exit::Command(code) => code.get(),
        }
    }

    /// Merges two results of one command. Where a finding and bad input both apply the finding wins: it is proven.
    pub fn and(self, other: Exit) -> Exit {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::ZeroInput => 1,
            Exit::Command(_) => 2,
            Exit::Precondition => 3,
            Exit::SelftestFailed => 4,
            Exit::Finding => 5,
            Exit::Interrupted => 6,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
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
        assert_eq!(Exit::of_command(1).and(Exit::Finding), Exit::Finding);
        assert_eq!(Exit::of_command(1).and(Exit::ZeroInput).code(), 1);
        assert_eq!((Exit::of_command(0), Exit::of_command(2).code()), (Exit::Ok, 2));
        assert_eq!(Exit::Interrupted.and(Exit::Finding), Exit::Interrupted);
    }
}
