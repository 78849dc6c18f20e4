//! A test server for the length of a test, and a simple way to ask it.

// Each test that uses this harness uses a part of it.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

/// For what must come, however busy the machine is.
pub const LONG: Duration = Duration::from_secs(30);

pub struct TestServer {
    pub address: SocketAddr,
    /// The certificate (PEM) by which a TLS server is to be judged.
    pub authority_pem: Option<String>,
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl TestServer {
    /// Starts `steelyard-testserver` with these words, such as `misbehave drips`, and waits until it says where it is.
    pub fn start(words: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_steelyard-testserver"))
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let first: Value = lines.recv_timeout(LONG).expect("the test server says nothing");
        let address = first["listening"].as_str().unwrap().parse().unwrap();
        let authority_pem = first["authority_pem"].as_str().map(str::to_owned);
        Self {
            address,
            authority_pem,
            process,
            input,
            lines,
        }
    }

    /// The next line on standard output.
    pub fn line(&self) -> Value {
        self.lines.recv_timeout(LONG).expect("the test server says nothing")
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Closes the server's input, upon which it ends.
    pub fn end(&mut self) {
        self.input = None;
        self.process.wait().unwrap();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A request with a body of four bytes.
pub const REQUEST: &[u8] = b"POST /echo HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody";

/// Reads one answer with a Content-Length: its head, and its body.
pub fn read_answer(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut body = vec![0; header(&head, "Content-Length").parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// The value of a header that must be there.
pub fn header<'head>(head: &'head str, name: &str) -> &'head str {
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name} in {head}"))
}

/// Sends the request and reads the answer, head and body.
pub fn ask(stream: &mut TcpStream) -> (String, String) {
    stream.write_all(REQUEST).unwrap();
    read_answer(stream)
}
