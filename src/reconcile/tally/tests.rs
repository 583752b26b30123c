use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn tally(expected: &[&str], charges: &[&str]) -> IntentTally {
    let mut tally = IntentTally::default();
    expected.iter().for_each(|intent| assert!(tally.expect(intent)));
    charges.iter().for_each(|intent| tally.charge(intent));
    tally
}

#[test]
fn each_of_the_three_figures_can_be_fooled_alone() {
    let swallowed = tally(&["a", "b"], &["a"]).totals();
    assert_eq!((swallowed.duplicates, swallowed.lost), (0, 1));
    let doubled = tally(&["a", "b"], &["a", "b", "b"]).totals();
    assert_eq!((doubled.duplicates, doubled.lost), (1, 0));
    let stray = tally(&["a"], &["a", "z"]).totals();
    assert_eq!((stray.duplicates, stray.lost, stray.unexpected), (0, 0, 1));
    let balanced = tally(&["a", "b"], &["a", "a"]).totals();
    assert_eq!((balanced.committed, balanced.expected), (2, 2));
    assert!([swallowed, doubled, stray, balanced].iter().all(|totals| !totals.is_clean()));
    assert!(tally(&["a", "b"], &["b", "a"]).totals().is_clean());
}

#[test]
fn an_intent_expected_twice_is_wanted_once() {
    let mut twice = tally(&["a"], &["a"]);
    assert!(!twice.expect("a"));
    assert!(twice.totals().is_clean());
}

#[test]
fn offenders_come_in_order_of_mention_with_what_is_wrong() {
    let tally = tally(&["b", "a", "c"], &["z", "c", "b", "b", "z"]);
    let named: Vec<(&str, Vec<Finding>)> =
        tally.offenders().map(|offender| (offender.intent, offender.findings().collect())).collect();
    use Finding::*;
    let declared = [("b", vec![Duplicate]), ("a", vec![Lost]), ("z", vec![Duplicate, Unexpected])];
    assert_eq!(named, declared);
}

#[test]
fn findings_follow_charges_and_expectation() {
    use Finding::*;
    for (charges, expected, findings) in [
        (0, true, vec![Lost]),
        (1, true, vec![]),
        (2, true, vec![Duplicate]),
        (0, false, vec![]),
        (1, false, vec![Unexpected]),
        (2, false, vec![Duplicate, Unexpected]),
    ] {
        let offender = Offender { intent: "a", charges, expected, amounts: None };
        assert_eq!(offender.findings().collect::<Vec<_>>(), findings, "{charges} {expected}");
    }
}

#[test]
fn another_amount_is_a_finding_of_its_own() {
    let amount = |text: &str| Some(text.parse().unwrap());
    let mut tally = IntentTally::default();
    for (intent, expected) in [("a", amount("10")), ("b", amount("10")), ("c", None)] {
        tally.expect_at(intent, When::Inside, expected);
    }
    for (intent, charged) in [("a", "10.00"), ("b", "10.01"), ("c", "1"), ("c", "1"), ("z", "1"), ("z", "2")] {
        tally.charge_at(intent, When::Inside, amount(charged));
    }
    use Finding::*;
    let named: Vec<_> = tally.offenders().map(|o| (o.intent, o.findings().collect::<Vec<_>>(), o.amounts)).collect();
    let pair = |one: &str, other: &str| Some([one, other].map(|text| text.parse().unwrap()));
    assert_eq!(
        named,
        [
            ("b", vec![AmountDiffers], pair("10", "10.01")),
            ("c", vec![Duplicate], None),
            ("z", vec![Duplicate, Unexpected, AmountDiffers], pair("1", "2")),
        ]
    );
    assert_eq!(tally.totals().differing, 2);
    let only = Totals { differing: 1, ..Totals::default() };
    assert!(!only.is_clean());
}

/// When it was expected and when it was charged; None: not at all. What the totals are then, as (committed, expected,
/// lost, unexpected), and what is outside, as (expected, entries).
#[test]
fn the_window_decides_what_is_lost_and_what_is_unexpected() {
    use When::*;
    for (expected, charged, counted, outside) in [
        (Some(Inside), Some(Inside), (1, 1, 0, 0), (0, 0)),
        (Some(Inside), Some(Outside), (1, 1, 0, 0), (0, 0)),
        (Some(Inside), Some(Undated), (1, 1, 0, 0), (0, 0)),
        (Some(Inside), None, (0, 1, 1, 0), (0, 0)),
        (Some(Outside), Some(Inside), (1, 1, 0, 0), (0, 0)),
        (Some(Outside), Some(Outside), (0, 0, 0, 0), (1, 1)),
        (Some(Outside), None, (0, 0, 0, 0), (1, 0)),
        (Some(Undated), Some(Inside), (1, 1, 0, 0), (0, 0)),
        (Some(Undated), None, (0, 0, 0, 0), (1, 0)),
        (None, Some(Inside), (1, 0, 0, 1), (0, 0)),
        (None, Some(Outside), (0, 0, 0, 0), (0, 1)),
        (None, Some(Undated), (0, 0, 0, 0), (0, 1)),
    ] {
        let mut tally = IntentTally::default();
        expected.into_iter().for_each(|when| assert!(tally.expect_at("a", when, None)));
        charged.into_iter().for_each(|when| tally.charge_at("a", when, None));
        let totals = tally.totals();
        let said = (totals.committed, totals.expected, totals.lost, totals.unexpected);
        assert_eq!(said, counted, "{expected:?} {charged:?}");
        assert_eq!((totals.outside.expected, totals.outside.entries), outside, "{expected:?} {charged:?}");
        assert_eq!(tally.offenders().count() as u64, totals.lost + totals.unexpected, "{expected:?} {charged:?}");
    }
}

#[test]
fn a_second_charge_on_the_other_side_of_midnight_is_a_duplicate() {
    let mut tally = tally(&["a"], &["a"]);
    tally.charge_at("a", When::Outside, None);
    assert_eq!(tally.totals().duplicates, 1);
    assert_eq!(tally.offenders().count(), 1);
}

proptest! {
    #[test]
    fn totals_are_those_of_plain_maps(expected in names(0), charges in names(60)) {
        let mut tally = IntentTally::default();
        expected.iter().for_each(|intent| { tally.expect(intent); });
        charges.iter().for_each(|intent| tally.charge(intent));

        let wanted: BTreeSet<_> = expected.iter().collect();
        let mut per: BTreeMap<_, u64> = BTreeMap::new();
        charges.iter().for_each(|intent| *per.entry(intent).or_default() += 1);
        prop_assert_eq!(tally.totals(), Totals {
            committed: charges.len() as u64,
            expected: wanted.len() as u64,
            distinct: per.len() as u64,
            duplicates: per.values().map(|n| n - 1).sum(),
            lost: wanted.iter().filter(|intent| !per.contains_key(*intent)).count() as u64,
            unexpected: per.keys().filter(|intent| !wanted.contains(*intent)).count() as u64,
            ..Totals::default()
        });
        prop_assert_eq!(tally.figures(7).charges, charges.len() as u64);
    }
}

/// Names of few letters, so that many meet.
fn names(at_least: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[abé]{0,3}", at_least..at_least + 60)
}
