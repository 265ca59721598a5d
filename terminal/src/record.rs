//! Writes games as SGF with all their variations, and reads them in any format.
//!
//! No file is opened here: bytes come in and go out.

use tengen_engine::{Catalog, GameSpec, Side, Strength};
use tengen_records::{Collection, Format, OPTIONS, ReadOptions, Record, RecordNodeId, Remark};

use crate::app::App;
use crate::command::Humans;
use crate::game::{Ending, Player, SeatedGame};
use crate::tree::GameNodeId;

/// The name of the engine in a record, with its level after it.
const ENGINE: &str = "Tengen level ";
/// Properties of the root that are derived from the game.
const OWN: [&str; 13] =
    ["FF", "GM", "CA", "AP", "SZ", "RU", "PB", "PW", "RE", "AB", "AW", "PL", OPTIONS];

/// Returns a game as SGF. A game without a grid is an error.
pub(crate) fn write(app: &App) -> Result<Vec<u8>, String> {
    let game = app.game();
    let notation = game.spec().grid.ok_or("a game without a board cannot be written as SGF")?;
    let grid = notation.grid();
    let mut record = Record::on_board(notation);
    let root = record.root();
    let node = record.node_mut(root);
    node.set("AP", concat!("Tengen:", env!("CARGO_PKG_VERSION")));
    for (name, side) in [("PB", Side::First), ("PW", Side::Second)] {
        node.set(name, &player_name(app, side));
    }
    for (name, text) in &game.headers {
        node.set(name, text);
    }
    let ending = game.tree().whole_line().last().map(|id| game.ending_at(*id));
    if let Some(ending) = ending.flatten() {
        node.set("RE", &result(ending));
    }
    let start = game.position_at(game.tree().root());
    let mut has_stones = false;
    for point in grid.all().map(|cell| grid.point(cell)) {
        if let Some(side) = start.stone(point) {
            has_stones = true;
            node.put_stone(side, point, grid);
        }
    }
    if has_stones || start.turn() == Side::Second {
        node.set("PL", if start.turn() == Side::First { "B" } else { "W" });
    }
    record.declare(game.spec(), app.catalog);
    write_moves(app, &mut record);
    Ok(Collection::new(Format::Sgf, vec![record]).to_sgf())
}

fn write_moves(app: &App, record: &mut Record) {
    let tree = app.game().tree();
    let Some(notation) = app.game().spec().grid else { return };
    let root_comment = tree.comment(tree.root());
    if !root_comment.is_empty() {
        record.node_mut(record.root()).set("C", root_comment);
    }
    let mut open: Vec<(GameNodeId, RecordNodeId)> = vec![(tree.root(), record.root())];
    while let Some((id, written)) = open.pop() {
        for &child in tree.children(id) {
            let Some(played) = tree.played(child) else { continue };
            let Some(point) = notation.point_of(played.mv) else { continue };
            let to = record.add_move(written, played.side, point, notation.grid());
            let node = record.node_mut(to);
            if let Some((name, value)) = Remark::mark_of(app.grade(child)) {
                node.set(name, value);
            }
            if !tree.comment(child).is_empty() {
                node.set("C", tree.comment(child));
            }
            open.push((child, to));
        }
    }
}

fn player_name(app: &App, side: Side) -> String {
    if let Some(name) = app.game().names[side.index()].clone() {
        return name;
    }
    match app.game().player(side) {
        Player::Engine => format!("{ENGINE}{}", app.level),
        Player::Human => "Player".to_owned(),
    }
}

/// Resumes a kept game: goes to its last move. Returns who played it, and the engine's level if the
/// record names one.
pub fn resume(game: &mut SeatedGame) -> (Humans, Option<u8>) {
    game.go_to_end();
    // The names are those of seats, which may be exchanged from now on.
    let names = std::mem::take(&mut game.names);
    let level = |name: &Option<String>| {
        let text = name.as_ref()?.strip_prefix(ENGINE)?;
        Some(text.parse().unwrap_or(Strength::FULL))
    };
    let levels = names.map(|name| level(&name));
    let humans = match levels {
        [None, Some(_)] => Humans::First,
        [Some(_), None] => Humans::Second,
        [None, None] => Humans::Both,
        [Some(_), Some(_)] => Humans::None,
    };
    (humans, levels[0].or(levels[1]))
}

/// Returns the value of the property `RE` for the end of a game.
fn result(ending: Ending) -> String {
    let Some(winner) = ending.winner() else { return "0".to_owned() };
    let letter = if winner == Side::First { 'B' } else { 'W' };
    let how = match ending {
        Ending::Resigned(_) => "R",
        Ending::Time(_) => "T",
        Ending::Board(_) => "",
    };
    format!("{letter}+{how}")
}

