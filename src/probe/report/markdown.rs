//! The scenarios as Markdown. Invariant: a row says what the table says.

use std::fmt::Write;

use super::ProbeReport;
use super::table::difference;

pub fn page(report: &ProbeReport) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &ProbeReport) -> std::fmt::Result {
    let seconds = report.wall.as_secs_f64();
    writeln!(out, "# idem: {}\n", report.headline())?;
    writeln!(out, "| scenario | policy | key | req | charg | uniq | dup | lost | verdict |")?;
    writeln!(out, "| :-- | :-- | :-- | --: | --: | --: | --: | --: | :-- |")?;
    for judged in &report.scenarios {
        let scenario = judged.setup.scenario;
        write!(out, "| `{}` | `{}` | {} |", scenario.name, judged.setup.policy.name(), scenario.key)?;
        for (_, figure) in judged.measured.named() {
            write!(out, " {figure} |")?;
        }
        writeln!(out, " {}{} |", judged.verdict, difference(judged))?;
    }
    for (name, why) in &report.failed {
        writeln!(out, "\n`{name}` could not be run: {}", why.replace('`', "'"))?;
    }
    writeln!(out, "\nEach in a server of its own, on real sockets, its ledger counted; {seconds:.1} s.\n")?;
    writeln!(out, "| scenario | what it teaches |\n| :-- | :-- |")?;
    report.scenarios.iter().try_for_each(|judged| {
        let scenario = judged.setup.scenario;
        writeln!(out, "| `{}` | {} |", scenario.name, scenario.teaches)
    })
}
