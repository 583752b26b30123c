//! The file: its tables, and what stands in each line of them. Invariant: whatever is refused is named by file and line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use toml::de::{DeTable, DeValue};

use super::environment;

/// What a key is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Flag(bool),
    One(String),
    Many(Vec<String>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    /// Counted from 1.
    pub line: usize,
}

/// A file of options.
#[derive(Debug)]
pub struct File {
    /// As messages name it.
    pub name: String,
    /// Entries by table: `target`, `target.NAME`, `classify`, `proxy`.
    tables: BTreeMap<String, Vec<Entry>>,
}

impl File {
    /// # Errors
    /// The file cannot be read, or what is wrong with it.
    pub fn read(path: &Path) -> anyhow::Result<File> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        File::parse(&path.display().to_string(), &text, |name| std::env::var(name).ok())
    }

    fn parse(name: &str, text: &str, look_up: impl Fn(&str) -> Option<String>) -> anyhow::Result<File> {
        let source = Source { name, text, look_up };
        let whole = DeTable::parse(text)
            .map_err(|error| source.refuse(error.span().unwrap_or_default(), &error.message().replace('\n', ", ")))?;
        let mut tables = BTreeMap::new();
        for (key, value) in whole.get_ref() {
            let (table, at) = (key.get_ref().as_ref(), key.span());
            let DeValue::Table(entries) = value.get_ref() else {
                bail!(source.refuse(at, &format!("`{table}` stands in no table: put it below [target]")));
            };
            match table {
                "target" => source.targets(entries, &mut tables)?,
                "classify" | "proxy" => {
                    tables.insert(table.to_owned(), source.entries(table, entries)?);
                }
                _ => bail!(source.refuse(
                    at,
                    &format!("unknown table [{table}]: there are [target], [target.NAME], [classify] and [proxy]")
                )),
            }
        }
        Ok(File { name: name.to_owned(), tables })
    }

    /// The entries of a table; those of `[target]` hold for every `[target.NAME]` that does not set them itself. None
    /// where there is no such table.
    pub fn entries(&self, table: &str) -> Option<Vec<Entry>> {
        let own = self.tables.get(table)?;
        let shared = self.tables.get("target").filter(|_| table.starts_with("target."));
        let inherited = shared.into_iter().flatten().filter(|entry| own.iter().all(|other| other.key != entry.key));
        Some(own.iter().chain(inherited).cloned().collect())
    }

    /// The names that `idem probe NAME` takes.
    pub fn targets(&self) -> Vec<&str> {
        self.tables
            .keys()
            .filter_map(|table| table.strip_prefix("target.").or((table == "target").then_some(table)))
            .collect()
    }
}

struct Source<'t, L> {
    name: &'t str,
    text: &'t str,
    look_up: L,
}

impl<L: Fn(&str) -> Option<String>> Source<'_, L> {
    /// `[target]` and the targets in it that have names.
    fn targets(&self, all: &DeTable, tables: &mut BTreeMap<String, Vec<Entry>>) -> anyhow::Result<()> {
        let mut shared = Vec::new();
        for (key, value) in all {
            match value.get_ref() {
                DeValue::Table(own) => {
                    let table = format!("target.{}", key.get_ref());
                    tables.insert(table.clone(), self.entries(&table, own)?);
                }
                value => shared.push(self.entry("target", key.get_ref(), key.span(), value)?),
            }
        }
        tables.insert("target".to_owned(), shared);
        Ok(())
    }

    fn entries(&self, table: &str, all: &DeTable) -> anyhow::Result<Vec<Entry>> {
        all.iter().map(|(key, value)| self.entry(table, key.get_ref(), key.span(), value.get_ref())).collect()
    }

    fn entry(&self, table: &str, key: &str, at: Range<usize>, value: &DeValue) -> anyhow::Result<Entry> {
        let refuse = |why: &str| self.refuse(at.clone(), &format!("{key} in [{table}]: {why}"));
        let one = |value: &DeValue| match value {
            DeValue::String(text) => environment::filled(text, &self.look_up),
            DeValue::Integer(number) => Ok(number.to_string()),
            DeValue::Float(number) => Ok(number.to_string()),
            other => Err(format!("{} has no place here: give a text or a number", other.type_str())),
        };
        let value = match value {
            DeValue::Boolean(value) => Value::Flag(*value),
            DeValue::Array(values) => {
                let texts: Result<_, _> = values.iter().map(|value| one(value.get_ref())).collect();
                Value::Many(texts.map_err(|why| refuse(&why))?)
            }
            value => Value::One(one(value).map_err(|why| refuse(&why))?),
        };
        Ok(Entry { key: key.to_owned(), value, line: self.line(at) })
    }

    fn line(&self, at: Range<usize>) -> usize {
        1 + self.text.bytes().take(at.start).filter(|byte| *byte == b'\n').count()
    }

    fn refuse(&self, at: Range<usize>, why: &str) -> anyhow::Error {
        anyhow!("{}:{}: {why}", self.name, self.line(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> anyhow::Result<File> {
        File::parse("idem.toml", text, |name| (name == "TOKEN").then(|| "t0k3n-of-a-test".to_owned()))
    }

    #[test]
    fn a_named_target_has_what_all_have_and_its_own() {
        let file = parsed(
            "[target]\nledger = 'a'\ncookies = true\n[target.live]\nledger = 'b'\nheader = ['A: ${TOKEN}', 'B: 2']\nkeys = 300\n",
        )
        .unwrap();
        assert_eq!(file.targets(), ["target", "live"]);
        let mut entries = file.entries("target.live").unwrap();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let entry = |key: &str, value, line| Entry { key: key.to_owned(), value, line };
        assert_eq!(
            entries,
            [
                entry("cookies", Value::Flag(true), 3),
                entry("header", Value::Many(vec!["A: t0k3n-of-a-test".to_owned(), "B: 2".to_owned()]), 6),
                entry("keys", Value::One("300".to_owned()), 7),
                entry("ledger", Value::One("b".to_owned()), 5),
            ]
        );
        assert!(file.entries("target.other").is_none() && file.entries("proxy").is_none());
        assert_eq!(parsed("[target.a]\n").unwrap().entries("target.a"), Some(Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        for (text, why) in [
            ("\n[targets]\n", "idem.toml:2: unknown table [targets]"),
            ("ledger = 'x'\n", "idem.toml:1: `ledger` stands in no table"),
            ("[target]\n\nheader = ${X}\n", "idem.toml:3: "),
            ("[target]\nbody = '${NO}'\n", "idem.toml:2: body in [target]: ${NO} is not set"),
            ("[proxy]\nlisten = 2026-01-01\n", "idem.toml:2: listen in [proxy]: datetime has no place here"),
            ("[target.a.b]\nx = 1\n", "idem.toml:1: b in [target.a]: table has no place here"),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
