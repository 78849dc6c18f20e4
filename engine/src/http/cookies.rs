//! The cookies of one user over the requests of a session (RFC 6265).

use std::cmp::Reverse;

use cookie_store::{Cookie, CookieStore};
use url::Url;

/// The cookies that a server set for one user, and the Cookie header of the current request.
#[derive(Debug, Clone, Default)]
pub struct CookieJar {
    store: CookieStore,
    /// Whether the server has set a cookie since the jar was cleared.
    any: bool,
    line: Vec<u8>,
}

/// The most cookies, and bytes of them, that are kept; more come only from a hostile server.
const MOST_COOKIES: usize = 64;
const MOST_BYTES: usize = 8192;

impl CookieJar {
    /// Reads every Set-Cookie line of an answer's head; `url` is that of its request.
    pub fn read_head(&mut self, head: &[u8], url: impl FnOnce() -> Url) {
        const NAME: &[u8] = b"set-cookie:";
        let mut lines = head
            .split(|byte| *byte == b'\n')
            .filter(|line| line.len() > NAME.len() && line[..NAME.len()].eq_ignore_ascii_case(NAME))
            .peekable();
        if lines.peek().is_none() {
            return;
        }
        let url = url();
        for line in lines {
            self.set(&line[NAME.len()..], &url);
        }
    }

    fn set(&mut self, text: &[u8], url: &Url) {
        let Ok(cookie) = Cookie::parse(from_latin_1(text), url) else {
            return;
        };
        self.any = true;
        let (domain, path) = (String::from(&cookie.domain), String::from(&cookie.path));
        let name = cookie.name().to_owned();
        if self.store.insert(cookie.into_owned(), url).is_err() {
            return;
        }
        let sizes = self.store.iter_any().map(|cookie| {
            let (name, value) = cookie.name_value();
            name.len() + value.len()
        });
        let (count, bytes) = sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size));
        // An expired cookie removes an earlier one (RFC 6265, 5.3).
        let ended = !self.store.contains(&domain, &path, &name);
        if ended || count > MOST_COOKIES || bytes > MOST_BYTES {
            self.store.remove(&domain, &path, &name);
        }
    }

    /// Makes the value of the Cookie header for a request for `url`: first the request's `own` cookies, except those that the server has
    /// replaced, then the server's. Longer paths come before shorter ones, earlier cookies before later (RFC 6265, 5.4).
    pub fn prepare(&mut self, own: &[u8], url: impl FnOnce() -> Url) {
        self.line.clear();
        if !self.any {
            return self.line.extend_from_slice(own);
        }
        let url = url();
        // The store treats loopback as secure, which a server behind plain HTTP does not expect.
        let secure = url.scheme() == "https";
        let sent = |cookie: &&Cookie| secure || cookie.secure() != Some(true);
        let mut cookies: Vec<&Cookie> = self.store.matches(&url).into_iter().filter(sent).collect();
        cookies.sort_by_key(|cookie| Reverse(cookie.path.as_ref().len()));
        for pair in own.split(|byte| *byte == b';').map(<[u8]>::trim_ascii) {
            let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
            let is_set_anew = |cookie: &&Cookie| to_latin_1(cookie.name()).eq(name.iter().copied());
            if !pair.is_empty() && !cookies.iter().any(is_set_anew) {
                begin_pair(&mut self.line);
                self.line.extend_from_slice(pair);
            }
        }
        for cookie in cookies {
            let (name, value) = cookie.name_value();
            begin_pair(&mut self.line);
            self.line.extend(to_latin_1(name));
            self.line.push(b'=');
            self.line.extend(to_latin_1(value));
        }
    }

    /// The value of the Cookie header as prepared last; empty if there is none.
    #[inline]
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.any) {
            self.store.clear();
        }
        self.line.clear();
    }
}

fn begin_pair(line: &mut Vec<u8>) {
    if !line.is_empty() {
        line.extend_from_slice(b"; ");
    }
}

