//! A lane: one user's connection, and the request at hand on it.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use url::Url;

use super::link::Link;
use super::shared::SharedConnections;
use crate::clock::Ns;
use crate::http::{CookieJar, Event, Malformed, RequestHead, ResponseReader, Unpacker};
use crate::record::Exchange;
use crate::schedule::Card;
use crate::session::{MOST_SCANNED, Stamp, StepPlan, Values};
use crate::verify::{Check, CompiledRule, Failure, Outcome};
use crate::wire::{Trouble, Wire};

/// What a lane is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Off,
    /// Until the instant given.
    Waiting(Ns),
    /// A request waits for its connection.
    Connecting,
    /// A request is being sent, or its answer awaited.
    Asking,
}

impl Task {
    pub fn is_in_flight(self) -> bool {
        matches!(self, Self::Connecting | Self::Asking)
    }
}

pub(super) struct Lane<T> {
    pub link: Link<T>,
    /// Where connections are shared: that of the request at hand, and its stream.
    pub stream: Option<(usize, u32)>,
    /// Counts the connections that were dropped, so that late events of an earlier one are told apart.
    pub generation: u32,
    pub task: Task,
    /// Whether the user is at work (closed load).
    pub active: bool,
    /// Whether the user ended for good after a failure.
    pub ended: bool,
    pub exchange: Exchange,
    pub card: Card,
    pub step: usize,
    /// Whether the connection was opened for the request at hand, and has carried no other.
    pub fresh: bool,
    pub retried: bool,
    /// How many addresses in a row refused the connection that is being opened.
    pub refusals: usize,
    /// Whether the connection has carried a request.
    pub used: bool,
    pub written: usize,
    pub request_length: usize,
    pub reader: ResponseReader,
    /// Whether a piece of the answer's body has come.
    pub body_begun: bool,
    /// Unpacks the answer at hand, where it comes packed.
    pub unpacker: Option<Unpacker>,
    pub check: Check,
    /// The answer's body, as far as a sample or an expression may need it and it did not come in one piece.
    pub kept: Vec<u8>,
    pub keep_limit: usize,
    /// Whether all of the body that came in pieces is kept.
    pub kept_whole: bool,
    pub jar: CookieJar,
    /// When the session at hand was due, whether a request of it failed, and the values found in its answers.
    pub session_due: Ns,
    pub session_failed: bool,
    pub values: Values,
    /// What the engine fills into the request at hand.
    pub stamp: Stamp,
    /// How many sessions or plain requests are left to the user, where the work is fixed.
    pub left: u64,
    pub rng: SmallRng,
    /// The pause that is being kept: when it began and how long it was drawn.
    pub thinking: Option<(Ns, Ns)>,
}

/// What a piece of the stream made of the answer at hand.
pub(super) enum Digest<'a> {
    Pending,
    /// The answer is complete; its body, where it came in one piece, and whether bytes follow it.
    Done {
        whole: Option<&'a [u8]>,
        surplus: bool,
    },
    Malformed(Malformed),
}

impl<T> Lane<T> {
    fn new() -> Self {
        Self {
            link: Link::None,
            stream: None,
            generation: 0,
            task: Task::Off,
            active: false,
            ended: false,
            exchange: Exchange::default(),
            card: Card { part: 0, rank: 0 },
            step: 0,
            fresh: false,
            retried: false,
            refusals: 0,
            used: false,
            written: 0,
            request_length: 0,
            reader: ResponseReader::new(),
            body_begun: false,
            unpacker: None,
            check: Check::default(),
            kept: Vec::new(),
            keep_limit: 0,
            kept_whole: true,
            jar: CookieJar::default(),
            session_due: 0,
            session_failed: false,
            values: Values::default(),
            stamp: Stamp::default(),
            left: 0,
            rng: SmallRng::seed_from_u64(0),
            thinking: None,
        }
    }

    /// Readies a lane for a slice; its connection stays.
    pub fn ready(&mut self, left: u64, seed: u64) {
        self.task = Task::Off;
        self.active = false;
        self.ended = false;
        self.left = left;
        self.step = 0;
        self.reader = ResponseReader::new();
        self.jar.clear();
        self.rng = SmallRng::seed_from_u64(seed);
        self.thinking = None;
    }

    /// Makes ready the cookies that go with the request at hand.
    pub fn prepare_cookies(&mut self, head: &RequestHead, site: &Url) {
        let (own, _) = head.own_cookies(&self.values, &self.stamp);
        let url = || head.url(site, &self.values, &self.stamp);
        self.jar.prepare(&own, url);
    }

