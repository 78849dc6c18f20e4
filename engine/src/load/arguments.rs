//! The options of the `load` command, and the job that they describe.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::clock::from_seconds;
use crate::job::{
    ArrivalKind, BigBang, ConnectionUse, EngineShare, FaultRule, Http2, Job, OnFailure, Ordered, Profile, Rate, Rule,
    Samples, Slice, Stage, Target, Think, Tls,
};
use crate::validation;

pub(super) const OPERATION: &str = "request";
/// The most requests in flight of an open load.
const MOST_IN_FLIGHT: u32 = 10_000;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// URL to load.
    pub url: String,
    /// Request method; default GET, or POST with a body.
    #[arg(long)]
    pub method: Option<String>,
    /// File with the body of each request.
    #[arg(long, value_name = "FILE")]
    pub body: Option<PathBuf>,
    /// Header of each request; repeatable.
    #[arg(long = "header", value_name = "'NAME: VALUE'", value_parser = parse_header)]
    pub headers: Vec<(String, String)>,
    /// Closed load: number of users; each sends its next request after the answer to the last.
    #[arg(long, default_value_t = 30, conflicts_with = "rate")]
    pub users: u32,
    /// Open load: requests per second, whatever the server does.
    #[arg(long)]
    pub rate: Option<f64>,
    /// With --rate: Poisson arrivals instead of even ones.
    #[arg(long, requires = "rate")]
    pub poisson: bool,
    /// Use HTTP/2: negotiated over TLS (ALPN), by prior knowledge without TLS.
    #[arg(long)]
    pub http2: bool,
    /// With --http2: requests in flight on each connection.
    #[arg(long, requires = "http2", default_value_t = Http2::default().streams)]
    pub streams: u32,
    /// Duration, such as 10s, 500ms or 2m.
    #[arg(long = "for", value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    pub seconds: f64,
    /// Request timeout, which also limits the wait for the last answers.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_time)]
    pub timeout: f64,
    /// Engine threads.
    #[arg(long, default_value_t = 1)]
    pub threads: u32,
    /// Status of a right answer.
    #[arg(long, default_value_t = 200, value_name = "STATUS")]
    pub expect_status: u16,
    /// Text that a right answer must contain.
    #[arg(long, value_name = "TEXT")]
    pub expect_contains: Option<String>,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Arguments {
    /// The job of one slice that these options describe.
    pub(super) fn job(&self) -> Result<Job, String> {
        let method = self
            .method
            .clone()
            .unwrap_or_else(|| if self.body.is_some() { "POST" } else { "GET" }.to_owned());
        let profile = match self.rate {
            None => Profile::BigBang(BigBang {
                users: self.users,
                seconds: self.seconds,
            }),
            Some(rate) => Profile::Rate(Rate {
                arrivals: if self.poisson {
                    ArrivalKind::Poisson
                } else {
                    ArrivalKind::Constant
                },
                stages: vec![Stage {
                    from_rate: rate,
                    to_rate: rate,
                    seconds: self.seconds,
                }],
                max_in_flight: MOST_IN_FLIGHT,
            }),
        };
        let rule = Rule {
            status: vec![self.expect_status],
            fault: FaultRule::Any,
            contains: self.expect_contains.clone(),
            ..Rule::default()
        };
        let job = Job {
            seed: 1,
            corpus: String::new(),
            rules: BTreeMap::from([("right".to_owned(), rule)]),
            targets: vec![Target {
                addresses: Vec::new(),
                subject: "url".to_owned(),
                url: Some(self.url.clone()),
                host: None,
                port: None,
                secure: false,
                path: None,
                method,
                headers: Ordered(self.headers.clone()),
                operation_headers: BTreeMap::new(),
                tls: Tls::default(),
                http2: self.http2.then_some(Http2 { streams: self.streams }),
                redirects: None,
                keepers: Vec::new(),
            }],
            slices: vec![Slice {
                number: 0,
                subject: "url".to_owned(),
                phase: "load".to_owned(),
                profile,
                mix: Ordered(vec![(OPERATION.to_owned(), 1.0)]),
                deck_seed: 1,
                think: Think::default(),
                lead_in_ms: 0.0,
            }],
            sessions: BTreeMap::new(),
            threads: self.threads,
            cpus: Vec::new(),
            timeout_ms: self.timeout * 1000.0,
            drain_limit_ms: self.timeout * 1000.0,
            on_failure: OnFailure::default(),
            connection: ConnectionUse::KeepAlive,
            samples: Samples {
                one_in: 1,
                most_right: 0,
                most_failed: 0,
            },
            seconds_histograms: false,
            log_requests: false,
            share: EngineShare::default(),
        };
        validation::check(&job)?;
        Ok(job)
    }
}

fn parse_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is given as 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A length of time in seconds; a number without unit is seconds.
fn parse_time(text: &str) -> Result<f64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is not a time; use 10s, 500ms or 2m"))?;
    let seconds = number
        * match unit {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
        };
    if seconds.is_finite() && seconds > 0.0 && from_seconds(seconds) > 0 {
        Ok(seconds)
    } else {
        Err("the time must be above 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(parse_time("10s"), Ok(10.0));
        assert_eq!(parse_time("500ms"), Ok(0.5));
        assert_eq!(parse_time("2m"), Ok(120.0));
        assert_eq!(parse_time("1.5"), Ok(1.5));
        for wrong in ["", "s", "-1s", "0s", "10d", "ten"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
