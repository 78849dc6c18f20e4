//! The engine under its commands, and the files that it writes.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod testserver_harness;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use engine_harness::{BODY, Bench, job, number, slice};
use serde_json::{Value, json};
use testserver_harness::TestServer;

fn users(users: u32, seconds: f64) -> Value {
    json!({"kind": "big-bang", "users": users, "seconds": seconds})
}

fn null_server() -> (TestServer, String) {
    let server = TestServer::start(&["null"]);
    let url = format!("http://{}/", server.address);
    (server, url)
}

#[test]
fn slices_run_in_any_order_each_at_most_once_and_may_be_left_out() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let slices = json!([
        slice(0, users(1, 0.2)),
        slice(5, users(2, 0.2)),
        slice(9, users(1, 0.2))
    ]);
    let mut engine = bench.ready(&job(&url, slices, json!({})));
    for number in [9, 0] {
        engine.go(number);
        engine.expect(&json!({"drained": number}));
        // What is drained is on disk.
        assert_eq!(bench.slices().last().unwrap()["slice"], number.to_string());
    }
    let (status, errors) = engine.end();
    assert!(status.success(), "{errors}");
    assert_eq!(bench.summary()["engine"]["complete"], false);
    let rows = bench.slices();
    assert_eq!(rows.len(), 2);
    assert!(
        rows.iter()
            .all(|row| row["valid"] == "1" && number(row, "completed") > 0),
        "{rows:?}"
    );
    // The second slice used the connection of the first.
    assert!(rows.iter().all(|row| number(row, "connects") == 0), "{rows:?}");
}

#[test]
fn a_wrong_control_line_is_one_sentence_and_exit_1() {
    let (_server, url) = null_server();
    let slices = json!([slice(3, users(1, 0.1))]);
    for (line, part) in [
        ("{\"go\":4}", "no slice 4"),
        ("{\"stop\":3}", "unknown field"),
        ("{\"enough\":3}", "slice 3 was not begun"),
        ("go", "{\"go\":3}"),
    ] {
        let bench = Bench::new();
        let mut engine = bench.ready(&job(&url, slices.clone(), json!({})));
        engine.say(line);
        let (status, errors) = engine.end();
        assert_eq!(status.code(), Some(1));
        assert!(errors.contains(part) && errors.trim().lines().count() == 1, "{errors}");
    }
}

#[test]
fn a_slice_that_has_shown_enough_ends_at_a_whole_second_and_the_next_is_as_long_as_planned() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let slices = json!([slice(0, users(2, 30.0)), slice(1, users(2, 4.0))]);
    let mut engine = bench.ready(&job(&url, slices, json!({})));
    engine.go(0);
    std::thread::sleep(Duration::from_millis(500));
    engine.say("{\"enough\":0}");
    engine.expect(&json!({"drained": 0}));
    engine.say("{\"enough\":0}");
    engine.go(1);
    engine.expect(&json!({"drained": 1}));
    assert!(engine.end().0.success());
    let rows = bench.slices();
    let lengths: Vec<u64> = rows
        .iter()
        .map(|row| number(row, "end_ns") - number(row, "begin_ns"))
        .collect();
    assert!(
        lengths[0].is_multiple_of(1_000_000_000) && (1..=5).contains(&(lengths[0] / 1_000_000_000)),
        "{lengths:?}"
    );
    assert_eq!(lengths[1], 4_000_000_000);
    assert!(
        rows.iter()
            .all(|row| row["valid"] == "1" && number(row, "completed") > 0),
        "{rows:?}"
    );
    let seconds = bench
        .table("ticks.csv")
        .iter()
        .filter(|row| row["slice"] == "0")
        .count() as u64;
    assert_eq!(seconds, lengths[0] / 1_000_000_000);
}

