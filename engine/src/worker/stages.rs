//! What a user does next: the next request, the next step of a session, a pause, or nothing.

use std::cmp::Reverse;

use super::connections::INSTRUMENT_WAIT;
use super::drive::Drive;
use super::lane::Task;
use super::load::Load;
use super::plan::Steps;
use crate::clock::{Clock, Ns, from_ms};
use crate::job::FailureAction;
use crate::schedule::Pause;
use crate::wire::Wire;

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    /// A closed user draws the next card and starts on it.
    #[inline]
    pub(super) fn start_next(&mut self, lane: usize, due: Ns) {
        let (number, card) = self.plan.deck.draw();
        let user = &mut self.pool.lanes[lane];
        user.card = card;
        user.step = 0;
        self.count_start(card.part);
        self.begin(lane, due, number);
    }

    /// An arrival starts on its card, as a user without a past.
    #[inline]
    pub(super) fn start_card(&mut self, lane: usize, due: Ns, number: u64) {
        let card = self.plan.deck.card(number);
        let user = &mut self.pool.lanes[lane];
        user.card = card;
        user.step = 0;
        user.jar.clear();
        self.count_start(card.part);
        self.begin(lane, due, number);
    }

    #[inline]
    fn count_start(&mut self, part: u16) {
        self.started[usize::from(part)] += 1;
    }

    /// A user's turn came, after a pause or at once.
    #[inline]
    pub(super) fn wake(&mut self, lane: usize, due: Ns) {
        let user = &mut self.pool.lanes[lane];
        if let Some((from, drawn)) = user.thinking.take() {
            self.recorder.thought(drawn, self.now.saturating_sub(from));
        }
        if user.step > 0 {
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
        let goes_on = self.issuing && self.now < self.issue_until();
        let user = &mut self.pool.lanes[lane];
        user.task = Task::Off;
        let pause = match &self.plan.steps[usize::from(user.card.part)] {
            Steps::Single => self.plan.pause,
            Steps::Session(pauses) => {
                let pause = pauses[user.step];
                user.step += 1;
                if answered && user.step < pauses.len() && goes_on && (user.active || self.is_open()) {
                    return self.pause(lane, pause);
                }
                pause
            }
        };
        let user = &mut self.pool.lanes[lane];
        user.step = 0;
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
                FailureAction::End => {
                    user.active = false;
                    user.ended = true;
                }
            }
        }
    }

    /// The request at hand could not be made for want of something on this machine; it is nobody's failure.
    pub(super) fn set_aside(&mut self, lane: usize) {
        self.in_flight -= 1;
        self.let_go(lane);
        let user = &mut self.pool.lanes[lane];
        self.recorder.drop(user.exchange.operation);
        user.task = Task::Off;
        user.step = 0;
        let active = user.active;
        if let Load::Open(queue) = &mut self.load {
            queue.free.push(lane as u32);
        } else if active && self.issuing {
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
