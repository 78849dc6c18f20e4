//! The head of a request, built once for each request line; only length, cookies and marked places are filled in at sending.

use std::borrow::Cow;
use std::ops::Range;

use super::Url;
use crate::corpus::RequestLine;
use crate::job::{ConnectionUse, Target};
use crate::session::{self, Filled, Filling, RequestParts, Stamp, Values};

/// The constant bytes of a request's head.
#[derive(Debug, Clone)]
pub struct RequestHead {
    fixed: Vec<u8>,
    /// The range of the path in `fixed`, and the begin of the corpus' headers: the parts that may have marked places.
    path: Range<usize>,
    own_headers: usize,
    /// The request's own Cookie header, which may have marked places; empty where it has none.
    cookies: Vec<u8>,
    filled: bool,
    /// Whether the path has a marked place.
    path_filled: bool,
    /// Whether a header of the corpus has a computed value, which may need the path.
    computes: bool,
    /// The corpus stores the body in chunks.
    chunked: bool,
    says_length_always: bool,
    answers_head: bool,
    idempotent: bool,
}

/// The pieces of a head, for HTTP/2.
pub struct HeadParts<'a> {
    pub method: &'a [u8],
    pub path: &'a [u8],
    /// Lines of Host and of the headers of target and operation.
    pub common: &'a [u8],
    /// Lines of the headers of the corpus.
    pub own: &'a [u8],
    /// The value of the request's own Cookie header, or empty.
    pub cookies: &'a [u8],
    pub says_length_always: bool,
}

/// Methods whose requests have no body by default.
const BODILESS: [&str; 5] = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"];
/// Idempotent methods (RFC 9110, 9.2.2).
const IDEMPOTENT: [&str; 6] = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"];

