//! Values that the engine itself fills in: an identifier, the time, a number. A request that is sent again keeps them.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use rand::Rng;
use sha1::{Digest, Sha1};
use sha2::Sha256;

/// Secret values of the whole run, which no file holds; see `run --secrets`.
static SECRETS: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// The server's nonces of a run, with the number of uses of each. A server may refuse a count that arrives long after higher ones, so
/// every user has a nonce of its own as long as there are enough.
#[derive(Debug, Default)]
struct Nonces {
    used: Vec<AtomicU32>,
    taken: AtomicU32,
}

static NONCES: OnceLock<Nonces> = OnceLock::new();

impl Nonces {
    fn of(count: usize) -> Self {
        Self {
            used: (0..count).map(|_| AtomicU32::new(0)).collect(),
            taken: AtomicU32::new(0),
        }
    }

    /// The next use of the user's nonce, or of the next nonce if the user has none yet.
    fn use_once(&self, of_user: Option<u32>) -> Option<NonceUse> {
        let count = u32::try_from(self.used.len()).ok().filter(|count| *count > 0)?;
        let number = of_user.unwrap_or_else(|| self.taken.fetch_add(1, Ordering::Relaxed) % count);
        let times = self.used[number as usize]
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_add(1);
        Some(NonceUse { number, times })
    }
}

/// Sets the values that fill places of every request; false where they were set before.
pub fn set_secrets(values: BTreeMap<String, String>) -> bool {
    let nonces = (0..).take_while(|number| values.contains_key(&format!("digest_key_{number}")));
    let _ = NONCES.set(Nonces::of(nonces.count()));
    SECRETS.set(values).is_ok()
}

fn secret(name: &str) -> Option<&'static String> {
    SECRETS.get()?.get(name)
}

/// The values of one request's places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    pub uuid: u128,
    pub nonce: u128,
    /// Milliseconds since 1970.
    pub wall_ms: u64,
    /// Counts the filled requests of a slice, from 1.
    pub counter: u64,
    /// The nonce of HTTP digest authentication, if that is used.
    pub digest: Option<NonceUse>,
}

/// One of the server's nonces, and the count of its uses up to this one, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NonceUse {
    pub number: u32,
    pub times: u32,
}

impl Stamp {
    /// The values of a user's next request; `rng` draws the identifier, so that a seed replays it.
    pub fn next(&self, rng: &mut impl Rng, wall_seconds: f64, counter: u64) -> Self {
        let own_nonce = self.digest.map(|used| used.number);
        Self {
            uuid: rng.random(),
            nonce: rng.random(),
            wall_ms: (wall_seconds * 1000.0) as u64,
            counter,
            digest: NONCES.get().and_then(|nonces| nonces.use_once(own_nonce)),
        }
    }

    /// Whether the engine itself fills a place of this name.
    pub fn fills(name: &str) -> bool {
        let authenticated = Self {
            digest: Some(NonceUse { number: 0, times: 1 }),
            ..Self::default()
        };
        authenticated.value(name).is_some()
    }

    /// The value of a place that the engine fills; None for any other name.
    pub fn value(&self, name: &str) -> Option<String> {
        match name {
            "uuid" => Some(self.uuid_text()),
            "time" => Some(time_text(self.wall_ms)),
            "nonce" => Some(STANDARD.encode(self.nonce.to_be_bytes())),
            "password_digest" => secret("password").map(|password| self.password_digest(password)),
            "counter" => Some(self.counter.to_string()),
            "digest_count" => Some(format!("{:08x}", self.digest?.times)),
            "digest_challenge" => secret(&format!("digest_challenge_{}", self.digest?.number)).cloned(),
            _ => self.prefixed_value(name).or_else(|| secret(name).cloned()),
        }
    }

    fn prefixed_value(&self, name: &str) -> Option<String> {
        if let Some(seconds) = name.strip_prefix("time_plus_") {
            let seconds: u32 = seconds.parse().ok()?;
            return Some(time_text(self.wall_ms + u64::from(seconds) * 1000));
        }
        let request = secret(&format!("digest_request_{}", name.strip_prefix("digest_answer_")?))?;
        let key = secret(&format!("digest_key_{}", self.digest?.number))?;
        self.digest_answer(secret("digest_algorithm")?, key, request)
    }

