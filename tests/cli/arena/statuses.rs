//! Refused command lines, and exit statuses.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::runs::{Lab, TENGEN, columns_engine, scripts};
use crate::support::running::TIMEOUT;

/// Returns the arguments of two normal engines.
fn normal_engines() -> Vec<String> {
    let cmd = format!("cmd={TENGEN}");
    ["-engine", &cmd, "name=A", "-engine", &cmd, "name=B", "-each", "nodes=10", "proto=uci"]
        .map(str::to_owned)
        .to_vec()
}

fn with<'a>(words: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    words.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

/// Returns the arguments `more` before those of the normal engines. An engine in `more` is started
/// first, so that the short timeout does not hit the others.
fn first<'a>(more: &[&'a str], words: &'a [String]) -> Vec<&'a str> {
    more.iter().copied().chain(words.iter().map(String::as_str)).collect()
}

#[test]
fn what_cannot_be_played_is_refused_in_one_line() {
    let lab = Lab::new("refused");
    lab.write("broken.toml", "rounds = 2\nvariant = \"renju\n");
    lab.write("key.toml", "rounds = 2\nround = 3\n");
    lab.write("openings.txt", "11\n1z\n");
    let mute = format!("args={}", lab.write("mute.sh", "exec sleep 1000\n"));
    let script = "echo cannot load net file >&2\nexec sleep 1000\n";
    let complains = format!("args={}", lab.write("complains.sh", script));
    let words = normal_engines();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["broken.toml"], "arena: broken.toml:2: "),
        (
            vec!["key.toml"],
            "arena: key.toml:2: unknown option \"round\": it must be one of engine,",
        ),
        (vec!["missing.toml"], "arena: missing.toml: cannot be read: "),
        (
            with(&words, &["-variant", "chess"]),
            "arena: variant \"chess\": it must be one of cfour,",
        ),
        (
            with(&words, &["-variant", "cfour", "-proof", "win=on", "-sprt", "elo0=0", "elo1=5"]),
            "arena: proof: cfour is solved, so that a test would count wins that an engine might miss; -force-proof",
        ),
        (
            with(&words, &["-variant", "cfour", "-openings", "file=openings.txt", "format=moves"]),
            "arena: openings.txt:2:",
        ),
        (
            with(&words, &["-variant", "cfour", "-engine", "cmd=./nowhere"]),
            "arena: engine nowhere: there is no program \"./nowhere\"",
        ),
        (
            first(&["-variant", "cfour", "-startup-ms", "200", "-engine", "cmd=cat"], &words),
            "arena: engine cat: it speaks none of the dialects that were tried (",
        ),
        (
            first(&["-variant", "cfour", "-startup-ms", "200", "-engine", "cmd=sh", &mute], &words),
            "arena: engine sh: it speaks none of the dialects that were tried (uci: no answer to \"uci\" within 200 ms)",
        ),
        (
            first(
                &[
                    "-variant",
                    "cfour",
                    "-startup-ms",
                    "2000",
                    "-engine",
                    "cmd=sh",
                    "proto=uci",
                    &complains,
                ],
                &words,
            ),
            "arena: engine sh: it speaks none of the dialects that were tried (uci: no answer to \"uci\" within 2 s; its last words on standard error: \"cannot load net file\")",
        ),
        (
            with(&words, &["-variant", "cfour", "-each", "option.Hush=3"]),
            "arena: engine A: it has no option \"Hush\"; it has Hash,",
        ),
        (
            with(&words, &["-variant", "cfour", "-each", "option.BookFile=nowhere.book"]),
            "arena: engine A: option BookFile \"nowhere.book\": No such file",
        ),
    ];
    for (words, why) in cases {
        let run = lab.run(&words);
        assert_eq!(run.status, Some(1), "{words:?}: {run:?}");
        let last = run.err.lines().last().unwrap_or_default();
        assert!(last.starts_with(&format!("tengen: {why}")), "{words:?}: {}", run.err);
    }
    // None of them created a run folder.
    let runs = fs::read_dir(&lab.folder).unwrap().flatten();
    assert_eq!(runs.filter(|entry| entry.path().is_dir()).count(), 0);
    lab.await_quiet();
}