#[test]
fn slices_that_take_turns_have_their_time_each_in_between_the_others() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let slices = json!([
        slice(0, users(2, 1.2)),
        slice(1, users(2, 1.2)),
        slice(2, users(2, 0.1))
    ]);
    let mut engine = bench.ready(&job(&url, slices, json!({})));
    engine.say("{\"turns\":{\"slices\":[1,0],\"ms\":20}}");
    engine.expect(&json!({"drained": 1}));
    engine.expect(&json!({"drained": 0}));
    engine.go(2);
    engine.expect(&json!({"drained": 2}));
    let (status, errors) = engine.end();
    assert!(status.success(), "{errors}");
    let rows = bench.slices();
    assert_eq!(
        rows.iter().map(|row| number(row, "slice")).collect::<Vec<_>>(),
        [1, 0, 2]
    );
    for row in &rows[..2] {
        assert_eq!(row["valid"], "1", "{row:?}");
        let (length, measured) = (
            number(row, "end_ns") - number(row, "begin_ns"),
            number(row, "measured_ns"),
        );
        assert!((1_200_000_000..1_800_000_000).contains(&measured), "{measured}");
        assert!(
            length > measured * 3 / 2,
            "{length} holds the other's turns, too, beside {measured}"
        );
        assert_eq!((number(row, "unfinished"), number(row, "connects")), (0, 0));
        let ticks = bench.table("ticks.csv");
        let ticks: Vec<_> = ticks.iter().filter(|tick| tick["slice"] == row["slice"]).collect();
        assert_eq!(ticks.len(), 2);
        let completed: u64 = ticks.iter().map(|tick| number(tick, "completed")).sum();
        assert_eq!(completed, number(row, "completed"));
    }
    // Both lie in the same stretch of time.
    assert!(number(&rows[0], "begin_ns") < number(&rows[1], "end_ns"));
    assert!(number(&rows[1], "begin_ns") < number(&rows[0], "end_ns"));
    assert_eq!(
        number(&rows[2], "measured_ns"),
        number(&rows[2], "end_ns") - number(&rows[2], "begin_ns")
    );
    assert_eq!(bench.summary()["engine"]["complete"], true);
}

#[test]
fn a_server_that_falls_silent_ends_the_turns_and_what_was_measured_is_kept() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_for_a_while(stream.unwrap()));
        }
    });
    let bench = Bench::new();
    let slices = json!([slice(0, users(2, 60.0)), slice(1, users(2, 60.0))]);
    let mut engine = bench.ready(&job(&url, slices, json!({"timeout_ms": 30_000})));
    let begun = Instant::now();
    engine.say("{\"turns\":{\"slices\":[0,1],\"ms\":20}}");
    engine.expect(&json!({"drained": 0}));
    engine.expect(&json!({"drained": 1}));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(engine.end().0.success());
    let rows = bench.slices();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| number(row, "completed") > 0), "{rows:?}");
    assert!(rows.iter().any(|row| number(row, "unfinished") == 2), "{rows:?}");
}

/// Answers every read for half a second, and then none, with the connection open.
fn answer_for_a_while(mut stream: TcpStream) {
    let begun = Instant::now();
    let mut scrap = [0; 4096];
    while matches!(stream.read(&mut scrap), Ok(1..)) {
        if begun.elapsed() < Duration::from_millis(500) {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nechoVoidResponse";
            stream.write_all(answer).unwrap();
        }
    }
}

#[test]
fn load_that_cannot_be_cut_takes_no_turns() {
    let (_server, url) = null_server();
    let mut thinking = slice(1, users(1, 0.1));
    thinking["think"] = json!({"kind": "constant", "ms": 5});
    let open = json!({"kind": "rate", "stages": [{"from_rate": 10, "to_rate": 10, "seconds": 1}]});
    let slices = json!([slice(0, users(1, 0.1)), thinking, slice(2, open)]);
    for (line, part) in [
        ("{\"turns\":{\"slices\":[0,1],\"ms\":20}}", "slice 1 cannot take turns"),
        ("{\"turns\":{\"slices\":[2],\"ms\":20}}", "slice 2 cannot take turns"),
        ("{\"turns\":{\"slices\":[0],\"ms\":0.5}}", "1 to 60000 ms"),
        ("{\"turns\":{\"slices\":[0],\"ms\":1e300}}", "1 to 60000 ms"),
        ("{\"turns\":{\"slices\":[],\"ms\":20}}", "names no slice"),
        ("{\"turns\":{\"slices\":[0,0],\"ms\":20}}", "slice 0 was run already"),
        ("{\"turns\":{\"slices\":[7],\"ms\":20}}", "no slice 7"),
    ] {
        let bench = Bench::new();
        let mut engine = bench.ready(&job(&url, slices.clone(), json!({})));
        engine.say(line);
        let (status, errors) = engine.end();
        assert_eq!(status.code(), Some(1));
        assert!(errors.contains(part) && errors.trim().lines().count() == 1, "{errors}");
    }
}

