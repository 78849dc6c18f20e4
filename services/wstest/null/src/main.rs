//! The floor of WSTest: HTTP and the moving of bytes, no XML. One thread a connection, one write an answer.

mod answer;
mod busy;
mod http;

use std::error::Error;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

static REQUESTS: AtomicU64 = AtomicU64::new(0);

fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("usage: wstest-null PORT")?.parse()?;
    let host = std::env::var("STEELYARD_HOST").unwrap_or(Ipv4Addr::LOCALHOST.to_string());
    let listener = TcpListener::bind((host.as_str(), port))?;
    for connection in listener.incoming() {
        let connection = connection?;
        thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let _ = serve(connection); // a connection that breaks is its client's affair
        })?;
    }
    Ok(())
}

/// Answers the requests of one connection until it ends.
fn serve(connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::with_capacity(64 << 10, connection);
    let mut out = Vec::with_capacity(64 << 10);
    while let Some(request) = http::read(&mut reader)? {
        out.clear();
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/wstest/WSTest") => {
                REQUESTS.fetch_add(1, Ordering::Relaxed);
                let answer = request.busy.and_then(|time| {
                    busy::stay_busy(time);
                    answer::to(&request.body)
                });
                match answer {
                    Some(body) => http::write_xml(&mut out, &body),
                    None => http::write_text(
                        &mut out,
                        "400 Bad Request",
                        "a floor knows only requests as the contract writes them, and times up to a second",
                    ),
                }
            }
            ("GET", "/wstest/count") => {
                http::write_text(&mut out, "200 OK", &REQUESTS.load(Ordering::Relaxed).to_string());
            }
            _ => http::write_text(&mut out, "404 Not Found", "nothing here"),
        }
        writer.write_all(&out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_takes_any_number_of_requests() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || serve(listener.accept().expect("a connection").0));
        let mut client = TcpStream::connect(address).expect("the server");
        let body = answer::request("echoVoid", "");
        for _ in 0..3 {
            write!(
                client,
                "POST /wstest/WSTest HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .expect("sent");
            let mut head = [0; 15];
            io::Read::read_exact(&mut client, &mut head).expect("an answer");
            assert_eq!(&head, b"HTTP/1.1 200 OK");
            let mut rest = vec![0; 4096];
            let _ = io::Read::read(&mut client, &mut rest).expect("the rest");
        }
    }
}
