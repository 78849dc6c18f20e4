//! HTTP/2: against a server by another library, over TLS, and against servers that break the protocol, stall or leave. Each gives the
//! right kind of failure, and nothing crashes, hangs or grows.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod http2_harness;

use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine_harness::{BODY, Bench, Row, job, number, slice};
use http2_harness::{ENVELOPE, STATUS_200, Talk, framed, library_server, right, server};
use rustls::crypto::ring as provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use steelyard_engine::http2::{flag, kind, setting};

/// For answers that come, however busy the machine is.
const PATIENCE_MS: u64 = 60_000;

/// Three users who send two requests each over connections of `streams`; the row of their slice.
fn asked_with(bench: &Bench, url: &str, streams: u32, more: Value) -> Row {
    let slices = json!([slice(
        0,
        json!({"kind": "fixed-work", "users": 3, "each": 2, "most_seconds": 60})
    )]);
    let mut job = job(
        url,
        slices,
        json!({"timeout_ms": PATIENCE_MS, "drain_limit_ms": PATIENCE_MS}),
    );
    job["targets"][0]["http2"] = json!({"streams": streams});
    for (key, value) in more.as_object().unwrap() {
        match key.as_str() {
            "tls" | "redirects" => job["targets"][0][key] = value.clone(),
            _ => job[key] = value.clone(),
        }
    }
    bench.run(&job).remove(0)
}

fn asked(address: SocketAddr, more: Value) -> Row {
    let bench = Bench::new();
    let row = asked_with(&bench, &format!("http://{address}/"), 3, more);
    let rss = bench.summary()["engine"]["max_rss_bytes"].as_u64().unwrap();
    assert!(rss < 64 * 1024 * 1024, "the engine took {rss} bytes");
    row
}

fn is_right(row: &Row) {
    assert_eq!((number(row, "sent"), number(row, "completed")), (6, 6), "{row:?}");
}

/// All six requests failed in one of these kinds, and the first of them is there.
fn fails_only_as(row: &Row, kinds: &[&str]) {
    assert!(number(row, kinds[0]) > 0, "no {} in {row:?}", kinds[0]);
    let all: u64 = kinds.iter().map(|kind| number(row, kind)).sum();
    assert_eq!((number(row, "sent"), all), (6, 6), "{row:?}");
    assert_eq!(number(row, "completed") + number(row, "wrong"), 0, "{row:?}");
}

#[test]
fn users_share_connections_of_a_server_by_another_library_and_each_answer_is_right() {
    let (address, seen) = library_server(0);
    let bench = Bench::new();
    let row = asked_with(&bench, &format!("http://{address}/"), 2, json!({}));
    is_right(&row);
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    assert_eq!((count(&seen.requests), count(&seen.connections)), (6, 2));
    assert_eq!(count(&seen.body_bytes), 6 * BODY.len() as u64);
    // The connections were opened beforehand, as those of HTTP/1.1 are.
    assert_eq!((number(&row, "connects"), number(&row, "stale")), (0, 0));
    assert!(number(&row, "bytes_out") > 6 * BODY.len() as u64 && number(&row, "bytes_in") > 6 * ENVELOPE.len() as u64);
}

#[test]
fn the_load_command_asks_by_http_2() {
    let (address, seen) = library_server(0);
    let output = Command::new(env!("CARGO_BIN_EXE_steelyard-engine"))
        .args([
            "load",
            &format!("http://{address}/"),
            "--method",
            "POST",
            "--http2",
            "--streams",
            "2",
        ])
        .args([
            "--users",
            "4",
            "--for",
            "500ms",
            "--expect-contains",
            ENVELOPE,
            "--json",
        ])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{report}");
    assert!(
        report["failures"].as_object().unwrap().values().all(|count| count == 0),
        "{report}"
    );
    assert!(seen.requests.load(Ordering::Relaxed) >= report["requests"].as_u64().unwrap());
    assert_eq!(seen.connections.load(Ordering::Relaxed), 2);
}

