//! Serves the shop's REST API on a loopback port, with axum, and with tokio-postgres in a pool of deadpool.

mod database;
mod echo;
mod extract;
mod items;
mod orders;
mod refusal;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{FromRef, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use steelyard_soap::{Counted, Requests};

use crate::database::Database;

/// What all requests share.
#[derive(Clone)]
struct Shop {
    database: Database,
    accepted: Arc<AtomicU64>,
    requests: Requests,
}

impl FromRef<Shop> for Requests {
    fn from_ref(shop: &Shop) -> Self {
        shop.requests.clone()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let database = Database::from_environment()?;
    database
        .open_all()
        .await
        .map_err(|error| format!("shop-api: the database cannot be reached: {error}"))?;
    steelyard_soap::run_router("shop-api", router(database)).await
}

/// The operations, the count of their requests, and the count of accepted orders.
fn router(database: Database) -> Router {
    Router::new()
        .route("/shop/echo", post(echo::echo))
        .route("/shop/items/{id}", get(items::item))
        .route("/shop/items", get(items::items))
        .route("/shop/search", get(items::search))
        .route("/shop/orders", post(orders::place_order))
        .route("/shop/orders/{id}", get(orders::order))
        .route("/shop/static", get(greeting))
        .route("/shop/count", get(steelyard_soap::count))
        .route("/shop/accepted", get(accepted))
        .with_state(Shop {
            database,
            accepted: Arc::default(),
            requests: Requests::default(),
        })
}

#[derive(Serialize)]
struct Greeting {
    service: &'static str,
    greeting: &'static str,
}

async fn greeting(_: Counted) -> Json<Greeting> {
    Json(Greeting {
        service: "shop-api",
        greeting: "hello",
    })
}

async fn accepted(State(shop): State<Shop>) -> String {
    shop.accepted.load(Ordering::Relaxed).to_string()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode, header};
    use tower::ServiceExt;

    use super::*;

    /// A shop whose database nobody can reach.
    fn shop() -> Router {
        let database = Database::new("127.0.0.2", 1, "none", 1, true, "read-committed");
        router(database.expect("a pool that is not connected yet"))
    }

    async fn ask(shop: &Router, method: &str, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.into())
            .expect("a request");
        answer(shop, request).await
    }

    async fn answer(shop: &Router, request: Request<Body>) -> (StatusCode, String) {
        let response = shop.clone().oneshot(request).await.expect("an answer");
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        (status, String::from_utf8(body.to_vec()).expect("UTF-8"))
    }

    fn contract(pattern: &str, ending: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract").join(pattern);
        let files = std::fs::read_dir(folder).expect("the contract has the folder");
        let paths = files.map(|file| file.expect("a file").path());
        paths
            .filter(|path| path.to_string_lossy().ends_with(ending))
            .map(|path| std::fs::read_to_string(path).expect("text"))
            .collect()
    }

    #[tokio::test]
    async fn invalid_requests_are_refused_before_the_database() {
        let shop = shop();
        let many = format!("/shop/items?ids={}1", "1,".repeat(100));
        for (method, path, body) in [
            ("GET", "/shop/items/0", ""),
            ("GET", "/shop/items/-1", ""),
            ("GET", "/shop/items/9223372036854775808", ""),
            ("GET", "/shop/items/%FF", ""),
            ("GET", "/shop/items?ids=", ""),
            ("GET", "/shop/items?ids=1,,2", ""),
            ("GET", many.as_str(), ""),
            ("GET", "/shop/search", ""),
            ("GET", "/shop/search?q=%00", ""),
            ("GET", "/shop/orders/x", ""),
            (
                "POST",
                "/shop/orders",
                r#"{"customer": "c", "lines": [{"item": 1, "quantity": 1}, {"item": 1, "quantity": 1}]}"#,
            ),
            (
                "POST",
                "/shop/orders",
                r#"{"customer": "\u0000", "lines": [{"item": 1, "quantity": 1}]}"#,
            ),
            (
                "POST",
                "/shop/orders",
                r#"{"customer": "c", "lines": [{"item": 1, "quantity": 1.5}]}"#,
            ),
        ] {
            let (status, text) = ask(&shop, method, path, body.to_owned()).await;
            assert_eq!(
                (status, text.as_str()),
                (StatusCode::BAD_REQUEST, r#"{"error":"not valid"}"#),
                "{method} {path} {body}"
            );
        }
    }

    #[tokio::test]
    async fn every_bad_request_of_the_contract_is_refused() {
        let shop = shop();
        let bodies = contract("bad", ".request.json");
        assert!(!bodies.is_empty());
        for body in bodies {
            let (status, _) = ask(&shop, "POST", "/shop/echo", body.clone()).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        }
    }

    #[tokio::test]
    async fn every_echo_of_the_contract_is_answered() {
        let shop = shop();
        let exchanges = contract("exchanges/echo", ".exchange.json");
        assert!(!exchanges.is_empty());
        for exchange in exchanges {
            let exchange: serde_json::Value = serde_json::from_str(&exchange).expect("JSON");
            let request = exchange["request"].as_str().expect("a request").to_owned();
            let (status, text) = ask(&shop, "POST", "/shop/echo", request).await;
            let wanted: serde_json::Value =
                serde_json::from_str(exchange["answer"].as_str().expect("an answer")).expect("JSON");
            let status_wanted = exchange["status"].as_u64().unwrap_or(200);
            assert_eq!(u64::from(status.as_u16()), status_wanted, "{text}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), wanted);
        }
    }

    #[tokio::test]
    async fn another_media_type_is_refused() {
        let request = Request::post("/shop/echo").body(Body::from("{}")).expect("a request");
        assert_eq!(answer(&shop(), request).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    #[tokio::test]
    async fn requests_of_operations_are_counted_and_no_others() {
        let shop = shop();
        ask(&shop, "GET", "/shop/static", "").await;
        ask(&shop, "POST", "/shop/echo", "not JSON").await;
        ask(&shop, "GET", "/shop/items/x", "").await;
        ask(&shop, "GET", "/shop/accepted", "").await;
        ask(&shop, "GET", "/elsewhere", "").await;
        assert_eq!(ask(&shop, "GET", "/shop/count", "").await.1, "3");
        assert_eq!(ask(&shop, "GET", "/shop/accepted", "").await.1, "0");
    }

    #[tokio::test]
    async fn a_failure_of_the_database_is_status_500() {
        let (status, text) = ask(&shop(), "GET", "/shop/items/1", "").await;
        assert_eq!(
            (status, text.as_str()),
            (StatusCode::INTERNAL_SERVER_ERROR, r#"{"error":"failed"}"#)
        );
    }
}
