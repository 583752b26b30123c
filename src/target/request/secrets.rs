//! Keeps credentials out of reports. Invariant: a value given in a header option never reaches an output, however it
//! came there: as a curl line, or echoed by the server.

use super::fill;
use crate::console::printable::printable;
use crate::http::header::Header;
use crate::text::xml::escaped;

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
            // What fills a hole is no secret, what stands around it may be.
            for part in fill::fixed(&header.value) {
                values.push(part.trim().to_string());
                // The token of `Bearer xyz`, the value of `session=xyz; …`: a server may echo it alone.
                values.extend(part.split([' ', '=', ';']).filter(|p| p.len() >= 8).map(str::to_string));
            }
        }
        values.retain(|v| v.len() >= SHORTEST);
        // As the reports write them.
        let written = values.iter().flat_map(|v| [printable(v).into_owned(), json(v), escaped(v)]).collect::<Vec<_>>();
        values.extend(written);
        values.sort_by_key(|v| std::cmp::Reverse(v.len()));
        Secrets(values)
    }

    /// Takes a report, whatever its format.
    pub fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

/// Inside the quotes of a JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string().trim_matches('"').to_string()
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
    fn a_token_is_masked_in_the_words_of_every_format() {
        let secrets = Secrets::new([Header::parse("Cookie: a<\u{1b}\"b").unwrap()].iter());
        for written in ["a<\u{1b}\"b", r#"a<\u{1b}"b"#, r#"a<\u001b\"b"#, "a&lt;&quot;b"] {
            assert_eq!(secrets.mask(written), "***", "{written}");
        }
    }

    #[test]
    fn what_stands_around_a_hole_is_masked() {
        let header = Header::parse("X-Sign: s3cr3t-{{intent}}-t0k3n").unwrap();
        assert_eq!(Secrets::new([header].iter()).mask("s3cr3t-ord-1-t0k3n"), "***ord-1***");
    }

    #[test]
    fn a_content_type_is_no_secret() {
        let header = Header::parse("Content-Type: application/json").unwrap();
        assert_eq!(Secrets::new([header].iter()).mask("application/json"), "application/json");
    }
}
