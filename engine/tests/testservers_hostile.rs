//! The hostile test servers: each does what its name says.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod testserver_harness;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testserver_harness::{REQUEST, TestServer, ask, read_answer};

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
        let answer = ask_over_tls(&server);
        match outcome {
            Ok(()) => assert!(answer.unwrap().starts_with("HTTP/1.1 200 OK"), "{mode}"),
            Err(word) => {
                let error = format!("{:?}", answer.unwrap_err());
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
