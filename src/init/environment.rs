//! Secrets on their way into the file: each becomes the name of a variable. Invariant: a value that gets a name is withheld
//! from every output.

use crate::config::plain;
use crate::http::header::Header;
use crate::target::request::fill;
use crate::target::request::secrets;
use crate::text::withheld;

/// The variables that the file asks for, in order.
#[derive(Debug, Default)]
pub struct Environment {
    pub names: Vec<String>,
}

impl Environment {
    /// What stands in the file for a value, as `${IDEM_AUTHORIZATION}`.
    pub fn instead_of(&mut self, value: &str, name: &str) -> String {
        withheld::note(value);
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let plain = format!("IDEM_{}", name.chars().map(word).collect::<String>());
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let mut free = [plain.clone()].into_iter().chain(numbered).filter(|name| !self.names.contains(name));
        let name = free.next().unwrap_or(plain);
        self.names.push(name.clone());
        format!("${{{name}}}")
    }

    /// A header as the file has it: the scheme of a credential stays (RFC 9110, 11.4), as does what says nothing of who asks.
    pub fn header(&mut self, header: &Header) -> String {
        let Header { name, value } = header;
        let is_filled = fill::fixed(value).collect::<String>() != *value;
        if !secrets::is_secret(name) || is_filled && fill::fixed(value).all(|part| part.len() < 4) {
            return format!("{name}: {}", plain(value));
        }
        let schemes = ["bearer", "basic", "token", "digest", "apikey"];
        let scheme =
            value.split_once(' ').filter(|(scheme, _)| schemes.contains(&scheme.to_ascii_lowercase().as_str()));
        let (scheme, rest) =
            scheme.map_or((String::new(), value.as_str()), |(scheme, rest)| (format!("{scheme} "), rest));
        format!("{name}: {scheme}{}", self.instead_of(rest, name))
    }

    /// A command or an address as the file has it: without the password of a URL in it, nor the value of a variable or an
    /// option that is called so.
    pub fn text(&mut self, text: &str, is_secret: impl Fn(&str) -> bool) -> String {
        let words = text.split_inclusive([' ', '?', '&', ';', '\n']).map(|word| {
            let end = word.trim_end_matches([' ', '?', '&', ';', '\n', '"', '\'']);
            let rest = word.strip_prefix(end).unwrap_or_default();
            let found = end
                .split_once("://")
                .and_then(|(_, rest)| rest.rsplit_once('@'))
                .and_then(|(user, _)| user.split_once(':'));
            let assigned = end.split_once('=').filter(|(name, _)| is_secret(name.trim_start_matches(['-', '"', '\''])));
            let (name, value) = match (found, assigned) {
                (Some((_, password)), _) => ("ledger_password", password),
                (None, Some((name, value))) => (name.trim_start_matches(['-', '"', '\'']), value),
                (None, None) => return plain(word),
            };
            let value = value.trim_start_matches(['"', '\'']);
            // It may be read from the environment already.
            if value.is_empty() || value.starts_with('$') {
                return plain(word);
            }
            let name = self.instead_of(value, name);
            plain(end).replace(&plain(value), &name) + &plain(rest)
        });
        words.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> String {
        Environment::default().header(&Header::parse(text).unwrap())
    }

    #[test]
    fn a_header_keeps_its_scheme_and_what_is_harmless() {
        assert_eq!(header("Authorization: Bearer sk_1"), "Authorization: Bearer ${IDEM_AUTHORIZATION}");
        assert_eq!(header("X-Api-Key: sk_1 2"), "X-Api-Key: ${IDEM_X_API_KEY}");
        assert_eq!(header("Accept: a/b"), "Accept: a/b");
        assert_eq!(header("X-Order: <{{intent}}>"), "X-Order: <{{intent}}>");
        assert_eq!(header("X-Order: secret-{{intent}}"), "X-Order: ${IDEM_X_ORDER}");
    }

    #[test]
    fn two_of_one_name_are_two_variables() {
        let mut environment = Environment::default();
        assert_eq!(environment.instead_of("a", "pin"), "${IDEM_PIN}");
        assert_eq!(environment.instead_of("b", "pin"), "${IDEM_PIN_2}");
        assert_eq!(environment.names, ["IDEM_PIN", "IDEM_PIN_2"]);
    }

    #[test]
    fn a_command_has_no_password() {
        let of = |text: &str| Environment::default().text(text, |name| name.ends_with("PASSWORD") || name == "token");
        assert_eq!(of("psql postgres://me:pa55@h/db -c 'x'"), "psql postgres://me:${IDEM_LEDGER_PASSWORD}@h/db -c 'x'");
        assert_eq!(of("PGPASSWORD=pa55 psql"), "PGPASSWORD=${IDEM_PGPASSWORD} psql");
        assert_eq!(of("http://h/l?a=1&token=x-1&b=2"), "http://h/l?a=1&token=${IDEM_TOKEN}&b=2");
        assert_eq!(of("echo ${X} PGPASSWORD=$P"), "echo $${X} PGPASSWORD=$P");
    }
}
