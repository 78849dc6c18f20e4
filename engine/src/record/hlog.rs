//! `intervals.hlog`: the HdrHistogram log format, version 1.3, which any HdrHistogram tool reads.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::clock::{Ns, SECOND};

/// Writes one line a histogram.
pub struct HistogramLog<W: Write> {
    out: W,
    serializer: V2DeflateSerializer,
    /// CLOCK_MONOTONIC at the log's base time.
    base: Ns,
}

impl<W: Write> HistogramLog<W> {
    /// Writes the head. `wall_seconds` since 1970 and `base` are the same instant on two clocks.
    pub fn new(mut out: W, wall_seconds: f64, base: Ns) -> std::io::Result<Self> {
        writeln!(out, "#[Logged by steelyard-engine {}]", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "#[Histogram log format version 1.3]")?;
        writeln!(out, "#[StartTime: {wall_seconds:.3} (seconds since epoch)]")?;
        writeln!(out, "#[BaseTime: {wall_seconds:.3} (seconds since epoch)]")?;
        writeln!(
            out,
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
        )?;
        Ok(Self {
            out,
            serializer: V2DeflateSerializer::new(),
            base,
        })
    }

    /// Appends a histogram of microseconds over the interval from `begin` to `end`; the column of its maximum is in
    /// milliseconds, as other tools write it.
    pub fn append(&mut self, tag: &str, begin: Ns, end: Ns, histogram: &Histogram<u64>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        self.serializer
            .serialize(histogram, &mut bytes)
            .map_err(std::io::Error::other)?;
        writeln!(
            self.out,
            "Tag={tag},{:.3},{:.3},{:.3},{}",
            begin.saturating_sub(self.base) as f64 / SECOND as f64,
            end.saturating_sub(begin) as f64 / SECOND as f64,
            histogram.max() as f64 / 1000.0,
            STANDARD.encode(bytes)
        )
    }

    pub fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
