//! Checks comments and documents: doc comments that make no sense alone, and wrong terms.

use std::fs;
use std::path::{Path, PathBuf};

/// Beginnings of doc comments that make no sense alone in a list.
const BEGINNINGS: [&str; 6] =
    ["The same", "Like it", "Whether it is also", "Those ", "As above", "Ditto"];

/// Wrong terms, in two parts so that this file does not contain them, and the right ones.
const TERMS: [(&str, &str, &str); 2] =
    [("connection", " game", "n-in-a-row game"), ("continuous threes", " and fours", "VCT")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Collects the files with these extensions below a folder, without hidden folders and build
/// outputs.
fn collect(folder: &Path, kinds: &[&str], files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "node_modules"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(&path, kinds, files);
        } else if path.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known)) {
            files.push(path);
        }
    }
}

fn files(kinds: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(root(), kinds, &mut files);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        (path.strip_prefix(root()).expect("below the root").display().to_string(), text)
    };
    files.into_iter().map(read).collect()
}

/// Returns the text of a line of a doc comment; `None` for other lines.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "))
}

/// Returns the first line of each doc comment, and its number.
fn first_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut was_doc = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let trimmed = line.trim_start();
        let is_doc = trimmed.starts_with("///") || trimmed.starts_with("//!");
        let is_first = is_doc && !was_doc;
        was_doc = is_doc;
        doc(line).filter(|_| is_first).map(|line| (number + 1, line))
    })
}

#[test]
fn a_doc_comment_makes_sense_alone() {
    let mut found = Vec::new();
    let mut comments = 0;
    for (name, text) in files(&["rs"]) {
        for (number, line) in first_lines(&text) {
            comments += 1;
            if BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)) {
                found.push(format!("{name}:{number}: {line}"));
            }
        }
    }
    assert!(comments > 1_000, "{comments} comments");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn games_and_techniques_have_the_names_of_the_field() {
    let mut found = Vec::new();
    for (name, text) in files(&["rs", "md", "toml", "txt", "py"]) {
        for (number, line) in text.lines().enumerate() {
            for (begin, end, instead) in TERMS {
                if line.to_lowercase().contains(&format!("{begin}{end}")) {
                    found.push(format!("{name}:{}: say {instead}", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_beginning_of_each_comment_is_found() {
    let text = "/// One.\n/// Two.\nfn f() {}\n    //! Three.\n// no\n/// Four.";
    let lines: Vec<_> = first_lines(text).collect();
    assert_eq!(lines, [(1, "One."), (4, "Three."), (6, "Four.")]);
}

#[test]
fn comments_in_records_name_mistakes_sides_and_rules_as_the_page_does() {
    let read = |path: String| -> serde_json::Map<String, serde_json::Value> {
        let text = fs::read_to_string(root().join(&path))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    for language in ["en", "zh", "ja", "vi", "ru"] {
        let comments = read(format!("protocol/src/judge/lang/{language}.json"));
        let mut page = read(format!("web/page/lang/{language}.more.json"));
        page.append(&mut read(format!("web/page/lang/{language}.json")));
        let shared = ["mark.", "puzzles.", "side.", "threat.", "threats.open", "v.", "why."];
        let begins = |key: &str| shared.iter().any(|it| key.starts_with(it));
        let marks = comments.iter().filter(|(key, _)| begins(key));
        assert_eq!(marks.clone().count(), 28);
        marks.for_each(|(key, text)| assert_eq!(page.get(key), Some(text), "{language}: {key}"));
    }
}
