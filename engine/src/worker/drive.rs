//! The loop that drives one slice.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Scratch;
use super::lane::{Pool, Task};
use super::link::lane_of;
use super::load::Load;
use super::stop_signal::StopSignal;
use crate::clock::{Clock, Ns};
use crate::plan::SlicePlan;
use crate::record::{Recorder, Sample, SampleKeeper, TickPart};
use crate::verify::CompiledRule;
use crate::wire::{Ready, Wire};

/// The most requests begun before clock, stop signal and network are checked again. Without it, requests that end at once could follow
/// one another for ever.
const BEGUN_A_TURN: usize = 64;
/// The most unsent arrivals counted before the same checks.
const FORGONE_A_TURN: usize = 4096;

/// What a thread may still begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Sessions and requests.
    Issuing,
    /// Requests of sessions that have begun: the measured time is over.
    LeadOut,
    /// Nothing; answers are awaited.
    Draining,
}

/// One thread's part of a running slice.
pub struct Drive<'a, W: Wire, C: Clock> {
    pub(super) plan: &'a SlicePlan,
    pub(super) rules: &'a [CompiledRule],
    pub(super) pool: &'a mut Pool<W>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) clock: &'a C,
    pub(super) load: Load,
    pub(super) recorder: Recorder,
    pub(super) samples: SampleKeeper,
    pub(super) timers: BinaryHeap<Reverse<(Ns, u32)>>,
    /// Lanes whose users continue at the next opportunity. A request never begins the next one directly: it puts its lane here.
    pub(super) going_on: VecDeque<u32>,
    pub(super) now: Ns,
    pub(super) in_flight: u32,
    pub(super) next_expiry: Ns,
    pub(super) phase: Phase,
    /// When the lead-out and the drain end at the latest; `Ns::MAX` before they begin.
    lead_out_until: Ns,
    drain_until: Ns,
    /// With fixed work: sessions or plain requests that are still to end.
    pub(super) work_left: u64,
    /// Whether a session had no row of data left.
    pub(super) rows_ended: bool,
    pub(super) unfinished: u64,
    pub(super) oldest_unfinished: Ns,
    /// The time that they had waited by the end, within the measured time, summed.
    unfinished_waits: Ns,
    /// When load is due to begin, and when this thread began it; 0 before.
    lead_in: Ns,
    began: Ns,
    /// Requests started, for each part of the mix.
    pub(super) started: Vec<u64>,
    /// Connections, by token, with more input than one pass reads, and whether the server hung up after it.
    pub(super) unread: Vec<(u64, bool)>,
    turn: Vec<(u64, bool)>,
}

/// A thread's result of a slice.
pub struct Driven {
    pub recorder: Recorder,
    pub samples: Vec<Sample>,
    pub unfinished: u64,
    pub oldest_unfinished: Ns,
    pub unfinished_waits: Ns,
    pub started: Vec<u64>,
    /// When the thread began the load.
    pub began: Ns,
    /// Fixed work that was not done.
    pub work_left: u64,
    /// Whether the slice was broken off.
    pub interrupted: bool,
}