#[test]
fn a_drained_engine_uses_no_cpu() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let mut engine = bench.ready(&job(&url, json!([slice(0, users(8, 0.2))]), json!({})));
    engine.go(0);
    engine.expect(&json!({"drained": 0}));
    let before = engine.cpu_ticks();
    std::thread::sleep(Duration::from_secs(1));
    assert!(engine.cpu_ticks() - before <= 1);
    engine.end();
}

#[test]
fn the_end_of_input_breaks_a_running_slice_off_and_keeps_what_was_measured() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let mut engine = bench.ready(&job(&url, json!([slice(0, users(2, 600.0))]), json!({})));
    engine.go(0);
    std::thread::sleep(Duration::from_millis(1500));
    let begin = Instant::now();
    let (status, errors) = engine.end();
    assert!(status.success(), "{errors}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let row = bench.slices().remove(0);
    assert_eq!(row["valid"], "0");
    assert!(
        row["why_not"].contains("broken off") && number(&row, "completed") > 0,
        "{row:?}"
    );
}

#[test]
fn the_end_of_input_also_ends_the_opening_of_connections() {
    let server = TestServer::start(&["misbehave", "tls-silent"]);
    let bench = Bench::new();
    let more = json!({"timeout_ms": 600_000});
    let url = format!("https://{}/", server.address);
    let mut engine = bench.ready(&job(&url, json!([slice(0, users(2, 600.0))]), more));
    engine.go(0);
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    assert!(engine.end().0.success());
    assert!(begin.elapsed() < Duration::from_secs(4));
}

#[test]
fn an_invalid_job_names_the_key_and_the_nearest_valid_one_and_is_exit_2() {
    let good = job("http://127.0.0.1:1/", json!([slice(0, users(1, 1.0))]), json!({}));
    let with = |pointer: &str, value: Value| {
        let mut job = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        job.pointer_mut(parent).unwrap()[key] = value;
        job
    };
    for (job, parts) in [
        (with("/timeout_mss", json!(1)), vec!["timeout_mss", "timeout_ms"]),
        (
            with("/slices/0/leadin_ms", json!(1)),
            vec!["slices[0]", "leadin_ms", "lead_in_ms"],
        ),
        (with("/slices/0/profile/user", json!(1)), vec!["user", "users"]),
        (
            with("/slices/0/profile/kind", json!("bigbang")),
            vec!["bigbang", "big-bang"],
        ),
        (
            with("/slices/0/subject", json!("b")),
            vec!["slices[0].subject", "`b`", "`a`"],
        ),
        (
            with("/slices/0/mix", json!({"echoVoit": 1})),
            vec!["slices[0].mix", "echoVoit", "echoVoid"],
        ),
        (
            with("/slices/0/mix", json!({"echo,Void": 1})),
            vec!["echo,Void", "commas"],
        ),
        (
            with("/slices/0/mix", json!({"echoVoid": 0})),
            vec!["mix.echoVoid", "above 0"],
        ),
        (
            with("/slices/0/profile/users", json!(0)),
            vec!["profile.users", "1 to 100000"],
        ),
        (
            with("/targets/0/url", json!("ftp://x/")),
            vec!["targets[0]", "`url`", "ftp"],
        ),
        (with("/rules/right/matches", json!("(")), vec!["rules.right", "matches"]),
        (with("/rules", json!({})), vec!["corpus.csv", "right"]),
        (with("/threads", json!(0)), vec!["threads", "1 to 256"]),
    ] {
        let (status, errors) = Bench::new().start(&job).end();
        assert_eq!(status.code(), Some(2), "{errors}");
        assert!(parts.iter().all(|part| errors.contains(part)), "{parts:?} in {errors}");
        assert_eq!(errors.trim().lines().count(), 1, "{errors}");
    }
}

