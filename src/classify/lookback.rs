//! A table of what was seen lately. Invariant: never more rows than its capacity; the row that was not touched for the
//! longest time goes first, and whoever asked for a new row learns what went.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// No row.
const NONE: u32 = u32::MAX;

/// Rows by name. Names are kept as a keyed hash of 128 bits, so their length costs nothing and nobody who writes the
/// input can make two of them meet.
pub struct Lookback<T> {
    index: HashMap<u128, u32, BuildHasherDefault<Hashed>>,
    rows: Vec<Row<T>>,
    /// The least and the most lately touched rows.
    oldest: u32,
    newest: u32,
    capacity: usize,
    keys: RandomState,
}

struct Row<T> {
    name: u128,
    older: u32,
    newer: u32,
    value: T,
}

/// The row that was asked for.
pub struct Found<'t, T> {
    pub value: &'t mut T,
    /// What had to go for it.
    pub evicted: Option<T>,
    /// Whether the row is new, and holds what `fresh` made.
    pub new: bool,
}

impl<T> Lookback<T> {
    /// Keeps at most so many rows; at least one.
    pub fn new(capacity: usize) -> Lookback<T> {
        let keys = RandomState::new();
        let capacity = capacity.clamp(1, NONE as usize - 1);
        Lookback { index: HashMap::default(), rows: Vec::new(), oldest: NONE, newest: NONE, capacity, keys }
    }

    /// The identity of a name in this table.
    pub fn name(&self, text: &str) -> u128 {
        let mut hasher = self.keys.build_hasher();
        hasher.write(text.as_bytes());
        let low = hasher.finish();
        hasher.write_u8(0xFF);
        u128::from(hasher.finish()) << 64 | u128::from(low)
    }

    /// The row of a name, now the most lately touched; `fresh` makes it where there is none.
    pub fn touch(&mut self, name: u128, fresh: impl FnOnce() -> T) -> Found<'_, T> {
        if let Some(&at) = self.index.get(&name) {
            self.unlink(at);
            self.link_newest(at);
            return Found { value: &mut self.rows[at as usize].value, evicted: None, new: false };
        }
        let row = Row { name, older: NONE, newer: NONE, value: fresh() };
        let (at, evicted) = if self.rows.len() < self.capacity {
            self.rows.push(row);
            (self.rows.len() as u32 - 1, None)
        } else {
            let at = self.oldest;
            self.unlink(at);
            let old = std::mem::replace(&mut self.rows[at as usize], row);
            self.index.remove(&old.name);
            (at, Some(old.value))
        };
        self.index.insert(name, at);
        self.link_newest(at);
        Found { value: &mut self.rows[at as usize].value, evicted, new: true }
    }

    /// All rows, the least lately touched first.
    pub fn rows(&self) -> impl Iterator<Item = &T> {
        let mut at = self.oldest;
        std::iter::from_fn(move || {
            let row = self.rows.get(at as usize)?;
            at = row.newer;
            Some(&row.value)
        })
    }

    fn unlink(&mut self, at: u32) {
        let (older, newer) = (self.rows[at as usize].older, self.rows[at as usize].newer);
        match self.rows.get_mut(older as usize) {
            Some(row) => row.newer = newer,
            None => self.oldest = newer,
        }
        match self.rows.get_mut(newer as usize) {
            Some(row) => row.older = older,
            None => self.newest = older,
        }
    }

    fn link_newest(&mut self, at: u32) {
        let older = self.newest;
        self.rows[at as usize].older = older;
        self.rows[at as usize].newer = NONE;
        match self.rows.get_mut(older as usize) {
            Some(row) => row.newer = at,
            None => self.oldest = at,
        }
        self.newest = at;
    }
}

/// Names are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, name: u128) {
        self.0 = name as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_that_rested_longest_goes_first() {
        let mut table = Lookback::new(2);
        let (a, b, c) = (table.name("a"), table.name("b"), table.name("c"));
        assert!(table.touch(a, || 'a').new);
        assert!(table.touch(b, || 'b').new);
        assert!(!table.touch(a, || 'x').new);
        assert_eq!(table.touch(c, || 'c').evicted, Some('b'));
        assert_eq!(table.rows().copied().collect::<String>(), "ac");
        assert_eq!(table.touch(b, || 'b').evicted, Some('a'));
    }

    #[test]
    fn names_of_any_length_are_told_apart() {
        let table: Lookback<()> = Lookback::new(1);
        let long = "x".repeat(1 << 16);
        assert_eq!(table.name(&long), table.name(&long));
        assert_ne!(table.name(&long), table.name(&long[1..]));
        assert_ne!(table.name(""), table.name("\u{ff}"));
    }
}
