//! Serves WSTest over SOAP 1.1 on a loopback port: axum for HTTP, quick-xml for XML.

mod busy;
mod charset;
mod operations;
mod order;
mod reader;
mod service;
mod soap;
mod values;

use std::error::Error;
use std::net::Ipv4Addr;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("usage: wstest PORT")?.parse()?;
    let host = std::env::var("STEELYARD_HOST").unwrap_or(Ipv4Addr::LOCALHOST.to_string());
    let listener = TcpListener::bind((host.as_str(), port)).await?.tap_io(|connection| {
        let _ = connection.set_nodelay(true); // a slower connection is better than none
    });
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, service::router()) => Ok(served?),
        _ = terminate.recv() => Ok(()),
    }
}
