//! How a target stands to the article's points, by the verdicts of its checks. Invariant: held is only what every check
//! of the point has shown; one that was skipped, accepted or not shown holds nothing.

use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;
use crate::terms::named::named_enum;
use crate::terms::points::Point;

named_enum! {
    /// What a probe says to a point.
    pub enum Standing {
        /// A check of it is a finding that was not accepted.
        Broken = "broken",
        /// All its checks are OK; only what not every target has, as replicas, may have been skipped.
        Held = "held",
        /// Neither: something was skipped, accepted, not run or not shown, or no probe can show it.
        NotShown = "not shown",
    }
}

/// Where the target stands, and by which checks.
pub fn standing(point: &Point, rows: &[Row]) -> (Standing, String) {
    let verdict = |name: &&str| rows.iter().find(|row| row.check.name == *name).map(|row| (row.verdict, row.accepted));
    let named = |wanted: fn(Option<(Verdict, bool)>) -> bool| {
        let all = point.checks.iter().chain(point.also);
        all.filter(|name| wanted(verdict(name))).copied().collect::<Vec<_>>()
    };
    let broken = named(|seen| seen.is_some_and(|(verdict, accepted)| verdict.is_finding() && !accepted));
    if !broken.is_empty() {
        return (Standing::Broken, broken.join(", "));
    }
    if point.checks.is_empty() {
        return (Standing::NotShown, point.proven_by.to_string());
    }
    let held = named(|seen| seen.is_some_and(|(verdict, _)| verdict == Verdict::Ok));
    let unshown = named(|seen| seen.is_none_or(|(verdict, _)| verdict != Verdict::Ok));
    let left_out = |name: &&str| verdict(name).is_none_or(|(verdict, _)| verdict == Verdict::Skipped);
    // What only some targets have, as replicas, may be left out.
    let missing = unshown.iter().any(|name| point.checks.contains(name) || !left_out(name));
    let parts = [("OK: ", held), ("not shown: ", unshown)];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let by = parts.map(|(what, names)| format!("{what}{}", names.join(", "))).collect::<Vec<_>>().join("; ");
    (if missing { Standing::NotShown } else { Standing::Held }, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::checks::CHECKS;

    const POINT: Point = Point { asks: "", proven_by: "prose", checks: &["race_2", "race_8"], also: &["replicas"] };

    fn row(name: &str, verdict: Verdict) -> Row {
        Row::undriven(CHECKS.iter().find(|check| check.name == name).unwrap(), verdict, "")
    }

    fn stands(rows: &[(&str, Verdict)]) -> Standing {
        standing(&POINT, &rows.iter().map(|(name, verdict)| row(name, *verdict)).collect::<Vec<_>>()).0
    }

    #[test]
    fn held_is_what_every_check_of_it_shows() {
        use Verdict::*;
        assert_eq!(stands(&[("race_2", Ok), ("race_8", Ok)]), Standing::Held);
        assert_eq!(stands(&[("race_2", Ok), ("race_8", Ok), ("replicas", Skipped)]), Standing::Held);
        for unknown in [Skipped, Unproven, Error] {
            assert_eq!(stands(&[("race_2", Ok), ("race_8", unknown)]), Standing::NotShown, "{unknown}");
        }
        assert_eq!(stands(&[("race_2", Ok)]), Standing::NotShown, "one was not run");
        assert_eq!(stands(&[("race_2", Ok), ("race_8", Ok), ("replicas", Unproven)]), Standing::NotShown);
    }

    #[test]
    fn one_finding_breaks_it_unless_it_is_accepted() {
        let mut rows = vec![row("race_2", Verdict::Ok), row("race_8", Verdict::Ok), row("replicas", Verdict::Lost)];
        assert_eq!(standing(&POINT, &rows), (Standing::Broken, "replicas".to_string()));
        rows[2].accepted = true;
        assert_eq!(standing(&POINT, &rows).0, Standing::NotShown);
    }

    #[test]
    fn what_no_probe_shows_is_told_in_words() {
        let point = Point { checks: &[], ..POINT };
        assert_eq!(standing(&point, &[]), (Standing::NotShown, "prose".to_string()));
    }
}
