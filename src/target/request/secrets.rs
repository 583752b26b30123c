//! Keeps credentials out of reports. Invariant: a value given in a header option never reaches an output, however it
//! came there: as a curl line, or echoed by the server.

use crate::http::header::Header;

/// Header values that must not be printed.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Vec<String>);

/// Headers whose values say nothing about who asks.
const HARMLESS: [&str; 4] = ["accept", "content-type", "user-agent", "x-request-id"];

/// Shorter values are masked in curl lines alone: taking `1` out of every text would garble it.
const SHORTEST: usize = 4;

impl Secrets {
    pub fn new<'a>(headers: impl Iterator<Item = &'a Header>) -> Secrets {
        let mut values = Vec::new();
        for header in headers.filter(|h| is_secret(&h.name)) {
            values.push(header.value.clone());
            // The token of `Bearer xyz`, the value of `session=xyz; …`: a server may echo it alone.
            values.extend(header.value.split([' ', '=', ';']).filter(|p| p.len() >= 8).map(str::to_string));
        }
        values.retain(|v| v.len() >= SHORTEST);
        values.sort_by_key(|v| std::cmp::Reverse(v.len()));
        Secrets(values)
    }

    pub fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

/// Whether a header's value is masked where a request is shown.
pub fn is_secret(name: &str) -> bool {
    !HARMLESS.iter().any(|harmless| name.eq_ignore_ascii_case(harmless))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_masked_wherever_it_shows_up() {
        let header = Header::parse("Authorization: Bearer s3cr3t-t0k3n").unwrap();
        let secrets = Secrets::new([header].iter());
        assert_eq!(secrets.mask(r#"{"seen":"Bearer s3cr3t-t0k3n"}"#), r#"{"seen":"***"}"#);
        assert_eq!(secrets.mask("token s3cr3t-t0k3n is bad"), "token *** is bad");
    }

    #[test]
    fn a_content_type_is_no_secret() {
        let header = Header::parse("Content-Type: application/json").unwrap();
        assert_eq!(Secrets::new([header].iter()).mask("application/json"), "application/json");
    }
}
