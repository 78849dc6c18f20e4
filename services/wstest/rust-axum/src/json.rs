//! The operations in JSON: a path an operation (REST/JSON), and one path for all (JSON-RPC 2.0).

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use steelyard_soap::{Counted, Requests};

use crate::order::{self, Order};

const JSON: &str = "application/json";
const VERSION: &str = "2.0";
const PARSE_ERROR: i32 = -32700;
const BAD_REQUEST: i32 = -32600;
const NO_SUCH_METHOD: i32 = -32601;
const BAD_PARAMS: i32 = -32602;

/// The operations' messages. What is echoed has one type for both ways.
#[derive(Deserialize, Serialize)]
struct Void {}

#[derive(Deserialize, Serialize)]
struct Structs {
    structs: Vec<Struct>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Struct {
    var_int: i32,
    var_float: f32,
    var_string: String,
}

#[derive(Deserialize, Serialize)]
struct List {
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Item>,
}

#[derive(Deserialize, Serialize)]
struct Item {
    value: Struct,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Box<Item>>,
}

#[derive(Deserialize, Serialize)]
struct Synthetic {
    text: String,
    r#struct: Struct,
    #[serde(with = "in_base64")]
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderRequest {
    order_id: i32,
}

mod in_base64 {
    use base64::prelude::{BASE64_STANDARD, Engine};
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map_err(de::Error::custom)
    }
}

/// An operation: its answer's bytes for its request's, or why there is none.
type Operation = fn(&[u8]) -> Result<Vec<u8>, String>;

/// The paths of both formats.
pub fn routes() -> Router<Requests> {
    let mut routes = Router::new()
        .route("/wstest/rest/orders/{id}", get(order_by_id))
        .route("/wstest/json-rpc", post(json_rpc));
    for name in ["echoVoid", "echoStruct", "echoList", "echoSynthetic"] {
        if let Some(operation) = named(name) {
            let serve =
                move |_: Counted, headers: HeaderMap, body: Bytes| async move { rest(operation, &headers, &body) };
            routes = routes.route(&format!("/wstest/rest/{name}"), post(serve));
        }
    }
    routes
}

fn named(name: &str) -> Option<Operation> {
    match name {
        "echoVoid" => Some(echo::<Void>),
        "echoStruct" => Some(echo::<Structs>),
        "echoList" => Some(echo::<List>),
        "echoSynthetic" => Some(echo::<Synthetic>),
        "getOrder" => Some(get_order),
        _ => None,
    }
}

/// Answers a message with its own values.
fn echo<Message: for<'de> Deserialize<'de> + Serialize>(body: &[u8]) -> Result<Vec<u8>, String> {
    let message: Message = read(body)?;
    written(&message)
}

fn get_order(body: &[u8]) -> Result<Vec<u8>, String> {
    let request: OrderRequest = read(body)?;
    written(&order_of(request.order_id)?)
}

fn order_of(id: i32) -> Result<Order, String> {
    order::by_id(id).ok_or_else(|| "there is no such order".to_owned())
}

/// What serde passes over need be no UTF-8 to it; to the standard it must.
fn read<'b, Message: Deserialize<'b>>(body: &'b [u8]) -> Result<Message, String> {
    let text = str::from_utf8(body).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn written(answer: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(answer).map_err(|error| error.to_string())
}

fn rest(operation: Operation, headers: &HeaderMap, body: &[u8]) -> Response {
    if !is_json(headers) {
        return no_json();
    }
    match operation(body) {
        Ok(answer) => json(StatusCode::OK, answer),
        Err(why) => (StatusCode::BAD_REQUEST, why).into_response(),
    }
}

async fn order_by_id(_: Counted, Path(id): Path<i32>) -> Response {
    match order_of(id).and_then(|order| written(&order)) {
        Ok(answer) => json(StatusCode::OK, answer),
        Err(why) => (StatusCode::NOT_FOUND, why).into_response(),
    }
}

#[derive(Deserialize)]
struct Call<'b> {
    #[serde(default)]
    jsonrpc: String,
    #[serde(default)]
    method: String,
    #[serde(borrow, default)]
    params: Option<&'b RawValue>,
    #[serde(borrow, default)]
    id: Option<&'b RawValue>,
}

#[derive(Serialize)]
struct Refused<'a> {
    jsonrpc: &'static str,
    error: Fault,
    id: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Fault {
    code: i32,
    message: String,
}

/// Answers one call by JSON-RPC 2.0. There are no batches, and a call without an id is refused.
async fn json_rpc(_: Counted, headers: HeaderMap, body: Bytes) -> Response {
    if !is_json(&headers) {
        return no_json();
    }
    let call: Call = match read(&body) {
        Ok(call) => call,
        Err(why) => return refused(StatusCode::BAD_REQUEST, PARSE_ERROR, why, None),
    };
    let Some(id) = call.id.filter(|_| call.jsonrpc == VERSION) else {
        let why = "a call of JSON-RPC 2.0 says its version and has an id".to_owned();
        return refused(StatusCode::BAD_REQUEST, BAD_REQUEST, why, call.id);
    };
    let Some(operation) = named(&call.method) else {
        let why = format!("there is no method {}", call.method);
        return refused(StatusCode::NOT_FOUND, NO_SUCH_METHOD, why, call.id);
    };
    match operation(call.params.map_or("", RawValue::get).as_bytes()) {
        Ok(result) => json(StatusCode::OK, answered(&result, id)),
        Err(why) => refused(StatusCode::BAD_REQUEST, BAD_PARAMS, why, call.id),
    }
}

/// A result as it was written already, with the id of its call.
fn answered(result: &[u8], id: &RawValue) -> Vec<u8> {
    [
        br#"{"jsonrpc":"2.0","result":"#,
        result,
        br#","id":"#,
        id.get().as_bytes(),
        b"}",
    ]
    .concat()
}

fn refused(status: StatusCode, code: i32, message: String, id: Option<&RawValue>) -> Response {
    let refusal = Refused {
        jsonrpc: VERSION,
        error: Fault { code, message },
        id,
    };
    match written(&refusal) {
        Ok(answer) => json(status, answer),
        Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, why).into_response(),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .unwrap_or_default();
    media_type.trim().eq_ignore_ascii_case(JSON)
}

fn no_json() -> Response {
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "JSON comes as application/json").into_response()
}

