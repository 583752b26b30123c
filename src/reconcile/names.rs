//! A map from names to small values, made for ten million of them. Invariant: iteration is in order of first mention,
//! and the memory of a name is its text, its entry and at most 22 bytes of index.
//!
//! The standard map would keep an allocation for each name, about twice the memory in all, and could not be looked up
//! by a place in a shared text.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;

/// Names and what is kept of each.
#[derive(Default)]
pub struct Names<T> {
    /// The names, one after another.
    text: String,
    entries: Vec<Entry<T>>,
    index: Index,
    hasher: RandomState,
}

struct Entry<T> {
    /// Where its name ends in the text; it begins where the one before ends.
    end: usize,
    value: T,
}

impl<T: Default> Names<T> {
    /// The value of this name, made at its first mention.
    ///
    /// # Panics
    /// At 2^32 distinct names: they would take more than 100 GiB.
    pub fn at(&mut self, wanted: &str) -> &mut T {
        let Names { text, entries, index, hasher } = self;
        let tag = (hasher.hash_one(wanted) >> 32) as u32;
        let is_it = |at: u32| name(text, entries, at as usize) == wanted;
        let at = index.find(tag, is_it).map_or(entries.len(), |at| at as usize);
        if at == entries.len() {
            text.push_str(wanted);
            entries.push(Entry { end: text.len(), value: T::default() });
            index.insert(tag, u32::try_from(at).expect("fewer than 2^32 distinct names"), at);
        }
        &mut entries[at].value
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.entries.iter().enumerate().map(|(at, entry)| (name(&self.text, &self.entries, at), &entry.value))
    }
}

fn name<'a, T>(text: &'a str, entries: &[Entry<T>], at: usize) -> &'a str {
    let start = at.checked_sub(1).map_or(0, |before| entries[before].end);
    &text[start..entries[at].end]
}

/// Where a name's entry is: linear probing, one cache miss a look-up. Slots lie in the order of their tags, so that
/// growing reads and writes memory from end to end and hashes no name again.
#[derive(Default)]
struct Index {
    /// None is free; there are none or a power of two, and at least a quarter of them is free.
    slots: Vec<Option<Slot>>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// 32 bits of the name's hash; the highest tell where it would like to lie.
    tag: u32,
    /// The bitwise complement of the entry's number, which is never 0.
    not_at: NonZeroU32,
}

impl Index {
    /// The entry with this tag that `is_it` knows.
    fn find(&self, tag: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut probe = self.home(tag);
        while let Some(slot) = self.slots.get(probe).copied().flatten() {
            if slot.tag == tag && is_it(slot.at()) {
                return Some(slot.at());
            }
            probe = (probe + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Adds an entry where `taken` slots are taken.
    fn insert(&mut self, tag: u32, at: u32, taken: usize) {
        if (taken + 1) * 4 > self.slots.len() * 3 {
            let larger = vec![None; (self.slots.len() * 2).max(64)];
            let old = std::mem::replace(&mut self.slots, larger);
            old.into_iter().flatten().for_each(|slot| self.place(slot));
        }
        self.place(Slot::new(tag, at));
    }

    fn place(&mut self, slot: Slot) {
        let mut probe = self.home(slot.tag);
        while self.slots[probe].is_some() {
            probe = (probe + 1) & (self.slots.len() - 1);
        }
        self.slots[probe] = Some(slot);
    }

    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }
}

impl Slot {
    fn new(tag: u32, at: u32) -> Slot {
        let not_at = NonZeroU32::new(!at).expect("fewer than 2^32 distinct names");
        Slot { tag, not_at }
    }

    fn at(self) -> u32 {
        !self.not_at.get()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_slot_is_no_larger_than_its_two_numbers() {
        assert_eq!(size_of::<Option<Slot>>(), 8);
    }

    #[test]
    fn names_with_one_tag_are_kept_apart_across_growth() {
        let mut index = Index::default();
        for at in 0..1000 {
            assert_eq!(index.find(u32::MAX, |other| other == at), None);
            index.insert(u32::MAX, at, at as usize);
        }
        assert!((0..1000).all(|at| index.find(u32::MAX, |other| other == at) == Some(at)));
    }

    proptest! {
        #[test]
        fn counts_as_the_standard_map_does_in_order_of_mention(mentions in prop::collection::vec("[abé]{0,4}", 0..400)) {
            let mut names: Names<u64> = Names::default();
            let mut plain: HashMap<&str, u64> = HashMap::new();
            let mut order = Vec::new();
            for mention in &mentions {
                *names.at(mention) += 1;
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
