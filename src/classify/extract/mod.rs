//! From a value to a reading. Invariant: a field counts by its name and place, never by its order.

pub mod fields;
pub mod flat;
pub mod har;
pub mod leaves;
pub mod mapping;
pub mod otlp;
pub mod pairs;
pub mod reading;
pub mod row;
pub mod slot;
pub mod whole;
