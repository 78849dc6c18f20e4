//! Where redirects of a target may lead.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use url::{Origin, Url};

use crate::error::Result;
use crate::http;
use crate::job::Target;
use crate::wire::{Endpoint, client_config};

/// The most redirects of one request.
pub const MOST_REDIRECTS: u32 = 10;

/// Another server than the target's, to which a redirect led.
pub struct Elsewhere {
    pub origin: Origin,
    pub endpoint: Endpoint,
}

/// Where a redirect leads.
pub enum Destination {
    Target,
    Elsewhere(Arc<Elsewhere>),
    /// A host that the job does not name.
    NotDeclared,
}

pub struct Redirects {
    /// The target by its address, and by its Host header.
    own: Vec<Origin>,
    /// The addresses of each host, by its name in a URL.
    hosts: BTreeMap<String, Vec<IpAddr>>,
    tls: Arc<ClientConfig>,
}

impl Redirects {
    /// None for a target whose redirects are not followed. `site` is the target's URL by its Host header, `addresses` are the target's.
    pub fn new(
        target: &Target,
        folder: &Path,
        url: &http::Url,
        site: &Url,
        addresses: &[SocketAddr],
    ) -> Result<Option<Arc<Self>>> {
        let Some(declared) = &target.redirects else {
            return Ok(None);
        };
        let mut hosts = BTreeMap::new();
        for (name, addresses) in &declared.hosts {
            let shown = match name.contains(':') {
                true => format!("[{name}]"),
                false => name.clone(),
            };
            if let Some((host, _)) = place(&format!("http://{shown}/")) {
                hosts.insert(host, addresses.clone());
            }
        }
        let mut own = Vec::new();
        let scheme = if url.tls { "https" } else { "http" };
        for address in [format!("{scheme}://{}/", url.authority), site.to_string()] {
            if let Some((host, origin)) = place(&address) {
                hosts.insert(host, addresses.iter().map(SocketAddr::ip).collect());
                own.push(origin);
            }
        }
        let tls = client_config(target, folder)?;
        Ok(Some(Arc::new(Self { own, hosts, tls })))
    }

    /// Where a URL of http or https leads.
    pub fn destination(&self, url: &Url) -> Destination {
        let origin = url.origin();
        if self.own.contains(&origin) {
            return Destination::Target;
        }
        let host = url.host_str().unwrap_or_default();
        let (Some(addresses), Some(port)) = (self.hosts.get(host), url.port_or_known_default()) else {
            return Destination::NotDeclared;
        };
        let tls = match url.scheme() {
            "https" => match ServerName::try_from(host.trim_matches(['[', ']']).to_owned()) {
                Ok(name) => Some((self.tls.clone(), name)),
                Err(_) => return Destination::NotDeclared,
            },
            _ => None,
        };
        let addresses = addresses
            .iter()
            .map(|address| SocketAddr::new(*address, port))
            .collect();
        let endpoint = Endpoint { addresses, tls };
        Destination::Elsewhere(Arc::new(Elsewhere { origin, endpoint }))
    }
}

/// The host and the origin of a URL.
fn place(url: &str) -> Option<(String, Origin)> {
    let url = Url::parse(url).ok()?;
    Some((url.host_str()?.to_owned(), url.origin()))
}