#[test]
fn redirects_are_followed_on_the_same_connection_as_a_part_of_their_request() {
    for (path, gets, body_bytes) in [("found", 6, 6 * BODY.len()), ("temporary", 0, 12 * BODY.len())] {
        let (address, seen) = library_server(0);
        let bench = Bench::new();
        let row = asked_with(&bench, &format!("http://{address}/{path}"), 3, json!({"redirects": {}}));
        is_right(&row);
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        assert_eq!((count(&seen.requests), count(&seen.connections)), (12, 1), "{path}");
        assert_eq!(
            (count(&seen.gets), count(&seen.body_bytes)),
            (gets, body_bytes as u64),
            "{path}"
        );
        assert_eq!(bench.summary()["slices"][0]["redirects"], json!(6));
    }
}

#[test]
fn a_redirect_that_does_not_end_or_leads_to_another_server_fails_by_its_status() {
    let (address, seen) = library_server(0);
    for (path, redirects) in [("endless", 60), ("away", 0)] {
        let bench = Bench::new();
        let more = json!({"redirects": {"hosts": {"127.0.0.1": ["127.0.0.1"]}}});
        let row = asked_with(&bench, &format!("http://{address}/{path}"), 3, more);
        fails_only_as(&row, &["status"]);
        assert_eq!(bench.summary()["slices"][0]["redirects"], json!(redirects), "{path}");
    }
    assert_eq!(seen.requests.load(Ordering::Relaxed), 6 * 11 + 6);
}

#[test]
fn large_bodies_pass_both_ways_through_windows_that_hold_a_part_of_them() {
    let (address, seen) = library_server(9_000_000);
    let body = vec![b'x'; 1_000_000];
    let bench = Bench::with_corpus(&[("echoVoid", &body, true)]);
    let row = asked_with(&bench, &format!("http://{address}/"), 3, json!({}));
    is_right(&row);
    assert_eq!(seen.body_bytes.load(Ordering::Relaxed), 6_000_000);
    assert!(number(&row, "bytes_in") > 54_000_000 && number(&row, "bytes_out") > 6_000_000);
}

#[test]
fn answers_are_judged_as_those_of_http_1_are() {
    let (address, _) = library_server(10);
    let rule = json!({"rules": {"right": {"contains": "what is never there"}}});
    assert_eq!(number(&asked(address, rule), "wrong"), 6);
    let rule = json!({"rules": {"right": {"status": [404]}}});
    fails_only_as(&asked(address, rule), &["status"]);
    let length = ENVELOPE.len() + 10;
    let rule = json!({"rules": {"right": {"matches": "^x{10}<echo", "length": {"least": length, "most": length}}}});
    is_right(&asked(address, rule));
}

/// A field that is in no table, in HPACK.
fn field(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0, name.len() as u8];
    bytes.extend(name.as_bytes());
    bytes.push(value.len() as u8);
    bytes.extend(value.as_bytes());
    bytes
}

/// A server whose answers have these fields in the head, and behind the body where there are any; without, the head is all.
fn told_behind(head: Vec<u8>, behind: Option<Vec<u8>>) -> SocketAddr {
    server(move |talk| {
        if !talk.greet(&[]) {
            return;
        }
        while let Some(id) = talk.request() {
            let (ends, whole) = (flag::END_HEADERS | flag::END_STREAM, [STATUS_200, &head].concat());
            match &behind {
                None => talk.say(kind::HEADERS, ends, id, &whole),
                Some(fields) => {
                    talk.say(kind::HEADERS, flag::END_HEADERS, id, &whole);
                    talk.say(kind::DATA, 0, id, ENVELOPE.as_bytes());
                    talk.say(kind::HEADERS, ends, id, fields)
                }
            };
        }
    })
}

#[test]
fn the_status_of_grpc_behind_an_answer_decides_whether_it_is_right() {
    let status = |code: &str| field("grpc-status", code);
    let rule = |fault: &str| json!({"rules": {"right": {"fault": fault, "fault_in": "grpc-status"}}});
    is_right(&asked(told_behind(vec![], Some(status("0"))), rule("absent")));
    fails_only_as(
        &asked(told_behind(vec![], Some(status("13"))), rule("absent")),
        &["fault"],
    );
    fails_only_as(&asked(told_behind(status("12"), None), rule("absent")), &["fault"]);
    let faults = asked(told_behind(status("12"), None), rule("present"));
    assert_eq!(number(&faults, "completed"), 6, "{faults:?}");
    // An answer that lacks its last word is none, and one that only says so is not mistaken for an envelope's.
    fails_only_as(
        &asked(told_behind(vec![], Some(field("a", "b"))), rule("absent")),
        &["malformed"],
    );
    let unheeded = asked(told_behind(vec![], Some(status("13"))), json!({}));
    is_right(&unheeded);
}

