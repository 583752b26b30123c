//! The words of a reading, read from the inside out. Invariant: words that prove a reply, or that the request went out,
//! are never outweighed by words that say it was not sent; a log line's own words count only where no error's do.

use std::borrow::Cow;

use super::call::{Around, Notes};
use super::vocabulary::{Hit, Says, find};
use crate::classify::extract::reading::{Reading, Role, Text};
use crate::terms::outcome::Symptom;

/// Bytes of evidence that are shown.
const SHOWN: usize = 80;

/// What the words prove.
#[derive(Debug)]
pub struct Proof<'a> {
    pub says: Says,
    /// The symptom they name, with a status in words already looked up.
    pub symptom: Symptom,
    /// The status that a text gives as the reply's.
    pub status: Option<u16>,
    pub evidence: Cow<'a, str>,
}

/// What all the words of a reading come to.
#[derive(Debug)]
pub struct Words<'a> {
    /// None where no row of the vocabulary is in them.
    pub proof: Option<Proof<'a>>,
    /// What they tell of the call that the failure ended.
    pub around: Around<'a>,
}

/// What stands out so far. Ordered by weight, then by depth, then by how much the symptom tells.
struct Best<'t> {
    rank: (u8, u8, u8),
    says: Says,
    status: Option<u16>,
    text: &'t Text<'t>,
    /// Byte range of the wording in the text.
    range: (usize, usize),
}

/// Reads all the words of a reading.
pub fn read<'a>(reading: &'a Reading<'_>) -> Words<'a> {
    let mut notes = Notes::default();
    notes.note_fields(reading);
    let Some(first) = outstanding(reading, |_| true, &mut notes) else {
        return Words { proof: None, around: notes.around() };
    };
    let (mut best, waiting) = (first.best, first.waiting);
    // Where all attempts are told the worst counts, and an attempt that is told counts more than the last.
    let told_otherwise = (notes.are_members() || notes.is_repeated()) && is_never(best.says);
    if told_otherwise || is_refusal(&best) && first.worst.as_ref().is_some_and(is_of_a_backend) {
        best = first.worst.unwrap_or(best);
    }
    // A refusal came over a connection, so one that could not be made is further back, and what was done before is not told.
    if let Some((text, range)) = first.never.filter(|_| is_refusal(&best)) {
        let behind = shown(&text.text, range);
        notes.behind(behind);
    }
    // Of errors beside one another each stands for an address or an attempt of its own: that one was never sent says
    // nothing of another.
    for branch in 1..=reading.branches {
        if is_never(best.says) && reading.texts.iter().any(|text| text.branch == branch) {
            match outstanding(reading, |text| text.branch == branch, &mut Notes::default()) {
                Some(of_branch) => best = of_branch.best,
                None => return Words { proof: None, around: notes.around() },
            }
        }
    }
    Words { proof: Some(prove(&best, waiting)), around: notes.around() }
}

/// A 4xx that only words give.
fn is_refusal(best: &Best) -> bool {
    best.status.is_some_and(|status| Symptom::of_status(status) == Symptom::ClientError)
}

/// Words of a timeout in the refusal's own message: what a server behind it met, which may have worked. Words of a client
/// about its own connection stand without a status.
fn is_of_a_backend(worst: &Best) -> bool {
    let (Says::Begun(symptom) | Says::Open(symptom)) = worst.says else { return false };
    matches!(symptom, Symptom::Timeout | Symptom::ReadTimeout)
}

/// Whether a frame names a client by what that does with a failed attempt.
pub fn names_client(frame: &str) -> bool {
    find(frame, |hits| hits.iter().any(|hit| is_of_client(hit.row.says)))
}

/// Whether words count in a frame as well.
fn is_of_client(says: Says) -> bool {
    matches!(says, Says::Kept | Says::NoResend | Says::Repeated)
}

fn is_never(says: Says) -> bool {
    matches!(says, Says::Never(_) | Says::NeverBeside(_) | Says::Phase(_))
}

/// What stands out among some of the words.
struct Outstanding<'a> {
    best: Best<'a>,
    /// What outweighs all else of words that leave it open.
    worst: Option<Best<'a>>,
    /// Whether any of them tell of a timeout.
    waiting: bool,
    /// Words of a connection that could not be made.
    never: Option<(&'a Text<'a>, (usize, usize))>,
}

/// Words of errors count first, then those beside the reading, then a log line's own.
fn tier(role: Role) -> usize {
    match role {
        Role::Error | Role::Trace | Role::Reply => 0,
        Role::Aside => 1,
        Role::Log => 2,
    }
}

fn outstanding<'a>(
    reading: &'a Reading<'_>,
    among: impl Fn(&Text) -> bool,
    notes: &mut Notes<'a>,
) -> Option<Outstanding<'a>> {
    let mut tiers: [(Option<Best>, Option<Best>, bool); 3] = Default::default();
    let mut never = None;
    for text in reading.texts.iter().filter(|text| among(text)) {
        let (best, worst, waiting) = &mut tiers[tier(text.role)];
        each_line(text, |from, line, is_frame| {
            // A frame is no evidence of what happened, but of which client it happened to.
            let counts = |hit: &&Hit| !is_frame || is_of_client(hit.row.says);
            find(line, |hits| {
                for hit in hits.iter().filter(counts) {
                    *waiting |= matches!(hit.row.says, Says::Open(Symptom::Timeout | Symptom::ReadTimeout));
                    notes.note(hit, from, line, text);
                    if never.is_none() && matches!(hit.row.says, Says::Never(_) | Says::Phase(_)) {
                        never = Some((text, (from + hit.start, from + hit.end)));
                    }
                    weigh(text, from, line, hit, best);
                    if matches!(hit.row.says, Says::Sent(_) | Says::Begun(_) | Says::Open(_)) {
                        weigh(text, from, line, hit, worst);
                    }
                }
            });
        });
    }
    let waiting_before = tiers[0].2;
    tiers
        .into_iter()
        .find_map(|(best, worst, waiting)| Some((best?, worst, waiting || waiting_before)))
        .map(|(best, worst, waiting)| Outstanding { best, worst, waiting, never })
}

