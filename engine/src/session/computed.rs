//! Values that are computed when a request is sent, such as `{{hmac_sha256(key, method, path, body)}}`: parsed once on each thread, and
//! bounded in length, nesting and number of arguments.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use super::coding::Coding;
use super::stamp::time_text;
use super::template::is_name_byte;
use super::{Stamp, Values, rsa};

/// The longest text of a computed value, in bytes.
const MOST_TEXT: usize = 4096;
const DEEPEST: usize = 8;
const MOST_ARGUMENTS: usize = 32;
/// The most texts whose parsed form a thread keeps.
const MOST_PARSED: usize = 4096;
const JWT_HS256: &[u8] = br#"{"alg":"HS256","typ":"JWT"}"#;
const JWT_RS256: &[u8] = br#"{"alg":"RS256","typ":"JWT"}"#;

/// The parts of the request whose places are filled, as they are sent; a part that is not known yet is empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestParts<'a> {
    pub method: &'a [u8],
    pub path: &'a [u8],
    pub body: &'a [u8],
}

/// All that fills the places of a request.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    pub values: &'a Values,
    pub stamp: &'a Stamp,
    pub request: RequestParts<'a>,
}

impl<'a> Filling<'a> {
    /// Without any part of the request.
    pub fn new(values: &'a Values, stamp: &'a Stamp) -> Self {
        Self {
            values,
            stamp,
            request: RequestParts::default(),
        }
    }
}

/// Where a text with places stands. A request is filled in this order: its body, its path, its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Body,
    Path,
    Header,
    Cookie,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Method,
    Path,
    Body,
}

impl Part {
    fn named(name: &str) -> Option<Self> {
        match name {
            "method" => Some(Self::Method),
            "path" => Some(Self::Path),
            "body" => Some(Self::Body),
            _ => None,
        }
    }

    fn of<'a>(self, request: &RequestParts<'a>) -> &'a [u8] {
        match self {
            Self::Method => request.method,
            Self::Path => request.path,
            Self::Body => request.body,
        }
    }

    /// Whether it is known when a place at `spot` is filled.
    fn is_known_in(self, spot: Spot) -> bool {
        match self {
            Self::Method => true,
            Self::Path => spot == Spot::Header,
            Self::Body => matches!(spot, Spot::Path | Spot::Header),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Base64,
    Base64Url,
    Counter,
    Hex,
    HmacSha256,
    Json,
    JwtHs256,
    JwtRs256,
    Sha256,
    Timestamp,
    Url,
    Uuid,
}

/// Each function with its name, and the least and most of its arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 12] = [
    ("base64", Function::Base64, 1, MOST_ARGUMENTS),
    ("base64url", Function::Base64Url, 1, MOST_ARGUMENTS),
    ("counter", Function::Counter, 0, 0),
    ("hex", Function::Hex, 1, MOST_ARGUMENTS),
    ("hmac_sha256", Function::HmacSha256, 2, MOST_ARGUMENTS),
    ("json", Function::Json, 1, MOST_ARGUMENTS),
    ("jwt_hs256", Function::JwtHs256, 2, MOST_ARGUMENTS),
    ("jwt_rs256", Function::JwtRs256, 2, MOST_ARGUMENTS),
    ("sha256", Function::Sha256, 1, MOST_ARGUMENTS),
    ("timestamp", Function::Timestamp, 1, 2),
    ("url", Function::Url, 1, MOST_ARGUMENTS),
    ("uuid", Function::Uuid, 0, 0),
];

impl Function {
    /// Whether its first argument is a key.
    fn takes_key(self) -> bool {
        matches!(self, Self::HmacSha256 | Self::JwtHs256 | Self::JwtRs256)
    }

    /// Whether its value is a hash: bytes, which stand in hexadecimal where a text is needed.
    fn is_hash(self) -> bool {
        matches!(self, Self::HmacSha256 | Self::Sha256)
    }

