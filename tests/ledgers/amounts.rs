//! What decides whether an entry of the ledger counts, and what it has to be: amounts, values, times.

use serde_json::json;

use crate::{folder, within};

#[test]
fn an_amount_that_differs_is_a_finding() {
    let ledger = "{\"intent\":\"a\",\"sum\":{\"v\":10.50}}\n{\"intent\":\"b\",\"sum\":{\"v\":\"7\"}}\n";
    let orders = "{\"intent\":\"a\",\"total\":\"10.5\"}\n{\"intent\":\"b\",\"total\":7.01}\n";
    let folder = folder(&[("ledger", ledger), ("orders", orders), ("names", "a\nb\n")]);
    let held = "reconcile --ledger ledger --expected orders --amount-at /sum/v --expected-amount-at /total";
    let ran = within(folder.path(), held, &[]).exits(2);
    assert_eq!(ran.stderr, "");
    ran.prints("differing           1  intents with two amounts\n")
        .prints("amount-differs       charges=1 amounts=7.01,7 intent=b\nMISMATCH\n");
    let document = within(folder.path(), held, &["--format", "json"]).exits(2).json();
    assert_eq!(document["differing"], 1);
    let offender = json!({"findings": ["amount-differs"], "intent": "b", "charges": 1, "expected": true, "amounts": ["7.01", "7"]});
    assert_eq!(document["offenders"], json!([offender]));
    // Without the option nothing is said of amounts.
    let silent = within(folder.path(), "reconcile --ledger ledger --expected orders", &[]).exits(0);
    assert!(!silent.stdout.contains("amounts"), "{}", silent.stdout);

    // Two charges of one intent are held to each other where nobody says what was expected.
    let twice = "{\"intent\":\"a\",\"v\":1}\n{\"intent\":\"a\",\"v\":2}\n{\"intent\":\"b\",\"v\":3}\n";
    std::fs::write(folder.path().join("ledger"), twice).unwrap();
    within(folder.path(), "reconcile --ledger ledger --expected names --amount-at /v", &[])
        .exits(2)
        .says("names: names alone have no amount; the ledger's are held against each other")
        .prints("duplicate+amount-differs charges=2 amounts=1,2 intent=a\n");
}

#[test]
fn an_amount_that_cannot_be_read_leaves_it_unproven_and_the_charge_counts() {
    let ledger = "intent,amount\na,\"1,000.00\"\nb,5\n";
    let folder = folder(&[("ledger.csv", ledger), ("expected", "a\nb\n")]);
    within(folder.path(), "reconcile --ledger ledger.csv --csv --expected expected --amount-at amount", &[])
        .exits(3)
        .says("ledger.csv:2: no decimal number at `amount`; the entry counts")
        .prints("committed           2")
        .prints("UNPROVEN\n");
}

#[test]
fn entries_of_another_value_do_not_count_and_their_number_is_told() {
    let ledger = "{\"intent\":\"a\",\"s\":\"ok\",\"n\":1.50,\"live\":true}\n{\"intent\":\"a\",\"s\":\"failed\",\"n\":1.5,\"live\":true}\n\
                  {\"intent\":\"a\",\"s\":\"ok\",\"n\":1.5,\"live\":false}\n{\"intent\":\"a\",\"s\":\"ok\",\"n\":2,\"live\":true}\n{\"intent\":\"a\"}\n";
    let folder = folder(&[("ledger", ledger), ("expected", "a\n"), ("ledger.csv", "intent,s\na,ok\na,failed\n")]);
    let counts = |more: &str, committed: u64, left_out: u64| {
        let args = format!("reconcile --ledger ledger --expected expected --format json {more}");
        let document = within(folder.path(), &args, &[]).json();
        assert_eq!(document["committed"], committed, "{more}");
        assert_eq!(document["unread"]["passed_over"], left_out, "{more}");
    };
    counts("--where /s=ok", 3, 2);
    counts("--where /s=ok --where /live=true", 2, 3);
    counts("--where /s=ok --where /live=true --where /n=1.50", 1, 4);
    counts("--where /s=ok --where /n=2", 1, 4);
    let text =
        within(folder.path(), "reconcile --ledger ledger.csv --csv --expected expected --where s=ok", &[]).exits(0);
    text.prints("left out            1  ledger entries that --where leaves out\nOK\n");
    within(folder.path(), "reconcile --ledger ledger --expected expected --where /s", &[])
        .exits(3)
        .says("--where /s: give the place and the value, as /status=captured");
    within(folder.path(), "reconcile --ledger ledger --expected expected --where s=ok", &[])
        .exits(3)
        .says("--where s: a JSON pointer begins with `/`: write `/s`");
    // Which of two values it is, is not guessed.
    std::fs::write(folder.path().join("ledger"), "{\"intent\":\"a\",\"s\":\"failed\",\"s\":\"ok\"}\n").unwrap();
    within(folder.path(), "reconcile --ledger ledger --expected expected --where /s=ok", &[])
        .exits(3)
        .says("ledger:1: a key of `/s` is there more than once");
}

