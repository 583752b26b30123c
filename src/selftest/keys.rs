//! Idempotency keys.

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::terms::intent::{Intent, KeyMode};

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "key-is-the-published-vector", run: is_the_published_vector },
    SelfCheck { name: "key-ignores-how-the-intent-is-written", run: ignores_writing },
    SelfCheck { name: "key-tells-intents-apart", run: tells_intents_apart },
    SelfCheck { name: "key-mode-stable-keeps-it-none-sends-none", run: stable_and_none },
    SelfCheck { name: "key-mode-per-attempt-changes-it", run: per_attempt },
];

fn key(subject: &Subject, json: &str, key: &str) -> Checked {
    same(json, (subject.intent_key)(json), Ok(key.to_owned()))
}

fn is_the_published_vector(subject: &Subject) -> Checked {
    key(subject, r#"{"intent":" ord-001 ","amount":1000}"#, "cabfa4ea11ff07d1")
}

fn ignores_writing(subject: &Subject) -> Checked {
    for json in [
        r#"{"amount":1000,"intent":"ord-001"}"#,
        "{ \"intent\" :\t\"ord-001\",\n\"amount\" : 1000 }",
        r#"{" intent ":"\u006Frd-001\n","amount":1000}"#,
    ] {
        key(subject, json, "cabfa4ea11ff07d1")?;
    }
    Ok(())
}

fn tells_intents_apart(subject: &Subject) -> Checked {
    key(subject, r#"{"intent":"ord-002","amount":1000}"#, "d0bd63d851993191")?;
    key(subject, r#"{"intent":"ord-001","amount":1001}"#, "7916b69f2a473f2f")?;
    key(subject, r#"{"intent":"ord-001","amount":"1000"}"#, "d92ba037a317a5ad")?;
    key(subject, r#"{"intent":"ORD-001","amount":1000}"#, "100d8480a905ac43")?;
    key(subject, r#"{"intent":"订单-001","amount":1000}"#, "7a3f1da02f33d9e5")
}

fn sent(subject: &Subject, mode: KeyMode, attempt: u32, key: Option<&str>) -> Checked {
    let intent = Intent { name: "ord-001".to_owned(), amount: 1000 };
    let sent = (subject.sent_key)(mode, &intent, attempt);
    same(&format!("{mode}, attempt {attempt}"), sent.as_deref(), key)
}

fn stable_and_none(subject: &Subject) -> Checked {
    for attempt in [1, 2, 3] {
        sent(subject, KeyMode::Stable, attempt, Some("cabfa4ea11ff07d1"))?;
        sent(subject, KeyMode::None, attempt, None)?;
    }
    Ok(())
}

fn per_attempt(subject: &Subject) -> Checked {
    sent(subject, KeyMode::PerAttempt, 1, Some("8b33074128cfb6e9"))?;
    sent(subject, KeyMode::PerAttempt, 2, Some("df9bffa4d9d34499"))
}
