//! One rule of the job, compiled, and the state of checking one answer against it.

use memchr::memmem::Finder;
use regex::bytes::Regex;
use sha2::{Digest, Sha256};

use super::{EventScan, Failure, FaultScan, Outcome};
use crate::job::{EventForm, FaultPlace, FaultRule, Rule};

/// A rule ready for use. Cloning gives each thread its own expression, free of locks.
#[derive(Debug, Clone)]
pub struct CompiledRule {
    statuses: Vec<u16>,
    fault: FaultRule,
    fault_in: FaultPlace,
    least: u64,
    most: u64,
    contains: Option<Finder<'static>>,
    sha256: Option<[u8; 32]>,
    matches: Option<Regex>,
    events: Option<EventForm>,
}

impl CompiledRule {
    pub fn new(rule: &Rule) -> Result<Self, String> {
        let (least, most) = rule
            .length
            .as_ref()
            .map_or((0, u64::MAX), |length| (length.least, length.most));
        let matches = match &rule.matches {
            None => None,
            Some(text) => Some(Regex::new(text).map_err(|error| {
                // The last line of the library's message is the reason.
                let message = error.to_string();
                format!("`matches`: {}", message.lines().last().unwrap_or_default())
            })?),
        };
        Ok(Self {
            statuses: rule.status.clone(),
            fault: rule.fault,
            fault_in: rule.fault_in,
            least,
            most,
            contains: rule
                .contains
                .as_ref()
                .map(|text| Finder::new(text.as_bytes()).into_owned()),
            sha256: rule.sha256.as_deref().map(parse_hash).transpose()?,
            matches,
            events: rule.events,
        })
    }
}

impl CompiledRule {
    /// Whether the rule needs the whole body, which is then kept if it comes in pieces.
    #[inline]
    pub fn reads_text(&self) -> bool {
        self.matches.is_some()
    }

    #[inline]
    fn reads_envelope(&self) -> bool {
        self.fault != FaultRule::Any && self.fault_in == FaultPlace::Envelope
    }

    #[inline]
    fn reads_grpc_status(&self) -> bool {
        self.fault != FaultRule::Any && self.fault_in == FaultPlace::GrpcStatus
    }
}

fn parse_hash(text: &str) -> Result<[u8; 32], String> {
    let wrong = || "`sha256` must be 64 digits of 0-9 and a-f".to_owned();
    let lower = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !lower {
        return Err(wrong());
    }
    let mut hash = [0; 32];
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(hash)
}

/// The state of checking one answer's body.
#[derive(Debug, Default)]
pub struct Check {
    length: u64,
    fault: FaultScan,
    /// Whether the gRPC status is one of success; None before it has come.
    grpc_success: Option<bool>,
    found: bool,
    matched: bool,
    /// The last bytes of earlier pieces, in which the marker may have begun.
    tail: Vec<u8>,
    hash: Option<Sha256>,
    events: EventScan,
}

impl Check {
    /// Prepares for the next answer and keeps its memory.
    #[inline]
    pub fn reset(&mut self, rule: &CompiledRule) {
        self.length = 0;
        self.fault = FaultScan::default();
        self.grpc_success = None;
        self.found = false;
        self.matched = false;
        self.tail.clear();
        self.hash = rule.sha256.map(|_| Sha256::new());
        if rule.events.is_some() {
            self.events = EventScan::default();
        }
    }

    /// How many events of the answer have ended since the last call.
    #[inline]
    pub fn take_events(&mut self) -> u64 {
        self.events.take()
    }

