//! From a host's name to the address that load goes to.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::error::{EngineError, Result};
use crate::http::Url;

/// The address of a URL's host. Where a name has several, the first that accepts a connection is taken.
pub fn resolve(url: &Url) -> Result<SocketAddr> {
    let what = || EngineError::system(format!("the host `{}` cannot be resolved", url.host));
    let found: Vec<SocketAddr> = (url.host.as_str(), url.port)
        .to_socket_addrs()
        .map_err(what())?
        .collect();
    let first = *found
        .first()
        .ok_or_else(|| what()(std::io::Error::other("it has no address")))?;
    if found.len() == 1 {
        return Ok(first);
    }
    let accepts = |address: &&SocketAddr| TcpStream::connect_timeout(address, Duration::from_secs(1)).is_ok();
    Ok(found.iter().find(accepts).copied().unwrap_or(first))
}
