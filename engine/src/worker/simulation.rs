//! A network and a clock that exist only in tests: time passes when the worker waits, and a script answers its requests.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::{Brake, Drive, Driven, Pool, Scratch, SlicePlan};
use crate::clock::{Clock, Ns};
use crate::corpus::Corpus;
use crate::job;
use crate::record::{SampleAllowance, SampleKeeper, TickPart};
use crate::run::PlanMaker;
use crate::verify::Failure;
use crate::wire::{Idle, Progress, Ready, Transport, Trouble, Wire};

/// What the script says of one request.
pub enum Reply {
    /// These bytes after so long.
    After(Ns, &'static str),
    /// The connection's orderly end after so long.
    Close(Ns),
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
}

#[derive(Clone)]
pub struct SimulatedWire(Rc<World>);

type Inbox = Rc<RefCell<Vec<Option<&'static str>>>>;

pub struct SimulatedTransport {
    world: Rc<World>,
    token: u64,
    inbox: Inbox,
}

thread_local! {
    /// The inboxes of open connections, by token.
    static INBOXES: RefCell<BTreeMap<u64, Inbox>> = const { RefCell::new(BTreeMap::new()) };
}

impl Wire for SimulatedWire {
    type Transport = SimulatedTransport;

    fn open(&mut self, token: u64) -> Result<SimulatedTransport, Trouble> {
        if let Some(trouble) = self.0.refuses.get() {
            return Err(trouble);
        }
        self.0.opened.set(self.0.opened.get() + 1);
        let inbox = Inbox::default();
        INBOXES.with_borrow_mut(|all| all.insert(token, inbox.clone()));
        Ok(SimulatedTransport {
            world: self.0.clone(),
            token,
            inbox,
        })
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
            INBOXES.with_borrow(|all| all[&token].borrow_mut().push(piece));
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
            return Err(Trouble::WouldBlock);
        }
        let Some(piece) = self.inbox.borrow_mut().remove(0) else {
            return Ok(0);
        };
        buffer[..piece.len()].copy_from_slice(piece.as_bytes());
        Ok(piece.len())
    }

    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble> {
        let world = &self.world;
        let now = world.now.get();
        let (at, piece) = match (world.script.borrow_mut())(now, &String::from_utf8_lossy(first)) {
            Reply::After(delay, bytes) => (now + delay, Some(bytes)),
            Reply::Close(delay) => (now + delay, None),
            Reply::Never => (Ns::MAX, None),
        };
        if at < Ns::MAX {
            world.order.set(world.order.get() + 1);
            world
                .coming
                .borrow_mut()
                .insert((at, world.order.get()), (self.token, piece));
        }
        Ok(first.len() + second.len())
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        Ok(())
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
        let job = job::parse(whole.to_string().as_bytes()).unwrap();
        let world = World {
            now: Rc::new(Cell::new(BEGIN)),
            script: RefCell::new(Box::new(script)),
            coming: RefCell::default(),
            order: Cell::new(0),
            refuses: Cell::new(None),
            opened: Cell::new(0),
        };
        let wire = SimulatedWire(Rc::new(world));
        let maker = PlanMaker::new(job, Arc::new(corpus), Path::new(".")).unwrap();
        Self {
            pool: Pool::new(wire.clone()),
            wire,
            maker,
        }
    }

    /// Connections fail from now on.
    pub fn refuse(&self, with: Failure) {
        self.wire.0.refuses.set(Some(Trouble::Server(with)));
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
        let clock = SimulatedClock(self.wire.0.now.clone());
        let mut ticks = Vec::new();
        let samples = SampleKeeper::new(SampleAllowance {
            one_in: 1000,
            right: 10,
            failed: 10,
        });
        let now = clock.now();
        self.pool
            .open_connections(plan.connections_of(0), &clock, now, &Brake::default())
            .unwrap();
        let mut scratch = Scratch::default();
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
        let driven = drive.run(&Brake::default(), |tick| ticks.push(tick)).unwrap();
        (driven, ticks)
    }
}
