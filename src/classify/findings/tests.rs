//! What each kind of finding needs, and what is one step short of it. Lines are counted from 1.

use std::time::Duration;

use super::finder::{Finding, Findings, Kind};
use super::history::Budget;
use super::tally::Tally;
use crate::classify::extract::reading::{Reading, Status};
use crate::classify::judge::verdict::judge;

fn reading(intent: &'static str, key: &'static str, status: u16) -> Reading<'static> {
    let key = (!key.is_empty()).then(|| key.into());
    let status = if status == 0 { Status::Absent } else { Status::Code(status) };
    Reading { intent: Some(intent.into()), key, status, own_status: true, ..Reading::default() }
}

/// Readings of one intent under one key, by their statuses.
fn of_one_key(statuses: &[u16]) -> Vec<Reading<'static>> {
    statuses.iter().map(|status| reading("a", "k", *status)).collect()
}

fn observed(findings: &mut Findings, readings: &[Reading]) -> Vec<(Kind, Vec<u64>, Option<String>)> {
    let mut told = Vec::new();
    for (line, reading) in (1..).zip(readings) {
        findings.observe(line, reading, &judge(reading), |finding| {
            assert_eq!(Some(&finding.about), reading.intent.as_ref());
            told.push((finding.kind, finding.lines, finding.detail));
        });
    }
    told
}

fn within(budget: Budget, readings: &[Reading]) -> Vec<(Kind, Vec<u64>, Option<String>)> {
    observed(&mut Findings::new(100, budget), readings)
}

fn found(readings: &[Reading]) -> Vec<(Kind, Vec<u64>)> {
    within(Budget::default(), readings).into_iter().map(|(kind, lines, _)| (kind, lines)).collect()
}

fn left_open(readings: &[Reading]) -> Vec<(String, u64)> {
    let mut findings = Findings::new(100, Budget::default());
    observed(&mut findings, readings);
    let mut left = Vec::new();
    findings.finish(|Finding { kind, about, lines, detail }| {
        assert_eq!((kind, lines.len(), detail), (Kind::Unresolved, 1, None));
        left.push((about.into_owned(), lines[0]));
    });
    left
}

#[test]
fn the_key_must_stay_after_what_may_have_taken_effect() {
    for (status, at_risk) in
        [(200, true), (500, true), (409, true), (429, true), (202, true), (0, true), (400, false), (307, false)]
    {
        let then = |key| vec![reading("a", "k", status), reading("a", key, 200)];
        let of = |kind, readings: &[Reading]| {
            let lines = found(readings).into_iter().filter(|(other, _)| *other == kind).map(|(_, lines)| lines);
            lines.collect::<Vec<_>>()
        };
        let lines = if at_risk { vec![vec![1, 2]] } else { vec![] };
        assert_eq!(of(Kind::KeyRotated, &then("other")), lines, "{status}");
        assert_eq!(of(Kind::NoKey, &then("")), lines, "{status}");
        assert_eq!(of(Kind::KeyRotated, &then("k")), Vec::<Vec<u64>>::new(), "{status}");
    }
    // A refusal between them takes the risk from nobody; the lines are those of the risk and of the new key.
    let later = [reading("a", "k", 500), reading("a", "k", 400), reading("a", "other", 200)];
    assert_eq!(found(&later), [(Kind::KeyRotated, vec![1, 3]), (Kind::RetriedRefusal, vec![2, 3])]);
    let first_without = [reading("a", "", 500), reading("a", "k", 200)];
    assert_eq!(found(&first_without), [(Kind::KeyRotated, vec![1, 2])]);
}

#[test]
fn only_a_refusal_that_needs_another_request_must_not_be_retried() {
    for (status, refused) in
        [(400, true), (422, true), (307, true), (409, false), (429, false), (500, false), (200, false)]
    {
        let expected = if refused { vec![(Kind::RetriedRefusal, vec![1, 2])] } else { vec![] };
        assert_eq!(found(&of_one_key(&[status, 200])), expected, "{status}");
    }
    assert_eq!(found(&of_one_key(&[400, 500, 500])), [(Kind::RetriedRefusal, vec![1, 2])], "the last one counts");
}