/// Returns the first game of a file and a message about it. `spec` is the game that the user named;
/// `None` takes the game that the record names. The error is one line.
pub fn read(
    name: &str,
    bytes: &[u8],
    catalog: &dyn Catalog,
    spec: Option<&GameSpec>,
) -> Result<(SeatedGame, String), String> {
    let options = ReadOptions::new().named(name).on(spec.and_then(|spec| spec.grid));
    let fault = |fault: tengen_records::Fault| format!("{name}: {fault}");
    let games = tengen_records::read(bytes, &options).map_err(fault)?;
    let record = games.records().first().ok_or_else(|| format!("{name}: the file has no game"))?;
    let warnings = games.warnings().iter().map(|warning| format!(" {warning}."));
    let mut message: String = warnings.collect();
    let spec = match spec {
        Some(spec) => spec.clone(),
        None => {
            let (spec, warning) = record.spec(catalog).map_err(fault)?;
            if let Some(warning) = warning {
                message += &format!(" {warning}.");
            }
            spec
        }
    };
    let notation =
        spec.grid.ok_or_else(|| format!("{name}: {} is played without a board", spec.variant))?;
    let line = record.line(notation).map_err(fault)?;
    let mut position = catalog.position(&spec);
    if !line.is_from_start() {
        position.place(&line.start).map_err(|error| format!("{name}: {error}"))?;
    }
    let mut game = SeatedGame::new(position, false);
    for (number, played) in (1..).zip(&line.moves) {
        let point = played.point;
        if game.position().outcome().is_some() {
            return Err(format!("{name}: move {number} \"{point}\": the game is over before it"));
        }
        let mv = notation.move_to(point);
        let before = game.tree().ply();
        game.play(mv);
        if game.tree().ply() == before {
            return Err(format!("{name}: move {number} \"{point}\" cannot be played"));
        }
    }
    let skipped = read_tree(&mut game, record);
    keep_headers(&mut game, record);
    game.go_to(game.tree().root());
    let moves = line.moves.len();
    let more = games.records().len();
    let first = if more > 1 { format!(", the first of {more} games") } else { String::new() };
    let skipped = match skipped {
        0 => String::new(),
        skipped => format!(" Variations that cannot be played are left out: {skipped}."),
    };
    let moves = if moves == 1 { "1 move".to_owned() } else { format!("{moves} moves") };
    let message = format!("{name}: {}, {moves}{first}.{message}{skipped}", spec.variant);
    Ok((game, message))
}

/// Adds the variations and comments of a record to the game of its main line. Returns how many
/// variations cannot be played.
fn read_tree(game: &mut SeatedGame, record: &Record) -> usize {
    let mut skipped = 0;
    let mut open = vec![(record.root(), game.tree().root())];
    while let Some((from, at)) = open.pop() {
        let node = record.node(from);
        if let Some(comment) = node.comment().filter(|comment| !comment.is_empty()) {
            let before = game.tree().comment(at);
            let comment = if before.is_empty() { comment } else { format!("{before}\n{comment}") };
            game.tree_mut().set_comment(at, &comment);
        }
        let mut next = Vec::new();
        for &child in node.children() {
            game.go_to(at);
            match play_node(game, record, child) {
                Some(to) => next.push((child, to)),
                None => skipped += 1,
            }
        }
        open.extend(next.into_iter().rev());
    }
    skipped
}

/// Plays the move of a node. Returns the node of the game after it; `None` if it cannot be played.
fn play_node(game: &mut SeatedGame, record: &Record, id: RecordNodeId) -> Option<GameNodeId> {
    let Some((side, value)) = record.node(id).mover() else { return Some(game.tree().current()) };
    let text = value.text().trim().to_owned();
    let notation = game.spec().grid?;
    if value.is_pass(notation.grid()) {
        return Some(game.tree().current());
    }
    if game.position().outcome().is_some() || side != game.position().turn() {
        return None;
    }
    let named = value.point(notation.grid()).map(|point| point.to_string()).unwrap_or(text);
    let mv = game.position().read_move(&named).ok()?;
    game.play(mv);
    Some(game.tree().current())
}

