//! A request as a line for a shell, to repeat it by hand. Invariant: no credential is in it, and a shell reads it as it
//! is.

use crate::http::address::{Address, Route};
use crate::mcp::meta::{METHOD_HEADER, NAME_HEADER, VERSION_HEADER};
use crate::target::request::secrets::is_secret;
use crate::target::request::template::{Call, PADDING, Template};
use crate::target::request::wire::Form;

impl Template {
    /// The requests as lines for a shell, equal ones once.
    pub fn curls(&self, calls: &[Call], to: &Address) -> Vec<String> {
        let mut lines: Vec<_> = calls.iter().map(|call| self.curl(call, to)).collect();
        lines.dedup();
        lines
    }

    /// The request as a line for a shell, secrets masked.
    pub fn curl(&self, call: &Call, to: &Address) -> String {
        let request = self.request(call, &to.authority);
        if self.tool.as_ref().is_some_and(|tool| tool.is_piped) {
            return format!("# a line on the server's standard input: {}", String::from_utf8_lossy(&request.body));
        }
        // Brackets in a URL are patterns to curl.
        let globs = if request.target.contains(['[', ']', '{', '}']) { " -g" } else { "" };
        let mut line =
            format!("curl -sS{globs}{} -X {} '{}'", reaching(to), request.method, shell(&url(to, &request.target)));
        line += &sending(call);
        for (name, value) in &request.headers {
            let is_varied = call.extra.iter().any(|header| header.name == *name);
            let is_of_tool = name == "Accept" && self.tool.is_some();
            let ours = matches!(name.as_str(), "Accept" | "User-Agent") && !is_varied && !is_of_tool;
            let is_key = self.key_place.is_header(name);
            let value = if is_secret(name) && !is_key && !is_varied_openly(name) {
                "***".into()
            } else {
                String::from_utf8_lossy(value)
            };
            let name = if call.form == Form::LowerCase { name.to_ascii_lowercase() } else { name.clone() };
            if !ours {
                line += &format!(" -H '{}: {}'", name, shell(&shorten(&value)));
            }
        }
        // Without -d curl sends no body.
        let body = large(&shell(&String::from_utf8_lossy(&request.body)));
        if body.is_empty() { line } else { line + &format!(" -d '{body}'") }
    }
}

/// As curl takes it, which reaches a Unix socket by an option.
fn url(to: &Address, target: &str) -> String {
    match &to.route {
        Route::Tcp(_) | Route::Tls { .. } => to.url(target),
        Route::Unix(_) => format!("http://{}{target}", to.authority),
    }
}

/// Options for how it is reached, where that is not by plain TCP.
fn reaching(to: &Address) -> String {
    match (&to.route, to.trust().map(|trust| (&trust.cacert, trust.is_insecure))) {
        (Route::Unix(file), _) => format!(" --unix-socket '{}'", shell(&file.display().to_string())),
        (Route::Tls { .. } | Route::Tcp(_), Some((_, true))) => " -k".into(),
        (Route::Tls { .. } | Route::Tcp(_), Some((Some(file), false))) => {
            format!(" --cacert '{}'", shell(&file.display().to_string()))
        }
        (Route::Tls { .. } | Route::Tcp(_), Some((None, false)) | None) => String::new(),
    }
}

/// Options for how it is sent, where that is not the usual way. The order of headers is not curl's to choose.
fn sending(call: &Call) -> String {
    let form = match call.form {
        Form::Usual | Form::LowerCase | Form::Reversed => "",
        Form::Chunked => " -H 'Transfer-Encoding: chunked'",
        Form::Http10 => " --http1.0",
    };
    let host = call.host.as_deref().map(|host| format!(" -H 'Host: {host}'")).unwrap_or_default();
    let from = call.from.map(|from| format!(" --interface {from}")).unwrap_or_default();
    format!("{form}{host}{from}")
}

/// Headers that idem sets or varies by itself, with values of its own.
fn is_varied_openly(name: &str) -> bool {
    ["traceparent", "X-Forwarded-For", "Expect", VERSION_HEADER, METHOD_HEADER, NAME_HEADER].contains(&name)
}

