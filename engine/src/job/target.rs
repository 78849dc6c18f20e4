//! The shape of a target: where a subject answers, and what goes with every request to it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

use super::ordered::Ordered;
use crate::http::Url;

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

impl Target {
    /// The server's address, and the path that is asked where the corpus names none; an error names the key that is wrong.
    pub fn address(&self) -> Result<Url, String> {
        let Some(host) = &self.host else {
            let url = self.url.as_ref().ok_or("it needs a `host`, or a `url`")?;
            if self.port.is_some() || self.secure || self.path.is_some() {
                return Err("`url` says all; `port`, `secure` and `path` go with `host`".to_owned());
            }
            return Url::parse(url).map_err(|why| format!("`url`: {why}"));
        };
        if self.url.is_some() {
            return Err("it has both `host` and `url`; leave one out".to_owned());
        }
        let scheme = if self.secure { "https" } else { "http" };
        let shown = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.clone()
        };
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let path = self.path.as_deref().unwrap_or("/");
        if host.contains(['/', '?']) {
            return Err(format!("`host` is `{}`, which is no host", host.escape_debug()));
        }
        Url::parse(&format!("{scheme}://{shown}{port}{path}")).map_err(|why| format!("`host`, `port` or `path`: {why}"))
    }
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
