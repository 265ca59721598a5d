//! The documents: every link has a target, and every console example prints what it shows.
//!
//! `docs/manual/README.md` describes the form of examples. The blocks of a page run in order, in
//! one folder of their own, so that a later one may use what an earlier one wrote.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use tengen_records::Format;

/// A timeout that turns a hang into a failure. No result depends on it.
const TIMEOUT: Duration = Duration::from_secs(120);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Collects the Markdown pages below a folder, hidden folders and build outputs left out.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "node_modules"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    collect(root(), &mut pages);
    pages.sort();
    assert!(pages.len() >= 10, "{pages:?}");
    pages
}

fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap().display().to_string()
}

/// Returns the lines of a page outside of code blocks. Inline code is blanked if `blank`.
fn prose(text: &str, blank: bool) -> String {
    let mut out = String::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let parts = line.split('`').enumerate();
            let kept = parts.map(|(place, part)| if blank && place % 2 == 1 { "" } else { part });
            out.push_str(&kept.collect::<Vec<_>>().join("`"));
        }
        out.push('\n');
    }
    out
}

/// Returns the targets of the inline links of a page. Parentheses inside a target must be balanced.
fn targets(text: &str) -> Vec<String> {
    let text = prose(text, true);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("](") {
        let rest = &text[at + 2..];
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        found.push(rest[..end.expect("a link ends with a parenthesis")].to_owned());
    }
    found
}

/// Returns the anchors that GitHub gives the headings of a page.
fn anchors(text: &str) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let text = prose(text, false);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|heading| {
            let words = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
            let slug: String = words.chars().filter(kept).collect::<String>().replace(' ', "-");
            let count = counts.entry(slug.clone()).or_default();
            *count += 1;
            if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
        })
        .collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut links = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in targets(&text) {
            if target.contains("://") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let is_found = match anchor {
                "" => path.exists(),
                anchor => fs::read_to_string(&path)
                    .is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor)),
            };
            if !is_found {
                broken.push(format!("{}: {target}", name(&page)));
            }
        }
    }
    assert!(links > 50, "{links} links");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// An example: a command, and the lines typed and printed after it.
struct Example {
    /// The page and the line of the command.
    at: String,
    command: String,
    steps: Vec<Step>,
}

enum Step {
    Typed(String),
    Printed(String),
}

/// Returns the examples in the console blocks of a page.
fn examples(page: &Path) -> Vec<Example> {
    let text = fs::read_to_string(page).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    for (number, line) in text.lines().enumerate() {
        let at = format!("{}:{}", name(page), number + 1);
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if is_console && let Some(command) = line.strip_prefix("$ ") {
            examples.push(Example { at, command: command.to_owned(), steps: Vec::new() });
        } else if is_console {
            let example = examples.last_mut().unwrap_or_else(|| panic!("{at}: no command"));
            example.steps.push(match line.strip_prefix("> ") {
                Some(typed) => Step::Typed(typed.to_owned()),
                None => Step::Printed(line.to_owned()),
            });
        }
    }
    examples
}

/// Returns whether `text` matches `pattern`, in which `...` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("...") else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.into_iter().any(|at| matches(rest, &text[at..]))
}

/// A program that runs an example.
struct Run<'a> {
    example: &'a Example,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Whether the next lines may be any text.
    is_open: bool,
}

impl<'a> Run<'a> {
    fn new(example: &'a Example, folder: &Path) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_tengen"));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let command = format!("{{ {}\n}} 2>&1", example.command);
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder).env("PATH", path);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = String::from_utf8_lossy(line.unwrap().as_bytes()).into_owned();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut stdin = child.stdin.take();
        let is_dialogue = example.steps.iter().any(|step| matches!(step, Step::Typed(_)));
        if !is_dialogue {
            stdin = None;
        }
        Self { example, child, stdin, lines, is_open: false }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Typed(line) => {
                let stdin = self.stdin.as_mut().expect("a dialogue has an input");
                writeln!(stdin, "{line}").unwrap();
                stdin.flush().unwrap();
            }
            Step::Printed(line) if line == "..." => self.is_open = true,
            Step::Printed(line) => self.expect(line),
        }
    }

    fn expect(&mut self, expected: &str) {
        let Example { at, command, .. } = self.example;
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            let line =
                line.unwrap_or_else(|_| panic!("{at}: {command}: never prints {expected:?}"));
            if matches(expected, &line) {
                self.is_open = false;
                return;
            }
            assert!(self.is_open, "{at}: {command}\nshown   {expected:?}\nprinted {line:?}");
        }
    }

    fn end(mut self) {
        let Example { at, command, .. } = self.example;
        self.stdin = None;
        while let Ok(line) = self.lines.recv_timeout(TIMEOUT) {
            assert!(self.is_open, "{at}: {command}\nnot shown {line:?}");
        }
        self.child.wait().unwrap();
    }
}

#[test]
fn every_console_example_prints_what_it_shows() {
    let mut count = 0;
    for page in pages() {
        let examples = examples(&page);
        if examples.is_empty() {
            continue;
        }
        let folder = std::env::temp_dir().join(format!(
            "tengen-page-{}-{}",
            page.file_stem().unwrap().to_string_lossy(),
            std::process::id()
        ));
        fs::create_dir_all(&folder).unwrap();
        for example in &examples {
            let mut run = Run::new(example, &folder);
            example.steps.iter().for_each(|step| run.step(step));
            run.end();
        }
        count += examples.len();
        // A folder that stays does no harm.
        let _ = fs::remove_dir_all(&folder);
    }
    assert!(count >= 30, "{count} examples");
}

/// Returns the output of the program for `args` and `input`.
fn printed(args: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_manual_has_every_command_option_and_variant() {
    let help = printed(&["--help"], "");
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|at| !at.starts_with(' ')));
    let commands: Vec<_> = names.map(|line| line.split(' ').next().unwrap()).collect();
    assert!(commands.len() >= 9, "{commands:?}");
    let manual = page("docs/manual/command-line.md");
    for name in commands.into_iter().filter(|name| *name != "help") {
        assert!(manual.contains(&format!("| `tengen {name}")), "no row for tengen {name}");
    }
    let options = page("docs/manual/options.md");
    let uci = printed(&[], "uci\nquit\n");
    let announced = uci.lines().filter_map(|line| line.strip_prefix("option name "));
    let announced: Vec<_> = announced.map(|line| line.split(" type ").next().unwrap()).collect();
    assert!(announced.len() > 20, "{announced:?}");
    for name in announced {
        assert!(options.contains(&format!("`{name}`")), "no row for the option {name}");
    }
    let variants = page("docs/manual/variants.md");
    let combo = uci.lines().find(|line| line.contains("UCI_Variant")).unwrap();
    for name in combo.split(" var ").skip(1).filter(|name| *name != "auto") {
        assert!(variants.contains(&format!("| `{name}`")), "no row for the variant {name}");
    }
}

#[test]
fn the_manual_has_every_format_of_records() {
    let page = page("docs/manual/records.md");
    for format in Format::all() {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", format.name())));
        let row = row.unwrap_or_else(|| panic!("records.md has no row for {}", format.name()));
        let missing = |extension: &&&str| !row.contains(&format!("`.{extension}`"));
        assert_eq!(format.extensions().iter().find(missing), None, "{row}");
    }
}

#[test]
fn dots_stand_for_any_text() {
    assert!(matches("a...c", "abc") && matches("a...", "a") && matches("...b...", "abc"));
    assert!(!matches("a...c", "ab") && !matches("abc", "abcd") && !matches("a...b...c", "acb"));
}
