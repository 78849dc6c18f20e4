//! A small server of HTTP/1.1, a thread for each connection, that says what a test wants it to.

// Not every test that uses this harness asks for all of it.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// One request as it came: its head, and how many came before it on its connection.
pub struct Request {
    pub head: String,
    pub before: u64,
}

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    GoesOn,
    /// It is closed, though the answer does not say so.
    Closes,
}

impl Request {
    /// The value of a header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut named = lines.filter(|(own, _)| own.eq_ignore_ascii_case(name));
        named.next().map_or("", |(_, value)| value.trim())
    }

    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// An answer with these lines in its head, and the body that is right.
pub fn ok(lines: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 16\r\n\r\nechoVoidResponse")
}

/// Answers on a port of its own, on loopback.
pub fn serve(answer: impl Fn(&Request) -> (String, Then) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    serve_on(listener, answer);
    address
}

pub fn serve_on(listener: TcpListener, answer: impl Fn(&Request) -> (String, Then) + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || talk(stream, &*answer));
        }
    });
}

fn talk(mut stream: TcpStream, answer: &(impl Fn(&Request) -> (String, Then) + ?Sized)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    for before in 0.. {
        let Some(head) = read_request(&mut reader) else { return };
        let (text, then) = answer(&Request { head, before });
        if stream.write_all(text.as_bytes()).is_err() || then == Then::Closes {
            return;
        }
    }
}

/// Answers one request, if one comes, and closes.
pub fn talk_once(mut stream: TcpStream, answer: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    if read_request(&mut reader).is_some() {
        let _ = stream.write_all(answer.as_bytes());
    }
}

/// A request's head, after which its body was read too; none where the connection ends.
fn read_request(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(head)
}