/// A server over TLS with a certificate that it signed itself, which agrees to these protocols; and the certificate.
fn secure_server(protocols: &[&[u8]]) -> (SocketAddr, String) {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(own.key_pair.serialize_der().into());
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream.unwrap());
            std::thread::spawn(move || {
                answer_all(&mut Talk {
                    stream: &mut stream,
                    number: 0,
                });
            });
        }
    });
    (address, own.cert.pem())
}

fn answer_all(talk: &mut Talk) {
    let mut goes_on = talk.greet(&[]);
    while goes_on && let Some(id) = talk.request() {
        goes_on = talk.answer(id);
    }
}

#[test]
fn tls_agrees_on_http_2_or_fails() {
    for (protocols, agrees) in [(&[&b"h2"[..]][..], true), (&[b"http/1.1"], false), (&[], false)] {
        let (address, pem) = secure_server(protocols);
        let bench = Bench::new();
        std::fs::write(bench.path("ca.pem"), pem).unwrap();
        let row = asked_with(
            &bench,
            &format!("https://{address}/"),
            3,
            json!({"tls": {"ca": "ca.pem"}}),
        );
        match agrees {
            true => is_right(&row),
            false => fails_only_as(&row, &["tls"]),
        }
    }
}

#[test]
fn requests_that_a_server_has_not_looked_at_are_sent_once_more_even_if_they_change_something() {
    // Its first connection leaves at the first request; the others answer.
    let address = server(|talk| {
        if talk.number > 0 {
            return answer_all(talk);
        }
        if talk.greet(&[]) && talk.request().is_some() {
            talk.say(kind::GOAWAY, 0, 0, &[0; 8]);
            talk.listen();
        }
    });
    let bench = Bench::with_corpus(&[("echoVoid", BODY.as_bytes(), false)]);
    let row = asked_with(&bench, &format!("http://{address}/"), 3, json!({}));
    is_right(&row);
    assert!(number(&row, "stale") >= 1 && number(&row, "closes") >= 1, "{row:?}");
}

#[test]
fn a_server_that_leaves_answers_what_it_has_begun_while_others_go_on_elsewhere() {
    let address = server(|talk| {
        if !talk.greet(&[]) {
            return;
        }
        while let Some(id) = talk.request() {
            let last = [&id.to_be_bytes()[..], &[0; 4]].concat();
            talk.say(kind::GOAWAY, 0, 0, &last);
            talk.answer(id);
        }
    });
    let row = asked(address, json!({}));
    assert_eq!(number(&row, "completed") + number(&row, "refused"), 6, "{row:?}");
    assert!(number(&row, "completed") > 0 && number(&row, "connects") > 0, "{row:?}");
}

