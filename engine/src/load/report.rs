//! The result of a load: a JSON object for scripts, a table for people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::SocketAddr;

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::clock::{Ns, SECOND, greatest_resident_bytes};
use crate::record::histogram_us;
use crate::run::{SliceAudit, SliceResult};
use crate::verify::Failure;

/// The result of one load; times that the sample cannot support are null.
#[derive(Debug, Serialize)]
pub struct Report {
    requests: u64,
    throughput_per_s: f64,
    /// By kind, within the measured time and outside.
    failures: BTreeMap<&'static str, u64>,
    /// Requests that had no answer when the drain ended.
    dropped: u64,
    /// Requests that were sent again, because the server ended or refused the first attempt.
    reconnects: u64,
    /// The addresses over which connections were dealt.
    addresses: Vec<SocketAddr>,
    response_time_us: Times,
    service_time_us: Times,
    engine: Engine,
    valid: bool,
    why_not: Option<String>,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    timeout_s: f64,
}

#[derive(Debug, Serialize)]
struct Engine {
    user_cpu_us_per_request: Option<f64>,
    system_cpu_us_per_request: Option<f64>,
    lateness_p99_us: f64,
    max_rss_mb: f64,
}

#[derive(Debug, Serialize)]
struct Times {
    mean: Option<f64>,
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    p99_9: Option<u64>,
    max: Option<u64>,
    /// Whether each of the percentiles, in their order, was reached by failures.
    #[serde(skip)]
    reached_by_failures: [bool; QUANTILES.len()],
}

const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

impl Times {
    /// Failed requests count as slower than any answer. The time of requests `unfinished` at the end is unknown, so no percentile above
    /// their share is shown.
    fn new(answers: &Histogram<u64>, failed: u64, unfinished: u64) -> Self {
        let right = answers.len();
        let (ended, all) = (right + failed, right + failed + unfinished);
        let reached = QUANTILES.map(|quantile| supports(all, quantile) && quantile * ended as f64 > right as f64);
        let at = |place: usize| {
            let quantile = QUANTILES[place];
            let shown = supports(all, quantile) && quantile * all as f64 <= right as f64;
            shown.then(|| answers.value_at_quantile((quantile * ended as f64 / right as f64).min(1.0)))
        };
        Self {
            mean: (right > 0).then(|| answers.mean()),
            p50: at(0),
            p90: at(1),
            p99: at(2),
            p99_9: at(3),
            max: (right > 0).then(|| answers.max()),
            reached_by_failures: reached,
        }
    }
}

/// A percentile needs at least ten requests beyond it.
fn supports(requests: u64, quantile: f64) -> bool {
    requests as f64 * (1.0 - quantile) >= 10.0 - 1e-6
}

impl Report {
    pub fn new(result: &SliceResult, audit: &SliceAudit, timeout: Ns) -> Self {
        let counts = result.counts();
        let (measured, requests) = (&counts.measured, counts.measured.ended());
        let (mut response, mut service) = (histogram_us(), histogram_us());
        for record in result.operations.iter().flatten() {
            // All histograms have the same bounds, so adding them cannot fail.
            let _ = response
                .add(&record.response)
                .and_then(|()| service.add(&record.service));
        }
        let failed = measured.failed() + measured.wrong;
        let per_request = |time: Ns| (requests > 0).then(|| time as f64 / 1e3 / requests as f64);
        let mut why_not = audit.why_not.clone();
        if measured.completed == 0 {
            why_not.push("there was no right answer".to_owned());
        }
        let seconds = result.end.saturating_sub(result.begin) as f64 / SECOND as f64;
        Self {
            requests,
            throughput_per_s: measured.completed as f64 / seconds,
            failures: Failure::ALL
                .iter()
                .map(|failure| (failure.name(), *failure as usize))
                .map(|(name, place)| (name, measured.failures[place] + counts.outside.failures[place]))
                .collect(),
            dropped: counts.dropped,
            reconnects: measured.stale + counts.outside.stale,
            addresses: audit.addresses.clone(),
            response_time_us: Times::new(&response, failed, result.unfinished),
            service_time_us: Times::new(&service, failed, result.unfinished),
            engine: Engine {
                user_cpu_us_per_request: per_request(result.cpu.user),
                system_cpu_us_per_request: per_request(result.cpu.system),
                lateness_p99_us: result.lateness.quantile(0.99) as f64 / 1e3,
                max_rss_mb: greatest_resident_bytes() as f64 / (1024.0 * 1024.0),
            },
            valid: why_not.is_empty(),
            why_not: (!why_not.is_empty()).then(|| why_not.join("; ")),
            seconds,
            timeout_s: timeout as f64 / SECOND as f64,
        }
    }