    /// Reads the fields of the answer's head, or the trailers.
    #[inline]
    pub fn take_fields<'f>(&mut self, rule: &CompiledRule, fields: impl Iterator<Item = (&'f [u8], &'f [u8])>) {
        if !rule.reads_grpc_status() {
            return;
        }
        for (name, value) in fields {
            if name == b"grpc-status" {
                self.grpc_success = Some(self.grpc_success.unwrap_or(true) && value == b"0");
            }
        }
    }

    /// Reads a piece of the body; `whole` if the piece is the whole body.
    #[inline]
    pub fn feed(&mut self, rule: &CompiledRule, piece: &[u8], whole: bool) {
        self.length += piece.len() as u64;
        if rule.reads_envelope() {
            self.fault.feed(piece);
        }
        if let Some(form) = rule.events {
            self.events.feed(form, piece);
        }
        if let Some(finder) = &rule.contains
            && !self.found
        {
            self.found = self.find(finder, piece, whole);
        }
        if let Some(hash) = &mut self.hash {
            hash.update(piece);
        }
        if let Some(expression) = &rule.matches
            && whole
        {
            self.matched = expression.is_match(piece);
        }
    }

    fn find(&mut self, finder: &Finder, piece: &[u8], whole: bool) -> bool {
        if finder.find(piece).is_some() {
            return true;
        }
        let overlap = finder.needle().len().saturating_sub(1);
        if whole || overlap == 0 {
            return false;
        }
        self.tail.extend_from_slice(&piece[..piece.len().min(overlap)]);
        let found = finder.find(&self.tail).is_some();
        if piece.len() > overlap {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - overlap..]);
        } else {
            let surplus = self.tail.len().saturating_sub(overlap);
            self.tail.drain(..surplus);
        }
        found
    }

    /// The outcome of a complete answer; `kept` is its body if it came in pieces and the rule needs it whole. A body that was not kept whole
    /// is wrong.
    #[inline]
    pub fn finish(&mut self, rule: &CompiledRule, status: u16, kept: &[u8]) -> Outcome {
        let fault = match rule.reads_grpc_status() {
            true => self.grpc_success == Some(false),
            false => self.fault.is_fault(),
        };
        if fault && rule.fault == FaultRule::Absent {
            return Outcome::failed(Failure::Fault);
        }
        if rule.statuses.contains(&status) && rule.reads_grpc_status() && self.grpc_success.is_none() {
            // Without the status the outcome is unknown.
            return Outcome::failed(Failure::Malformed);
        }
        let fault_missing = rule.fault == FaultRule::Present && !fault;
        if !rule.statuses.contains(&status) {
            // A success in place of a required fault is a wrong answer; any other status is a failure by status.
            let claims_success = fault_missing && (200..300).contains(&status);
            return if claims_success {
                Outcome::Wrong
            } else {
                Outcome::failed(Failure::Status)
            };
        }
        if fault_missing || !self.content_is_right(rule, kept) {
            return Outcome::Wrong;
        }
        Outcome::Right {
            expected_fault: rule.fault == FaultRule::Present,
        }
    }

    fn content_is_right(&mut self, rule: &CompiledRule, kept: &[u8]) -> bool {
        if self.length < rule.least || self.length > rule.most {
            return false;
        }
        if let Some(finder) = &rule.contains
            && !self.found
            && !finder.needle().is_empty()
        {
            return false;
        }
        if let (Some(expected), Some(hash)) = (&rule.sha256, self.hash.take())
            && hash.finalize()[..] != expected[..]
        {
            return false;
        }
        match &rule.matches {
            None => true,
            Some(_) if self.matched => true,
            Some(expression) => kept.len() as u64 == self.length && expression.is_match(kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Length;

    const RIGHT: Outcome = Outcome::Right { expected_fault: false };
    const FAULT: &[u8] = b"<E><Body><Fault/></Body></E>";

    fn judge(rule: &Rule, status: u16, body: &[u8]) -> Outcome {
        let rule = CompiledRule::new(rule).unwrap();
        let mut check = Check::default();
        check.reset(&rule);
        check.feed(&rule, body, true);
        let whole = check.finish(&rule, status, &[]);
        for size in [1, 2, 3, 7] {
            check.reset(&rule);
            body.chunks(size).for_each(|piece| check.feed(&rule, piece, false));
            assert_eq!(check.finish(&rule, status, body), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn a_marker_is_found_however_the_body_is_cut() {
        let rule = Rule {
            contains: Some("aab".to_owned()),
            ..Rule::default()
        };
        assert_eq!(judge(&rule, 200, b"xaaab!"), RIGHT);
        assert_eq!(judge(&rule, 200, b"xaaa!b"), Outcome::Wrong);
    }

    #[test]
    fn length_hash_and_expression_each_make_a_wrong_answer() {
        let exact = Rule {
            length: Some(Length { least: 3, most: 3 }),
            ..Rule::default()
        };
        assert_eq!(judge(&exact, 200, b"abc"), RIGHT);
        assert_eq!(judge(&exact, 200, b"abcd"), Outcome::Wrong);
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let hashed = Rule {
            sha256: Some(hash),
            ..Rule::default()
        };
        assert_eq!(judge(&hashed, 200, b"abc"), RIGHT);
        assert_eq!(judge(&hashed, 200, b"abd"), Outcome::Wrong);
        let matched = Rule {
            matches: Some("^a+$".to_owned()),
            ..Rule::default()
        };
        assert_eq!(judge(&matched, 200, b"aaa"), RIGHT);
        assert_eq!(judge(&matched, 200, b"aab"), Outcome::Wrong);
        let (rule, mut check) = (CompiledRule::new(&matched).unwrap(), Check::default());
        check.reset(&rule);
        check.feed(&rule, b"aaa", false);
        assert_eq!(check.finish(&rule, 200, b"aa"), Outcome::Wrong, "not kept whole");
    }

    #[test]
    fn the_status_of_grpc_says_whether_an_answer_is_a_fault_wherever_it_stands() {
        let judge_grpc = |fault, fields: &[&[(&str, &str)]]| {
            let rule = CompiledRule::new(&Rule {
                fault,
                fault_in: FaultPlace::GrpcStatus,
                ..Rule::default()
            })
            .unwrap();
            let mut check = Check::default();
            check.reset(&rule);
            for block in fields {
                let pairs = block.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
                check.take_fields(&rule, pairs);
                check.feed(&rule, FAULT, false); // which is no envelope here
            }
            check.finish(&rule, 200, &[])
        };
        let (good, bad) = ([("a", "13"), ("grpc-status", "0")], [("grpc-status", "13")]);
        assert_eq!(judge_grpc(FaultRule::Absent, &[&[], &good]), RIGHT);
        assert_eq!(judge_grpc(FaultRule::Absent, &[&good]), RIGHT);
        for fields in [&[&[][..], &bad[..]][..], &[&bad], &[&bad, &good], &[&good, &bad]] {
            assert_eq!(judge_grpc(FaultRule::Absent, fields), Outcome::failed(Failure::Fault));
            assert_eq!(
                judge_grpc(FaultRule::Present, fields),
                Outcome::Right { expected_fault: true }
            );
        }
        assert_eq!(
            judge_grpc(FaultRule::Absent, &[&[("grpc-status", "00")]]),
            Outcome::failed(Failure::Fault)
        );
        assert_eq!(judge_grpc(FaultRule::Present, &[&good]), Outcome::Wrong);
        assert_eq!(
            judge_grpc(FaultRule::Absent, &[&[]]),
            Outcome::failed(Failure::Malformed)
        );
        assert_eq!(
            judge_grpc(FaultRule::Any, &[&[]]),
            Outcome::Right { expected_fault: false }
        );
    }

    #[test]
    fn an_unexpected_fault_is_a_failure_and_an_expected_one_an_answer() {
        assert_eq!(judge(&Rule::default(), 500, FAULT), Outcome::failed(Failure::Fault));
        assert_eq!(judge(&Rule::default(), 200, FAULT), Outcome::failed(Failure::Fault));
        assert_eq!(
            judge(&Rule::default(), 500, b"<html/>"),
            Outcome::failed(Failure::Status)
        );
        let required = Rule {
            status: vec![500],
            fault: FaultRule::Present,
            ..Rule::default()
        };
        assert_eq!(judge(&required, 500, FAULT), Outcome::Right { expected_fault: true });
        assert_eq!(judge(&required, 200, b"<E><Body><ok/></Body></E>"), Outcome::Wrong);
        assert_eq!(judge(&required, 404, b""), Outcome::failed(Failure::Status));
    }
}
