//! A record is played in one place: commands and actions find the same moves and the same facts in
//! 200 records with ends, overlines, forbidden and illegal moves, passes and wrong results.

use fastrand::Rng;
use serde_json::{Value, json};
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec, Outcome, Side, Style};
use tengen_games::CATALOG;
use tengen_protocol::queries::SessionLimits;
use tengen_records::{PlayedLine, ReadOptions, read};

use super::{TestDriver, check_schema};

/// The rules of the records, and the values of `SZ`.
const VARIANTS: [(&str, &str); 4] =
    [("freestyle", "15"), ("standard", "15"), ("renju", "15"), ("cfour", "7:6")];
const RECORDS: usize = 200;

/// A record, and what a second player of its moves finds.
struct Sample {
    sgf: String,
    spec: GameSpec,
    /// The moves up to the end of the game or the first illegal one.
    moves: Vec<String>,
    outcome: Option<Outcome>,
    /// The number of moves after the end of the game.
    after_end: usize,
    /// Whether a move before the end is illegal.
    is_illegal: bool,
    is_wrong: bool,
}

/// Returns the points of a game on 15x15: a shape of the first player, and scattered stones.
fn shape(rng: &mut Rng) -> Vec<String> {
    let (column, row) = (rng.u32(1..8), rng.u32(3..12));
    let own: Vec<(u32, u32)> = match rng.u8(0..4) {
        // Five in a row.
        0 => (0..5).map(|step| (column + step, row)).collect(),
        // Six in a row, the gap last.
        1 => [0, 1, 2, 4, 5, 3].map(|step| (column + step, row)).to_vec(),
        // Two threes, which renju forbids.
        2 => [(1, 0), (2, 0), (0, 1), (0, 2), (0, 0)]
            .map(|(across, up)| (column + across, row + up))
            .to_vec(),
        _ => (0..rng.u32(1..9)).map(|step| (column + step % 3, row + step / 3)).collect(),
    };
    let mut points = Vec::new();
    for (number, (column, row)) in (0..).zip(own) {
        points.push(point(column, row));
        // Two stones of the second player never touch.
        points.push(point(2 * (number % 7), if number < 7 { 0 } else { 14 }));
    }
    points.truncate(points.len() - rng.usize(0..2));
    points
}