    /// Whether the result is valid and each request was answered correctly.
    pub fn succeeded(&self) -> bool {
        self.valid && self.dropped == 0 && self.failures.values().all(|count| *count == 0)
    }

    /// A short table.
    pub fn table(&self, url: &str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_table(&mut text, url);
        text
    }

    fn write_table(&self, text: &mut String, url: &str) -> std::fmt::Result {
        writeln!(text, "{url}\n")?;
        writeln!(text, "  requests    {:>12} in {} s", self.requests, self.seconds)?;
        writeln!(
            text,
            "  throughput  {:>12.1} right answers a second",
            self.throughput_per_s
        )?;
        let failed: Vec<String> = self
            .failures
            .iter()
            .filter(|(_, n)| **n > 0)
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        let failed = if failed.is_empty() {
            "none".to_owned()
        } else {
            failed.join(", ")
        };
        writeln!(text, "  failures    {failed:>12}")?;
        if self.dropped > 0 {
            writeln!(text, "  unanswered  {:>12} when the drain ended", self.dropped)?;
        }
        if self.reconnects > 0 {
            let reconnects = self.reconnects;
            writeln!(
                text,
                "  reconnects  {reconnects:>12} requests sent again: the server ended or refused the first attempt"
            )?;
        }
        if self.addresses.len() > 1 {
            let addresses: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
            writeln!(text, "  connections were dealt evenly over {}", addresses.join(", "))?;
        }
        writeln!(text)?;
        let heads = ["mean", "p50", "p90", "p99", "p99.9", "max"];
        let heads = heads.map(|head| format!("{head:>10}")).concat();
        writeln!(text, "  {:<14}{heads}", "time in µs")?;
        for (name, times) in [("response", &self.response_time_us), ("service", &self.service_time_us)] {
            writeln!(text, "  {name:<14}{}", self.cells(times))?;
        }
        writeln!(
            text,
            "\n  response runs from the instant a request was due, service from the instant it was sent"
        )?;
        let shown = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.2}"));
        writeln!(
            text,
            "  engine: {} µs user and {} µs system CPU time per request, p99 lateness {:.0} µs, {:.1} MB",
            shown(self.engine.user_cpu_us_per_request),
            shown(self.engine.system_cpu_us_per_request),
            self.engine.lateness_p99_us,
            self.engine.max_rss_mb
        )?;
        match &self.why_not {
            None => Ok(()),
            Some(why_not) => writeln!(text, "  NOT VALID: {why_not}"),
        }
    }

    fn cells(&self, times: &Times) -> String {
        let percentiles = [times.p50, times.p90, times.p99, times.p99_9];
        let mut cells = vec![times.mean.map_or("-".to_owned(), |mean| format!("{mean:.1}"))];
        for (value, failed) in percentiles.into_iter().zip(times.reached_by_failures) {
            cells.push(match value {
                Some(value) => value.to_string(),
                None if failed => format!(">= {} s", self.timeout_s),
                None => "-".to_owned(),
            });
        }
        cells.push(times.max.map_or("-".to_owned(), |max| max.to_string()));
        cells.iter().map(|cell| format!("{cell:>10}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(count: u64) -> Histogram<u64> {
        let mut histogram = histogram_us();
        (1..=count).for_each(|value| histogram.record(value).unwrap());
        histogram
    }

    #[test]
    fn a_percentile_is_shown_only_where_ten_requests_lie_beyond_it() {
        let times = Times::new(&answers(999), 0, 0);
        assert_eq!(
            (times.p50.is_some(), times.p90.is_some(), times.p99, times.p99_9),
            (true, true, None, None)
        );
        assert_eq!(Times::new(&answers(1000), 0, 0).p99, Some(990));
        assert_eq!(Times::new(&answers(0), 0, 0).mean, None);
    }

    #[test]
    fn a_percentile_that_failures_reach_is_not_shown_as_a_time() {
        let times = Times::new(&answers(950), 50, 0);
        assert_eq!(times.p90, Some(900));
        assert_eq!(
            (times.p99, times.reached_by_failures),
            (None, [false, false, true, false])
        );
    }
}
