//! What a probe intends: requests and charges. Invariant: it is computed from the checks themselves, and printed before
//! the first request.

use crate::console::output;
use crate::console::output::say;
use crate::target::checks::{Check, Plan};
use crate::target::options::Options;
use crate::terms::exit::Exit;

/// The fence after each check: one request, one charge.
const FENCE: Plan = Plan::new(1, 1);

/// A check's plan with its fence; None where it is skipped.
fn of(check: &Check, options: &Options) -> Option<Plan> {
    let plan = (check.plan)(options);
    (check.needs)(options).is_none().then(|| Plan::new(plan.requests + FENCE.requests, plan.charges + FENCE.charges))
}

/// What it sends at least, its fence included; 0 where it is skipped.
pub fn requests(check: &Check, options: &Options) -> u64 {
    of(check, options).map_or(0, |plan| plan.requests)
}

fn total(options: &Options, checks: &[&Check]) -> Plan {
    let plans = checks.iter().filter_map(|check| of(check, options));
    plans.fold(Plan::default(), |sum, plan| Plan::new(sum.requests + plan.requests, sum.charges + plan.charges))
}

/// Prints the plan; nothing is sent.
pub fn print(options: &Options, checks: &[&Check]) -> anyhow::Result<Exit> {
    output::results(|out| {
        writeln!(out, "check                 requests  charges")?;
        for check in checks {
            match of(check, options) {
                Some(plan) => writeln!(out, "{:<20} {:>9} {:>8}", check.name, plan.requests, plan.charges)?,
                None => {
                    let needed = (check.needs)(options).unwrap_or_default();
                    writeln!(out, "{:<20}         -        -  skipped: {needed}", check.name)?;
                }
            }
        }
        let total = total(options, checks);
        writeln!(out, "{:<20} {:>9} {:>8}", "all", total.requests, total.charges)?;
        writeln!(
            out,
            "to a fast and correct target; each key that is not settled at once is retried for up to {:?} more",
            options.lease
        )
    })?;
    Ok(Exit::Ok)
}

/// Says on standard error what is going to be sent.
pub fn announce(options: &Options, checks: &[&Check]) {
    let total = total(options, checks);
    let process = ["a process on its standard streams".to_owned()];
    let targets: Vec<_> = options.targets.iter().map(|t| t.url(&options.template.path)).collect();
    say!(
        "idem: about {} requests to {}, {} charges intended; a target that falls short makes more",
        total.requests,
        if options.is_process() { process.join("") } else { targets.join(", ") },
        total.charges
    );
}
