//! A network and a clock that exist only in tests: time passes when the worker waits, and a script answers its requests.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::{Drive, Driven, Pool, Scratch, StopSignal};
use crate::clock::{Clock, Ns, SECOND};
use crate::corpus::Corpus;
use crate::plan::{PlanMaker, SlicePlan};
use crate::record::{SampleAllowance, SampleKeeper, TickPart};
use crate::validation;
use crate::verify::Failure;
use crate::wire::{Endpoint, Idle, Progress, Ready, Transport, Trouble, Wire};

/// The scripted reply to one request.
pub enum Reply {
    /// These bytes after so long.
    After(Ns, &'static str),
    /// The connection's orderly end after so long.
    Close(Ns),
    /// The same, which the server had sent before the request arrived.
    CloseBefore(Ns),
    /// These bytes are there at once, and the connection is closed to whatever else is sent.
    AtOnce(&'static str),
    /// The connection is reset at once.
    Reset,
    /// Only half of what is sent is taken; it can go on, and these bytes come, after so long.
    Half(Ns, &'static str),
    Never,
}

pub const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

type Script = Box<dyn FnMut(Ns, &str) -> Reply>;

#[derive(Clone)]
pub struct SimulatedClock(Rc<Cell<Ns>>);

impl Clock for SimulatedClock {
    fn now(&self) -> Ns {
        self.0.get()
    }
}

/// A connection's token, and a piece of its stream or its end.
type Coming = (u64, Option<&'static str>);

struct World {
    now: Rc<Cell<Ns>>,
    script: RefCell<Script>,
    /// What will come, by instant and order: the connection's token, and bytes, or the end where there are none.
    coming: RefCell<BTreeMap<(Ns, u64), Coming>>,
    order: Cell<u64>,
    refuses: Cell<Option<Trouble>>,
    opened: Cell<u32>,
    /// How many addresses there are, which of them refuses, and how often one was tried.
    addresses: Cell<usize>,
    deaf: Cell<Option<usize>>,
    tried: Cell<usize>,
    /// What opening a connection, or sending on one, takes.
    effort: Cell<Ns>,
}

impl World {
    fn toil(&self) {
        self.now.set(self.now.get() + self.effort.get());
    }
}

#[derive(Clone)]
pub struct SimulatedWire(Rc<World>);

type Inbox = Rc<RefCell<Vec<Option<&'static str>>>>;

pub struct SimulatedTransport {
    world: Rc<World>,
    token: u64,
    inbox: Inbox,
    /// Takes nothing more until an event says so.
    full: bool,
    reset: bool,
    unacknowledged: u64,
}

impl Drop for SimulatedTransport {
    fn drop(&mut self) {
        INBOXES.with_borrow_mut(|all| all.remove(&self.token));
    }
}

thread_local! {
    /// The inboxes of open connections, by token.
    static INBOXES: RefCell<BTreeMap<u64, Inbox>> = const { RefCell::new(BTreeMap::new()) };
}

impl Wire for SimulatedWire {
    type Transport = SimulatedTransport;

    fn open(&mut self, token: u64) -> Result<SimulatedTransport, Trouble> {
        self.0.toil();
        if let Some(trouble) = self.0.refuses.get() {
            return Err(trouble);
        }
        let tried = self.0.tried.get();
        self.0.tried.set(tried + 1);
        if self.0.deaf.get() == Some(tried % self.0.addresses.get()) {
            return Err(Trouble::Server(Failure::Refused.into()));
        }
        self.0.opened.set(self.0.opened.get() + 1);
        let inbox = Inbox::default();
        INBOXES.with_borrow_mut(|all| all.insert(token, inbox.clone()));
        Ok(SimulatedTransport {
            world: self.0.clone(),
            token,
            inbox,
            full: false,
            reset: false,
            unacknowledged: 0,
        })
    }

    fn open_elsewhere(&mut self, _: &Endpoint, token: u64) -> Result<SimulatedTransport, Trouble> {
        self.open(token)
    }

    fn addresses(&self) -> usize {
        self.0.addresses.get()
    }

    fn wait(&mut self, now: Ns, until: Ns, events: &mut Vec<Ready>) -> std::io::Result<()> {
        let mut coming = self.0.coming.borrow_mut();
        let first = coming.first_key_value().map_or(Ns::MAX, |((at, _), _)| *at);
        let then = first.min(until).max(now);
        assert!(then < Ns::MAX, "nothing will ever happen any more");
        self.0.now.set(then);
        while let Some(entry) = coming.first_entry()
            && entry.key().0 <= then
        {
            let (token, piece) = entry.remove();
            INBOXES.with_borrow(|all| {
                if let Some(inbox) = all.get(&token) {
                    inbox.borrow_mut().push(piece);
                }
            });
            events.push(Ready {
                token,
                writable: true,
                hangup: piece.is_none(),
            });
        }
        Ok(())
    }
}

impl Transport for SimulatedTransport {
    fn establish(&mut self) -> Result<Progress, Trouble> {
        Ok(Progress::Ready)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble> {
        if self.inbox.borrow().is_empty() {
            return Err(match self.reset {
                true => Trouble::Server(Failure::Reset.into()),
                false => Trouble::WouldBlock,
            });
        }
        let Some(piece) = self.inbox.borrow_mut().remove(0) else {
            return Ok(0);
        };
        buffer[..piece.len()].copy_from_slice(piece.as_bytes());
        Ok(piece.len())
    }

    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble> {
        let world = &self.world;
        if std::mem::take(&mut self.full) {
            return Err(Trouble::WouldBlock);
        }
        world.toil();
        let now = world.now.get();
        let mut taken = first.len() + second.len();
        let (at, piece) = match (world.script.borrow_mut())(now, &String::from_utf8_lossy(first)) {
            Reply::After(delay, bytes) => (now + delay, Some(bytes)),
            Reply::Close(delay) => (now + delay, None),
            Reply::CloseBefore(delay) => {
                self.unacknowledged += taken as u64;
                (now + delay, None)
            }
            Reply::AtOnce(bytes) => {
                self.inbox.borrow_mut().extend([Some(bytes), None]);
                return Err(Trouble::Server(Failure::Reset.into()));
            }
            Reply::Reset => {
                self.reset = true;
                return Err(Trouble::Server(Failure::Reset.into()));
            }
            Reply::Half(delay, bytes) => {
                self.full = true;
                taken /= 2;
                (now + delay, Some(bytes))
            }
            Reply::Never => (Ns::MAX, None),
        };
        if at < Ns::MAX {
            world.order.set(world.order.get() + 1);
            world
                .coming
                .borrow_mut()
                .insert((at, world.order.get()), (self.token, piece));
        }
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        Ok(())
    }

    fn unacknowledged_bytes(&self) -> u64 {
        self.unacknowledged
    }

    fn short_read_empties(&self) -> bool {
        true
    }

    fn idle(&mut self) -> Idle {
        match self.inbox.borrow().first() {
            None => Idle::Open,
            Some(None) => Idle::Closed,
            Some(Some(_)) => Idle::Unasked,
        }
    }
}

/// A world in which one slice after the other can be driven.
pub struct Simulation {
    wire: SimulatedWire,
    pool: Pool<SimulatedWire>,
    maker: PlanMaker,
    /// So many bytes of answers under way may be kept.
    pub room: usize,
}

pub const BEGIN: Ns = 1_000_000_000;

impl Simulation {
    /// `job` needs only what differs from one subject, one request `echo` that is safe to repeat, and slices.
    pub fn new(job: Value, script: impl FnMut(Ns, &str) -> Reply + 'static) -> Self {
        Self::with_corpus(job, Corpus::of_one("echo", b"hello".to_vec(), true), script)
    }

    pub fn with_corpus(job: Value, corpus: Corpus, script: impl FnMut(Ns, &str) -> Reply + 'static) -> Self {
        let mut whole = serde_json::json!({
            "seed": 1, "corpus": "", "rules": {"right": {}},
            "targets": [{"subject": "a", "url": "http://127.0.0.1:9/"}],
        });
        for (key, value) in job.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let job = validation::parse(whole.to_string().as_bytes()).unwrap();
        let world = World {
            now: Rc::new(Cell::new(BEGIN)),
            script: RefCell::new(Box::new(script)),
            coming: RefCell::default(),
            order: Cell::new(0),
            refuses: Cell::new(None),
            opened: Cell::new(0),
            addresses: Cell::new(1),
            deaf: Cell::new(None),
            tried: Cell::new(0),
            effort: Cell::new(0),
        };
        let wire = SimulatedWire(Rc::new(world));
        let maker = PlanMaker::new(job, Arc::new(corpus), Path::new(".")).unwrap();
        Self {
            pool: Pool::new(wire.clone()),
            wire,
            maker,
            room: 1 << 20,
        }
    }

    /// Connections fail from now on.
    pub fn refuse(&self, with: Failure) {
        self.wire.0.refuses.set(Some(Trouble::Server(with.into())));
    }

    /// The server has so many addresses, over which connections are dealt; that of number `deaf` refuses them from now on.
    pub fn spread(&self, addresses: usize, deaf: Option<usize>) {
        self.wire.0.addresses.set(addresses);
        self.wire.0.deaf.set(deaf);
    }

    /// From now on it takes so long to open a connection, and to send on one.
    pub fn take_effort(&self, effort: Ns) {
        self.wire.0.effort.set(effort);
    }

    /// The engine's own machine has nothing left for connections.
    pub fn exhaust(&self) {
        self.wire
            .0
            .refuses
            .set(Some(Trouble::Instrument("no file descriptor was free (EMFILE)")));
    }

    pub fn connections_opened(&self) -> u32 {
        self.wire.0.opened.get()
    }

    pub fn plan(&self, place: usize) -> SlicePlan {
        self.maker.slice(place).unwrap()
    }

    /// Drives the slice at `place`, whose lead-in begins now; gives its ticks, too.
    pub fn drive(&mut self, place: usize) -> (Driven, Vec<TickPart>) {
        self.drive_plan(&self.plan(place))
    }

    /// The same with a plan that was changed.
    pub fn drive_plan(&mut self, plan: &SlicePlan) -> (Driven, Vec<TickPart>) {
        let mut ticks = Vec::new();
        let driven = self.drive_under(plan, &StopSignal::default(), |_, tick| ticks.push(tick));
        (driven, ticks)
    }

    /// The same under a stop signal; `tick` also gets the instant of its call.
    pub fn drive_under(&mut self, plan: &SlicePlan, stop: &StopSignal, mut tick: impl FnMut(Ns, TickPart)) -> Driven {
        let clock = SimulatedClock(self.wire.0.now.clone());
        let samples = SampleKeeper::new(SampleAllowance {
            one_in: 1000,
            right: 10,
            failed: 10,
            bytes: 1 << 20,
        });
        let now = clock.now();
        self.pool
            .open_connections(plan.connections_of(0), &clock, now + SECOND, &StopSignal::default())
            .unwrap();
        let mut scratch = Scratch::new(1);
        scratch.room = self.room;
        let drive = Drive::new(
            plan,
            0,
            self.maker.rules(),
            &mut self.pool,
            &mut scratch,
            &clock,
            samples,
            now,
        );
        let driven = drive.run(stop, |part| tick(clock.now(), part)).unwrap();
        assert_eq!(scratch.room, self.room, "all that was kept is let go");
        for record in driven.recorder.operations.iter().flatten() {
            let counts = record.counts;
            assert_eq!(counts.sent, counts.ended() + counts.dropped, "{counts:?}");
            assert_eq!(counts.sent, record.endings.total(), "{:?}", record.endings);
        }
        driven
    }
}
