//! What a wording means, and where the wordings of the table stand in a text. Invariant: one automaton finds all rows in
//! one pass; of two matches, one within the other, only the longer counts.

mod automaton;
mod clients;
mod codes;
mod done_already;
mod memo;
mod more;
mod repeats;
mod table;

use std::cell::RefCell;
use std::sync::OnceLock;

use automaton::Automaton;
use clients::CLIENTS;
use done_already::DONE_ALREADY;
use memo::Memo;
use more::MORE;
use repeats::REPEATS;
use table::VOCABULARY;

use crate::terms::outcome::Symptom;

/// What the words of a row prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The request was never sent.
    Never(Symptom),
    /// The same, and so even beside a status of 500 or more, which a library or a proxy made up.
    NeverBeside(Symptom),
    /// It failed while the connection was made, so the request was never sent; why is for the inner cause to say.
    Phase(Symptom),
    /// The reply began: the request was sent, whatever else is said.
    Sent(Symptom),
    /// The request went out, at least in part.
    Begun(Symptom),
    /// The same words whether or not the request was sent.
    Open(Symptom),
    /// A wrapper's words, which count only where nothing else does.
    Hint(Symptom),
    /// A word that stands for the server's status.
    Reply(Symptom),
    /// The three digits that follow are the status of the reply.
    StatusFollows,
    /// The three digits before are the status of the reply.
    StatusPrecedes,
    /// It was refused because it, or another with its key, was done already or is being done.
    DoneAlready,
    /// Beside a 2xx: it is no success, or not yet.
    Veto,
    /// Other attempts of the same call went before or follow, and what they met is not told.
    Repeated,
    /// So many attempts there were: the number behind, or before.
    AttemptsFollow,
    AttemptsPrecede,
    /// So many retries there were beside the first attempt: the number behind, or before.
    RetriesFollow,
    RetriesPrecede,
    /// Errors of several attempts, all told: the worst counts.
    Member,
    /// As `Repeated`, if the connection had been kept: the client sends a request again by itself.
    Kept,
    /// The same of a client that does so only where the request carries an idempotency key.
    KeptByKey,
    /// A client that does not: takes `Kept` back.
    NoResend,
    /// As `Repeated`, if the client tried again, which it does of itself: its words are the last attempt's, with no number.
    Uncounted,
    /// The number of attempts, and it is one: takes `Uncounted` back.
    Single,
    /// Takes back what a shorter row within it says.
    Nothing,
}

impl Says {
    /// Whether it tells of the call around the words rather than of what they say: such a row hides no other row, and is
    /// hidden by its like alone.
    pub fn is_note(self) -> bool {
        use Says::*;
        match self {
            Repeated | AttemptsFollow | AttemptsPrecede | RetriesFollow | RetriesPrecede => true,
            Member | Kept | KeptByKey | NoResend | Uncounted | Single | Veto => true,
            Never(_) | NeverBeside(_) | Phase(_) | Sent(_) | Begun(_) | Open(_) | Hint(_) | Reply(_) => false,
            StatusFollows | StatusPrecedes | DoneAlready | Nothing => false,
        }
    }
}

/// Where a row is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// In readings of real clients, against a server that counted.
    Seen,
    /// The client's source or documentation.
    Documented,
}

/// One wording.
#[derive(Debug)]
pub struct Row {
    /// See the head of `table` for the edges `|`, `^`, `$` and `~`.
    pub pattern: &'static str,
    pub says: Says,
    /// Who says so; for the reader of the table and for its tests, so the binary does not carry it.
    #[cfg(test)]
    pub client: &'static str,
    #[cfg(test)]
    pub basis: Basis,
}

impl Row {
    const fn new(pattern: &'static str, says: Says, client: &'static str, basis: Basis) -> Row {
        // Outside the tests they are only read in the source.
        let _ = (client, basis);
        Row {
            pattern,
            says,
            #[cfg(test)]
            client,
            #[cfg(test)]
            basis,
        }
    }
}

/// A row found in a text, by byte offsets.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub row: &'static Row,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Any,
    Word,
    Text,
    Milliseconds,
}

