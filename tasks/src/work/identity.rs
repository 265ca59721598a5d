//! [`Identity`]: the machine and the program that a result names.

use std::fs;
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tengen_runs::NO_THREAD;
use tengen_runs::contract::WorkerIdentity;

use crate::Failure;

/// The identity of this process. The hash of the program is made while the first tasks run.
pub(super) struct Identity {
    host: String,
    git: Option<&'static str>,
    boot: Option<String>,
    bench: Option<u64>,
    hash: OnceLock<String>,
    hasher: Mutex<Option<JoinHandle<String>>>,
}

impl Identity {
    /// Starts to hash the program. `git` is its commit, if that is known, and `bench` the number of nodes of
    /// its bench, if that was run.
    pub(super) fn start(git: Option<&'static str>, bench: Option<u64>) -> Result<Self, Failure> {
        let thread = thread::Builder::new().name("hash".to_owned());
        let hasher = thread.spawn(hash_of_program).map_err(Failure::because(NO_THREAD))?;
        let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        Ok(Self {
            host: tengen_runs::host(),
            git,
            boot: read("/proc/sys/kernel/random/boot_id"),
            bench,
            hash: OnceLock::new(),
            hasher: Some(hasher).into(),
        })
    }

    /// Returns the commit of the program; `None` if the build did not know it.
    pub(super) const fn git(&self) -> Option<&'static str> {
        self.git
    }

    /// Returns the identity of the slot `number`.
    pub(super) fn of_slot(&self, number: usize) -> WorkerIdentity {
        let hash = self.hash.get_or_init(|| {
            let hasher = self.hasher.lock().take();
            hasher.and_then(|hasher| hasher.join().ok()).unwrap_or_default()
        });
        WorkerIdentity {
            name: format!("{}/{number}", self.host),
            boot: self.boot.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            git: self.git.map(str::to_owned),
            sha256: hash.clone(),
            bench: self.bench,
        }
    }
}

/// Returns the SHA-256 of this program, in hexadecimal; empty if it cannot be read.
fn hash_of_program() -> String {
    let bytes = std::env::current_exe().and_then(fs::read).unwrap_or_default();
    if bytes.is_empty() {
        return String::new();
    }
    data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes))
}
