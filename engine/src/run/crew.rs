//! The worker threads: each owns its connections to every subject, and sleeps until it gets a slice to drive.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::clock::{Clock, Monotonic, Ns, SECOND};
use crate::error::{EngineError, Result};
use crate::plan::{PlanMaker, SlicePlan};
use crate::record::{SampleAllowance, SampleKeeper, TickPart};
use crate::verify::CompiledRule;
use crate::wire::{Endpoint, Interrupt, Poller, RealWire};
use crate::worker::{Drive, Driven, Pool, Scratch, StopSignal};

/// A message to the main thread.
pub enum Message {
    /// A line of standard input.
    Line(String),
    InputEnded,
    /// A thread has opened its connections.
    Opened,
    Tick(TickPart),
    /// A thread has ended its part of the slice.
    Driven(Box<Driven>),
    /// A thread could not continue.
    Broken(String),
}

enum Order {
    Prepare(Arc<SlicePlan>, SampleAllowance),
    Go(Ns),
}

pub struct Crew {
    orders: Vec<Sender<Order>>,
    messages: Sender<Message>,
    stop: Arc<StopSignal>,
    interrupt: Interrupt,
}

/// The time limit for opening connections before a slice; the rest are opened on demand.
const OPENING_LIMIT: Ns = 5 * SECOND;

impl Crew {
    /// Starts the threads, each on its processor where the job names any.
    pub fn start(maker: &PlanMaker) -> Result<(Self, Receiver<Message>)> {
        let job = maker.job();
        // The main thread, and the threads that it starts, use the engine's processors only.
        run_on(&job.cpus)?;
        let (messages, inbox) = channel();
        let interrupt = Interrupt::new().map_err(EngineError::system("cannot make an event"))?;
        let stop = Arc::new(StopSignal::default());
        let mut orders = Vec::new();
        for thread in 0..job.threads {
            let (sender, receiver) = channel();
            let mut pools = Vec::new();
            for endpoint in maker.endpoints() {
                pools.push(pool(endpoint, &interrupt, (thread + job.share.place) as usize)?);
            }
            let member = Member {
                thread,
                threads: job.threads,
                cpu: job.cpus.get(thread as usize % job.cpus.len().max(1)).copied(),
                // Clones of a rule share no state, so that threads do not wait for one another.
                rules: maker.rules().to_vec(),
                pools,
                orders: receiver,
                messages: messages.clone(),
                stop: stop.clone(),
            };
            let name = format!("worker-{thread}");
            let spawned = std::thread::Builder::new().name(name).spawn(move || member.work());
            spawned.map_err(EngineError::system("cannot start a thread"))?;
            orders.push(sender);
        }
        Ok((
            Self {
                orders,
                messages,
                stop,
                interrupt,
            },
            inbox,
        ))
    }

    pub fn threads(&self) -> usize {
        self.orders.len()
    }

    /// The channel to the main thread.
    pub fn sender(&self) -> Sender<Message> {
        self.messages.clone()
    }

    /// Makes all threads open their connections for a slice.
    pub fn prepare(&self, plan: &Arc<SlicePlan>, allowance: SampleAllowance) -> Result<()> {
        self.stop.reset();
        let threads = self.orders.len() as u32;
        self.order(|thread| Order::Prepare(plan.clone(), allowance.of_thread(thread, threads)))
    }

    /// Makes all threads begin the slice's lead-in at this instant.
    pub fn go(&self, at: Ns) -> Result<()> {
        self.order(|_| Order::Go(at))
    }

    /// Ends the measured time of the running slice after `length`.
    pub fn shorten_to(&self, length: Ns) {
        self.stop.shorten_to(length);
    }

    /// Breaks off the running slice and the rest of the run.
    pub fn stop(&self) {
        self.stop.raise();
        self.interrupt.raise();
    }

    fn order(&self, order: impl Fn(u32) -> Order) -> Result<()> {
        for (thread, orders) in self.orders.iter().enumerate() {
            let sent = orders.send(order(thread as u32));
            sent.map_err(|_| EngineError::CannotGoOn(format!("worker thread {thread} ended early")))?;
        }
        Ok(())
    }
}

