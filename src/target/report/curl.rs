//! A request as a line for a shell, to repeat it by hand. Invariant: no credential is in it, and a shell reads it as it
//! is.

use crate::target::request::secrets::is_secret;
use crate::target::request::template::{Call, KeyPlace, Template};

impl Template {
    /// The requests as lines for a shell, equal ones once.
    pub fn curls(&self, calls: &[Call], authority: &str) -> Vec<String> {
        let mut lines: Vec<_> = calls.iter().map(|call| self.curl(call, authority)).collect();
        lines.dedup();
        lines
    }

    /// The request as a line for a shell, secrets masked.
    pub fn curl(&self, call: &Call, authority: &str) -> String {
        let request = self.request(call, authority);
        let mut line = format!("curl -sS -X {} 'http://{}{}'", request.method, request.host, request.target);
        for (name, value) in &request.headers {
            let ours = matches!(name.as_str(), "Accept" | "User-Agent");
            let is_key = matches!(&self.key_place, KeyPlace::Header(key) if key == name);
            let value = if is_secret(name) && !is_key { "***".into() } else { String::from_utf8_lossy(value) };
            if !ours {
                line += &format!(" -H '{}: {}'", name, shell(&shorten(&value)));
            }
        }
        line + &format!(" -d '{}'", shell(&String::from_utf8_lossy(&request.body)))
    }
}

/// Inside single quotes of a shell.
fn shell(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// A key of 8192 characters is shown by its ends.
fn shorten(value: &str) -> String {
    let count = value.chars().count();
    if count <= 300 {
        return value.to_string();
    }
    let chars: Vec<char> = value.chars().collect();
    format!("{}…{} ({count} characters)", String::from_iter(&chars[..20]), String::from_iter(&chars[count - 20..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::header::Header;
    use crate::target::request::template::{Body, KeyFormat};

    #[test]
    fn a_line_masks_credentials_shows_the_key_and_quotes_for_a_shell() {
        let template = Template {
            method: "POST".into(),
            path: "/charges".into(),
            key_place: KeyPlace::Header("X-Key".into()),
            key_format: KeyFormat::Hex,
            receipt_at: "/receipt".into(),
            success_at: None,
            headers: vec![Header::parse("Authorization: Bearer abcdefgh").unwrap()],
            body: Body::parse(Body::DEFAULT).unwrap(),
        };
        let call = Call { intent: "it's".into(), amount: 7, keys: vec![b"k1".to_vec()], ..Call::default() };
        let lines = template.curls(&[call.clone(), call], "127.0.0.1:80");
        let [line] = lines.as_slice() else { panic!("one line for equal calls: {lines:?}") };
        assert!(line.contains("-H 'Authorization: ***'") && line.contains("-H 'X-Key: k1'"), "{line}");
        assert!(line.ends_with(r#"-d '{"intent":"it'\''s","amount":7}'"#), "{line}");
    }
}
