//! Extractors that refuse with the contract's answers, and the rules for texts and numbers.

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

/// A message that has rules beyond its types.
pub trait Check {
    fn is_valid(&self) -> bool;
}

/// A body of JSON that is valid.
pub struct Valid<Message>(pub Message);

impl<State, Message> FromRequest<State> for Valid<Message>
where
    State: Send + Sync,
    Message: DeserializeOwned + Check,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &State) -> Result<Self, Refusal> {
        let Json(message) = Json::<Message>::from_request(request, state).await?;
        if message.is_valid() {
            Ok(Self(message))
        } else {
            Err(Refusal::NotValid)
        }
    }
}

/// The id in a path.
pub struct Id(pub i64);

impl<State: Send + Sync> FromRequestParts<State> for Id {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Refusal> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(text)) => id(&text).map(Self),
            Err(_) => Err(Refusal::NotValid),
        }
    }
}

/// The parameters of a query.
pub struct Parameters<Named>(pub Named);

impl<State: Send + Sync, Named: DeserializeOwned> FromRequestParts<State> for Parameters<Named> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Refusal> {
        match Query::<Named>::from_request_parts(parts, state).await {
            Ok(Query(named)) => Ok(Self(named)),
            Err(_) => Err(Refusal::NotValid),
        }
    }
}

/// An id in text: a positive number.
pub fn id(text: &str) -> Result<i64, Refusal> {
    text.parse().ok().filter(|id| *id > 0).ok_or(Refusal::NotValid)
}

/// Whether a text has so many characters, and none that PostgreSQL cannot store.
pub fn is_text(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.chars().count()) && !text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured_in_characters() {
        assert!(is_text("😀😀", 2, 2));
        assert!(is_text("", 0, 1));
        assert!(!is_text("", 1, 2));
        assert!(!is_text("abc", 1, 2));
        assert!(!is_text("a\0", 1, 2));
    }
}
