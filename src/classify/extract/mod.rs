//! From a value to a reading. Invariant: a field counts by its name and place, never by its order.

pub mod fields;
pub mod flat;
pub mod leaves;
pub mod reading;
pub mod slot;
