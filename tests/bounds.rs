//! Every bound of an option, at its edge and beyond it, through the built binary.

mod support;

use std::path::Path;

use support::{Ran, idem, output, run_with_input};

/// Runs it where `EMPTY` stands for a baseline with nothing in it and `LEDGER` for a path whose folder is missing, so that
/// what is accepted ends at once without doing anything.
fn run(args: &str, empty: &Path) -> Ran {
    let placed = args.replace("EMPTY", &empty.display().to_string()).replace("LEDGER", "/no/such/folder/l.jsonl");
    output(&mut idem(placed.split(' '))).into()
}

/// What comes before, the option, values that are taken, values that are not, and what is said of these.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str], &'static str);

#[test]
fn each_bound_is_taken_at_its_edge_and_refused_beyond() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.json");
    std::fs::write(&empty, "{\"scenarios\":[]}").unwrap();
    let probe = "probe --baseline EMPTY";
    let target = "probe --target http://127.0.0.1:1/charges --ledger none --plan";
    let serve = "serve --policy key_ttl --ledger LEDGER --listen 127.0.0.1:0";
    let proxy = "proxy --upstream http://127.0.0.1:1 --readings LEDGER";
    let table: [Row; 15] = [
        (probe, "--intents", &["0", "100000"], &["-1", "100001"], "0..=100000"),
        (probe, "--rounds", &["0", "100000"], &["-1", "100001"], "0..=100000"),
        (probe, "--repeat", &["1", "10000"], &["0", "10001"], "1..=10000"),
        (target, "--window", &["100ms", "1h"], &["99ms", "3600.1s"], "give 100ms to 3600s"),
        (target, "--timeout", &["50ms", "120s"], &["49ms", "120.1s"], "give 50ms to 120s"),
        (target, "--lease", &["100ms", "10m"], &["99ms", "600.1s"], "give 100ms to 600s"),
        (target, "--jobs", &["1", "16"], &["0", "17"], "give 1 to 16"),
        (serve, "--window", &["0s", "24000h"], &["-1s", "24000.1h"], "--window <DURATION>"),
        (proxy, "--fault cut --cut-after", &["0s", "24000h"], &["24000.1h"], "longer than 1000 days"),
        (proxy, "--fault none --timeout", &["1ms", "24000h"], &["0s"], "must be more than zero"),
        (proxy, "--fault none --hold", &["1ms", "24000h"], &["0s"], "must be more than zero"),
        (proxy, "--fault pre_fail --retry-after", &["0", "18446744073709551615"], &["-1"], "--retry-after"),
        (proxy, "--fault cut --on p=1 --seed", &["0", "18446744073709551615"], &["-1"], "--seed"),
        (
            proxy,
            "--fault cut --on",
            &["every=1", "p=0", "p=1", "first"],
            &["every=0", "p=1.01", "p=-0.01"],
            "--on <WHICH>",
        ),
        (proxy, "--fault cut --listen", &["127.0.0.1:65535"], &["127.0.0.1:65536"], "--listen <ADDR>"),
    ];
    for (before, option, taken, refused, says) in table {
        for value in taken {
            let ran = run(&format!("{before} {option}={value}"), &empty);
            let is_taken =
                !ran.stderr.contains(value) && (ran.code != Some(3) || ran.stderr.contains("/no/such/folder"));
            assert!(is_taken, "{option} {value}: {:?} {}", ran.code, ran.stderr);
        }
        for value in refused {
            run(&format!("{before} {option}={value}"), &empty).exits(3).says(says);
        }
    }
}

#[test]
fn the_lookback_of_findings_is_bounded() {
    for (value, code) in [("1", 4), ("10000000", 4), ("0", 3), ("10000001", 3)] {
        run_with_input(&format!("classify --lookback {value}"), b"").exits(code);
    }
}