#[test]
fn a_run_folder_that_is_in_use_or_damaged_is_left_alone() {
    let lab = Lab::new("folder");
    let words = normal_engines();
    let run = lab.run(&with(&words, &["-variant", "tictactoe", "-rounds", "2", "-out", "run"]));
    assert_eq!(run.status, Some(0), "{run:?}");
    let again = lab.run(&with(&words, &["-variant", "tictactoe", "-out", "run"]));
    assert_eq!(again.status, Some(1), "{again:?}");
    assert!(again.err.contains("run holds a run; resume with \"tengen arena resume run\""));

    let lock = fs::File::open(lab.path("run").join("lock")).unwrap();
    lock.lock().unwrap();
    let locked = lab.run(&["resume", "run"]);
    assert_eq!(locked.status, Some(4), "{locked:?}");
    assert!(locked.err.contains("another arena plays in this folder"), "{locked:?}");
    drop(lock);

    let fewer = lab.run(&["resume", "run", "-rounds", "1"]);
    assert_eq!(fewer.status, Some(1), "{fewer:?}");
    let more = lab.run(&["resume", "run", "-rounds", "3"]);
    assert_eq!((more.status, lab.games("run").len()), (Some(0), 6), "{more:?}");

    let journal = lab.path("run").join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let line = text.lines().position(|line| line.contains("\"game\"")).unwrap();
    fs::write(&journal, text.replacen("\"id\":0", "\"id\":9", 1)).unwrap();
    let damaged = lab.run(&["resume", "run"]);
    assert_eq!(damaged.status, Some(4), "{damaged:?}");
    let why = format!("journal.jsonl:{}: the journal is damaged: its checksum is wrong", line + 1);
    assert!(damaged.err.contains(&why), "{damaged:?}");
}

#[test]
fn book_scores_without_lines_pass_strict() {
    let lab = Lab::new("strict");
    // The opening book has exact scores but no lines to the end.
    let words = normal_engines();
    let more = ["-variant", "cfour", "-rounds", "1", "-strict", "-out", "run"];
    let strict = lab.run(&with(&words, &more));
    assert_eq!(strict.status, Some(0), "{strict:?}");
    // A book knows results without lines to the end, which is no fault.
    assert!(!strict.out.contains("Warning"), "{strict:?}");
    assert!(lab.games("run").iter().all(|game| game["warnings"].is_null()));
}

/// Starts a run, interrupts it `times` times in its first game, and returns the exit status. After
/// one interruption the engines may move.
fn interrupted(lab: &Lab, words: &[&str], times: u32) -> Option<i32> {
    let mut child = lab.arena(words).stdout(Stdio::null()).spawn().unwrap();
    let started_at = Instant::now();
    while !lab.path("asked").exists() {
        assert!(started_at.elapsed() < TIMEOUT, "no game has started");
        std::thread::yield_now();
    }
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    for time in 0..times {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        // Wait for the effect: the kernel merges equal pending signals.
        let is_note = |line: &String| line.contains("1 running games are finished");
        assert!(time > 0 || errors.by_ref().map(Result::unwrap).any(|line| is_note(&line)));
    }
    if times == 1 {
        lab.write("release", "");
    }
    child.wait().unwrap().code()
}

#[test]
fn the_first_interruption_finishes_running_games_and_the_second_one_leaves_them() {
    let lab = Lab::new("interrupted");
    // The engine creates `asked` at its first `go`, and moves when `release` exists.
    let go = ": > asked; until [ -e release ]; do :; done; echo bestmove $mv";
    let args = format!("args={}", lab.write("waits.sh", &columns_engine("", go)));
    let dir = format!("dir={}", lab.folder.display());
    let words = |out| scripts([&args, &args], &["-each", &dir, "-rounds", "2", "-out", out]);
    let twice = interrupted(&lab, &words("left"), 2);
    assert_eq!((twice, lab.games("left").len()), (Some(130), 0));
    lab.await_quiet();
    fs::remove_file(lab.path("asked")).unwrap();
    let once = interrupted(&lab, &words("run"), 1);
    assert_eq!((once, lab.games("run").len()), (Some(130), 1));
    let resumed = lab.run(&["resume", "run"]);
    assert_eq!((resumed.status, lab.games("run").len()), (Some(0), 4), "{resumed:?}");
    lab.await_quiet();
}

