//! A service over HTTP: its paths, and the count of its requests.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRef, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::busy::{microseconds, stay_busy};
use crate::{Answering, charset, soap};

/// The most bytes that a request may have.
pub const LARGEST_REQUEST: usize = 16 << 20;
const XML: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/xml; charset=utf-8")];

/// What a program answers: at each path what `Answering` says, and at the path of the counter how many requests came.
pub struct Service {
    pub name: &'static str,
    pub namespace: &'static str,
    pub counter: &'static str,
    pub paths: &'static [(&'static str, Answering)],
    /// How deep the elements of an envelope may nest.
    pub most_depth: usize,
}

/// How many requests came so far.
pub type Requests = Arc<AtomicU64>;

/// What each request to the service goes through before anything else: it is counted, and kept busy where its header asks for it.
pub struct Counted;

impl<AllState> FromRequestParts<AllState> for Counted
where
    AllState: Send + Sync,
    Requests: FromRef<AllState>,
{
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, state: &AllState) -> Result<Self, Self::Rejection> {
        Requests::from_ref(state).fetch_add(1, Ordering::Relaxed);
        if let Some(micros) = text(&parts.headers, "steelyard-busy-us") {
            let time = microseconds(micros).ok_or((
                StatusCode::BAD_REQUEST,
                "Steelyard-Busy-Us is a number of microseconds up to a million",
            ))?;
            stay_busy(time);
        }
        Ok(Self)
    }
}

/// Serves on the port that the command line names, until SIGTERM.
pub fn run(service: &'static Service) -> Result<(), Box<dyn Error>> {
    run_beside(service, Router::new())
}

/// The same with routes in other formats beside; their handlers begin with `Counted`.
#[tokio::main]
pub async fn run_beside(service: &'static Service, beside: Router<Requests>) -> Result<(), Box<dyn Error>> {
    run_router(service.name, router(service, beside)).await
}

/// Serves the routes of a program without SOAP on the port that the command line names, until SIGTERM.
pub async fn run_router(name: &str, router: Router) -> Result<(), Box<dyn Error>> {
    let usage = || format!("usage: {name} PORT");
    let port: u16 = std::env::args().nth(1).ok_or_else(usage)?.parse()?;
    let host = std::env::var("STEELYARD_HOST").unwrap_or(Ipv4Addr::LOCALHOST.to_string());
    let listener = TcpListener::bind((host.as_str(), port)).await?.tap_io(|connection| {
        let _ = connection.set_nodelay(true); // a slower connection is better than none
    });
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, router.layer(DefaultBodyLimit::max(LARGEST_REQUEST))) => Ok(served?),
        _ = terminate.recv() => Ok(()),
    }
}

fn router(service: &'static Service, beside: Router<Requests>) -> Router {
    let mut router = beside.route(service.counter, get(count));
    for &(path, answering) in service.paths {
        let serve = move |_: Counted, headers: HeaderMap, body: Bytes| async move {
            serve(service, answering, &headers, &body)
        };
        router = router.route(path, post(serve));
    }
    router.with_state(Requests::default())
}

/// Answers with the number of requests so far.
pub async fn count(State(requests): State<Requests>) -> String {
    requests.load(Ordering::Relaxed).to_string()
}

fn serve(service: &Service, answering: Answering, headers: &HeaderMap, body: &[u8]) -> Response {
    let content_type = text(headers, header::CONTENT_TYPE.as_str()).unwrap_or("");
    if !content_type.trim_start().to_ascii_lowercase().starts_with("text/xml") {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "SOAP 1.1 comes as text/xml").into_response();
    }
    let message = charset::decode(body, content_type);
    match message.and_then(|message| soap::answer(&message, service, answering)) {
        Ok(answer) => (XML, answer).into_response(),
        Err(fault) => (StatusCode::INTERNAL_SERVER_ERROR, XML, fault.envelope()).into_response(),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
