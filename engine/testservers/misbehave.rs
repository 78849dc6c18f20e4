//! Serves badly, one thread a connection: nothing here is measured.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use nix::sys::socket::{setsockopt, sockopt};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::answers::{ENVELOPE, FAULT, WRONG_ENVELOPE, right, whole};
use crate::certificates::certify;
use crate::misbehaviour::Misbehaviour;
use crate::report;
use crate::requests::{Progress, RequestReader};

const STACK_BYTES: usize = 64 * 1024;
const TLS_STACK_BYTES: usize = 512 * 1024;
const DRIP: Duration = Duration::from_secs(1);

/// Serves until the process ends. `share` of the answers are bad in the modes that answer well otherwise.
pub fn serve(listener: TcpListener, mode: Misbehaviour, share: f64) -> Result<()> {
    anyhow::ensure!(
        (0.0..=1.0).contains(&share),
        "a share lies between 0 and 1, {share} does not"
    );
    let mut line = json!({ "listening": listener.local_addr()?.to_string() });
    let mut tls = None;
    if matches!(
        mode,
        Misbehaviour::Tls | Misbehaviour::TlsWrongName | Misbehaviour::TlsExpired | Misbehaviour::TlsUnknownAuthority
    ) {
        let certified = certify(mode)?;
        line["authority_pem"] = certified.authority_pem.into();
        tls = Some(certified.config);
    }
    if mode != Misbehaviour::Refuses {
        crate::start_listening(&listener)?;
    }
    report::line(&line);
    if mode == Misbehaviour::Refuses {
        // The address stays ours, so that nobody else can listen there; the end of input ends the process.
        loop {
            std::thread::park();
        }
    }
    let bad = Arc::new(EvenShare {
        share,
        requests: AtomicU64::new(0),
    });
    for stream in listener.incoming() {
        let (stream, bad, tls) = (stream?, Arc::clone(&bad), tls.clone());
        let stack = if tls.is_some() { TLS_STACK_BYTES } else { STACK_BYTES };
        // An error ends this connection only: the other side may do what it likes.
        std::thread::Builder::new()
            .stack_size(stack)
            .spawn(move || drop(converse(stream, mode, &bad, tls)))?;
    }
    Ok(())
}

/// Says of each answer in turn whether it is a bad one, so that their share is exact at any time.
struct EvenShare {
    share: f64,
    requests: AtomicU64,
}

impl EvenShare {
    fn next_is_bad(&self) -> bool {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) as f64;
        ((number + 1.0) * self.share).floor() > (number * self.share).floor()
    }
}

fn converse(stream: TcpStream, mode: Misbehaviour, bad: &EvenShare, tls: Option<Arc<ServerConfig>>) -> Result<()> {
    stream.set_nodelay(true)?;
    if let Some(config) = tls {
        let mut secure = StreamOwned::new(ServerConnection::new(config)?, stream);
        let mut requests = Requests::default();
        while requests.next(&mut secure)? {
            secure.write_all(&right())?;
        }
        return Ok(());
    }
    let mut stream = stream;
    match mode {
        Misbehaviour::AnswersUnasked => stream.write_all(&right())?,
        Misbehaviour::TlsGarbage => stream.write_all(b"this is no TLS at all\r\n\r\n")?,
        Misbehaviour::TlsSilent => return Ok(drain(&mut stream)?),
        _ => {}
    }
    let mut requests = Requests {
        stop_at_head: answers_early(mode),
        ..Requests::default()
    };
    while requests.next(&mut stream)? {
        if answer(&mut stream, mode, bad)? == After::Close {
            break;
        }
    }
    Ok(())
}

fn answers_early(mode: Misbehaviour) -> bool {
    matches!(mode, Misbehaviour::AnswersEarly | Misbehaviour::AnswersEarlyAndCloses)
}

#[derive(PartialEq)]
enum After {
    ReadOn,
    Close,
}

