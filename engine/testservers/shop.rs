//! A shop that knows each visitor's own values at every step of a visit: a search, a reservation of what was found, a payment by what was
//! confirmed. A value that is wrong, of another visitor, or used before is answered with 409; `GET /totals` tells what was counted.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Result;

use crate::answers::whole;

/// A thread for each visitor needs little of a stack.
const STACK_BYTES: usize = 128 * 1024;
const MOST_BODY: usize = 64 * 1024;

struct Visit {
    visitor: String,
    item: String,
    offer: String,
    code: Option<String>,
    answered: Instant,
}

#[derive(Default)]
struct Shop {
    visits: HashMap<String, Visit>,
    nonces: HashSet<String>,
    issued: u64,
    searches: u64,
    reservations: u64,
    payments: u64,
    conflicts: u64,
    least_pause_ms: Option<u128>,
}

#[derive(Default)]
struct Request {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: String,
}

/// Serves until the process ends.
pub fn serve(listener: &TcpListener) -> Result<()> {
    let shop = Arc::new(Mutex::new(Shop::default()));
    loop {
        let (stream, _) = listener.accept()?;
        let shop = shop.clone();
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || converse(stream, &shop))?;
    }
}

/// Answers one connection until it ends or sends what is no request.
fn converse(stream: TcpStream, shop: &Mutex<Shop>) {
    let _ = stream.set_nodelay(true);
    let mut input = BufReader::with_capacity(4096, stream);
    while let Some(request) = read(&mut input) {
        let answer = lock(shop).answer(&request);
        if input.get_mut().write_all(&answer).is_err() {
            return;
        }
    }
}

fn lock(shop: &Mutex<Shop>) -> MutexGuard<'_, Shop> {
    shop.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(input: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    let mut request = Request::default();
    input.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ');
    request.method = words.next()?.to_owned();
    request.path = words.next()?.to_owned();
    loop {
        line.clear();
        input.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        request
            .headers
            .insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length: usize = request.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length.min(MOST_BODY)];
    input.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).ok()?;
    Some(request)
}

impl Request {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The value of the first attribute of this name in the body.
    fn attribute(&self, name: &str) -> &str {
        let begin = format!(" {name}=\"");
        let value = self.body.split_once(&begin).and_then(|(_, rest)| rest.split_once('"'));
        value.map_or("", |(value, _)| value)
    }
}

impl Shop {
    fn answer(&mut self, request: &Request) -> Vec<u8> {
        let answered = match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/totals") => Some(whole("200 OK", &self.totals())),
            ("GET", "/requests") => Some(whole("200 OK", &self.requests().to_string())),
            ("POST", "/search") => self.search(request),
            ("PUT", path) => self.reserve(request, path.strip_prefix("/offers/").unwrap_or_default()),
            ("POST", "/pay") => self.pay(request),
            _ => None,
        };
        answered.unwrap_or_else(|| {
            self.conflicts += 1;
            whole("409 Conflict", "not yours")
        })
    }

    /// A new visitor, who has no cookie, asks once for an item; basket and offer are the visit's own from now on.
    fn search(&mut self, request: &Request) -> Option<Vec<u8>> {
        let nonce = request.attribute("nonce");
        let uuid = nonce.len() == 36 && self.nonces.insert(nonce.to_owned());
        let dated = request.attribute("time").len() == "2000-01-01T00:00:00.000Z".len();
        if !uuid || !dated || !request.header("cookie").is_empty() {
            return None;
        }
        let (basket, visitor, offer) = (self.issue(), self.issue(), self.issue());
        let head = format!("Set-Cookie: visitor={visitor}; Path=/\r\nBasket: {basket}");
        let body = format!("<found><decoy><id>0</id></decoy><offer n=\"1\"><id>{offer}</id></offer></found>");
        let visit = Visit {
            visitor,
            item: request.attribute("item").to_owned(),
            offer,
            code: None,
            answered: Instant::now(),
        };
        self.visits.insert(basket, visit);
        self.searches += 1;
        Some(with_head(&head, &body))
    }

    fn reserve(&mut self, request: &Request, offer: &str) -> Option<Vec<u8>> {
        let code = self.issue();
        let visit = self.visits.get_mut(request.header("basket"))?;
        let own = visit.offer == offer && visit.item == request.attribute("item") && visit.is_of(request);
        if !own || visit.code.is_some() {
            return None;
        }
        let pause = visit.answered.elapsed().as_millis();
        self.least_pause_ms = Some(self.least_pause_ms.map_or(pause, |least| least.min(pause)));
        self.reservations += 1;
        visit.code = Some(code.clone());
        Some(whole("200 OK", &format!("reserved; code={code};")))
    }

    fn pay(&mut self, request: &Request) -> Option<Vec<u8>> {
        let basket = request.attribute("basket");
        let visit = self.visits.get(basket)?;
        if visit.code.as_deref() != Some(request.attribute("code")) || !visit.is_of(request) {
            return None;
        }
        self.visits.remove(basket);
        self.payments += 1;
        Some(whole("200 OK", "<paid/>"))
    }

    /// A value that nobody has had and nobody guesses: multiplying by an odd number is one to one.
    fn issue(&mut self) -> String {
        self.issued += 1;
        format!("{:016x}", self.issued.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn requests(&self) -> u64 {
        self.searches + self.reservations + self.payments + self.conflicts
    }

    fn totals(&self) -> String {
        serde_json::json!({
            "searches": self.searches,
            "reservations": self.reservations,
            "payments": self.payments,
            "conflicts": self.conflicts,
            "least_pause_ms": self.least_pause_ms,
        })
        .to_string()
    }
}

impl Visit {
    fn is_of(&self, request: &Request) -> bool {
        request.header("cookie") == format!("visitor={}", self.visitor)
    }
}

fn with_head(head: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}
