//! Every command that reads or waits ends with 130 when it is interrupted.

mod support;

use std::process::Stdio;

use support::{Running, idem};

#[test]
fn a_command_that_waits_for_input_exits_130() {
    for args in ["reconcile --ledger Cargo.toml --expected -", "selftest --vectors -"] {
        let waiting = Running::spawn(idem(args.split(' ')).stdin(Stdio::piped()));
        waiting.awaits_interrupts();
        waiting.signal("INT");
        waiting.finish().exits(130).says("interrupted");
    }
}
