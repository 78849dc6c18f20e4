//! The shape of a target: where a subject answers, and what goes with every request to it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

use super::ordered::Ordered;

/// The engine connects to at most so many addresses of one host.
pub const MOST_ADDRESSES: usize = 64;

/// How a server's certificate is judged.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    pub ca: Option<String>,
    pub verify: bool,
    /// What the engine shows to a server that asks who it is, and the private key of it: PEM files.
    pub certificate: Option<String>,
    pub key: Option<String>,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            ca: None,
            verify: true,
            certificate: None,
            key: None,
        }
    }
}

/// A server that answers for a subject. `headers` go with every request, `operation_headers` with those of one operation; a header
/// that the corpus gives replaces one of the same name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub subject: String,
    /// All of the server's address and the path in one, in place of `host`, `port`, `secure` and `path`.
    pub url: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
    /// The host's addresses where they are known already: its name is not resolved, and no other is connected to.
    #[serde(default)]
    pub addresses: Vec<IpAddr>,
    /// Whether it is asked over TLS.
    #[serde(default)]
    pub secure: bool,
    /// The path of requests to which the corpus gives none.
    pub path: Option<String>,
    /// The method of requests to which the corpus gives none.
    #[serde(default = "post")]
    pub method: String,
    #[serde(default = "no_headers")]
    pub headers: Ordered<String>,
    #[serde(default)]
    pub operation_headers: BTreeMap<String, Ordered<String>>,
    #[serde(default)]
    pub tls: Tls,
    /// HTTP/2 instead of HTTP/1.1: agreed on by TLS (ALPN), or without TLS by prior knowledge.
    pub http2: Option<Http2>,
    /// What keeps the subject's processes, for turns.
    #[serde(default)]
    pub keepers: Vec<KeeperChannel>,
}

/// How a server is asked by HTTP/2: so many requests may be under way at once on each connection.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http2 {
    pub streams: u32,
}

impl Default for Http2 {
    fn default() -> Self {
        // As many as servers are to allow at least (RFC 9113, 6.5.2).
        Self { streams: 100 }
    }
}

/// A keeper's control socket, and whether its processes may be stopped while it is another subject's turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeeperChannel {
    pub control: String,
    pub may_freeze: bool,
}

fn post() -> String {
    "POST".to_owned()
}

fn no_headers() -> Ordered<String> {
    Ordered(Vec::new())
}
