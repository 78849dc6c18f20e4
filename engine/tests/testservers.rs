//! The servers that everything else is measured against, checked from outside: their clocks, their answers, their faults.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod testserver_harness;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testserver_harness::TestServer;

const REQUEST: &[u8] = b"POST /echo HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody";

/// Reads one answer with a Content-Length: its head, and its body.
fn read_answer(stream: &mut TcpStream) -> (String, String) {
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

fn header<'head>(head: &'head str, name: &str) -> &'head str {
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name} in {head}"))
}

fn ask(stream: &mut TcpStream) -> (String, String) {
    stream.write_all(REQUEST).unwrap();
    read_answer(stream)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the structure given.
    assert_eq!(unsafe { libc::clock_gettime(clock, &mut time) }, 0);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

#[test]
fn null_answers_an_envelope_of_165_bytes_over_one_connection() {
    let server = TestServer::start(&["null"]);
    let mut stream = server.connect();
    for _ in 0..3 {
        let (head, body) = ask(&mut stream);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(body.len(), 165);
        assert!(body.contains("<echoVoidResponse"));
    }
}

#[test]
fn null_answers_pipelined_requests_one_by_one_and_requests_in_pieces_once() {
    let server = TestServer::start(&["null", "--ipv6"]);
    assert!(server.address.is_ipv6());
    let mut stream = server.connect();
    stream.write_all(&REQUEST.repeat(3)).unwrap();
    (0..3).for_each(|_| drop(read_answer(&mut stream)));
    for piece in REQUEST.chunks(10) {
        stream.write_all(piece).unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    read_answer(&mut stream);
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_server_ends_with_its_input() {
    let mut server = TestServer::start(&["null"]);
    server.end();
    assert!(TcpStream::connect(server.address).is_err());
}

#[test]
fn delay_tells_instants_that_agree_with_another_clock() {
    const DELAY_NS: u64 = 3_000_000;
    let server = TestServer::start(&["delay", "--microseconds", "3000"]);
    let mut stream = server.connect();
    let mut least_excess = u64::MAX;
    let mut least_difference = u64::MAX;
    for _ in 0..50 {
        let sent = clock_ns(libc::CLOCK_MONOTONIC);
        let raw_sent = clock_ns(libc::CLOCK_MONOTONIC_RAW);
        let (head, body) = ask(&mut stream);
        let raw_received = clock_ns(libc::CLOCK_MONOTONIC_RAW);
        let received = clock_ns(libc::CLOCK_MONOTONIC);
        let [read, write] = ["Read-Ns", "Write-Ns"].map(|name| header(&head, name).parse::<u64>().unwrap());
        assert!(body.contains(header(&head, "Read-Ns")) && body.contains(header(&head, "Write-Ns")));
        assert!(sent <= read && read + DELAY_NS <= write && write <= received);
        least_excess = least_excess.min(write - read - DELAY_NS);
        least_difference = least_difference.min((raw_received - raw_sent).abs_diff(write - read));
    }
    // The machine may be busy at any moment, but hardly at all of fifty.
    assert!(
        least_excess < 1_000_000,
        "the delay is {least_excess} ns too long at its best"
    );
    assert!(
        least_difference < 1_000_000,
        "the raw clock differs by {least_difference} ns at its best"
    );
}

#[test]
fn delay_records_the_instants_that_it_tells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("instants.csv");
    let mut server = TestServer::start(&["delay", "--record", path.to_str().unwrap()]);
    let mut stream = server.connect();
    let mut expected = String::from("read_ns,write_ns\n");
    for _ in 0..3 {
        let head = ask(&mut stream).0;
        let [read, write] = ["Read-Ns", "Write-Ns"].map(|name| header(&head, name).parse::<u64>().unwrap());
        expected += &format!("{read},{write}\n");
    }
    server.end();
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
}

#[test]
fn without_a_delay_an_answer_is_written_when_its_request_is_read() {
    let server = TestServer::start(&["delay"]);
    let mut stream = server.connect();
    let spent =
        |head: &str| header(head, "Write-Ns").parse::<u64>().unwrap() - header(head, "Read-Ns").parse::<u64>().unwrap();
    assert!((0..50).map(|_| spent(&ask(&mut stream).0)).min().unwrap() < 100_000);
}

#[test]
fn freeze_reports_the_instants_between_which_a_client_had_to_wait() {
    let server = TestServer::start(&["freeze", "--every-ms", "200", "--for-ms", "60"]);
    let mut stream = server.connect();
    let mut asked = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1100) {
        let sent = clock_ns(libc::CLOCK_MONOTONIC);
        ask(&mut stream);
        asked.push((sent, clock_ns(libc::CLOCK_MONOTONIC)));
    }
    let mut least_lag = u64::MAX;
    for _ in 0..4 {
        let freeze = &server.line()["freeze"];
        let [from, to, drained] = ["begin_ns", "end_ns", "backlog_end_ns"].map(|key| freeze[key].as_u64().unwrap());
        assert!(from < to && to <= drained && freeze["backlog"].as_u64().unwrap() >= 1);
        let inside = asked
            .iter()
            .filter(|(sent, received)| *sent > from && *received < to)
            .count();
        assert_eq!(inside, 0, "nothing is answered within a freeze");
        let waited = asked
            .iter()
            .find(|(sent, received)| *sent < to && *received >= to)
            .unwrap();
        least_lag = least_lag.min(waited.1 - to);
    }
    assert!(
        least_lag < 5_000_000,
        "an answer came {least_lag} ns after a freeze at best"
    );
}

/// What comes over a connection after one request, and how it ended: `closed`, `reset`, `endless` (more than `limit`
/// bytes) or `waiting` (none of these within the time that is allowed).
fn all_that_comes(server: &TestServer, limit: usize) -> (String, &'static str) {
    let deadline = Instant::now() + Duration::from_secs(2);
    let mut stream = server.connect();
    let _ = stream.write_all(REQUEST);
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let end = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break "waiting";
        }
        stream.set_read_timeout(Some(left)).unwrap();
        match stream.read(&mut piece) {
            Ok(0) => break "closed",
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break "reset",
            Err(_) => {}
        }
        if bytes.len() > limit {
            break "endless";
        }
    };
    (String::from_utf8_lossy(&bytes).into_owned(), end)
}

