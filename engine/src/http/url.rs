//! The parts of a URL that a request needs.

use crate::job::Target;

/// Scheme, host, port, and the path of the request line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    pub tls: bool,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// Path and query, at least `/`.
    pub path: String,
    /// Host and port as the Host header gives them; the scheme's own port is left out.
    pub authority: String,
}

impl Url {
    /// The address of a job's target, with its default path; an error names the wrong key.
    pub fn of(target: &Target) -> Result<Self, String> {
        let Some(host) = &target.host else {
            let url = target.url.as_ref().ok_or("it needs a `host`, or a `url`")?;
            if target.port.is_some() || target.secure || target.path.is_some() {
                return Err("`url` includes `port`, `secure` and `path`; leave them out".to_owned());
            }
            return Self::parse(url).map_err(|why| format!("`url`: {why}"));
        };
        if target.url.is_some() {
            return Err("it has both `host` and `url`; leave one out".to_owned());
        }
        let scheme = if target.secure { "https" } else { "http" };
        let shown = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.clone()
        };
        let port = target.port.map(|port| format!(":{port}")).unwrap_or_default();
        let path = target.path.as_deref().unwrap_or("/");
        if host.contains(['/', '?']) {
            return Err(format!("`host` is `{}`, which is not a host", host.escape_debug()));
        }
        Self::parse(&format!("{scheme}://{shown}{port}{path}"))
            .map_err(|why| format!("`host`, `port` or `path`: {why}"))
    }

    /// Reads an absolute `http` or `https` URL; user names and fragments are refused. What is not ASCII in its path is percent-encoded.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| format!("`{text}` has no `http://` or `https://`"))?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            other => return Err(format!("the scheme `{other}` is neither `http` nor `https`")),
        };
        if text.bytes().any(|byte| byte <= b' ' || byte == 127) {
            return Err("it holds a space or a control character".to_owned());
        }
        if rest.contains('#') {
            return Err("it holds a fragment (`#`), which is never sent".to_owned());
        }
        let split = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(split);
        if authority.contains('@') {
            return Err("it holds a user name; give an Authorization header instead".to_owned());
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(bracketed) => {
                let (host, after) = bracketed
                    .split_once(']')
                    .ok_or("the bracket of its address is not closed")?;
                host.parse::<std::net::Ipv6Addr>()
                    .map_err(|_| format!("`{host}` is not an IPv6 address"))?;
                (
                    host,
                    after
                        .strip_prefix(':')
                        .or(if after.is_empty() { None } else { Some("?") }),
                )
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() {
            return Err("it names no host".to_owned());
        }
        if !host.is_ascii() {
            return Err(format!(
                "the host `{host}` is not ASCII; write it in its IDNA form (`xn--...`)"
            ));
        }
        let own = if tls { 443 } else { 80 };
        let port = match port {
            None => own,
            Some(text) => match text.parse() {
                Ok(port) if port != 0 => port,
                _ => return Err(format!("`{text}` is not a port")),
            },
        };
        let shown = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        Ok(Self {
            tls,
            host: host.to_owned(),
            port,
            path: if path.starts_with('/') {
                percent_encoded(path)
            } else {
                format!("/{}", percent_encoded(path))
            },
            authority: if port == own { shown } else { format!("{shown}:{port}") },
        })
    }
}

/// A path with every byte that is not ASCII as `%XX` (RFC 3986, 2.5).
fn percent_encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte.is_ascii() {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_keeps_its_brackets_only_in_the_host_header() {
        let url = Url::parse("http://[::1]:8080/a?b=c").unwrap();
        assert_eq!(
            (url.host.as_str(), url.port, url.authority.as_str()),
            ("::1", 8080, "[::1]:8080")
        );
        assert_eq!(url.path, "/a?b=c");
    }

    #[test]
    fn a_missing_path_becomes_a_slash_and_the_scheme_gives_the_port() {
        let url = Url::parse("https://host").unwrap();
        assert_eq!(
            (url.path.as_str(), url.port, url.tls, url.authority.as_str()),
            ("/", 443, true, "host")
        );
        assert_eq!(Url::parse("http://host?q").unwrap().path, "/?q");
    }

    #[test]
    fn a_path_that_is_not_ascii_is_percent_encoded() {
        assert_eq!(
            Url::parse("http://h/caf\u{e9}/%41?q=\u{fc}").unwrap().path,
            "/caf%C3%A9/%41?q=%C3%BC"
        );
        assert!(Url::parse("http://m\u{fc}ller.test/").unwrap_err().contains("IDNA"));
    }

    #[test]
    fn urls_that_cannot_be_sent_are_refused() {
        for text in [
            "host/a",
            "ftp://a",
            "http://",
            "http://a b/",
            "http://a:0/",
            "http://a:x/",
            "http://[::1",
            "http://[::1]x/",
            "http://u@h/",
            "http://h/#f",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }
}
