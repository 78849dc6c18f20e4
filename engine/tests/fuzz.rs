//! Fuzzing, bounded: the response parser, the job file and the corpus index are fed mutations of kept inputs.
//!
//! Every run replays what is kept in `fuzz/` and mutates it for a moment; `make fuzz` sets STEELYARD_FUZZ_SECONDS for more.
//! An input that breaks something is kept beside the others, so that it is replayed for ever after.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod reading;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use reading::{Ended, read};
use serde_json::json;
use steelyard_engine::http::{RequestHead, Url};
use steelyard_engine::http2::{Connection, Event, RequestFields, Variable};
use steelyard_engine::session::{CompiledCapture, Filled, Filling, Stamp, Values};
use steelyard_engine::{corpus, job, session, validation};

/// Feeds a target with kept inputs, then with mutations of them until the time is over.
fn fuzz(name: &str, target: impl Fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        kept.push(std::fs::read(&file).unwrap());
        target(kept.last().unwrap());
    }
    assert!(!kept.is_empty(), "nothing is kept for {name}");
    let asked: Option<f64> = std::env::var("STEELYARD_FUZZ_SECONDS")
        .ok()
        .map(|text| text.parse().unwrap());
    // By default always the same few; with a time given, others every time.
    let mut rng = asked.map_or_else(|| ChaCha8Rng::seed_from_u64(1), |_| ChaCha8Rng::seed_from_u64(now_ns()));
    let end = Instant::now() + Duration::from_secs_f64(asked.unwrap_or(0.5));
    let mut tried = 0u64;
    while Instant::now() < end {
        let input = mutate(&kept, &mut rng);
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        if outcome.is_err() {
            let file = folder.join(format!("broke-{:016x}", rng.random::<u64>()));
            std::fs::write(&file, &input).unwrap();
            panic!("{name} broke; the input is kept as {}", file.display());
        }
        tried += 1;
    }
    eprintln!("{name}: {} kept inputs, {tried} mutations", kept.len());
}

fn now_ns() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64
}

fn mutate(kept: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    const TOKENS: [&[u8]; 20] = [
        b"\r\n",
        b"\r\n\r\n",
        b"0",
        b"-1",
        b"18446744073709551616",
        b"Content-Length: ",
        b"Transfer-Encoding: chunked",
        b"HTTP/1.1 ",
        b"\"",
        b"{",
        b"[",
        b",",
        b"1e400",
        b"null",
        b"{{",
        b"}}",
        b"</b>",
        b"<id>",
        b"<!--",
        b"<![CDATA[",
    ];
    let mut input = kept.choose(rng).unwrap().clone();
    for _ in 0..rng.random_range(1..8) {
        let at = rng.random_range(0..=input.len());
        let end = (at + rng.random_range(0..16usize)).min(input.len());
        match rng.random_range(0..6) {
            0 => drop(input.drain(at..end)),
            1 => drop(input.splice(at..at, TOKENS.choose(rng).unwrap().iter().copied())),
            2 => input[at..end].iter_mut().for_each(|byte| *byte = rng.random()),
            3 => {
                let copy = input[at..end].to_vec();
                drop(input.splice(at..at, copy));
            }
            4 => {
                // The beginning of one and the end of another.
                let other = kept.choose(rng).unwrap();
                input.truncate(at);
                input.extend_from_slice(&other[rng.random_range(0..=other.len())..]);
            }
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
        }
    }
    input
}

#[test]
fn the_response_parser_survives_anything_and_reads_it_the_same_however_cut() {
    fuzz("response", |bytes| {
        let whole = read([bytes]);
        for size in [1, 2, 3, 5, 64] {
            let cut = read(bytes.chunks(size));
            if whole.ended == Ended::Malformed {
                assert_eq!(cut.ended, Ended::Malformed);
            } else {
                assert_eq!(cut, whole);
            }
        }
    });
}

