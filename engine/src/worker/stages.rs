//! A user's next action: the next request, the next step of a session, a pause, or none.

use std::cmp::Reverse;

use super::connections::INSTRUMENT_WAIT;
use super::drive::{Drive, Phase};
use super::lane::Task;
use super::load::Load;
use super::once::OnceSteps;
use crate::clock::{Clock, Ns, from_ms};
use crate::job::{FailureAction, SessionFailure};
use crate::plan::Steps;
use crate::schedule::{Card, Pause};
use crate::session::Filled;
use crate::wire::Wire;

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    /// A closed user draws the next card and starts on it.
    #[inline]
    pub(super) fn start_next(&mut self, lane: usize, due: Ns) {
        let (number, card) = self.plan.deck.draw();
        if self.take(lane, card, due) {
            return self.begin(lane, due, number);
        }
        self.pool.lanes[lane].task = Task::Off;
        self.end_user(lane);
    }

    /// An arrival starts on its card, as a new visitor.
    #[inline]
    pub(super) fn start_card(&mut self, lane: usize, due: Ns, number: u64) {
        let card = self.plan.deck.card(number);
        self.pool.lanes[lane].jar.clear();
        self.pool.lanes[lane].once = OnceSteps::default();
        if self.take(lane, card, due) {
            return self.begin(lane, due, number);
        }
        if let Load::Open(queue) = &mut self.load {
            queue.free.push(lane as u32);
        }
        self.recorder.end_now(self.now);
    }

    /// Gives a card to a lane; returns false if its session has no row of data left.
    #[inline]
    fn take(&mut self, lane: usize, card: Card, due: Ns) -> bool {
        let open = self.is_open();
        let user = &mut self.pool.lanes[lane];
        user.card = card;
        user.leave_session();
        if let Steps::Session(session) = &self.plan.steps[usize::from(card.part)] {
            user.begin_session(card, session, due, self.now);
            let number = (!open).then_some(user.number);
            if let Some(rows) = &session.rows
                && !rows.deal(number, self.plan.share, &mut user.values)
            {
                self.rows_ended = true;
                return false;
            }
        }
        self.started[usize::from(card.part)] += 1;
        true
    }

    /// A user continues, after a pause or at once.
    #[inline]
    pub(super) fn wake(&mut self, lane: usize, due: Ns) {
        let user = &mut self.pool.lanes[lane];
        if let Some((from, drawn)) = user.thinking.take() {
            self.recorder
                .record_pause(self.now, drawn, self.now.saturating_sub(from));
        }
        if user.is_in_session() {
            let number = user.exchange.card;
            self.begin(lane, due, number);
        } else {
            self.start_next(lane, due);
        }
    }

    /// Decides what follows a request that ended.
    #[inline]
    pub(super) fn follow(&mut self, lane: usize, answered: bool) {
        self.in_flight -= 1;
        let goes_on = self.phase == Phase::Issuing && self.now < self.issue_until();
        let session_goes_on = goes_on || self.may_lead_out();
        let user = &mut self.pool.lanes[lane];
        user.task = Task::Off;
        let own_pause = self.plan.pause_after(user.exchange.entry);
        let pause = match &self.plan.steps[usize::from(user.card.part)] {
            Steps::Single => own_pause.unwrap_or(self.plan.pause),
            Steps::Session(session) => {
                let pause = match user.is_asked_again() {
                    true => Pause::None,
                    false => own_pause.unwrap_or(session.steps[user.step].pause),
                };
                // What a user makes once is the ground for all that follows.
                let may_fail = session.on_failure == SessionFailure::Continue && user.step >= session.once;
                user.session_failed |= !answered;
                let steps_left = user.advance(session, self.now);
                let stays = session_goes_on && (user.active || matches!(self.load, Load::Open(_)));
                let can_go_on = answered || may_fail;
                if steps_left && can_go_on && !self.lacks_a_value(lane) {
                    if stays {
                        return self.pause(lane, pause);
                    }
                    // The slice or the user's time ends within the session, which counts as neither whole nor failed.
                    let user = &self.pool.lanes[lane];
                    self.recorder.record_cut(user.card.part, user.session_due, self.now);
                } else {
                    let user = &self.pool.lanes[lane];
                    let failed = user.session_failed || steps_left;
                    self.recorder
                        .record_session(user.card.part, user.session_due, self.now, failed);
                }
                pause
            }
        };
        if goes_on && self.is_done(lane) {
            return;
        }
        let user = &mut self.pool.lanes[lane];
        user.leave_session();
        if let Load::Open(queue) = &mut self.load {
            queue.free.push(lane as u32);
        } else if !goes_on || !user.active {
            // The user is done, for now or for good.
        } else if answered {
            self.pause(lane, pause);
        } else {
            match self.plan.on_failure.kind {
                FailureAction::Continue => self.go_on_at_once(lane),
                FailureAction::Wait => self.wait_until(lane, self.now + from_ms(self.plan.on_failure.ms)),
                FailureAction::End => self.end_user(lane),
            }
        }
    }

    /// Whether the next request of a session with a failure has a place without a value.
    fn lacks_a_value(&mut self, lane: usize) -> bool {
        let user = &self.pool.lanes[lane];
        if !user.session_failed {
            return false;
        }
        let operation = self.plan.mix[usize::from(user.card.part)].operations[user.step];
        let entry = self.plan.deck.entry(user.card, user.step, operation);
        let entry = &self.plan.corpus.entries[entry as usize];
        let Some(head) = self.plan.heads[entry.line as usize]
            .as_ref()
            .filter(|head| head.is_filled())
        else {
            return false;
        };
        let (scratch, body) = (&mut self.scratch.body, self.plan.corpus.body(entry));
        scratch.clear();
        head.fill_body(body, &user.values, &user.stamp, scratch) == Filled::Lacking
            || head.write_filled(scratch, b"", None, &user.values, &user.stamp) == Filled::Lacking
    }

    /// With fixed work: counts a session or plain request as done; returns whether its user is done.
    #[inline]
    fn is_done(&mut self, lane: usize) -> bool {
        if self.plan.work.is_none() {
            return false;
        }
        let user = &mut self.pool.lanes[lane];
        user.left -= 1;
        self.work_left -= 1;
        let done = user.left == 0;
        if done {
            self.end_user(lane);
        }
        done
    }

    /// A user ends for good; with fixed work, or once the rows of data have ended, the slice ends with the last user.
    fn end_user(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        user.active = false;
        user.ended = true;
        user.leave_session();
        if (self.plan.work.is_some() || self.rows_ended) && !self.pool.lanes.iter().any(|user| user.active) {
            self.recorder.end_now(self.now);
        }
    }

    /// The current request could not be sent because this machine lacks a resource; that is not a failure of the server.
    pub(super) fn set_aside(&mut self, lane: usize) {
        self.in_flight -= 1;
        self.release_kept(lane);
        let user = &mut self.pool.lanes[lane];
        self.recorder.record_not_sent(&user.exchange, self.now);
        self.recorder.record_cut(user.card.part, user.session_due, self.now);
        user.task = Task::Off;
        user.leave_session();
        let active = user.active;
        if let Load::Open(queue) = &mut self.load {
            queue.free.push(lane as u32);
        } else if active && self.phase == Phase::Issuing {
            self.wait_until(lane, self.now + INSTRUMENT_WAIT);
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.load, Load::Open(_))
    }

    #[inline]
    fn pause(&mut self, lane: usize, pause: Pause) {
        if pause == Pause::None {
            return self.go_on_at_once(lane);
        }
        let user = &mut self.pool.lanes[lane];
        let drawn = pause.draw(&mut user.rng);
        user.thinking = Some((self.now, drawn));
        self.wait_until(lane, self.now + drawn);
    }

    #[inline]
    fn go_on_at_once(&mut self, lane: usize) {
        self.pool.lanes[lane].task = Task::Waiting(self.now);
        self.going_on.push_back(lane as u32);
    }

    fn wait_until(&mut self, lane: usize, at: Ns) {
        self.pool.lanes[lane].task = Task::Waiting(at);
        self.timers.push(Reverse((at, lane as u32)));
    }
}
