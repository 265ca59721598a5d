//! What the crates may know of each other, and what no library does: the invariants of the design
//! that no single test of behaviour can hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates of the workspace that a crate may use, besides tests.
const ARROWS: [(&str, &[&str]); 16] = [
    ("tengen-engine", &[]),
    ("tengen-games", &["tengen-engine"]),
    ("tengen-protocol", &["tengen-engine", "tengen-records"]),
    ("tengen-records", &["tengen-engine"]),
    ("tengen-textbook", &["tengen-engine", "tengen-games"]),
    ("tengen-proofs", &["tengen-engine"]),
    ("tengen-prover", &["tengen-engine", "tengen-games", "tengen-proofs", "tengen-runs"]),
    ("tengen-runs", &[]),
    (
        "tengen-lab",
        &["tengen-engine", "tengen-games", "tengen-textbook", "tengen-runs", "tengen-arena"],
    ),
    ("tengen-terminal", &["tengen-engine", "tengen-protocol", "tengen-records"]),
    ("tengen-arena", &["tengen-engine", "tengen-protocol", "tengen-records", "tengen-runs"]),
    (
        "tengen-tasks",
        &[
            "tengen-engine",
            "tengen-games",
            "tengen-protocol",
            "tengen-records",
            "tengen-runs",
            "tengen-arena",
        ],
    ),
    ("tengen-web", &["tengen-engine", "tengen-protocol", "tengen-records", "tengen-runs"]),
    ("tengen-wasm", &["tengen-engine", "tengen-games", "tengen-protocol"]),
    ("tengen-shelf", &["tengen-engine", "tengen-records", "tengen-protocol", "tengen-runs"]),
    (
        "tengen",
        &[
            "tengen-engine",
            "tengen-games",
            "tengen-proofs",
            "tengen-protocol",
            "tengen-prover",
            "tengen-records",
            "tengen-textbook",
            "tengen-terminal",
            "tengen-runs",
            "tengen-arena",
            "tengen-tasks",
            "tengen-web",
            "tengen-shelf",
        ],
    ),
];

/// What a crate uses for a feature only: the database of the shelf knows records, its service the rest.
const OPTIONAL: [(&str, &[&str]); 1] = [("tengen-shelf", &["tengen-protocol", "tengen-runs"])];

/// What only the named crates may use.
const KEPT_APART: [(&str, &[&str]); 4] = [
    ("tokio", &["tengen-protocol", "tengen-arena", "tengen-web", "tengen-runs", "tengen"]),
    ("tracing", &["tengen-protocol", "tengen-arena", "tengen-web", "tengen"]),
    ("anyhow", &["tengen", "tengen-lab"]),
    ("clap", &["tengen", "tengen-lab"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the workspace, as Cargo describes them.
fn crates() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(root()).output().expect("cargo runs");
    let described: Value = serde_json::from_slice(&output.stdout).expect("cargo's metadata");
    let crates = described["packages"].as_array().expect("a list of crates").clone();
    assert!(crates.len() >= 5);
    crates
}

fn name(of: &Value) -> &str {
    of["name"].as_str().expect("a name")
}

/// What a crate is built from: neither its tests' dependencies nor its build script's.
fn dependencies(of: &Value) -> Vec<&str> {
    let all = of["dependencies"].as_array().expect("a list of dependencies");
    all.iter().filter(|dependency| dependency["kind"].is_null()).map(name).collect()
}

fn allowed<'a>(table: &[(&str, &'a [&'a str])], of: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(name, _)| *name == of).map(|(_, allowed)| *allowed)
}

#[test]
fn the_arrows_between_the_crates_are_those_of_the_design() {
    for described in crates() {
        let from = name(&described);
        let known = allowed(&ARROWS, from).unwrap_or_else(|| panic!("{from} is not in ARROWS"));
        for to in dependencies(&described) {
            assert!(!to.starts_with("tengen") || known.contains(&to), "{from} uses {to}");
            let users = allowed(&KEPT_APART, to.split('-').next().unwrap_or(to));
            assert!(users.is_none_or(|users| users.contains(&from)), "{from} uses {to}");
        }
        let all = described["dependencies"].as_array().expect("a list of dependencies");
        for to in allowed(&OPTIONAL, from).into_iter().flatten() {
            let found = all.iter().find(|dependency| name(dependency) == *to);
            let is_optional = found.is_some_and(|found| found["optional"] == true);
            assert!(is_optional, "{from} uses {to} without its feature");
        }
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace_which_forbid_unsafe_code() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    assert!(manifest.contains("print_stdout = \"warn\""));
    for described in crates() {
        let path = described["manifest_path"].as_str().expect("a path");
        let manifest = fs::read_to_string(path).expect("a manifest");
        assert!(manifest.contains("[lints]\nworkspace = true\n"), "{path}");
    }
}

/// Returns the Rust files of a folder that are not tests.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "{folder:?}");
    files
}

/// Collects the Rust files of a folder that are not tests.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if ["tests", "fake"].contains(&stem) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The lines of code below `folder` that contain one of `words` as `file: line`, without comments
/// and without tests, which stand at the end of a file.
fn lines_with(folder: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in rust_files(&root().join(folder)) {
        let text = fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        for line in code.lines().filter(is_code) {
            if words.iter().any(|word| line.contains(word)) {
                let file = path.strip_prefix(root()).expect("below the root").display();
                found.push(format!("{file}: {}", line.trim()));
            }
        }
    }
    found
}

#[test]
fn the_engine_reads_the_clock_in_one_place_and_games_and_session_in_none() {
    const CLOCKS: [&str; 2] = ["Instant::now", "SystemTime"];
    let of_engine = lines_with("engine/src", &CLOCKS);
    assert!(
        of_engine.len() == 1 && of_engine[0].starts_with("engine/src/clock.rs"),
        "{of_engine:?}"
    );
    for folder in ["games/src", "textbook/src", "protocol/src/session", "protocol/src/dialect"] {
        assert_eq!(lines_with(folder, &CLOCKS), [""; 0]);
    }
}

#[test]
fn games_and_session_start_no_thread() {
    for folder in ["games/src", "textbook/src", "protocol/src/session", "protocol/src/dialect"] {
        assert_eq!(lines_with(folder, &["thread::", "spawn("]), [""; 0]);
    }
}

#[test]
fn the_engine_and_the_games_know_no_word_of_a_dialect() {
    let words = ["\"bestmove", "\"readyok", "\"uciok", "\"info ", "\"setoption", "\"yx", "\"TURN"];
    for folder in ["engine/src", "games/src", "textbook/src"] {
        assert_eq!(lines_with(folder, &words), [""; 0]);
    }
}

#[test]
fn a_search_calls_nothing_virtual_but_its_reporter_and_the_opening_book() {
    // All are rare: a report ends an iteration, the book is asked near the start of the game, and an
    // error is that of a file.
    let rare = ["dyn FnMut(Report<", "dyn FnMut(_)", "dyn OpeningBook<", "dyn Error>"];
    let mut virtual_calls = lines_with("engine/src/search", &["dyn "]);
    virtual_calls.retain(|line| !rare.iter().any(|word| line.contains(word)));
    assert_eq!(virtual_calls, [""; 0]);
}

/// What a package may hold beside its sources.
const PACKED: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    ".cargo_vcs_info.json",
    "books/cfour.book",
    "nets/gomoku.net",
    "build.rs",
];

#[test]
fn a_package_holds_sources_licences_and_a_readme_and_says_what_it_is() {
    for described in crates() {
        let name = name(&described);
        for field in ["license", "description", "readme", "rust_version"] {
            assert!(described[field].is_string(), "{name} has no {field}");
        }
        assert_eq!(described["license"], "MIT OR Apache-2.0", "{name}");
        assert!(described["publish"].is_null(), "{name} can be published");
        assert!(!described["keywords"].as_array().expect("keywords").is_empty(), "{name}");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["package", "--list", "--allow-dirty", "--offline", "--package", name]);
        let output = cargo.current_dir(root()).output().expect("cargo runs");
        let list = String::from_utf8(output.stdout).expect("names of files");
        let files: BTreeSet<&str> = list.lines().collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "Cargo.toml"] {
            assert!(files.contains(file), "{name}: no {file} in {list}");
        }
        let is_source = |file: &str| {
            ["src/", "tests/", "examples/", "page/"].iter().any(|folder| file.starts_with(folder))
        };
        let strays: Vec<_> =
            files.iter().filter(|file| !is_source(file) && !PACKED.contains(file)).collect();
        assert!(strays.is_empty(), "{name} packs {strays:?}");
    }
}

