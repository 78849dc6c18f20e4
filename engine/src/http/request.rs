//! The head of a request, made once for each operation; only length and cookies are filled in when it is sent.

use super::Url;
use crate::job::{ConnectionUse, Target};

/// The bytes of a request's head that do not change.
#[derive(Debug, Clone)]
pub struct RequestHead {
    fixed: Vec<u8>,
    says_length_always: bool,
}

impl RequestHead {
    /// The head for one operation: request line, Host, the target's headers, the operation's headers.
    pub fn new(target: &Target, url: &Url, operation: &str, connection: ConnectionUse) -> Self {
        let own = target.operation_headers.get(operation);
        let given = |name: &str| own.is_some_and(|set| set.0.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)));
        let mut fixed = format!("{} {} HTTP/1.1\r\n", target.method, url.path);
        let common = target.headers.0.iter().filter(|(name, _)| !given(name));
        let all: Vec<_> = common.chain(own.iter().flat_map(|set| set.0.iter())).collect();
        if !all.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            fixed.push_str(&format!("Host: {}\r\n", url.authority));
        }
        for (name, value) in all {
            fixed.push_str(&format!("{name}: {value}\r\n"));
        }
        if connection == ConnectionUse::PerRequest {
            fixed.push_str("Connection: close\r\n");
        }
        let bodiless = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"];
        Self {
            fixed: fixed.into_bytes(),
            says_length_always: !bodiless.contains(&target.method.as_str()),
        }
    }

    /// Appends the whole head for a body of `body_length` bytes; `cookies` is the value of the Cookie header, or empty.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>, body_length: usize, cookies: &[u8]) {
        out.extend_from_slice(&self.fixed);
        if !cookies.is_empty() {
            out.extend_from_slice(b"Cookie: ");
            out.extend_from_slice(cookies);
            out.extend_from_slice(b"\r\n");
        }
        if self.says_length_always || body_length > 0 {
            out.extend_from_slice(b"Content-Length: ");
            write_decimal(out, body_length);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
    }
}

#[inline]
fn write_decimal(out: &mut Vec<u8>, mut number: usize) {
    let mut digits = [0u8; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[place..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Ordered;

    fn target(method: &str) -> Target {
        let headers = vec![
            ("SOAPAction".to_owned(), "\"\"".to_owned()),
            ("X".to_owned(), "1".to_owned()),
        ];
        let own = Ordered(vec![("soapaction".to_owned(), "\"echo\"".to_owned())]);
        Target {
            subject: "a".to_owned(),
            url: "http://h/p".to_owned(),
            method: method.to_owned(),
            headers: Ordered(headers),
            operation_headers: [("echo".to_owned(), own)].into(),
            tls: Default::default(),
            keepers: Vec::new(),
        }
    }

    fn head(method: &str, operation: &str, connection: ConnectionUse, length: usize, cookies: &[u8]) -> String {
        let target = target(method);
        let head = RequestHead::new(&target, &Url::parse(&target.url).unwrap(), operation, connection);
        let mut out = Vec::new();
        head.write(&mut out, length, cookies);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_operations_header_replaces_the_targets() {
        assert_eq!(
            head("POST", "echo", ConnectionUse::KeepAlive, 258, b""),
            "POST /p HTTP/1.1\r\nHost: h\r\nX: 1\r\nsoapaction: \"echo\"\r\nContent-Length: 258\r\n\r\n"
        );
    }

    #[test]
    fn a_get_without_body_says_no_length_and_cookies_are_sent() {
        assert_eq!(
            head("GET", "other", ConnectionUse::PerRequest, 0, b"a=b"),
            "GET /p HTTP/1.1\r\nHost: h\r\nSOAPAction: \"\"\r\nX: 1\r\nConnection: close\r\nCookie: a=b\r\n\r\n"
        );
    }
}
