//! A map from names to small values, made for ten million of them. Invariant: iteration is in order of first mention,
//! and the memory of a name is its text, its entry and a few bytes of index.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Names and what is kept of each.
#[derive(Default)]
pub struct Names<T> {
    /// The names, one after another: an allocation for each would double the memory.
    text: String,
    entries: Vec<Entry<T>>,
    /// Places in `entries`, by name.
    index: HashTable<u32>,
    hasher: RandomState,
}

struct Entry<T> {
    /// Where its name ends in the text; it begins where the one before ends.
    end: usize,
    value: T,
}

impl<T: Default> Names<T> {
    /// The place of this name in order of first mention, and its value, made at that.
    ///
    /// # Panics
    /// At 2^32 distinct names: they would take more than 100 GiB.
    pub fn at(&mut self, wanted: &str) -> (usize, &mut T) {
        let Names { text, entries, index, hasher } = self;
        let hash = hasher.hash_one(wanted);
        let found = index.find(hash, |&at| name(text, entries, at as usize) == wanted).copied();
        let at = found.unwrap_or_else(|| {
            let at = u32::try_from(entries.len()).expect("fewer than 2^32 distinct names");
            text.push_str(wanted);
            entries.push(Entry { end: text.len(), value: T::default() });
            index.insert_unique(hash, at, |&other| hasher.hash_one(name(text, entries, other as usize)));
            at
        });
        (at as usize, &mut entries[at as usize].value)
    }

    /// The value of the name at a place.
    ///
    /// # Panics
    /// Where no name has it.
    pub fn value_mut(&mut self, place: usize) -> &mut T {
        &mut self.entries[place].value
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.entries.iter().enumerate().map(|(at, entry)| (name(&self.text, &self.entries, at), &entry.value))
    }
}

fn name<'a, T>(text: &'a str, entries: &[Entry<T>], at: usize) -> &'a str {
    let start = at.checked_sub(1).map_or(0, |before| entries[before].end);
    text.get(start..entries[at].end).expect("every entry ends where a name ends")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_as_the_standard_map_does_in_order_of_mention(mentions in prop::collection::vec("[abé]{0,4}", 0..400)) {
            let mut names: Names<u64> = Names::default();
            let mut plain: HashMap<&str, u64> = HashMap::new();
            let mut order = Vec::new();
            for mention in &mentions {
                *names.at(mention).1 += 1;
                let count = plain.entry(mention).or_default();
                if *count == 0 {
                    order.push(mention.as_str());
                }
                *count += 1;
            }
            let expected: Vec<_> = order.iter().map(|name| (*name, &plain[name])).collect();
            prop_assert_eq!(names.iter().collect::<Vec<_>>(), expected);
        }
    }
}
