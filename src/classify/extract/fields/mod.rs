//! What a field of a reading, a log line or a tool's own JSON means, by its name. Invariant: a name is looked up without
//! case and without separators, so `statusCode`, `status_code` and `Status-Code` are one row.

mod table;

use std::sync::OnceLock;

use table::FIELDS;

use super::reading::Mark;

/// What a field means, wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Intent,
    Attempt,
    Key,
    Receipt,
    /// Another receipt of the same attempt, which the client was not given (idem's own proxy).
    UnheardReceipt,
    /// Whether the reply was a replay: of no weight for the verdict.
    Replay,
    /// How many attempts of the call were made, or a list of them.
    Made,
    /// How many times it was sent again.
    Retried,
    /// curl's `size_request`.
    Sent,
    /// gRPC's status beside an HTTP one.
    GrpcStatus,
    /// How many parts of a request failed, or which.
    Failures,
    /// What became of it, in a word that may take back a success.
    Outcome,
    /// How much money it is about.
    Amount,
    RetryAfter,
    Time,
    Status,
    Kind,
    Symptom,
    /// The error itself: words, an object, a list of either.
    Error,
    /// Errors beside one another, one for each address or attempt (Node's AggregateError, Python's ExceptionGroup).
    Errors,
    /// The same in an error object, and nothing outside one (Sentry's `values`).
    Chain,
    /// The class or name of the error.
    ErrorType,
    /// A word or a number that a library calls a code.
    Code,
    /// Words; of an error inside one, of a log line else.
    Message,
    /// Words inside an error only (`value`, `title`).
    Inner,
    /// The words of a log line.
    Log,
    Trace,
    /// The cause of the error that the field stands in.
    Cause,
    /// In an error its cause (Python); outside one what a log line has to say (Monolog).
    Context,
    /// An object that holds the reply's status and headers.
    Response,
    Headers,
    /// The reply's body.
    Body,
    /// The name of a system call that failed.
    Syscall,
    Level,
    /// True where all went well.
    Success,
    /// True where something went wrong.
    Failure,
    ExitCode,
    /// libcurl's error code, as its bindings give it.
    CurlCode,
    /// curl's `time_pretransfer`.
    Pretransfer,
    /// An object whose fields count as if they stood outside (loguru's `record`, curl's JSON inside another).
    Nested,
    /// The same, but of less weight: what it says counts where the reading itself has no words of an error.
    Beside,
    /// hurl's list of exchanges.
    Entries,
    /// A gateway's own code.
    Gateway(Mark),
    /// A field that tells of a failure wherever it stands (AWS Lambda's FunctionError).
    FunctionError,
    /// What only a document of scenarios or checks has.
    Document,
    /// The method of the request.
    Method,
    /// What holds readings of its own (see `whole`).
    Wrapper,
}

/// Longer names are no row's.
const LONGEST: usize = 32;

/// The meaning of a name; None for a field that says nothing about the outcome.
pub fn field(name: &str) -> Option<Field> {
    if name.len() > LONGEST {
        return None;
    }
    let rows = buckets();
    find(&rows[name.len()], name.as_bytes()).or_else(|| {
        let mut plain = [0u8; LONGEST];
        let length = simplify(name, &mut plain);
        find(&rows[length], &plain[..length])
    })
}

fn find(rows: &Rows, name: &[u8]) -> Option<Field> {
    let packed = pack(name);
    rows.iter().find(|(start, row, _)| *start == packed && (name.len() <= 8 || *row == name)).map(|(.., field)| *field)
}

/// The first eight bytes as one number; of names of one length, equal where they are.
fn pack(name: &[u8]) -> u64 {
    let four =
        |from: usize| u64::from(u32::from_le_bytes([name[from], name[from + 1], name[from + 2], name[from + 3]]));
    match name.len() {
        0 => 0,
        length @ 1..=3 => name[..length].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        length => four(0) | four(length.min(8) - 4) << 32,
    }
}

/// Lower case, without `_`, `-` and spaces. Returns the length that is left.
fn simplify(name: &str, plain: &mut [u8; LONGEST]) -> usize {
    let kept = name.bytes().filter(|b| !matches!(b, b'_' | b'-' | b' ')).map(|b| b.to_ascii_lowercase());
    let mut length = 0;
    for byte in kept {
        plain[length] = byte;
        length += 1;
    }
    length
}

/// A name's start as a number, the name, and what it means.
type Rows = Vec<(u64, &'static [u8], Field)>;

/// The rows by the length of their name: a lookup compares a handful.
fn buckets() -> &'static [Rows; LONGEST + 1] {
    static BUCKETS: OnceLock<[Rows; LONGEST + 1]> = OnceLock::new();
    BUCKETS.get_or_init(|| {
        let mut buckets = [const { Vec::new() }; LONGEST + 1];
        for (name, field) in FIELDS {
            buckets[name.len()].push((pack(name.as_bytes()), name.as_bytes(), *field));
        }
        buckets
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter() {
        for name in ["status_code", "statusCode", "StatusCode", "Status-Code", "STATUS CODE"] {
            assert_eq!(field(name), Some(Field::Status), "{name}");
        }
        assert_eq!(field("statuses"), None);
        assert_eq!(field(&"status".repeat(100)), None);
    }

    #[test]
    fn every_row_is_reached_and_stands_once() {
        for (index, (name, meaning)) in FIELDS.iter().enumerate() {
            assert_eq!(field(name), Some(*meaning), "{name}");
            assert!(FIELDS[..index].iter().all(|(other, _)| other != name), "{name} stands twice");
            // `_source` and `_raw` are found as they stand; without the line they would be other rows.
            let plain = simplify(name, &mut [0; LONGEST]) == name.len();
            assert!(plain || name.starts_with('_'), "{name} is not in its plain form");
        }
    }
}
