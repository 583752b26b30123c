//! Several ledgers of one side effect, as charges and e-mails. Invariant: they are read together, each under a name of its
//! own, and an intent is shown only where each of them shows it.

use std::time::Duration;

use super::{Ledger, Oracle};
use crate::http::header::Header;

/// Where and how to count; empty where nothing can be counted.
#[derive(Debug, Clone, Default)]
pub struct Oracles {
    all: Vec<(String, Oracle)>,
}

/// What the ledgers held, each by its name.
#[derive(Debug, Clone, Default)]
pub struct Readings {
    pub ledgers: Vec<(String, Ledger)>,
}

impl Oracles {
    /// Of those that have a source, in their order.
    pub fn new(oracles: Vec<Oracle>) -> Oracles {
        let mut all: Vec<(String, Oracle)> = Vec::new();
        for oracle in oracles.into_iter().filter(|oracle| !oracle.is_none()) {
            let name = oracle.source.name();
            let same =
                |other: &str| other == name || other.strip_prefix(&name).is_some_and(|rest| rest.starts_with(" ("));
            let before = all.iter().filter(|(other, _)| same(other)).count();
            all.push((if before == 0 { name } else { format!("{name} ({})", before + 1) }, oracle));
        }
        Oracles { all }
    }

    pub fn is_none(&self) -> bool {
        self.all.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Oracle> {
        self.all.iter().map(|(_, oracle)| oracle)
    }

    /// Their names where there are several; empty for one, which needs none.
    pub fn names(&self) -> Vec<&str> {
        let names = self.all.iter().map(|(name, _)| name.as_str());
        names.filter(|_| self.all.len() > 1).collect()
    }

    /// How late an item may show in any of them, beyond the fence.
    pub fn lag(&self) -> Duration {
        self.iter().map(|oracle| oracle.lag).max().unwrap_or_default()
    }

    /// Headers of the ledgers' GETs.
    pub fn headers(&self) -> impl Iterator<Item = &Header> {
        self.iter().flat_map(Oracle::headers)
    }

    /// What they are, each kind once.
    pub fn kinds(&self) -> String {
        match self.is_none() {
            true => "none".to_owned(),
            false => each_once(self.iter().map(|oracle| oracle.source.kind())),
        }
    }

    /// Where their items hold the intent, each pointer once.
    pub fn intent_at(&self) -> String {
        each_once(self.iter().map(|oracle| oracle.intent_at.as_str()))
    }

    /// Reads all of them as they are now.
    ///
    /// # Errors
    /// As [`Oracle::read`], of the first that cannot be read; also where there is none.
    pub async fn read(&self) -> Result<Readings, String> {
        let mut ledgers = Vec::new();
        for (name, oracle) in &self.all {
            let ledger = oracle.read().await.map_err(|why| match self.all.len() {
                1 => why,
                _several => format!("{name}: {why}"),
            })?;
            ledgers.push((name.clone(), ledger));
        }
        if ledgers.is_empty() { Err("there is no ledger".into()) } else { Ok(Readings { ledgers }) }
    }

    /// Why ledgers that were read do not show an intent: of the first that does not.
    pub fn explain(&self, readings: &Readings, intent: &str) -> String {
        let all = self.iter().zip(&readings.ledgers);
        let mut hiding = all.filter(|(_, (_, ledger))| ledger.charges(intent) == 0);
        hiding.next().map(|(oracle, (_, ledger))| oracle.explain(ledger, intent)).unwrap_or_default()
    }
}

impl Readings {
    /// Whether each of them shows the intent.
    pub fn shows(&self, intent: &str) -> bool {
        self.hiding(intent).is_none()
    }

    /// The name of the first that does not show it.
    pub fn hiding(&self, intent: &str) -> Option<&str> {
        let mut hiding = self.ledgers.iter().filter(|(_, ledger)| ledger.charges(intent) == 0);
        hiding.next().map(|(name, _)| name.as_str())
    }

    /// The most that any of them shows of it.
    pub fn most(&self, intent: &str) -> u64 {
        self.ledgers.iter().map(|(_, ledger)| ledger.charges(intent)).max().unwrap_or(0)
    }
}

fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    once.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::oracle::Source;

    fn oracle(source: Source) -> Oracle {
        Oracle { source, items_at: None, intent_at: "/intent".into(), lag: Duration::ZERO }
    }

    #[test]
    fn each_has_a_name_of_its_own_without_what_may_be_secret() {
        let command = |text: &str| oracle(Source::Command(text.into()));
        let oracles = Oracles::new(vec![
            oracle(Source::File("/var/lib/charges.jsonl".into())),
            command("PGPASSWORD=s3cr3t PGUSER=me /usr/bin/psql -At -c 'select 1'"),
            command("psql -At"),
            oracle(Source::None),
            command("psql"),
        ]);
        assert_eq!(oracles.names(), ["charges.jsonl", "psql", "psql (2)", "psql (3)"]);
        assert_eq!((oracles.kinds().as_str(), oracles.intent_at().as_str()), ("file, command", "/intent"));
        assert!(Oracles::new(vec![command("psql")]).names().is_empty());
        assert_eq!(Oracles::new(vec![oracle(Source::None)]).kinds(), "none");
    }

    #[test]
    fn an_intent_is_shown_where_each_ledger_shows_it() {
        let ledger = |intents: &[&str]| {
            let items: Vec<_> = intents.iter().map(|intent| serde_json::json!({"intent": intent})).collect();
            Ledger::new(&items, "/intent")
        };
        let readings = Readings { ledgers: vec![("a".into(), ledger(&["x", "y"])), ("b".into(), ledger(&["y", "y"]))] };
        assert!(readings.shows("y") && !readings.shows("x") && !readings.shows("z"));
        assert_eq!((readings.hiding("x"), readings.hiding("z"), readings.hiding("y")), (Some("b"), Some("a"), None));
        assert_eq!((readings.most("x"), readings.most("y"), readings.most("z")), (1, 2, 0));
    }
}