#[test]
fn a_missing_corpus_and_an_unwritable_folder_are_named_with_exit_1() {
    let job = job("http://127.0.0.1:1/", json!([slice(0, users(1, 1.0))]), json!({}));
    let bench = Bench::new();
    std::fs::remove_file(bench.path("corpus/corpus.bin")).unwrap();
    let (status, errors) = bench.start(&job).end();
    assert!(status.code() == Some(1) && errors.contains("corpus.bin"), "{errors}");
    let bench = Bench::new();
    std::fs::write(bench.path("out"), "a file where a folder should be").unwrap();
    let (status, errors) = bench.start(&job).end();
    assert!(status.code() == Some(1) && errors.contains("out"), "{errors}");
}

#[test]
fn every_file_is_there_with_its_columns_and_the_tables_agree() {
    let (_server, url) = null_server();
    let bench = Bench::with_corpus(&[
        ("echoVoid", BODY.as_bytes(), true),
        ("echoList", b"<list/>", true),
        ("unused", b"", true),
    ]);
    let mut first = slice(0, users(4, 2.2));
    first["mix"] = json!({"echoVoid": 3, "echoList": 1});
    first["lead_in_ms"] = json!(100);
    let more = json!({"samples": {"one_in": 10, "most_right": 30, "most_failed": 5}});
    let row = bench.run(&job(&url, json!([first]), more)).remove(0);
    // The order of the mix, which is sorted where this test writes it.
    assert_eq!(row["operation"], "echoList+echoVoid");
    assert_eq!(number(&row, "end_ns") - number(&row, "begin_ns"), 2_200_000_000);
    let ticks = bench.table("ticks.csv");
    assert_eq!(ticks.len(), 6, "three seconds of two operations");
    for column in ["started", "completed", "bytes_out", "bytes_in", "response_ns_sum"] {
        let sum: u64 = ticks.iter().map(|tick| number(tick, column)).sum();
        // What is counted after the last tick was taken is the edge of the last moment.
        let whole = number(&row, column);
        assert!(sum <= whole && sum * 100 >= whole * 99, "{column}: {sum} of {whole}");
    }
    let log = std::fs::read_to_string(bench.path("out/intervals.hlog")).unwrap();
    // Answers to requests that were in flight at an edge stand apart, where there are any.
    let tags: Vec<&str> = log
        .lines()
        .filter_map(|line| line.strip_prefix("Tag=")?.split(',').next())
        .filter(|tag| !tag.ends_with("/late") && !tag.ends_with("/carried"))
        .collect();
    let kinds = [
        "response",
        "service",
        "failure",
        "all",
        "queueing",
        "connect",
        "first_byte",
    ];
    let expected: Vec<String> = ["echoVoid", "echoList"]
        .iter()
        .flat_map(|operation| kinds.map(|kind| format!("a/0/{operation}/{kind}")))
        .collect();
    assert_eq!(tags, expected);
    let outcomes = bench.table("outcomes.csv");
    let ended = |ended: &str| -> u64 {
        let rows = outcomes.iter().filter(|row| row["ended"] == ended);
        rows.map(|row| number(row, "count")).sum()
    };
    assert!(
        outcomes
            .iter()
            .all(|row| row["outcome"] == "right" && row["status"] == "200")
    );
    assert_eq!(ended("carried") + ended("measured"), number(&row, "completed"));
    assert!((1..=4).contains(&ended("carried")), "what four users had in flight");
    assert_eq!(ended("lead-in") + ended("after"), number(&row, "lead_in_completed"));
    assert!((1..=4).contains(&ended("after")), "what four users had in flight");
    let samples = bench.table("samples/index.csv");
    assert_eq!(samples.len(), 30);
    for sample in &samples {
        let answer = std::fs::read_to_string(bench.path(&format!("out/samples/{}.answer", sample["sample"]))).unwrap();
        assert!(answer.contains("echoVoidResponse"));
        assert!(number(sample, "due_ns") <= number(sample, "sent_ns"));
        assert!(number(sample, "first_byte_ns") <= number(sample, "last_byte_ns"));
    }
    let summary = bench.summary();
    let mix = &summary["slices"][0]["mix"];
    assert!(
        (mix[1]["achieved_share"].as_f64().unwrap() - 0.75).abs() < 0.01,
        "{mix}"
    );
    let law = summary["slices"][0]["littles_law"].as_f64().unwrap();
    assert!((law - 1.0).abs() < 0.02, "{law}");
}