#[test]
fn exit_statuses_tell_how_a_run_ended() {
    let lab = Lab::new("statuses");
    let words = normal_engines();
    let cmd = format!("cmd={TENGEN}");
    let full =
        lab.run(&with(&words, &["-variant", "tictactoe", "-out", "full", "-pgnout", "/dev/full"]));
    assert_eq!(full.status, Some(5), "{full:?}");
    assert!(full.err.contains("/dev/full: "), "{full:?}");

    let test =
        ["-variant", "tictactoe", "-rounds", "1", "-sprt", "elo0=0", "elo1=5", "-out", "none"];
    let undecided = lab.run(&with(&words, &test));
    assert_eq!(undecided.status, Some(11), "{undecided:?}");

    let columns = || (1..=7).flat_map(|one| (1..=7).map(move |two| format!("{one}{two}\n")));
    let openings = format!("file={}", lab.write("openings.txt", &columns().collect::<String>()));
    let worse = lab.run(&[
        "-engine",
        &cmd,
        "name=worse",
        "nodes=5",
        "-engine",
        &cmd,
        "name=better",
        "nodes=500",
        "-each",
        "proto=uci",
        "-variant",
        "cfour",
        "-openings",
        &openings,
        "format=moves",
        "-sprt",
        "elo0=0",
        "elo1=200",
        "-out",
        "worse",
    ]);
    assert_eq!(worse.status, Some(10), "{worse:?}");
    assert!(worse.out.contains("H0 accepted"), "{worse:?}");

    let dies = format!(
        "args={}",
        lab.write(
            "dies.sh",
            "while read -r line; do case $line in
            uci) echo 'option name UCI_Variant type combo default x var tictactoe'; echo uciok ;;
            isready) echo readyok ;;
            go*) exit 1 ;;
            quit) exit 0 ;;
            esac; done\n",
        )
    );
    let failing = lab.run(&[
        "-engine",
        "cmd=sh",
        &dies,
        "name=dies",
        "-engine",
        &cmd,
        "name=good",
        "-each",
        "proto=uci",
        "nodes=10",
        "-variant",
        "tictactoe",
        "-rounds",
        "10",
        "-out",
        "failing",
    ]);
    assert_eq!(failing.status, Some(3), "{failing:?}");
    assert!(failing.err.contains("dies failed in 5 games in a row: the tournament ends"));
    assert!(failing.err.contains("-max-failures N allows"), "{failing:?}");
    assert_eq!(lab.games("failing").len(), 5);
    let again = lab.run(&["resume", "failing"]);
    assert_eq!((again.status, lab.games("failing").len()), (Some(3), 5), "{again:?}");
    let unknown = lab.run(&["resume", "failing", "-readmit", "good"]);
    let why = "-readmit \"good\": it must be a withdrawn engine; withdrawn: dies";
    assert!(unknown.status == Some(1) && unknown.err.contains(why), "{unknown:?}");
    lab.await_quiet();
}

#[test]
fn games_that_neither_engine_can_play_are_no_success() {
    let lab = Lab::new("left-out");
    let begins_badly = columns_engine("", "").replace("isready) echo readyok", "isready) exit 1");
    let bad = format!("args={}", lab.write("bad.sh", &begins_badly));
    let run =
        lab.run(&scripts([&bad, &bad], &["-rounds", "1", "-max-failures", "0", "-out", "run"]));
    assert!(run.err.contains("game 2 could not be played 3 times: it is left out"), "{run:?}");
    assert_eq!((run.status, lab.games("run").len()), (Some(3), 0), "{run:?}");
    lab.await_quiet();
}

/// An engine that dies at its first move unless the file `repaired` exists. Else it plays column 1
/// or 2.
const DIES_UNLESS_REPAIRED: &str = "[ -e repaired ] || exit 1; echo bestmove $mv";

#[test]
fn a_broken_engine_is_withdrawn_and_plays_again_after_its_repair() {
    let lab = Lab::new("withdrawn");
    let good = format!("args={}", lab.write("good.sh", &columns_engine("", "echo bestmove $mv")));
    let bad = format!("args={}", lab.write("bad.sh", &columns_engine("", DIES_UNLESS_REPAIRED)));
    let dir = format!("dir={}", lab.folder.display());
    let mut words = scripts([&good, &good], &["-each", &dir, "-max-failures", "2"]);
    words.extend(["-rounds", "2", "-engine", "cmd=sh", &bad, "name=bad", "-out", "run"]);
    let run = lab.run(&words);
    assert_eq!(run.status, Some(3), "{run:?}");
    let note = "bad failed in 2 games in a row: it is withdrawn and forfeits its other games";
    assert!(run.err.contains(note), "{run:?}");
    assert!(run.out.contains("bad failed in 2 games in a row and was withdrawn."), "{run:?}");
    assert!(run.out.contains("Games forfeited: 6."), "{run:?}");
    assert_eq!(lab.games("run").len(), 6);
    // Even if the engine cannot be started any more, the run can be continued.
    std::fs::rename(lab.path("bad.sh"), lab.path("away.sh")).unwrap();
    let more = lab.run(&["resume", "run", "-rounds", "3"]);
    assert_eq!((more.status, lab.games("run").len()), (Some(3), 8), "{more:?}");
    std::fs::rename(lab.path("away.sh"), lab.path("bad.sh")).unwrap();
    lab.write("repaired", "");
    let repaired = lab.run(&["resume", "run", "-readmit", "bad"]);
    assert_eq!((repaired.status, lab.games("run").len()), (Some(0), 18), "{repaired:?}");
    assert!(!repaired.out.contains("forfeited"), "{repaired:?}");
    assert_eq!(lab.run(&["resume", "run"]).status, Some(0));
    lab.await_quiet();
}

