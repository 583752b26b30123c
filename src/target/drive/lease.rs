//! When the next retry of a key is due, once the faults are over. Pure: answers and times in, a decision out. Invariant:
//! bounded by the lease and what the target asks for by Retry-After; the last retry comes after both.

use std::time::Duration;

/// A longer Retry-After is not waited for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Pauses between retries while a lease may be held grow from the first to the second.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(1500)];

/// What a key's last answer says of it.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Nothing has come of its request yet, and a retry may come.
    pub awaits_answer: bool,
    /// The refusal may be due to how busy the target is with other keys.
    pub blames_load: bool,
    /// How long the target asks to wait; zero where it does not say.
    pub asked: Duration,
}

/// What to do next with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Retry after so long.
    Wait(Duration),
    /// Settled, or the lease is over and the last refusal counts.
    Stop,
    /// The target asks to come back later than anybody waits.
    TooLate(Duration),
}

/// The time that a key may stay in flight, and how much of it has passed.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    promised: Duration,
    length: Duration,
    pause: Duration,
    waited: Duration,
    /// Whether the last retry was alone with the target.
    was_alone: bool,
}

impl Lease {
    /// `promised` is what a crashed attempt's key may take.
    pub fn new(promised: Duration) -> Lease {
        Lease { promised, length: promised, pause: PAUSES[0], waited: Duration::ZERO, was_alone: false }
    }

    /// As Retry-After has made it so far.
    pub fn length(&self) -> Duration {
        self.length
    }

    pub fn is_over(&self) -> bool {
        self.waited >= self.length
    }

    /// Decides; `share`, 0 to 1023, scatters the pause by half of it to either side: many keys settle side by side, and
    /// in step they would only refuse one another at a target that takes few requests at once.
    pub fn next(&mut self, standing: Standing, share: u32) -> Next {
        let may_be_load = standing.blames_load && !self.was_alone;
        if !standing.awaits_answer || self.is_over() && !may_be_load {
            return Next::Stop;
        }
        if standing.asked > LONGEST_RETRY_AFTER {
            return Next::TooLate(standing.asked);
        }
        self.length = self.length.max(self.promised + standing.asked);
        let scattered = self.pause / 2 + self.pause * share / 1024;
        Next::Wait(scattered.max(standing.asked).min(self.length.saturating_sub(self.waited)))
    }

    /// Notes a retry: since the first one so much time has passed, and whether it was alone with the target.
    pub fn retried(&mut self, waited: Duration, was_alone: bool) {
        (self.waited, self.was_alone) = (waited, was_alone);
        self.pause = (self.pause * 3 / 2).min(PAUSES[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(6);
    const REFUSED: Standing = Standing { awaits_answer: true, blames_load: false, asked: Duration::ZERO };

    fn after(waited: u64, was_alone: bool) -> Lease {
        let mut lease = Lease::new(LEASE);
        lease.retried(Duration::from_millis(waited), was_alone);
        lease
    }

    #[test]
    fn a_key_is_retried_until_it_settles_or_its_lease_is_over() {
        let settled = Standing { awaits_answer: false, ..REFUSED };
        let busy = Standing { blames_load: true, ..REFUSED };
        let rows = [
            (0, false, REFUSED, true),
            (5_999, false, REFUSED, true),
            (6_000, false, REFUSED, false),
            (0, false, settled, false),
            // What blames the load decides only where nothing else drove the target.
            (6_000, false, busy, true),
            (6_000, true, busy, false),
            (5_999, true, busy, true),
        ];
        for (waited, alone, standing, goes_on) in rows {
            let next = after(waited, alone).next(standing, 0);
            assert_eq!(matches!(next, Next::Wait(_)), goes_on, "{waited} ms, alone {alone}: {next:?}");
        }
    }

    #[test]
    fn the_last_retry_comes_when_the_lease_ends() {
        assert_eq!(after(5_990, false).next(REFUSED, 1023), Next::Wait(Duration::from_millis(10)));
    }

    #[test]
    fn retry_after_makes_the_lease_longer_up_to_a_minute() {
        let asked = |seconds| Standing { asked: Duration::from_secs(seconds), ..REFUSED };
        let mut lease = after(1_000, false);
        assert_eq!(lease.next(asked(60), 0), Next::Wait(Duration::from_secs(60)));
        assert_eq!(lease.length(), LEASE + Duration::from_secs(60));
        assert_eq!(lease.next(REFUSED, 0), Next::Wait(Duration::from_millis(75)), "the asked pause is past");
        assert_eq!(after(0, false).next(asked(61), 0), Next::TooLate(Duration::from_secs(61)));
    }

    #[test]
    fn pauses_grow_and_are_scattered_by_half_to_either_side() {
        let pause = |share| Lease::new(LEASE).next(REFUSED, share);
        assert_eq!(pause(0), Next::Wait(Duration::from_millis(50)));
        assert_eq!(pause(1024), Next::Wait(Duration::from_millis(150)));
        let mut lease = Lease::new(Duration::from_secs(60));
        (0..20).for_each(|_| lease.retried(Duration::ZERO, false));
        assert_eq!(lease.next(REFUSED, 512), Next::Wait(PAUSES[1]));
    }
}
