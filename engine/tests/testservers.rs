//! The servers that everything else is measured against, checked from outside: their clocks, their answers, their faults.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod testserver_harness;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testserver_harness::{REQUEST, TestServer, ask, header, read_answer};

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
