//! Where any of some thousand wordings stands in a text. Invariant: letter case of ASCII does not count; a short input is
//! searched with what is quickly built and a long one with what is quick, and both find the same, in the same order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;
use daachorse::DoubleArrayAhoCorasick;

/// Bytes after which the faster form pays: it takes a while to build, and a single failure is read at once.
const WORTH_BUILDING: usize = 1 << 20;

/// All wordings, found in one pass.
pub struct Automaton {
    words: Vec<&'static str>,
    /// Built in a few milliseconds.
    quickly_built: NFA,
    /// Small enough to stay in the processor's cache, but five times as long in the making.
    quick: OnceLock<Compact>,
    /// Bytes searched so far.
    searched: AtomicUsize,
}

/// A double array over the wordings in lower case, each of which stands in it once.
struct Compact {
    automaton: DoubleArrayAhoCorasick<u32>,
    /// The places in the list of words that have the same wording.
    places: Vec<Vec<u32>>,
}

thread_local! {
    /// The text that is searched, in lower case.
    static LOWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Automaton {
    /// The wordings, known from now on by their places in the list.
    pub fn new(words: Vec<&'static str>) -> Automaton {
        let quickly_built = NFA::builder()
            .ascii_case_insensitive(true)
            .build(&words)
            .expect("the tables are constant and small, so the automaton can be built");
        Automaton { words, quickly_built, quick: OnceLock::new(), searched: AtomicUsize::new(0) }
    }

    /// Calls back with each wording in the text, by its place in the list, and its byte range there, in order of their
    /// ends; of two that end together the longer first.
    pub fn search(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        if self.searched.load(Relaxed) > WORTH_BUILDING {
            return self.quick.get_or_init(|| Compact::new(&self.words)).search(text, found);
        }
        self.searched.fetch_add(text.len(), Relaxed);
        let hits = self.quickly_built.try_find_overlapping_iter(text.into());
        for hit in hits.expect("it is built for matches that overlap, anywhere in a text") {
            found(hit.pattern().as_usize(), hit.start(), hit.end());
        }
    }
}

impl Compact {
    fn new(words: &[&str]) -> Compact {
        let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (place, word) in (0..).zip(words) {
            places.entry(word.to_ascii_lowercase()).or_default().push(place);
        }
        let automaton = DoubleArrayAhoCorasick::new(places.keys())
            .expect("the tables are constant and small, so the automaton can be built");
        Compact { automaton, places: places.into_values().collect() }
    }

    fn search(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        LOWER.with_borrow_mut(|lower| {
            lower.clear();
            lower.extend_from_slice(text.as_bytes());
            lower.make_ascii_lowercase();
            for hit in self.automaton.find_overlapping_iter(&lower) {
                for place in &self.places[hit.value() as usize] {
                    found(*place as usize, hit.start(), hit.end());
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: [&str; 6] = ["timeout", "Read TIMEOUT", "out", "timeout", "ü", "t"];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_forms_find_the_same_in_the_same_order(
            parts in prop::collection::vec(prop::sample::select(vec!["time", "OUT", "read ", "ü", "Ü", "t", "x"]), 0..9),
        ) {
            let (text, mut one, mut other) = (parts.concat(), Vec::new(), Vec::new());
            Automaton::new(WORDS.to_vec()).search(&text, |place, start, end| one.push((place, start, end)));
            Compact::new(&WORDS).search(&text, |place, start, end| other.push((place, start, end)));
            prop_assert_eq!(one, other);
        }
    }
}
