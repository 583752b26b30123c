//! One operation as a request. Invariant: where a value has to be made up, a note says so.

use anyhow::Context;
use serde_json::Value;

use super::schema::{example, ordered, resolved, sample};
use crate::init::names;
use crate::target::request::{form, json};
use crate::text::ordered_json::OrderedJson;
use crate::text::percent;

/// A request, not yet a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    pub method: String,
    /// Of the first server; empty where none has a path.
    pub server: String,
    /// Below it, with holes; empty where no description was given.
    pub path: String,
    /// Fields that come to those of the URL.
    pub query: Vec<String>,
    /// None where it takes none.
    pub body: Option<String>,
    pub content_type: Option<String>,
    pub headers: Vec<String>,
    pub key_header: Option<String>,
    /// What is left to the user.
    pub notes: Vec<String>,
}

impl Operation {
    /// The path of the request at a URL with this path: a path of the user's own takes the place of the server's; one that
    /// ends as the operation does is the whole.
    pub fn at(&self, given: &str) -> String {
        let (own, query) = given.split_once('?').map_or((given, None), |(own, query)| (own, Some(query)));
        let own = own.trim_end_matches('/');
        if self.path.is_empty() {
            return given.to_owned();
        }
        let path = match own {
            "" => format!("{}{}", self.server, self.path),
            own if own.ends_with(&self.path) => own.to_owned(),
            own => format!("{own}{}", self.path),
        };
        let query: Vec<_> = query.into_iter().map(str::to_owned).chain(self.query.iter().cloned()).collect();
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }
}

/// # Errors
/// A reference cannot be followed, or the body is of a type that no request can be made of.
pub fn read(document: &Value, path: &str, method: &str, item: &Value, operation: &Value) -> anyhow::Result<Operation> {
    let mut made = Operation { method: method.to_uppercase(), server: server(document), ..Operation::default() };
    made.path = path.to_owned();
    let of = |value: &'_ Value| value.get("parameters").and_then(Value::as_array).cloned().unwrap_or_default();
    for parameter in of(item).iter().chain(&of(operation)) {
        made.parameter(document, resolved(document, parameter)?)?;
    }
    // One that is described nowhere.
    while let Some((before, after)) = open(&made.path) {
        made.path = format!("{before}{{{{intent}}}}{after}");
    }
    if let Some(body) = operation.get("requestBody") {
        made.body(document, resolved(document, body)?)?;
    }
    Ok(made)
}

/// What stands around the first `{name}` that is not a hole.
fn open(path: &str) -> Option<(String, String)> {
    let marked = path.replace("{{intent}}", "\u{1}");
    let (before, rest) = marked.split_once('{')?;
    let (_, after) = rest.split_once('}')?;
    let back = |text: &str| text.replace('\u{1}', "{{intent}}");
    Some((back(before), back(after)))
}

/// The path of the first server.
fn server(document: &Value) -> String {
    let url = document.pointer("/servers/0/url").and_then(Value::as_str).unwrap_or_default();
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default(),
        None => url,
    };
    // One with variables in it is for the user to give.
    if path.contains('{') { String::new() } else { path.trim_end_matches('/').to_owned() }
}

impl Operation {
    fn parameter(&mut self, document: &Value, parameter: &Value) -> anyhow::Result<()> {
        let of = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, place) = (of("name"), of("in"));
        let is_required = parameter.get("required").and_then(Value::as_bool) == Some(true);
        let schema = parameter.get("schema").map(|schema| resolved(document, schema)).transpose()?;
        let given = example(parameter).or(schema.and_then(example)).map(|value| written(&ordered(value)));
        match place {
            "path" => self.path_parameter(name, given),
            "query" if is_required && !names::is_key(name) => {
                let value = given.unwrap_or_else(|| "idem".to_owned());
                self.query.push(form::with_field("", name, &value));
            }
            "header" if names::is_key(name) => self.key_header = Some(name.to_owned()),
            "header" if is_required => {
                if given.is_none() {
                    self.notes.push(format!("The description gives no value for the header {name}: idem made one up."));
                }
                self.headers.push(format!("{name}: {}", given.unwrap_or_else(|| "idem".to_owned())));
            }
            _ => {}
        }
        Ok(())
    }

    /// The intent, unless it names something that has to be there already and the description says which.
    fn path_parameter(&mut self, name: &str, given: Option<String>) {
        let hole = format!("{{{name}}}");
        let is_last = self.path.trim_end_matches('/').ends_with(&hole);
        let is_intent = is_last || names::intent(&[name.to_owned()]).is_some();
        let value = match given.filter(|_| !is_intent) {
            Some(value) => percent::encode(&value),
            None => "{{intent}}".to_owned(),
        };
        self.path = self.path.replace(&hole, &value);
    }

    fn body(&mut self, document: &Value, body: &Value) -> anyhow::Result<()> {
        let content = body.get("content").and_then(Value::as_object).context("requestBody: no content")?;
        let known = |wanted: fn(&str) -> bool| content.iter().find(|(kind, _)| wanted(kind.as_str()));
        let is_json = |kind: &str| kind.split(';').next() == Some("application/json");
        let found = known(is_json).or(known(|kind| kind.contains("+json")));
        let found = found.or(known(|kind| kind.starts_with("application/x-www-form-urlencoded")));
        let kinds = || content.keys().cloned().collect::<Vec<_>>().join(", ");
        let (kind, media) =
            found.with_context(|| format!("requestBody: of {}, none is JSON or a form; give --body", kinds()))?;
        let named = media.get("examples").and_then(Value::as_object).and_then(|all| all.values().next());
        let named = named.map(|one| resolved(document, one)).transpose()?.and_then(|one| one.get("value"));
        let value = match (media.get("example").or(named), media.get("schema")) {
            (Some(value), _) => ordered(value),
            (None, Some(schema)) => sample(document, schema, 0)?,
            (None, None) => anyhow::bail!("requestBody: neither an example nor a schema; give --body"),
        };
        let is_form = kind.starts_with("application/x-www-form-urlencoded");
        self.body = Some(if is_form { fields(&value) } else { json::compact(&value) });
        self.content_type = Some(kind.clone()).filter(|kind| kind != "application/json" && !is_form);
        Ok(())
    }
}

/// A value where there is no room for JSON.
fn written(value: &OrderedJson) -> String {
    match value {
        OrderedJson::Text(text) => text.clone(),
        other => json::compact(other),
    }
}

/// An object as form fields, with brackets for what lies deeper.
fn fields(value: &OrderedJson) -> String {
    let mut all = Vec::new();
    collect("", value, &mut all);
    all.join("&")
}

fn collect(name: &str, value: &OrderedJson, all: &mut Vec<String>) {
    match value {
        OrderedJson::Object(fields) => fields.iter().for_each(|(field, value)| {
            let name = if name.is_empty() { form::escape(field) } else { format!("{name}[{}]", form::escape(field)) };
            collect(&name, value, all);
        }),
        OrderedJson::Array(items) => items.iter().for_each(|item| collect(&format!("{name}[]"), item, all)),
        leaf => all.push(format!("{name}={}", form::escape(&written(leaf)))),
    }
}
