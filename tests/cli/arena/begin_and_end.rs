//! Games that begin by an opening rule, and games that end by proof.

use super::runs::{Lab, TENGEN};

#[test]
fn games_begin_with_swap2_in_every_dialect() {
    let lab = Lab::new("swap2");
    let cmd = format!("cmd={TENGEN}");
    let run = lab.run(&[
        "-engine",
        &cmd,
        "name=asked",
        "proto=gomocup",
        "-engine",
        &cmd,
        "name=not asked",
        "proto=uci",
        "-each",
        "nodes=200",
        "-variant",
        "gomokufreestyle",
        "-rounds",
        "1",
        "-openings",
        "format=swap2",
        "-out",
        "run",
    ]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let games = lab.games("run");
    assert_eq!(games.len(), 2);
    for (game, proposer) in games.iter().zip(["asked", "not asked"]) {
        let decisions: Vec<&str> =
            game["course"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        assert!(decisions[0].starts_with(&format!("{proposer} places ")), "{decisions:?}");
        let by_search = decisions.iter().filter(|line| line.ends_with(" by a search of the arena"));
        assert!(by_search.clone().all(|line| line.starts_with("not asked ")), "{decisions:?}");
        assert!(by_search.count() >= 1, "{decisions:?}");
        let kind = game["end"]["kind"].as_str().unwrap();
        assert!(["line", "full_board"].contains(&kind), "{game}");
    }
    let pgn = std::fs::read_to_string(lab.path("run").join("games.pgn")).unwrap();
    assert!(pgn.contains("[OpeningCourse \"asked places "), "{pgn}");
    let falls = lab.run(&[
        "-engine",
        &cmd,
        "-engine",
        &cmd,
        "-each",
        "nodes=20",
        "proto=uci",
        "-variant",
        "cfour",
        "-openings",
        "format=swap2",
        "-out",
        "falls",
    ]);
    assert_eq!(falls.status, Some(1), "{falls:?}");
    assert!(
        falls.err.contains("arena: openings: cfour has no opening rules, so not \"swap2\""),
        "{falls:?}"
    );
}

#[test]
fn games_begin_by_a_rule_of_renju() {
    let lab = Lab::new("opening-rule");
    let cmd = format!("cmd={TENGEN}");
    let run = |rule: &str, variant: &str| {
        lab.run(&[
            "-engine",
            &cmd,
            "name=one",
            "-engine",
            &cmd,
            "name=two",
            "-each",
            "nodes=100",
            "proto=uci",
            "-variant",
            variant,
            "-rounds",
            "1",
            "-opening-rule",
            rule,
            "-out",
            rule,
        ])
    };
    let rule = "soosorv8";
    let played = run(rule, "renju");
    assert_eq!(played.status, Some(0), "{played:?}");
    for game in lab.games(rule) {
        assert_eq!(game["opening_rule"], rule, "{game}");
        let acts = game["acts"].as_array().unwrap();
        assert!(acts.len() >= 8 && acts[0] == "h8", "{game}");
        assert!(game["moves"].as_array().unwrap().len() > 5, "{game}");
    }
    let pgn = std::fs::read_to_string(lab.path(rule).join("games.pgn")).unwrap();
    assert!(pgn.contains(&format!("[OpeningRule \"{rule}\"]\n[OpeningActs \"h8 ")), "{pgn}");
    for (rule, variant, why) in [
        ("rif", "gomoku", "opening-rule: gomoku has no opening rule \"rif\": it has free, pro, "),
        ("sakata", "renju", "opening-rule: renju has no opening rule \"sakata\": it has free, "),
    ] {
        let refused = run(rule, variant);
        assert_eq!(refused.status, Some(1), "{refused:?}");
        assert!(refused.err.contains(why), "{refused:?}");
    }
}

#[test]
fn proven_games_end_or_are_played_on() {
    let lab = Lab::new("proof");
    let cmd = format!("cmd={TENGEN}");
    // Three stones in a row with both ends open win against any defence.
    let openings = format!("file={}", lab.write("openings.txt", "h8 a1 i8 c1 j8 e1\n"));
    let run = |share: &str, out: &str| {
        let share = format!("proof-check={share}");
        let run = lab.run(&[
            "-engine",
            &cmd,
            "name=A",
            "-engine",
            &cmd,
            "name=B",
            "-each",
            "nodes=2000",
            "proto=uci",
            "-variant",
            "gomokufreestyle",
            "-rounds",
            "1",
            "-openings",
            &openings,
            "format=moves",
            "-proof",
            "nodes=3000",
            "plies=0",
            &share,
            "-out",
            out,
        ]);
        assert_eq!(run.status, Some(0), "{run:?}");
        // Texts are wrapped, so line ends are ignored.
        run.out.replace('\n', " ")
    };
    let out = run("0", "ended");
    assert!(out.contains("Games ended by proof: 2."), "{out}");
    for game in lab.games("ended") {
        assert_eq!(
            (game["end"]["kind"].as_str(), game["score"].as_str()),
            (Some("proof"), game["proof"]["score"].as_str())
        );
        assert!(game["proof"]["tree"].is_string() && game["proof"]["plies"].is_u64(), "{game}");
    }
    // Played to their ends, the games are won by the proven side.
    let out = run("1", "played");
    assert!(out.contains("Of 2 proven games that were played on, 0 came out otherwise"), "{out}");
    for game in lab.games("played") {
        assert_eq!(game["end"]["kind"], "line");
        assert_eq!(game["proof"]["played_on"], true);
    }
}

#[test]
fn a_test_with_proofs_says_so_even_if_no_game_ended_by_proof() {
    let lab = Lab::new("proof-test");
    let cmd = format!("cmd={TENGEN}");
    let openings = format!("file={}", lab.write("openings.txt", "h8 a1 i8 c1 j8 e1\n"));
    let sprt = |out: &str, proofs: &[&str]| {
        let mut words = vec!["-engine", &cmd, "name=A", "-engine", &cmd, "name=B", "-each"];
        words.extend(["nodes=500", "proto=uci", "-variant", "gomokufreestyle", "-rounds", "1"]);
        words.extend(["-openings", &openings, "format=moves", "-sprt", "elo0=0", "elo1=5"]);
        words.extend(proofs);
        words.extend(["-out", out]);
        let run = lab.run(&words);
        assert_eq!(run.status, Some(11), "{run:?}");
        [run.out, lab.run(&["report", out]).out]
    };
    const REMARK: &str = "Proofs are on: they give points for wins that an engine might miss.";
    for text in sprt("with", &["-proof", "plies=1000"]) {
        assert!(text.contains(REMARK) && !text.contains("ended by proof"), "{text}");
    }
    for text in sprt("without", &[]) {
        assert!(!text.contains("Proofs are on"), "{text}");
    }
}
