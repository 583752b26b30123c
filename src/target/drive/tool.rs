//! What a tool's client does beside calling: it answers what the tool asks, begins a session anew that the server forgot, and
//! one for each principal. Invariant: a fault falls on the call that can have an effect, never on the question before it.

use serde_json::{Map, Value, json};

use super::session::Session;
use crate::http::client::{self, Outcome};
use crate::http::header::Header;
use crate::mcp::call;
use crate::mcp::meta::SESSION_HEADER;
use crate::mcp::reply::Told;
use crate::target::facts::case::Rule;
use crate::target::request::template::Call;

impl Session {
    /// The call with the client's answers in it, where the user gave some: the tool is asked first what it wants to know.
    ///
    /// # Errors
    /// The tool asked nothing, so that its call is made already, and promises nothing of another one.
    pub async fn answered(&self, call: &Call, authority: &str) -> Result<Call, String> {
        let (Some(_), Some(answers)) = (&self.options.template.tool, &self.options.answers) else {
            return Ok(call.clone());
        };
        let request = self.dressed(call, self.options.template.request(call, authority)).await?;
        let request = client::Request { host: authority.to_owned(), ..request };
        let outcome = client::attempt(&self.target().route, &request, self.patience()).await;
        self.count(1);
        match call::told(&outcome) {
            Some((_, Told::Asks { requests, state })) => {
                Ok(Call { told: responses(&requests, &state, answers), ..call.clone() })
            }
            Some((_, Told::Done(_))) if self.options.identity.rule() == Rule::Unpromised => {
                Err("--input: the tool asked nothing this time, so the call was made without its fault".into())
            }
            Some((_, Told::Done(_) | Told::Failed(_) | Told::Refused(_))) | None => Ok(call.clone()),
        }
    }

    /// Begins a session anew that the server says it does not know (revision 2025-11-25, "Session Management").
    pub async fn begin_again(&self, outcome: &Outcome) {
        let Some(tool) = &self.options.template.tool else { return };
        let is_unknown = outcome.reply.as_ref().is_some_and(|reply| reply.status == 404);
        if is_unknown && tool.speech().session.is_some() {
            // Where it fails the next call says why.
            let _ = tool.reconnect().await;
        }
    }

    /// What the second principal's calls carry: its credential, and a session of its own, since a server may bind one to
    /// who began it and then refuses everybody else (revision 2025-11-25, "Session Hijacking").
    ///
    /// # Errors
    /// The server began no session for it.
    pub async fn of_second_principal(&self) -> Result<Vec<Header>, String> {
        let Some(credential) = self.options.other_credential.clone() else { return Ok(Vec::new()) };
        let sessions = self.options.template.tool.as_ref().filter(|tool| tool.speech().session.is_some());
        let Some(tool) = sessions else { return Ok(vec![credential]) };
        let begun = tool.endpoint.with(&credential).connect().await;
        let begun =
            begun.map_err(|why| format!("--other-credential: the second principal gets no session: {why:#}"))?;
        let session = begun.session.map(|value| Header { name: SESSION_HEADER.into(), value });
        Ok([credential].into_iter().chain(session).collect())
    }
}

/// The parameters beside the arguments, as they are written; None where an answer is missing, and the tool will say so.
fn responses(requests: &Value, state: &Value, answers: &Value) -> Option<String> {
    let names = requests.as_object().into_iter().flat_map(Map::keys);
    let answers = names.map(|name| Some((name.clone(), answers.get(name)?.clone())));
    let answers: Map<_, _> = answers.collect::<Option<_>>()?;
    let state = if state.is_null() { String::new() } else { format!(",\"requestState\":{state}") };
    Some(format!("\"inputResponses\":{}{state}", json!(answers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_answered_by_its_name_and_the_state_comes_back_as_it_was() {
        let answers = json!({"a": {"action": "accept"}, "b": 1});
        let told = |requests, state| responses(&requests, &state, &answers);
        let asked = json!({"a": {"method": "elicitation/create"}});
        assert_eq!(told(asked.clone(), Value::Null).as_deref(), Some(r#""inputResponses":{"a":{"action":"accept"}}"#));
        let with_state = r#""inputResponses":{},"requestState":"s\"""#;
        assert_eq!(told(Value::Null, json!("s\"")).as_deref(), Some(with_state));
        assert_eq!(told(json!({"a": {}, "c": {}}), Value::Null), None);
    }
}
