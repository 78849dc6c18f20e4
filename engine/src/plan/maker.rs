//! Compiles a job: rules, addresses, and the plan of each slice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustls_pki_types::ServerName;

use super::{Redirects, Shape, SlicePlan, Steps, Work};
use crate::clock::{Ns, from_ms};
use crate::corpus::Corpus;
use crate::error::{EngineError, Result};
use crate::http::{RequestHead, Url};
use crate::http2::RequestFields;
use crate::job::{Job, Profile, Session, Target};
use crate::record::Edges;
use crate::schedule::{Arrivals, Deck, Levels, MixPart, Pause};
use crate::session::{RowTable, SessionPlan};
use crate::verify::CompiledRule;
use crate::wire::{Endpoint, client_config, resolve};

/// Makes the plans of a job's slices.
pub struct PlanMaker {
    job: Job,
    corpus: Arc<Corpus>,
    urls: Vec<Url>,
    /// The targets' URLs for cookies.
    sites: Vec<url::Url>,
    /// Where redirects of each target may lead.
    redirects: Vec<Option<Arc<Redirects>>>,
    endpoints: Vec<Endpoint>,
    rules: Vec<CompiledRule>,
    /// The rows of sessions, by their file: sessions that share a file never have the same row.
    rows: BTreeMap<String, Arc<RowTable>>,
}

impl PlanMaker {
    /// Resolves hosts and compiles rules. `folder` is what paths in the job are relative to.
    pub fn new(job: Job, corpus: Arc<Corpus>, folder: &Path) -> Result<Self> {
        let mut urls = Vec::new();
        let mut endpoints = Vec::new();
        let mut sites = Vec::new();
        let mut redirects = Vec::new();
        for target in &job.targets {
            let url = Url::of(target).map_err(EngineError::CannotGoOn)?;
            let tls = if url.tls {
                let name = ServerName::try_from(url.host.clone())
                    .map_err(|_| EngineError::CannotGoOn(format!("`{}` is not a valid name for TLS", url.host)))?;
                Some((client_config(target, folder)?, name))
            } else {
                None
            };
            let addresses = resolve(&url, &target.addresses)?;
            let site = site(target, &url)?;
            redirects.push(Redirects::new(target, folder, &url, &site, &addresses)?);
            endpoints.push(Endpoint { addresses, tls });
            sites.push(site);
            urls.push(url);
        }
        let rules: std::result::Result<Vec<_>, String> = job.rules.values().map(CompiledRule::new).collect();
        let corpus_folder = folder.join(&job.corpus);
        let mut rows = BTreeMap::new();
        for named in job.sessions.values().filter_map(|session| session.rows.as_ref()) {
            let table = RowTable::open(named, &corpus_folder).map_err(EngineError::CannotGoOn)?;
            rows.entry(named.file.clone()).or_insert_with(|| Arc::new(table));
        }
        Ok(Self {
            rows,
            rules: rules.map_err(EngineError::CannotGoOn)?,
            job,
            corpus,
            urls,
            sites,
            redirects,
            endpoints,
        })
    }

    fn rows_of(&self, session: &Session) -> Option<Arc<RowTable>> {
        self.rows.get(&session.rows.as_ref()?.file).cloned()
    }

    pub fn job(&self) -> &Job {
        &self.job
    }

    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The job's rules, in their order.
    pub fn rules(&self) -> &[CompiledRule] {
        &self.rules
    }