impl RequestHead {
    /// The head for one line of the corpus: request line, Host, and the headers of target, operation and line. A later header replaces an
    /// earlier one of the same name.
    pub fn new(target: &Target, url: &Url, operation: &str, line: &RequestLine, connection: ConnectionUse) -> Self {
        let of_operation: &[_] = target.operation_headers.get(operation).map_or(&[], |set| &set.0);
        let in_set = |set: &[(String, String)], name: &str| set.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let in_line = |name: &str| in_set(&line.headers, name);
        let common = target.headers.0.iter().filter(|(name, _)| !in_set(of_operation, name));
        let others: Vec<_> = common.chain(of_operation).filter(|(name, _)| !in_line(name)).collect();
        let method = line.method.as_ref().unwrap_or(&target.method);
        let path = line.path.as_ref().unwrap_or(&url.path);
        let mut fixed = format!("{method} {path} HTTP/1.1\r\n");
        if !in_line("host") && !others.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            fixed.push_str(&format!("Host: {}\r\n", url.authority));
        }
        let all_names: Vec<&str> = others
            .iter()
            .copied()
            .chain(&line.headers)
            .map(|(name, _)| name.as_str())
            .collect();
        let mut cookies = String::new();
        let mut add = |fixed: &mut String, name: &str, value: &str| {
            if name.eq_ignore_ascii_case("cookie") {
                cookies.push_str(if cookies.is_empty() { "" } else { "; " });
                cookies.push_str(value);
            } else {
                fixed.push_str(&format!("{name}: {value}\r\n"));
            }
        };
        for (name, value) in &others {
            add(&mut fixed, name, value);
        }
        if connection == ConnectionUse::PerRequest {
            fixed.push_str("Connection: close\r\n");
        }
        let own_headers = fixed.len();
        for (name, value) in &line.headers {
            add(&mut fixed, name, value);
        }
        Self {
            path: method.len() + 1..method.len() + 1 + path.len(),
            path_filled: line.filled && session::has_place(path.as_bytes()),
            computes: line.filled && session::has_computed(&fixed.as_bytes()[own_headers..]),
            own_headers,
            fixed: fixed.into_bytes(),
            cookies: cookies.into_bytes(),
            filled: line.filled,
            chunked: all_names
                .iter()
                .any(|name| name.eq_ignore_ascii_case("transfer-encoding")),
            says_length_always: !BODILESS.contains(&method.as_str()),
            answers_head: method == "HEAD",
            idempotent: IDEMPOTENT.contains(&method.as_str()),
        }
    }

    pub fn parts(&self) -> HeadParts<'_> {
        let line_end = memchr::memchr(b'\n', &self.fixed).map_or(self.own_headers, |end| end + 1);
        HeadParts {
            method: self.method(),
            path: &self.fixed[self.path.clone()],
            common: &self.fixed[line_end..self.own_headers],
            own: &self.fixed[self.own_headers..],
            cookies: &self.cookies,
            says_length_always: self.says_length_always,
        }
    }

    /// Whether the request or its body has marked places.
    #[inline]
    pub fn is_filled(&self) -> bool {
        self.filled
    }

    pub fn method(&self) -> &[u8] {
        &self.fixed[..self.path.start - 1]
    }

    /// Whether the request's method is idempotent.
    #[inline]
    pub fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// The request's own cookies with their places filled.
    pub fn own_cookies(&self, values: &Values, stamp: &Stamp) -> (Cow<'_, [u8]>, Filled) {
        if !self.filled || self.cookies.is_empty() {
            return (Cow::Borrowed(&self.cookies), Filled::Whole);
        }
        let mut out = Vec::with_capacity(self.cookies.len());
        let filled = session::fill(&self.cookies, &self.filling(values, stamp), &mut out);
        (Cow::Owned(out), filled)
    }

    /// Appends a body with its places filled.
    pub fn fill_body(&self, body: &[u8], values: &Values, stamp: &Stamp, out: &mut Vec<u8>) -> Filled {
        session::fill(body, &self.filling(values, stamp), out)
    }

    /// What fills the places of a request whose path and body are not known yet.
    fn filling<'a>(&'a self, values: &'a Values, stamp: &'a Stamp) -> Filling<'a> {
        let request = RequestParts {
            method: &self.fixed[..self.path.start - 1],
            ..RequestParts::default()
        };
        Filling { values, stamp, request }
    }

    /// The URL of a request to `site` for cookies: without a query.
    pub fn url(&self, site: &url::Url, values: &Values, stamp: &Stamp) -> url::Url {
        let (mut url, path) = (site.clone(), self.path(values, stamp));
        url.set_path(path.split('?').next().unwrap_or_default());
        url
    }

    /// Whether the method is HEAD, whose answers have no body.
    #[inline]
    pub fn answers_head(&self) -> bool {
        self.answers_head
    }

    fn fill_path(&self, filling: &Filling, out: &mut Vec<u8>) -> Filled {
        let path = &self.fixed[self.path.clone()];
        if self.path_filled {
            return session::fill_path(path, filling, out);
        }
        out.extend_from_slice(path);
        Filled::Whole
    }

    /// The path with its places filled.
    fn path(&self, values: &Values, stamp: &Stamp) -> String {
        let mut out = Vec::with_capacity(self.path.len());
        self.fill_path(&self.filling(values, stamp), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Appends the whole head for a body of `body_length` bytes. `cookies` is the value of the Cookie header of a session's request, which
    /// includes the request's own cookies; None outside sessions.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>, body_length: usize, cookies: Option<&[u8]>) {
        out.extend_from_slice(&self.fixed);
        self.write_rest(out, body_length, cookies.unwrap_or(&self.cookies));
    }

    /// The same with its places filled, for this body.
    pub fn write_filled(
        &self,
        out: &mut Vec<u8>,
        body: &[u8],
        cookies: Option<&[u8]>,
        values: &Values,
        stamp: &Stamp,
    ) -> Filled {
        let mut filling = self.filling(values, stamp);
        filling.request.body = body;
        out.extend_from_slice(&self.fixed[..self.path.start]);
        let begin = out.len();
        let path = self.fill_path(&filling, out);
        let sent_path = if self.computes {
            out[begin..].to_vec()
        } else {
            Vec::new()
        };
        filling.request.path = &sent_path;
        out.extend_from_slice(&self.fixed[self.path.end..self.own_headers]);
        let headers = session::fill(&self.fixed[self.own_headers..], &filling, out);
        let own = match cookies {
            Some(line) => (Cow::Borrowed(line), Filled::Whole),
            None => self.own_cookies(values, stamp),
        };
        self.write_rest(out, body.len(), &own.0);
        match [path, headers, own.1].contains(&Filled::Lacking) {
            false => Filled::Whole,
            true => Filled::Lacking,
        }
    }

    #[inline]
    fn write_rest(&self, out: &mut Vec<u8>, body_length: usize, cookies: &[u8]) {
        if !cookies.is_empty() {
            out.extend_from_slice(b"Cookie: ");
            out.extend_from_slice(cookies);
            out.extend_from_slice(b"\r\n");
        }
        if !self.chunked && (self.says_length_always || body_length > 0) {
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
            url: Some("http://h/p".to_owned()),
            host: None,
            port: None,
            addresses: Vec::new(),
            secure: false,
            path: None,
            method: method.to_owned(),
            headers: Ordered(headers),
            operation_headers: [("echo".to_owned(), own)].into(),
            tls: Default::default(),
            http2: None,
            redirects: None,
            keepers: Vec::new(),
        }
    }

    fn head(method: &str, operation: &str, connection: ConnectionUse, length: usize, cookies: Option<&[u8]>) -> String {
        let target = target(method);
        let line = RequestLine::default();
        let head = RequestHead::new(&target, &Url::of(&target).unwrap(), operation, &line, connection);
        let mut out = Vec::new();
        head.write(&mut out, length, cookies);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_operations_header_replaces_the_targets() {
        assert_eq!(
            head("POST", "echo", ConnectionUse::KeepAlive, 258, None),
            "POST /p HTTP/1.1\r\nHost: h\r\nX: 1\r\nsoapaction: \"echo\"\r\nContent-Length: 258\r\n\r\n"
        );
    }

    #[test]
    fn a_get_without_body_says_no_length_and_cookies_are_sent() {
        assert_eq!(
            head("GET", "other", ConnectionUse::PerRequest, 0, Some(b"a=b")),
            "GET /p HTTP/1.1\r\nHost: h\r\nSOAPAction: \"\"\r\nX: 1\r\nConnection: close\r\nCookie: a=b\r\n\r\n"
        );
    }

    #[test]
    fn a_line_of_the_corpus_has_its_own_method_path_and_headers_with_their_places_filled() {
        let target = target("POST");
        let line = RequestLine {
            method: Some("GET".to_owned()),
            path: Some("/cart/{{id}}".to_owned()),
            headers: vec![
                ("soapaction".to_owned(), "{{id}}".to_owned()),
                ("Y".to_owned(), "{{counter}}".to_owned()),
            ],
            filled: true,
            ..RequestLine::default()
        };
        let url = Url::of(&target).unwrap();
        let head = RequestHead::new(&target, &url, "echo", &line, ConnectionUse::KeepAlive);
        let (mut out, mut values, stamp) = (Vec::new(), Values::default(), Stamp::default());
        let lacking = head.write_filled(&mut out, b"", None, &values, &stamp);
        assert_eq!(lacking, Filled::Lacking);
        out.clear();
        values.set("id", b"a b");
        assert_eq!(head.write_filled(&mut out, b"", None, &values, &stamp), Filled::Whole);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "GET /cart/a%20b HTTP/1.1\r\nHost: h\r\nX: 1\r\nsoapaction: a b\r\nY: 0\r\n\r\n"
        );
        assert_eq!(head.path(&values, &stamp), "/cart/a%20b");
    }

    #[test]
    fn a_computed_header_takes_method_path_and_body_as_they_are_sent() {
        let target = target("PUT");
        let line = RequestLine {
            path: Some("/cart/{{id}}?of={{hex(body)}}".to_owned()),
            headers: vec![("Y".to_owned(), "{{base64(method, ' ', path, ' ', body)}}".to_owned())],
            filled: true,
            ..RequestLine::default()
        };
        let head = RequestHead::new(
            &target,
            &Url::of(&target).unwrap(),
            "echo",
            &line,
            ConnectionUse::KeepAlive,
        );
        let (mut out, mut values, stamp) = (Vec::new(), Values::default(), Stamp::default());
        values.set("id", b"a b");
        let mut body = Vec::new();
        head.fill_body(b"<{{id}} {{base64(method)}}>", &values, &stamp, &mut body);
        assert_eq!(body, b"<a b UFVU>");
        assert_eq!(head.write_filled(&mut out, &body, None, &values, &stamp), Filled::Whole);
        // printf 'PUT /cart/a%%20b?of=3c61206220554656553e <a b UFVU>' | base64
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "PUT /cart/a%20b?of=3c61206220554656553e HTTP/1.1\r\nHost: h\r\nX: 1\r\nsoapaction: \"echo\"\r\n\
             Y: UFVUIC9jYXJ0L2ElMjBiP29mPTNjNjEyMDYyMjA1NTQ2NTY1NTNlIDxhIGIgVUZWVT4=\r\nContent-Length: 10\r\n\r\n"
        );
    }

    #[test]
    fn the_requests_own_cookies_are_one_header_whose_places_are_filled_and_a_sessions_line_has_them_already() {
        let mut target = target("GET");
        target.headers = Ordered(vec![("cookie".to_owned(), "a=1".to_owned())]);
        let line = RequestLine {
            headers: vec![("Y".to_owned(), "1".to_owned())],
            ..RequestLine::default()
        };
        let url = Url::of(&target).unwrap();
        let written = |line: &RequestLine, cookies: Option<&[u8]>, values: &Values| {
            let head = RequestHead::new(&target, &url, "other", line, ConnectionUse::KeepAlive);
            let mut out = Vec::new();
            let filled = match line.filled {
                true => head.write_filled(&mut out, b"", cookies, values, &Stamp::default()),
                false => {
                    head.write(&mut out, 0, cookies);
                    Filled::Whole
                }
            };
            (String::from_utf8(out).unwrap(), filled)
        };
        let mut values = Values::default();
        let begin = "GET /p HTTP/1.1\r\nHost: h\r\n";
        assert_eq!(
            written(&line, None, &values).0,
            format!("{begin}Y: 1\r\nCookie: a=1\r\n\r\n")
        );
        let session = written(&line, Some(b"b=2; a=1"), &values).0;
        assert_eq!(session, format!("{begin}Y: 1\r\nCookie: b=2; a=1\r\n\r\n"));
        let own = RequestLine {
            headers: vec![("Cookie".to_owned(), "id={{id}}".to_owned())],
            filled: true,
            ..RequestLine::default()
        };
        assert_eq!(written(&own, None, &values).1, Filled::Lacking);
        values.set("id", b"7");
        assert_eq!(
            written(&own, None, &values),
            (format!("{begin}Cookie: id=7\r\n\r\n"), Filled::Whole)
        );
    }
}
