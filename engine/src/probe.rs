//! The `probe` command: a ready check.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::http::{Event, ResponseReader, Url};
use crate::wire::resolve;

const LIMIT: Duration = Duration::from_secs(1);

/// Sends one GET over plain HTTP; true if the status is 200 within a second.
pub fn probe(url: &str) -> Result<bool> {
    let url = Url::parse(url).map_err(anyhow::Error::msg)?;
    if url.tls {
        bail!("probe speaks plain HTTP only");
    }
    let end = Instant::now() + LIMIT;
    let status = status(&url, end)?;
    if status != 200 {
        bail!("the status is {status}, not 200");
    }
    Ok(true)
}

fn status(url: &Url, end: Instant) -> Result<u16> {
    let address = *resolve(url, &[])?.first().context("the host has no address")?;
    let mut stream = TcpStream::connect_timeout(&address, LIMIT).context("no connection")?;
    stream.set_write_timeout(Some(LIMIT))?;
    write!(
        stream,
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        url.path, url.authority
    )?;
    let mut reader = ResponseReader::new();
    let mut buffer = [0; 4096];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            bail!("no answer within a second");
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut buffer).context("no answer within a second")?;
        if count == 0 {
            bail!("the connection was closed without an answer");
        }
        let mut input = &buffer[..count];
        if reader.next(&mut input)? == Event::Head {
            return Ok(reader.status());
        }
    }
}
