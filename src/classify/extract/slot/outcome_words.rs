//! Words that stand for yes, for no, for an outcome or a level. Invariant: a word counts whole and in any letter case, never as
//! part of another.

use crate::classify::extract::reading::Reading;

/// Success is denied in words as well: `"false"`, `"no"`, `"0"`, `"failed"`.
pub fn is_no(text: &str) -> bool {
    ["false", "no", "0", "failed", "failure", "error"].iter().any(|no| text.trim().eq_ignore_ascii_case(no))
}

/// What became of it was not, or not yet, what was asked for.
pub fn is_undone(text: &str) -> bool {
    const UNDONE: [&str; 22] = [
        "error",
        "failed",
        "fail",
        "failure",
        "declined",
        "refused",
        "rejected",
        "denied",
        "canceled",
        "cancelled",
        "voided",
        "expired",
        "timeout",
        "blocked",
        "pending",
        "processing",
        "queued",
        "accepted",
        "in_progress",
        "in progress",
        "requires_action",
        "requires_capture",
    ];
    UNDONE.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Something is affirmed in words.
pub fn is_yes(text: &str) -> bool {
    ["true", "yes", "1"].iter().any(|yes| text.trim().eq_ignore_ascii_case(yes))
}

/// Takes what a level says of how things went.
pub fn level_words(reading: &mut Reading, text: &str) {
    const WORST: [&str; 8] = ["error", "err", "critical", "fatal", "severe", "alert", "emergency", "panic"];
    if WORST.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        reading.note_trouble("level");
    }
    const QUIET: [&str; 6] = ["info", "information", "debug", "trace", "verbose", "notice"];
    reading.quiet |= QUIET.iter().any(|word| text.eq_ignore_ascii_case(word));
}