/// Pins the calling thread to these processors; an empty list pins nothing.
fn run_on(cpus: &[u32]) -> Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    // SAFETY: all zeroes are a valid set, and CPU_SET writes within it for the numbers let through.
    let result = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for cpu in cpus
            .iter()
            .map(|cpu| *cpu as usize)
            .filter(|cpu| *cpu < libc::CPU_SETSIZE as usize)
        {
            libc::CPU_SET(cpu, &mut set);
        }
        libc::sched_setaffinity(0, size_of_val(&set), &set)
    };
    match result {
        0 => Ok(()),
        _ => Err(EngineError::system(format!("cannot run on the processors {cpus:?}"))(
            std::io::Error::last_os_error(),
        )),
    }
}

fn pool(endpoint: &Endpoint, interrupt: &Interrupt, first: usize) -> Result<Pool<RealWire>> {
    let poller = Poller::new(interrupt).map_err(EngineError::system("cannot make a poller"))?;
    Ok(Pool::new(RealWire::new(endpoint.clone(), poller, first)))
}

/// The state of one thread.
struct Member {
    thread: u32,
    threads: u32,
    cpu: Option<u32>,
    rules: Vec<CompiledRule>,
    pools: Vec<Pool<RealWire>>,
    orders: Receiver<Order>,
    messages: Sender<Message>,
    stop: Arc<StopSignal>,
}

impl Member {
    fn work(mut self) {
        if let Err(error) = self.configure() {
            self.tell(Message::Broken(error.to_string()));
            return;
        }
        let mut scratch = Scratch::new(self.threads);
        let mut prepared: Option<(Arc<SlicePlan>, SampleAllowance)> = None;
        // The channel closes at the end of the run.
        while let Ok(order) = self.orders.recv() {
            let done = match order {
                Order::Prepare(plan, allowance) => {
                    let opened = self.open_connections(&plan);
                    prepared = Some((plan, allowance));
                    opened
                }
                Order::Go(at) => match prepared.take() {
                    Some((plan, allowance)) => self.drive(&plan, allowance, at, &mut scratch),
                    None => Ok(()),
                },
            };
            if let Err(error) = done {
                self.tell(Message::Broken(format!("waiting for the network failed: {error}")));
                return;
            }
        }
    }

    /// Pins the thread to its processor and requests exact wake-ups.
    fn configure(&self) -> Result<()> {
        // SAFETY: a plain system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
        run_on(self.cpu.as_slice())
    }

    fn open_connections(&mut self, plan: &SlicePlan) -> std::io::Result<()> {
        let limit = Monotonic.now() + OPENING_LIMIT.min(plan.timeout);
        let wanted = plan.connections_of(self.thread);
        let pool = &mut self.pools[plan.target];
        match plan.streams {
            None => pool.open_connections(wanted, &Monotonic, limit, &self.stop)?,
            Some(streams) => pool.open_shared(wanted, streams, &Monotonic, limit, &self.stop)?,
        }
        self.tell(Message::Opened);
        Ok(())
    }

    fn drive(
        &mut self,
        plan: &SlicePlan,
        allowance: SampleAllowance,
        at: Ns,
        scratch: &mut Scratch,
    ) -> std::io::Result<()> {
        let pool = &mut self.pools[plan.target];
        let samples = SampleKeeper::new(allowance);
        let drive = Drive::new(plan, self.thread, &self.rules, pool, scratch, &Monotonic, samples, at);
        let messages = &self.messages;
        let driven = drive.run(&self.stop, |part| {
            // A closed channel means that the run is over.
            let _ = messages.send(Message::Tick(part));
        })?;
        self.tell(Message::Driven(Box::new(driven)));
        Ok(())
    }

    fn tell(&self, message: Message) {
        // A closed channel means that the run is over.
        let _ = self.messages.send(message);
    }
}