#[test]
fn a_retry_before_retry_after_allows_it_is_too_early() {
    let at = |time: &'static str, wait: &'static str| {
        let retry_after = (!wait.is_empty()).then(|| wait.into());
        Reading { time: (!time.is_empty()).then(|| time.into()), retry_after, ..reading("a", "k", 503) }
    };
    let rows = [
        ("2026-01-01T00:00:00Z", "5", "2026-01-01T00:00:04.999Z", true),
        ("2026-01-01T00:00:00Z", "5", "2026-01-01T00:00:05Z", false),
        ("2026-01-01T00:00:00Z", "", "2026-01-01T00:00:00Z", false),
        ("2026-01-01T00:00:00Z", "5", "", false),
        ("", "5", "2026-01-01T00:00:00Z", false),
        ("", "Thu, 01 Jan 2026 00:00:05 GMT", "2026-01-01T00:00:04.999Z", true),
        ("", "Thu, 01 Jan 2026 00:00:05 GMT", "2026-01-01T00:00:05Z", false),
        ("2026-01-01T00:00:00Z", "soon", "2026-01-01T00:00:00Z", false),
    ];
    for (first, wait, then, early) in rows {
        let expected = if early { vec![(Kind::TooEarly, vec![1, 2])] } else { vec![] };
        assert_eq!(found(&[at(first, wait), at(then, "")]), expected, "{first} {wait} {then}");
    }
    let forgotten = [at("", "Thu, 01 Jan 2026 00:00:05 GMT"), at("", ""), at("2026-01-01T00:00:00Z", "")];
    assert_eq!(found(&forgotten), [], "the last reply counts");
}

#[test]
fn numbers_of_attempts_go_up_by_one() {
    let numbered = |numbers: &[Option<u64>]| -> Vec<Reading> {
        numbers.iter().map(|number| Reading { attempt: *number, ..reading("a", "k", 503) }).collect()
    };
    let rows = [
        (vec![Some(1), Some(2), Some(3)], vec![]),
        (vec![Some(0), Some(1)], vec![]),
        (vec![Some(1), None, Some(2)], vec![]),
        (vec![None, Some(7)], vec![]),
        (vec![Some(1), Some(3)], vec![(vec![1, 2], "attempt 3 after attempt 1")]),
        (vec![Some(0), Some(0)], vec![(vec![1, 2], "attempt 0 after attempt 0")]),
        (vec![Some(2), Some(2)], vec![(vec![1, 2], "attempt 2 after attempt 2")]),
        (vec![Some(2), Some(1), Some(2)], vec![(vec![1, 2], "attempt 1 after attempt 2")]),
        (vec![Some(1), None, Some(3)], vec![(vec![2, 3], "attempt 3 after attempt 1")]),
    ];
    for (numbers, gaps) in rows {
        let gaps: Vec<_> = gaps.into_iter().map(|(at, why)| (Kind::AttemptGap, at, Some(why.to_owned()))).collect();
        assert_eq!(within(Budget::default(), &numbered(&numbers)), gaps, "{numbers:?}");
    }
}

#[test]
fn an_intent_has_one_receipt_and_a_receipt_one_intent() {
    let with = |intent, receipt: &'static str| {
        let receipt = (!receipt.is_empty()).then(|| receipt.into());
        Reading { receipt, ..reading(intent, "", 200) }
    };
    let of =
        |readings: &[Reading]| found(readings).into_iter().filter(|(kind, _)| *kind != Kind::NoKey).collect::<Vec<_>>();
    assert_eq!(of(&[with("a", "r"), with("a", "r"), with("a", "")]), []);
    assert_eq!(of(&[with("a", ""), with("a", "r"), with("a", "s")]), [(Kind::DoubleReceipt, vec![2, 3])]);
    let third = [with("a", "r"), with("a", "s"), with("a", "r")];
    assert_eq!(of(&third), [(Kind::DoubleReceipt, vec![1, 2])], "the first one is that of the intent");
    let shared = [with("a", "r"), with("b", "r"), with("a", "r"), with("c", "r")];
    assert_eq!(of(&shared), [(Kind::OneReceiptTwoIntents, vec![1, 2]), (Kind::OneReceiptTwoIntents, vec![1, 4])]);
}

