//! Connections that end in order, hosts of several addresses, and cookies: against small servers that count their requests.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod plain_server;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use engine_harness::{BODY, Bench, Row, job, number, slice};
use plain_server::{Request, Then, ok, serve, serve_on};
use serde_json::{Value, json};

fn fixed(users: u32, each: u64) -> Value {
    json!([slice(
        0,
        json!({"kind": "fixed-work", "users": users, "each": each, "most_seconds": 60})
    )])
}

/// Every request was answered correctly. On a busy machine a server that closes in silence does so just when the next request comes, so
/// often that the slice may be void.
fn loses_none(row: &Row, sent: u64) {
    assert_eq!((number(row, "sent"), number(row, "completed")), (sent, sent), "{row:?}");
    assert!(
        row["valid"] == "1" || row["why_not"].contains("may have received them"),
        "{row:?}"
    );
}

fn is_right(row: &Row, sent: u64) {
    loses_none(row, sent);
    assert_eq!(row["valid"], "1", "{row:?}");
}

#[test]
fn a_server_that_closes_each_connection_in_silence_costs_no_request() {
    let read = Arc::new(AtomicU64::new(0));
    let counter = read.clone();
    let address = serve(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        (ok(""), Then::Closes)
    });
    let mut job = job(&format!("http://{address}/"), fixed(4, 250), json!({}));
    // PUT does no more the second time than the first, so that it may be sent again though the corpus does not say so.
    job["targets"][0]["method"] = json!("PUT");
    let row = Bench::with_corpus(&[("echoVoid", BODY.as_bytes(), false)])
        .run(&job)
        .remove(0);
    loses_none(&row, 1000);
    // What was sent again had not been read the first time.
    assert_eq!(read.load(Ordering::Relaxed), 1000);
    assert!(number(&row, "connects") >= 900, "{row:?}");
}

#[test]
fn a_server_that_ends_connections_under_requests_that_it_has_read_fails_them_and_both_count_the_same() {
    let read = Arc::new(AtomicU64::new(0));
    let counter = read.clone();
    let address = serve(move |_| match counter.fetch_add(1, Ordering::Relaxed) % 10 {
        9 => (String::new(), Then::Closes),
        _ => (ok(""), Then::GoesOn),
    });
    let mut job = job(&format!("http://{address}/"), fixed(2, 100), json!({}));
    job["targets"][0]["method"] = json!("GET");
    let row = Bench::with_corpus(&[("echoVoid", b"", true)]).run(&job).remove(0);
    assert_eq!((number(&row, "stale"), number(&row, "truncated")), (0, 20), "{row:?}");
    assert_eq!(
        (number(&row, "sent"), read.load(Ordering::Relaxed)),
        (200, 200),
        "{row:?}"
    );
}

#[test]
fn a_connection_that_is_closed_while_its_user_pauses_is_a_new_one_and_nothing_else() {
    let address = serve(|_| (ok(""), Then::Closes));
    let mut slices = fixed(2, 5);
    slices[0]["think"] = json!({"kind": "constant", "ms": 150});
    let bench = Bench::with_corpus(&[("echoVoid", BODY.as_bytes(), false)]);
    let row = bench
        .run(&job(&format!("http://{address}/"), slices, json!({})))
        .remove(0);
    loses_none(&row, 10);
    // Two connections were open before; a busy machine closes some of them late.
    assert!((5..=10).contains(&number(&row, "connects")), "{row:?}");
}

