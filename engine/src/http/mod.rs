//! HTTP/1.1: where to send, what to send, and how to read what comes back.

mod chunked;
mod cookies;
mod request;
mod response;
mod url;

pub use cookies::CookieJar;
pub use request::RequestHead;
pub use response::{Event, Malformed, ResponseReader, WantedFields};
pub use url::Url;