const DAY: &str = "--since 2026-11-02T00:00:00+01:00 --until 2026-11-03T00:00:00+01:00 --time-at /at";

#[test]
fn orders_of_another_day_are_told_apart_and_not_lost() {
    let orders = "{\"intent\":\"old\",\"at\":\"2026-11-01T22:59:59Z\"}\n{\"intent\":\"late\",\"at\":\"2026-11-01T23:30:00.000Z\"}\n\
                  {\"intent\":\"evening\",\"at\":\"2026-11-02T22:59:59.999Z\"}\n{\"intent\":\"open\",\"at\":\"2026-11-02T23:00:00Z\"}\n";
    let ledger = "{\"intent\":\"late\",\"at\":\"2026-11-02 10:00:00+01\"}\n{\"intent\":\"evening\",\"at\":1793660400}\n\
                  {\"intent\":\"tomorrow\",\"at\":\"2026-11-03T09:00:00Z\"}\n";
    let folder = folder(&[("ledger", ledger), ("orders", orders)]);
    let args = format!("reconcile --ledger ledger --expected orders {DAY}");
    let ran = within(folder.path(), &args, &[]).exits(0);
    assert_eq!(ran.stderr, "");
    ran.prints("committed           2")
        .prints("outside             2  intents expected at another time, not charged within it\n")
        .prints("                    1  ledger entries at another time, of none of these intents\nOK\n");
    let document = within(folder.path(), &args, &["--format", "json"]).json();
    assert_eq!(document["outside"], json!({"expected": 2, "entries": 1}));
    // Without the window all are held to the ledger.
    let all = within(folder.path(), "reconcile --ledger ledger --expected orders --format json", &[]).exits(2).json();
    assert_eq!((&all["lost"], &all["unexpected"], &all["outside"]), (&json!(2), &json!(1), &json!(null)));
    // Each end by itself.
    let since = "reconcile --ledger ledger --expected orders --time-at /at --format json --since";
    let later = within(folder.path(), &format!("{since} 2026-11-02T23:00:00Z"), &[]).exits(2).json();
    assert_eq!((&later["expected"], &later["lost"], &later["unexpected"]), (&json!(2), &json!(1), &json!(1)));
}

#[test]
fn what_cannot_be_dated_is_told_and_proves_nothing() {
    let orders =
        "{\"intent\":\"a\",\"at\":\"2026-11-02T10:00:00Z\"}\n{\"intent\":\"b\",\"at\":\"2026-11-02T10:00:00\"}\n";
    let ledger = "{\"intent\":\"a\",\"at\":\"2026-11-02T10:00:00Z\"}\n{\"intent\":\"z\"}\n";
    let folder = folder(&[("ledger", ledger), ("orders", orders), ("names", "a\n")]);
    let ran = within(folder.path(), &format!("reconcile --ledger ledger --expected orders {DAY}"), &[]).exits(3);
    ran.says("orders:2: no time with its zone at `/at`, as 2026-11-02T10:00:00Z; it cannot be dated")
        .says("ledger:2: no time with its zone at `/at`")
        .prints("lost                0")
        .prints("unexpected          0")
        .prints("UNPROVEN\n");
    std::fs::write(folder.path().join("ledger"), "{\"intent\":\"y\",\"at\":\"2026-11-01T10:00:00Z\"}\n").unwrap();
    within(folder.path(), &format!("reconcile --ledger ledger --expected names {DAY}"), &[])
        .exits(2)
        .says("names: names alone have no time; all are held to the ledger")
        .prints("lost                1")
        .prints("unexpected          0");
}

#[test]
fn a_window_that_holds_nothing_is_no_ok() {
    let record = "{\"intent\":\"a\",\"at\":\"2026-10-02T10:00:00Z\"}\n";
    let folder = folder(&[("ledger", record)]);
    within(folder.path(), &format!("reconcile --ledger ledger --expected ledger {DAY}"), &[])
        .exits(4)
        .says("nothing was expected or charged between --since and --until");
    let with = |more: &str| {
        within(folder.path(), &format!("reconcile --ledger ledger --expected ledger {more}"), &[]).exits(3)
    };
    with("--time-at /at").says("--time-at changes nothing: give --since or --until");
    with("--since 2026-11-02T00:00:00Z").says("--time-at <POINTER>");
    with("--time-at /at --since 2026-11-02").says("give a time with its zone (RFC 3339)");
    with("--time-at /at --since 1793660400").says("give a time with its zone (RFC 3339)");
    with("--time-at /at --since 2026-11-02T00:00:00Z --until 2026-11-02T00:00:00Z").says("--until: give a time after");
}
