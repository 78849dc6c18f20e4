//! The fields of a request, built once for each request line; only length, cookies and marked places are filled in at sending.

use super::hpack::Encoder;
use crate::http::RequestHead;
use crate::session::{self, Filled, Filling, RequestParts, Stamp, Values};

/// Connection-specific fields of HTTP/1.1, which HTTP/2 forbids (RFC 9113, 8.2.2).
const NOT_IN_HTTP_2: [&str; 5] = [
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-connection",
    "upgrade",
];
/// The number of request lines whose blocks are cached for each connection.
const MOST_BLOCKS: usize = 256;

type Field = (Vec<u8>, Vec<u8>);

/// The fields that all requests of one request line share.
#[derive(Debug, Clone)]
pub struct RequestFields {
    /// The line's place in the corpus.
    line: usize,
    /// `:method`, `:scheme`, `:authority`.
    first: Vec<Field>,
    path: Vec<u8>,
    /// Fields of the target and of the operation.
    common: Vec<Field>,
    /// Fields of the line itself, which may have marked places.
    own: Vec<Field>,
    /// The request's own cookies, which may have marked places; may be empty.
    cookies: Vec<u8>,
    filled: bool,
    says_length_always: bool,
}

/// The values that differ between requests of one line.
pub struct Variable<'a> {
    /// The body, with its places filled.
    pub body: &'a [u8],
    /// The value of the Cookie field of a session's request, which includes the request's own cookies; None outside sessions.
    pub cookies: Option<&'a [u8]>,
    pub values: &'a Values,
    pub stamp: &'a Stamp,
}

/// Cached beginnings of header blocks by line, with the table version that they belong to.
#[derive(Debug, Default)]
pub struct Blocks(Vec<Option<(u64, Vec<u8>)>>);

impl RequestFields {
    /// The fields of request line `line`, whose head in HTTP/1.1 is `head`; an error names a header that HTTP/2 forbids.
    pub fn new(head: &RequestHead, line: usize, secure: bool) -> Result<Self, String> {
        let parts = head.parts();
        let mut authority = Vec::new();
        let mut fields = |lines: &[u8]| {
            let mut fields: Vec<Field> = Vec::new();
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                    continue;
                };
                let (name, value) = (
                    line[..colon].to_ascii_lowercase(),
                    line[colon + 1..].trim_ascii().to_vec(),
                );
                if let Some(not) = NOT_IN_HTTP_2.iter().find(|not| not.as_bytes() == name) {
                    return Err(format!("a request has a header `{not}`, which HTTP/2 does not have"));
                }
                match &name[..] {
                    b"host" => authority = value,
                    _ => fields.push((name, value)),
                }
            }
            Ok(fields)
        };
        let (common, own) = (fields(parts.common)?, fields(parts.own)?);
        let scheme: &[u8] = if secure { b"https" } else { b"http" };
        Ok(Self {
            line,
            first: vec![
                (b":method".to_vec(), parts.method.to_vec()),
                (b":scheme".to_vec(), scheme.to_vec()),
                (b":authority".to_vec(), authority),
            ],
            path: parts.path.to_vec(),
            common,
            own,
            cookies: parts.cookies.to_vec(),
            filled: head.is_filled(),
            says_length_always: parts.says_length_always,
        })
    }

    /// Appends the header block of a request; returns whether all its places had a value.
    pub fn write(&self, encoder: &mut Encoder, blocks: &mut Blocks, variable: &Variable, out: &mut Vec<u8>) -> Filled {
        let mut filled = match self.filled {
            true => self.write_filled(encoder, variable, out),
            false => self.write_whole(encoder, blocks, out),
        };
        match variable.cookies {
            Some(b"") => {}
            Some(line) => encoder.pass(b"cookie", line, out),
            None if self.cookies.is_empty() => {}
            None if self.filled => {
                let mut text = Vec::with_capacity(self.cookies.len());
                if session::fill(&self.cookies, &self.filling(variable), &mut text) == Filled::Lacking {
                    filled = Filled::Lacking;
                }
                encoder.pass(b"cookie", &text, out);
            }
            None => encoder.keep(b"cookie", &self.cookies, out),
        }
        if self.says_length_always || !variable.body.is_empty() {
            encoder.pass(b"content-length", variable.body.len().to_string().as_bytes(), out);
        }
        filled
    }

    /// Appends the header block of a request to the same server whose head in HTTP/1.1 is `head`: of a redirect, which comes once.
    pub fn write_head(&self, head: &[u8], encoder: &mut Encoder, out: &mut Vec<u8>) {
        let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut words = lines.next().unwrap_or_default().split(|byte| *byte == b' ');
        encoder.begin(out);
        encoder.pass(b":method", words.next().unwrap_or_default(), out);
        for (name, value) in self.first.iter().skip(1) {
            encoder.keep(name, value, out);
        }
        encoder.pass(b":path", words.next().unwrap_or_default(), out);
        for line in lines {
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let name = line[..colon].to_ascii_lowercase();
            if name != b"host" {
                encoder.pass(&name, line[colon + 1..].trim_ascii(), out);
            }
        }
    }

    /// What fills the places of a request whose path is not known yet.
    fn filling<'a>(&'a self, variable: &Variable<'a>) -> Filling<'a> {
        let method = self.first.first().map(|(_, method)| method.as_slice());
        Filling {
            values: variable.values,
            stamp: variable.stamp,
            request: RequestParts {
                method: method.unwrap_or_default(),
                path: &[],
                body: variable.body,
            },
        }
    }

    #[inline]
    fn write_whole(&self, encoder: &mut Encoder, blocks: &mut Blocks, out: &mut Vec<u8>) -> Filled {
        if let Some(Some((version, block))) = blocks.0.get(self.line)
            && *version == encoder.version()
        {
            out.extend_from_slice(block);
            return Filled::Whole;
        }
        let (begin, before) = (out.len(), encoder.version());
        let once = encoder.begin(out);
        for (name, value) in &self.first {
            encoder.keep(name, value, out);
        }
        encoder.keep(b":path", &self.path, out);
        for (name, value) in self.common.iter().chain(&self.own) {
            encoder.keep(name, value, out);
        }
        // Cached only if it would be written the same again: it adds nothing to the server's table.
        if !once && before == encoder.version() && self.line < MOST_BLOCKS {
            if blocks.0.len() <= self.line {
                blocks.0.resize(self.line + 1, None);
            }
            blocks.0[self.line] = Some((before, out[begin..].to_vec()));
        }
        Filled::Whole
    }

    fn write_filled(&self, encoder: &mut Encoder, variable: &Variable, out: &mut Vec<u8>) -> Filled {
        let mut filling = self.filling(variable);
        encoder.begin(out);
        for (name, value) in &self.first {
            encoder.keep(name, value, out);
        }
        let mut path = Vec::with_capacity(self.path.len());
        let mut filled = session::fill_path(&self.path, &filling, &mut path);
        encoder.pass(b":path", &path, out);
        filling.request.path = &path;
        for (name, value) in &self.common {
            encoder.keep(name, value, out);
        }
        let mut text = Vec::new();
        for (name, value) in &self.own {
            text.clear();
            if session::fill(value, &filling, &mut text) == Filled::Lacking {
                filled = Filled::Lacking;
            }
            encoder.pass(name, &text, out);
        }
        filled
    }
}
