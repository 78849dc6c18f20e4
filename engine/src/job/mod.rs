//! The job model: the load that the lab or a user orders, as data. It imports no other module; the others interpret it.

mod headers;
mod model;
mod ordered;
mod session;
mod target;
mod think;

pub use headers::{check_headers, check_request_headers, is_token};
pub use model::*;
pub use ordered::{Mix, Ordered};
pub use session::*;
pub use target::*;
pub use think::{Think, ThinkKind};