#[test]
fn two_receipts_of_one_attempt_are_the_servers_doing() {
    let twice = |receipt: &'static str, unheard: &'static str| Reading {
        receipt: Some(receipt.into()),
        unheard_receipt: Some(unheard.into()),
        ..reading("a", "k", 200)
    };
    let told = within(Budget::default(), &[twice("r", "s")]);
    assert_eq!((told[0].0, &told[0].1[..]), (Kind::DoubleReceipt, &[1][..]));
    assert!(told[0].2.as_ref().is_some_and(|why| why.contains("the server charges")), "{told:?}");
    assert_eq!(within(Budget::default(), &[twice("r", "r")]), []);
    let later = [reading("a", "k", 500), twice("r", "r"), twice("r", "s")];
    assert_eq!(found(&later), [(Kind::DoubleReceipt, vec![2, 3])], "the first receipt is that of another attempt");
    let shared = [twice("r", "s"), Reading { receipt: Some("s".into()), ..reading("b", "l", 200) }];
    assert_eq!(found(&shared)[1], (Kind::OneReceiptTwoIntents, vec![1, 2]));
}

#[test]
fn a_key_is_of_the_intent_that_came_with_it_first() {
    let readings = [reading("a", "k", 200), reading("b", "k", 200), reading("a", "k", 200), reading("c", "l", 200)];
    assert_eq!(found(&readings), [(Kind::OneKeyTwoIntents, vec![1, 2])]);
    assert_eq!(found(&[reading("a", "", 200), reading("b", "", 200)]), []);
    let nameless = Reading { intent: None, ..reading("b", "k", 200) };
    assert_eq!(found(&[reading("a", "k", 200), nameless]), [], "what names no intent takes part in nothing");
}

#[test]
fn a_replay_is_no_first_attempt() {
    let replay = |attempt| Reading { replay: true, attempt, ..reading("a", "k", 200) };
    for (attempt, tells) in [(None, true), (Some(1), true), (Some(2), false), (Some(0), false)] {
        let expected = if tells { vec![(Kind::FirstIsReplay, vec![1])] } else { vec![] };
        assert_eq!(found(&[replay(attempt)]), expected, "{attempt:?}");
        assert_eq!(found(&[reading("a", "k", 500), replay(None)]), []);
    }
    // Once an intent was forgotten, a name that is new may be one that is not.
    let mut small = Findings::new(1, Budget::default());
    assert_eq!(observed(&mut small, &[reading("b", "", 200), reading("c", "", 200), replay(None)]), []);
    let told = observed(&mut small, &[reading("b", "", 200), replay(Some(1))]);
    assert_eq!(told, [(Kind::FirstIsReplay, vec![2], None)]);
}

#[test]
fn a_budget_is_told_once_and_only_where_more_was_spent() {
    let most = |attempts| Budget { attempts: Some(attempts), span: None };
    let of = |budget, readings: &[Reading]| {
        within(budget, readings).into_iter().filter(|(kind, ..)| *kind == Kind::Budget).collect::<Vec<_>>()
    };
    let budget = |lines: &[u64], why: &str| vec![(Kind::Budget, lines.to_vec(), Some(why.to_owned()))];
    assert_eq!(of(most(2), &of_one_key(&[503, 503])), []);
    assert_eq!(of(most(2), &of_one_key(&[503; 4])), budget(&[1, 3], "3 attempts, where 2 are allowed"));
    let numbered = |number| Reading { attempt: Some(number), ..reading("a", "k", 503) };
    assert_eq!(of(most(2), &[numbered(3)]), budget(&[1], "3 attempts, where 2 are allowed"));
    assert_eq!(of(most(3), &[numbered(3)]), []);
    assert_eq!(of(most(3), &[numbered(3), numbered(1)]), budget(&[1, 2], "4 attempts, where 3 are allowed"));

    let span = Budget { attempts: None, span: Some(Duration::from_secs(5)) };
    let at = |time: &'static str| Reading { time: Some(time.into()), ..reading("a", "k", 503) };
    assert_eq!(of(span, &[at("100"), at("105")]), []);
    assert_eq!(of(span, &[at("105.001"), at("100")]), [], "a clock that was set back spends nothing");
    let late = budget(&[1, 2], "5.001s from the first attempt, where 5s are allowed");
    assert_eq!(of(span, &[at("100"), at("105.001"), at("106")]), late);
    assert_eq!(of(span, &[reading("a", "k", 503), at("106")]), [], "the first time is not told");
}

