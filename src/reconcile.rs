use std::collections::HashMap;
#[derive(Default)]
pub struct Tally {
    expected: HashMap<String, u64>,
    charged: HashMap<String, u64>,
}
impl Tally {
    pub fn expect(&mut self, i: &str) {
        self.expected.insert(i.into(), 0);
    }
    pub fn charge(&mut self, i: &str) {
        *self.charged.entry(i.into()).or_insert(0) += 1;
    }
    pub fn committed(&self) -> u64 {
        self.charged.values().sum()
    }
    pub fn distinct(&self) -> u64 {
        self.charged.len() as u64
    }
    pub fn duplicates(&self) -> u64 {
        self.charged.values().map(|n| n - 1).sum()
    }
    pub fn lost(&self) -> u64 {
        self.expected.keys().filter(|k| !self.charged.contains_key(*k)).count() as u64
    }
}