/// What a connection with two requests under way takes of a server's bytes, cut like this; none where they break the protocol.
fn hear<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, fields: &RequestFields) -> Option<(Vec<String>, Vec<u8>)> {
    let (mut connection, mut heard, mut bodies) = (Connection::new(), Vec::new(), Vec::new());
    let (values, stamp) = (Values::default(), Stamp::default());
    for lane in 0..2 {
        let variable = Variable {
            body: b"",
            cookies: None,
            values: &values,
            stamp: &stamp,
        };
        connection.start_request(lane, fields, &variable);
    }
    for piece in pieces {
        let mut input = piece;
        loop {
            match connection.next(&mut input).ok()? {
                Event::NeedMore => break,
                Event::Body { lane, bytes, end, .. } => {
                    bodies.extend(bytes.iter().map(|byte| byte ^ lane as u8));
                    if end {
                        heard.push(format!("end of {lane}"));
                        connection.close(1 + 2 * lane, true);
                    }
                }
                event => {
                    heard.push(format!(
                        "{event:?} {:?}",
                        connection.fields().iter().collect::<Vec<_>>()
                    ));
                    if let Event::Trailers { lane, .. } = event {
                        connection.close(1 + 2 * lane, true);
                    }
                }
            }
        }
        // As a socket that always takes all would.
        connection.advance_output(connection.output().len());
        assert!(connection.in_flight() <= 2);
    }
    Some((heard, bodies))
}

#[test]
fn an_http_2_connection_survives_anything_and_takes_it_the_same_however_cut() {
    let target: job::Target = serde_json::from_value(json!({"subject": "a", "url": "http://h/"})).unwrap();
    let (line, url) = (Default::default(), Url::of(&target).unwrap());
    let head = RequestHead::new(&target, &url, "a", &line, job::ConnectionUse::KeepAlive);
    let fields = RequestFields::new(&head, 0, false).unwrap();
    fuzz("http2", |bytes| {
        let whole = hear([bytes], &fields);
        for size in [1, 2, 3, 5, 64] {
            assert_eq!(hear(bytes.chunks(size), &fields), whole);
        }
    });
}

#[test]
fn the_job_reader_survives_anything_and_says_in_one_line_what_is_wrong() {
    fuzz("job", |bytes| {
        if let Err(why) = validation::parse(bytes) {
            assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
        }
    });
}

#[test]
fn the_corpus_index_survives_anything_and_accepts_nothing_beyond_the_corpus() {
    const LENGTH: u64 = 1000;
    fuzz("corpus", |bytes| {
        if let Ok(index) = corpus::read_index(bytes, LENGTH, &["right", "other"]) {
            for entry in index.entries {
                assert!(entry.offset + entry.length <= LENGTH);
                assert!(usize::from(entry.operation) < index.operations.len() && entry.rule < 2);
                assert!((entry.line as usize) < index.lines.len());
            }
        }
    });
}

#[test]
fn captures_survive_any_answer_and_give_only_short_text_of_it() {
    let captures = [
        json!({"kind": "header", "name": "id"}),
        json!({"kind": "regex", "expression": "id=(.*?);"}),
        json!({"kind": "path", "path": "e/b/id"}),
        json!({"kind": "path", "path": "e/b/@id"}),
        json!({"kind": "json", "path": ["e", 1, "id"]}),
    ];
    let captures = captures.map(|place| CompiledCapture::new("id", &serde_json::from_value(place).unwrap()).unwrap());
    fuzz("capture", |bytes| {
        for capture in &captures {
            if let Some(value) = capture.find(bytes, bytes) {
                let text = std::str::from_utf8(&value).unwrap();
                assert!((1..=4096).contains(&text.len()) && !text.chars().any(char::is_control));
            }
        }
    });
}

#[test]
fn filling_survives_any_text_and_leaves_no_place_of_one_that_was_accepted() {
    fuzz("template", |bytes| {
        let mut values = Values::default();
        let Ok(names) = session::names(bytes) else { return };
        names.iter().for_each(|name| values.set(name, b"x y"));
        let (mut filled, mut path) = (Vec::new(), Vec::new());
        let stamp = Stamp::default();
        let filling = Filling::new(&values, &stamp);
        assert_eq!(session::fill(bytes, &filling, &mut filled), Filled::Whole);
        session::fill_path(bytes, &filling, &mut path);
        assert!(path.iter().all(u8::is_ascii_graphic));
        if !session::has_computed(bytes) {
            // Every place is at least as long as its value, but those of the engine, which the values took.
            assert!(filled.len() <= bytes.len() && path.len() <= 3 * bytes.len());
        }
    });
}
