//! Declared against measured. Invariant: `OK` means that every figure is as declared, and nothing else.

use crate::terms::exit::Exit;
use crate::terms::figures::Figures;
use crate::terms::named::named_enum;

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