#[test]
fn many_threads_share_users_deck_and_arrivals() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let arrivals = json!({"kind": "rate", "arrivals": "poisson",
        "stages": [{"from_rate": 500, "to_rate": 500, "seconds": 1}], "max_in_flight": 50});
    let slices = json!([slice(0, users(5, 0.5)), slice(1, arrivals.clone()), slice(2, arrivals)]);
    let rows = bench.run(&job(&url, slices, json!({"threads": 3})));
    assert!(number(&rows[0], "completed") > 0);
    assert_eq!(
        number(&rows[1], "started"),
        number(&rows[2], "started"),
        "the same seed, the same arrivals"
    );
    let started = number(&rows[1], "started");
    assert!((400..600).contains(&started), "{started}");
    assert_eq!(
        bench.table("ticks.csv").len(),
        3,
        "one row a second and operation, not one a thread"
    );
}

#[test]
fn each_request_of_a_slice_is_written_down_where_that_is_asked() {
    let server = TestServer::start(&["worker", "--microseconds", "20000"]);
    let url = format!("http://{}/", server.address);
    // Five at once for one worker: each waits for those before it, the last beyond the end of the measured time.
    let burst = json!({"kind": "rate", "stages": [{"from_rate": 500, "to_rate": 500, "seconds": 0.01}]});
    let more = json!({"log_requests": true, "timeout_ms": 20_000, "drain_limit_ms": 20_000});
    let burst = job(&url, json!([slice(7, burst)]), more);
    // A host that stands still for those 10 ms has the engine take up fewer than were due, which voids the slice: then once more.
    let (row, logged) = (0..50)
        .find_map(|_| {
            let bench = Bench::new();
            let row = bench.run(&burst).remove(0);
            (row["valid"] == "1").then(|| (row, bench.table("requests.csv")))
        })
        .expect("one of fifty slices of 10 ms is undisturbed");
    assert_eq!(logged.len() as u64, number(&row, "started"), "{logged:?}");
    let (begin, end) = (number(&row, "begin_ns"), number(&row, "end_ns"));
    let mut before = 0;
    for (place, request) in logged.iter().enumerate() {
        let (due, response) = (number(request, "due_ns"), number(request, "response_ns"));
        assert!(due >= before && (begin..end).contains(&due), "{request:?}");
        let taken_up = number(request, "taken_up_ns");
        assert!(taken_up >= due && taken_up < due + response, "{request:?}");
        assert_eq!((request["slice"].as_str(), request["right"].as_str()), ("7", "1"));
        // Each took its own 20 ms after those before it, which were due 2 ms earlier each.
        assert!(response >= (place as u64 + 1) * 18_000_000, "{request:?}");
        before = due;
    }
    let unasked = Bench::new();
    unasked.run(&job(&url, json!([slice(0, users(1, 0.1))]), json!({})));
    assert!(!unasked.path("out/requests.csv").exists());
}

#[test]
fn a_connection_per_request_is_opened_and_timed_for_each() {
    let (_server, url) = null_server();
    let bench = Bench::new();
    let slices = json!([slice(0, users(2, 0.5))]);
    let row = bench
        .run(&job(&url, slices, json!({"connection": "per-request"})))
        .remove(0);
    let (completed, connects) = (number(&row, "completed"), number(&row, "connects"));
    assert!(completed > 10 && connects.abs_diff(completed) <= 4, "{row:?}");
    assert_eq!(number(&row, "reset") + number(&row, "truncated"), 0);
}

#[test]
fn ipv6_and_a_thousand_connections_work_in_bounded_memory() {
    let server = TestServer::start(&["--ipv6", "null"]);
    let bench = Bench::new();
    let slices = json!([slice(0, users(1000, 1.0))]);
    let more = json!({"timeout_ms": 20_000, "drain_limit_ms": 20_000});
    let row = bench
        .run(&job(&format!("http://{}/", server.address), slices, more))
        .remove(0);
    assert!(number(&row, "completed") >= 1000, "{row:?}");
    let rss = bench.summary()["engine"]["max_rss_bytes"].as_u64().unwrap();
    assert!(rss < 64 * 1024 * 1024, "{rss}");
}