    /// Whether it takes the bytes of hashes as they are.
    fn takes_bytes(self) -> bool {
        !matches!(self, Self::Url | Self::Json | Self::JwtHs256 | Self::JwtRs256)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    Milliseconds,
    Seconds,
    /// RFC 3339.
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Text(Vec<u8>),
    /// The name of a value, by its range in the text.
    Name(Range<usize>),
    Part(Part),
    /// The current time, so many seconds later.
    Time(Clock, u32),
    Call(Function, Vec<Node>),
}

/// A computed value, parsed.
#[derive(Debug, Clone)]
pub(super) struct Computed {
    root: Node,
}

thread_local! {
    /// The computed values of this thread's requests, by their text.
    static PARSED: RefCell<HashMap<String, Computed>> = RefCell::new(HashMap::new());
}

/// Appends the computed value of `text`; None if a value that it names is missing.
pub(super) fn write(text: &str, filling: &Filling, coding: Coding, out: &mut Vec<u8>) -> Option<()> {
    let mut made = Vec::new();
    PARSED.with_borrow_mut(|parsed| {
        if !parsed.contains_key(text) {
            if parsed.len() >= MOST_PARSED {
                parsed.clear();
            }
            parsed.insert(text.to_owned(), Computed::parse(text).ok()?);
        }
        parsed.get(text)?.root.append(text, filling, true, &mut made)
    })?;
    coding.write(&made, out);
    Some(())
}

/// The length of the computed value at the begin of `text`, up to the bracket that closes it.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0usize, None, false);
    for (place, byte) in text.iter().take(MOST_TEXT).enumerate() {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth <= 1 => return Some(place + 1),
            (None, b')') => depth -= 1,
            _ => {}
        }
    }
    None
}

impl Computed {
    /// Reads `function(arguments)`; an error explains what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0 };
        let root = parser.call(1)?;
        match parser.at == text.len() {
            true => Ok(Self { root }),
            false => Err(format!(
                "`{}` follows a computed value",
                text[parser.at..].escape_debug()
            )),
        }
    }

    /// The names of the values in `text`, which it was parsed from.
    pub fn names<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.root.each(&mut |node| {
            if let Node::Name(range) = node {
                found.push(&text[range.clone()]);
            }
        });
        found
    }

    /// Checks that the parts of the request that it uses are known at `spot`, and that its secret keys can sign; `text` is what it was
    /// parsed from.
    pub fn check(&self, text: &str, spot: Spot) -> Result<(), String> {
        let (mut unknown, mut wrong_key) = (false, None);
        self.root.each(&mut |node| {
            unknown |= matches!(node, Node::Part(part) if !part.is_known_in(spot));
            if let Node::Call(Function::JwtRs256, arguments) = node
                && let Some(Node::Name(range)) = arguments.first()
                && let Some(pem) = Stamp::default().value(&text[range.clone()])
                && !rsa::is_key(pem.as_bytes())
            {
                wrong_key = Some(&text[range.clone()]);
            }
        });
        if let Some(name) = wrong_key {
            return Err(format!(
                "`{name}` is not a private RSA key of at least 2,048 bits in PEM, without a password"
            ));
        }
        match (unknown, spot) {
            (false, _) => Ok(()),
            (true, Spot::Body) => Err("a body is computed first, so it cannot use `path` or `body`".to_owned()),
            (true, Spot::Path) => Err("a path cannot use `path`".to_owned()),
            (true, _) => Err("a cookie cannot use `path` or `body`; another header can".to_owned()),
        }
    }
}

impl Node {
    fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        visit(self);
        if let Self::Call(_, arguments) = self {
            arguments.iter().for_each(|argument| argument.each(visit));
        }
    }

    /// Appends its value, as a text or as the bytes of a hash; None if a value is missing.
    fn append(&self, text: &str, filling: &Filling, as_text: bool, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Text(bytes) => out.extend_from_slice(bytes),
            Self::Name(range) => {
                let name = &text[range.clone()];
                match filling.values.get(name) {
                    Some(value) => out.extend_from_slice(value),
                    None => out.extend_from_slice(filling.stamp.value(name)?.as_bytes()),
                }
            }
            Self::Part(part) => out.extend_from_slice(part.of(&filling.request)),
            Self::Time(clock, plus) => {
                let wall_ms = filling.stamp.wall_ms + u64::from(*plus) * 1000;
                let written = match clock {
                    Clock::Milliseconds => wall_ms.to_string(),
                    Clock::Seconds => (wall_ms / 1000).to_string(),
                    Clock::Text => time_text(wall_ms),
                };
                out.extend_from_slice(written.as_bytes());
            }
            Self::Call(function, arguments) => {
                let (key, rest) = arguments.split_at(usize::from(function.takes_key()));
                let (mut secret, mut input) = (Vec::new(), Vec::new());
                for argument in key {
                    argument.append(text, filling, false, &mut secret)?;
                }
                for argument in rest {
                    argument.append(text, filling, !function.takes_bytes(), &mut input)?;
                }
                if as_text && function.is_hash() {
                    let mut hash = Vec::with_capacity(32);
                    function.apply(&secret, &input, filling.stamp, &mut hash)?;
                    append_hex(&hash, out);
                } else {
                    function.apply(&secret, &input, filling.stamp, out)?;
                }
            }
        }
        Some(())
    }
}

