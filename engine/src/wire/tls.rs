//! TLS 1.2 and 1.3 by rustls, over a socket that never blocks.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use super::socket::Socket;
use super::tls_failure::{self, Verifier};
use super::{Progress, Trouble};
use crate::error::{EngineError, Result};
use crate::job::{Target, Tls};
use crate::verify::Failure;

/// HTTP/2's ALPN name (RFC 9113, 3.2).
const HTTP_2: &[u8] = b"h2";
/// The most socket reads for one step of a handshake or one piece of an answer. A server may send endless records without payload
/// (empty ones, session tickets), which must not block other connections and the clock.
const READS_OF_A_HANDSHAKE: u32 = 1024;
const READS_WITHOUT_DATA: u32 = 8;

/// The TLS settings of a target: the system's roots, or its own authority; no verification only if the job says so. A relative `ca` is
/// relative to `folder`. Sessions are resumed if the server offers it.
pub fn client_config(target: &Target, folder: &Path) -> Result<Arc<ClientConfig>> {
    let tls = &target.tls;
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::CannotGoOn(format!("TLS cannot be set up: {error}")))?;
    let builder = if tls.verify {
        let roots = roots(tls, folder)?;
        match Verifier::new(roots.clone(), provider.clone()) {
            Ok(verifier) => builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)),
            // A machine without authorities trusts no certificate.
            Err(_) => builder.with_root_certificates(roots),
        }
    } else {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    };
    let mut config = match own_certificate(tls, folder)? {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(|error| {
            EngineError::CannotGoOn(format!("the engine's own certificate cannot be used: {error}"))
        })?,
    };
    config.alpn_protocols = vec![match target.http2 {
        Some(_) => HTTP_2.to_vec(),
        None => b"http/1.1".to_vec(),
    }];
    Ok(Arc::new(config))
}

/// The client certificate, if the job has one; both files are relative to `folder`.
fn own_certificate(tls: &Tls, folder: &Path) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>> {
    let (Some(certificate), Some(key)) = (&tls.certificate, &tls.key) else {
        return match (&tls.certificate, &tls.key) {
            (None, None) => Ok(None),
            _ => Err(EngineError::CannotGoOn(
                "`tls`: `certificate` and `key` go together".to_owned(),
            )),
        };
    };
    let wrong = |path: &Path, why: String| EngineError::CannotGoOn(format!("{} cannot be used: {why}", path.display()));
    let (at, key_at) = (folder.join(certificate), folder.join(key));
    let chain = CertificateDer::pem_file_iter(&at)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| wrong(&at, error.to_string()))?;
    let key = PrivateKeyDer::from_pem_file(&key_at).map_err(|error| wrong(&key_at, error.to_string()))?;
    Ok(Some((chain, key)))
}

fn roots(tls: &Tls, folder: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    match &tls.ca {
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Some(ca) => {
            let path = folder.join(ca);
            let wrong = |why: String| {
                EngineError::CannotGoOn(format!("the authority {} cannot be used: {why}", path.display()))
            };
            for certificate in CertificateDer::pem_file_iter(&path).map_err(|error| wrong(error.to_string()))? {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(wrong("it holds no certificate".to_owned()));
            }
        }
    }
    Ok(roots)
}

/// Accepts any certificate, for `verify = false`.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer,
        _: &[CertificateDer],
        _: &ServerName,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The TLS side of one connection.
pub struct TlsSession {
    session: ClientConnection,
    /// The server must negotiate HTTP/2.
    http2: bool,
    /// The number of bytes given to the system, the handshake included.
    taken: u64,
}

/// The socket as a stream for rustls.
struct Through<'a>(&'a Socket);

impl Read for Through<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.receive(buffer)
    }
}

