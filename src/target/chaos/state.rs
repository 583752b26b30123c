//! What is known of each order while a schedule is played. Invariant: what is judged by one rule is in one case, and an
//! attempt of another payload is in a case of its own.

use std::time::Duration;

use super::words::letter;
use crate::target::facts::case::{Act, Attempt, Case, Rule};
use crate::target::request::template::Call;

/// One order, and what came of it.
pub struct OrderState {
    pub order: usize,
    /// Its identical requests, varied ones among them.
    pub case: Case,
    /// For each other payload: the identical request, and that one.
    pub others: Vec<Case>,
}

/// Something that all orders' time lines show.
pub struct Noted {
    /// Whose own time line has it already; None for nobody's.
    pub order: Option<usize>,
    pub at: Duration,
    pub what: String,
}

impl OrderState {
    pub fn new(order: usize, call: Call) -> OrderState {
        let case = Case::new(format!("order {}", letter(order)), Rule::Once, vec![call]);
        OrderState { order, case, others: Vec::new() }
    }

    pub fn call(&self) -> &Call {
        &self.case.calls[0]
    }

    /// The place of a call that asks the same in another way. Two principals are judged by their two calls alone.
    pub fn varied(&mut self, call: Call) -> usize {
        match self.case.rule {
            Rule::Principals => 0,
            Rule::Claimed
            | Rule::Unpromised
            | Rule::ReadOnly
            | Rule::Once
            | Rule::Reuse
            | Rule::Distinct
            | Rule::Baseline
            | Rule::Keyless
            | Rule::Report => self.case.calls.iter().position(|known| *known == call).unwrap_or_else(|| {
                self.case.calls.push(call);
                self.case.calls.len() - 1
            }),
        }
    }

    /// From now on it is an order of two principals.
    pub fn shared_with(&mut self, second: Call) {
        if self.case.rule != Rule::Principals {
            let first = self.case.calls[0].clone();
            self.case.attempts.iter_mut().for_each(|attempt| attempt.call = 0);
            (self.case.rule, self.case.to_settle, self.case.calls) = (Rule::Principals, None, vec![first, second]);
        }
    }

    /// Notes what came of another payload.
    pub fn other(&mut self, call: Call, attempts: Vec<Attempt>) {
        let calls = vec![self.call().clone(), call];
        let mut case = Case::new(format!("order {}, another payload", letter(self.order)), Rule::Reuse, calls);
        // I4 of the identical request is judged in its own case.
        case.to_settle = None;
        case.attempts = attempts.into_iter().map(|attempt| Attempt { call: 1, ..attempt }).collect();
        self.others.push(case);
    }

    /// Its cases, each with all that it has to be judged by.
    pub fn into_cases(self, noted: &[Noted]) -> Vec<Case> {
        let OrderState { order, mut case, mut others } = self;
        let identical = case.attempts.iter().map(|attempt| Attempt { call: 0, ..attempt.clone() });
        let identical: Vec<_> = identical.collect();
        for other in &mut others {
            // The ledger counts by intent, and two principals may be charged for theirs: it cannot tell what this payload did.
            if case.rule == Rule::Principals {
                other.rule = Rule::Report;
            }
            other.attempts = identical.iter().chain(&other.attempts).cloned().collect();
            other.attempts.sort_by_key(|attempt| attempt.ended);
            other.acts = case.acts.clone();
        }
        let beside = noted.iter().filter(|noted| noted.order != Some(order));
        let beside = beside.map(|noted| Act {
            who: "meanwhile",
            at: noted.at,
            what: noted.what.clone(),
            is_fault: noted.order.is_none(),
        });
        let beside: Vec<_> = beside.collect();
        case.acts.extend(beside.iter().cloned());
        others.iter_mut().for_each(|other| other.acts.extend(beside.iter().cloned()));
        [vec![case], others].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::fixtures::{attempt, call, refused, success};
    use crate::target::judge::invariants::judge;
    use crate::target::judge::verdict::Verdict;

    fn judged(state: OrderState, charges: &[&[u64]]) -> Vec<Verdict> {
        let mut cases = state.into_cases(&[]);
        cases.iter_mut().zip(charges).for_each(|(case, charges)| case.charges = Some(charges.to_vec()));
        cases.iter().map(|case| judge(case).verdict).collect()
    }

    #[test]
    fn another_payload_is_judged_apart_from_the_identical_request() {
        let mut state = OrderState::new(0, call("a"));
        state.case.attempts.push(attempt(0, "first", success("r1")));
        state.other(call("b"), vec![attempt(0, "another intent", refused())]);
        state.case.attempts.push(attempt(0, "retry", success("r1")));
        assert_eq!(judged(state, &[&[1], &[1, 0]]), [Verdict::Ok, Verdict::Ok]);
    }

    #[test]
    fn another_payload_that_succeeds_is_swallowed_and_one_that_is_charged_a_duplicate() {
        for (charges, verdict) in [([1, 0], Verdict::Swallowed), ([1, 1], Verdict::Duplicate)] {
            let mut state = OrderState::new(0, call("a"));
            state.case.attempts.push(attempt(0, "first", success("r1")));
            state.other(call("b"), vec![attempt(0, "another intent", success("r1"))]);
            assert_eq!(judged(state, &[&[1], &charges]), [Verdict::Ok, verdict]);
        }
    }

    #[test]
    fn another_payload_is_not_blamed_for_what_a_second_principal_was_charged() {
        let mut state = OrderState::new(0, call("a"));
        state.case.attempts.push(attempt(0, "first", success("r1")));
        state.other(call("b"), vec![attempt(0, "another intent", refused())]);
        state.shared_with(call("a"));
        state.case.attempts.push(attempt(1, "second principal", success("r2")));
        assert_eq!(judged(state, &[&[2, 2], &[2, 0]]), [Verdict::Ok, Verdict::Ok]);
    }

    #[test]
    fn an_order_of_two_principals_may_be_charged_for_each_and_shares_no_receipt() {
        let leaked = |receipt| {
            let mut state = OrderState::new(0, call("a"));
            let varied = state.varied(Call { reserialised: true, ..call("a") });
            state.case.attempts.push(attempt(varied, "varied", success("r1")));
            state.shared_with(call("a"));
            state.case.attempts.push(attempt(1, "second principal", success(receipt)));
            judged(state, &[&[2, 2]])
        };
        assert_eq!((leaked("r2"), leaked("r1")), (vec![Verdict::Ok], vec![Verdict::Leaked]));
    }
}