impl Function {
    /// Appends the value; None if the key cannot sign.
    fn apply(self, key: &[u8], input: &[u8], stamp: &Stamp, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Base64 => out.extend_from_slice(STANDARD.encode(input).as_bytes()),
            Self::Base64Url => out.extend_from_slice(URL_SAFE_NO_PAD.encode(input).as_bytes()),
            Self::Hex => append_hex(input, out),
            Self::HmacSha256 => append_hmac(key, input, out),
            Self::Json => {
                let quoted = serde_json::Value::from(String::from_utf8_lossy(input)).to_string();
                out.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
            }
            Self::JwtHs256 | Self::JwtRs256 => {
                let head = if self == Self::JwtHs256 { JWT_HS256 } else { JWT_RS256 };
                let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(head), URL_SAFE_NO_PAD.encode(input));
                let mut signature = Vec::new();
                match self {
                    Self::JwtHs256 => append_hmac(key, signed.as_bytes(), &mut signature),
                    _ => rsa::append_signature(key, signed.as_bytes(), &mut signature)?,
                }
                out.extend_from_slice(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)).as_bytes());
            }
            Self::Sha256 => out.extend_from_slice(&Sha256::digest(input)),
            Self::Url => Coding::Url.write(input, out),
            Self::Counter => out.extend_from_slice(stamp.counter.to_string().as_bytes()),
            Self::Uuid => out.extend_from_slice(stamp.uuid_text().as_bytes()),
            // The parser makes a time of it.
            Self::Timestamp => {}
        }
        Some(())
    }
}

fn append_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

