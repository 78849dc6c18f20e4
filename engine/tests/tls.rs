//! TLS in both versions, and verification that is off only where the job says so.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use engine_harness::{Bench, Row, job, number, slice};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use rustls::crypto::ring as provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ConnectionTrafficSecrets, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use serde_json::{Value, json};

/// The settings of a server of one version of TLS with a certificate for 127.0.0.1 that it signed itself; and the certificate.
fn config(version: &'static SupportedProtocolVersion) -> (ServerConfig, String) {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate: CertificateDer = own.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(own.key_pair.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    (config, own.cert.pem())
}

/// A server of one version of TLS, and its certificate.
fn server(version: &'static SupportedProtocolVersion) -> (SocketAddr, String) {
    let (config, pem) = config(version);
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
    (address, pem)
}

/// A server that sends session tickets over its first connection, once a request has come, without end; and its certificate.
fn flood_of_tickets() -> (SocketAddr, String) {
    let (mut config, pem) = config(&TLS13);
    config.enable_secret_extraction = true;
    config.send_tls13_tickets = 0;
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream.unwrap());
            std::thread::spawn(move || match number {
                0 if stream.read(&mut [0; 65536]).unwrap() > 0 => flood(stream.conn, stream.sock),
                _ => answer(stream, &TLS13),
            });
        }
    });
    (address, pem)
}

/// Goes on with a connection as TLS would, but with nothing except tickets.
fn flood(connection: ServerConnection, mut socket: TcpStream) {
    const TICKETS_AT_ONCE: usize = 500;
    // Type and length of the message; lifetime, age, nonce, ticket (each behind its length), no extension. Type of the record behind it.
    const TICKET: &[u8] = &[4, 0, 0, 15, 0, 0, 14, 16, 0, 0, 0, 0, 1, 1, 0, 1, 7, 0, 0, 22];
    let (mut number, secrets) = connection.dangerous_extract_secrets().unwrap().tx;
    let ConnectionTrafficSecrets::Aes256Gcm { key, iv } = secrets else {
        panic!("not the suite that both prefer");
    };
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key.as_ref()).unwrap());
    loop {
        let mut records = Vec::new();
        for _ in 0..TICKETS_AT_ONCE {
            let mut nonce: [u8; 12] = iv.as_ref().try_into().unwrap();
            let place = nonce[4..].iter_mut().zip(number.to_be_bytes());
            place.for_each(|(byte, of_number)| *byte ^= of_number);
            let mut sealed = TICKET.to_vec();
            let head = [23, 3, 3, 0, (TICKET.len() + AES_256_GCM.tag_len()) as u8];
            key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(head), &mut sealed)
                .unwrap();
            records.extend_from_slice(&head);
            records.extend_from_slice(&sealed);
            number += 1;
        }
        if socket.write_all(&records).is_err() {
            return;
        }
    }
}

/// Answers every read as if it were a request, in an answer larger than one record, as long as the version is right.
fn answer(mut stream: StreamOwned<ServerConnection, TcpStream>, version: &SupportedProtocolVersion) {
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
fn a_connection_flooded_with_records_that_hold_no_answer_leaves_the_others_their_turn() {
    let (address, pem) = flood_of_tickets();
    let row = run(address, json!({"ca": "own.pem"}), &pem, json!({}));
    assert!(number(&row, "completed") > 0, "{row:?}");
    assert_eq!(number(&row, "tls"), 0, "{row:?}");
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
