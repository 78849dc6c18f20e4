//! TLS in both versions, and verification that is off only where the job says so.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod plain_server;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use engine_harness::{Bench, Row, job, number, slice};
use plain_server::{Then, serve as serve_plainly};
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
    (serve(config, version), pem)
}

/// A server with these settings.
fn serve(config: ServerConfig, version: &'static SupportedProtocolVersion) -> SocketAddr {
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
    address
}

/// A server whose certificate an authority signed, after `change`; and the authority's certificate.
fn signed(change: impl FnOnce(&mut rcgen::CertificateParams)) -> (SocketAddr, String) {
    let authority_key = rcgen::KeyPair::generate().unwrap();
    let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    authority
        .distinguished_name
        .push(rcgen::DnType::CommonName, "the authority");
    let authority = authority.self_signed(&authority_key).unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let mut own = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    change(&mut own);
    let own = own.signed_by(&key, &authority, &authority_key).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![own.der().clone()],
            PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )
        .unwrap();
    (serve(config, &TLS13), authority.pem())
}

/// The one cause of failure that a load of a server names.
fn cause(address: SocketAddr, pem: &str, more: Value) -> String {
    let bench = Bench::new();
    std::fs::write(bench.path("own.pem"), pem).unwrap();
    let slices = json!([slice(0, json!({"kind": "big-bang", "users": 1, "seconds": 0.1}))]);
    let mut job = job(&format!("https://{address}/"), slices, json!({}));
    job["timeout_ms"] = json!(20_000);
    job["targets"][0]["tls"] = if pem.is_empty() {
        json!({})
    } else {
        json!({"ca": "own.pem"})
    };
    for (key, value) in more.as_object().unwrap() {
        job["targets"][0][key] = value.clone();
    }
    bench.run(&job);
    let mut causes: Vec<String> = bench
        .table("outcomes.csv")
        .iter()
        .map(|row| row["cause"].clone())
        .collect();
    causes.dedup();
    assert_eq!(causes.len(), 1, "{causes:?}");
    causes.remove(0)
}

/// A server that answers whatever comes with these bytes, and closes.
fn not_tls(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 65536]);
            let _ = stream.write_all(answer);
        }
    });
    address
}

#[test]
fn a_failure_of_tls_names_its_cause() {
    let (own, pem) = server(&TLS13);
    assert_eq!(cause(own, "", json!({})), "the server's certificate is self-signed");
    let (_, other) = server(&TLS13);
    let (good, authority) = signed(|_| {});
    assert_eq!(
        cause(good, &other, json!({})),
        "the server's certificate is from an unknown authority"
    );
    let (expired, its_authority) = signed(|own| own.not_after = rcgen::date_time_ymd(2020, 1, 1));
    assert_eq!(
        cause(expired, &its_authority, json!({})),
        "the server's certificate has expired"
    );
    let (elsewhere, its_authority) = signed(|own| {
        own.subject_alt_names = vec![rcgen::SanType::DnsName("other.example".try_into().unwrap())];
    });
    assert_eq!(
        cause(elsewhere, &its_authority, json!({})),
        "the server's certificate is for another name"
    );
    assert_eq!(
        cause(good, &authority, json!({"http2": {"streams": 1}})),
        "the server does not agree to HTTP/2 (no ALPN)"
    );
    assert_eq!(
        cause(not_tls(b"HTTP/1.1 400 Bad Request\r\n\r\n"), &pem, json!({})),
        "the server does not speak TLS"
    );
    // An alert of TLS 1.0's "protocol_version", as a server of older versions sends.
    assert_eq!(
        cause(not_tls(&[21, 3, 1, 0, 2, 2, 70]), &pem, json!({})),
        "the server has no TLS version that is safe (1.2 or 1.3)"
    );
    // Its "handshake_failure", with which a server of TLS 1.2 answers a client without a certificate.
    assert_eq!(
        cause(not_tls(&[21, 3, 3, 0, 2, 2, 40]), &pem, json!({})),
        "the server refused the handshake: it wants a client certificate, or has no TLS settings in common with the client"
    );
    assert_eq!(
        cause(not_tls(b""), &pem, json!({})),
        "the server closed the connection during the handshake"
    );
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

#[test]
fn a_redirect_from_http_to_https_is_one_request_over_two_connections() {
    let (secure, pem) = server(&TLS13);
    let plain = serve_plainly(move |_| {
        let head =
            format!("HTTP/1.1 301 Moved Permanently\r\nLocation: https://{secure}/\r\nContent-Length: 0\r\n\r\n");
        (head, Then::GoesOn)
    });
    let bench = Bench::new();
    std::fs::write(bench.path("own.pem"), &pem).unwrap();
    let profile = json!({"kind": "fixed-work", "users": 2, "each": 5, "most_seconds": 60});
    let mut job = job(&format!("http://{plain}/"), json!([slice(0, profile)]), json!({}));
    job["timeout_ms"] = json!(20_000);
    job["targets"][0]["tls"] = json!({"ca": "own.pem"});
    job["targets"][0]["redirects"] = json!({});
    let row = bench.run(&job).remove(0);
    assert_eq!((number(&row, "completed"), number(&row, "sent")), (10, 10), "{row:?}");
    assert_eq!(bench.summary()["slices"][0]["redirects"], json!(10));
    assert!(
        number(&row, "connects") <= 2,
        "each user keeps both connections: {row:?}"
    );
}

#[test]
fn an_address_that_is_given_leaves_the_name_of_the_host_to_the_certificate() {
    let named = |own: &mut rcgen::CertificateParams| {
        own.subject_alt_names = vec![rcgen::SanType::DnsName("shop.test".try_into().unwrap())];
    };
    let (address, authority) = signed(named);
    let target = |host: &str| json!({"url": format!("https://{host}:{}/", address.port()), "addresses": ["127.0.0.1"]});
    assert_eq!(cause(address, &authority, target("shop.test")), "");
    assert_eq!(
        cause(address, &authority, target("other.test")),
        "the server's certificate is for another name"
    );
}
