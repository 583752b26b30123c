//! Declared against measured. Invariant: `OK` means that every figure is as declared, and nothing else.

use crate::terms::exit::Exit;
use crate::terms::figures::Figures;
use crate::terms::named::named_enum;

named_enum! {
    pub enum RowVerdict {
        Ok = "OK",
        /// Measured and declared differ, in whichever direction.
        Mismatch = "MISMATCH",
    }
}

impl RowVerdict {
    pub fn of(declared: &Figures, measured: &Figures) -> RowVerdict {
        if declared == measured { RowVerdict::Ok } else { RowVerdict::Mismatch }
    }

    pub fn exit(self) -> Exit {
        match self {
            RowVerdict::Ok => Exit::Ok,
            RowVerdict::Mismatch => Exit::Finding,
        }
    }
}
