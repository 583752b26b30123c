//! What a wording means, and where the wordings of the table stand in a text. Invariant: one automaton finds all rows in
//! one pass; of two matches, one within the other, only the longer counts.

mod clients;
mod codes;
mod done_already;
mod more;
mod repeats;
mod table;

use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use clients::CLIENTS;
use done_already::DONE_ALREADY;
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
            Member | Kept | KeptByKey | NoResend | Veto => true,
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
    /// See the head of `table` for the edges `|`, `^`, `$` and `#`.
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

/// Bytes after which the faster automaton pays: it takes a while to build, and a single failure is read at once.
const WORTH_A_TABLE: usize = 4 << 20;

struct Finder {
    /// Small and quickly built.
    automaton: AhoCorasick,
    /// The same as a full table of transitions, for long inputs.
    table: OnceLock<AhoCorasick>,
    /// Bytes searched so far.
    searched: AtomicUsize,
    rows: Vec<&'static Row>,
    /// The edges of each row, by its index.
    edges: Vec<(Edge, Edge)>,
}

/// Finds the rows in a text and leaves them in `hits`, in order of their ends.
pub fn find(text: &str, hits: &mut Vec<Hit>) {
    hits.clear();
    let finder = finder();
    for found in finder.automaton(text.len()).find_overlapping_iter(text) {
        let (start, end, index) = (found.start(), found.end(), found.pattern().as_usize());
        let (left, right) = finder.edges[index];
        if !left_edge(left, text, start) || !right_edge(right, text, end) {
            continue;
        }
        let row = finder.rows[index];
        let is_like = |hit: &Hit| hit.row.says.is_note() == row.says.is_note();
        let covers = |outer: &Hit| outer.start <= start && outer.end >= end && is_like(outer);
        if hits.iter().rev().take_while(|hit| hit.end >= end).any(covers) {
            continue;
        }
        // Ordered by their ends, so those within stand among the last; a long text is not searched from its start.
        let mut at = hits.len();
        while at > 0 && hits[at - 1].end > start {
            at -= 1;
            if hits[at].start >= start && is_like(&hits[at]) {
                hits.remove(at);
            }
        }
        hits.push(Hit { row, start, end });
    }
}

impl Finder {
    /// The automaton to search so many more bytes with.
    fn automaton(&self, more: usize) -> &AhoCorasick {
        if self.searched.load(Relaxed) > WORTH_A_TABLE {
            return self.table.get_or_init(|| built(AhoCorasickKind::DFA));
        }
        self.searched.fetch_add(more, Relaxed);
        &self.automaton
    }
}

fn finder() -> &'static Finder {
    static FINDER: OnceLock<Finder> = OnceLock::new();
    FINDER.get_or_init(|| {
        let edges = rows().map(|row| edges(row.pattern).0).collect();
        let automaton = built(AhoCorasickKind::ContiguousNFA);
        Finder { automaton, table: OnceLock::new(), searched: AtomicUsize::new(0), rows: rows().collect(), edges }
    })
}

fn built(kind: AhoCorasickKind) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(rows().map(|row| edges(row.pattern).1))
        .expect("the tables are constant and small, so the automaton can be built")
}

/// Splits a pattern into its edges and its words.
fn edges(pattern: &'static str) -> ((Edge, Edge), &'static str) {
    let lefts = [('|', Edge::Word), ('^', Edge::Text)];
    let rights = [('|', Edge::Word), ('$', Edge::Text), ('#', Edge::Milliseconds)];
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
