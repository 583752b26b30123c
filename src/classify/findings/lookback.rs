//! A table of what was seen lately. Invariant: never more rows than its capacity; the row that was not touched for the
//! longest time goes first, and whoever asked for a new row sees what went.
//!
//! Most names of a long input are new, and nearly all that a table of 100,000 rows costs then is waiting for memory. So
//! the index is small, a row is emptied in place, and an index entry whose row went to another name is left to be told by
//! the row's name until the index is made anew: nothing is looked up only to be taken out.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroU64;

/// The identity of a name: a keyed hash, so a name's length costs nothing, and whoever writes the input cannot make two
/// names meet. By chance one of 10 million names meets one of 100,000 rows once in 20 million runs.
pub type Name = NonZeroU64;

/// No row.
const NONE: u32 = u32::MAX;

/// Rows by name.
pub struct Lookback<T> {
    /// Open addressing with linear probing. 0 is a free slot; else the low bits are a row's number plus 1, and the high
    /// bits are some of its name's, so that a probe rarely touches a row in vain.
    index: Vec<u32>,
    /// Slots that are not free.
    used: usize,
    /// How many low bits of a slot are the row's.
    row_bits: u32,
    rows: Vec<Row<T>>,
    /// The least and the most lately touched rows.
    oldest: u32,
    newest: u32,
    capacity: usize,
    keys: RandomState,
}

struct Row<T> {
    name: Name,
    older: u32,
    newer: u32,
    value: T,
}

/// The row that was asked for.
pub struct Found<'t, T> {
    pub value: &'t mut T,
    /// Whether the row is new, and holds nothing yet.
    pub new: bool,
}

impl<T: Default> Lookback<T> {
    /// Keeps at most so many rows; at least one, at most 2^26.
    pub fn new(capacity: usize) -> Lookback<T> {
        let capacity = capacity.clamp(1, 1 << 26);
        let row_bits = usize::BITS - capacity.leading_zeros();
        let (rows, keys) = (Vec::new(), RandomState::new());
        Lookback { index: vec![0; 16], used: 0, row_bits, rows, oldest: NONE, newest: NONE, capacity, keys }
    }

    /// The identity of a name in this table.
    pub fn name(&self, text: &str) -> Name {
        let mut hasher = self.keys.build_hasher();
        hasher.write(text.as_bytes());
        Name::new(hasher.finish()).unwrap_or(Name::MIN)
    }

    /// The row of a name, now the most lately touched. Where a row has to go for it, `renew` sees that row last and
    /// empties it in place.
    pub fn touch(&mut self, name: Name, renew: impl FnOnce(&mut T)) -> Found<'_, T> {
        if let Some(at) = self.find(name) {
            if at != self.newest {
                self.unlink(at);
                self.link_newest(at);
            }
            return Found { value: &mut self.rows[at as usize].value, new: false };
        }
        let at = if self.rows.len() < self.capacity {
            self.rows.push(Row { name, older: NONE, newer: NONE, value: T::default() });
            self.rows.len() as u32 - 1
        } else {
            let at = self.oldest;
            self.unlink(at);
            self.rows[at as usize].name = name;
            renew(&mut self.rows[at as usize].value);
            at
        };
        self.link_newest(at);
        self.register(name, at);
        Found { value: &mut self.rows[at as usize].value, new: true }
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

    fn find(&self, name: Name) -> Option<u32> {
        let (mut slot, tag) = self.home(name);
        loop {
            let entry = self.index[slot];
            if entry == 0 {
                return None;
            }
            if entry >> self.row_bits == tag {
                let at = (entry & ((1 << self.row_bits) - 1)) - 1;
                if self.rows[at as usize].name == name {
                    return Some(at);
                }
            }
            slot = (slot + 1) & (self.index.len() - 1);
        }
    }

    /// Enters a row that is not in the index, which is made anew, and larger if need be, when it is more than 5/8 full.
    fn register(&mut self, name: Name, at: u32) {
        if self.used * 8 < self.index.len() * 5 {
            return self.enter(name, at);
        }
        let slots = if self.rows.len() * 2 > self.index.len() { self.index.len() * 4 } else { self.index.len() };
        self.index.clear();
        self.index.resize(slots, 0);
        self.used = 0;
        for at in 0..self.rows.len() {
            self.enter(self.rows[at].name, at as u32);
        }
    }

    fn enter(&mut self, name: Name, at: u32) {
        let (mut slot, tag) = self.home(name);
        while self.index[slot] != 0 {
            slot = (slot + 1) & (self.index.len() - 1);
        }
        self.index[slot] = tag << self.row_bits | (at + 1);
        self.used += 1;
    }

    /// The slot where a name's probing begins, and its bits in the slot; the two use different bits of the name.
    fn home(&self, name: Name) -> (usize, u32) {
        let name = name.get();
        (name as usize & (self.index.len() - 1), (name >> 32) as u32 >> self.row_bits)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Touches a name, and tells whether it was new and what had to go.
    fn touch(table: &mut Lookback<u64>, name: u64) -> (bool, Option<u64>) {
        let mut gone = None;
        let found = table.touch(Name::new(name).unwrap(), |value| gone = Some(std::mem::take(value)));
        *found.value = name;
        (found.new, gone)
    }

    #[test]
    fn the_row_that_rested_longest_goes_first() {
        let mut table = Lookback::new(2);
        assert_eq!(touch(&mut table, 1), (true, None));
        assert_eq!(touch(&mut table, 2), (true, None));
        assert_eq!(touch(&mut table, 1), (false, None));
        assert_eq!(touch(&mut table, 3), (true, Some(2)));
        assert_eq!(table.rows().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(touch(&mut table, 2), (true, Some(1)));
    }

    #[test]
    fn names_of_any_length_are_told_apart() {
        let table: Lookback<u64> = Lookback::new(1);
        let long = "x".repeat(1 << 16);
        assert_eq!(table.name(&long), table.name(&long));
        assert_ne!(table.name(&long), table.name(long.split_at(1).1));
        assert_ne!(table.name(""), table.name("\0"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Against a plain list, with names that crowd the same slots.
        #[test]
        fn it_is_a_list_with_the_last_touched_at_the_end(
            names in prop::collection::vec((1u64..8, 0u64..6), 0..600),
            capacity in 1usize..24,
        ) {
            let mut table = Lookback::new(capacity);
            let mut list: Vec<u64> = Vec::new();
            for name in names.into_iter().map(|(low, high)| low | high << 40 | high << 20) {
                let (new, evicted) = touch(&mut table, name);
                let known = list.iter().position(|other| *other == name);
                prop_assert_eq!(new, known.is_none());
                let gone = (known.is_none() && list.len() == capacity).then(|| list.remove(0));
                prop_assert_eq!(evicted, gone);
                if let Some(at) = known {
                    list.remove(at);
                }
                list.push(name);
                prop_assert_eq!(table.rows().copied().collect::<Vec<_>>(), list.clone());
            }
        }
    }
}
