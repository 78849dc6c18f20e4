//! HTTP/2 (RFC 9113) as one client connection sees it: bytes in, events out, bytes to be sent; no socket and no clock.

mod connection;
#[cfg(test)]
mod connection_tests;
mod fields;
mod frame;
mod hpack;
mod output;
mod request;
mod static_table;
mod window;

pub use connection::{Connection, Event};
pub use fields::Fields;
pub use frame::{FrameHead, PREFACE, code, flag, kind, setting};
pub use hpack::{Decoder, Encoder};
pub use request::{RequestFields, Variable};