impl<'a, W: Wire, C: Clock> Drive<'a, W, C> {
    /// `lead_in` is the instant at which load begins; the measured time follows by the plan.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        plan: &'a SlicePlan,
        thread: u32,
        rules: &'a [CompiledRule],
        pool: &'a mut Pool<W>,
        scratch: &'a mut Scratch,
        clock: &'a C,
        samples: SampleKeeper,
        lead_in: Ns,
    ) -> Self {
        let begin = lead_in + plan.lead_in;
        let lanes = plan.lanes_of(thread);
        pool.grow(lanes as usize);
        let mut work_left = 0;
        for (place, lane) in pool.lanes.iter_mut().enumerate() {
            let user = plan
                .share
                .number(place as u64 * u64::from(plan.threads) + u64::from(thread));
            let work = plan.work.map_or(0, |work| work.of_user(user));
            if place < lanes as usize {
                work_left += work;
            }
            lane.ready(user, work, plan.deck_seed ^ user.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            lane.reader.keep_locations(plan.redirects.is_some());
        }
        let mut load = Load::new(plan, thread, lead_in, begin);
        if let Load::Open(queue) = &mut load {
            queue.free = (0..lanes).rev().collect();
        }
        Self {
            plan,
            rules,
            pool,
            scratch,
            clock,
            load,
            recorder: Recorder::new(
                thread,
                begin,
                begin + plan.length,
                plan.edges,
                &plan.used,
                &plan.sessions(),
            )
            .with_seconds(plan.seconds_histograms)
            .with_log(plan.log_requests),
            samples,
            timers: BinaryHeap::with_capacity(2 * lanes as usize),
            going_on: VecDeque::with_capacity(lanes as usize),
            now: clock.now(),
            in_flight: 0,
            next_expiry: Ns::MAX,
            phase: Phase::Issuing,
            lead_out_until: Ns::MAX,
            drain_until: Ns::MAX,
            work_left,
            rows_ended: false,
            unfinished: 0,
            oldest_unfinished: 0,
            unfinished_waits: 0,
            lead_in,
            began: 0,
            started: vec![0; plan.mix.len()],
            unread: Vec::new(),
            turn: Vec::new(),
        }
    }

    /// Runs the slice to its end or until the stop signal; calls `tick` after every second of the measured time.
    pub fn run(mut self, stop: &StopSignal, mut tick: impl FnMut(TickPart)) -> std::io::Result<Driven> {
        let mut events: Vec<Ready> = Vec::with_capacity(512);
        let mut interrupted = false;
        let shared = self.plan.streams.is_some();
        loop {
            if self.now >= self.recorder.next_second() {
                let users = self.users_active();
                if let Some(part) = self.recorder.end_second(self.now, users) {
                    tick(part);
                }
                self.recorder.shorten_to(stop.length(), self.now);
            }
            if self.began == 0 && self.now >= self.lead_in {
                self.began = self.now;
            }
            match self.phase {
                Phase::Issuing if self.now < self.issue_until() => self.start_what_is_due(),
                Phase::Issuing => self.stop_issuing(),
                Phase::LeadOut if self.leads_out() => self.continue_what_is_due(),
                Phase::LeadOut => self.begin_drain(),
                Phase::Draining => {}
            }
            if self.now >= self.next_expiry {
                self.expire();
            }
            let forgoing = self.phase != Phase::Issuing && self.forgo();
            let drained = self.in_flight == 0 || self.now >= self.drain_until;
            if self.phase == Phase::Draining && !forgoing && drained {
                break;
            }
            if stop.is_raised() {
                interrupted = true;
                self.recorder.break_off(self.now);
                break;
            }
            if shared {
                self.write_shared();
            }
            let at_work = forgoing || !self.unread.is_empty() || !self.going_on.is_empty();
            let until = match at_work {
                true => self.now,
                false => self.next_instant().min(self.drain_until),
            };
            self.pool.wire.wait(self.now, until, &mut events)?;
            if events.is_empty() {
                self.now = self.clock.now();
            }
            for event in events.drain(..) {
                if shared {
                    self.on_shared_event(event);
                    self.go_on(BEGUN_A_TURN);
                    continue;
                }
                let (lane, generation) = lane_of(event.token);
                if self.pool.lanes[lane].generation == generation {
                    self.on_event(lane, event);
                    self.go_on(1);
                }
            }
            self.read_on();
        }
        self.give_up_rest();
        self.write_shared();
        self.recorder.close();
        Ok(Driven {
            recorder: self.recorder,
            samples: self.samples.kept,
            unfinished: self.unfinished,
            oldest_unfinished: self.oldest_unfinished,
            unfinished_waits: self.unfinished_waits,
            started: self.started,
            began: self.began,
            work_left: self.work_left,
            interrupted,
        })
    }

    /// Continues reading where one pass was not enough.
    fn read_on(&mut self) {
        if self.unread.is_empty() {
            return;
        }
        std::mem::swap(&mut self.unread, &mut self.turn);
        for place in 0..self.turn.len() {
            let (token, hangup) = self.turn[place];
            if self.plan.streams.is_some() {
                self.read_on_shared(token, hangup);
                continue;
            }
            let (lane, generation) = lane_of(token);
            if self.pool.lanes[lane].generation == generation && self.pool.lanes[lane].task == Task::Asking {
                self.receive(lane, hangup);
            }
        }
        self.turn.clear();
    }

    fn next_instant(&self) -> Ns {
        let until = self.next_expiry.min(self.recorder.next_second());
        let timer = self.timers.peek().map_or(Ns::MAX, |Reverse((at, _))| *at);
        match self.phase {
            Phase::Issuing => until.min(self.issue_until()).min(self.load.next()).min(timer),
            Phase::LeadOut if self.leads_out() => until.min(self.lead_out_until).min(timer),
            Phase::LeadOut => self.now,
            Phase::Draining => until,
        }
    }

    /// Starts arrivals and users that are due, up to the most of one pass.
    #[inline]
    fn start_what_is_due(&mut self) {
        match &mut self.load {
            Load::Open(_) => {
                for _ in 0..BEGUN_A_TURN {
                    let Load::Open(queue) = &mut self.load else { break };
                    let Some((lane, number, due)) = queue.take(self.now) else {
                        break;
                    };
                    self.start_card(lane as usize, due, number);
                }
            }
            Load::Closed(_) => {
                while let Load::Closed(users) = &mut self.load
                    && let Some((at, before)) = users.change(self.now)
                {
                    let after = users.level;
                    self.change_level(at, before, after);
                }
            }
        }
        self.continue_what_is_due();
    }

    /// Continues users whose pauses are over.
    #[inline]
    fn continue_what_is_due(&mut self) {
        while let Some(&Reverse((at, lane))) = self.timers.peek()
            && at <= self.now
        {
            self.timers.pop();
            // The timer of a user who was deactivated meanwhile is void.
            if self.pool.lanes[lane as usize].task == Task::Waiting(at) {
                self.going_on.push_back(lane);
            }
        }
        self.go_on(BEGUN_A_TURN);
    }

    /// Lets the first `most` waiting users continue.
    #[inline]
    fn go_on(&mut self, most: usize) {
        for _ in 0..most {
            let Some(lane) = self.going_on.pop_front() else { return };
            let lane = lane as usize;
            // Users who were deactivated meanwhile, or are in a pause again, do not continue.
            if let Task::Waiting(due) = self.pool.lanes[lane].task
                && due <= self.now
            {
                self.wake(lane, due);
            }
        }
    }

    fn change_level(&mut self, at: Ns, before: u32, after: u32) {
        for lane in before..after {
            let user = &mut self.pool.lanes[lane as usize];
            user.active = !user.ended;
            if user.active && user.task == Task::Off {
                user.task = Task::Waiting(at);
                self.going_on.push_back(lane);
            }
        }
        for lane in after..before {
            let user = &mut self.pool.lanes[lane as usize];
            user.active = false;
            if matches!(user.task, Task::Waiting(_)) {
                if user.is_in_session() {
                    self.recorder.record_cut(user.card.part, user.session_due, self.now);
                }
                user.task = Task::Off;
                user.thinking = None;
                user.leave_session();
            }
        }
    }

    /// The instant after which no request is to be issued.
    #[inline]
    pub(super) fn issue_until(&self) -> Ns {
        self.recorder.end
    }

    /// Whether sessions that have begun may go on after the measured time, and one still does.
    fn leads_out(&self) -> bool {
        let under_way = self.in_flight > 0 || !self.timers.is_empty() || !self.going_on.is_empty();
        under_way && self.may_lead_out()
    }

    /// Whether the next request of a session may begin although the measured time is over.
    #[inline]
    pub(super) fn may_lead_out(&self) -> bool {
        match self.phase {
            Phase::Issuing => self.plan.lead_out > 0,
            Phase::LeadOut => self.now < self.lead_out_until,
            Phase::Draining => false,
        }
    }

    /// The measured time is over: only sessions that have begun go on, if they may.
    fn stop_issuing(&mut self) {
        if self.plan.lead_out == 0 {
            return self.begin_drain();
        }
        for lane in 0..self.pool.lanes.len() {
            if !self.pool.lanes[lane].is_in_session() {
                self.stop_waiting(lane);
            }
        }
        let lanes = &self.pool.lanes;
        self.timers
            .retain(|Reverse((at, lane))| lanes[*lane as usize].task == Task::Waiting(*at));
        self.going_on
            .retain(|lane| matches!(lanes[*lane as usize].task, Task::Waiting(_)));
        self.phase = Phase::LeadOut;
        self.lead_out_until = self.recorder.end.max(self.now) + self.plan.lead_out;
    }

    /// Nothing begins any more.
    fn begin_drain(&mut self) {
        self.phase = Phase::Draining;
        self.drain_until = self.recorder.end.max(self.now) + self.plan.drain_limit;
        self.timers.clear();
        self.going_on.clear();
        for lane in 0..self.pool.lanes.len() {
            self.stop_waiting(lane);
        }
    }

    /// Ends the pause of a lane, if it has one, and cuts off its session.
    fn stop_waiting(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        let Task::Waiting(due) = user.task else { return };
        user.task = Task::Off;
        if user.is_in_session() {
            self.recorder.record_cut(user.card.part, user.session_due, self.now);
        }
        if due < self.recorder.end {
            self.count_unfinished(due);
        }
    }

    /// Counts some of the arrivals that were due and will not be taken up; returns whether there are more.
    fn forgo(&mut self) -> bool {
        for _ in 0..FORGONE_A_TURN {
            let Load::Open(queue) = &mut self.load else {
                return false;
            };
            let Some((number, due)) = queue.forgo(self.recorder.end) else {
                return false;
            };
            let card = self.plan.deck.card(number);
            let operation = self.plan.mix[usize::from(card.part)].operations[0];
            self.recorder.record_forgone(operation, due);
            self.count_unfinished(due);
        }
        true
    }

    /// Counts a request that was due at `due`, before the end, and is not answered at the end.
    pub(super) fn count_unfinished(&mut self, due: Ns) {
        self.unfinished += 1;
        let (begin, end) = (self.recorder.begin, self.recorder.end);
        self.oldest_unfinished = self.oldest_unfinished.max(end.saturating_sub(due));
        self.unfinished_waits += end.saturating_sub(due.max(begin));
    }

    /// Ends requests in flight at the end of the drain as unanswered, and cuts off sessions where the slice is broken off.
    fn give_up_rest(&mut self) {
        for lane in 0..self.pool.lanes.len() {
            let user = &self.pool.lanes[lane];
            if user.task.is_in_flight() {
                self.leave_unanswered(lane);
            } else if user.task != Task::Off && user.is_in_session() {
                self.recorder.record_cut(user.card.part, user.session_due, self.now);
            }
            self.pool.lanes[lane].task = Task::Off;
        }
    }

    /// Ends the current request as unanswered; no other follows it.
    pub(super) fn leave_unanswered(&mut self, lane: usize) {
        self.give_up_connection(lane);
        let user = &mut self.pool.lanes[lane];
        user.task = Task::Off;
        let due = user.exchange.due;
        self.recorder.record_unanswered(&user.exchange, self.now);
        self.recorder.record_cut(user.card.part, user.session_due, self.now);
        self.in_flight -= 1;
        if due < self.recorder.end {
            self.count_unfinished(due);
        }
        self.release_kept(lane);
    }

    fn users_active(&self) -> u32 {
        match &self.load {
            Load::Closed(_) if self.plan.work.is_some() => {
                let at_work = self.pool.lanes.iter().filter(|user| user.active);
                at_work.count() as u32
            }
            Load::Closed(users) => users.level,
            Load::Open(_) => self.in_flight,
        }
    }
}
