//! How a request is put on the wire. Invariant: all forms say the same; what differs is what HTTP leaves to the sender.

use crate::http::client::Request;

/// One way to write a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As idem writes it: HTTP/1.1, Content-Length, names in their usual case.
    #[default]
    Usual,
    /// Field names in lower case, as what comes through HTTP/2 has them (RFC 9113, 8.2.1).
    LowerCase,
    /// Fields in another order (RFC 9110, 5.3: it has no meaning).
    Reversed,
    /// The body in chunks instead of Content-Length (RFC 9112, 7.1).
    Chunked,
    /// HTTP/1.0, as old proxies speak upstream.
    Http10,
}

/// The bytes to send.
pub fn bytes(request: &Request, form: Form) -> Vec<u8> {
    let framing = match form {
        Form::Chunked => ("Transfer-Encoding", b"chunked".to_vec()),
        Form::Usual | Form::LowerCase | Form::Reversed | Form::Http10 => {
            ("Content-Length", request.body.len().to_string().into_bytes())
        }
    };
    let ours = [framing, ("Connection", b"close".to_vec())].map(|(name, value)| (name.to_string(), value));
    let host = ("Host".to_string(), request.host.clone().into_bytes());
    let mut fields: Vec<_> = [host].into_iter().chain(request.headers.iter().cloned()).chain(ours).collect();
    match form {
        Form::LowerCase => fields.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase()),
        Form::Reversed => fields.reverse(),
        Form::Usual | Form::Chunked | Form::Http10 => {}
    }
    let version = if form == Form::Http10 { "1.0" } else { "1.1" };
    let mut bytes = format!("{} {} HTTP/{version}\r\n", request.method, request.target).into_bytes();
    for (name, value) in &fields {
        bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    bytes.extend(b"\r\n");
    match form {
        Form::Chunked => chunks(&request.body, &mut bytes),
        Form::Usual | Form::LowerCase | Form::Reversed | Form::Http10 => bytes.extend(&request.body),
    }
    bytes
}

/// In two chunks and the last.
fn chunks(body: &[u8], bytes: &mut Vec<u8>) {
    for part in body.chunks(body.len().div_ceil(2).max(1)) {
        bytes.extend(format!("{:x}\r\n", part.len()).bytes());
        bytes.extend(part);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form) -> String {
        let headers = vec![("X-Key".to_string(), b"K".to_vec())];
        let (method, host, target) = ("POST".to_string(), "h".to_string(), "/c".to_string());
        String::from_utf8(bytes(&Request { method, host, target, headers, body: b"abc".to_vec() }, form)).unwrap()
    }

    #[test]
    fn the_usual_form_is_that_of_the_client() {
        let headers = vec![("X-Key".to_string(), b"K".to_vec())];
        let (method, host, target) = ("POST".to_string(), "h".to_string(), "/c".to_string());
        let request = Request { method, host, target, headers, body: b"abc".to_vec() };
        assert_eq!(bytes(&request, Form::Usual), request.to_bytes());
    }

    #[test]
    fn each_form_differs_in_what_it_is_named_for() {
        let end = "Content-Length: 3\r\nConnection: close\r\n\r\nabc";
        assert_eq!(written(Form::Http10), format!("POST /c HTTP/1.0\r\nHost: h\r\nX-Key: K\r\n{end}"));
        assert!(written(Form::LowerCase).starts_with("POST /c HTTP/1.1\r\nhost: h\r\nx-key: K\r\ncontent-length: 3"));
        let reversed = "POST /c HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\nX-Key: K\r\nHost: h\r\n\r\nabc";
        assert_eq!(written(Form::Reversed), reversed);
        let chunked = "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
        assert!(written(Form::Chunked).ends_with(chunked), "{}", written(Form::Chunked));
    }
}
