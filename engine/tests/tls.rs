//! TLS in both versions, and verification that is off only where the job says so.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use engine_harness::{Bench, Row, job, number, slice};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use serde_json::{Value, json};

/// A server of one version of TLS with a certificate for 127.0.0.1 that it signed itself; and the certificate.
fn server(version: &'static SupportedProtocolVersion) -> (SocketAddr, String) {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate: CertificateDer = own.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(own.key_pair.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let secure = ServerConnection::new(config.clone()).unwrap();
            let stream = StreamOwned::new(secure, stream.unwrap());
            std::thread::spawn(move || answer(stream, version));
        }
    });
    (address, own.cert.pem())
}

/// Answers every read as if it were a request, in an answer larger than one record, as long as the version is right.
fn answer(mut stream: StreamOwned<ServerConnection, std::net::TcpStream>, version: &SupportedProtocolVersion) {
    let body = format!("{}echoVoidResponse", "x".repeat(40_000));
    let mut scrap = [0; 65536];
    while matches!(stream.read(&mut scrap), Ok(1..)) {
        assert_eq!(stream.conn.protocol_version(), Some(version.version));
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

fn run(address: SocketAddr, tls: Value, pem: &str, more: Value) -> Row {
    let bench = Bench::new();
    std::fs::write(bench.path("own.pem"), pem).unwrap();
    let slices = json!([slice(0, json!({"kind": "big-bang", "users": 2, "seconds": 0.4}))]);
    let mut job = job(&format!("https://{address}/"), slices, more);
    job["timeout_ms"] = json!(20_000);
    job["targets"][0]["tls"] = tls;
    bench.run(&job).remove(0)
}

#[test]
fn both_versions_are_spoken_and_a_certificate_needs_its_authority_or_leave_to_go_unjudged() {
    for version in [&TLS12, &TLS13] {
        let (address, pem) = server(version);
        for judged in [json!({"ca": "own.pem"}), json!({"verify": false})] {
            let row = run(address, judged, &pem, json!({}));
            assert!(number(&row, "completed") > 0 && number(&row, "tls") == 0, "{row:?}");
        }
        let row = run(address, json!({}), &pem, json!({}));
        assert!(number(&row, "completed") == 0 && number(&row, "tls") > 0, "{row:?}");
    }
}

#[test]
fn a_secure_connection_per_request_times_its_handshakes() {
    let (address, pem) = server(&TLS13);
    let row = run(
        address,
        json!({"ca": "own.pem"}),
        &pem,
        json!({"connection": "per-request"}),
    );
    assert!(
        number(&row, "completed") > 0 && number(&row, "connects") >= number(&row, "completed"),
        "{row:?}"
    );
    assert_eq!(number(&row, "tls") + number(&row, "truncated"), 0, "{row:?}");
}
