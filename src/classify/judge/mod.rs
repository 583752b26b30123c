//! From a reading to its verdict. Invariant: never `no` without evidence.

pub mod call;
pub mod chain;
pub mod gateways;
pub mod tells;
pub mod verdict;
pub mod vocabulary;
