//! The verdicts of a row and what they mean for the exit code. Invariant: UNPROVEN, SKIPPED and ERROR are never OK.

use crate::terms::exit::Exit;
use crate::terms::named::named_enum;

named_enum! {
    /// A row's verdict. Declared from the weakest to the strongest: a row with several cases has its strongest.
    pub enum Verdict {
        /// The invariants held, each shown by the ledger.
        Ok = "OK",
        /// What it needs was not given; the row says what to give.
        Skipped = "SKIPPED",
        /// What happened could not be shown: no ledger, or the moment was not hit.
        Unproven = "UNPROVEN",
        /// The check could not be carried out; the row says why, and what killed the target.
        Error = "ERROR",
        /// A tool without a key, which claims nothing of repeats, charges again when its call is made again, as the protocol does where a reply is lost. Exit 2 only with --strict.
        Unsafe = "UNSAFE TO RETRY",
        /// Never settled: the first failure or refusal is repeated. `--accept stored-errors` for a 5xx kept on purpose.
        Sticky = "STICKY",
        /// Never settled: in-flight answers, 5xx or silence go on.
        Wedged = "WEDGED",
        /// A replay names another receipt, or none where the first reply named one.
        Changed = "CHANGED",
        /// Another payload or intent got an old success, or one receipt names two intents. `--accept silent-reuse` for another payload under a used key.
        Swallowed = "SWALLOWED",
        /// A tool that claims to be read-only had an effect.
        NotReadOnly = "NOT READ-ONLY",
        /// A principal's success carries another principal's receipt.
        Leaked = "LEAKED",
        /// No charge though a success was answered, or none that a retry could bring.
        Lost = "LOST",
        /// More than one charge.
        Duplicate = "DUPLICATE",
    }
}

impl Verdict {
    pub fn is_finding(self) -> bool {
        match self {
            Verdict::Ok | Verdict::Skipped | Verdict::Unproven | Verdict::Error => false,
            Verdict::Sticky | Verdict::Wedged | Verdict::Changed | Verdict::Swallowed => true,
            Verdict::Leaked | Verdict::Lost | Verdict::Duplicate => true,
            Verdict::Unsafe | Verdict::NotReadOnly => true,
        }
    }

    /// The stronger of two.
    pub fn and(self, other: Verdict) -> Verdict {
        if other as u8 > self as u8 { other } else { self }
    }

    /// What the row says to the exit code; `accepted` where the user declared the design.
    pub fn exit(self, accepted: bool) -> Exit {
        match self {
            Verdict::Ok | Verdict::Skipped => Exit::Ok,
            Verdict::Unproven | Verdict::Error => Exit::Precondition,
            _finding if accepted => Exit::Ok,
            _finding => Exit::Finding,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_outranks_everything_and_ok_nothing() {
        for verdict in Verdict::ALL.iter().copied() {
            assert_eq!(verdict.and(Verdict::Duplicate), Verdict::Duplicate);
            assert_eq!(verdict.and(Verdict::Ok), verdict);
        }
    }

    /// Verdict, exit code, and the one where the design was declared.
    #[test]
    fn only_a_finding_can_be_accepted() {
        let rows = [
            (Verdict::Ok, Exit::Ok, Exit::Ok),
            (Verdict::Skipped, Exit::Ok, Exit::Ok),
            (Verdict::Unproven, Exit::Precondition, Exit::Precondition),
            (Verdict::Error, Exit::Precondition, Exit::Precondition),
            (Verdict::Unsafe, Exit::Finding, Exit::Ok),
            (Verdict::Sticky, Exit::Finding, Exit::Ok),
            (Verdict::Wedged, Exit::Finding, Exit::Ok),
            (Verdict::Changed, Exit::Finding, Exit::Ok),
            (Verdict::Swallowed, Exit::Finding, Exit::Ok),
            (Verdict::NotReadOnly, Exit::Finding, Exit::Ok),
            (Verdict::Leaked, Exit::Finding, Exit::Ok),
            (Verdict::Lost, Exit::Finding, Exit::Ok),
            (Verdict::Duplicate, Exit::Finding, Exit::Ok),
        ];
        assert_eq!(rows.map(|(verdict, ..)| verdict).as_slice(), Verdict::ALL);
        for (verdict, exit, accepted) in rows {
            assert_eq!((verdict.exit(false), verdict.exit(true)), (exit, accepted), "{}", verdict.name());
            assert_eq!(verdict.is_finding(), exit == Exit::Finding, "{}", verdict.name());
        }
    }
}
