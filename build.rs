//! Tells the program its commit: as the variable `TENGEN_GIT` or a package of Cargo says it, or in a
//! release the commit of the work tree. Without any of them the program names none.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=TENGEN_GIT");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("TENGEN_GIT").is_some() {
        return;
    }
    // Other builds would be made again at each commit.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = of_package().or_else(|| if is_release { of_work_tree() } else { None });
    if let Some(commit) = commit.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        println!("cargo::rustc-env=TENGEN_GIT={commit}");
    }
}

/// Returns the commit that Cargo wrote into a package.
fn of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Returns the commit that is checked out; `None` without a repository or the program `git`.
fn of_work_tree() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    // Git appends a line to this file when the commit changes.
    println!("cargo::rerun-if-changed=.git/logs/HEAD");
    let output = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
