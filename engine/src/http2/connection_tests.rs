//! Tests of a connection with the frames of a server.

use super::frame::{self, FrameHead, flag, kind, setting};
use super::{Connection, Event, RequestFields, Variable};
use crate::corpus::RequestLine;
use crate::http::Url;
use crate::http::{Malformed, RequestHead};
use crate::job::{ConnectionUse, Target};
use crate::session::{Stamp, Values};

const STATUS_200: &[u8] = &[0x88];

fn fields() -> RequestFields {
    let target: Target =
        serde_json::from_str(r#"{"subject": "a", "url": "http://h/p", "headers": {"X": "1"}}"#).unwrap();
    let url = Url::of(&target).unwrap();
    let head = RequestHead::new(&target, &url, "echo", &RequestLine::default(), ConnectionUse::KeepAlive);
    RequestFields::new(&head, 0, false).unwrap()
}

/// Sends a request's head for a body of this length.
fn ask(connection: &mut Connection, lane: u32, body_length: usize) -> u32 {
    let (values, stamp, body) = (Values::default(), Stamp::default(), vec![0; body_length]);
    let variable = Variable {
        body: &body,
        cookies: None,
        values: &values,
        stamp: &stamp,
    };
    connection.start_request(lane, &fields(), &variable).0
}

fn framed(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write(&mut out, kind, flags, stream, payload);
    out
}

fn set(name: u16, value: u32) -> Vec<u8> {
    let payload = [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
    framed(kind::SETTINGS, 0, 0, &payload)
}

/// All events of these bytes.
fn hear(connection: &mut Connection, bytes: &[u8]) -> Result<Vec<String>, Malformed> {
    let (mut input, mut heard) = (bytes, Vec::new());
    loop {
        match connection.next(&mut input)? {
            Event::NeedMore => return Ok(heard),
            event => heard.push(format!("{event:?}")),
        }
    }
}

/// A connection whose preface is sent, and whose server has sent its settings.
fn ready() -> Connection {
    let mut connection = Connection::new();
    assert!(!connection.can_ask(1));
    assert_eq!(
        hear(&mut connection, &framed(kind::SETTINGS, 0, 0, &[])).unwrap(),
        ["Ready"]
    );
    assert!(connection.can_ask(1));
    written(&mut connection);
    connection
}

/// The frames that are to be sent, which are taken for sent.
fn written(connection: &mut Connection) -> Vec<(FrameHead, Vec<u8>)> {
    let out = connection.output().to_vec();
    connection.advance_output(out.len());
    let mut rest = out.strip_prefix(frame::PREFACE).unwrap_or(&out);
    let mut frames = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk() {
        let head = FrameHead::read(*head);
        let (payload, after) = after.split_at(head.length);
        frames.push((head, payload.to_vec()));
        rest = after;
    }
    frames
}

fn data_sent(connection: &mut Connection) -> usize {
    let frames = written(connection);
    frames
        .iter()
        .filter(|(head, _)| head.kind == kind::DATA)
        .map(|(head, _)| head.length)
        .sum()
}

#[test]
fn a_body_is_sent_as_far_as_both_windows_go_and_on_when_they_grow() {
    let mut connection = ready();
    let body = vec![b'x'; 200_000];
    let id = ask(&mut connection, 7, body.len());
    let mut sent = connection.send_body(id, &body);
    assert_eq!((sent, data_sent(&mut connection)), (65_535, 65_535));
    // The stream may go on, the connection may not.
    let more = 70_000u32.to_be_bytes();
    assert_eq!(
        hear(&mut connection, &framed(kind::WINDOW_UPDATE, 0, id, &more)).unwrap(),
        ["Room"]
    );
    assert_eq!(connection.send_body(id, &body[sent..]), 0);
    hear(&mut connection, &framed(kind::WINDOW_UPDATE, 0, 0, &more)).unwrap();
    sent += connection.send_body(id, &body[sent..]);
    assert_eq!((sent, data_sent(&mut connection)), (135_535, 70_000));
    // A setting takes back what was allowed: nothing until it is made up for.
    hear(&mut connection, &set(setting::INITIAL_WINDOW_SIZE, 0)).unwrap();
    hear(&mut connection, &framed(kind::WINDOW_UPDATE, 0, 0, &more)).unwrap();
    hear(
        &mut connection,
        &framed(kind::WINDOW_UPDATE, 0, id, &65_535u32.to_be_bytes()),
    )
    .unwrap();
    assert_eq!(connection.send_body(id, &body[sent..]), 0);
    hear(&mut connection, &framed(kind::WINDOW_UPDATE, 0, id, &more)).unwrap();
    sent += connection.send_body(id, &body[sent..]);
    assert_eq!(sent, body.len());
    let frames = written(&mut connection);
    let (last, _) = frames.last().unwrap();
    assert!(last.kind == kind::DATA && last.has(flag::END_STREAM));
}

#[test]
fn what_the_server_sends_is_given_back_to_its_windows_before_they_are_used_up() {
    let mut connection = ready();
    let id = ask(&mut connection, 0, 0);
    hear(
        &mut connection,
        &framed(kind::HEADERS, flag::END_HEADERS, id, STATUS_200),
    )
    .unwrap();
    let piece = framed(kind::DATA, 0, id, &[0; 16 * 1024]);
    // 20 MiB: more than a stream's window at once, and far more than the connection's first.
    for _ in 0..1280 {
        assert_eq!(hear(&mut connection, &piece).unwrap().len(), 1);
        let frames = written(&mut connection);
        let given: Vec<_> = frames
            .iter()
            .filter(|(head, _)| head.kind == kind::WINDOW_UPDATE)
            .collect();
        assert!(given.len() <= 2, "{given:?}");
    }
}

#[test]
fn answers_of_every_lawful_shape_reach_their_lanes_however_the_bytes_are_cut() {
    let mut bytes = framed(kind::SETTINGS, 0, 0, &[]);
    // An interim head, a head in three pieces with padding and a priority, a body with padding, trailers.
    bytes.extend(framed(
        kind::HEADERS,
        flag::END_HEADERS,
        3,
        &[0x08, 3, b'1', b'0', b'3'],
    ));
    let padded = flag::PADDED | flag::PRIORITY;
    bytes.extend(framed(
        kind::HEADERS,
        padded,
        3,
        &[2, 0, 0, 0, 0, 16, 0x08, 3, b'2', 0, 0],
    ));
    bytes.extend(framed(kind::CONTINUATION, 0, 3, b"0"));
    bytes.extend(framed(kind::CONTINUATION, flag::END_HEADERS, 3, b"0"));
    bytes.extend(framed(kind::PING, 0, 0, &[1, 2, 3, 4, 5, 6, 7, 8]));
    bytes.extend(framed(99, 255, 77, b"of no known type"));
    bytes.extend(framed(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 1, &[0x89]));
    bytes.extend(framed(kind::DATA, flag::PADDED, 3, &[3, b'o', b'k', 0, 0, 0]));
    bytes.extend(framed(
        kind::HEADERS,
        flag::END_HEADERS | flag::END_STREAM,
        3,
        &[0, 1, b'a', 1, b'b'],
    ));
    for size in [1, 2, 7, 50, bytes.len()] {
        let mut connection = Connection::new();
        let (mut heard, mut body) = (Vec::new(), Vec::new());
        let ids: Vec<u32> = (10..12).map(|lane| ask(&mut connection, lane, 0)).collect();
        assert_eq!(ids, [1, 3]);
        written(&mut connection);
        for piece in bytes.chunks(size) {
            let mut input = piece;
            loop {
                match connection.next(&mut input).unwrap() {
                    Event::NeedMore => break,
                    Event::Body { lane, bytes, end, .. } => {
                        body.extend_from_slice(bytes);
                        if end {
                            heard.push(format!("end of {lane}"));
                        }
                    }
                    Event::Trailers { lane, .. } => {
                        assert_eq!(connection.fields().iter().collect::<Vec<_>>(), [(&b"a"[..], &b"b"[..])]);
                        heard.push(format!("fields behind {lane}"));
                    }
                    Event::Head { lane, end, .. } => {
                        heard.push(format!("{lane}: {} {end}", connection.fields().status().unwrap()));
                        if end {
                            connection.close(1, true);
                        }
                    }
                    event => heard.push(format!("{event:?}")),
                }
            }
        }
        assert_eq!(
            heard,
            [
                "Ready",
                "11: 103 false",
                "11: 200 false",
                "10: 204 true",
                "fields behind 11"
            ]
        );
        assert_eq!(body, b"ok");
        let frames = written(&mut connection);
        let answered = frames.iter().any(|(head, payload)| {
            head.kind == kind::PING && head.has(flag::ACK) && payload[..] == [1, 2, 3, 4, 5, 6, 7, 8]
        });
        assert!(answered, "{frames:?}");
    }
}

#[test]
fn a_server_that_leaves_says_which_requests_it_has_not_looked_at() {
    let mut connection = ready();
    for lane in 0..3 {
        ask(&mut connection, lane, 0);
    }
    let last = [&3u32.to_be_bytes()[..], &0u32.to_be_bytes()].concat();
    assert_eq!(
        hear(&mut connection, &framed(kind::GOAWAY, 0, 0, &last)).unwrap(),
        ["Leaving"]
    );
    assert_eq!((connection.take_unprocessed(), connection.in_flight()), (vec![2], 2));
    assert!(connection.is_leaving() && !connection.can_ask(100));
    assert_eq!(connection.abandon(), [0, 1]);
}

#[test]
fn no_more_streams_are_opened_than_the_server_allows() {
    let mut connection = ready();
    hear(&mut connection, &set(setting::MAX_CONCURRENT_STREAMS, 1)).unwrap();
    let id = ask(&mut connection, 0, 0);
    assert!(!connection.can_ask(100));
    let refused = hear(&mut connection, &framed(kind::RST_STREAM, 0, id, &7u32.to_be_bytes())).unwrap();
    assert_eq!(refused, ["Reset { lane: 0, refused: true }"]);
    assert!(connection.can_ask(100));
}

#[test]
fn late_frames_of_a_stream_that_nobody_waits_for_are_passed_over() {
    let mut connection = ready();
    let id = ask(&mut connection, 0, 5);
    connection.close(id, false);
    let frames = written(&mut connection);
    assert_eq!(frames.last().unwrap().0.kind, kind::RST_STREAM);
    let mut late = framed(kind::HEADERS, flag::END_HEADERS, id, STATUS_200);
    late.extend(framed(kind::DATA, flag::END_STREAM, id, b"late"));
    assert_eq!(hear(&mut connection, &late).unwrap(), [""; 0]);
}

#[test]
fn what_breaks_the_protocol_ends_the_connection() {
    let head = framed(kind::HEADERS, flag::END_HEADERS, 1, STATUS_200);
    let unfinished = framed(kind::HEADERS, 0, 1, STATUS_200);
    let zero = 0u32.to_be_bytes();
    let wrong = [
        framed(kind::HEADERS, flag::END_HEADERS, 2, STATUS_200),
        framed(kind::HEADERS, flag::END_HEADERS, 3, STATUS_200),
        framed(kind::HEADERS, flag::END_HEADERS, 1, &[0xff; 3]),
        framed(kind::HEADERS, flag::END_HEADERS | flag::PADDED, 1, &[9, 0x88]),
        [unfinished.clone(), framed(kind::PING, 0, 0, &[0; 8])].concat(),
        [unfinished, framed(kind::CONTINUATION, flag::END_HEADERS, 3, &[])].concat(),
        framed(kind::CONTINUATION, flag::END_HEADERS, 1, STATUS_200),
        [head.clone(), framed(kind::HEADERS, flag::END_HEADERS, 1, &[])].concat(),
        framed(kind::DATA, 0, 1, b"before its head"),
        framed(kind::DATA, 0, 0, b"for nobody"),
        [head.clone(), framed(kind::DATA, flag::PADDED, 1, &[2, 0])].concat(),
        framed(kind::PUSH_PROMISE, flag::END_HEADERS, 1, &[0, 0, 0, 2, 0x88]),
        framed(kind::SETTINGS, 0, 0, &[0; 5]),
        framed(kind::SETTINGS, flag::ACK, 0, &[0; 6]),
        set(setting::INITIAL_WINDOW_SIZE, 1 << 31),
        set(setting::MAX_FRAME_SIZE, 1000),
        framed(kind::WINDOW_UPDATE, 0, 0, &zero),
        framed(kind::WINDOW_UPDATE, 0, 1, &0x7fff_ffffu32.to_be_bytes()),
        framed(kind::PING, 0, 0, &[0; 7]),
        framed(kind::GOAWAY, 0, 0, &zero),
        framed(kind::RST_STREAM, 0, 1, &[0; 3]),
        framed(kind::DATA, 0, 1, &[0; 16 * 1024 + 1]),
        framed(kind::PING, flag::ACK, 0, &[0; 8]).repeat(10_001),
        [head.clone(), framed(kind::DATA, 0, 1, b"").repeat(10_001)].concat(),
    ];
    for bytes in wrong {
        let mut connection = ready();
        ask(&mut connection, 0, 0);
        let heard = hear(&mut connection, &bytes);
        assert!(heard.is_err(), "{:02x?}: {heard:?}", &bytes[..bytes.len().min(40)]);
    }
    for first in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        &framed(kind::PING, 0, 0, &[0; 8]),
    ] {
        assert!(hear(&mut Connection::new(), first).is_err());
    }
    let mut endless = ready();
    ask(&mut endless, 0, 0);
    let mut block = framed(kind::HEADERS, 0, 1, &[0; 16 * 1024]);
    block.extend(framed(kind::CONTINUATION, 0, 1, &[0; 16 * 1024]).repeat(4));
    assert!(hear(&mut endless, &block).is_err());
}

#[test]
fn replies_that_nobody_reads_are_bounded() {
    let mut connection = ready();
    let id = ask(&mut connection, 0, 0);
    let head = framed(kind::HEADERS, flag::END_HEADERS, id, &[0x08, 3, b'1', b'0', b'3']);
    let pings = framed(kind::PING, 0, 0, &[0; 8]).repeat(1000);
    let heard = (0..1000).try_for_each(|_| {
        // Heads between them, so that they are not seen as a flood.
        hear(&mut connection, &head)?;
        hear(&mut connection, &pings).map(|_| ())
    });
    assert!(heard.is_err() && connection.output().len() < 2 * 1024 * 1024);
}

#[test]
fn the_fields_of_a_request_have_small_letters_and_its_host_as_authority() {
    let mut connection = ready();
    ask(&mut connection, 0, 3);
    let frames = written(&mut connection);
    let mut read = super::Fields::default();
    super::Decoder::default().decode(&frames[0].1, &mut read).unwrap();
    let text: Vec<String> = read
        .iter()
        .map(|(name, value)| format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)))
        .collect();
    let expected = [
        ":method=POST",
        ":scheme=http",
        ":authority=h",
        ":path=/p",
        "x=1",
        "content-length=3",
    ];
    assert_eq!(text, expected);
}
