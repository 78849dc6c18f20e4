//! Why a request was refused, as the client gets it.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use deadpool_postgres::PoolError;
use serde::Serialize;
use tokio_postgres::error::SqlState;

#[derive(Debug)]
pub enum Refusal {
    NotValid,
    /// A body that is too large or of another media type, with axum's own status.
    NotRead(StatusCode),
    NotFound,
    OutOfStock,
    /// PostgreSQL ended the transaction for its isolation: another one changed what it changes.
    Overtaken,
    /// Not the client's fault.
    Failed(String),
}

#[derive(Serialize)]
struct ErrorAnswer {
    error: &'static str,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::NotValid => (StatusCode::BAD_REQUEST, "not valid"),
            Self::NotRead(status) => (status, "not valid"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not found"),
            Self::OutOfStock => (StatusCode::CONFLICT, "out of stock"),
            Self::Overtaken => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
            Self::Failed(cause) => {
                eprintln!("shop-api: {cause}");
                (StatusCode::INTERNAL_SERVER_ERROR, "failed")
            }
        };
        (status, Json(ErrorAnswer { error })).into_response()
    }
}

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Self {
        match rejection.status() {
            status @ (StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNSUPPORTED_MEDIA_TYPE) => Self::NotRead(status),
            _ => Self::NotValid,
        }
    }
}

impl From<PoolError> for Refusal {
    fn from(error: PoolError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        if error.code() == Some(&SqlState::T_R_SERIALIZATION_FAILURE) {
            return Self::Overtaken;
        }
        Self::Failed(error.to_string())
    }
}