#[test]
fn a_report_is_text_markdown_or_html() {
    let lab = Lab::new("report");
    let words = normal_engines();
    let cmd = format!("cmd={TENGEN}");
    let more = ["-engine", &cmd, "name=C", "-variant", "tictactoe", "-tournament", "swiss"];
    let run = lab.run(&with(&words, &[&more[..], &["-out", "run"]].concat()));
    assert_eq!(run.status, Some(0), "{run:?}");
    let first = run.out.lines().find(|line| line.starts_with("Rank")).unwrap();
    assert!(first.contains("Points") && first.ends_with("Buchholz"), "{first}");
    assert!(run.out.contains("  [game 1 of 4, "), "{run:?}");
    assert!(!run.out.contains("Mean ms"), "{run:?}");
    let details = lab.run(&["report", "run", "--details"]);
    assert!(details.out.contains("Mean ms"), "{details:?}");
    let markdown = lab.run(&["report", "run", "--markdown"]);
    assert!(markdown.out.starts_with("# run\n\n## Standings\n\n| Rank | Name |"), "{markdown:?}");
    let page = lab.run(&["report", "run", "--html"]);
    assert!(page.out.starts_with("<!DOCTYPE html>") && page.out.contains("<h2>Ratings</h2>"));
    let odd = lab.run(&["report", "run", "--pdf"]);
    let why = "report: \"--pdf\": it must be one of --details, --markdown, --html, --rebuild";
    assert!(odd.status == Some(1) && odd.err.contains(why), "{odd:?}");
}

#[test]
fn a_run_has_a_page_and_a_run_that_cannot_be_shown_says_why_in_one_line() {
    let lab = Lab::new("page");
    let run = lab.run(&with(&normal_engines(), &["-variant", "tictactoe", "-out", "run"]));
    assert_eq!(run.status, Some(0), "{run:?}");
    let page = lab.run(&["report", "run", "page.html"]);
    assert_eq!((page.status, page.out.as_str(), page.err.as_str()), (Some(0), "", ""));
    let text = fs::read_to_string(lab.path("page.html")).unwrap();
    assert!(text.contains("\"link\":\"v=tictactoe&s=3x3&m=") && text.contains("importmap"));
    let refused = |words: &[&str], status: i32, why: &str| {
        let run = lab.run(words);
        let is_one_line = run.err.lines().count() == 1;
        assert!(run.status == Some(status) && run.err.contains(why) && is_one_line, "{run:?}");
    };
    refused(
        &["report", "run", "page.txt"],
        1,
        "report: \"page.txt\": the name of a page must end with .html",
    );
    refused(
        &["report", "run", "p.html", "--details"],
        1,
        "\"p.html\" is a page, which takes no other option",
    );
    refused(
        &["show", "run", "--port"],
        1,
        "show \"run --port\": it must be FOLDER, or FOLDER -page 127.0.0.1:7880",
    );
    refused(&["show", "run", "-page", "x"], 1, "it must be an address and a port, such as");
    refused(&["show", "nowhere"], 1, "nowhere holds no run");
    let engines = normal_engines();
    let odd = with(&engines, &["-variant", "tictactoe", "-out", "odd", "-page", "7880"]);
    refused(&odd, 1, "page \"7880\": it must be an address and a port");
    for (journal, why) in [("", "the journal is empty"), ("{}\n{}\n", "the journal is damaged")] {
        lab.write("run/journal.jsonl", journal);
        for words in [&["show", "run"][..], &["report", "run", "page.html"]] {
            refused(words, 4, why);
        }
    }
}

