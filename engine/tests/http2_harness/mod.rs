//! Servers of HTTP/2: one that is made of a library of its own, and one that says what a test wants it to.

// Not every test that uses this harness asks for all of it.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use h2::server::SendResponse;
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Request, Response};
use steelyard_engine::http2::{FrameHead, PREFACE, flag, kind};

pub const ENVELOPE: &str = "<echoVoidResponse/>";
/// `:status: 200` in HPACK.
pub const STATUS_200: &[u8] = &[0x88];

/// The requests that the library's server received.
#[derive(Debug, Default)]
pub struct Seen {
    pub connections: AtomicU64,
    pub requests: AtomicU64,
    pub body_bytes: AtomicU64,
    pub gets: AtomicU64,
}

/// A server by the `h2` library, without TLS. Answers end in trailers, and hold `padding` more bytes than the envelope. It redirects
/// from `/found` (302), `/temporary` (307) and `/endless`, and from `/away` to another server.
pub fn library_server(padding: usize) -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let all = seen.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .unwrap();
        let tasks = tokio::task::LocalSet::new();
        tasks.block_on(&runtime, async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                all.connections.fetch_add(1, Ordering::Relaxed);
                let all = all.clone();
                tokio::task::spawn_local(async move {
                    let mut connection = h2::server::handshake(stream).await.unwrap();
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        tokio::task::spawn_local(answer(request, respond, padding, all.clone()));
                    }
                });
            }
        });
    });
    (address, seen)
}

async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<bytes::Bytes>,
    padding: usize,
    seen: Arc<Seen>,
) {
    let authority = request.uri().authority().unwrap().to_string();
    let (path, is_get) = (request.uri().path().to_owned(), request.method() == "GET");
    let length = request
        .headers()
        .get("content-length")
        .map(|value| value.to_str().unwrap().parse::<u64>().unwrap());
    let mut body = request.into_body();
    let mut count = 0;
    while let Some(Ok(piece)) = body.data().await {
        count += piece.len() as u64;
        body.flow_control().release_capacity(piece.len()).unwrap();
    }
    let announced = if is_get { None } else { Some(count) };
    assert_eq!(announced, length, "asked of {authority}");
    seen.requests.fetch_add(1, Ordering::Relaxed);
    seen.body_bytes.fetch_add(count, Ordering::Relaxed);
    seen.gets.fetch_add(u64::from(is_get), Ordering::Relaxed);
    if let Some((status, location)) = redirect(&path) {
        let head = Response::builder().status(status).header("location", location).body(());
        let _ = respond.send_response(head.unwrap(), true);
        return;
    }
    let head = Response::builder().header("content-type", "text/xml").body(()).unwrap();
    // A connection that was given up meanwhile needs no answer.
    let Ok(mut out) = respond.send_response(head, false) else {
        return;
    };
    let text = format!("{}{ENVELOPE}", "x".repeat(padding));
    if send_all(&mut out, bytes::Bytes::from(text)).await.is_some() {
        let _ = out.send_trailers(HeaderMap::from_iter([(
            http::HeaderName::from_static("x-sum"),
            http::HeaderValue::from_static("1"),
        )]));
    }
}

/// The status and the Location of the answer to a path that redirects.
fn redirect(path: &str) -> Option<(u16, &'static str)> {
    match path {
        "/found" => Some((302, "/there?a=b")),
        "/temporary" => Some((307, "there")),
        "/endless" => Some((308, "/endless")),
        "/away" => Some((302, "http://127.0.0.1:9/there")),
        _ => None,
    }
}

/// Sends as the windows allow it.
async fn send_all(out: &mut SendStream<bytes::Bytes>, mut left: bytes::Bytes) -> Option<()> {
    while !left.is_empty() {
        out.reserve_capacity(left.len());
        let room = std::future::poll_fn(|context| out.poll_capacity(context)).await?.ok()?;
        out.send_data(left.split_to(room.min(left.len())), false).ok()?;
    }
    Some(())
}

pub trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A server's side of one connection, frame by frame. What cannot be sent or read any more is no error: the engine may have left.
pub struct Talk<'a> {
    pub stream: &'a mut dyn Stream,
    /// Which of the server's connections it is, from 0.
    pub number: u64,
}

impl Talk<'_> {
    pub fn say(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.say_raw(&framed(kind, flags, stream, payload))
    }

    pub fn say_raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok()
    }

    fn hear(&mut self) -> Option<FrameHead> {
        let mut head = [0; FrameHead::SIZE];
        self.stream.read_exact(&mut head).ok()?;
        let head = FrameHead::read(head);
        let mut payload = vec![0; head.length];
        self.stream.read_exact(&mut payload).ok()?;
        Some(head)
    }

    /// Reads the client's preface and says settings.
    pub fn greet(&mut self, settings: &[u8]) -> bool {
        let mut preface = [0; PREFACE.len()];
        let read = self.stream.read_exact(&mut preface).is_ok() && preface == PREFACE;
        read && self.say(kind::SETTINGS, 0, 0, settings)
    }

    /// Reads on until a whole request has come, or none will.
    pub fn request(&mut self) -> Option<u32> {
        loop {
            let head = self.hear()?;
            if matches!(head.kind, kind::HEADERS | kind::DATA) && head.has(flag::END_STREAM) {
                return Some(head.stream);
            }
        }
    }

    /// Reads until the client has gone.
    pub fn listen(&mut self) {
        while self.hear().is_some() {}
    }

    pub fn answer(&mut self, id: u32) -> bool {
        self.say_raw(&right(id))
    }
}

pub fn framed(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let head = FrameHead {
        length: payload.len(),
        kind,
        flags,
        stream,
    };
    let mut out = Vec::new();
    head.write(&mut out);
    out.extend_from_slice(payload);
    out
}

/// A right answer on a stream.
pub fn right(id: u32) -> Vec<u8> {
    let mut bytes = framed(kind::HEADERS, flag::END_HEADERS, id, STATUS_200);
    bytes.extend(framed(kind::DATA, flag::END_STREAM, id, ENVELOPE.as_bytes()));
    bytes
}

/// A server whose every connection is had by `talk`, on a thread of its own.
pub fn server(talk: impl Fn(&mut Talk) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let talk = Arc::new(talk);
    std::thread::spawn(move || {
        for (number, stream) in (0..).zip(listener.incoming()) {
            let (mut stream, talk) = (stream.unwrap(), talk.clone());
            std::thread::spawn(move || {
                talk(&mut Talk {
                    stream: &mut stream,
                    number,
                });
            });
        }
    });
    address
}
