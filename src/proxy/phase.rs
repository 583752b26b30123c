//! The faults that `idem proxy` offers by name, and which attempts get them. Invariant: the choice depends on the order
//! of the attempts and the seed alone.

use std::time::Duration;

use super::fault::{CutAt, End, Fault, Second, Until};
use super::gate::Gate;
use crate::terms::named::named_enum;

named_enum! {
    /// What goes wrong, in the names that the probe's checks have.
    pub enum Phase {
        /// Nothing; the attempts are only logged.
        None = "none",
        /// The proxy answers 503, and the server never hears of it.
        PreFail = "pre_fail",
        /// The server replies, then the client's connection is reset.
        PostDrop = "post_drop",
        /// The reply is held until the client gives up.
        PostSlow = "post_slow",
        /// The server replies, and the client is told 502.
        PostError = "post_error",
        /// The reply is cut in the middle of its body.
        HalfReply = "half_reply",
        /// The upload stops half-way.
        HalfRequest = "half_request",
        /// The connection to the server ends while the server works.
        Cut = "cut",
        /// The server gets the same bytes twice, together.
        DoubleDelivery = "double_delivery",
        /// The request is held until a later attempt is through, then delivered.
        LateArrival = "late_arrival",
    }
}

impl Phase {
    /// The fault itself. `later` opens when a later attempt of the same intent is through; `retry_after` is in seconds.
    pub fn fault(self, later: &Gate, retry_after: Option<u64>, cut_after: Duration) -> Fault {
        match self {
            Phase::None => Fault::Pass,
            Phase::PreFail => Fault::Answer { status: 503, retry_after },
            Phase::PostDrop => Fault::DropAfterReply { by: End::Rst },
            Phase::PostSlow => Fault::HoldReply { until: Until::ClientGone },
            Phase::PostError => Fault::ReplaceReply { status: 502, retry_after },
            Phase::HalfReply => Fault::CutReply { at: CutAt::Body },
            Phase::HalfRequest => Fault::HalfRequest { after: Duration::ZERO, by: End::Fin },
            Phase::Cut => Fault::CutUpstream { after: cut_after, by: End::Fin },
            Phase::DoubleDelivery => Fault::DeliverTwice { second: Second::Together },
            Phase::LateArrival => Fault::HoldRequest { until: Until::Opened(later.clone()) },
        }
    }
}

/// Which attempts the fault happens to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum On {
    /// The first attempt of each intent.
    First,
    /// Each Nth attempt, whatever its intent.
    Every(u64),
    /// Each attempt with this probability.
    Chance(f64),
}

impl On {
    /// # Errors
    /// Says which forms there are, or which bound was passed.
    pub fn parse(text: &str) -> Result<On, String> {
        match text.split_once('=') {
            None if text == "first" => Ok(On::First),
            Some(("every", number)) => match number.parse() {
                Ok(number) if number >= 1 => Ok(On::Every(number)),
                Ok(_) | Err(_) => Err("every=N needs a whole number of at least 1".into()),
            },
            Some(("p", number)) => match number.parse() {
                Ok(chance) if (0.0..=1.0).contains(&chance) => Ok(On::Chance(chance)),
                Ok(_) | Err(_) => Err("p=P needs a number from 0 to 1".into()),
            },
            None | Some(_) => Err("write first, every=N or p=P".into()),
        }
    }

    /// Whether the `total`th attempt of all, the `attempt`th of its intent, gets the fault. Both count from 1.
    pub fn hits(self, total: u64, attempt: u32, seed: u64) -> bool {
        match self {
            On::First => attempt == 1,
            On::Every(number) => total.is_multiple_of(number),
            On::Chance(chance) => draw(seed, total) < chance,
        }
    }
}

/// The nth number of a seed's sequence, from 0 up to and without 1: SplitMix64 (Steele, Lea and Flood 2014), of which
/// the upper 53 bits fit an f64 exactly.
fn draw(seed: u64, n: u64) -> f64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_its_published_sequence() {
        // Of seed 1234567, from the reference implementation: 6457827717110365317, 3203168211198807973, ...
        for (n, expected) in [(1, 6_457_827_717_110_365_317_u64), (2, 3_203_168_211_198_807_973)] {
            assert_eq!(draw(1_234_567, n), (expected >> 11) as f64 / (1u64 << 53) as f64);
        }
    }

    #[test]
    fn each_rule_hits_what_it_says() {
        let hits = |on: On, seed| (1..=1000).filter(|n| on.hits(*n, 2, seed)).collect::<Vec<u64>>();
        assert_eq!(hits(On::Every(300), 0), [300, 600, 900]);
        assert!(hits(On::First, 0).is_empty() && On::First.hits(9, 1, 0));
        assert_eq!((hits(On::Chance(0.0), 7).len(), hits(On::Chance(1.0), 7).len()), (0, 1000));
        let half = hits(On::Chance(0.5), 7);
        assert!((400..600).contains(&half.len()), "{}", half.len());
        assert_eq!(half, hits(On::Chance(0.5), 7));
        assert_ne!(half, hits(On::Chance(0.5), 8));
    }

    #[test]
    fn bad_rules_are_refused() {
        for bad in ["", "last", "every", "every=0", "every=-1", "every=x", "p=2", "p=-0.1", "p=NaN", "p=", "first=1"] {
            assert!(On::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(On::parse("p=0.25"), Ok(On::Chance(0.25)));
        assert_eq!(On::parse("every=3"), Ok(On::Every(3)));
    }
}
