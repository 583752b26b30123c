//! A request from an OpenAPI 3 description. Invariant: what the description does not say is not made up without a note; a
//! description that is not understood is refused.

mod operation;
mod schema;

use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

pub use operation::Operation;

const METHODS: [&str; 5] = ["post", "put", "patch", "delete", "get"];

/// # Errors
/// The file cannot be read or is not OpenAPI 3 in JSON, or it has no such operation: those it has are named.
pub fn operation(file: &Path, wanted: &str) -> anyhow::Result<Operation> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("--openapi: cannot read {name}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| match text.trim_start().starts_with('{') {
        true => anyhow::anyhow!("--openapi {name}: {error}"),
        false => anyhow::anyhow!(
            "--openapi {name}: not JSON. A YAML file is converted by `yq -o json {name}` (Debian's yq: `yq . {name}`), or by \
             `python3 -c 'import sys,json,yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, default=str)' < {name}`"
        ),
    })?;
    of_document(&document, wanted).with_context(|| format!("--openapi {name}"))
}

fn of_document(document: &Value, wanted: &str) -> anyhow::Result<Operation> {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    ensure!(
        version.starts_with("3."),
        "not OpenAPI 3 (it says \"openapi\": \"3…\"); Swagger 2 has to be converted first"
    );
    let all = operations(document);
    let named = |path: &str, method: &str, operation: &Value| {
        let by_place = wanted.split_once(' ').is_some_and(|(m, p)| m.eq_ignore_ascii_case(method) && p.trim() == path);
        by_place || operation.get("operationId").and_then(Value::as_str) == Some(wanted)
    };
    match all.iter().find(|(path, method, _, operation)| named(path, method, operation)) {
        Some((path, method, item, operation)) => operation::read(document, path, method, item, operation),
        None => bail!("--operation {wanted}: there is none; there are {}", names(&all)),
    }
}

type Found<'d> = (&'d str, &'static str, &'d Value, &'d Value);

fn operations(document: &Value) -> Vec<Found<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    paths
        .flat_map(|(path, item)| {
            METHODS.iter().filter_map(move |method| Some((path.as_str(), *method, item, item.get(*method)?)))
        })
        .collect()
}

/// Those that can be asked for, as far as a line holds them.
fn names(all: &[Found]) -> String {
    const SHOWN: usize = 8;
    let name = |(path, method, _, operation): &Found| match operation.get("operationId").and_then(Value::as_str) {
        Some(id) => id.to_owned(),
        None => format!("\"{} {path}\"", method.to_uppercase()),
    };
    let more = if all.len() > SHOWN { format!(" and {} more", all.len() - SHOWN) } else { String::new() };
    let names = all.iter().take(SHOWN).map(name).collect::<Vec<_>>().join(", ");
    if names.is_empty() { "no operations at all".to_owned() } else { names + &more }
}

#[cfg(test)]
mod tests;
