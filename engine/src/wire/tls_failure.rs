//! Causes of TLS failures in words: the certificate, the protocol version, ALPN, or no TLS at all.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::{
    AlertDescription, CertificateError, DigitallySignedStruct, Error, OtherError, PeerIncompatible, RootCertStore,
    SignatureScheme,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

use crate::verify::{Failed, Failure};

pub const NO_ALPN: Failed = Failure::Tls.because("the server does not agree to HTTP/2 (no ALPN)");
pub const CLOSED: Failed = Failure::Tls.because("the server closed the connection during the handshake");
pub const ENDLESS: Failed = Failure::Tls.because("the handshake does not end");

/// Classifies an error of rustls.
pub fn classify(error: &Error) -> Failed {
    Failure::Tls.because(match error {
        Error::InvalidCertificate(why) => certificate(why),
        Error::InvalidMessage(_) | Error::InappropriateMessage { .. } => "the server does not speak TLS",
        Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13) => {
            "the server has no TLS version that is safe (1.2 or 1.3)"
        }
        Error::PeerIncompatible(_) => "client and server have no TLS settings in common",
        Error::NoApplicationProtocol => return NO_ALPN,
        Error::NoCertificatesPresented => "the server shows no certificate",
        Error::AlertReceived(alert) => refusal(*alert),
        _ => "the handshake failed",
    })
}

fn certificate(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the server's certificate has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is for another name"
        }
        CertificateError::UnknownIssuer => "the server's certificate is from an unknown authority",
        CertificateError::Revoked => "the server's certificate was revoked",
        CertificateError::BadEncoding => "the server's certificate cannot be read",
        CertificateError::Other(other) if other.0.is::<SelfSigned>() => "the server's certificate is self-signed",
        _ => "the server's certificate is not valid",
    }
}

fn refusal(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::ProtocolVersion => "the server has no TLS version that is safe (1.2 or 1.3)",
        AlertDescription::NoApplicationProtocol => NO_ALPN.cause,
        AlertDescription::CertificateRequired => "the server asks for a client certificate",
        AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::AccessDenied => "the server refuses the client certificate",
        AlertDescription::UnrecognisedName => "the server does not know this host name",
        // A server of TLS 1.2 has no alert of its own for a missing client certificate.
        AlertDescription::HandshakeFailure => {
            "the server refused the handshake: it wants a client certificate, or has no TLS settings in common with the client"
        }
        _ => "the server refused the handshake",
    }
}

/// The error of a self-signed certificate.
#[derive(Debug)]
struct SelfSigned;

impl std::fmt::Display for SelfSigned {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "the certificate is self-signed")
    }
}

impl std::error::Error for SelfSigned {}

/// Verifies certificates as rustls does, and distinguishes self-signed ones from those of an unknown authority.
#[derive(Debug)]
pub struct Verifier(Arc<WebPkiServerVerifier>);

impl Verifier {
    /// Trusts `roots`.
    pub fn new(
        roots: RootCertStore,
        provider: Arc<rustls::crypto::CryptoProvider>,
    ) -> Result<Self, rustls::client::VerifierBuilderError> {
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map(Self)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer,
        intermediates: &[CertificateDer],
        name: &ServerName,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = self.0.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        let signs_itself = webpki::EndEntityCert::try_from(end_entity)
            .is_ok_and(|certificate| certificate.issuer() == certificate.subject());
        match judged {
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::Other(_)))
                if signs_itself =>
            {
                let other = OtherError(Arc::new(SelfSigned));
                Err(Error::InvalidCertificate(CertificateError::Other(other)))
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