#[test]
fn every_misbehaviour_does_what_its_name_says() {
    let expected = [
        ("never-answers", "", "waiting"),
        ("closes-unanswered", "", "closed"),
        ("resets", "", "reset"),
        ("drips", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("drips-head", "", "waiting"),
        ("closes-in-head", "HTTP/1.1 200 OK\r\nCon", "closed"),
        ("closes-in-body", "HTTP/1.1 200 OK\r\n", "closed"),
        ("resets-in-body", "HTTP/1.1 200 OK\r\n", "reset"),
        (
            "length-too-small",
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n",
            "waiting",
        ),
        (
            "length-too-large",
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n",
            "waiting",
        ),
        (
            "length-huge",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n",
            "waiting",
        ),
        (
            "length-overflow",
            "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999",
            "waiting",
        ),
        (
            "length-negative",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
            "waiting",
        ),
        (
            "length-no-number",
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n",
            "waiting",
        ),
        (
            "length-twice",
            "HTTP/1.1 200 OK\r\nContent-Length: 165\r\nContent-Length: 164\r\n",
            "waiting",
        ),
        (
            "length-unstated",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<soap",
            "closed",
        ),
        (
            "endless-head",
            "HTTP/1.1 200 OK\r\nX-More: and more\r\nX-More",
            "endless",
        ),
        (
            "endless-header",
            "HTTP/1.1 200 OK\r\nX-More: and more and more",
            "endless",
        ),
        (
            "endless-body",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n",
            "endless",
        ),
        (
            "endless-body-unstated",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123",
            "endless",
        ),
        (
            "chunk-bad",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "waiting",
        ),
        (
            "chunk-huge",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            "waiting",
        ),
        (
            "chunk-too-long",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef",
            "waiting",
        ),
        (
            "chunk-cut",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na5\r\n<soap:",
            "closed",
        ),
        (
            "chunks-small",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n<\r\n1\r\ns",
            "waiting",
        ),
        ("garbage", "\u{fffd}\0garb", "waiting"),
        (
            "continue-storm",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
            "endless",
        ),
        (
            "informational",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n",
            "waiting",
        ),
        ("redirects", "HTTP/1.1 302 Found\r\nLocation: /\r\n", "waiting"),
        (
            "body-after-204",
            "HTTP/1.1 204 No Content\r\nContent-Length: 165\r\n",
            "waiting",
        ),
        ("answers-twice", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("answers-early", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("answers-unasked", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("tls-garbage", "this is no TLS", "waiting"),
        ("tls-silent", "", "waiting"),
        ("wrong", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("fault", "HTTP/1.1 500 Internal Server Error\r\n", "waiting"),
        ("fault-with-200", "HTTP/1.1 200 OK\r\n", "waiting"),
        ("unavailable", "HTTP/1.1 503 Service Unavailable\r\n", "waiting"),
        ("closes-kept", "HTTP/1.1 200 OK\r\nContent-Type", "closed"),
        ("closes-politely", "HTTP/1.1 200 OK\r\nConnection: close\r\n", "closed"),
    ];
    // All at once, since most of the time is spent on being sure of silence.
    std::thread::scope(|scope| {
        for (mode, begins, ends) in expected {
            scope.spawn(move || {
                let server = TestServer::start(&["misbehave", mode]);
                let (text, end) = all_that_comes(&server, 200_000);
                assert!(text.starts_with(begins), "{mode}: {text:?}");
                assert_eq!(end, ends, "{mode}");
                let twice = text.matches("HTTP/1.1 200").count() == 2;
                assert_eq!(twice, mode == "answers-twice" || mode == "answers-unasked", "{mode}");
            });
        }
    });
}

#[test]
fn refuses_keeps_its_address_and_refuses() {
    let server = TestServer::start(&["misbehave", "refuses"]);
    assert_eq!(
        TcpStream::connect(server.address).unwrap_err().kind(),
        ErrorKind::ConnectionRefused
    );
}

#[test]
fn an_early_answer_comes_before_the_body_and_the_next_request_is_understood() {
    let server = TestServer::start(&["misbehave", "answers-early"]);
    let mut stream = server.connect();
    for _ in 0..2 {
        let (head, body) = REQUEST.split_at(REQUEST.len() - 4);
        stream.write_all(head).unwrap();
        read_answer(&mut stream);
        stream.write_all(body).unwrap();
    }
}

#[test]
fn a_share_of_bad_answers_is_exact() {
    for (mode, text) in [
        ("fault", "<soap:Fault>"),
        ("fault-with-200", "<soap:Fault>"),
        ("wrong", "<somethingElse"),
    ] {
        let server = TestServer::start(&["misbehave", mode, "--share", "0.03"]);
        let mut stream = server.connect();
        assert_eq!(
            (0..200).filter(|_| ask(&mut stream).1.contains(text)).count(),
            6,
            "{mode}"
        );
    }
}

#[test]
fn tls_servers_present_the_certificate_that_they_are_named_for() {
    let expected = [
        ("tls", Ok(())),
        ("tls-wrong-name", Err("NotValidForName")),
        ("tls-expired", Err("Expired")),
        ("tls-unknown-authority", Err("UnknownIssuer")),
    ];
    for (mode, outcome) in expected {
        let server = TestServer::start(&["misbehave", mode]);
        let told = ask_over_tls(&server);
        match outcome {
            Ok(()) => assert!(told.unwrap().starts_with("HTTP/1.1 200 OK"), "{mode}"),
            Err(word) => {
                let error = format!("{:?}", told.unwrap_err());
                assert!(error.contains(word), "{mode}: {error}");
            }
        }
    }
}

fn ask_over_tls(server: &TestServer) -> std::io::Result<String> {
    use rustls::pki_types::pem::PemObject;
    let mut roots = rustls::RootCertStore::empty();
    let pem = server.authority_pem.as_ref().unwrap();
    roots
        .add(rustls::pki_types::CertificateDer::from_pem_slice(pem.as_bytes()).unwrap())
        .unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = rustls::ClientConnection::new(config.into(), "localhost".try_into().unwrap()).unwrap();
    let mut stream = rustls::StreamOwned::new(client, server.connect());
    stream.write_all(REQUEST)?;
    let mut piece = [0; 1024];
    let count = stream.read(&mut piece)?;
    Ok(String::from_utf8_lossy(&piece[..count]).into_owned())
}