/// A padding is made by the shell.
fn large(body: &str) -> String {
    let padding = "x".repeat(PADDING);
    body.replace(&padding, &format!(r#"'"$(head -c {PADDING} /dev/zero | tr '\0' x)"'"#))
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
    use std::sync::Arc;

    use crate::http::header::Header;
    use crate::http::trust::Trust;
    use crate::http::url::Url;
    use crate::target::request::key::KeyPlace;
    use crate::target::request::template::fixtures;

    fn template(headers: Vec<Header>) -> Template {
        Template { headers, ..fixtures::template(KeyPlace::Header("X-Key".into())) }
    }

    fn at(url: &str) -> Address {
        let trust = Arc::new(Trust::new(None, url.starts_with("https")).unwrap());
        Address::resolve(&Url::parse(url).unwrap(), &[], &trust).unwrap()
    }

    #[test]
    fn a_line_reaches_what_we_reached() {
        let template = template(vec![]);
        for (url, begin) in [
            ("http://127.0.0.1:80", "curl -sS -X POST 'http://127.0.0.1/charges'"),
            ("https://[::1]:8443", "curl -sS -k -X POST 'https://[::1]:8443/charges'"),
            ("unix:/it's", r"curl -sS --unix-socket '/it'\''s' -X POST 'http://localhost/charges'"),
        ] {
            let line = template.curl(&Call::default(), &at(url));
            assert!(line.starts_with(begin), "{line}");
        }
    }

    #[test]
    fn a_line_masks_credentials_shows_the_key_and_quotes_for_a_shell() {
        let template = template(vec![Header::parse("Authorization: Bearer abcdefgh").unwrap()]);
        let call = Call { intent: "it's".into(), amount: 7, keys: vec![b"k1".to_vec()], ..Call::default() };
        let lines = template.curls(&[call.clone(), call], &at("http://127.0.0.1:80"));
        let [line] = lines.as_slice() else { panic!("one line for equal calls: {lines:?}") };
        assert!(line.contains("-H 'Authorization: ***'") && line.contains("-H 'X-Key: k1'"), "{line}");
        assert!(line.ends_with(r#"-d '{"intent":"it'\''s","amount":7}'"#), "{line}");
    }

    #[test]
    fn a_variant_is_sent_in_its_own_way() {
        let template = template(vec![]);
        let line = |call: Call| template.curl(&call, &at("http://127.0.0.1:80"));
        let call = || Call { keys: vec![b"k1".to_vec()], ..Call::default() };
        assert!(line(Call { form: Form::LowerCase, ..call() }).contains("-H 'x-key: k1'"));
        assert!(line(Call { form: Form::Chunked, ..call() }).contains("-H 'Transfer-Encoding: chunked'"));
        assert!(line(Call { form: Form::Http10, ..call() }).contains("--http1.0"));
        assert!(line(Call { host: Some("localhost:80".into()), ..call() }).contains("-H 'Host: localhost:80'"));
        assert!(line(Call { from: Some([127, 0, 0, 2].into()), ..call() }).contains("--interface 127.0.0.2"));
        let accept = Call { extra: vec![Header::parse("Accept: */*").unwrap()], ..call() };
        assert!(line(accept).contains("-H 'Accept: */*'") && !line(call()).contains("Accept"));
        let padded = line(Call { padded: true, ..call() });
        assert!(padded.len() < 300 && padded.contains("head -c 100000 /dev/zero"), "{padded}");
    }

    #[test]
    fn a_url_with_brackets_and_a_request_without_a_body_are_sent_as_they_are() {
        let mut template = template(vec![]);
        template.path = "/c?a[b]='{{intent}}".into();
        template.body = crate::target::request::body::Body::parse("", None).unwrap();
        let line = template.curl(&Call { intent: "i".into(), ..Call::default() }, &at("http://127.0.0.1"));
        assert_eq!(line, r"curl -sS -g -X POST 'http://127.0.0.1/c?a[b]='\''i'");
    }
}