#[test]
fn what_may_have_taken_effect_is_open_until_a_success() {
    for (statuses, open) in [
        (&[500][..], Some(1)),
        (&[409], Some(1)),
        (&[202], Some(1)),
        (&[0], Some(1)),
        (&[200], None),
        (&[400], None),
        (&[429], None),
        (&[500, 200], None),
        (&[200, 500], Some(2)),
        (&[500, 500], Some(2)),
        // Neither a refusal for now nor one for good tells of the attempt before it.
        (&[500, 429], Some(2)),
        (&[500, 400], Some(1)),
    ] {
        let left = open.map(|line| ("a".to_owned(), line));
        assert_eq!(left_open(&of_one_key(statuses)), Vec::from_iter(left), "{statuses:?}");
    }
    let two = [reading("a", "k", 500), reading("b", "l", 500), reading("a", "k", 500)];
    assert_eq!(left_open(&two), [("b".to_owned(), 2), ("a".to_owned(), 3)], "as they were last seen");
}

#[test]
fn a_long_name_is_shown_by_its_beginning() {
    let shown = |name: &str| {
        let reading = Reading { intent: Some(name.to_owned().into()), ..reading("", "k", 500) };
        left_open(&[reading]).remove(0).0
    };
    assert_eq!(shown(&"x".repeat(64)), "x".repeat(64));
    assert_eq!(shown(&"x".repeat(65)), "x".repeat(64) + "...");
    assert_eq!(shown(&"ä".repeat(40)), "ä".repeat(32) + "...");
    assert_eq!(shown(&format!("x{}", "ä".repeat(40))), format!("x{}...", "ä".repeat(32)));
}

#[test]
fn what_is_forgotten_is_counted() {
    let mut findings = Findings::new(2, Budget::default());
    let with =
        |intent, key: &'static str, status| Reading { receipt: Some(key.into()), ..reading(intent, key, status) };
    observed(&mut findings, &[with("a", "k", 500), with("b", "l", 200), with("c", "m", 200), with("d", "m", 200)]);
    let gone = findings.evicted;
    assert_eq!((gone.intents, gone.unresolved, gone.keys, gone.receipts), (2, 1, 1, 1));
    assert_eq!(observed(&mut findings, &[reading("a", "x", 200)]), [], "it is new again");
}

#[test]
fn a_warning_fails_the_run_only_where_it_is_told_to() {
    for kind in Kind::ALL.iter().copied() {
        let mut tally = Tally::default();
        assert!(!tally.fails(true) && !tally.fails(false));
        tally.finding(kind);
        assert_eq!((tally.fails(false), tally.fails(true)), (kind != Kind::Unresolved, true), "{}", kind.name());
        assert_eq!(tally.findings().map(|(_, count)| count).sum::<u64>(), 1);
    }
}

#[test]
fn everything_is_counted_exactly_once() {
    let mut tally = Tally::default();
    for status in [200, 0, 503, 503] {
        let reading = reading("a", "k", status);
        tally.verdict(&judge(&reading));
    }
    tally.refused();
    tally.judged(2);
    tally.judged(1);
    tally.other(4);
    tally.other(1);
    tally.mapped("order", 7);
    assert_eq!((tally.readings(), tally.unknown(), tally.malformed()), (4, 1, 1));
    assert_eq!((tally.scenarios(), tally.other_lines(), tally.names()), (3, 5, &[("order".to_owned(), 7)][..]));
    let of = |name: &str| tally.symptoms().chain(tally.actions()).find(|(other, _)| *other == name).map(|(_, n)| n);
    assert_eq!([of("ok"), of("unknown"), of("server-error"), of("reset")], [Some(1), Some(1), Some(2), Some(0)]);
    assert_eq!([of("done"), of("retry-same-key"), of("verify-first")], [Some(1), Some(2), Some(1)]);
}
