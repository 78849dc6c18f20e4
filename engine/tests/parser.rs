//! The response parser: what it reads, and that it reads the same however the bytes are cut.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod reading;

use proptest::prelude::*;
use reading::{Ended, read};

const DONE: Ended = Ended::Done { surplus: 0 };

/// Answers of every framing, right and wrong.
fn answers() -> Vec<Vec<u8>> {
    let texts = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=1\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\n\r\nuntil the end",
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close, x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "garbage",
        "",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\tc\r\nContent-Length:\r\n 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 0\r\n\r\nhello",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn every_framing_is_read_as_the_standard_says() {
    let read = |text: &str| {
        let read = read([text.as_bytes()]);
        (
            read.status,
            String::from_utf8(read.body).unwrap(),
            read.keep_alive,
            read.ended,
        )
    };
    let all = answers();
    let text = |place: usize| std::str::from_utf8(&all[place]).unwrap();
    assert_eq!(read(text(0)), (200, "hello".into(), true, DONE));
    assert_eq!(read(text(1)), (200, "hello".into(), true, Ended::Done { surplus: 17 }));
    assert_eq!(read(text(2)), (200, "hello0123456789".into(), true, DONE));
    assert_eq!(read(text(3)), (200, "ok".into(), true, DONE));
    assert_eq!(read(text(4)), (200, "until the end".into(), false, Ended::WithStream));
    assert_eq!(read(text(5)), (204, String::new(), true, Ended::Done { surplus: 5 }));
    assert_eq!(read(text(6)), (304, String::new(), true, DONE));
    assert_eq!(read(text(7)), (200, String::new(), false, DONE));
    // A folded line goes on with the value of the one before (RFC 9112, 5.2).
    assert_eq!(read(text(17)), (200, "hello".into(), true, DONE));
    assert_eq!(read(text(18)).3, Ended::Malformed);
    for wrong in 8..16 {
        assert_eq!(read(text(wrong)).3, Ended::Malformed, "{}", text(wrong));
    }
    assert_eq!(read(text(16)).3, Ended::Truncated);
}

#[test]
fn heads_and_interim_answers_without_end_are_malformed() {
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(70_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(200));
    let storm = "HTTP/1.1 100 Continue\r\n\r\n".repeat(40);
    let trailers = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n{}",
        "X: y\r\n".repeat(20_000)
    );
    for text in [long, many, storm, trailers] {
        assert_eq!(read([text.as_bytes()]).ended, Ended::Malformed);
        assert_eq!(read(text.as_bytes().chunks(1000)).ended, Ended::Malformed);
    }
}

#[test]
fn one_byte_at_a_time_is_read_the_same() {
    for answer in answers() {
        assert_eq!(
            read(answer.chunks(1)),
            read([&answer[..]]),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_cut_of_any_answer_is_read_the_same(
        which in 0..17usize,
        change in prop::option::of((0..200usize, any::<u8>())),
        cuts in prop::collection::vec(0..200usize, 0..6),
    ) {
        let mut answer = answers().swap_remove(which);
        if let Some((at, byte)) = change && at < answer.len() {
            answer[at] = byte;
        }
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(answer.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&answer[from..cut]);
            from = cut;
        }
        pieces.push(&answer[from..]);
        let (whole, cut) = (read([&answer[..]]), read(pieces));
        // Where the protocol is broken, the bytes read before that do not matter.
        if whole.ended == Ended::Malformed {
            prop_assert_eq!(cut.ended, Ended::Malformed);
        } else {
            prop_assert_eq!(cut, whole);
        }
    }
}
