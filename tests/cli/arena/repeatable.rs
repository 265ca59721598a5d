//! Runs that are killed, resumed and repeated: every game counts once, and games are reproducible.

use std::collections::BTreeSet;

use serde_json::Value;

use super::runs::{Lab, Outcome, Running, TENGEN, files_follow_from_the_journal};

/// Kills a run at a random time, after some of its games.
fn kill_at_random(lab: &Lab, words: &[&str], random: &mut fastrand::Rng) {
    let mut run = Running::start(lab.arena(words));
    for _ in 0..random.u32(0..8) {
        if run.finished().is_none() {
            break;
        }
    }
    for _ in 0..random.u32(0..20_000) {
        std::thread::yield_now();
    }
    run.kill();
    lab.await_quiet();
}

/// Plays a run of `rounds` rounds that is killed `kills` times. Then every game must have one
/// record, and every file must agree with the records.
fn play_with_kills(lab: &Lab, kills: u32, rounds: u32) {
    let (cmd, rounds_word) = (format!("cmd={TENGEN}"), rounds.to_string());
    let start = [
        "-engine",
        &cmd,
        "name=A",
        "-engine",
        &cmd,
        "name=B",
        "-each",
        "nodes=20",
        "proto=uci",
        "-variant",
        "tictactoe",
        "-rounds",
        &rounds_word,
        "-concurrency",
        "2",
        "-force-concurrency",
        "-out",
        "run",
    ];
    let mut random = fastrand::Rng::with_seed(11);
    // A run that is killed before its first record cannot be resumed.
    let mut run = Running::start(lab.arena(&start));
    assert!(run.finished().is_some());
    run.kill();
    lab.await_quiet();
    for _ in 0..kills {
        kill_at_random(lab, &["resume", "run"], &mut random);
    }
    let last = lab.run(&["resume", "run"]);
    assert_eq!(last.status, Some(0), "{last:?}");

    let games = 2 * u64::from(rounds);
    let journal = lab.journal("run");
    let ids: Vec<u64> = journal.iter().filter_map(|record| record["id"].as_u64()).collect();
    let unique: BTreeSet<u64> = ids.iter().copied().collect();
    assert_eq!((ids.len() as u64, unique), (games, (0..games).collect()));
    let names = ["games.pgn", "games.csv", "games.jsonl", "games.sgf", "players.csv"];
    files_follow_from_the_journal(lab, "run", &names);
    lab.await_quiet();
}

#[test]
fn a_run_that_is_killed_repeatedly_plays_every_game_once() {
    play_with_kills(&Lab::new("kills"), 12, 50);
}

#[test]
#[ignore = "campaign: see tests/README.md"]
fn campaign_kills() {
    play_with_kills(&Lab::new("many-kills"), 100, 1000);
}

