//! Resolves a host name to the addresses that get load.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::error::{EngineError, Result};
use crate::http::Url;
use crate::job::MOST_ADDRESSES;

/// The time limit for an address to accept a connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// The addresses of a URL that accept connections now, among the `known` ones or else all of its host. Never empty.
pub fn resolve(url: &Url, known: &[IpAddr]) -> Result<Vec<SocketAddr>> {
    if !known.is_empty() {
        let known = known.iter().map(|address| SocketAddr::new(*address, url.port));
        return Ok(reachable(known.collect()));
    }
    let what = || EngineError::system(format!("the host `{}` cannot be resolved", url.host));
    let mut found: Vec<SocketAddr> = Vec::new();
    for address in (url.host.as_str(), url.port).to_socket_addrs().map_err(what())? {
        if !found.contains(&address) && found.len() < MOST_ADDRESSES {
            found.push(address);
        }
    }
    match found.is_empty() {
        true => Err(what()(std::io::Error::other("it has no address"))),
        false => Ok(reachable(found)),
    }
}

/// The addresses that accept connections now, of the family of the first that does, since a server often listens on both. If none
/// accepts, those that can be reached, or else all: the load then shows the failure.
fn reachable(found: Vec<SocketAddr>) -> Vec<SocketAddr> {
    if found.len() < 2 {
        return found;
    }
    // In parallel, since an address that does not answer takes long.
    let tries: Vec<std::io::Result<TcpStream>> = std::thread::scope(|scope| {
        let threads: Vec<_> = found
            .iter()
            .map(|address| scope.spawn(move || TcpStream::connect_timeout(address, PATIENCE)))
            .collect();
        let lost = || Err(std::io::Error::other("the attempt was lost"));
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| lost()))
            .collect()
    });
    let tried = || found.iter().zip(&tries);
    let first = tried().find(|(_, tried)| tried.is_ok());
    let chosen: Vec<SocketAddr> = match first {
        Some((first, _)) => tried()
            .filter(|(address, tried)| tried.is_ok() && address.is_ipv4() == first.is_ipv4())
            .map(|(address, _)| *address)
            .collect(),
        None => tried()
            .filter(|(_, tried)| matches!(tried, Err(why) if matches!(why.kind(), ErrorKind::ConnectionRefused | ErrorKind::TimedOut)))
            .map(|(address, _)| *address)
            .collect(),
    };
    if chosen.is_empty() { found } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn url(host: &str, port: u16) -> Url {
        Url::parse(&format!("http://{host}:{port}/")).unwrap()
    }

    fn ips(addresses: &[&str]) -> Vec<IpAddr> {
        addresses.iter().map(|address| address.parse().unwrap()).collect()
    }

    fn resolve_known(port: u16, known: &[&str]) -> Vec<String> {
        let chosen = resolve(&url("no-such-host.invalid", port), &ips(known)).unwrap();
        chosen.iter().map(|address| address.ip().to_string()).collect()
    }

    #[test]
    fn an_address_that_refuses_is_left_out_whichever_comes_first() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(resolve_known(port, &["::1", "127.0.0.1"]), ["127.0.0.1"]);
        assert_eq!(resolve_known(port, &["127.0.0.3", "127.0.0.1", "::1"]), ["127.0.0.1"]);
        let six = TcpListener::bind("[::1]:0").unwrap();
        assert_eq!(
            resolve_known(six.local_addr().unwrap().port(), &["127.0.0.1", "::1"]),
            ["::1"]
        );
    }

    #[test]
    fn all_addresses_of_one_family_that_accept_are_taken() {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        let _second = TcpListener::bind(("127.0.0.2", port)).unwrap();
        let _six = TcpListener::bind(("::1", port)).unwrap();
        assert_eq!(
            resolve_known(port, &["127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"]),
            ["127.0.0.1", "127.0.0.2"]
        );
        assert_eq!(resolve_known(port, &["::1", "127.0.0.1", "127.0.0.2"]), ["::1"]);
    }

    #[test]
    fn where_none_accepts_all_that_refuse_stay_and_a_name_is_resolved_only_where_no_address_is_known() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        assert_eq!(
            resolve_known(port, &["127.0.0.1", "127.0.0.2"]),
            ["127.0.0.1", "127.0.0.2"]
        );
        assert!(resolve(&url("no-such-host.invalid", port), &[]).is_err());
        assert_eq!(resolve(&url("127.0.0.1", port), &[]).unwrap().len(), 1);
    }
}