#[test]
fn a_list_of_openings_goes_where_the_user_says() {
    let lab = Lab::new("openings-out");
    lab.write("some.txt", "a1\nb2\n");
    lab.write("old.txt", "old");
    std::os::unix::fs::symlink("old.txt", lab.path("link.txt")).unwrap();
    let list = ["openings", "-variant", "tictactoe", "-openings", "file=some.txt", "format=moves"];
    let to = |out: &[&str]| lab.run(&[&list[..], out].concat());
    let shown = to(&[]);
    assert_eq!((shown.status, shown.out.lines().count()), (Some(0), 2), "{shown:?}");
    for standard in ["-", "/dev/stdout"] {
        assert_eq!(to(&["-out", standard]).out, shown.out, "{standard}");
    }
    assert!(!lab.path("-").exists());
    for name in ["old.txt", "link.txt"] {
        let refused = to(&["-out", name]);
        let why = format!("{name} exists: -force overwrites it");
        assert!(refused.status == Some(1) && refused.err.contains(&why), "{refused:?}");
    }
    assert_eq!(to(&["-out", "link.txt", "-force"]).status, Some(0));
    assert!(lab.path("link.txt").is_symlink());
    assert_eq!(fs::read_to_string(lab.path("old.txt")).unwrap(), shown.out);
    assert_eq!(to(&["-out", "new.txt"]).status, Some(0));
    assert_eq!(to(&["-out", "/dev/full"]).status, Some(5));
    let folder = to(&["-out", "."]);
    assert!(folder.status == Some(1) && folder.err.contains(".: is a directory"), "{folder:?}");
}

#[test]
fn every_command_has_its_help() {
    let lab = Lab::new("help");
    for command in ["resume", "report", "show", "check", "openings", "rate", "spsa", "sprt", "elo"]
    {
        let help = lab.run(&[command, "--help"]);
        assert_eq!((help.status, help.err.as_str()), (Some(0), ""), "{help:?}");
        let usage = format!("Usage: tengen arena {command}");
        assert!(
            help.out.contains(&usage) && help.out.contains("Example: tengen arena"),
            "{help:?}"
        );
    }
}

#[test]
fn named_outputs_replace_nothing_and_hold_the_games_and_the_report() {
    let lab = Lab::new("outputs");
    lab.write("mine.pgn", "precious");
    let words = normal_engines();
    let game = ["-variant", "tictactoe", "-rounds", "1", "-out", "run"];
    let run = |more: &[&str]| lab.run(&with(&words, &[&game[..], more].concat()));
    for (option, file) in [("-pgnout", "mine.pgn"), ("-html", "mine.pgn"), ("-csv", "tables")] {
        fs::create_dir_all(lab.path("tables")).unwrap();
        lab.write("tables/players.csv", "precious");
        let refused = run(&[option, file]);
        assert_eq!(refused.status, Some(1), "{refused:?}");
        assert!(refused.err.contains("exists: -force overwrites it"), "{refused:?}");
        assert!(!lab.path("run").exists(), "{option}");
    }
    for (more, why) in [
        (&["-pgnout", "-"][..], "-pgnout -: standard output shows the run: name a file"),
        (&["-pgnout", "x.pgn", "min"], "-pgnout FILE min: leave it out: every move has"),
    ] {
        let refused = run(more);
        assert_eq!(refused.status, Some(1), "{refused:?}");
        assert!(refused.err.contains(why), "{refused:?}");
    }
    let read = |name: &str| fs::read_to_string(lab.path(name)).unwrap();
    let outputs = ["-pgnout", "mine.pgn", "fi", "-markdown", "r.md", "-html", "r.html", "-force"];
    let done = run(&outputs);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(read("r.md").starts_with("# run\n\n## Standings\n"), "{}", read("r.md"));
    assert!(read("r.html").contains("<title>run</title>"));
    let pgn = read("mine.pgn");
    assert!(pgn.starts_with("[Event ") && pgn.contains("[BoardSize \"3x3\"]\n"), "{pgn}");
    assert!(read("run/games.jsonl").contains("\"size\":[3,3]"));
    // A run that goes on completes its own file, and no other one.
    let other = lab.run(&["resume", "run", "-rounds", "2", "-sgfout", "tables/players.csv"]);
    assert!(other.status == Some(1) && other.err.contains("-sgfout: "), "{other:?}");
    let more = lab.run(&["resume", "run", "-rounds", "2"]);
    assert_eq!(more.status, Some(0), "{more:?}");
    assert!(read("mine.pgn").starts_with(&pgn) && read("mine.pgn").len() > pgn.len());
    assert_eq!(read("tables/players.csv"), "precious");
}
