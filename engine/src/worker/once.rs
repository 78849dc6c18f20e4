//! The way of a user through the steps of its session: those that it makes once come first, and again when an answer asks for it.

use std::collections::BTreeMap;

use super::lane::Lane;
use crate::clock::Ns;
use crate::schedule::Card;
use crate::session::{SessionPlan, Values};

/// What a user keeps of the `once` steps of its sessions.
#[derive(Default)]
pub(super) struct OnceSteps {
    /// When they ended, and the values at that time, by the session's place in the mix.
    made: BTreeMap<u16, (Ns, Values)>,
    /// The step at which the session goes on after the `once` steps were made again.
    resume: Option<usize>,
    /// Whether the current answer asked for the `once` steps again.
    asked: bool,
    /// Whether they were made again for the current step, whose next answer must be right.
    again: bool,
}

impl<T> Lane<T> {
    /// Whether the user is between two requests of a session.
    #[inline]
    pub fn is_in_session(&self) -> bool {
        self.step > 0 || self.once.resume.is_some()
    }

    /// Leaves the current session; the next one begins with its first step.
    #[inline]
    pub fn leave_session(&mut self) {
        self.step = 0;
        self.once.resume = None;
        self.once.asked = false;
        self.once.again = false;
    }

    /// Begins a session at its first step, or after its `once` steps if the user made them before.
    pub fn begin_session(&mut self, card: Card, session: &SessionPlan, due: Ns, now: Ns) {
        self.session_due = due;
        self.session_failed = false;
        self.values.clear();
        if session.new_visitor {
            self.jar.clear();
        }
        if let Some((made, values)) = self.once.made.get(&card.part)
            && !session.is_old(*made, now)
        {
            self.values.clone_from(values);
            self.step = session.once;
        }
    }

    /// Whether a failed answer with its status asks for the `once` steps again. One time for each request: a second such answer is a
    /// failure, and the next session begins with the `once` steps.
    pub fn asks_again(&mut self, session: &SessionPlan) -> bool {
        if !session.begins_again(self.step, self.reader.status()) {
            return false;
        }
        self.once.made.remove(&self.card.part);
        self.once.asked = !self.once.again;
        self.once.asked
    }

    /// Whether the session's next request repeats the current one, after the `once` steps.
    #[inline]
    pub fn is_asked_again(&self) -> bool {
        self.once.asked
    }

    /// Goes on to the next step after a request that ended at `now`; returns whether there is one.
    pub fn advance(&mut self, session: &SessionPlan, now: Ns) -> bool {
        if std::mem::take(&mut self.once.asked) {
            self.once.again = true;
            self.once.resume = Some(self.step);
            self.step = 0;
            return true;
        }
        self.step = session.next_step(self.step + 1, &self.values);
        if self.step == session.once {
            if !self.session_failed {
                self.once.made.insert(self.card.part, (now, self.values.clone()));
            }
            if let Some(step) = self.once.resume.take() {
                self.step = step;
            }
            return true;
        }
        self.once.again &= self.step < session.once;
        let left = self.step < session.steps.len();
        let made = self.once.made.get(&self.card.part);
        if left && self.step > session.once && made.is_some_and(|(made, _)| session.is_old(*made, now)) {
            self.once.resume = Some(self.step);
            self.step = 0;
        }
        left
    }
}
