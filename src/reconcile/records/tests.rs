use super::complaint::SHOWN;
use super::*;

type Intents = Vec<(String, u64)>;

fn at(intent: &str) -> Fields<Pointer> {
    Fields { intent: intent.parse().unwrap(), amount: None, time: None, filters: Vec::new() }
}

fn expected(input: &[u8]) -> (Intents, Vec<(u64, Complaint)>) {
    let mut named = Vec::new();
    let reading =
        read(input, &Format::Names(at("/intent")), |record, line| named.push((record.intent.into_owned(), line)));
    (named, reading.unwrap().first)
}

#[test]
fn the_three_shapes_name_the_same_intents() {
    let declared = vec![("ord 1".to_owned(), 2), ("7".to_owned(), 3)];
    for input in [
        "\n{\"intent\":\" ord 1\\u3000\"}\r\n{\"intent\":7}",
        "\n\"ord 1 \"\r\n\"7\"\n",
        "\u{feff}\n ord 1\u{3000}\r\n7\n\n",
    ] {
        assert_eq!(expected(input.as_bytes()), (declared.clone(), vec![]), "{input}");
    }
}

#[test]
fn a_bad_line_is_named_and_the_others_count() {
    let (named, complaints) = expected(
        b"{\"intent\":\"a\"}\n{\"intent\"}\n{}\n{\"intent\":null}\n{\"intent\":\" \"}\nb\n{\"intent\":\"c\"}\n{\"inte",
    );
    assert_eq!(named, [("a".to_owned(), 1), ("c".to_owned(), 7)]);
    let lines: Vec<u64> = complaints.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 8]);
    assert_eq!(complaints[0].1, Complaint::NotJson("expected `:` at column 10".to_owned()));
    assert_eq!(complaints[5].1, Complaint::Torn);
}

#[test]
fn a_last_line_without_newline_counts_when_it_is_whole() {
    assert_eq!(expected(b"{\"intent\":\"a\"}").0, [("a".to_owned(), 1)]);
    assert_eq!(expected(b"{\"intent\":\"a\"").1, [(1, Complaint::Torn)]);
    assert!(matches!(expected(b"{\"intent\":\"a\"\n").1[..], [(1, Complaint::NotJson(_))]));
}

#[test]
fn shapes_are_not_mixed() {
    assert_eq!(expected(b"a\n{\"intent\":\"b\"}\n").1, [(2, Complaint::NotPlain)]);
    assert_eq!(expected(b"\"a\"\nb\n").1, [(2, Complaint::NotQuoted)]);
    assert_eq!(expected(b"a\n\xff\n").1, [(2, Complaint::NotUtf8)]);
}

#[test]
fn complaints_are_kept_to_a_bound_and_all_counted() {
    let text = "{}\n".repeat(50);
    let reading = read(text.as_bytes(), &Format::Json(at("/x")), |_, _| panic!("no intent")).unwrap();
    assert_eq!((reading.first.len(), reading.count), (SHOWN, 50));
}

/// Found by the property below: the mark of an input that holds nothing else, a byte at a time.
#[test]
fn a_byte_order_mark_may_come_in_pieces() {
    let of = |size| {
        let input = std::io::BufReader::with_capacity(size, "\u{feff}".as_bytes());
        let reading = read(input, &Format::Items(at("/intent"), "/items".parse().unwrap()), |_, _| {}).unwrap();
        reading.first.iter().map(|(line, complaint)| (*line, complaint.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(of(1), of(64));
    assert!(of(64)[0].1.contains("EOF while parsing"), "{:?}", of(64));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in crate::text::fragments::bytes(), size in 1usize..20) {
        let named = |size, format: &Format| {
            let mut names = Vec::new();
            let input = std::io::BufReader::with_capacity(size, &bytes[..]);
            let reading = read(input, format, |record, line| names.push((record.intent.into_owned(), line)));
            let said = reading.map_or_else(
                |error| vec![(0, error.to_string())],
                |reading| reading.first.iter().map(|(line, complaint)| (*line, complaint.to_string())).collect(),
            );
            (names, said)
        };
        let columns = Fields { intent: "a".to_owned(), amount: None, time: None, filters: Vec::new() };
        let items = "/items".parse().unwrap();
        for format in [
            Format::Names(at("/intent")),
            Format::Json(at("/intent")),
            Format::Items(at("/intent"), items),
            Format::Csv(columns),
        ] {
            proptest::prop_assert_eq!(named(size, &format), named(1 << 16, &format));
        }
    }
}
