//! What was found in the last texts. Clients fail in a few ways many times, so a log repeats its texts, word by word.
//! Invariant: what is known of a text is what a search finds in it; room and length are bounded, whatever is read.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Hit;

/// Texts that are known at most, each in a place of its own.
const PLACES: usize = 1 << 13;

/// Bytes of the longest text that is kept; the traces that are longer differ from one another.
const LONGEST: usize = 512;

/// The hits of the last texts that came twice.
#[derive(Default)]
pub struct Memo {
    places: Vec<Place>,
}

/// The last text that fell here.
#[derive(Clone, Default)]
struct Place {
    hash: u64,
    /// None until the text comes again: most of what comes once never does.
    known: Option<(Box<str>, Box<[Hit]>)>,
}

impl Memo {
    /// The hits in a text, known or searched for.
    pub fn hits<'m>(&'m mut self, text: &str, room: &'m mut Vec<Hit>, search: impl FnOnce(&mut Vec<Hit>)) -> &'m [Hit] {
        room.clear();
        if text.len() > LONGEST {
            search(room);
            return room;
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, Place::default());
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let place = &mut self.places[hash as usize % PLACES];
        if place.known.as_ref().is_none_or(|(known, _)| **known != *text) {
            search(room);
            let again = place.hash == hash;
            *place = Place { hash, known: again.then(|| (text.into(), room.as_slice().into())) };
        }
        match &place.known {
            Some((_, hits)) => hits,
            None => room,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{find, search};
    use super::*;

    /// The wordings found, and whether they had to be searched for.
    fn hits(memo: &mut Memo, text: &str) -> (Vec<&'static str>, bool) {
        let (mut room, mut searched) = (Vec::new(), false);
        let found = memo.hits(text, &mut room, |room| {
            searched = true;
            search(text, room);
        });
        let found = found.iter().map(|hit| hit.row.pattern).collect();
        (found, searched)
    }

    #[test]
    fn a_text_that_came_twice_is_known_and_one_that_came_once_is_not() {
        let mut memo = Memo::default();
        let (refused, reset) = ("connect ECONNREFUSED 127.0.0.1:443", "read ECONNRESET");
        let first = hits(&mut memo, refused).0;
        assert!(!first.is_empty());
        assert_eq!(hits(&mut memo, refused), (first.clone(), true));
        assert_eq!(hits(&mut memo, refused), (first.clone(), false));
        assert!(hits(&mut memo, reset).1);
        assert_ne!(hits(&mut memo, reset).0, first);
        assert_eq!(hits(&mut memo, refused), (first, false), "another text is in another place");
    }

    #[test]
    fn a_text_takes_anothers_place_and_is_told_from_it() {
        let mut memo = Memo::default();
        // Some of so many texts have to share a place.
        let texts: Vec<String> = (0..2 * PLACES).map(|n| format!("{n}: read ECONNRESET after {n} ms")).collect();
        let apart = |text: &String| find(&format!("{text} "), |hits| hits.len());
        for _ in 0..3 {
            for text in texts.iter().step_by(7) {
                assert_eq!(hits(&mut memo, text).0.len(), apart(text), "{text}");
            }
        }
        assert_eq!(memo.places.len(), PLACES);
    }

    #[test]
    fn a_long_text_is_searched_each_time() {
        let mut memo = Memo::default();
        for (length, known) in [(LONGEST, true), (LONGEST + 1, false)] {
            let text = format!("{:<length$}", "read ECONNRESET");
            let searched = [0; 3].map(|_| hits(&mut memo, &text).1);
            assert_eq!(searched, [true, true, !known], "{length}");
        }
    }
}