#[test]
#[ignore = "campaign: see tests/README.md"]
fn campaign_many_games_at_once() {
    let lab = Lab::new("many");
    let cmd = format!("cmd={TENGEN}");
    let run = lab.run(&[
        "-engine",
        &cmd,
        "name=A",
        "-engine",
        &cmd,
        "name=B",
        "-each",
        "tc=1+0.01",
        "nodes=20",
        "option.Hash=1",
        "proto=uci",
        "-variant",
        "cfour",
        "-rounds",
        "128",
        "-concurrency",
        "128",
        "-force-concurrency",
        "-out",
        "run",
    ]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let games = lab.games("run");
    assert_eq!(games.len(), 256);
    // Losses on time are caused by the busy machine and must be marked.
    let unmarked = |game: &&Value| game["end"]["kind"] == "time" && game["suspect"] != true;
    assert_eq!(games.iter().filter(unmarked).count(), 0);
    lab.await_quiet();
}

/// Returns the moves and the ends of the games of two engines with these dialects.
fn games_of(lab: &Lab, variant: &[&str], dialects: [&str; 2]) -> Vec<(Value, Value, Value)> {
    let (cmd, out) = (format!("cmd={TENGEN}"), dialects.join("-") + variant[0]);
    let openings = format!("file={}", lab.write("two.txt", "d1 d2\nc1 e1\n"));
    let protos = dialects.map(|dialect| format!("proto={dialect}"));
    let mut words =
        vec!["-engine", &cmd, "name=A", &protos[0], "-engine", &cmd, "name=B", &protos[1]];
    words.extend(["-each", "nodes=400", "-openings", &openings, "format=moves", "-rounds", "2"]);
    words.extend(["-out", &out, "-variant"]);
    words.extend(variant);
    let run = lab.run(&words);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(!run.out.contains("Warning"), "{run:?}");
    let field = |game: &Value, name: &str| game[name].clone();
    let games = lab.games(&out).into_iter();
    games.map(|game| (field(&game, "moves"), field(&game, "score"), field(&game, "end"))).collect()
}

#[test]
fn an_engine_plays_the_same_games_in_every_dialect() {
    let lab = Lab::new("dialects");
    for variant in [
        &["gomokufreestyle"][..],
        &["cfour"],
        &["custom", "-boardsize", "9x7", "-k", "4", "-gravity", "off"],
    ] {
        let by_uci = games_of(&lab, variant, ["uci", "uci"]);
        assert_eq!(by_uci.len(), 4);
        for dialects in [["gtp", "uci"], ["ugi", "gtp"]] {
            assert_eq!(games_of(&lab, variant, dialects), by_uci, "{variant:?} {dialects:?}");
        }
    }
}

/// Removes times and memory, which differ between runs, from a game.
fn timeless(game: &Value) -> Value {
    let mut game = game.clone();
    let fields = game.as_object_mut().unwrap();
    for field in ["started", "millis", "usage", "crc"] {
        fields.remove(field);
    }
    for note in game["notes"].as_array_mut().unwrap() {
        for field in ["us", "ms"] {
            note.as_object_mut().unwrap().remove(field);
        }
    }
    game
}

/// Returns the line of the sequential test in the output.
fn verdict(run: &Outcome) -> String {
    let line = run.out.lines().rfind(|line| line.starts_with("LLR"));
    line.unwrap_or_else(|| panic!("{run:?}")).to_owned()
}

#[test]
fn a_test_with_fixed_nodes_decides_equally_at_every_concurrency_and_after_kills() {
    let lab = Lab::new("sprt");
    let cmd = format!("cmd={TENGEN}");
    let columns = || (1..=7).flat_map(|one| (1..=7).map(move |two| format!("{one}{two}\n")));
    let openings = format!("file={}", lab.write("openings.txt", &columns().collect::<String>()));
    let words = |concurrency: &'static str, out: &'static str| {
        [
            "-engine",
            &cmd,
            "name=new",
            "nodes=300",
            "-engine",
            &cmd,
            "name=old",
            "nodes=40",
            "-each",
            "proto=uci",
            "-variant",
            "cfour",
            "-openings",
            &openings,
            "format=moves",
            "order=random",
            "-srand",
            "3",
            "-sprt",
            "elo0=0",
            "elo1=150",
            "-concurrency",
            concurrency,
            "-force-concurrency",
            "-out",
            out,
        ]
        .map(str::to_owned)
    };
    let run = |concurrency, out| {
        let words = words(concurrency, out);
        lab.run(&words.each_ref().map(String::as_str))
    };
    let alone = run("1", "alone");
    let together = run("8", "together");
    assert_eq!((alone.status, together.status), (Some(0), Some(0)), "{alone:?}\n{together:?}");

    let words = words("3", "killed");
    let mut random = fastrand::Rng::with_seed(4);
    let mut run = Running::start(lab.arena(&words.each_ref().map(String::as_str)));
    assert!(run.finished().is_some());
    run.kill();
    for _ in 0..2 {
        kill_at_random(&lab, &["resume", "killed"], &mut random);
    }
    let killed = lab.run(&["resume", "killed"]);

    assert_eq!(verdict(&alone), verdict(&together));
    assert_eq!(verdict(&alone), verdict(&killed));
    // Without concurrency, nothing is played after the deciding pair.
    let games = lab.games("alone");
    assert!(games.len() >= 8 && games.len().is_multiple_of(2), "{}", games.len());
    for other in ["together", "killed"] {
        let others = lab.games(other);
        for (one, other) in games.iter().zip(&others) {
            assert_eq!(timeless(one), timeless(other));
        }
        assert!(others.len() >= games.len());
    }
}
