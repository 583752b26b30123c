//! Which moments the kills hit, and how many more of them it takes. Pure: what was seen in, a decision out. Invariant: a
//! request that was cut off is `between` only where the ledger showed its charge.

use std::cell::Cell;
use std::time::Duration;

use crate::target::facts::case::{Case, Shortfall};

/// Kills under load, at least and at most: more than the least only while few have fallen between item and reply.
pub const KILLS: [usize; 2] = [3, 6];
/// The key may be written anywhere between item and reply, so one kill there shows little.
const FEW: usize = 4;
/// No further kill is begun after it, but for the first under load.
const BUDGET: Duration = Duration::from_secs(25);

/// Of a request that was answered before the kill, or never cut off.
pub const AFTER_THE_REPLY: &str = "killed after the reply";

/// Requests that were cut off so far, by the side of the charge on which the kill fell.
#[derive(Debug, Default)]
pub struct Moments {
    /// Before their ledger item.
    before: Cell<usize>,
    /// After it.
    between: Cell<usize>,
}

impl Moments {
    /// Counts a request that was cut off, and names the moment.
    pub fn cut_off(&self, charged: bool) -> &'static str {
        let (count, label) = match charged {
            true => (&self.between, "killed between its ledger item and its reply"),
            false => (&self.before, "killed in the middle"),
        };
        count.set(count.get() + 1);
        label
    }

    /// Whether the server is killed once more, after so many kills under load and so long.
    pub fn ask_for_more(&self, done: usize, elapsed: Duration) -> bool {
        let enough = done >= KILLS[0] && self.between.get() >= FEW;
        done < KILLS[1] && (done == 0 || elapsed < BUDGET) && !enough
    }

    /// Says which of the moments was not hit. The one between item and reply may be too short for that; the other is
    /// not.
    pub fn tell(&self, cases: &mut [Case]) {
        let cut_off = self.before.get() + self.between.get();
        let Some(last) = cases.last_mut().filter(|last| last.shortfall.is_none()) else { return };
        if cut_off == 0 {
            last.shortfall = Some(Shortfall::NotHit("no request was in the middle when the server was killed".into()));
        } else if self.between.get() == 0 {
            let part = "between ledger item and reply: unproven, no kill fell there";
            last.remarks.push(format!("{part}; {cut_off} requests were cut off before their item"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::case::Rule;
    use crate::target::facts::fixtures::case;

    /// So many requests were cut off before and after their item.
    fn moments(before: usize, between: usize) -> Moments {
        Moments { before: Cell::new(before), between: Cell::new(between) }
    }

    #[test]
    fn the_ledger_tells_on_which_side_of_the_charge_a_kill_fell() {
        let seen = Moments::default();
        assert_eq!(seen.cut_off(true), "killed between its ledger item and its reply");
        assert_eq!((seen.before.get(), seen.between.get()), (0, 1));
        assert_eq!(seen.cut_off(false), "killed in the middle");
        assert_eq!(seen.cut_off(false), "killed in the middle");
        assert_eq!((seen.before.get(), seen.between.get()), (2, 1));
    }

    #[test]
    fn the_server_is_killed_until_enough_fell_between_item_and_reply() {
        let s = Duration::from_secs;
        let rows = [
            // Once at least, however long the first restart took.
            (0, 0, s(600), true),
            (0, 9, s(600), true),
            (1, 0, s(24), true),
            (1, 0, s(25), false),
            (2, 9, s(1), true),
            (3, 4, s(1), false),
            (3, 3, s(1), true),
            (5, 3, s(1), true),
            (6, 0, s(1), false),
        ];
        for (done, between, elapsed, more) in rows {
            assert_eq!(moments(9, between).ask_for_more(done, elapsed), more, "{done}, {between}, {elapsed:?}");
        }
    }

    #[test]
    fn a_moment_that_no_kill_hit_is_told_once_and_only_the_middle_leaves_the_check_unproven() {
        let told = |moments: Moments, shortfall: Option<Shortfall>| {
            let mut cases = [(); 2].map(|()| case(AFTER_THE_REPLY, Rule::Once, &["a"], vec![], &[1]));
            cases[1].shortfall = shortfall;
            moments.tell(&mut cases);
            assert_eq!((&cases[0].shortfall, &cases[0].remarks), (&None, &vec![]));
            let [_, last] = cases;
            (last.shortfall, last.remarks.concat())
        };
        let nothing = Shortfall::NotHit("no request was in the middle when the server was killed".into());
        assert_eq!(told(moments(0, 0), None), (Some(nothing), String::new()));
        let unproven =
            "between ledger item and reply: unproven, no kill fell there; 7 requests were cut off before their item";
        assert_eq!(told(moments(7, 0), None), (None, unproven.to_owned()));
        assert_eq!(told(moments(0, 1), None), (None, String::new()));
        assert_eq!(told(moments(7, 1), None), (None, String::new()));
        let failed = Shortfall::NotCarriedOut("the server is not ready".into());
        assert_eq!(told(moments(0, 0), Some(failed.clone())), (Some(failed), String::new()));
    }
}
