//! The plan of one slice, which all threads share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use url::Url;

use super::redirects::Redirects;
use crate::clock::Ns;
use crate::corpus::Corpus;
use crate::http::{RequestHead, WantedFields};
use crate::http2::RequestFields;
use crate::job::{ConnectionUse, EngineShare, OnFailure, Rate};
use crate::record::Edges;
use crate::schedule::{Deck, Levels, MixPart, Pause};
use crate::session::SessionPlan;

/// How load arrives.
#[derive(Debug, Clone)]
pub enum Shape {
    Closed(Levels),
    Open(Rate),
}

/// A number of sessions or plain requests, dealt to users by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    pub each: u64,
    /// The first `extra` users make one more.
    pub extra: u32,
}

impl Work {
    /// The number of sessions or plain requests of this user.
    pub fn of_user(self, number: u64) -> u64 {
        self.each + u64::from(number < u64::from(self.extra))
    }
}

/// The requests of one part of the mix.
#[derive(Debug, Clone)]
pub enum Steps {
    /// One request, then the slice's pause.
    Single,
    Session(SessionPlan),
}

impl Steps {
    /// How long after the measured time a session that has begun may go on; 0 for plain requests.
    pub fn lead_out(&self) -> Ns {
        match self {
            Self::Single => 0,
            Self::Session(session) => session.lead_out,
        }
    }

    /// Whether a capture reads the body of the answer to request number `step`.
    #[inline]
    pub fn reads_body(&self, step: usize) -> bool {
        match self {
            Self::Single => false,
            Self::Session(session) => session.steps[step].reads_body(),
        }
    }

    /// Which fields of the answer to request number `step` are kept; none for plain requests, which have no cookies either.
    #[inline]
    pub fn wanted_fields(&self, step: usize) -> WantedFields {
        match self {
            Self::Single => WantedFields::None,
            Self::Session(session) if session.steps[step].reads_head() => WantedFields::All,
            Self::Session(_) => WantedFields::Cookies,
        }
    }
}

pub struct SlicePlan {
    pub number: u64,
    /// Place of the subject among the job's targets.
    pub target: usize,
    pub shape: Shape,
    /// The length of the measured time.
    pub length: Ns,
    pub lead_in: Ns,
    /// The longest time after the measured time in which sessions that have begun go on to their end.
    pub lead_out: Ns,
    /// The time from the lead-in's begin over which users start one after another; 0 for all at once.
    pub spread: Ns,
    pub edges: Edges,
    pub mix: Vec<MixPart>,
    /// For each part of the mix.
    pub steps: Vec<Steps>,
    pub deck: Deck,
    pub deck_seed: u64,
    /// For each operation of the corpus, whether the slice uses it.
    pub used: Vec<bool>,
    /// By the line's place in the corpus; None for lines that the slice does not use.
    pub heads: Vec<Option<RequestHead>>,
    /// The same for HTTP/2.
    pub fields: Vec<Option<RequestFields>>,
    /// The addresses over which connections are dealt.
    pub addresses: Vec<SocketAddr>,
    /// The subject's URL for cookies.
    pub site: Url,
    /// Where redirects may lead; None where none is followed.
    pub redirects: Option<Arc<Redirects>>,
    /// The number of streams that share a connection; None where each lane has its own connection.
    pub streams: Option<u32>,
    /// Counts the requests whose places were filled.
    pub filled: AtomicU64,
    /// How many sessions or plain requests each user makes, where the work is fixed.
    pub work: Option<Work>,
    pub pause: Pause,
    pub timeout: Ns,
    pub drain_limit: Ns,
    pub on_failure: OnFailure,
    pub connection: ConnectionUse,
    pub corpus: Arc<Corpus>,
    pub threads: u32,
    /// Which part of the load is this engine's.
    pub share: EngineShare,
    /// Whether each second has a histogram of its own.
    pub seconds_histograms: bool,
    /// Whether each request is logged.
    pub log_requests: bool,
}

impl SlicePlan {
    /// For each part of the mix, whether it is a session.
    pub fn sessions(&self) -> Vec<bool> {
        let steps = self.steps.iter();
        steps.map(|steps| matches!(steps, Steps::Session(_))).collect()
    }

    /// The pause that the corpus prescribes after an entry's answer.
    #[inline]
    pub fn pause_after(&self, entry: u32) -> Option<Pause> {
        if self.corpus.pauses.is_empty() {
            return None;
        }
        self.corpus.pauses.get(&entry).map(|pause| Pause::Constant(*pause))
    }

    /// The number of the next request whose places are filled, from 1; no two engines have the same.
    #[inline]
    pub fn next_filled(&self) -> u64 {
        self.share.number(self.filled.fetch_add(1, Ordering::Relaxed)) + 1
    }

    /// The number of lanes of a thread: its users, or its part of `max_in_flight`.
    pub fn lanes_of(&self, thread: u32) -> u32 {
        let all = match &self.shape {
            Shape::Closed(levels) => levels.most(),
            Shape::Open(rate) => rate.max_in_flight,
        };
        part_of(self.share.of_all(all), thread, self.threads)
    }

    /// The number of connections that a thread opens before the slice: one a user, or for open load as many as answers of 10 ms would keep
    /// busy at the highest rate. More are opened on demand.
    pub fn connections_of(&self, thread: u32) -> u32 {
        if self.connection == ConnectionUse::PerRequest {
            return 0;
        }
        match &self.shape {
            Shape::Closed(_) => self.lanes_of(thread),
            Shape::Open(rate) => {
                let peak = rate
                    .stages
                    .iter()
                    .map(|stage| stage.from_rate.max(stage.to_rate))
                    .fold(0.0, f64::max);
                let busy = (peak / f64::from(self.share.of) * 0.010).ceil() as u32;
                let most = self.share.of_all(rate.max_in_flight);
                part_of(busy.clamp(self.threads.min(most), most), thread, self.threads)
            }
        }
    }
}

/// The part of `all` that falls to a thread, when they are dealt out in turn.
pub fn part_of(all: u32, thread: u32, threads: u32) -> u32 {
    (all + threads - 1 - thread) / threads
}