/// Stores the names of the players, and the properties of the root that are not derived from the
/// game.
fn keep_headers(game: &mut SeatedGame, record: &Record) {
    let root = record.node(record.root());
    let name = |property: &str| root.text(property).filter(|name| !name.is_empty());
    game.names = [name("PB"), name("PW")];
    let kept = root.properties().iter().filter(|property| {
        !OWN.contains(&property.name.as_str()) && property.name != "C" && property.values.len() == 1
    });
    let headers = kept.map(|property| (property.name.clone(), property.values[0].text()));
    game.headers = headers.collect();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tengen_engine::backend::Catalog;
    use tengen_engine::{Chosen, Limits, Settings};
    use tengen_games::CATALOG;

    use super::*;
    use crate::app::GameSetup;
    use crate::command::Command;

    const TREE: &str = "(;FF[4]GM[4]SZ[15]RU[renju]PB[One]EV[Cup]C[Start]\n\
        ;B[hh];W[ig]\n(;B[ii]C[a \\] b];W[gg])\n(;B[gi](;W[aa])(;W[bb])))";

    fn opened(game: SeatedGame) -> App {
        let setup = GameSetup {
            catalog: &CATALOG,
            game,
            message: None,
            humans: Humans::Both,
            level: 4,
            limits: Limits::default(),
            settings: Settings::default(),
            time: None,
        };
        App::new(setup, Duration::ZERO)
    }

    fn written(app: &App) -> String {
        String::from_utf8(write(app).expect("a grid")).expect("UTF-8")
    }

    /// Returns all moves of a game with their variations in brackets.
    fn outline(game: &SeatedGame, from: GameNodeId) -> String {
        let children = game.tree().children(from);
        let parts = children.iter().filter_map(|id| {
            let name = &game.tree().played(*id)?.name;
            Some(format!("{name}{}", outline(game, *id)))
        });
        match children.len() {
            0 => String::new(),
            1 => format!(" {}", parts.collect::<String>()),
            _ => parts.map(|part| format!("({part})")).collect(),
        }
    }

    #[test]
    fn variations_comments_and_names_are_written_and_read_again() {
        let (game, message) = read("a.sgf", TREE.as_bytes(), &CATALOG, None).expect("a record");
        assert_eq!(message, "a.sgf: renju, 4 moves.");
        assert_eq!(outline(&game, game.tree().root()), " h8 i9(i7 g9)(g7(a15)(b14))");
        let first = written(&opened(game));
        for part in ["PB[One]", "EV[Cup]", "C[Start]", "C[a \\] b]", "RU[renju]"] {
            assert!(first.contains(part), "{part}: {first}");
        }
        let (game, _) = read("b.sgf", first.as_bytes(), &CATALOG, None).expect("our own record");
        assert_eq!(outline(&game, game.tree().root()), " h8 i9(i7 g9)(g7(a15)(b14))");
        assert_eq!(written(&opened(game)), first);
    }

    #[test]
    fn stones_put_down_and_the_end_are_part_of_a_record() {
        let text = "(;GM[4]SZ[9]RU[gomoku]AB[aa][bb][cc][dd]AW[ab][ac][ad][ae]PL[B];B[ee])";
        let (mut game, _) = read("a.sgf", text.as_bytes(), &CATALOG, None).expect("a record");
        assert_eq!(game.ending(), None);
        game.go_to_end();
        let text = written(&opened(game));
        for part in ["AB[aa][bb][cc][dd]", "PL[B]", "RE[B+]", "B[ee]"] {
            let sorted = part == "AB[aa][bb][cc][dd]" && text.contains("AB[");
            assert!(sorted || text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_resignation_is_a_result() {
        let spec = CATALOG.describe("cfour", &Chosen::new()).expect("a variant");
        let mut app = opened(SeatedGame::new(CATALOG.position(&spec), false));
        app.command(Command::Move("d".into()), Duration::ZERO);
        app.command(Command::Resign, Duration::ZERO);
        let text = written(&app);
        assert!(text.contains("RE[B+R]") && text.contains("RU[cfour]"), "{text}");
    }

    #[test]
    fn a_resumed_game_has_the_same_players() {
        let spec = CATALOG.describe("gomoku", &Chosen::new()).expect("a variant");
        for (_, humans) in Humans::ALL {
            let mut app = opened(SeatedGame::new(CATALOG.position(&spec), false));
            app.command(Command::Move("h8".into()), Duration::ZERO);
            app.command(Command::Level(Some(7)), Duration::ZERO);
            app.command(Command::Humans(humans), Duration::ZERO);
            let (mut game, _) =
                read("a", written(&app).as_bytes(), &CATALOG, None).expect("our own record");
            let level = (humans != Humans::Both).then_some(7);
            assert_eq!(resume(&mut game), (humans, level));
            assert_eq!(game.tree().ply(), 1);
        }
    }

    #[test]
    fn what_cannot_be_played_is_reported_with_its_place() {
        for (text, why) in [
            ("", "a: the file is empty"),
            ("(;GM[4]SZ[15];B[hh];W[hh])", "a: line 1, character 23: move 2 \"hh\": h8 is taken"),
            ("(;GM[1]SZ[9];B[ee])", "a: line 1, character 6: GM[1] is Go"),
        ] {
            let refused = read("a", text.as_bytes(), &CATALOG, None).map(|(_, message)| message);
            assert!(refused.as_ref().is_err_and(|error| error.starts_with(why)), "{refused:?}");
        }
        let unplayable = "(;GM[4]SZ[15]RU[renju];B[hh](;W[ig])(;W[hh];B[aa]))";
        let (_, message) = read("a", unplayable.as_bytes(), &CATALOG, None).expect("a main line");
        assert_eq!(message, "a: renju, 2 moves. Variations that cannot be played are left out: 1.");
    }
}
