//! Tells Cargo that the page is a part of the crate: a new file of it is a change.

fn main() {
    println!("cargo::rerun-if-changed=page");
}
