//! The message that comes back once it is valid.

use axum::Json;
use serde::{Deserialize, Serialize};
use steelyard_soap::Counted;

use crate::extract::{Check, Valid, is_text};

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    reference: String,
    customer: Customer,
    lines: Vec<Line>,
    gift: bool,
    discount_percent: f64,
    note: String,
}

#[derive(Deserialize, Serialize)]
struct Customer {
    name: String,
    email: String,
    address: Address,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    street: String,
    city: String,
    postal_code: String,
    country: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    sku: String,
    quantity: i64,
    price_cents: i64,
    tags: Vec<String>,
}

pub async fn echo(_: Counted, Valid(message): Valid<Message>) -> Json<Message> {
    Json(message)
}

impl Check for Message {
    fn is_valid(&self) -> bool {
        is_text(&self.reference, 1, 100)
            && self.customer.is_valid()
            && (1..=50).contains(&self.lines.len())
            && self.lines.iter().all(Check::is_valid)
            && (0.0..=100.0).contains(&self.discount_percent)
            && is_text(&self.note, 0, 500)
    }
}

impl Check for Customer {
    fn is_valid(&self) -> bool {
        is_text(&self.name, 1, 100) && is_text(&self.email, 1, 200) && is_email(&self.email) && self.address.is_valid()
    }
}

impl Check for Address {
    fn is_valid(&self) -> bool {
        is_text(&self.street, 1, 100)
            && is_text(&self.city, 1, 100)
            && is_text(&self.postal_code, 1, 20)
            && self.country.len() == 2
            && self.country.bytes().all(|letter| letter.is_ascii_uppercase())
    }
}

impl Check for Line {
    fn is_valid(&self) -> bool {
        is_text(&self.sku, 1, 30)
            && (1..=1000).contains(&self.quantity)
            && (0..=10_000_000).contains(&self.price_cents)
            && self.tags.len() <= 8
            && self.tags.iter().all(|tag| is_text(tag, 1, 30))
    }
}

/// Whether a text has one @ with something before and behind it, and no white space.
fn is_email(text: &str) -> bool {
    text.split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_has_one_at() {
        assert!(is_email("a@b"));
        for wrong in ["", "@", "a@", "@b", "a@b@c", "a @b", "a@b\n", "ab"] {
            assert!(!is_email(wrong), "{wrong}");
        }
    }
}
