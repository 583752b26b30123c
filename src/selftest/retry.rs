//! The retry table.

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::terms::outcome::{Action, Advice, Effect, Symptom};

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "retry-reads-each-status", run: reads_each_status },
    SelfCheck { name: "retry-done-is-a-complete-2xx", run: done },
    SelfCheck { name: "retry-never-sent-goes-again-as-it-is", run: never_sent },
    SelfCheck { name: "retry-refused-is-fixed-not-repeated", run: refused },
    SelfCheck { name: "retry-throttled-or-in-flight-backs-off", run: backs_off },
    SelfCheck { name: "retry-lost-reply-keeps-its-key", run: lost_reply },
    SelfCheck { name: "retry-unclear-reply-is-verified-first", run: unclear },
];

fn advised(subject: &Subject, symptoms: &[Symptom], effect: Effect, action: Action) -> Checked {
    for symptom in symptoms {
        same(symptom.name(), (subject.advice)(*symptom), Advice { effect, action })?;
    }
    Ok(())
}

fn reads_each_status(subject: &Subject) -> Checked {
    use Symptom::*;
    let table: [(&[u16], Symptom); 8] = [
        (&[200, 201, 204, 299], Ok),
        (&[300, 302, 307, 399], Redirect),
        (&[400, 401, 403, 404, 410, 422, 451, 498], ClientError),
        (&[408, 425, 429], Throttled),
        (&[409], Conflict),
        (&[499, 500, 502, 503, 504, 599], ServerError),
        (&[0, 100, 199], BadReply),
        (&[600, 999, u16::MAX], BadReply),
    ];
    for (statuses, symptom) in table {
        for status in statuses {
            same(&status.to_string(), (subject.symptom)(*status), symptom)?;
        }
    }
    Result::Ok(())
}

fn done(subject: &Subject) -> Checked {
    advised(subject, &[Symptom::Ok], Effect::Yes, Action::Done)
}

fn never_sent(subject: &Subject) -> Checked {
    use Symptom::*;
    let symptoms = [Refused, Dns, Unreachable, ConnectTimeout, Tls, NotProcessed];
    advised(subject, &symptoms, Effect::No, Action::Retry)
}

fn refused(subject: &Subject) -> Checked {
    advised(subject, &[Symptom::ClientError, Symptom::Redirect], Effect::No, Action::FixRequest)
}

fn backs_off(subject: &Subject) -> Checked {
    advised(subject, &[Symptom::Throttled], Effect::Unlikely, Action::RetryLaterSameKey)?;
    advised(subject, &[Symptom::Conflict], Effect::Maybe, Action::RetryLaterSameKey)
}

fn lost_reply(subject: &Subject) -> Checked {
    use Symptom::*;
    let symptoms = [ServerError, ReadTimeout, Timeout, Closed, Reset];
    advised(subject, &symptoms, Effect::Maybe, Action::RetrySameKey)
}

fn unclear(subject: &Subject) -> Checked {
    use Symptom::*;
    advised(subject, &[Truncated, BadReply, Unknown], Effect::Maybe, Action::VerifyFirst)
}
