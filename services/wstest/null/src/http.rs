//! As much of HTTP/1.1 as a load needs: heads, bodies of known length, kept connections.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use crate::busy::microseconds;

const LARGEST_HEAD: u64 = 64 << 10;
const LARGEST_BODY: u64 = 16 << 20;

pub struct Request {
    pub method: String,
    pub path: String,
    /// None where the header asks for what is no time up to a second.
    pub busy: Option<Duration>,
    pub body: Vec<u8>,
}

/// The next request of a connection; None where the client has closed it. What is no HTTP is an error.
pub fn read(connection: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut head = connection.take(LARGEST_HEAD);
    let mut line = String::with_capacity(128);
    if head.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(invalid("no request line"));
    };
    let mut request = Request {
        method: method.into(),
        path: path.into(),
        busy: Some(Duration::ZERO),
        body: Vec::new(),
    };
    let mut length = 0;
    loop {
        line.clear();
        if head.read_line(&mut line)? == 0 {
            return Err(invalid("the head has no end"));
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().map_err(|_| invalid("Content-Length is no number"))?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(invalid("only bodies of known length"));
        } else if name.eq_ignore_ascii_case("steelyard-busy-us") {
            request.busy = microseconds(value);
        }
    }
    if length > LARGEST_BODY {
        return Err(invalid("the body is too large"));
    }
    request.body.resize(length as usize, 0);
    connection.read_exact(&mut request.body)?;
    Ok(Some(request))
}

pub fn write_xml(out: &mut Vec<u8>, body: &[u8]) {
    write(out, "200 OK", "text/xml; charset=utf-8", body);
}

pub fn write_text(out: &mut Vec<u8>, status: &str, text: &str) {
    write(out, status, "text/plain", text.as_bytes());
}

fn write(out: &mut Vec<u8>, status: &str, content_type: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(body);
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