#[test]
fn what_a_slice_needs_is_the_systems_again_when_it_has_ended() {
    let (_server, url) = null_server();
    let names: Vec<String> = (0..12).map(|number| format!("operation{number}")).collect();
    let entries: Vec<(&str, &[u8], bool)> = names
        .iter()
        .map(|name| (name.as_str(), BODY.as_bytes(), true))
        .collect();
    let bench = Bench::with_corpus(&entries);
    let mix: Value = names.iter().map(|name| (name.clone(), json!(1))).collect();
    let slices: Vec<Value> = (0..10)
        .map(|number| {
            let mut slice = slice(number, users(4, 0.2));
            slice["mix"] = mix.clone();
            slice
        })
        .collect();
    let mut engine = bench.ready(&job(&url, json!(slices), json!({})));
    let resident: Vec<u64> = (0..10)
        .map(|number| {
            engine.go(number);
            engine.expect(&json!({"drained": number}));
            engine.resident_kib()
        })
        .collect();
    assert!(engine.end().0.success());
    // The histograms of a slice of twelve operations have 24 MB.
    assert!(resident[9] <= resident[0] + 1024, "{resident:?}");
}

#[test]
fn two_subjects_take_turns_over_connections_that_stay_open() {
    let ((_first, url), (_second, other)) = (null_server(), null_server());
    let bench = Bench::new();
    let slices: Vec<Value> = (0..4)
        .map(|number| {
            let mut slice = slice(number, users(3, 0.2));
            slice["subject"] = json!(if number % 2 == 0 { "a" } else { "b" });
            slice
        })
        .collect();
    let mut job = job(&url, json!(slices), json!({}));
    job["targets"]
        .as_array_mut()
        .unwrap()
        .push(json!({"subject": "b", "url": other}));
    let rows = bench.run(&job);
    assert_eq!(
        rows.iter().map(|row| row["subject"].as_str()).collect::<Vec<_>>(),
        ["a", "b", "a", "b"]
    );
    for row in rows {
        assert!(number(&row, "completed") > 0 && row["valid"] == "1", "{row:?}");
        assert_eq!(
            number(&row, "connects") + number(&row, "closes") + number(&row, "stale"),
            0,
            "{row:?}"
        );
    }
}

#[test]
fn connections_that_the_server_closed_between_slices_are_reopened_unmeasured() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_until_idle(stream.unwrap()));
        }
    });
    let bench = Bench::new();
    let slices = json!([slice(0, users(2, 0.2)), slice(1, users(2, 0.2))]);
    let mut engine = bench.ready(&job(&url, slices, json!({})));
    for number in [0, 1] {
        engine.go(number);
        engine.expect(&json!({"drained": number}));
        std::thread::sleep(Duration::from_secs(1));
    }
    assert!(engine.end().0.success());
    let row = &bench.slices()[1];
    assert!(number(row, "completed") > 0 && row["valid"] == "1", "{row:?}");
    assert_eq!(
        number(row, "connects") + number(row, "stale") + number(row, "closes"),
        0,
        "{row:?}"
    );
}

/// Answers every read as if it were a request, and closes after half a second of silence.
fn answer_until_idle(mut stream: TcpStream) {
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut scrap = [0; 4096];
    while matches!(stream.read(&mut scrap), Ok(1..)) {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nechoVoidResponse";
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

#[test]
fn a_body_larger_than_any_buffer_is_sent_whole() {
    let (_server, url) = null_server();
    let large = vec![b'x'; 3 * 1024 * 1024 + 17];
    let bench = Bench::with_corpus(&[("echoVoid", &large, true)]);
    let more = json!({"timeout_ms": 20_000, "drain_limit_ms": 20_000});
    let row = bench.run(&job(&url, json!([slice(0, users(2, 1.0))]), more)).remove(0);
    assert!(number(&row, "completed") > 0, "{row:?}");
    assert_eq!(number(&row, "malformed") + number(&row, "reset"), 0);
}