/// A header's bytes as text with one character for each byte, so that a cookie is sent back unchanged.
fn from_latin_1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn to_latin_1(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.chars().map(|character| u32::from(character) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// What a request for `then` says after an answer to a request for `first` had these lines in its head.
    fn sent(first: &str, lines: &[&str], then: &str) -> String {
        let mut jar = CookieJar::default();
        for line in lines {
            jar.read_head(format!("Set-Cookie: {line}\n").as_bytes(), || url(first));
        }
        jar.prepare(b"", || url(then));
        String::from_utf8(jar.line().to_vec()).unwrap()
    }

    const SHOP: &str = "http://127.0.0.1:8080/shop/cart?x=1";

    #[test]
    fn a_cookie_comes_back_until_the_server_takes_it_back() {
        assert_eq!(sent(SHOP, &["a=1; Path=/shop", "b=2"], SHOP), "a=1; b=2");
        assert_eq!(sent(SHOP, &["a=1", "b=1", "a=2; HttpOnly"], SHOP), "a=2; b=1");
        assert_eq!(sent(SHOP, &["a=1", "a=; Max-Age=0"], SHOP), "");
        assert_eq!(sent(SHOP, &["a=1", "a=; Max-Age=-5"], SHOP), "");
        for date in [
            "Thu, 01-Jan-1970 00:00:10 GMT",
            "Wed, 25 Nov 2020 10:00:00 GMT",
            "Wednesday, 25-Nov-20 10:00:00 GMT",
        ] {
            assert_eq!(sent(SHOP, &["a=1", &format!("a=; Expires={date}")], SHOP), "", "{date}");
        }
    }

    #[test]
    fn max_age_goes_before_expires() {
        let past = "Expires=Thu, 01 Jan 1970 00:00:00 GMT";
        assert_eq!(sent(SHOP, &[&format!("a=1; Max-Age=3600; {past}")], SHOP), "a=1");
        assert_eq!(sent(SHOP, &[&format!("a=1; {past}")], SHOP), "");
        let future = "Expires=Fri, 01 Jan 2999 00:00:00 GMT";
        assert_eq!(sent(SHOP, &[&format!("a=1; Max-Age=0; {future}")], SHOP), "");
    }

    #[test]
    fn a_cookie_goes_to_its_path_and_below_and_without_one_to_the_folder_of_its_request() {
        let from = "http://h/api/login";
        let set = [
            "r=1; Path=/api/refresh",
            "n=2; Path=/api",
            "d=3",
            "o=4; Path=/other",
            "w=5; Path=/",
        ];
        assert_eq!(sent(from, &set, "http://h/api/refresh?q"), "r=1; n=2; d=3; w=5");
        assert_eq!(sent(from, &set, "http://h/api/refreshing"), "n=2; d=3; w=5");
        assert_eq!(sent(from, &set, "http://h/apis"), "w=5");
        assert_eq!(sent(from, &set, "http://h/other/x"), "o=4; w=5");
    }

    #[test]
    fn longer_paths_go_first_and_then_earlier_cookies() {
        let set = [
            "w=1; Path=/",
            "a=2; Path=/shop/cart",
            "s=3; Path=/shop",
            "b=4; Path=/shop/cart",
        ];
        assert_eq!(sent(SHOP, &set, SHOP), "a=2; b=4; s=3; w=1");
    }

    #[test]
    fn a_secure_cookie_goes_over_tls_only_on_loopback_too() {
        assert_eq!(sent(SHOP, &["a=1; Secure", "b=2"], SHOP), "b=2");
        let secure = "https://127.0.0.1:8080/shop/cart";
        assert_eq!(sent(secure, &["a=1; Secure"], secure), "a=1");
        assert_eq!(sent(secure, &["a=1; Secure"], SHOP), "");
    }

    #[test]
    fn a_cookie_of_another_domain_is_not_kept_and_one_of_a_parent_is() {
        assert_eq!(sent(SHOP, &["a=1; Domain=other.example"], SHOP), "");
        let host = "http://www.shop.test/";
        let set = ["a=1; Domain=shop.test", "b=2; Domain=.SHOP.test", "c=3; Domain=op.test"];
        assert_eq!(sent(host, &set, host), "a=1; b=2");
    }

    #[test]
    fn bytes_that_are_no_text_go_back_as_they_came_and_what_is_no_cookie_stays_away() {
        let mut jar = CookieJar::default();
        jar.read_head(
            b"SET-COOKIE:a=\xff\xe9\"x\"\nSet-Cookie: nameless\nSet-Cookie: =v\nX: b=1\n",
            || url(SHOP),
        );
        jar.prepare(b"", || url(SHOP));
        assert_eq!(jar.line(), b"a=\xff\xe9\"x\"");
    }

    #[test]
    fn the_requests_own_cookies_go_first_and_give_way_to_the_servers() {
        let mut jar = CookieJar::default();
        jar.prepare(b"a=1; b=2", || url(SHOP));
        assert_eq!(jar.line(), b"a=1; b=2");
        jar.read_head(b"Set-Cookie: a=9\n", || url(SHOP));
        jar.prepare(b"a=1; b=2", || url(SHOP));
        assert_eq!(jar.line(), b"b=2; a=9");
        jar.prepare(b"a=1; b=2", || url("http://127.0.0.1:8080/other"));
        assert_eq!(jar.line(), b"a=1; b=2");
    }

    #[test]
    fn a_flood_of_cookies_is_bounded() {
        let mut jar = CookieJar::default();
        for n in 0..1000 {
            jar.read_head(format!("Set-Cookie: n{n}={}\n", "x".repeat(100)).as_bytes(), || {
                url(SHOP)
            });
        }
        jar.read_head(format!("Set-Cookie: big={}\n", "x".repeat(9000)).as_bytes(), || {
            url(SHOP)
        });
        jar.prepare(b"", || url(SHOP));
        assert_eq!(jar.line().split(|byte| *byte == b';').count(), MOST_COOKIES);
    }

    proptest::proptest! {
        #[test]
        fn no_line_of_a_server_and_no_path_ends_the_engine(
            lines in proptest::collection::vec("[\\PC;=. \\-]{0,60}", 0..8),
            attributes in proptest::collection::vec(
                proptest::sample::select(vec!["Path=/", "Path=/\u{e9}", "Path=", "Domain=.", "Domain=h", "Max-Age=99999999999999999999",
                    "Max-Age=-1", "Expires=Thu, 01 Jan 19700 00:00:00 GMT", "Secure", "SameSite", "HttpOnly="]), 0..8),
            path in "\\PC{0,30}",
        ) {
            let mut jar = CookieJar::default();
            let mut site = url("http://h/");
            site.set_path(&path);
            for (number, line) in lines.iter().enumerate() {
                let attribute = attributes.get(number).copied().unwrap_or_default();
                jar.read_head(format!("Set-Cookie:{line};{attribute}\nSet-Cookie: n{number}=1;{attribute}\n").as_bytes(), || site.clone());
                jar.prepare(line.as_bytes(), || site.clone());
            }
            proptest::prop_assert!(!jar.line().contains(&b'\n'));
        }
    }
}
