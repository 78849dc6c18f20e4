//! HTTP/1.1: where to send, what to send, and how to read what comes back.

mod chunked;
mod cookies;
mod request;
mod response;
mod unpack;
mod url;

pub use cookies::CookieJar;
pub use request::{HeadParts, RequestHead};
pub use response::{Coding, Event, Malformed, ResponseReader, WantedFields};
pub use unpack::Unpacker;
pub use url::Url;
