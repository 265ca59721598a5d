//! Fuzzes one target, named by the variable `FUZZ_TARGET`, with libFuzzer. `tests/campaign fuzz` builds and runs it.

#![no_main]

mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

use self::targets::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET \"{name}\": one of {} expected", names.join(", ")))
});

fuzz_target!(|input: &[u8]| (TARGET.run)(input));