    /// Closes the connection; events of it that are still to come will be ignored.
    pub fn drop_link(&mut self) {
        self.link = Link::None;
        self.used = false;
        self.generation = self.generation.wrapping_add(1);
    }

    /// Reads a piece of the stream into the answer at hand; what is kept of it takes from `room`.
    #[inline]
    pub fn digest<'a>(&mut self, rule: &CompiledRule, mut input: &'a [u8], room: &mut usize) -> Digest<'a> {
        let mut whole_body = None;
        loop {
            match self.reader.next(&mut input) {
                Ok(Event::Head) => self.unpacker = Unpacker::new(self.reader.coding()),
                Ok(Event::Body { bytes, .. }) if self.unpacker.is_some() => {
                    if let Err(why) = self.unpack(rule, Some(bytes), room) {
                        return Digest::Malformed(why);
                    }
                }
                Ok(Event::Body { bytes, whole }) => {
                    self.check.feed(rule, bytes, whole);
                    if whole {
                        whole_body = Some(bytes);
                    } else {
                        self.keep(bytes, room);
                    }
                }
                Ok(Event::Done) => {
                    if let Err(why) = self.unpack(rule, None, room) {
                        return Digest::Malformed(why);
                    }
                    return Digest::Done {
                        whole: whole_body,
                        surplus: !input.is_empty(),
                    };
                }
                Ok(Event::NeedMore) => return Digest::Pending,
                Err(why) => return Digest::Malformed(why),
            }
        }
    }
}

impl<T> Lane<T> {
    /// Takes in what a packed piece of the body holds, or what is left at its end; nothing where the body is not packed.
    pub fn unpack(&mut self, rule: &CompiledRule, packed: Option<&[u8]>, room: &mut usize) -> Result<(), Malformed> {
        let Some(unpacker) = &mut self.unpacker else {
            return Ok(());
        };
        let bytes = match packed {
            Some(packed) => unpacker.piece(packed)?,
            None => unpacker.end()?,
        };
        if packed.is_none() {
            self.unpacker = None;
        }
        self.check.feed(rule, &bytes, false);
        self.keep(&bytes, room);
        Ok(())
    }

    /// Keeps a piece of the body, as far as its limit and the room allow.
    #[inline]
    pub fn keep(&mut self, bytes: &[u8], room: &mut usize) {
        if self.kept_whole {
            let most = self.keep_limit.saturating_sub(self.kept.len()).min(*room);
            let taken = bytes.len().min(most);
            self.kept.extend_from_slice(&bytes[..taken]);
            *room -= taken;
            self.kept_whole = taken == bytes.len();
        }
    }

    /// Judges the answer at hand, which is complete.
    #[inline]
    pub fn judge(&mut self, rule: &CompiledRule) -> Result<Outcome, Trouble> {
        let outcome = self.check.finish(rule, self.reader.status(), &self.kept);
        let no_room = !self.kept_whole && self.kept.len() < self.keep_limit;
        if outcome == Outcome::Wrong && rule.reads_text() && no_room {
            return Err(Trouble::Instrument(NO_ROOM));
        }
        Ok(outcome)
    }

    /// Keeps what a session's later requests need of an answer that is right; `whole` is its body where it came in one piece. An answer
    /// that lacks a value has failed.
    pub fn capture(&mut self, step: &StepPlan, whole: Option<&[u8]>, right: Outcome) -> Result<Outcome, Trouble> {
        let body = whole.unwrap_or(&self.kept);
        let cut = whole.is_none() && !self.kept_whole;
        if cut && step.reads_body() && body.len() < MOST_SCANNED {
            return Err(Trouble::Instrument(NO_ROOM));
        }
        for capture in &step.captures {
            match capture.find(self.reader.fields(), body) {
                Some(value) => self.values.set(&capture.name, value),
                None => return Ok(Outcome::failed(Failure::Capture)),
            }
        }
        Ok(right)
    }
}

const NO_ROOM: &str =
    "answers under way at once are longer than it can hold for `matches` and captures; use `contains` or fewer users";

/// The lanes to one subject: they, and their connections, outlast the slices.
pub struct Pool<W: Wire> {
    pub(super) wire: W,
    pub(super) lanes: Vec<Lane<W::Transport>>,
    pub(super) shared: SharedConnections<W::Transport>,
}

impl<W: Wire> Pool<W> {
    pub fn new(wire: W) -> Self {
        Self {
            wire,
            lanes: Vec::new(),
            shared: SharedConnections::default(),
        }
    }

    pub(super) fn grow(&mut self, lanes: usize) {
        while self.lanes.len() < lanes {
            self.lanes.push(Lane::new());
        }
    }
}
