//! A target: the address of a subject, and the headers of every request to it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

use super::ordered::Ordered;

/// The most addresses of one host that the engine connects to.
pub const MOST_ADDRESSES: usize = 64;

/// How a server's certificate is judged.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    pub ca: Option<String>,
    pub verify: bool,
    /// The client certificate and its private key: PEM files.
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

/// The server of a subject. `headers` go with every request, `operation_headers` with requests of one operation; a header of the corpus
/// replaces one of the same name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub subject: String,
    /// Address and path in one, in place of `host`, `port`, `secure` and `path`.
    pub url: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
    /// The host's addresses if they are known already: then the name is not resolved, and no other address is used.
    #[serde(default)]
    pub addresses: Vec<IpAddr>,
    /// Whether requests go over TLS.
    #[serde(default)]
    pub secure: bool,
    /// The path of requests that have none in the corpus.
    pub path: Option<String>,
    /// The method of requests that have none in the corpus.
    #[serde(default = "post")]
    pub method: String,
    #[serde(default = "no_headers")]
    pub headers: Ordered<String>,
    #[serde(default)]
    pub operation_headers: BTreeMap<String, Ordered<String>>,
    #[serde(default)]
    pub tls: Tls,
    /// HTTP/2 instead of HTTP/1.1: negotiated by TLS (ALPN), or by prior knowledge without TLS.
    pub http2: Option<Http2>,
    /// Redirects are followed; None: a redirect is the answer.
    pub redirects: Option<Redirects>,
    /// The keepers of the subject's processes, for turns.
    #[serde(default)]
    pub keepers: Vec<KeeperChannel>,
}

/// HTTP/2: `streams` is the most requests in flight on each connection.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http2 {
    pub streams: u32,
}

impl Default for Http2 {
    fn default() -> Self {
        // The least that servers should allow (RFC 9113, 6.5.2).
        Self { streams: 100 }
    }
}

/// Redirects are followed to every port of the target's own host, and to these other hosts, which have these addresses.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Redirects {
    pub hosts: BTreeMap<String, Vec<IpAddr>>,
}

/// A keeper's control socket, and whether its processes may be paused during other subjects' turns.
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
