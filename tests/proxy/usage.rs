//! Options, refusals, and the file of readings.

use crate::common::{eventually, idem, output};
use crate::support::{CREATED, Proxy, Upstream, charge, scratch};

/// Standard error of a call that must not start serving.
fn refused(more: &[&str]) -> String {
    let readings = scratch("refused.jsonl");
    let output = output(idem(["proxy", "--listen", "127.0.0.1:0", "--readings"]).arg(&readings).args(more));
    let _ = std::fs::remove_file(&readings);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b""[..]), "{more:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn bad_options_are_refused_with_advice() {
    let local = "http://127.0.0.1:1";
    for (options, says) in [
        (vec!["--upstream", "ftp://127.0.0.1", "--fault", "cut"], "give an address as http://"),
        (vec!["--upstream", "https://192.0.2.1", "--fault", "cut"], "add --allow-host 192.0.2.1"),
        (vec!["--upstream", local, "--fault", "cut", "--cacert", "ca.pem"], "--cacert changes nothing"),
        (vec!["--upstream", local, "--fault", "cut", "--insecure"], "--insecure changes nothing"),
        (
            vec!["--upstream", "https://127.0.0.1", "--fault", "cut", "--cacert", "/none"],
            "--cacert /none: cannot read it",
        ),
        (
            vec!["--upstream", "https://192.0.2.1", "--allow-host", "192.0.2.1", "--fault", "cut", "--insecure"],
            "192.0.2.1 is not loopback",
        ),
        (vec!["--upstream", "http://192.0.2.1", "--fault", "cut"], "add --allow-host 192.0.2.1"),
        (vec!["--upstream", "http://127.0.0.1:1/charges", "--fault", "cut"], "give no path"),
        (vec!["--upstream", local, "--fault", "nope"], "give one of none, pre_fail, post_drop"),
        (vec!["--upstream", local, "--fault", "cut", "--on", "every=0"], "at least 1"),
        (vec!["--upstream", local, "--fault", "cut", "--on", "p=1.5"], "from 0 to 1"),
        (vec!["--upstream", local, "--fault", "cut", "--seed", "4"], "--seed changes nothing"),
        (vec!["--upstream", local, "--fault", "cut", "--retry-after", "4"], "--retry-after changes nothing"),
        (vec!["--upstream", local, "--fault", "pre_fail", "--cut-after", "4ms"], "--cut-after changes nothing"),
        (vec!["--upstream", local, "--fault", "cut", "--timeout", "0s"], "more than zero"),
        (vec!["--upstream", local, "--fault", "cut", "--intent-at", "intent"], "write `/intent`"),
    ] {
        let told = refused(&options);
        assert!(told.contains(says), "{options:?}: {told}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let args = ["proxy", "--upstream", "http://127.0.0.1:1", "--fault", "cut", "--readings", "/nowhere/r.jsonl"];
    let output = output(&mut idem(args));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(told.contains("--readings /nowhere/r.jsonl: ") && told.lines().count() == 1, "{told}");
}

#[test]
fn readings_are_appended_and_not_glued_to_a_torn_line() {
    let readings = scratch("torn.jsonl");
    std::fs::write(&readings, "{\"status\":200}\n{\"sta").unwrap();
    let proxy = Proxy::start_on(readings.clone(), Upstream::start(CREATED).address, "none", &[]);
    proxy.exchange(&charge("a", None));
    proxy.exchange(&charge("a", None));
    eventually("both readings are written", || std::fs::read_to_string(&readings).unwrap().lines().count() >= 4);
    let text = std::fs::read_to_string(&readings).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[..2], ["{\"status\":200}", "{\"sta"]);
    assert!(lines[2].contains("\"attempt\":1") && lines[3].contains("\"attempt\":2"));
}
