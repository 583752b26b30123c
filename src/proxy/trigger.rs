//! Which attempts get the fault of `idem proxy`. Invariant: the choice depends on the order of the attempts and the seed
//! alone.

use crate::terms::chance::splitmix;

/// Which attempts the fault happens to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// The first attempt of each intent.
    First,
    /// Each Nth attempt, whatever its intent.
    Every(u64),
    /// Each attempt with this probability.
    Chance(f64),
}

impl Trigger {
    /// # Errors
    /// Says which forms there are, or which bound was passed.
    pub fn parse(text: &str) -> Result<Trigger, String> {
        match text.split_once('=') {
            None if text == "first" => Ok(Trigger::First),
            Some(("every", number)) => match number.parse() {
                Ok(number) if number >= 1 => Ok(Trigger::Every(number)),
                Ok(_) | Err(_) => Err("every=N needs a whole number of at least 1".into()),
            },
            Some(("p", number)) => match number.parse() {
                Ok(chance) if (0.0..=1.0).contains(&chance) => Ok(Trigger::Chance(chance)),
                Ok(_) | Err(_) => Err("p=P needs a number from 0 to 1".into()),
            },
            None | Some(_) => Err("write first, every=N or p=P".into()),
        }
    }

    /// Whether the `total`th attempt of all, the `attempt`th of its intent, gets the fault. Both count from 1.
    pub fn hits(self, total: u64, attempt: u32, seed: u64) -> bool {
        match self {
            Trigger::First => attempt == 1,
            Trigger::Every(number) => total.is_multiple_of(number),
            Trigger::Chance(chance) => draw(seed, total) < chance,
        }
    }
}

/// The nth number of a seed's sequence, from 0 up to and without 1: its upper 53 bits fit an f64 exactly.
fn draw(seed: u64, n: u64) -> f64 {
    (splitmix(seed, n) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_hits_what_it_says() {
        let hits = |on: Trigger, seed| (1..=1000).filter(|n| on.hits(*n, 2, seed)).collect::<Vec<u64>>();
        assert_eq!(hits(Trigger::Every(300), 0), [300, 600, 900]);
        assert!(hits(Trigger::First, 0).is_empty() && Trigger::First.hits(9, 1, 0));
        assert_eq!((hits(Trigger::Chance(0.0), 7).len(), hits(Trigger::Chance(1.0), 7).len()), (0, 1000));
        let half = hits(Trigger::Chance(0.5), 7);
        assert!((400..600).contains(&half.len()), "{}", half.len());
        assert_eq!(half, hits(Trigger::Chance(0.5), 7));
        assert_ne!(half, hits(Trigger::Chance(0.5), 8));
        assert!(
            !Trigger::Chance(draw(7, 3)).hits(3, 2, 7),
            "a number below the chance is hit, the chance itself is not"
        );
    }

    #[test]
    fn bad_rules_are_refused() {
        for bad in ["", "last", "every", "every=0", "every=-1", "every=x", "p=2", "p=-0.1", "p=NaN", "p=", "first=1"] {
            assert!(Trigger::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Trigger::parse("p=0.25"), Ok(Trigger::Chance(0.25)));
        assert_eq!(Trigger::parse("every=3"), Ok(Trigger::Every(3)));
        assert_eq!(Trigger::parse("every=1"), Ok(Trigger::Every(1)));
        assert_eq!(Trigger::parse("p=0"), Ok(Trigger::Chance(0.0)));
        assert_eq!(Trigger::parse("p=1"), Ok(Trigger::Chance(1.0)));
        assert_eq!(Trigger::parse("first"), Ok(Trigger::First));
    }
}
