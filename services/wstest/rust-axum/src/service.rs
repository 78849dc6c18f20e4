//! The service's two paths over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::busy::{microseconds, stay_busy};
use crate::{charset, soap};

const LARGEST_REQUEST: usize = 16 << 20;
const XML: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/xml; charset=utf-8")];

type Requests = Arc<AtomicU64>;

pub fn router() -> Router {
    Router::new()
        .route("/wstest/WSTest", post(serve))
        .route("/wstest/count", get(count))
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(Requests::default())
}

async fn count(State(requests): State<Requests>) -> String {
    requests.load(Ordering::Relaxed).to_string()
}

async fn serve(State(requests): State<Requests>, headers: HeaderMap, body: Bytes) -> Response {
    requests.fetch_add(1, Ordering::Relaxed);
    if let Some(micros) = text(&headers, "steelyard-busy-us") {
        let Some(time) = microseconds(micros) else {
            return (
                StatusCode::BAD_REQUEST,
                "Steelyard-Busy-Us is a number of microseconds up to a million",
            )
                .into_response();
        };
        stay_busy(time);
    }
    let content_type = text(&headers, header::CONTENT_TYPE.as_str()).unwrap_or("");
    if !content_type.trim_start().to_ascii_lowercase().starts_with("text/xml") {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "SOAP 1.1 comes as text/xml").into_response();
    }
    match charset::decode(&body, content_type).and_then(|message| soap::answer(&message)) {
        Ok(answer) => (XML, answer).into_response(),
        Err(fault) => (StatusCode::INTERNAL_SERVER_ERROR, XML, fault.envelope()).into_response(),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