fn json(status: StatusCode, answer: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], answer).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn same(operation: Operation, message: &Value) {
        let answer = operation(message.to_string().as_bytes()).expect("an answer");
        assert_eq!(serde_json::from_slice::<Value>(&answer).expect("JSON"), *message);
    }

    #[test]
    fn values_come_back() {
        let one = json!({"varInt": -7, "varFloat": 1.5, "varString": "salt & \u{1d11e}\r"});
        same(echo::<Void>, &json!({}));
        same(echo::<Structs>, &json!({"structs": [one, one]}));
        same(echo::<Structs>, &json!({"structs": []}));
        same(echo::<List>, &json!({}));
        same(echo::<List>, &json!({"list": {"value": one, "next": {"value": one}}}));
        same(echo::<Synthetic>, &json!({"text": "", "struct": one, "bytes": "AP8="}));
        let shortest = br#"{"structs":[{"varInt":0,"varFloat":1.1,"varString":""}]}"#;
        assert_eq!(echo::<Structs>(shortest).as_deref(), Ok(&shortest[..]));
    }

    #[test]
    fn an_order_has_its_amounts_as_numbers() {
        let answer = get_order(br#"{"orderId": 12345}"#).expect("an order");
        let order: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(order["reference"], "PO-000012345");
        assert_eq!(order["items"][0]["unitPrice"], 25.4);
        assert_eq!(order["items"].as_array().map(Vec::len), Some(8));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for bad in [
            "",
            "[",
            "{} {}",
            "{'structs': []}",
            r#"{"structs": [{"varInt": 2147483648, "varFloat": 1, "varString": ""}]}"#,
            r#"{"structs": [{"varInt": "1", "varFloat": 1, "varString": ""}]}"#,
        ] {
            assert!(echo::<Structs>(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(echo::<Structs>(b"{\"structs\": [], \"a\": \"\xff\"}").is_err());
        assert!(echo::<List>("[".repeat(100_000).as_bytes()).is_err());
        assert!(
            echo::<Synthetic>(
                br#"{"text": "", "struct": {"varInt": 1, "varFloat": 1, "varString": ""}, "bytes": "*"}"#
            )
            .is_err()
        );
        assert!(get_order(br#"{"orderId": -1}"#).is_err());
    }
}
