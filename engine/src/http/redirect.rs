//! The request that a redirect asks for (RFC 9110, 15.4).

use url::{Position, Url};

/// Statuses whose Location is followed.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
/// Header fields that describe a body, by the beginning of their names or whole; a request without its body has none of them.
const OF_ANY_BODY: &str = "content-";
const OF_THE_BODY: [&str; 2] = ["transfer-encoding", "expect"];
/// Header fields that are for one server only.
const OF_THE_SERVER: [&str; 3] = ["host", "authorization", "proxy-authorization"];

/// Whether an answer with this status and a Location is a redirect.
pub fn is_redirect(status: u16) -> bool {
    REDIRECTS.contains(&status)
}

/// A request in a chain of redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    pub url: Url,
    /// The number of redirects that led to it.
    pub count: u32,
    /// Whether it has the body of the first request.
    pub keeps_body: bool,
    method: Vec<u8>,
}

impl Hop {
    /// The first request, for `url`.
    pub fn first(method: &[u8], url: Url) -> Self {
        Self {
            url,
            count: 0,
            keeps_body: true,
            method: method.to_vec(),
        }
    }

    /// The request that an answer with this status and Location asks for; None if Location is no HTTP URL.
    pub fn next(&self, status: u16, location: &[u8]) -> Option<Self> {
        let url = self.url.join(&String::from_utf8_lossy(location)).ok()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let becomes_get = match status {
            301 | 302 => self.method == b"POST",
            303 => self.method != b"HEAD",
            _ => false,
        };
        Some(Self {
            url,
            count: self.count + 1,
            keeps_body: self.keeps_body && !becomes_get,
            method: if becomes_get {
                b"GET".to_vec()
            } else {
                self.method.clone()
            },
        })
    }

    /// Whether the method is idempotent because it became GET.
    pub fn is_get(&self) -> bool {
        self.method == b"GET"
    }

    /// Appends the head of this request, made from the `first` request's head. Another server than the first gets neither its Host nor
    /// its credentials.
    pub fn write(&self, first: &[u8], other_server: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.method);
        out.push(b' ');
        out.extend_from_slice(self.url[Position::BeforePath..Position::AfterQuery].as_bytes());
        out.extend_from_slice(b" HTTP/1.1\r\n");
        if other_server {
            out.extend_from_slice(b"Host: ");
            out.extend_from_slice(self.url[Position::BeforeHost..Position::AfterPort].as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        for line in first.split_inclusive(|byte| *byte == b'\n').skip(1) {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            let is_one_of = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
            let of_a_body = is_one_of(&OF_THE_BODY)
                || name
                    .get(..OF_ANY_BODY.len())
                    .is_some_and(|begin| begin.eq_ignore_ascii_case(OF_ANY_BODY.as_bytes()));
            let left_out = of_a_body && !self.keeps_body || other_server && is_one_of(&OF_THE_SERVER);
            if !left_out {
                out.extend_from_slice(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &[u8] =
        b"POST /a?x=1 HTTP/1.1\r\nHost: shop.test\r\nAuthorization: Bearer s\r\nContent-Type: text/xml\r\n\
        X-Tenant: 7\r\nContent-Length: 5\r\n\r\n";

    fn first(method: &str) -> Hop {
        Hop::first(method.as_bytes(), Url::parse("http://shop.test/shop/a?x=1").unwrap())
    }

    fn written(hop: &Hop, other_server: bool) -> String {
        let mut out = Vec::new();
        hop.write(FIRST, other_server, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_method_changes_as_clients_do_and_the_body_goes_with_it() {
        for (method, status, then, keeps_body) in [
            ("POST", 301, "GET", false),
            ("POST", 302, "GET", false),
            ("POST", 303, "GET", false),
            ("PUT", 301, "PUT", true),
            ("PUT", 303, "GET", false),
            ("DELETE", 302, "DELETE", true),
            ("HEAD", 303, "HEAD", true),
            ("POST", 307, "POST", true),
            ("POST", 308, "POST", true),
            ("GET", 302, "GET", true),
        ] {
            let next = first(method).next(status, b"/b").unwrap();
            let line = written(&next, false);
            assert!(
                line.starts_with(&format!("{then} /b HTTP/1.1\r\n")),
                "{method} {status}: {line}"
            );
            assert_eq!(next.keeps_body, keeps_body, "{method} {status}");
        }
        let after_both = first("POST").next(302, b"/b").unwrap().next(307, b"/c").unwrap();
        assert!(!after_both.keeps_body && after_both.is_get() && after_both.count == 2);
        for status in [200, 300, 304, 305, 400] {
            assert!(!is_redirect(status));
        }
    }

    #[test]
    fn a_location_is_resolved_against_the_request_that_it_answers() {
        for (location, then) in [
            ("/b?c=d", "/b?c=d"),
            ("b", "/shop/b"),
            ("../b#part", "/b"),
            ("?y=2", "/shop/a?y=2"),
            ("//shop.test/b c", "/b%20c"),
            ("http://shop.test", "/"),
            ("/a\r\nX: 1", "/aX:%201"),
        ] {
            let next = first("GET").next(302, location.as_bytes()).unwrap();
            assert!(
                written(&next, false).starts_with(&format!("GET {then} HTTP/1.1\r\n")),
                "{location}"
            );
        }
        for location in ["ftp://shop.test/", "http://", "http://a:99999/", "mailto:a@b"] {
            assert_eq!(first("GET").next(302, location.as_bytes()), None, "{location}");
        }
    }

    #[test]
    fn another_server_gets_its_own_host_and_no_credentials_and_a_request_without_body_says_nothing_about_one() {
        let moved = first("POST").next(307, b"https://[::1]:8443/b").unwrap();
        assert_eq!(
            written(&moved, true),
            "POST /b HTTP/1.1\r\nHost: [::1]:8443\r\nContent-Type: text/xml\r\nX-Tenant: 7\r\nContent-Length: 5\r\n\r\n"
        );
        let found = first("POST").next(302, b"/b").unwrap();
        assert_eq!(
            written(&found, false),
            "GET /b HTTP/1.1\r\nHost: shop.test\r\nAuthorization: Bearer s\r\nX-Tenant: 7\r\n\r\n"
        );
    }
}
