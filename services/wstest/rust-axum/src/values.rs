//! The schema's simple types, from their texts and to them.

use std::fmt::Write;

use base64::prelude::{BASE64_STANDARD, Engine};
use steelyard_soap::Fault;

const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

pub fn int(text: &str) -> Result<i32, Fault> {
    text.trim_matches(WHITE)
        .parse()
        .map_err(|_| Fault::client(format!("{text:?} is no xs:int")))
}

/// Rust's own spellings of what is not finite are not those of the schema.
pub fn float(text: &str) -> Result<f32, Fault> {
    match text.trim_matches(WHITE) {
        "NaN" => Ok(f32::NAN),
        "INF" => Ok(f32::INFINITY),
        "-INF" => Ok(f32::NEG_INFINITY),
        number
            if number
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) =>
        {
            number
                .parse()
                .map_err(|_| Fault::client(format!("{text:?} is no xs:float")))
        }
        _ => Err(Fault::client(format!("{text:?} is no xs:float"))),
    }
}

/// The shortest text that names this number and no other.
pub fn float_text(number: f32) -> String {
    let mut text = String::new();
    let written = match number.abs() {
        _ if number.is_nan() => write!(text, "NaN"),
        f32::INFINITY => write!(text, "{}INF", if number < 0.0 { "-" } else { "" }),
        size if size != 0.0 && !(1e-4..1e10).contains(&size) => write!(text, "{number:E}"),
        _ => write!(text, "{number}"),
    };
    debug_assert!(written.is_ok(), "a String takes every text");
    text
}

/// White space in base64 means nothing.
pub fn bytes(text: &str) -> Result<Vec<u8>, Fault> {
    let decoded = if text.contains(WHITE) {
        BASE64_STANDARD.decode(text.replace(WHITE, ""))
    } else {
        BASE64_STANDARD.decode(text)
    };
    decoded.map_err(|error| Fault::client(format!("no xs:base64Binary: {error}")))
}

pub fn bytes_text(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
