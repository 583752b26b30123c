//! Declared against measured. Invariant: `OK` means that every figure is as declared, and nothing else.

use crate::exit::Exit;
use crate::named::named_enum;
use crate::reading::Figures;

named_enum! {
    pub enum Verdict {
        Ok = "OK",
        /// Measured and declared differ, in whichever direction.
        Mismatch = "MISMATCH",
    }
}

impl Verdict {
    pub fn of(declared: &Figures, measured: &Figures) -> Verdict {
        if declared == measured { Verdict::Ok } else { Verdict::Mismatch }
    }

    pub fn exit(self) -> Exit {
        match self {
            Verdict::Ok => Exit::Ok,
            Verdict::Mismatch => Exit::Finding,
        }
    }
}
