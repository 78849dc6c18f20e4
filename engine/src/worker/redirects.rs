//! Redirects: the next request of a chain, on a connection to its server.

use std::sync::Arc;

use super::drive::Drive;
use super::lane::Lane;
use super::link::Link;
use crate::clock::Clock;
use crate::http::{Hop, RequestHead};
use crate::job::ConnectionUse;
use crate::plan::{Destination, Elsewhere, MOST_REDIRECTS, Steps};
use crate::verify::{Failed, Failure, Outcome};
use crate::wire::{Idle, Transport, Trouble, Wire};

/// The most open connections that a lane keeps beside the one in use.
const MOST_PARKED: usize = 4;
const TOO_MANY: Failed = Failure::Status.because("more than 10 redirects in a row");
const NOT_DECLARED: Failed = Failure::Status.because("a redirect to a host that is not declared");
const OTHER_SERVER: Failed = Failure::Status.because("a redirect to another server, which HTTP/2 does not follow");
const NO_URL: Failed = Failure::Status.because("a redirect to an address that is not an HTTP URL");

/// What a complete answer leads to.
pub(super) enum Conclusion {
    Judged(Result<Outcome, Trouble>),
    Redirected(Redirect),
}

/// A redirect that is followed: the next request, and its server if that is not the subject.
pub(super) struct Redirect {
    hop: Box<Hop>,
    elsewhere: Option<Arc<Elsewhere>>,
}

/// An open connection that is not in use, with its number.
pub(super) struct Parked<T> {
    elsewhere: Option<Arc<Elsewhere>>,
    link: Link<T>,
    generation: u32,
}

fn is_same(one: Option<&Arc<Elsewhere>>, other: Option<&Arc<Elsewhere>>) -> bool {
    one.map(|elsewhere| &elsewhere.origin) == other.map(|elsewhere| &elsewhere.origin)
}

impl<T: Transport> Lane<T> {
    /// Makes the connection to this server the lane's current one, if there is one; None is the subject. An open connection to another
    /// server is kept.
    pub fn go_to(&mut self, to: Option<&Arc<Elsewhere>>) {
        if is_same(self.elsewhere.as_ref(), to) {
            return;
        }
        let elsewhere = std::mem::replace(&mut self.elsewhere, to.cloned());
        if matches!(self.link, Link::Open(_)) {
            self.parked.push(Parked {
                elsewhere,
                link: std::mem::replace(&mut self.link, Link::None),
                generation: self.generation,
            });
        }
        self.drop_link();
        let is_wanted = |parked: &Parked<T>| is_same(parked.elsewhere.as_ref(), to);
        if let Some(place) = self.parked.iter().position(is_wanted) {
            let parked = self.parked.swap_remove(place);
            (self.link, self.generation, self.used) = (parked.link, parked.generation, true);
            // Its events were ignored meanwhile.
            if let Link::Open(transport) = &mut self.link
                && transport.idle() != Idle::Open
            {
                self.drop_link();
            }
        }
        if self.parked.len() > MOST_PARKED
            && let Some(place) = self.parked.iter().position(|parked| parked.elsewhere.is_some())
        {
            self.parked.remove(place);
        }
    }
}

impl<T> Lane<T> {
    /// The head, as in HTTP/1.1, of the current request to the subject if redirects led to it, and whether `body` goes with it.
    pub fn redirected_head(&self, head: &RequestHead, body: &[u8], in_session: bool) -> Option<(Vec<u8>, bool)> {
        let hop = self.hop.as_ref()?;
        let cookies = in_session.then(|| self.jar.line());
        let (mut first, mut own) = (Vec::new(), Vec::new());
        if head.is_filled() {
            head.write_filled(&mut first, body, cookies, &self.values, &self.stamp);
        } else {
            head.write(&mut first, body.len(), cookies);
        }
        hop.write(&first, false, &mut own);
        Some((own, hop.keeps_body))
    }
}

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    /// Judges the current answer, which is complete, unless it is a redirect to be followed; `whole` is its body if it came in one piece.
    #[inline]
    pub(super) fn conclude(&mut self, lane: usize, whole: Option<&[u8]>) -> Conclusion {
        match self.redirect(lane) {
            None => Conclusion::Judged(self.judge(lane, whole)),
            Some(Ok(redirect)) => Conclusion::Redirected(redirect),
            Some(Err(failed)) => Conclusion::Judged(Ok(Outcome::Failed(failed))),
        }
    }

    /// The request to which the current answer redirects, or why it is not sent; None if the answer is to be judged. A status after which
    /// a session makes its `once` steps again is not followed.
    #[inline]
    fn redirect(&mut self, lane: usize) -> Option<Result<Redirect, Failed>> {
        let redirects = self.plan.redirects.as_deref()?;
        let user = &mut self.pool.lanes[lane];
        let status = user.reader.status();
        if user.reader.location().is_empty() {
            return None;
        }
        if let Steps::Session(session) = &self.plan.steps[usize::from(user.card.part)]
            && session.begins_again(user.step, status)
        {
            return None;
        }
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let head = self.plan.heads[entry.line as usize].as_ref()?;
        user.store_cookies(head, &self.plan.site);
        let location = user.reader.location();
        let next = match &user.hop {
            Some(hop) => hop.next(status, location),
            None => {
                let url = head.url(&self.plan.site, &user.values, &user.stamp);
                Hop::first(head.method(), url).next(status, location)
            }
        };
        Some(match next {
            None => Err(NO_URL),
            Some(hop) if hop.count > MOST_REDIRECTS => Err(TOO_MANY),
            Some(hop) => {
                let elsewhere = match redirects.destination(&hop.url) {
                    Destination::Target => None,
                    Destination::Elsewhere(_) if self.plan.streams.is_some() => return Some(Err(OTHER_SERVER)),
                    Destination::Elsewhere(elsewhere) => Some(elsewhere),
                    Destination::NotDeclared => return Some(Err(NOT_DECLARED)),
                };
                let hop = Box::new(hop);
                Ok(Redirect { hop, elsewhere })
            }
        })
    }

    /// Sends the request to which a redirect leads, as a part of the current request.
    pub(super) fn follow_redirect(&mut self, lane: usize, redirect: Redirect) {
        self.recorder.redirects += 1;
        self.release_kept(lane);
        let user = &mut self.pool.lanes[lane];
        user.hop = Some(redirect.hop);
        user.kept_whole = true;
        user.exchange.first_byte = 0;
        user.exchange.first_event = 0;
        user.exchange.newest_event = 0;
        user.written = 0;
        user.fresh = false;
        user.retried = false;
        user.refusals = 0;
        if self.plan.streams.is_some() {
            return self.ask(lane);
        }
        if self.plan.connection == ConnectionUse::PerRequest {
            user.drop_link();
        }
        user.go_to(redirect.elsewhere.as_ref());
        match user.link {
            Link::Open(_) => self.send(lane),
            _ => self.connect(lane),
        }
    }
}