    /// The response of HTTP digest authentication with `qop=auth` (RFC 7616, 3.4.1): `key` is H(A1):nonce, `request` is H(A2).
    fn digest_answer(&self, algorithm: &str, key: &str, request: &str) -> Option<String> {
        let nonce = STANDARD.encode(self.nonce.to_be_bytes());
        let hashed = format!("{key}:{:08x}:{nonce}:auth:{request}", self.digest?.times);
        let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect();
        match algorithm {
            "MD5" => Some(hex(&Md5::digest(hashed))),
            "SHA-256" => Some(hex(&Sha256::digest(hashed))),
            _ => None,
        }
    }

    /// The digest of a user name token: SHA-1 over nonce, time and password (Web Services Security Username Token Profile 1.1.1, 3.1).
    fn password_digest(&self, password: &str) -> String {
        let mut hash = Sha1::new();
        hash.update(self.nonce.to_be_bytes());
        hash.update(time_text(self.wall_ms));
        hash.update(password);
        STANDARD.encode(hash.finalize())
    }

    /// RFC 9562, version 4.
    pub(super) fn uuid_text(&self) -> String {
        let bits = self.uuid & !(0xf << 76) & !(0x3 << 62) | 4 << 76 | 2 << 62;
        let digits = format!("{bits:032x}");
        let (a, b, c, d, e) = (
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..],
        );
        format!("{a}-{b}-{c}-{d}-{e}")
    }
}

/// RFC 3339 in UTC with milliseconds, which is an xsd:dateTime; `wall_ms` since 1970.
pub(super) fn time_text(wall_ms: u64) -> String {
    let (seconds, milliseconds) = (wall_ms / 1000, wall_ms % 1000);
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day by the Gregorian calendar; `days` counts from 1 January 1970.
fn date_of(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let time_at = |wall_ms| {
            let stamp = Stamp {
                wall_ms,
                ..Stamp::default()
            };
            stamp.value("time").unwrap()
        };
        assert_eq!(time_at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time_at(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(time_at(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(time_at(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn a_password_digest_is_that_of_nonce_time_and_password() {
        let stamp = Stamp::default();
        // printf '\0...(16 times)1970-01-01T00:00:00.000Zsecret' | openssl sha1 -binary | base64
        assert_eq!(stamp.password_digest("secret"), "kA2u6Gc3P3pigePinWx/vqcGQEA=");
        assert_eq!(stamp.value("nonce").unwrap(), "AAAAAAAAAAAAAAAAAAAAAA==");
        assert_eq!(stamp.value("time_plus_300").unwrap(), "1970-01-01T00:05:00.000Z");
        assert_eq!(stamp.value("time_plus_x"), None);
    }

    #[test]
    fn a_digest_answer_is_over_key_count_nonce_and_request() {
        let stamp = Stamp {
            digest: Some(NonceUse { number: 0, times: 255 }),
            ..Stamp::default()
        };
        assert_eq!(stamp.value("digest_count").unwrap(), "000000ff");
        // printf 'key:000000ff:AAAAAAAAAAAAAAAAAAAAAA==:auth:request' | md5sum, and sha256sum
        assert_eq!(
            stamp.digest_answer("MD5", "key", "request").unwrap(),
            "dfe097a0f468a4ac340893e20672f2ed"
        );
        assert_eq!(
            stamp.digest_answer("SHA-256", "key", "request").unwrap(),
            "11a2e2bdbf793d941f34945d49bb3354e84f26db8433c4f5b1b04f9624fcdb93"
        );
        assert_eq!(stamp.digest_answer("SHA-512", "key", "request"), None);
        assert_eq!(stamp.value("digest_answer_0"), None);
    }

    #[test]
    fn each_user_has_a_nonce_of_its_own_and_counts_its_uses_as_long_as_there_are_enough() {
        let nonces = Nonces::of(2);
        let at = |number, times| Some(NonceUse { number, times });
        assert_eq!(nonces.use_once(None), at(0, 1));
        assert_eq!(nonces.use_once(None), at(1, 1));
        assert_eq!(nonces.use_once(Some(0)), at(0, 2));
        assert_eq!(nonces.use_once(Some(1)), at(1, 2));
        assert_eq!(nonces.use_once(None), at(0, 3), "a third user shares the first one's");
        assert_eq!(Nonces::of(0).use_once(None), None);
    }

    #[test]
    fn an_identifier_says_its_version_and_no_other_place_has_a_value() {
        let stamp = Stamp {
            uuid: u128::MAX,
            ..Stamp::default()
        };
        assert_eq!(stamp.value("uuid").unwrap(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(stamp.value("other"), None);
    }
}
