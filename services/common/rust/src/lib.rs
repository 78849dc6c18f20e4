//! SOAP 1.1 over HTTP on a loopback port, for services in Rust: axum for HTTP, quick-xml for XML.

mod busy;
mod charset;
mod reader;
mod service;
mod soap;

pub use reader::{Reader, Start};
pub use service::{Counted, LARGEST_REQUEST, Requests, Service, count, run, run_beside, run_router};
pub use soap::{Answer, Answering, Fault, answer};
