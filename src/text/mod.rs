//! Reading text that people and programs write. Invariant: nothing here knows what the text is for.

pub mod duration;
#[cfg(test)]
pub mod fragments;
pub mod junit;
pub mod lines;
pub mod ordered_json;
pub mod page;
pub mod percent;
pub mod pointer;
pub mod time;
pub mod withheld;
pub mod xml;