#[test]
fn the_page_of_a_package_links_to_nothing_outside_of_it() {
    let manifests = crates()
        .into_iter()
        .map(|described| PathBuf::from(described["manifest_path"].as_str().expect("a path")));
    // The wheel holds a page, too.
    for manifest in manifests.chain([root().join("python/pyproject.toml")]) {
        let page = manifest.with_file_name("README.md");
        let text = fs::read_to_string(&page).expect("a page");
        assert!(!text.contains("](../"), "{}", page.display());
    }
}

#[test]
fn libraries_never_print() {
    let printing = ["println!", "print!(", "dbg!(", "stdout()", "stderr()"];
    for folder in ["engine/src", "games/src", "textbook/src"] {
        let mut found = lines_with(folder, &printing);
        // A model of threads prints how many interleavings it had. No program has models.
        found.retain(|line| !line.starts_with("engine/src/sync.rs"));
        assert_eq!(found, [""; 0]);
    }
    // Only the connection to standard input and output writes there.
    let mut of_protocol = lines_with("protocol/src", &printing);
    of_protocol.retain(|line| !line.starts_with("protocol/src/io"));
    assert_eq!(of_protocol, [""; 0]);
}

/// Folders of the files that the table of invariants names without a folder.
const FOLDERS: [&str; 3] = ["", "engine/src", "protocol/src"];

/// Returns the text of a file of the table of invariants.
fn text_of(named: &str) -> Option<String> {
    FOLDERS.iter().find_map(|folder| fs::read_to_string(root().join(folder).join(named)).ok())
}

#[test]
fn every_invariant_names_a_test_that_exists() {
    let page = fs::read_to_string(root().join("tests/README.md")).expect("a page");
    let (_, section) = page.split_once("\n## What holds everywhere\n").expect("the section");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<_> = rows.skip(1).collect();
    assert!(rows.len() >= 50, "{}", rows.len());
    for row in rows {
        let (_, held_by) = row.rsplit_once(" | ").expect("two cells");
        let quoted: Vec<_> = held_by.split('`').skip(1).step_by(2).collect();
        let is_test = |word: &&str| word.matches('_').count() > 1 && !word.contains('/');
        let (tests, others): (Vec<&str>, Vec<&str>) = quoted.into_iter().partition(is_test);
        let files = others.into_iter().filter(|word| word.contains('/'));
        let texts: Vec<_> = files
            .map(|file| text_of(file).unwrap_or_else(|| panic!("{file} is not there: {row}")))
            .collect();
        assert!(!texts.is_empty(), "{row}");
        for test in tests {
            // Dots stand for the ends of the names of several tests.
            let head = match test.strip_suffix("...") {
                Some(begin) => format!("fn {begin}"),
                None => format!("fn {test}("),
            };
            assert!(texts.iter().any(|text| text.contains(&head)), "{test} is not there: {row}");
        }
    }
}
