//! A lane: one user's connection and current request.

use std::borrow::Cow;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use url::Url;

use super::link::Link;
use super::once::OnceSteps;
use super::redirects::Parked;
use super::shared::SharedConnections;
use crate::clock::Ns;
use crate::http::{CookieJar, Event, Hop, Malformed, RequestHead, ResponseReader, Unpacker};
use crate::plan::Elsewhere;
use crate::record::Exchange;
use crate::schedule::Card;
use crate::session::{MOST_SCANNED, Stamp, StepPlan, Values};
use crate::verify::{Check, CompiledRule, Failure, Outcome};
use crate::wire::{Trouble, Wire};

/// The state of a lane.
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
    /// With shared connections: the connection and stream of the current request.
    pub stream: Option<(usize, u32)>,
    /// The number of the connection, so that late events of an earlier one are recognized; and that of the newest.
    pub generation: u32,
    pub newest: u32,
    /// Where the connection leads, if a redirect led elsewhere than to the subject.
    pub elsewhere: Option<Arc<Elsewhere>>,
    /// The lane's open connections to other servers than that of `link`.
    pub parked: Vec<Parked<T>>,
    /// The current request, if redirects led to it.
    pub hop: Option<Box<Hop>>,
    pub task: Task,
    /// Whether the user is active (closed load).
    pub active: bool,
    /// Whether the user ended for good after a failure.
    pub ended: bool,
    pub exchange: Exchange,
    pub card: Card,
    pub step: usize,
    /// Whether the connection was opened for the current request and has carried no other.
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
    /// Decompresses the current answer, if it is compressed.
    pub unpacker: Option<Unpacker>,
    pub check: Check,
    /// The body of an answer in pieces, as far as a sample or an expression may need it.
    pub kept: Vec<u8>,
    pub keep_limit: usize,
    /// Whether all of the body that came in pieces is kept.
    pub kept_whole: bool,
    pub jar: CookieJar,
    /// The current session: when it was due, whether a request failed, and its captured values.
    pub session_due: Ns,
    pub session_failed: bool,
    pub values: Values,
    pub once: OnceSteps,
    /// The user's number among those of all threads and engines.
    pub number: u64,
    /// The engine's own values for the current request.
    pub stamp: Stamp,
    /// With fixed work: sessions or plain requests that are left to the user.
    pub left: u64,
    pub rng: SmallRng,
    /// The current pause: its begin and its drawn length.
    pub thinking: Option<(Ns, Ns)>,
}

/// The progress of an answer after a piece of input.
pub(super) enum Digest<'a> {
    Pending,
    /// The answer is complete; its body if it came in one piece, and whether bytes follow it.
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
            newest: 0,
            elsewhere: None,
            parked: Vec::new(),
            hop: None,
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
            once: OnceSteps::default(),
            number: 0,
            stamp: Stamp::default(),
            left: 0,
            rng: SmallRng::seed_from_u64(0),
            thinking: None,
        }
    }

    /// Prepares a lane for a slice; its connection stays.
    pub fn ready(&mut self, number: u64, left: u64, seed: u64) {
        self.task = Task::Off;
        self.active = false;
        self.ended = false;
        self.number = number;
        self.left = left;
        self.leave_session();
        self.once = OnceSteps::default();
        self.reader = ResponseReader::new();
        self.jar.clear();
        self.rng = SmallRng::seed_from_u64(seed);
        self.thinking = None;
    }

    /// Prepares the cookies of the current request. Its own cookies are for the subject alone.
    pub fn prepare_cookies(&mut self, head: &RequestHead, site: &Url) {
        let own = match self.elsewhere {
            None => head.own_cookies(&self.values, &self.stamp).0,
            Some(_) => Cow::Borrowed(b"".as_slice()),
        };
        let url = || match &self.hop {
            None => head.url(site, &self.values, &self.stamp),
            Some(hop) => hop.url.clone(),
        };
        self.jar.prepare(&own, url);
    }

    /// Stores the cookies that the current answer sets.
    pub fn store_cookies(&mut self, head: &RequestHead, site: &Url) {
        let url = || match &self.hop {
            None => head.url(site, &self.values, &self.stamp),
            Some(hop) => hop.url.clone(),
        };
        self.jar.read_head(self.reader.fields(), url);
    }

    /// Closes the connection; its later events are ignored.
    pub fn drop_link(&mut self) {
        self.link = Link::None;
        self.used = false;
        self.newest = self.newest.wrapping_add(1);
        self.generation = self.newest;
    }

    /// Reads a piece of input into the current answer; kept bytes reduce `room`.
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
    /// Reads a compressed piece of the body, or the rest at its end; does nothing if the body is not compressed.
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

    /// Stores a piece of the body, within its limit and the room.
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

    /// Judges the current answer, which is complete.
    #[inline]
    pub fn judge(&mut self, rule: &CompiledRule) -> Result<Outcome, Trouble> {
        let outcome = self.check.finish(rule, self.reader.status(), &self.kept);
        let no_room = !self.kept_whole && self.kept.len() < self.keep_limit;
        if outcome == Outcome::Wrong && rule.reads_text() && no_room {
            return Err(Trouble::Instrument(NO_ROOM));
        }
        Ok(outcome)
    }

    /// Stores the captured values of a right answer; `whole` is its body if it came in one piece. An answer that lacks a value has failed.
    pub fn capture(&mut self, step: &StepPlan, whole: Option<&[u8]>, right: Outcome) -> Result<Outcome, Trouble> {
        let body = whole.unwrap_or(&self.kept);
        let cut = whole.is_none() && !self.kept_whole;
        if cut && step.reads_body() && body.len() < MOST_SCANNED {
            return Err(Trouble::Instrument(NO_ROOM));
        }
        for capture in &step.captures {
            match capture.find(self.reader.fields(), body) {
                Some(value) => self.values.set(&capture.name, &value),
                None if capture.may_lack => self.values.unset(&capture.name),
                None => return Ok(Outcome::failed(Failure::Capture)),
            }
        }
        Ok(right)
    }
}

const NO_ROOM: &str =
    "answers under way at once are longer than it can hold for `matches` and captures; use `contains` or fewer users";

/// The lanes to one subject. They and their connections persist over slices.
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
