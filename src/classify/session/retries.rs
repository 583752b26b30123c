//! A call that one client tells in several lines of words: what it met, that it tries again, what it met then. Invariant: a
//! verdict only ever becomes more careful here.

use std::borrow::Cow;

use crate::classify::judge::verdict::Verdict;
use crate::terms::outcome::{Effect, Symptom};

/// Lines behind which another call is told.
const REACH: u64 = 40;

/// What the last lines of words told of a call that may be the same.
#[derive(Default)]
pub struct Retries {
    /// The line of an attempt that may have taken effect.
    open: Option<u64>,
    /// The line that tells of a retry behind it, and its words.
    again: Option<(u64, String)>,
}

impl Retries {
    /// The verdict of a line, with what stands before it: a retry that was refused proves nothing of the attempt before,
    /// which may be what it is refused for. `repeated`: the words by which the line tells of a retry.
    pub fn judge<'a>(&mut self, line: u64, verdict: Verdict<'a>, repeated: Option<Cow<str>>) -> Verdict<'a> {
        let near = |from: u64| line.saturating_sub(from) <= REACH;
        let verdict = match &self.again {
            Some((told, words)) if near(*told) && verdict.symptom == Symptom::ClientError => verdict.among(words),
            Some(_) | None => verdict,
        };
        if verdict.advice.effect == Effect::Yes {
            *self = Retries::default();
        } else if self.open.is_some_and(near)
            && let Some(words) = repeated
        {
            self.again = Some((line, words.into_owned()));
        }
        if verdict.advice.effect == Effect::Maybe && verdict.symptom != Symptom::Unknown {
            self.open = Some(line);
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::extract::reading::Reading;
    use crate::classify::judge::verdict::judge_call;

    /// The effect of the last of these lines, each so many lines below the one before.
    fn last(lines: &[&str], apart: u64) -> Effect {
        let mut retries = Retries::default();
        let effects = (1..).zip(lines).map(|(number, line)| {
            let reading = Reading::from_text(line);
            let (verdict, repeated) = judge_call(&reading);
            retries.judge(number * apart, verdict, repeated).advice.effect
        });
        effects.last().expect("a line")
    }

    #[test]
    fn a_refusal_behind_a_retry_of_what_may_have_been_done_is_no_proof() {
        let (open, again, refused) = ("read timed out", "attempt registry request try #2", "http 403");
        assert_eq!(last(&[open, again, refused], 1), Effect::Maybe);
        assert_eq!(last(&[open, refused], 1), Effect::No, "another call");
        assert_eq!(last(&[again, refused], 1), Effect::No, "nothing that may have been done");
        assert_eq!(last(&[open, again, "Connection refused"], 1), Effect::No, "this attempt reached nobody");
        let done = r#"10.0.0.1 - - [x] "POST /pay HTTP/1.1" 200 12 "-""#;
        assert_eq!(last(&[open, again, done, refused], 1), Effect::No, "what was retried has ended");
        assert_eq!(last(&[open, again, refused], REACH), Effect::Maybe);
        assert_eq!(last(&[open, again, refused], REACH + 1), Effect::No, "too far away");
    }
}
