//! [`Identity`]: the machine and the program that a result names.

use std::fs;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use tengen_runs::contract::WorkerIdentity;

/// The identity of this process.
pub(super) struct Identity {
    host: String,
    /// The commit of the program; `None` if the build did not know it.
    pub(super) git: Option<&'static str>,
    boot: Option<String>,
    bench: Option<u64>,
    /// The SHA-256 of the program, which the first task needs.
    hash: OnceLock<String>,
}

impl Identity {
    /// Returns the identity of this process. `git` is the commit of the program, if that is known, and
    /// `bench` the number of nodes of its bench, if that was run.
    pub(super) fn new(git: Option<&'static str>, bench: Option<u64>) -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        let boot = boot.map(|text| text.trim().to_owned());
        Self { host: tengen_runs::host(), git, boot, bench, hash: OnceLock::new() }
    }

    /// Returns the identity of the slot `number`.
    pub(super) fn of_slot(&self, number: usize) -> WorkerIdentity {
        WorkerIdentity {
            name: format!("{}/{number}", self.host),
            boot: self.boot.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            git: self.git.map(str::to_owned),
            sha256: self.hash.get_or_init(hash_of_program).clone(),
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
