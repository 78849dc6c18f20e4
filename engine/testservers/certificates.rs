//! Certificates made on the spot: an authority, and what it signs for a server.

use std::sync::Arc;

use anyhow::Result;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

use crate::misbehaviour::Misbehaviour;

/// What a TLS server needs, and the authority (PEM) by which clients are to judge it.
pub struct Certified {
    pub config: Arc<ServerConfig>,
    pub authority_pem: String,
}

/// A certificate for localhost and the loopback addresses, or one with the fault that the mode asks for.
pub fn certify(mode: Misbehaviour) -> Result<Certified> {
    let (authority, authority_key) = new_authority("Steelyard test authority")?;
    let names = match mode {
        Misbehaviour::TlsWrongName => vec!["elsewhere.example".to_owned()],
        _ => ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
    };
    let mut server = CertificateParams::new(names)?;
    if mode == Misbehaviour::TlsExpired {
        server.not_before = date_time_ymd(2003, 6, 1);
        server.not_after = date_time_ymd(2004, 6, 1);
    }
    let server_key = KeyPair::generate()?;
    let certificate = server.signed_by(&server_key, &authority, &authority_key)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(server_key.serialize_der().into()),
        )?;
    let known = if mode == Misbehaviour::TlsUnknownAuthority {
        new_authority("Another authority")?.0
    } else {
        authority
    };
    Ok(Certified {
        config: Arc::new(config),
        authority_pem: known.pem(),
    })
}

fn new_authority(name: &str) -> Result<(rcgen::Certificate, KeyPair)> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    let key = KeyPair::generate()?;
    Ok((params.self_signed(&key)?, key))
}