fn point(column: u32, row: u32) -> String {
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

/// Returns a game of four in a row.
fn columns(rng: &mut Rng) -> Vec<String> {
    match rng.bool() {
        true => ["d1", "c1", "d2", "c2", "d3", "c3", "d4"].map(str::to_owned).to_vec(),
        false => ["a1", "b1", "c1", "d1", "a2", "b2"].map(str::to_owned).to_vec(),
    }
}

fn sample(rng: &mut Rng, number: usize) -> Sample {
    let (variant, size) = VARIANTS[number % VARIANTS.len()];
    let falls = variant == "cfour";
    let mut texts = if falls { columns(rng) } else { shape(rng) };
    let more: &[&str] = match (rng.u8(0..7), falls) {
        (0 | 1, _) => &[],
        (2, false) => &["o15", "m15", "k15"],
        (2, true) => &["e1", "f1"],
        // A point that is taken.
        (3, _) => &[""],
        (4, false) => &["p1"],
        (4, true) => &["h1"],
        (5, false) => &["", "o15"],
        (5, true) => &["", "g1"],
        (_, _) => &["", ""],
    };
    let is_taken = more == [""] && rng.bool();
    texts.extend(more.iter().map(|text| (*text).to_owned()));
    if is_taken {
        *texts.last_mut().unwrap() = texts[0].clone();
    }
    let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
    let result = ["", "B+", "W+R", "0"][rng.usize(0..4)];
    let mut sgf = format!("(;GM[4]SZ[{size}]RU[{variant}]");
    sgf = sgf.replace(if falls { "GM[4]" } else { "?" }, "");
    if !result.is_empty() {
        sgf += &format!("RE[{result}]");
    }
    for (text, side) in texts.iter().zip(['B', 'W'].into_iter().cycle()) {
        sgf += &format!(";{side}[{text}]");
    }
    sgf.push(')');
    let last = texts.iter().rposition(|text| !text.is_empty()).map_or(0, |last| last + 1);
    texts.truncate(last);
    let mut position = CATALOG.position(&spec);
    let mut moves = Vec::new();
    for text in &texts {
        if position.outcome().is_some() || position.play_text(text).is_err() {
            break;
        }
        moves.push(text.clone());
    }
    let outcome = position.outcome();
    let rest = texts.len() - moves.len();
    let said = match result.chars().next() {
        Some('B') => Some(Outcome::Win(Side::First)),
        Some('W') => Some(Outcome::Win(Side::Second)),
        Some(_) => Some(Outcome::Draw),
        None => None,
    };
    Sample {
        sgf,
        spec,
        moves,
        outcome,
        after_end: if outcome.is_some() { rest } else { 0 },
        is_illegal: outcome.is_none() && rest > 0,
        is_wrong: said.is_some() && outcome.is_some() && said != outcome,
    }
}

fn samples() -> Vec<Sample> {
    let mut rng = Rng::with_seed(1);
    (0..RECORDS).map(|number| sample(&mut rng, number)).collect()
}

/// What the library finds: the line and the texts of its warnings, or the text of the error.
fn played(sample: &Sample) -> Result<(PlayedLine, Vec<String>), String> {
    let games = read(sample.sgf.as_bytes(), &ReadOptions::new()).unwrap();
    let mut position = CATALOG.position(&sample.spec);
    let played = games.records()[0].play(&mut *position).and_then(PlayedLine::legal);
    let played = played.map_err(|fault| fault.to_string())?;
    let warnings = played.warnings(false).map(|fault| fault.to_string()).collect();
    Ok((played, warnings))
}

fn points(played: &PlayedLine) -> Vec<String> {
    played.line.moves.iter().map(|mv| mv.point.to_string()).collect()
}

fn ask(driver: &mut TestDriver, query: Value) -> (Vec<Value>, Vec<String>) {
    let replies = driver.ask(&query);
    replies.iter().for_each(check_schema);
    let (warnings, replies): (Vec<Value>, Vec<Value>) =
        replies.into_iter().partition(|reply| reply["type"] == "warning");
    let text = |warning: Value| warning["message"].as_str().unwrap().to_owned();
    (replies, warnings.into_iter().map(text).collect())
}

#[test]
fn the_library_finds_what_a_second_player_finds() {
    let mut kinds = [0; 5];
    for sample in samples() {
        let sgf = &sample.sgf;
        match played(&sample) {
            Err(_) => assert!(sample.is_illegal, "{sgf}"),
            Ok((played, warnings)) => {
                assert!(!sample.is_illegal, "{sgf}");
                assert_eq!(points(&played), sample.moves, "{sgf}");
                assert_eq!(played.outcome, sample.outcome, "{sgf}");
                assert_eq!(played.moves_after_end(), sample.after_end, "{sgf}");
                assert_eq!(played.has_wrong_result(), sample.is_wrong, "{sgf}");
                let facts = usize::from(sample.after_end > 0) + usize::from(sample.is_wrong);
                assert_eq!(warnings.len(), facts, "{sgf}: {warnings:?}");
                kinds[0] += usize::from(sample.after_end > 0);
                kinds[1] += usize::from(sample.is_wrong);
                kinds[2] += usize::from(played.forbidden.is_some());
                kinds[3] += usize::from(played.passes > 0);
            }
        }
        kinds[4] += usize::from(sample.is_illegal);
    }
    assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
}

#[test]
fn actions_find_the_same() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    for sample in samples() {
        let sgf = &sample.sgf;
        let expected = played(&sample);
        let query = json!({ "id": "a", "action": "position", "sgf": sgf, "include_moves": true });
        let (replies, warnings) = ask(&mut driver, query);
        let record = json!({ "id": "a", "action": "read_record", "text": sgf });
        let (described, told) = ask(&mut driver, record);
        let line = &described[0]["line"];
        match &expected {
            Err(why) => {
                assert_eq!(replies[0]["message"], *why, "{sgf}");
                assert_eq!((line, &described[0]["message"]), (&Value::Null, &json!(why)), "{sgf}");
            }
            Ok((played, facts)) => {
                let moves = json!(points(played));
                assert_eq!((&replies[0]["moves"], &line["moves"]), (&moves, &moves), "{sgf}");
                assert_eq!((&warnings, &told), (facts, facts), "{sgf}");
            }
        }
        let convert = json!({ "id": "a", "action": "convert_record", "text": sgf, "to": "moves" });
        let (converted, told) = ask(&mut driver, convert);
        if let (Some(text), Ok((played, facts))) = (converted[0]["text"].as_str(), &expected) {
            let all = played.line.moves.iter().chain(&played.after_end);
            let all: Vec<String> = all.map(|mv| mv.point.to_string()).collect();
            assert_eq!(text.trim_end(), all.join(" "), "{sgf}");
            let kept = |fact: &String| told.contains(&fact.replace("left out", "after it"));
            assert!(facts.iter().all(kept), "{sgf}: {told:?}");
        }
    }
}

