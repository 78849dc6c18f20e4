//! HTTP/1.1: URLs, requests, and the parser of answers.

mod chunked;
mod cookies;
mod malformed;
mod redirect;
mod request;
mod response;
mod unpack;
mod url;

pub use cookies::CookieJar;
pub use malformed::Malformed;
pub use redirect::Hop;
pub use request::{HeadParts, RequestHead};
pub use response::{Coding, Event, ResponseReader, WantedFields};
pub use unpack::Unpacker;
pub use url::Url;
