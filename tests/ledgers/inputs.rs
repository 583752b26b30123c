//! Where `idem reconcile` finds its records, and in which form.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use crate::python::{Behind, Charges, Keys};
use crate::support::Ran;
use crate::{folder, within};

/// One order charged twice, one in order, one lost.
const EXPECTED: &str = "ord-1\nord-2\nord-3\n";

fn finds_both(ran: Ran) {
    let ran = ran.exits(2).prints("duplicate            charges=2 intent=ord-2\n");
    assert!(ran.prints("lost                 charges=0 intent=ord-3\nMISMATCH\n").stderr.is_empty());
}

#[test]
fn an_array_is_read_where_it_lies() {
    let items = r#"[{"intent":"ord-1"},{"intent":"ord-2"},
 {"intent":"ord-2"}]"#;
    let document = format!(r#"{{"object":"list","data":{{"items":{items}}},"more":[]}}"#);
    let folder = folder(&[("array.json", items), ("list.json", &document), ("expected", EXPECTED)]);
    finds_both(within(folder.path(), "reconcile --ledger array.json --expected expected", &[]));
    let list = "reconcile --ledger list.json --expected expected --ledger-items";
    finds_both(within(folder.path(), &format!("{list} /data/items"), &[]));
    within(folder.path(), &format!("{list} /data"), &[])
        .exits(3)
        .says("cannot read list.json: no array at `/data`; say with --ledger-items where it is");
    let orders = r#"["not a line", {"intent":"ord-1"}, {"intent":"ord-2"}]"#;
    std::fs::write(folder.path().join("orders.json"), orders).unwrap();
    within(folder.path(), "reconcile --ledger array.json --expected orders.json", &[])
        .exits(2)
        .says("idem: orders.json: item 1: no intent at `/intent`")
        .prints("lost                0");
}

/// What stands before the break counts, and nothing is called lost: it may stand behind.
#[test]
fn a_broken_array_leaves_it_unproven() {
    let files = [("cut.json", "[{\"intent\":\"ord-1\"},\n{\"intent\":\"ord-2\"},{\"in"), ("expected", EXPECTED)];
    let folder = folder(&files);
    let cut = "reconcile --ledger cut.json --expected expected";
    within(folder.path(), cut, &[])
        .exits(3)
        .says("idem: cut.json: item 3: not JSON: EOF")
        .prints("distinct            2")
        .prints("UNPROVEN\n");
    let twice = "[{\"intent\":\"ord-1\"},{\"intent\":\"ord-1\"},";
    std::fs::write(folder.path().join("cut.json"), twice).unwrap();
    within(folder.path(), cut, &[]).exits(2).prints("charges=2 intent=ord-1");
}

#[test]
fn csv_is_read_by_its_columns() {
    let ledger = "\u{feff}id,order_id,note\r\n1,ord-1,\"a, \"\"b\"\"\r\nc\"\r\n2,ord-2,\r\n3,\"ord-2\",\r\n";
    let folder = folder(&[("ledger.csv", ledger), ("expected", EXPECTED), ("orders.csv", "order_id\nord-1\nord-2\n")]);
    let csv = "reconcile --ledger ledger.csv --csv --expected";
    finds_both(within(folder.path(), &format!("{csv} expected --intent-at order_id"), &[]));
    within(folder.path(), &format!("{csv} orders.csv --expected-csv --intent-at order_id"), &[])
        .exits(2)
        .prints("lost                0");
    within(folder.path(), &format!("{csv} orders.csv --expected-csv --intent-at order_id --expected-at id"), &[])
        .exits(3)
        .says("cannot read orders.csv: no column `id`; its header has `order_id`");
    within(folder.path(), &format!("{csv} expected"), &[])
        .exits(3)
        .says("cannot read ledger.csv: no column `intent`; its header has `id`, `order_id`, `note`");
    std::fs::write(folder.path().join("ledger.csv"), "intent,intent\n").unwrap();
    within(folder.path(), &format!("{csv} expected"), &[]).exits(3).says("the column `intent` is there more than once");
}