    /// The plan of the slice at `place` in the job.
    pub fn slice(&self, place: usize) -> Result<SlicePlan> {
        let (job, corpus) = (&self.job, &self.corpus);
        let slice = &job.slices[place];
        let not_known = |name: &str| EngineError::CannotGoOn(format!("slice {}: `{name}` is not known", slice.number));
        let target = job.targets.iter().position(|target| target.subject == slice.subject);
        let target = target.ok_or_else(|| not_known(&slice.subject))?;
        let (mut mix, mut steps) = (Vec::new(), Vec::new());
        for (name, weight) in &slice.mix.0 {
            let operation = |name: &String| corpus.operation(name).ok_or_else(|| not_known(name));
            let (operations, step) = match job.sessions.get(name) {
                Some(session) => (
                    session
                        .steps
                        .iter()
                        .map(|step| operation(&step.operation))
                        .collect::<Result<Vec<u16>>>()?,
                    Steps::Session(SessionPlan::new(session, self.rows_of(session)).map_err(EngineError::CannotGoOn)?),
                ),
                None => (vec![operation(name)?], Steps::Single),
            };
            mix.push(MixPart {
                name: name.clone(),
                weight: *weight,
                chains: corpus.chains(&operations).map_err(EngineError::CannotGoOn)?,
                operations,
            });
            steps.push(step);
        }
        let mut used = vec![false; corpus.operations.len()];
        for operation in mix.iter().flat_map(|part: &MixPart| &part.operations) {
            used[usize::from(*operation)] = true;
        }
        let heads = corpus.lines.iter().map(|line| {
            let place = usize::from(line.operation);
            let (to, url, name) = (&job.targets[target], &self.urls[target], &corpus.operations[place]);
            used[place].then(|| RequestHead::new(to, url, name, line, job.connection))
        });
        let heads: Vec<_> = heads.collect();
        let http2 = job.targets[target].http2.as_ref();
        let secure = self.urls[target].tls;
        let fields = heads.iter().enumerate().map(|(line, head)| match (http2, head) {
            (Some(_), Some(head)) => RequestFields::new(head, line, secure).map(Some),
            _ => Ok(None),
        });
        let fields: std::result::Result<Vec<_>, String> = fields.collect();
        let mut entries = vec![Vec::new(); corpus.operations.len()];
        for (number, entry) in corpus.entries.iter().enumerate() {
            if used[usize::from(entry.operation)] {
                entries[usize::from(entry.operation)].push(number as u32);
            }
        }
        let (shape, length) = shape(&slice.profile).map_err(EngineError::CannotGoOn)?;
        Ok(SlicePlan {
            number: slice.number,
            target,
            shape,
            length,
            lead_in: from_ms(slice.lead_in_ms),
            lead_out: steps.iter().map(Steps::lead_out).max().unwrap_or(0),
            spread: 0,
            edges: Edges::Planned,
            deck: Deck::new(&mix, entries, slice.deck_seed).of_share(job.share),
            mix,
            steps,
            deck_seed: slice.deck_seed,
            used,
            heads,
            fields: fields.map_err(EngineError::CannotGoOn)?,
            addresses: self.endpoints[target].addresses.clone(),
            site: self.sites[target].clone(),
            redirects: self.redirects[target].clone(),
            streams: http2.map(|http2| http2.streams),
            filled: AtomicU64::new(0),
            work: match &slice.profile {
                Profile::FixedWork(work) => Some(Work {
                    each: work.each,
                    extra: work.extra,
                }),
                _ => None,
            },
            pause: Pause::new(&slice.think),
            timeout: from_ms(job.timeout_ms),
            drain_limit: from_ms(job.drain_limit_ms),
            on_failure: job.on_failure.clone(),
            connection: job.connection,
            corpus: corpus.clone(),
            threads: job.threads,
            share: job.share,
            seconds_histograms: job.seconds_histograms,
            log_requests: job.log_requests,
        })
    }
}

/// A target's URL for cookies: its scheme and the host of its Host header. An invalid host name gets a placeholder.
fn site(target: &Target, url: &Url) -> Result<url::Url> {
    let named = target
        .headers
        .0
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = named.map_or(&url.authority, |(_, value)| value);
    let scheme = if url.tls { "https" } else { "http" };
    url::Url::parse(&format!("{scheme}://{host}/"))
        .or_else(|_| url::Url::parse(&format!("{scheme}://host.invalid/")))
        .map_err(|why| EngineError::CannotGoOn(format!("the host `{host}` cannot be used: {why}")))
}

fn shape(profile: &Profile) -> std::result::Result<(Shape, Ns), String> {
    match profile {
        Profile::Rate(rate) => Ok((Shape::Open(rate.clone()), Arrivals::length(rate))),
        closed => {
            let levels = Levels::new(closed)?;
            let length = levels.length;
            Ok((Shape::Closed(levels), length))
        }
    }
}
