//! Fuzzes one target, named by the variable `FUZZ_TARGET`, with libFuzzer. `tests/campaign fuzz` builds and runs it.

#![no_main]

mod kept;
mod shelves;
mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

use self::kept::Target;
use self::targets::TARGETS;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let mut all = TARGETS.iter().chain(shelves::TARGETS);
    let names: Vec<&str> = all.clone().map(|target| target.name).collect();
    let found = all.find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET \"{name}\": one of {} expected", names.join(", ")))
});

fuzz_target!(|input: &[u8]| (TARGET.run)(input));