#[test]
fn a_bad_row_of_csv_is_named_and_the_others_count() {
    let ledger = "intent,note\nord-1,5\" pipe\nord-1,a,b\nord-1,\nord-2,\"open\nord-3,\n";
    let folder = folder(&[("ledger.csv", ledger), ("expected", EXPECTED)]);
    let ran = within(folder.path(), "reconcile --ledger ledger.csv --csv --expected expected", &[]).exits(3);
    for said in [
        "ledger.csv:2: a quote out of place at character 8; quote the whole field",
        "ledger.csv:3: fields in the row: 3, in the header: 2; quote a field that holds a comma",
        "ledger.csv:5: a quoted field that does not end",
        "ledger.csv: lines that could not be read: 4; they may hold what is lost",
    ] {
        assert!(ran.stderr.contains(said), "no {said:?} in:\n{}", ran.stderr);
    }
    // Two are lost, and four lines may hold them.
    ran.prints("lost                2").prints("UNPROVEN\n");
}

#[test]
fn a_command_may_print_the_ledger_and_has_to_end_well() {
    let folder = folder(&[("expected", EXPECTED)]);
    let ran = |command: &str| within(folder.path(), "reconcile --expected expected --ledger-cmd", &[command]);
    finds_both(ran(r#"for n in 1 2 2; do printf '{"intent":"ord-%s"}\n' $n; done"#));
    let failed = ran(r#"echo '{"intent":"ord-1"}'; echo 'psql: no such user s3cr3t' >&2; exit 3"#).exits(3);
    assert_eq!(failed.stdout, "", "part of a ledger says nothing");
    failed.says("--ledger-cmd: the command ended with exit status: 3: psql: no such user");
    let both = within(folder.path(), "reconcile --expected expected --ledger x --ledger-cmd y", &[]).exits(3);
    both.says("cannot be used with");
    within(folder.path(), "reconcile --expected expected", &[]).exits(3).says("--ledger <FILE|URL>");
}

/// Answers each GET with what it asks for: the head it got, or `body`.
fn serve(status: &'static str, body: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
                head.push(byte[0]);
            }
            let is_known = String::from_utf8_lossy(&head).contains("Authorization: Bearer t0ken-of-mine\r\n");
            let status = if is_known { status } else { "401 Unauthorized" };
            let reply =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
            let _ = stream.write_all(reply.as_bytes());
        }
    });
    address
}

#[test]
fn a_url_is_asked_with_the_headers_given() {
    let folder = folder(&[("expected", EXPECTED)]);
    let ledger = serve("200 OK", r#"[{"intent":"ord-1"},{"intent":"ord-2"},{"intent":"ord-2"}]"#);
    let asks = format!("reconcile --expected expected --ledger http://{ledger}/charges?page=all");
    finds_both(within(folder.path(), &asks, &["--ledger-header", "Authorization: Bearer t0ken-of-mine"]));
    let refused = within(folder.path(), &asks, &["--ledger-header", "Authorization: Bearer another-t0ken"]).exits(3);
    assert!(!refused.stderr.contains("another-t0ken"), "{}", refused.stderr);
    refused.says(&format!("GET http://{ledger}/charges: 401"));
    within(folder.path(), "reconcile --expected expected --ledger expected", &["--ledger-header", "A: b"])
        .exits(3)
        .says("--ledger-header changes nothing");
    within(folder.path(), "reconcile --expected expected --ledger expected --insecure", &[])
        .exits(3)
        .says("--insecure changes nothing: no URL is https");
}

#[test]
fn an_https_ledger_is_read_from_a_server_that_was_verified() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let lines: String = ["ord-1", "ord-2", "ord-2"].map(|intent| format!("{{\"intent\":\"{intent}\"}}\n")).concat();
    std::fs::write(server.path("ledger.jsonl"), lines).unwrap();
    std::fs::write(server.path("expected"), EXPECTED).unwrap();
    let asks = |more: &str| {
        let args = format!("reconcile --expected expected --ledger {}/ledger {more}", server.url);
        within(server.folder.path(), args.trim_end(), &[])
    };
    finds_both(asks("--cacert ca.pem"));
    let refused = asks("").exits(3).says("nobody trusted has issued it");
    assert_eq!(refused.stdout, "");
    asks("--insecure").exits(2).says("is not verified").prints("MISMATCH");
}

/// It takes the connection and says nothing: the handshake is waited for as a connection is, not as long as a reply may take.
#[test]
fn a_silent_handshake_is_not_waited_for_as_long_as_a_reply() {
    let folder = folder(&[("expected", EXPECTED)]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/charges", listener.local_addr().unwrap().port());
    let mut command = crate::idem(["reconcile", "--ledger", &url, "--expected", "expected"]);
    // Killed long before a reply's time is over.
    let ran = Ran::from(crate::support::output(command.current_dir(folder.path())));
    ran.exits(3).says(&format!("GET {url}: connect-timeout: no connection in time"));
}
