//! Header names and values as a job, its secrets and its corpus may give them.

use super::ordered::Ordered;

/// Headers that the engine itself writes.
const RESERVED: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

/// Checks the names and values of headers; `at` is the key that holds them.
pub fn check_headers(at: &str, headers: &Ordered<String>) -> Result<(), String> {
    headers
        .0
        .iter()
        .try_for_each(|(name, value)| check_header(at, name, value))
}

/// Checks the headers of one request of the corpus, whose body may be stored in chunks.
pub fn check_request_headers(headers: &[(String, String)]) -> Result<(), String> {
    let chunks =
        |(name, value): &&(String, String)| name.eq_ignore_ascii_case("transfer-encoding") && value == "chunked";
    headers
        .iter()
        .filter(|header| !chunks(header))
        .try_for_each(|(name, value)| check_header("headers", name, value))
}

fn check_header(at: &str, name: &str, value: &str) -> Result<(), String> {
    if !is_token(name) {
        return Err(format!("`{at}`: `{}` is not a header name", name.escape_debug()));
    }
    if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(format!("`{at}.{name}` is set by the engine; leave it out"));
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(format!("`{at}.{name}` holds a line break"));
    }
    Ok(())
}

/// Whether this is a method or a header name (RFC 9110, 5.6.2).
pub fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_of_the_corpus_may_say_that_its_body_is_stored_in_chunks() {
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let chunked = header("Transfer-Encoding", "chunked");
        assert!(check_request_headers(&chunked).is_ok());
        assert!(check_headers("targets[0].headers", &Ordered(chunked)).is_err());
        assert!(check_request_headers(&header("Transfer-Encoding", "gzip, chunked")).is_err());
        assert!(check_request_headers(&header("Content-Length", "5")).is_err());
    }
}
