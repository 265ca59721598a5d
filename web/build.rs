//! Makes Cargo rebuild the crate when a file of the page changes or is added.

fn main() {
    println!("cargo::rerun-if-changed=page");
}
