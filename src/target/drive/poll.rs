//! What becomes of a 202, where the user said how to learn it. Invariant: a 202 counts as a success only once its status URL
//! says that it is done; how long that is waited for is bounded, in a whole run too.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::session::Session;
use crate::http::address::Address;
use crate::http::client::{Connection, Outcome, Reply};
use crate::target::facts::answer::{Answer, Class};
use crate::target::request::poll::Poll;
use crate::target::request::template::Call;
use crate::target::request::wire;

/// Between two looks, growing from the first to the second.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// After so many that were waited for in vain, the others are looked at for a shorter time.
const IN_VAIN: u64 = 3;
const SHORT: Duration = Duration::from_millis(500);

impl Session {
    /// What an attempt came to: the answer itself, or for a 202 what its status URL says in the end.
    pub async fn learned(&self, call: &Call, to: &Address, outcome: &Outcome) -> Answer {
        self.take_cookies(self.principal(call), outcome.reply.as_ref());
        self.begin_again(outcome).await;
        let answer = self.answer(outcome);
        match (&self.options.template.poll, &outcome.reply) {
            (Some(poll), Some(reply)) if answer.status == Some(202) && answer.class == Class::InFlight => {
                self.poll(poll, call, to, reply, answer).await
            }
            (Some(_) | None, _) => answer,
        }
    }

    async fn poll(&self, poll: &Poll, call: &Call, to: &Address, reply: &Reply, answer: Answer) -> Answer {
        let failed = |why: String, answer: Answer| Answer { text: format!("accepted, {why}"), ..answer };
        let target = match poll.at.of(reply, &to.authority) {
            Ok(target) => target,
            Err(why) => return failed(why, answer),
        };
        let limit = if self.polls_in_vain.get() < IN_VAIN { self.options.lease } else { SHORT.min(self.options.lease) };
        let (end, mut pause) = (Instant::now() + limit, PAUSES[0]);
        loop {
            let last = match self.ask(call, to, target.clone()).await {
                Ok(status) if is_done(poll, &status) => return answer.done(&status, &self.options.template),
                Ok(status) => status.status.to_string(),
                Err(why) => why,
            };
            if Instant::now() + pause > end {
                self.polls_in_vain.set(self.polls_in_vain.get() + 1);
                return failed(format!("not done after {limit:?}, at last: {last}"), answer);
            }
            sleep(pause).await;
            pause = (pause * 3 / 2).min(PAUSES[1]);
        }
    }

    /// # Errors
    /// Says why there was no whole reply.
    async fn ask(&self, call: &Call, to: &Address, target: String) -> Result<Reply, String> {
        let request = self.options.template.status_request(call, &to.authority, target);
        let request = wire::bytes(&self.dressed(call, request).await?, wire::Form::Usual);
        let deadline = Instant::now() + self.patience();
        let outcome = match Connection::open(&to.route, None, deadline).await {
            Ok(connection) => connection.exchange(&request, deadline).await,
            Err(unsent) => unsent,
        };
        let symptom = outcome.symptom.to_string();
        outcome.reply.filter(|_| outcome.detail.is_none()).ok_or(symptom)
    }
}

/// Only a 2xx can say it.
fn is_done(poll: &Poll, status: &Reply) -> bool {
    let document = serde_json::from_slice(&status.body).ok();
    (200..300).contains(&status.status) && poll.done.is_met(document.as_ref())
}
