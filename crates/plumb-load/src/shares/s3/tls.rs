//! How does a server prove who it is? By a certificate of an authority that this system trusts, or of the file AWS_CA_BUNDLE.

use std::sync::Arc;

use plumb_model::statement::Statement;
use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// The variable that names a file of certificates to trust in place of those of the system.
const BUNDLE: &str = "AWS_CA_BUNDLE";

/// The configuration of all connections.
///
/// # Errors
/// There are no certificates to trust, or this processor lacks the instructions of the ciphers.
pub fn configuration() -> Result<Arc<ClientConfig>, Statement> {
    let provider = provider().ok_or_else(|| Statement::new("s3-no-tls-on-this-processor"))?;
    let mut roots = rustls::RootCertStore::empty();
    match std::env::var(BUNDLE).ok().filter(|file| !file.is_empty()) {
        Some(file) => {
            let unreadable = |error: String| {
                Statement::new("s3-certificates-are-unreadable")
                    .name("file", &file)
                    .name("error", error)
            };
            let certificates = CertificateDer::pem_file_iter(&file)
                .map_err(|error| unreadable(error.to_string()))?;
            for certificate in certificates {
                let added = certificate
                    .map_err(|error| error.to_string())
                    .and_then(|found| roots.add(found).map_err(|error| error.to_string()));
                added.map_err(unreadable)?;
            }
        }
        // Some certificates of a system may be damaged: the others are trusted all the same.
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
    }
    if roots.is_empty() {
        return Err(Statement::new("s3-no-certificates"));
    }
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let unusable =
        |error: rustls::Error| Statement::new("s3-tls-failed").name("error", error.to_string());
    let mut configuration = versions
        .map_err(unusable)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    configuration.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(configuration))
}

/// The ciphers; `None` where the processor has no instructions for them (graviola's README lists those it needs).
#[cfg(target_arch = "x86_64")]
fn provider() -> Option<Arc<CryptoProvider>> {
    let has_all = std::arch::is_x86_feature_detected!("aes")
        && std::arch::is_x86_feature_detected!("ssse3")
        && std::arch::is_x86_feature_detected!("avx")
        && std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("adx")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("pclmulqdq");
    has_all.then(|| Arc::new(rustls_graviola::default_provider()))
}

/// The ciphers; `None` where the processor has no instructions for them (graviola's README lists those it needs).
#[cfg(target_arch = "aarch64")]
fn provider() -> Option<Arc<CryptoProvider>> {
    let has_all = std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("sha2")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("neon");
    has_all.then(|| Arc::new(rustls_graviola::default_provider()))
}

/// The ciphers are written for two processors.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn provider() -> Option<Arc<CryptoProvider>> {
    None
}
