//! The reader against any bytes, cut anywhere.

use proptest::prelude::*;

use super::*;

/// Collects what it is given; takes what parses.
#[derive(Default)]
struct Kept {
    values: Vec<(Position, String)>,
    words: Vec<String>,
    refused: Vec<Refused>,
}

impl Sink for Kept {
    fn value(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused> {
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| refused(at, &e.to_string()))?;
        self.values.push((at, value.to_string()));
        Ok(())
    }

    fn words(&mut self, _: Position, line: &[u8]) {
        self.words.push(String::from_utf8_lossy(line).into_owned());
    }

    fn refused(&mut self, refused: Refused) {
        self.refused.push(refused);
    }

    fn done(&self) -> bool {
        false
    }
}

/// Gives its bytes in pieces of these lengths, over and over.
struct Pieces<'a>(&'a [u8], &'a [usize], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.1[self.2 % self.1.len()].min(self.0.len()).min(buffer.len());
        self.2 += 1;
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn read(bytes: &[u8], pieces: &[usize]) -> Kept {
    let mut kept = Kept::default();
    Reader::new(Pieces(bytes, pieces, 0)).log(&mut kept).unwrap();
    kept
}

fn values(text: &str) -> Vec<String> {
    let kept = read(text.as_bytes(), &[1 << 20]);
    assert_eq!(kept.refused, [], "{text}");
    kept.values.into_iter().map(|(_, value)| value).collect()
}

#[test]
fn shapes_are_told_apart_by_content() {
    let expected = [r#"{"a":1}"#, r#"{"b":[2]}"#];
    for text in [
        "{\"a\":1}\n{\"b\":[2]}\n",
        "{\"a\":1}{\"b\":[2]}",
        "[{\"a\":1},{\"b\":[2]}]",
        "[\n  {\n    \"a\": 1\n  },\n  {\n    \"b\": [\n      2\n    ]\n  }\n]\n",
        "{\n\"a\":1}\n{\"b\":\n[2]}",
        "\u{feff}{\"a\":1}\r\n\r\n{\"b\":[2]}\r\n",
        "\0\0\0{\"a\":1}\n{\"b\":[2]}",
        "{\"a\":1},\n{\"b\":[2]},\n",
    ] {
        assert_eq!(values(text), expected, "{text:?}");
    }
    assert_eq!(values(""), [""; 0]);
    assert_eq!(values("[]"), [""; 0]);
}

#[test]
fn places_are_lines_and_columns_from_one() {
    let kept = read(b"{\"a\":1} {\"b\":2}\n[\n {\"c\":3},{\"d\":\n4}\n]", &[3]);
    let places: Vec<_> = kept.values.iter().map(|(at, _)| (at.line, at.column)).collect();
    assert_eq!(places, [(1, 1), (1, 9), (3, 2), (3, 10)]);
}

#[test]
fn what_is_malformed_costs_nothing_of_what_is_not() {
    let good = |text: &str, refused: usize| {
        let kept = read(text.as_bytes(), &[7]);
        assert_eq!(kept.refused.len(), refused, "{text:?}: {:?}", kept.refused);
        kept.values.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(good("{\"a\":1\n{\"b\":2}\n", 1), [r#"{"b":2}"#]);
    assert_eq!(good("{\"a\":\"x\n{\"b\":2}\n", 1), [r#"{"b":2}"#]);
    assert_eq!(good("nonsense here\n{\"b\":2}\n", 0), [r#"{"b":2}"#]);
    assert_eq!(good("{\"a\":1 \"c\":3}\n{\"b\":2}\n", 1), [r#"{"b":2}"#]);
    assert_eq!(good("[{\"a\":1},\n{\"x\":},\n{\"b\":2}]", 1), [r#"{"a":1}"#, r#"{"b":2}"#]);
    assert_eq!(good("[{\"b\":2}", 1), [r#"{"b":2}"#]);
    assert_eq!(good("{\"b\":2}\n{\"a\":", 1), [r#"{"b":2}"#]);
}

#[test]
fn a_value_that_is_too_long_is_left_out_by_name() {
    for (before, after) in [("", "\n{\"b\":2}"), ("[", ",{\"b\":2}]")] {
        let text = format!("{before}{{\"a\":\"{}\"}}{after}", "x".repeat(LONGEST + 10));
        let kept = read(text.as_bytes(), &[1 << 16]);
        let at = Position { line: 1, column: before.len() as u64 + 1 };
        assert_eq!(kept.refused, [refused(at, TOO_LONG)]);
        assert_eq!(kept.values.len(), 1, "{before}");
    }
}

#[test]
fn lines_come_without_their_ends() {
    let mut kept = Kept::default();
    Reader::new(&b"\xef\xbb\xbfone\r\n\n  {\"two\":2}\nthree"[..]).lines(&mut kept).unwrap();
    assert_eq!(kept.words, ["one", "{\"two\":2}", "three"]);
}

#[test]
fn each_line_is_told_by_its_beginning() {
    let text = "GET /\n{\"a\":1}\n[2026-11-02 10:00:00] x\n{erlang, tuple}\n\"GET / HTTP/1.1\" 200\n  at f (x)\n[{\"b\":2},\n\
                {\"c\":3}]\n17\n[error] y\n{\n\"d\": 4\n}\n";
    for piece in [1, 3, 1 << 20] {
        let kept = read(text.as_bytes(), &[piece]);
        let words = [
            "GET /",
            "[2026-11-02 10:00:00] x",
            "{erlang, tuple}",
            "\"GET / HTTP/1.1\" 200",
            "at f (x)",
            "17",
            "[error] y",
        ];
        assert_eq!(kept.words, words);
        let values: Vec<_> = kept.values.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#, r#"{"d":4}"#]);
        assert_eq!(kept.refused, []);
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn objects() -> impl Strategy<Value = Vec<serde_json::Value>> {
    let object = prop::collection::btree_map(".{0,8}", json(), 0..5);
    prop::collection::vec(object.prop_map(|map| serde_json::Value::Object(map.into_iter().collect())), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1usize..20) {
        read(&bytes, &[piece]);
    }

    #[test]
    fn any_brackets_are_survived(text in r#"[\[\]{}",:\\n1 ]{0,120}"#, piece in 1usize..20) {
        let whole = read(text.as_bytes(), &[1 << 20]);
        let cut = read(text.as_bytes(), &[piece]);
        prop_assert_eq!(whole.values, cut.values);
        prop_assert_eq!(whole.refused, cut.refused);
    }

    #[test]
    fn values_are_read_whatever_stands_between_and_wherever_they_are_cut(
        values in objects(),
        between in prop::sample::select(vec!["\n", "", " ", "\r\n\r\n", ",\n", "\0"]),
        pretty in any::<bool>(),
        listed in any::<bool>(),
        pieces in prop::collection::vec(1usize..40, 1..5),
    ) {
        let print = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        let printed: Vec<String> = values.iter().map(|value| print(value).unwrap()).collect();
        let text = match listed {
            true => format!("[{}]", printed.join(",\n")),
            false => printed.join(between),
        };
        let kept = read(text.as_bytes(), &pieces);
        prop_assert_eq!(&kept.refused, &[][..]);
        let expected: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        prop_assert_eq!(kept.values.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), expected);
    }
}
