//! Where a reading stands: a line of one of the inputs. Invariant: places are ordered as the events are, and one input has
//! no name.

use crate::console::printable::printable;

/// A line of one of several inputs, as one number: their order is the order of events.
pub fn place(file: u64, line: u64) -> u64 {
    file << LINE_BITS | line
}

/// Bits of a place that number its line.
const LINE_BITS: u32 = 44;

/// The file that a place is in, if there are several, and the line.
pub fn parts(files: &[String], place: u64) -> (Option<&str>, u64) {
    let file = files.get((place >> LINE_BITS) as usize).map(String::as_str);
    (file, place & ((1 << LINE_BITS) - 1))
}

/// A place in words: `7`, or `app.log:7` where there are several inputs.
pub fn placed(files: &[String], place: u64) -> String {
    match parts(files, place) {
        (Some(file), line) => format!("{}:{line}", printable(file)),
        (None, line) => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_with_its_file_where_there_are_several() {
        let files = ["one".to_owned(), "t\u{1b}wo".to_owned()];
        assert_eq!(parts(&files, place(1, 7)), (Some("t\u{1b}wo"), 7));
        assert_eq!((placed(&files, place(0, 3)), placed(&[], place(0, 3))), ("one:3".to_owned(), "3".to_owned()));
        assert!(place(0, u64::from(u32::MAX)) < place(1, 1));
        assert!(!placed(&files, place(1, 7)).contains('\u{1b}'));
    }
}
