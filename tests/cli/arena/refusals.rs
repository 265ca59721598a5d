//! What the arena says about options of other match runners, about engines, and about ratings.

use super::runs::Lab;
use crate::support::published;

#[test]
fn an_option_of_another_match_runner_names_ours() {
    let lab = Lab::new("foreign");
    for (words, ours) in [
        (vec!["-testEnv"], "-testEnv: leave it out"),
        (vec!["-show-latency"], "tengen arena report FOLDER --details"),
        (vec!["-randomseed"], "write -srand N"),
        (vec!["-crc32", "pgn=true"], "the journal has a CRC-32 on each line"),
        (vec!["-loseonly"], "write -jsonl FILE"),
        (vec!["-kfactor", "10"], "-bootstrap N"),
        (vec!["--compliance", "engine"], "tengen arena check cmd=ENGINE"),
        (vec!["-version"], "write \"tengen --version\""),
        (vec!["-engine", "cmd=a", "st=1", "arguments=-x"], "engine: arguments=: write args="),
        (
            vec!["-pgnout", "notation=san", "file=x"],
            "pgnout: notation=: leave it out: moves are coordinates",
        ),
        (vec!["-log", "file=x", "level=trace"], "log: level=: leave it out"),
    ] {
        let run = lab.run(&words);
        assert!(run.status == Some(1) && run.err.contains(ours), "{words:?}: {run:?}");
    }
}

#[test]
fn the_share_of_draws_changes_no_rating() {
    let lab = Lab::new("draws");
    let mut seen = Vec::new();
    for name in ["H1-three-players-no-draws.pgn", "H3-three-players-40-draws.pgn"] {
        let Some(games) = published::text(&format!("reports/{name}")) else { return };
        lab.write(name, &games);
        let run = lab.run(&["rate", name, "-advantage", "off"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let elo = |line: &str| line.split_ascii_whitespace().nth(2).map(str::to_owned);
        seen.push(run.out.lines().skip(1).take(3).map(elo).collect::<Vec<_>>());
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0][0].as_deref().is_some_and(|elo| elo.starts_with("131")), "{seen:?}");
}

#[test]
fn ratings_count_the_result_that_all_commands_read() {
    let lab = Lab::new("results");
    let game = |result: &str, moves: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Variant \"gomokufreestyle\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    let five = "1. h8 a1 2. h9 b1 3. h10 c1 4. h11 a3 5. h12";
    let file =
        [game("1-0", five), game("0-1", five), game("*", "1. h8"), game("1 - 0", "1. h8 a1")];
    lab.write("games.pgn", &file.concat());
    let run = lab.run(&["rate", "games.pgn", "-advantage", "off"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let first = run.out.lines().nth(1).unwrap_or_default().to_owned();
    assert!(first.contains(" A ") && first.contains("100.0 %"), "{run:?}");
    assert_eq!(first.split_ascii_whitespace().nth(4), Some("2"), "{run:?}");
    assert!(run.err.contains("games.pgn:8: the result contradicts the board"), "{run:?}");
    assert!(run.err.contains("games without a result, which do not count: 1"), "{run:?}");
    // The first player is Black, by the order of the tags.
    let Some(games) = published::text("reports/A1-cgomokucli.pgn") else { return };
    lab.write("a1.pgn", &games);
    let run = lab.run(&["rate", "a1.pgn", "-advantage", "off"]);
    assert!(
        run.status == Some(0) && run.out.contains("Alpha") && run.out.contains("83.3 %"),
        "{run:?}"
    );
}

#[test]
fn a_check_finds_a_second_move_and_a_refused_board() {
    let lab = Lab::new("check");
    let script = |name: &str, does: &str| {
        let text = format!("while read -r line; do case $line in {does} esac; done\n");
        format!("args={}", lab.write(name, &text))
    };
    let twice = script(
        "twice.sh",
        "uci) echo uciok ;; isready) echo readyok ;; quit) exit 0 ;; \
         go*) echo info depth 1 score cp 1; echo bestmove e5; echo bestmove e6 ;;",
    );
    let run = lab.run(&["check", "cmd=sh", &twice, "proto=uci"]);
    assert!(
        run.status == Some(1) && run.out.contains("FAILED one move   e6 comes after"),
        "{run:?}"
    );
    let plain = "*list_commands) echo \"=${line%% *} boardsize\"; for name in clear_board play genmove time_settings time_left
                 do echo $name; done; echo ;; *quit) exit 0 ;; *boardsize*) echo \"?${line%% *} no such board\"; echo ;;
                 *) echo \"=${line%% *} H8\"; echo ;;";
    let plain = script("plain.sh", plain);
    for (words, why) in [
        (
            &["st=2", "-variant", "gomoku"][..],
            "has no command tengen-variant; where it plays gomoku by itself, say variant-name=none",
        ),
        (&["nodes=9"], "has no command tengen-limit, which nodes= and depth= need"),
        (&["st=0.5"], "GTP counts whole seconds: st= must be at least 1"),
        (&["st=2", "option.Hash=1"], "has no command tengen-option"),
        (&["st=2"], "answered a new game with \"boardsize 15: ? no such board\""),
    ] {
        let run = lab.run(&[&["check", "cmd=sh", &plain, "proto=gtp"], words].concat());
        assert!(run.status == Some(1) && run.out.contains(why), "{why}: {run:?}");
    }
    let small = script("small.sh", "START*) echo ERROR unsupported size ;; END) exit 0 ;;");
    let words = ["check", "cmd=sh", &small, "-variant", "gomokufreestyle", "-boardsize", "7"];
    let run = lab.run(&words);
    let why = "speaks gomocup and refuses the board of 7x7: \"ERROR unsupported size\"";
    assert!(run.status == Some(1) && run.out.contains(why), "{run:?}");
}