/// Treats one request as the mode says.
fn answer(stream: &mut TcpStream, mode: Misbehaviour, bad: &EvenShare) -> io::Result<After> {
    use Misbehaviour as M;
    let good = right();
    let middle = good.len() - ENVELOPE.len() / 2;
    let with_length =
        |length: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{ENVELOPE}").into_bytes();
    let chunked = |body: &str| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}").into_bytes();
    let send_and_close = |stream: &mut TcpStream, bytes: &[u8]| stream.write_all(bytes).map(|()| After::Close);
    let bytes = match mode {
        M::ClosesUnanswered => return Ok(After::Close),
        M::NeverAnswers | M::Refuses | M::TlsSilent | M::TlsGarbage => Vec::new(),
        M::Resets => return reset(stream),
        M::Drips => return drip(stream, &good, good.len() - ENVELOPE.len()),
        M::DripsHead => return drip(stream, &good, 0),
        M::ClosesInHead => return send_and_close(stream, &good[..20]),
        M::ClosesInBody => return send_and_close(stream, &good[..middle]),
        M::ResetsInBody => {
            stream.write_all(&good[..middle])?;
            // Lets the other side read what came before, which a reset would destroy.
            std::thread::sleep(Duration::from_millis(50));
            return reset(stream);
        }
        M::LengthTooSmall => with_length("100"),
        M::LengthTooLarge => with_length("1000"),
        M::LengthHuge => with_length("9223372036854775807"),
        M::LengthOverflow => with_length("99999999999999999999999999999999"),
        M::LengthNegative => with_length("-1"),
        M::LengthNoNumber => with_length("many"),
        M::LengthTwice => with_length("165\r\nContent-Length: 164"),
        M::LengthUnstated => {
            return send_and_close(
                stream,
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{ENVELOPE}").as_bytes(),
            );
        }
        M::EndlessHead => return send_for_ever(stream, b"HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n"),
        M::EndlessHeader => return send_for_ever(stream, b"HTTP/1.1 200 OK\r\nX-More: ", b"and more "),
        M::EndlessBody => return send_for_ever(stream, &chunked(""), b"10\r\n0123456789abcdef\r\n"),
        M::EndlessBodyUnstated => {
            return send_for_ever(
                stream,
                b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
                b"0123456789abcdef",
            );
        }
        M::ChunkBad => chunked("zz\r\nabc\r\n0\r\n\r\n"),
        M::ChunkHuge => chunked("fffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
        M::ChunkTooLong => chunked("3\r\nabcdef\r\n0\r\n\r\n"),
        M::ChunkCut => return send_and_close(stream, &chunked("a5\r\n<soap:")),
        M::ChunksSmall => {
            let pieces: String = ENVELOPE.chars().map(|letter| format!("1\r\n{letter}\r\n")).collect();
            chunked(&format!("{pieces}0\r\n\r\n"))
        }
        M::Garbage => vec![
            0xff, 0x00, b'g', b'a', b'r', b'b', 0x80, b'\r', b'\n', b'\r', b'\n', 0xfe,
        ],
        M::ContinueStorm => return send_for_ever(stream, b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        M::Informational => {
            let before = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
            [before.as_bytes(), &good].concat()
        }
        M::Redirects => b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".to_vec(),
        M::BodyAfter204 => format!("HTTP/1.1 204 No Content\r\nContent-Length: 165\r\n\r\n{ENVELOPE}").into_bytes(),
        M::AnswersTwice => [good.as_slice(), &good].concat(),
        M::AnswersEarlyAndCloses => return send_and_close(stream, &good),
        M::ClosesPolitely if bad.next_is_bad() => {
            let close = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 165\r\n\r\n{ENVELOPE}");
            return send_and_close(stream, close.as_bytes());
        }
        M::ClosesKept if bad.next_is_bad() => return send_and_close(stream, &good),
        M::Wrong if bad.next_is_bad() => whole("200 OK", WRONG_ENVELOPE),
        M::Fault if bad.next_is_bad() => whole("500 Internal Server Error", FAULT),
        M::FaultWith200 if bad.next_is_bad() => whole("200 OK", FAULT),
        M::Unavailable if bad.next_is_bad() => whole("503 Service Unavailable", ""),
        M::ClosesPolitely | M::ClosesKept | M::Wrong | M::Fault | M::FaultWith200 | M::Unavailable => good,
        M::AnswersEarly | M::AnswersUnasked | M::Tls | M::TlsWrongName | M::TlsExpired | M::TlsUnknownAuthority => good,
    };
    stream.write_all(&bytes)?;
    Ok(After::ReadOn)
}

fn drip(stream: &mut TcpStream, bytes: &[u8], at_once: usize) -> io::Result<After> {
    stream.write_all(&bytes[..at_once])?;
    for byte in &bytes[at_once..] {
        std::thread::sleep(DRIP);
        stream.write_all(&[*byte])?;
    }
    Ok(After::ReadOn)
}

/// Ends only when the other side does not take it any more.
fn send_for_ever(stream: &mut TcpStream, first: &[u8], again: &[u8]) -> io::Result<After> {
    let many = again.repeat(STACK_BYTES / 8 / again.len());
    stream.write_all(first)?;
    loop {
        stream.write_all(&many)?;
    }
}

/// Closing with a linger time of zero sends a reset.
fn reset(stream: &TcpStream) -> io::Result<After> {
    setsockopt(
        stream,
        sockopt::Linger,
        &libc::linger {
            l_onoff: 1,
            l_linger: 0,
        },
    )?;
    Ok(After::Close)
}

fn drain(stream: &mut impl Read) -> io::Result<()> {
    let mut scrap = [0; 4096];
    while stream.read(&mut scrap)? > 0 {}
    Ok(())
}

/// Reads one request after the other off a connection.
#[derive(Default)]
struct Requests {
    reader: RequestReader,
    /// Read, and not yet looked at: the beginning of the next request.
    left: Vec<u8>,
    /// Whether a request counts when its head is there, its body being read before the next.
    stop_at_head: bool,
    counted_at_head: bool,
}

impl Requests {
    /// True when there is another request, false when the other side closed or talks nonsense.
    fn next(&mut self, stream: &mut impl Read) -> io::Result<bool> {
        let mut piece = [0; 4096];
        loop {
            let input = std::mem::take(&mut self.left);
            match self.reader.feed(&input) {
                Progress::Complete { used, .. } => {
                    self.left = input[used..].to_vec();
                    if !std::mem::take(&mut self.counted_at_head) {
                        return Ok(true);
                    }
                }
                Progress::Head if self.stop_at_head => {
                    self.counted_at_head = true;
                    return Ok(true);
                }
                Progress::Senseless => return Ok(false),
                Progress::Head | Progress::More => {}
            }
            if self.left.is_empty() {
                match stream.read(&mut piece)? {
                    0 => return Ok(false),
                    count => self.left.extend_from_slice(&piece[..count]),
                }
            }
        }
    }
}