/// All rows. Teaching idem a wording is adding a row to one of these tables.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    VOCABULARY.iter().chain(MORE).chain(CLIENTS).chain(DONE_ALREADY).chain(REPEATS).chain(codes::rows())
}

struct Finder {
    automaton: Automaton,
    rows: Vec<&'static Row>,
    /// The edges of each row, by its index.
    edges: Vec<(Edge, Edge)>,
}

thread_local! {
    /// What is known of texts, and room for the hits of one.
    static KNOWN: RefCell<(Memo, Vec<Hit>)> = RefCell::default();
}

/// Finds the rows in a text, and calls back with them in order of their ends.
pub fn find<T>(text: &str, call: impl FnOnce(&[Hit]) -> T) -> T {
    KNOWN.with_borrow_mut(|(memo, room)| call(memo.hits(text, room, |hits| search(text, hits))))
}

fn search(text: &str, hits: &mut Vec<Hit>) {
    let finder = finder();
    finder.automaton.search(text, |index, start, end| {
        let (left, right) = finder.edges[index];
        if left_edge(left, text, start) && right_edge(right, text, end) {
            keep(Hit { row: finder.rows[index], start, end }, hits);
        }
    });
}

/// Keeps a hit, unless a longer one of its like stands around it; drops those of its like within it.
fn keep(new: Hit, hits: &mut Vec<Hit>) {
    let is_like = |hit: &Hit| hit.row.says.is_note() == new.row.says.is_note();
    let covers = |outer: &Hit| outer.start <= new.start && outer.end >= new.end && is_like(outer);
    if hits.iter().rev().take_while(|hit| hit.end >= new.end).any(covers) {
        return;
    }
    // Ordered by their ends, so those within stand among the last; a long text is not searched from its start.
    let mut at = hits.len();
    while at > 0 && hits[at - 1].end > new.start {
        at -= 1;
        if hits[at].start >= new.start && is_like(&hits[at]) {
            hits.remove(at);
        }
    }
    hits.push(new);
}

fn finder() -> &'static Finder {
    static FINDER: OnceLock<Finder> = OnceLock::new();
    FINDER.get_or_init(|| {
        let (edges, words): (Vec<_>, Vec<_>) = rows().map(|row| edges(row.pattern)).unzip();
        Finder { automaton: Automaton::new(words), rows: rows().collect(), edges }
    })
}

/// Splits a pattern into its edges and its words.
fn edges(pattern: &'static str) -> ((Edge, Edge), &'static str) {
    let lefts = [('|', Edge::Word), ('^', Edge::Text)];
    let rights = [('|', Edge::Word), ('$', Edge::Text), ('~', Edge::Milliseconds)];
    let left = lefts.iter().find_map(|(mark, edge)| Some((*edge, pattern.strip_prefix(*mark)?)));
    let (left, words) = left.unwrap_or((Edge::Any, pattern));
    let right = rights.iter().find_map(|(mark, edge)| Some((*edge, words.strip_suffix(*mark)?)));
    let (right, words) = right.unwrap_or((Edge::Any, words));
    ((left, right), words)
}

fn left_edge(edge: Edge, text: &str, start: usize) -> bool {
    match edge {
        Edge::Any => true,
        Edge::Word => start == 0 || !text.as_bytes()[start - 1].is_ascii_alphanumeric(),
        // From the words outwards, so that a long text costs no more than the blanks beside them.
        Edge::Text => text.bytes().take(start).rev().all(|b| b.is_ascii_whitespace()),
        // `edges` gives it to the right only.
        Edge::Milliseconds => false,
    }
}

fn right_edge(edge: Edge, text: &str, end: usize) -> bool {
    match edge {
        Edge::Any => true,
        Edge::Word => text.as_bytes().get(end).is_none_or(|next| !next.is_ascii_alphanumeric()),
        Edge::Text => text.bytes().skip(end).all(|b| matches!(b, b'.' | b' ' | b'\r' | b'\n')),
        Edge::Milliseconds => {
            let unit = text.get(end..).unwrap_or_default().trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
            unit.starts_with("ms") || unit.starts_with("milliseconds")
        }
    }
}

#[cfg(test)]
mod tests;