/// Calls back with the offset and the text of each line, and whether it is a frame or a line of source.
fn each_line(text: &Text, mut call: impl FnMut(usize, &str, bool)) {
    let whole = &*text.text;
    if memchr::memchr(b'\n', whole.as_bytes()).is_none() {
        return call(0, whole, false);
    }
    let python = whole.contains("Traceback (most recent call last)");
    let mut from = 0;
    for line in whole.split('\n') {
        let inside = line.starts_with([' ', '\t']);
        let frame = inside && (python || line.trim_start().starts_with("at "));
        call(from, line, frame);
        from += line.len() + 1;
    }
}

/// Keeps the hit if it outweighs what was found before.
fn weigh<'t>(text: &'t Text<'t>, from: usize, line: &str, hit: &Hit, best: &mut Option<Best<'t>>) {
    let mut end = hit.end;
    let mut status = None;
    let (weight, tells) = match hit.row.says {
        says if says.is_note() || says == Says::Nothing => return,
        Says::DoneAlready => (9, 0),
        Says::NeverBeside(symptom) => (8, tells(symptom)),
        _ if text.role == Role::Reply => return,
        Says::Sent(symptom) => (7, tells(symptom)),
        Says::StatusFollows => {
            let Some(found) = line.get(hit.end..).and_then(status_at) else { return };
            status = Some(found);
            end += 3;
            (6, 1)
        }
        Says::StatusPrecedes => {
            let Some(found) = line.get(..hit.start).and_then(status_before) else { return };
            status = Some(found);
            (6, 1)
        }
        Says::Reply(symptom) => (6, tells(symptom) / 2),
        Says::Begun(symptom) => (5, tells(symptom)),
        Says::Never(symptom) => (4, tells(symptom)),
        Says::Phase(symptom) => (3, tells(symptom)),
        Says::Open(symptom) => (2, tells(symptom)),
        Says::Hint(symptom) => (1, tells(symptom)),
        _note => return,
    };
    let rank = (weight, text.depth, tells);
    if best.as_ref().is_none_or(|best| rank > best.rank) {
        *best = Some(Best { rank, says: hit.row.says, status, text, range: (from + hit.start, from + end) });
    }
}

/// Among equals the symptom that says more about where it failed.
fn tells(symptom: Symptom) -> u8 {
    use Symptom::*;
    match symptom {
        Dns | Tls | Reset | Conflict => 5,
        ConnectTimeout | ReadTimeout | Truncated => 4,
        Refused | Closed | Throttled => 3,
        NotProcessed | ServerError => 2,
        Unreachable | Timeout | BadReply | ClientError => 1,
        Ok | Redirect | Unknown => 0,
    }
}

/// The status at the start of a text: three digits from 200 to 594, and no fourth. Clients make up 595 to 599 for what
/// they met themselves; 443 is a port.
fn status_at(rest: &str) -> Option<u16> {
    let digits = rest.get(..3).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
    let more = rest.as_bytes().get(3).is_some_and(|next| next.is_ascii_alphanumeric());
    digits.parse().ok().filter(|status| !more && (200..595).contains(status) && *status != 443)
}

/// The status at the end of a text, on the same terms.
fn status_before(rest: &str) -> Option<u16> {
    // Where the last three bytes are no whole characters they are no digits either.
    let (before, digits) = rest.split_at_checked(rest.len().checked_sub(3)?)?;
    let more = before.bytes().next_back().is_some_and(|before| before.is_ascii_alphanumeric());
    status_at(digits).filter(|_| !more)
}

fn prove<'a>(best: &Best<'a>, waiting: bool) -> Proof<'a> {
    use Says::*;
    let symptom = match (best.says, best.status) {
        (StatusFollows | StatusPrecedes, Some(status)) => Symptom::of_status(status),
        (StatusFollows | StatusPrecedes, None) => Symptom::Unknown,
        (DoneAlready, _) => Symptom::Conflict,
        (Phase(Symptom::Tls), _) => Symptom::Tls,
        (Phase(_), _) if waiting => Symptom::ConnectTimeout,
        (Never(s) | NeverBeside(s) | Phase(s) | Sent(s) | Begun(s) | Open(s) | Hint(s) | Reply(s), _) => s,
        (_note, _) => Symptom::Unknown,
    };
    Proof { says: best.says, symptom, status: best.status, evidence: shown(&best.text.text, best.range) }
}

/// The wording with the rest of the words that it is part of, in one line.
pub fn shown(text: &str, (start, end): (usize, usize)) -> Cow<'_, str> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-');
    let (head, rest) = text.split_at(start);
    let (_, tail) = text.split_at(end);
    let before = head.chars().rev().take(SHOWN / 2).take_while(|c| word(*c)).count();
    let after = tail.chars().take(SHOWN / 2).take_while(|c| word(*c)).count();
    // `word` takes ASCII alone, so counted characters are bytes, and both ends lie between characters.
    let part = text.get(start - before..end + after).unwrap_or(rest);
    Cow::Borrowed(part.trim_matches([':', '.', '-', ' ']))
}

#[cfg(test)]
mod tests;
