//! RSA signatures of tokens, with keys in PEM that each thread reads once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;

const MOST_KEYS: usize = 16;

thread_local! {
    /// The keys of this thread's requests, by their text; None for one that is no RSA key.
    static KEYS: RefCell<HashMap<Vec<u8>, Option<Rc<RsaKeyPair>>>> = RefCell::new(HashMap::new());
}

/// Whether a text in PEM holds an RSA key of at least 2,048 bits (PKCS#8 or PKCS#1), without a password.
pub(super) fn is_key(pem: &[u8]) -> bool {
    key(pem).is_some()
}

/// Appends the signature of RSASSA-PKCS1-v1_5 with SHA-256; None if `pem` holds no RSA key.
pub(super) fn append_signature(pem: &[u8], input: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let key = key(pem)?;
    let begin = out.len();
    out.resize(begin + key.public().modulus_len(), 0);
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input, &mut out[begin..])
        .ok()
}

fn key(pem: &[u8]) -> Option<Rc<RsaKeyPair>> {
    KEYS.with_borrow_mut(|keys| {
        if let Some(known) = keys.get(pem) {
            return known.clone();
        }
        if keys.len() >= MOST_KEYS {
            keys.clear();
        }
        let read = read(pem).map(Rc::new);
        keys.insert(pem.to_vec(), read.clone());
        read
    })
}

fn read(pem: &[u8]) -> Option<RsaKeyPair> {
    match PrivateKeyDer::from_pem_slice(pem).ok()? {
        PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).ok(),
        PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok(),
        _ => None,
    }
}