impl Write for Through<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes, &[])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TlsSession {
    pub fn new(config: &Arc<ClientConfig>, name: &ServerName<'static>) -> std::result::Result<Self, Trouble> {
        let session = ClientConnection::new(config.clone(), name.clone());
        let http2 = config.alpn_protocols == [HTTP_2];
        session
            .map(|session| Self {
                session,
                http2,
                taken: 0,
            })
            .map_err(|error| Trouble::Server(tls_failure::classify(&error)))
    }

    /// Continues the handshake.
    pub fn handshake(&mut self, socket: &Socket) -> std::result::Result<Progress, Trouble> {
        for _ in 0..READS_OF_A_HANDSHAKE {
            let step = self.flush(socket).and_then(|()| match self.session.is_handshaking() {
                true => self
                    .take_in(socket)
                    .map(|count| (count > 0).then_some(Progress::Securing)),
                false => Ok(Some(Progress::Ready)),
            });
            match step {
                Ok(Some(Progress::Ready)) if self.http2 && self.session.alpn_protocol() != Some(HTTP_2) => {
                    return Err(Trouble::Server(tls_failure::NO_ALPN));
                }
                Ok(Some(Progress::Ready)) => return Ok(Progress::Ready),
                Ok(Some(_)) => {}
                Err(Trouble::WouldBlock) => return Ok(Progress::Securing),
                Err(Trouble::Instrument(why)) => return Err(Trouble::Instrument(why)),
                // Any other error in a handshake is a failure of kind `tls`.
                Err(Trouble::Server(failed)) if failed.kind == Failure::Tls => return Err(Trouble::Server(failed)),
                Ok(None) | Err(Trouble::Server(_) | Trouble::ReadOn) => {
                    return Err(Trouble::Server(tls_failure::CLOSED));
                }
            }
        }
        Err(Trouble::Server(tls_failure::ENDLESS))
    }

    pub fn receive(&mut self, socket: &Socket, buffer: &mut [u8]) -> std::result::Result<usize, Trouble> {
        for _ in 0..READS_WITHOUT_DATA {
            match self.session.reader().read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // Closed without close_notify: the answer may be truncated.
                Err(_) => return Err(Trouble::Server(Failure::Truncated.into())),
            }
            self.take_in(socket)?;
            self.flush(socket)?;
        }
        Err(Trouble::ReadOn)
    }

    pub fn send(&mut self, socket: &Socket, first: &[u8], second: &[u8]) -> std::result::Result<usize, Trouble> {
        // Each part is sent before rustls gets the next, so that a request of any size needs little memory.
        self.flush(socket)?;
        let mut taken = 0;
        for piece in [first, second] {
            let mut rest = piece;
            while !rest.is_empty() {
                let count = self
                    .session
                    .writer()
                    .write(rest)
                    .map_err(|error| Trouble::of(&error, Failure::Tls))?;
                taken += count;
                rest = &rest[count..];
                match self.flush(socket) {
                    Ok(()) => {}
                    Err(Trouble::WouldBlock) => return Ok(taken),
                    Err(trouble) => return Err(trouble),
                }
            }
        }
        Ok(taken)
    }

    /// The number of bytes given to the system.
    pub fn bytes_taken(&self) -> u64 {
        self.taken
    }

    /// Sends buffered records.
    pub fn flush(&mut self, socket: &Socket) -> std::result::Result<(), Trouble> {
        while self.session.wants_write() {
            let written = self.session.write_tls(&mut Through(socket));
            self.taken += written.map_err(|error| Trouble::of(&error, Failure::Reset))? as u64;
        }
        Ok(())
    }

    fn take_in(&mut self, socket: &Socket) -> std::result::Result<usize, Trouble> {
        let count = self
            .session
            .read_tls(&mut Through(socket))
            .map_err(|error| Trouble::of(&error, Failure::Reset))?;
        if let Err(error) = self.session.process_new_packets() {
            // The alert for the server is sent if possible.
            let _ = self.flush(socket);
            return Err(Trouble::Server(tls_failure::classify(&error)));
        }
        Ok(count)
    }
}