fn append_hmac(key: &[u8], input: &[u8], out: &mut Vec<u8>) {
    // HMAC takes keys of any length.
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
        mac.update(input);
        out.extend_from_slice(&mac.finalize().into_bytes());
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_spaces(&mut self) {
        while self.take(b' ') {}
    }

    /// The range of the word that begins here; it may be empty.
    fn word(&mut self) -> Range<usize> {
        let begin = self.at;
        while self.peek().is_some_and(is_name_byte) {
            self.at += 1;
        }
        begin..self.at
    }

    fn call(&mut self, depth: usize) -> Result<Node, String> {
        let name = self.word();
        let name = &self.text[name];
        let Some((_, function, least, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(known, ..)| *known).collect();
            let shown: String = name.chars().take(40).collect();
            return Err(format!(
                "`{shown}` is no function; the functions are {}",
                known.join(", ")
            ));
        };
        if depth > DEEPEST {
            return Err(format!("functions are nested more than {DEEPEST} deep"));
        }
        if !self.take(b'(') {
            return Err(format!("`{name}` has no `(`"));
        }
        let arguments = self.arguments(depth)?;
        if !(*least..=*most).contains(&arguments.len()) {
            let wanted = if least == most {
                format!("{least}")
            } else {
                format!("{least} to {most}")
            };
            return Err(format!(
                "`{name}` takes {wanted} arguments, and has {}",
                arguments.len()
            ));
        }
        match function {
            Function::Timestamp => self.time(&arguments),
            _ => Ok(Node::Call(*function, arguments)),
        }
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Node>, String> {
        let mut found = Vec::new();
        self.skip_spaces();
        if self.take(b')') {
            return Ok(found);
        }
        loop {
            self.skip_spaces();
            found.push(self.argument(depth)?);
            self.skip_spaces();
            if self.take(b')') {
                return Ok(found);
            }
            if !self.take(b',') {
                return Err("an argument is not followed by `,` or `)`".to_owned());
            }
        }
    }

    fn argument(&mut self, depth: usize) -> Result<Node, String> {
        if let Some(quote @ (b'\'' | b'"')) = self.peek() {
            self.at += 1;
            return self.literal(quote);
        }
        let range = self.word();
        if range.is_empty() {
            return Err("an argument is a name, a text in quotes, or a function".to_owned());
        }
        if self.peek() == Some(b'(') {
            self.at = range.start;
            return self.call(depth + 1);
        }
        Ok(match Part::named(&self.text[range.clone()]) {
            Some(part) => Node::Part(part),
            None => Node::Name(range),
        })
    }

    /// The text up to its closing quote.
    fn literal(&mut self, quote: u8) -> Result<Node, String> {
        let mut bytes = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                _ if byte == quote => return Ok(Node::Text(bytes)),
                b'\\' => {
                    let escaped = self.peek();
                    self.at += 1;
                    bytes.push(match escaped {
                        Some(same @ (b'\'' | b'"' | b'\\')) => same,
                        Some(b'n') => b'\n',
                        Some(b'r') => b'\r',
                        Some(b't') => b'\t',
                        _ => return Err("after `\\` a text has a quote, `\\`, `n`, `r` or `t`".to_owned()),
                    });
                }
                byte => bytes.push(byte),
            }
        }
        Err("a text has no closing quote".to_owned())
    }

    /// The time of `timestamp(ms)`, or of `timestamp(s, 300)` in so many seconds.
    fn time(&self, arguments: &[Node]) -> Result<Node, String> {
        let word = |node: Option<&Node>| match node {
            Some(Node::Name(range)) => &self.text[range.clone()],
            _ => "",
        };
        let clock = match word(arguments.first()) {
            "ms" => Clock::Milliseconds,
            "s" => Clock::Seconds,
            "iso" => Clock::Text,
            _ => return Err("`timestamp` takes `ms`, `s` or `iso`, and a number of seconds to add".to_owned()),
        };
        let plus = arguments.get(1).map_or("0", |seconds| word(Some(seconds)));
        match plus.parse() {
            Ok(seconds) => Ok(Node::Time(clock, seconds)),
            Err(_) => Err("`timestamp` adds a whole number of seconds, such as 300".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIMS: &str = r#"{\"sub\":\"1234567890\",\"name\":\"John Doe\",\"iat\":1516239022}"#;

    fn values() -> Values {
        let mut values = Values::default();
        values.set("key", b"Jefe");
        values.set("user", "a \"\u{e9}".as_bytes());
        values
    }

    fn stamp() -> Stamp {
        Stamp {
            wall_ms: 1_516_239_022_123,
            counter: 7,
            uuid: u128::MAX,
            ..Stamp::default()
        }
    }

    fn made_of(text: &str, values: &Values) -> String {
        let request = RequestParts {
            method: b"POST",
            path: b"/orders?a=1",
            body: b"what do ya want for nothing?",
        };
        let stamp = stamp();
        let filling = Filling {
            request,
            ..Filling::new(values, &stamp)
        };
        assert_eq!(length(text.as_bytes()), Some(text.len()), "{text}");
        let mut out = Vec::new();
        write(text, &filling, Coding::Plain, &mut out).unwrap_or_else(|| panic!("{text} lacks a value"));
        String::from_utf8(out).unwrap()
    }

    fn made(text: &str) -> String {
        made_of(text, &values())
    }

    #[test]
    fn hmacs_are_those_of_rfc_4231() {
        for (key, data, hash) in [
            (
                vec![0x0b; 20],
                b"Hi There".to_vec(),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?".to_vec(),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 20],
                vec![0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec(),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            let mut values = Values::default();
            values.set("key", &key);
            values.set("data", &data);
            assert_eq!(made_of("hmac_sha256(key, data)", &values), hash);
        }
        // The same over the body of the request, and with its pieces apart.
        let whole = made("hmac_sha256(key, body)");
        assert_eq!(
            whole,
            made("hmac_sha256('Jefe','what do ya ', \"want for \" , 'nothing?')")
        );
    }

    #[test]
    fn a_signature_is_that_of_rfc_7515() {
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let mut values = Values::default();
        values.set("key", &URL_SAFE_NO_PAD.decode(key).unwrap());
        let header = made("base64url('{\"typ\":\"JWT\",\\r\\n \"alg\":\"HS256\"}')");
        assert_eq!(header, "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9");
        let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let signature = made_of(
            &format!("base64url(hmac_sha256(key, '{header}.', '{claims}'))"),
            &values,
        );
        assert_eq!(signature, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    }

    #[test]
    fn a_token_has_a_header_claims_and_their_signature() {
        let token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
            eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.\
            SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
        assert_eq!(made(&format!("jwt_hs256('your-256-bit-secret', \"{CLAIMS}\")")), token);
        let parts = "jwt_hs256('your-256-bit-secret', '{\"sub\":\"1234567890\",\"name\":\"John Doe\",\"iat\":', timestamp(s), '}')";
        assert_eq!(made(parts), token);
    }

    #[test]
    fn hashes_are_bytes_within_functions_of_bytes_and_hexadecimal_in_texts() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for (text, expected) in [
            ("sha256('abc')", hash),
            ("hex(sha256('a', \"bc\"))", hash),
            ("url(sha256('abc'))", hash),
            ("base64(sha256('abc'))", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
            (
                "base64url(sha256('abc'))",
                "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
            ),
            ("base64('a')", "YQ=="),
            ("url(user)", "a%20%22%C3%A9"),
            ("json(user, '\\n')", "a \\\"\u{e9}\\n"),
            ("hex(method, path)", "504f53542f6f72646572733f613d31"),
            ("timestamp(ms)", "1516239022123"),
            ("timestamp( s , 60 )", "1516239082"),
            ("timestamp(iso)", "2018-01-18T01:30:22.123Z"),
            ("counter()", "7"),
            ("uuid()", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            ("sha256('it\\'s', ')')", made("sha256(\"it's)\")").as_str()),
        ] {
            assert_eq!(made(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let deep = format!("{}'a'{}", "hex(".repeat(DEEPEST + 1), ")".repeat(DEEPEST + 1));
        for (text, why) in [
            (
                "hmac_sha1(key, body)",
                "`hmac_sha1` is no function; the functions are base64, base64url",
            ),
            ("hmac_sha256(key)", "takes 2 to 32 arguments, and has 1"),
            ("uuid(a)", "takes 0 arguments, and has 1"),
            ("sha256(a b)", "not followed by"),
            ("sha256(a,)", "a name, a text in quotes, or a function"),
            ("sha256('\\x')", "after `\\`"),
            ("timestamp(us)", "`ms`, `s` or `iso`"),
            ("timestamp(s, soon)", "a whole number of seconds"),
            ("sha256(a)b", "`b` follows"),
            (deep.as_str(), "nested more than 8 deep"),
        ] {
            let wrong = Computed::parse(text).map(|_| ()).unwrap_err();
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
        assert_eq!(length(b"sha256('a)'"), None);
        assert_eq!(length(format!("sha256('{}')", "a".repeat(MOST_TEXT)).as_bytes()), None);
    }

    #[test]
    fn a_part_of_the_request_is_used_only_where_it_is_known() {
        let check = |text: &str, spot| Computed::parse(text).unwrap().check(text, spot).is_ok();
        for (part, spots) in [
            ("method", [true, true, true, true]),
            ("body", [false, true, true, false]),
            ("path", [false, false, true, false]),
        ] {
            let found = [Spot::Body, Spot::Path, Spot::Header, Spot::Cookie]
                .map(|spot| check(&format!("hmac_sha256(key, hex({part}))"), spot));
            assert_eq!(found, spots, "{part}");
        }
    }

    #[test]
    fn names_are_those_of_values_alone_and_a_missing_one_lacks() {
        let text = "hmac_sha256(key, method, 'no', timestamp(ms), url(user))";
        assert_eq!(Computed::parse(text).unwrap().names(text), ["key", "user"]);
        let (empty, stamp) = (Values::default(), stamp());
        let filling = Filling::new(&empty, &stamp);
        // A text that is no key cannot sign.
        for lacking in [text, "jwt_rs256('no key', '{}')"] {
            assert_eq!(
                write(lacking, &filling, Coding::Plain, &mut Vec::new()),
                None,
                "{lacking}"
            );
        }
    }
}