/// GOAWAY with the last stream that the server answers, and a code.
fn goaway(last: u32, code: u32) -> Vec<u8> {
    framed(kind::GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

/// A server whose connections answer so many requests, and say then that they take no more.
fn recycles(after: u32) -> SocketAddr {
    server(move |talk| {
        let mut goes_on = talk.greet(&[]);
        let mut answered = 0;
        while goes_on && let Some(id) = talk.request() {
            answered += 1;
            goes_on = match answered.cmp(&after) {
                std::cmp::Ordering::Less => talk.answer(id),
                // Its last stream is one that it answers; what came meanwhile is above it.
                std::cmp::Ordering::Equal => talk.say_raw(&[goaway(id, 0), right(id)].concat()),
                std::cmp::Ordering::Greater => true,
            };
        }
    })
}

#[test]
fn connections_that_are_recycled_by_goaway_lose_no_request_and_void_nothing() {
    let bench = Bench::with_corpus(&[("echoVoid", BODY.as_bytes(), false)]);
    let slices = json!([slice(
        0,
        json!({"kind": "fixed-work", "users": 20, "each": 50, "most_seconds": 60})
    )]);
    let mut job = job(&format!("http://{}/", recycles(30)), slices, json!({}));
    job["targets"][0]["http2"] = json!({"streams": 20});
    let row = bench.run(&job).remove(0);
    assert_eq!(
        (number(&row, "sent"), number(&row, "completed")),
        (1000, 1000),
        "{row:?}"
    );
    assert!(number(&row, "stale") > 20 && number(&row, "connects") >= 30, "{row:?}");
    assert_eq!(row["valid"], "1", "{row:?}");
}

#[test]
fn a_goaway_with_an_error_and_one_that_breaks_its_word_are_failures() {
    // The first three streams of a connection get requests, and the end comes for all of them.
    let with_error = server(|talk| {
        if talk.greet(&[]) && talk.request().is_some() {
            talk.say_raw(&goaway(0, 11));
            talk.listen();
        }
    });
    fails_only_as(&asked(with_error, json!({})), &["reset", "refused"]);
    let breaks_its_word = server(|talk| {
        if talk.greet(&[]) && talk.request().is_some() {
            talk.say_raw(&goaway(99, 0));
        }
    });
    let row = asked(breaks_its_word, json!({}));
    assert!(number(&row, "truncated") + number(&row, "reset") > 0, "{row:?}");
    assert_eq!(number(&row, "completed"), 0, "{row:?}");
}

/// What a server says to a request on a stream.
type Reply = fn(u32) -> Vec<u8>;

/// A server that says this to every request, and reads on.
fn says(reply: Reply) -> SocketAddr {
    server(move |talk| {
        let mut goes_on = talk.greet(&[]);
        while goes_on && let Some(id) = talk.request() {
            goes_on = talk.say_raw(&reply(id));
        }
    })
}

#[test]
fn lawful_answers_of_unusual_shape_are_right() {
    let replies: [Reply; 4] = [
        |id| {
            [
                framed(kind::HEADERS, flag::END_HEADERS, id, &[0x08, 3, b'1', b'0', b'3']),
                right(id),
            ]
            .concat()
        },
        |id| {
            [
                framed(kind::PING, 0, 0, &[7; 8]),
                framed(200, 0, id, b"unknown"),
                right(id),
            ]
            .concat()
        },
        |id| {
            let mut bytes = framed(kind::HEADERS, 0, id, &STATUS_200[..0]);
            bytes.extend(framed(kind::CONTINUATION, flag::END_HEADERS, id, STATUS_200));
            let padded = [&[4], ENVELOPE.as_bytes(), &[0; 4]].concat();
            bytes.extend(framed(kind::DATA, flag::PADDED, id, &padded));
            bytes.extend(framed(kind::DATA, flag::END_STREAM, id, &[]));
            bytes
        },
        // The stream is closed once more when all is said (RFC 9113, 8.1).
        |id| [right(id), framed(kind::RST_STREAM, 0, id, &[0; 4])].concat(),
    ];
    for reply in replies {
        is_right(&asked(says(reply), json!({})));
    }
}

#[test]
fn streams_that_are_reset_or_refused_fail_as_such_and_the_connection_goes_on() {
    fails_only_as(
        &asked(
            says(|id| framed(kind::RST_STREAM, 0, id, &2u32.to_be_bytes())),
            json!({}),
        ),
        &["reset"],
    );
    let row = asked(
        says(|id| framed(kind::RST_STREAM, 0, id, &7u32.to_be_bytes())),
        json!({}),
    );
    fails_only_as(&row, &["refused"]);
    assert_eq!((number(&row, "stale"), number(&row, "connects")), (6, 0), "{row:?}");
}

#[test]
fn answers_that_are_none_are_malformed() {
    let replies: [Reply; 5] = [
        // Fewer bytes than the head says, a name in capitals, no status, a push, a body without head.
        |id| {
            let mut bytes = framed(kind::HEADERS, flag::END_HEADERS, id, &[0x88, 0x0f, 0x0d, 1, b'9']);
            bytes.extend(framed(kind::DATA, flag::END_STREAM, id, b"short"));
            bytes
        },
        |id| framed(kind::HEADERS, flag::END_HEADERS, id, &[0x88, 0, 1, b'X', 1, b'y']),
        |id| {
            framed(
                kind::HEADERS,
                flag::END_HEADERS | flag::END_STREAM,
                id,
                &[0, 1, b'x', 1, b'y'],
            )
        },
        |id| framed(kind::PUSH_PROMISE, flag::END_HEADERS, id, &[0, 0, 0, 2, 0x82]),
        |id| framed(kind::DATA, flag::END_STREAM, id, ENVELOPE.as_bytes()),
    ];
    for reply in replies {
        fails_only_as(&asked(says(reply), json!({})), &["malformed"]);
    }
}

#[test]
fn what_has_no_end_is_malformed_in_bounded_memory() {
    let replies: [Reply; 3] = [
        // Settings and pings without end, each to be replied to, and a head without end.
        |_| {
            framed(
                kind::SETTINGS,
                0,
                0,
                &[0, setting::MAX_CONCURRENT_STREAMS as u8, 0, 0, 0, 9],
            )
            .repeat(50_000)
        },
        |_| framed(kind::PING, 0, 0, &[0; 8]).repeat(50_000),
        |id| {
            let mut bytes = framed(kind::HEADERS, 0, id, STATUS_200);
            bytes.extend(framed(kind::CONTINUATION, 0, id, &[0x88; 1000]).repeat(1000));
            bytes
        },
    ];
    for reply in replies {
        fails_only_as(&asked(says(reply), json!({})), &["malformed"]);
    }
}

#[test]
fn a_server_of_another_protocol_is_malformed() {
    let address = server(|talk| {
        talk.say_raw(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        talk.listen();
    });
    fails_only_as(&asked(address, json!({})), &["malformed"]);
}

#[test]
fn a_server_that_stalls_times_out_and_is_left_for_a_new_connection() {
    let limit = json!({"timeout_ms": 200, "drain_limit_ms": 500});
    // No leave to send a body, no room for a stream, no answer, no settings.
    let no_window = [0, setting::INITIAL_WINDOW_SIZE as u8, 0, 0, 0, 0];
    let no_stream = [0, setting::MAX_CONCURRENT_STREAMS as u8, 0, 0, 0, 0];
    for settings in
        [Some(&no_window[..]), Some(&no_stream), Some(&[]), None].map(|settings| settings.map(<[u8]>::to_vec))
    {
        let address = server(move |talk| {
            if let Some(settings) = &settings {
                talk.greet(settings);
            }
            talk.listen();
        });
        let row = asked(address, limit.clone());
        fails_only_as(&row, &["timeout"]);
        assert!(number(&row, "connects") > 0, "{row:?}");
    }
}

#[test]
fn a_connection_that_closes_under_its_request_without_a_goaway_fails_it_as_truncated() {
    let address = server(|talk| {
        if talk.greet(&[]) {
            talk.request();
        }
    });
    let bench = Bench::new();
    // A connection for each user, so that whatever was sent on it was read before it is closed.
    let row = asked_with(&bench, &format!("http://{address}/"), 1, json!({}));
    fails_only_as(&row, &["truncated"]);
    assert_eq!((number(&row, "stale"), number(&row, "connects")), (0, 3), "{row:?}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let row = asked_with(&bench, &format!("http://{closed}/"), 3, json!({}));
    fails_only_as(&row, &["refused"]);
}

#[test]
fn what_http_2_does_not_have_is_refused_in_a_sentence() {
    let bench = Bench::new();
    let slices = json!([slice(0, json!({"kind": "big-bang", "users": 1, "seconds": 1}))]);
    let asked = |key: &str, value: Value| {
        let mut job = job("http://127.0.0.1:1/", slices.clone(), json!({}));
        job["targets"][0]["http2"] = json!({});
        job["targets"][0][key] = value;
        job
    };
    let before_it_is_ready = bench.start(&asked("http2", json!({"streams": 0}))).end();
    let mut engine = bench.ready(&asked("headers", json!({"Upgrade": "h2c"})));
    engine.go(0);
    let when_asked_to_go = engine.end();
    for ((status, errors), part) in [(before_it_is_ready, "http2.streams"), (when_asked_to_go, "upgrade")] {
        assert!(!status.success() && errors.contains(part), "{errors}");
        assert_eq!(errors.trim().lines().count(), 1, "{errors}");
    }
    let job = job("http://127.0.0.1:1/", slices, json!({"connection": "per-request"}));
    let mut shared = job.clone();
    shared["targets"][0]["http2"] = json!({});
    let (status, errors) = bench.start(&shared).end();
    assert!(status.code() == Some(2) && errors.contains("per-request"), "{errors}");
}
