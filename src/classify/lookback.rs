//! A table of what was seen lately. Invariant: never more rows than its capacity; the row that was not touched for the
//! longest time goes first, and whoever asked for a new row learns what went.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// No row.
const NONE: u32 = u32::MAX;

/// The identity of a name: a keyed hash, so a name's length costs nothing, and whoever writes the input cannot make two
/// names meet. By chance two of 100,000 rows and 10 million names meet once in 20 million runs.
pub type Name = u64;

/// Rows by name.
pub struct Lookback<T> {
    /// Row numbers by name. An entry stays when its row is given to another name, and is told by the row's name: to take
    /// it out at once would cost a wait for memory on every line. When entries are twice the rows it is made anew.
    index: HashMap<Name, u32, BuildHasherDefault<Hashed>>,
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
    /// Keeps at most so many rows; at least one.
    pub fn new(capacity: usize) -> Lookback<T> {
        let capacity = capacity.clamp(1, NONE as usize / 4);
        Lookback {
            index: HashMap::default(),
            rows: Vec::new(),
            oldest: NONE,
            newest: NONE,
            capacity,
            keys: RandomState::new(),
        }
    }

    /// The identity of a name in this table.
    pub fn name(&self, text: &str) -> Name {
        let mut hasher = self.keys.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// The row of a name, now the most lately touched. Where a row has to go for it, `renew` sees that row last and
    /// empties it in place: nothing is moved, for a move would wait for memory.
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

    fn find(&self, name: Name) -> Option<u32> {
        let at = self.index.get(&name).copied()?;
        (self.rows[at as usize].name == name).then_some(at)
    }

    fn register(&mut self, name: Name, at: u32) {
        if self.index.len() >= 2 * self.capacity {
            self.index.clear();
            self.index.extend(self.rows.iter().zip(0..).map(|(row, at)| (row.name, at)));
        }
        self.index.insert(name, at);
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

    fn write_u64(&mut self, name: u64) {
        self.0 = name;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Touches a name, and tells what was there before and what had to go.
    fn touch(table: &mut Lookback<u64>, name: Name) -> (bool, Option<u64>) {
        let mut gone = None;
        let found = table.touch(name, |value| gone = Some(std::mem::take(value)));
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
        let table: Lookback<()> = Lookback::new(1);
        let long = "x".repeat(1 << 16);
        assert_eq!(table.name(&long), table.name(&long));
        assert_ne!(table.name(&long), table.name(&long[1..]));
        assert_ne!(table.name(""), table.name("\0"));
    }

    proptest! {
        /// Against a plain list.
        #[test]
        fn it_is_a_list_with_the_last_touched_at_the_end(
            names in prop::collection::vec(1u64..40, 0..400),
            capacity in 1usize..12,
        ) {
            let mut table = Lookback::new(capacity);
            let mut list: Vec<u64> = Vec::new();
            for name in names. {
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
