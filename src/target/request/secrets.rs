//! Keeps credentials out of reports. Invariant: a value given in a header option never reaches an output, however it
//! came there: as a curl line, or echoed by the server.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use aho_corasick::MatchKind;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;

use super::fill;
use crate::console::printable::printable;
use crate::http::header::Header;
use crate::text::xml::escaped;

/// Header values that must not be printed.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    values: Vec<String>,
    /// Finds them; made when the first text is masked, since reports mask hundreds.
    finder: OnceLock<NFA>,
}

/// Headers whose values say nothing about who asks.
const HARMLESS: [&str; 4] = ["accept", "content-type", "user-agent", "x-request-id"];

/// Shorter values are masked in curl lines alone, and so are short numbers and the words of JSON: taking `1` or `true` out
/// of every text would garble it.
const SHORTEST: usize = 4;

impl Secrets {
    pub fn new<'a>(headers: impl Iterator<Item = &'a Header>) -> Secrets {
        // What fills a hole is no secret, what stands around it may be.
        let given = headers.filter(|h| is_secret(&h.name)).flat_map(|header| fill::fixed(&header.value));
        Secrets::default().with(given)
    }

    /// With more values.
    pub fn with<'a>(&self, more: impl IntoIterator<Item = &'a str>) -> Secrets {
        let mut values: BTreeSet<String> = self.values.iter().cloned().collect();
        for value in more {
            // The token of `Bearer xyz`, the value of `session=xyz; …`: a server may echo it alone.
            let parts = value.split([' ', '=', ';', ',', '"']).filter(|part| part.len() >= 8);
            for secret in parts.chain([value.trim()]).filter(|secret| can_be_masked(secret)) {
                // As the reports write it.
                let written = [printable(secret).into_owned(), json(secret), escaped(secret), secret.to_string()];
                values.extend(written);
            }
        }
        Secrets { values: values.into_iter().collect(), finder: OnceLock::new() }
    }

    /// Takes a report, whatever its format. The longest value counts where several begin at one place.
    pub fn mask(&self, text: &str) -> String {
        if self.values.is_empty() {
            return text.to_string();
        }
        let finder = self.finder.get_or_init(|| {
            let finder = NFA::builder().match_kind(MatchKind::LeftmostLongest).build(&self.values);
            finder.expect("fewer and shorter than an automaton can hold")
        });
        let mut masked = String::with_capacity(text.len());
        let done = finder.try_replace_all_with(text, &mut masked, |_, _, out| {
            out.push_str("***");
            true
        });
        done.expect("it is built for matches anywhere in a text");
        masked
    }
}

/// Whether taking it out of a whole report leaves the rest as it was.
fn can_be_masked(value: &str) -> bool {
    let is_number = value.len() < 8 && value.bytes().all(|b| b.is_ascii_digit());
    value.len() >= SHORTEST && !is_number && !["true", "false", "null"].contains(&value)
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
    fn what_a_command_printed_is_masked_whole_and_in_parts() {
        let secrets = Secrets::default().with(["keyId=\"first-key\",signature=\"c2lnbmF0dXJl\"", "abc"]);
        assert_eq!(
            secrets.mask("bad c2lnbmF0dXJl of first-key, abc"),
            "bad *** of ***, abc",
            "three letters are no secret"
        );
    }

    #[test]
    fn a_document_stays_one_whatever_the_values_are() {
        let secrets = Secrets::default().with(["true", "1000", "null", "1234567"]);
        assert_eq!(secrets.mask(r#"{"a":true,"b":1000,"c":null}"#), r#"{"a":true,"b":1000,"c":null}"#);
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