/// Listeners on one port of several addresses of loopback.
fn listeners(hosts: &[Ipv4Addr]) -> (u16, Vec<TcpListener>) {
    for _ in 0..100 {
        let first = TcpListener::bind((hosts[0], 0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let others = hosts[1..].iter().map(|host| TcpListener::bind((*host, port)));
        if let Ok(others) = others.collect::<Result<Vec<_>, _>>() {
            return (port, std::iter::once(first).chain(others).collect());
        }
    }
    panic!("no port is free on {hosts:?}");
}

const HOSTS: [Ipv4Addr; 3] = [
    Ipv4Addr::new(127, 0, 0, 1),
    Ipv4Addr::new(127, 0, 0, 2),
    Ipv4Addr::new(127, 0, 0, 3),
];

/// A job whose target has these addresses, under an unknown name.
fn spread(port: u16, addresses: &[&str], slices: Value, more: Value) -> Value {
    let mut job = job(&format!("http://no-such-host.invalid:{port}/"), slices, more);
    job["targets"][0]["addresses"] = json!(addresses);
    job
}

#[test]
fn connections_are_dealt_evenly_over_the_addresses_that_accept() {
    let (port, listeners) = listeners(&HOSTS[..2]);
    let counters: Vec<Arc<AtomicU64>> = listeners
        .into_iter()
        .map(|listener| {
            let counter = Arc::new(AtomicU64::new(0));
            let count = counter.clone();
            serve_on(listener, move |asked| {
                assert_eq!(asked.header("Host").split(':').next(), Some("no-such-host.invalid"));
                count.fetch_add(1, Ordering::Relaxed);
                (ok(""), Then::GoesOn)
            });
            counter
        })
        .collect();
    let bench = Bench::new();
    let addresses = ["::1", "127.0.0.1", "127.0.0.2", "127.0.0.3"];
    let row = bench.run(&spread(port, &addresses, fixed(10, 20), json!({}))).remove(0);
    is_right(&row, 200);
    let counts: Vec<u64> = counters.iter().map(|counter| counter.load(Ordering::Relaxed)).collect();
    assert_eq!(counts, [100, 100]);
    let listed = &bench.summary()["slices"][0]["addresses"];
    assert_eq!(
        *listed,
        json!([format!("127.0.0.1:{port}"), format!("127.0.0.2:{port}")])
    );
}

#[test]
fn an_address_that_refuses_after_a_while_leaves_its_connections_to_the_others() {
    let (port, mut listeners) = listeners(&HOSTS[..2]);
    serve_on(listeners.remove(0), |_| (ok(""), Then::Closes));
    // The second serves three connections, of which the engine's look at it is one, and is gone.
    let second = listeners.remove(0);
    let served = Arc::new(AtomicU64::new(0));
    let counter = served.clone();
    std::thread::spawn(move || {
        for _ in 0..3 {
            let (stream, _) = second.accept().unwrap();
            plain_server::talk_once(stream, &ok(""));
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    let bench = Bench::new();
    let row = bench
        .run(&spread(port, &["127.0.0.1", "127.0.0.2"], fixed(2, 100), json!({})))
        .remove(0);
    loses_none(&row, 200);
    assert_eq!(served.load(Ordering::Relaxed), 3);
}

/// What a visitor said in the Cookie header of each request, by path, at a server that sets these cookies at `/api/auth/login` and takes
/// `taken` back at `/api/orders`.
fn cookies_said(own: Option<&str>) -> Vec<(String, String)> {
    let said: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let log = said.clone();
    let address: SocketAddr = serve(move |asked: &Request| {
        let entry = (asked.path().to_owned(), asked.header("cookie").to_owned());
        log.lock().unwrap().push(entry);
        let lines = match asked.path() {
            "/api/auth/login" => {
                "Set-Cookie: site=1; Path=/\r\nSet-Cookie: deep=2; Path=/api/auth/refresh; HttpOnly\r\n\
                 Set-Cookie: near=3; Path=/api/auth\r\nSet-Cookie: taken=4; Path=/\r\nSet-Cookie: safe=5; Secure\r\n\
                 Set-Cookie: far=6; Domain=other.example\r\n\
                 Set-Cookie: long=7; Path=/;\r\n Max-Age=3600; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            }
            "/api/orders" => "Set-Cookie: taken=; Path=/; Expires=Wed, 25 Nov 2020 10:00:00 GMT\r\n",
            _ => "",
        };
        (ok(lines), Then::GoesOn)
    });
    let bench = Bench::new();
    let paths = ["/api/auth/login", "/api/orders", "/api/auth/refresh?x=1", "/other/x"];
    let mut index = "entry,operation,offset,length,rule,safe,method,path,headers,link,pause_ms,filled\n".to_owned();
    for (entry, path) in paths.iter().enumerate() {
        index.push_str(&format!("{entry},op{entry},0,0,right,1,GET,{path},{{}},,,0\n"));
    }
    std::fs::write(bench.path("corpus/corpus.bin"), "").unwrap();
    std::fs::write(bench.path("corpus/corpus.csv"), index).unwrap();
    let mut slices = fixed(1, 1);
    slices[0]["mix"] = json!({"visit": 1});
    let steps: Vec<Value> = (0..paths.len())
        .map(|step| json!({"operation": format!("op{step}")}))
        .collect();
    let mut job = job(
        &format!("http://{address}/"),
        slices,
        json!({"sessions": {"visit": {"steps": steps, "new_visitor": true}}}),
    );
    if let Some(own) = own {
        job["targets"][0]["headers"]["Cookie"] = json!(own);
    }
    is_right(&bench.run(&job).remove(0), 4);
    Arc::try_unwrap(said).map_or_else(|said| said.lock().unwrap().clone(), |said| said.into_inner().unwrap())
}

#[test]
fn path_expiry_secure_and_domain_decide_which_cookies_a_visitor_sends() {
    let said = cookies_said(None);
    let said: Vec<(&str, &str)> = said
        .iter()
        .map(|(path, cookie)| (path.as_str(), cookie.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("/api/auth/login", ""),
            ("/api/orders", "site=1; taken=4; long=7"),
            ("/api/auth/refresh?x=1", "deep=2; near=3; site=1; long=7"),
            ("/other/x", "site=1; long=7"),
        ]
    );
}

#[test]
fn the_users_own_cookie_is_sent_until_the_server_sets_it_anew() {
    let said = cookies_said(Some("mine=a; near=b"));
    let said: Vec<&str> = said.iter().map(|(_, cookie)| cookie.as_str()).collect();
    assert_eq!(
        said,
        [
            "mine=a; near=b",
            "mine=a; near=b; site=1; taken=4; long=7",
            "mine=a; deep=2; near=3; site=1; long=7",
            "mine=a; near=b; site=1; long=7",
        ]
    );
}
