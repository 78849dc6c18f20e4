//! The cookies of one user, kept over the requests of a session.

/// Names and values as the server set them. All requests of a user go to one host and path, so only names tell them apart.
#[derive(Debug, Clone, Default)]
pub struct CookieJar {
    cookies: Vec<(Vec<u8>, Vec<u8>)>,
    line: Vec<u8>,
}

/// More than this many cookies, or bytes of them, is a hostile server; what goes beyond is not kept.
const MOST_COOKIES: usize = 64;
const MOST_BYTES: usize = 8192;

impl CookieJar {
    /// Takes in every Set-Cookie line of an answer's head; `request_path` decides which cookies come back to it.
    pub fn read_head(&mut self, head: &[u8], request_path: &str) {
        const NAME: &[u8] = b"set-cookie:";
        for line in head.split(|byte| *byte == b'\n') {
            if line.len() > NAME.len() && line[..NAME.len()].eq_ignore_ascii_case(NAME) {
                self.set(&line[NAME.len()..], request_path);
            }
        }
    }

    fn set(&mut self, text: &[u8], request_path: &str) {
        let mut parts = text.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let Some(pair) = parts.next() else { return };
        let Some(equals) = pair.iter().position(|byte| *byte == b'=') else {
            return;
        };
        let (name, value) = (pair[..equals].trim_ascii(), pair[equals + 1..].trim_ascii());
        if name.is_empty() {
            return;
        }
        let mut ended = false;
        for part in parts {
            let (key, given) = match part.iter().position(|byte| *byte == b'=') {
                Some(equals) => (&part[..equals], &part[equals + 1..]),
                None => (part, &b""[..]),
            };
            if key.eq_ignore_ascii_case(b"max-age") {
                ended = given.starts_with(b"-") || given == b"0";
            } else if key.eq_ignore_ascii_case(b"expires") {
                ended |= is_long_past(given);
            } else if key.eq_ignore_ascii_case(b"path") && !covers(given, request_path) {
                return;
            }
        }
        self.cookies.retain(|(known, _)| known != name);
        if !ended && self.cookies.len() < MOST_COOKIES && self.line.len() + name.len() + value.len() < MOST_BYTES {
            self.cookies.push((name.to_vec(), value.to_vec()));
        }
        self.line.clear();
        for (name, value) in &self.cookies {
            if !self.line.is_empty() {
                self.line.extend_from_slice(b"; ");
            }
            self.line.extend_from_slice(name);
            self.line.push(b'=');
            self.line.extend_from_slice(value);
        }
    }

    /// The value of the Cookie header; empty where there are no cookies.
    #[inline]
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    pub fn clear(&mut self) {
        self.cookies.clear();
        self.line.clear();
    }
}

/// Whether a date is one by which servers take a cookie back: all of them choose years before 2000.
fn is_long_past(date: &[u8]) -> bool {
    let words = date.split(|byte| matches!(byte, b' ' | b'-'));
    words
        .filter(|word| word.len() == 4)
        .any(|word| word.starts_with(b"19") && word.iter().all(u8::is_ascii_digit))
}

/// RFC 6265, 5.1.4: whether a cookie's path covers the request's.
fn covers(cookie_path: &[u8], request_path: &str) -> bool {
    let path = request_path.split('?').next().unwrap_or_default().as_bytes();
    if !cookie_path.starts_with(b"/") {
        return true;
    }
    path.starts_with(cookie_path)
        && (path.len() == cookie_path.len() || cookie_path.ends_with(b"/") || path[cookie_path.len()] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(heads: &[&str]) -> String {
        let mut jar = CookieJar::default();
        for head in heads {
            jar.read_head(head.as_bytes(), "/shop/cart?x=1");
        }
        String::from_utf8(jar.line().to_vec()).unwrap()
    }

    #[test]
    fn a_cookie_comes_back_until_the_server_ends_it() {
        assert_eq!(
            jar(&["HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/shop\r\nset-cookie:b=2\r\n"]),
            "a=1; b=2"
        );
        assert_eq!(jar(&["Set-Cookie: a=1\r\n", "Set-Cookie: a=2; HttpOnly\r\n"]), "a=2");
        assert_eq!(jar(&["Set-Cookie: a=1\r\n", "Set-Cookie: a=; Max-Age=0\r\n"]), "");
        let taken_back = "Set-Cookie: a=; Expires=Thu, 01-Jan-1970 00:00:10 GMT\r\n";
        assert_eq!(jar(&["Set-Cookie: a=1\r\n", taken_back]), "");
    }

    #[test]
    fn a_cookie_of_another_path_stays_away() {
        assert_eq!(
            jar(&[
                "Set-Cookie: a=1; Path=/shopping\r\n",
                "Set-Cookie: b=1; Path=/other\r\n"
            ]),
            ""
        );
    }

    #[test]
    fn a_flood_of_cookies_is_bounded() {
        let many: String = (0..1000)
            .map(|n| format!("Set-Cookie: n{n}={}\r\n", "x".repeat(100)))
            .collect();
        assert!(jar(&[&many]).len() <= MOST_BYTES + 200);
    }
}