#[cfg(feature = "play")]
#[test]
fn the_terminal_finds_the_same() {
    for sample in samples() {
        let read = tengen_terminal::read_record("a", sample.sgf.as_bytes(), &CATALOG, None);
        match (read, played(&sample)) {
            (Err(found), Err(why)) => assert_eq!(found, format!("a: {why}")),
            (Ok((_, message)), Ok((played, facts))) => {
                let moves = format!("{}, {} moves.", sample.spec.variant, points(&played).len());
                assert!(message.contains(&moves), "{}: {message}", sample.sgf);
                assert!(facts.iter().all(|fact| message.contains(fact)), "{message}: {facts:?}");
            }
            (found, _) => panic!("{}: {:?}", sample.sgf, found.err()),
        }
    }
}

#[cfg(feature = "arena")]
#[test]
fn openings_of_a_match_are_the_same() {
    use tengen_arena::config::{OpeningFormat, OpeningsConfig};
    use tengen_arena::openings::OpeningList;

    let folder = tempfile::tempdir().unwrap();
    for sample in samples() {
        let file = folder.path().join("a.sgf");
        std::fs::write(&file, &sample.sgf).unwrap();
        let mut position = CATALOG.position(&sample.spec);
        for plies in [None, Some(3)] {
            let config = OpeningsConfig {
                file: Some(file.clone()),
                style: OpeningFormat::Sgf,
                plies,
                ..OpeningsConfig::default()
            };
            let read = OpeningList::read(&config, &mut *position);
            let expected = played(&sample);
            let is_cut = plies.is_some_and(|plies| plies as usize <= sample.moves.len());
            match read {
                Ok(list) => {
                    assert!(is_cut || (sample.outcome.is_none() && expected.is_ok()));
                    position.reset();
                    let moves = position.write_line(&list.openings[0].moves, Style::Plain);
                    let count = plies.map_or(sample.moves.len(), |plies| plies as usize);
                    let count = count.min(sample.moves.len());
                    assert_eq!(moves, sample.moves[..count], "{}", sample.sgf);
                }
                Err(why) => {
                    let is_over = "the game is over at the end of the opening";
                    let fault = expected.err().unwrap_or_default();
                    let fault = fault.split(": ").skip(1).collect::<Vec<_>>().join(": ");
                    assert!(why.ends_with(is_over) || why.ends_with(&fault), "{why}: {fault}");
                    assert!(!is_cut, "{why}");
                }
            }
        }
    }
}

#[cfg(feature = "shelf")]
#[test]
fn a_shelf_counts_the_same() {
    use tengen_records::Record;
    use tengen_shelf::{ImportOptions, Marks, Shelf, Silent, import};

    let folder = tempfile::tempdir().unwrap();
    let game = |record: &Record| record.spec(&CATALOG);
    for (number, sample) in samples().into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.sgf"));
        std::fs::write(&file, &sample.sgf).unwrap();
        let path = folder.path().join(format!("{number}.shelf"));
        let mut shelf = Shelf::create_or_open(&path, &CATALOG).unwrap();
        import(&mut shelf, &[file], &ImportOptions::new(&game), &mut Silent).unwrap();
        let stored = shelf.game(1).unwrap();
        let is_of = |mark| stored.marks.has(mark);
        let sgf = &sample.sgf;
        assert_eq!(stored.moves[..sample.moves.len()], sample.moves, "{sgf}");
        let games = read(sgf.as_bytes(), &ReadOptions::new()).unwrap();
        let played = games.records()[0].play(&mut *CATALOG.position(&sample.spec)).unwrap();
        let kept = stored.moves.len() - sample.moves.len();
        assert_eq!(kept, played.after_end.len(), "{sgf}");
        assert_eq!(is_of(Marks::GOES_ON), kept > 0, "{sgf}");
        assert_eq!(is_of(Marks::ILLEGAL), !played.unreadable.is_empty(), "{sgf}");
        assert_eq!(is_of(Marks::WRONG_RESULT), sample.is_wrong, "{sgf}");
        assert_eq!(is_of(Marks::FORBIDDEN), played.forbidden.is_some(), "{sgf}");
        let shown = match played.result() {
            Some(Outcome::Win(Side::First)) => Some(1),
            Some(Outcome::Win(Side::Second)) => Some(-1),
            Some(_) => Some(0),
            None => None,
        };
        assert_eq!(stored.result, shown, "{sgf}");
    }
}
