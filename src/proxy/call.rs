//! A request of JSON-RPC as its retries are held to it. Invariant: arguments are compared as values, so that neither their
//! order nor white space is a change.

use serde_json::Value;

/// The id of a request, and a tool's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// As it is written: a text has its quotes.
    pub id: String,
    /// Null where there are none.
    arguments: Value,
}

impl Call {
    /// None for what has no id: a notification, or no message at all.
    pub fn of(body: &[u8]) -> Option<Call> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let arguments = body.pointer("/params/arguments").cloned().unwrap_or(Value::Null);
        Some(Call { id: body.get("id")?.to_string(), arguments })
    }

    /// Pointers (RFC 6901) to the arguments that are not `first`'s, in the order of their names.
    pub fn changed(&self, first: &Call) -> Vec<String> {
        let (Value::Object(now), Value::Object(before)) = (&self.arguments, &first.arguments) else {
            return if self.arguments == first.arguments { Vec::new() } else { vec![String::new()] };
        };
        let mut names: Vec<_> =
            now.keys().chain(before.keys()).filter(|name| now.get(*name) != before.get(*name)).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_came_went_or_changed_are_named() {
        let call = |arguments: &str| {
            Call::of(format!(r#"{{"id":1,"params":{{"arguments":{arguments}}}}}"#).as_bytes()).unwrap()
        };
        let first = call(r#"{"a":1,"b":[1],"c/d":1}"#);
        for (arguments, changed) in [
            (r#"{ "c/d": 1, "b": [1], "a": 1 }"#, &[][..]),
            (r#"{"a":2,"b":[1],"c/d":1}"#, &["/a"]),
            (r#"{"a":1,"b":[1,2],"e~":0}"#, &["/b", "/c~1d", "/e~0"]),
            ("[]", &[""]),
        ] {
            assert_eq!(call(arguments).changed(&first), changed, "{arguments}");
        }
        let ids = [r#"{"id":7}"#, r#"{"id":"7"}"#, "{}", "{"].map(|body| Call::of(body.as_bytes()).map(|call| call.id));
        assert_eq!(ids, [Some("7".to_owned()), Some("\"7\"".to_owned()), None, None]);
    }
}
