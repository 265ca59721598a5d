//! Writes games as SGF with all their variations, and reads them in any format.
//!
//! No file is opened here: bytes come in and go out.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tengen_engine::opening::Course;
use tengen_engine::text::quotable;
use tengen_engine::{Catalog, GameSpec, Placement, Side, Strength};
use tengen_records::{
    Collection, Format, OPTIONS, PlayedLine, ReadOptions, Record, RecordNode, RecordNodeId, Remark,
};

use crate::app::App;
use crate::clock::TimeControl;
use crate::command::Humans;
use crate::game::{Ending, KeptState, Player, SeatedGame};
use crate::tree::GameNodeId;

/// Tengen's own property for the sides that people play and the level of the engine, such as
/// `first 4`. It is only in a kept game.
const PLAYERS: &str = "XU";
/// Tengen's own property for the course of an opening: the rule and the acts, such as
/// `swap2 h14 i15 h8 swap`.
const COURSE: &str = "XW";
/// Tengen's own property of the node at which a kept game was left.
const HERE: &str = "XH";
/// The properties for the time left to each side, in seconds.
const TIMES: [&str; 2] = ["BL", "WL"];
/// The property for the name of the opening.
const OPENING: &str = "ON";
/// The name of the engine in a record, with its level after it.
const ENGINE: &str = "Tengen level ";
/// The name of a person in a record.
const PLAYER: &str = "Player";
/// Properties of the root that are derived from the game.
const OWN: [&str; 18] = [
    "FF", "GM", "CA", "AP", "SZ", "RU", "PB", "PW", "RE", "AB", "AW", "PL", OPTIONS, PLAYERS,
    COURSE, HERE, TIMES[0], TIMES[1],
];

/// Returns a game as SGF. A game without a grid is an error.
pub(crate) fn write(app: &App) -> Result<Vec<u8>, String> {
    write_record(app, None)
}

/// Returns a game in progress as SGF, with all that [`resume`] needs. `now` is the time of the
/// clocks.
pub(crate) fn write_kept(app: &App, now: Duration) -> Result<Vec<u8>, String> {
    write_record(app, Some(now))
}

fn write_record(app: &App, kept_at: Option<Duration>) -> Result<Vec<u8>, String> {
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
    // After the headers, as it stands in a record that is read again.
    let end = game.position_at(game.tree().main_end());
    if let Some(name) = app.catalog.opening_name(&*end) {
        node.set(OPENING, &name.to_string());
    }
    match (game.result(), &game.recorded_result) {
        (Some(ending), _) => node.set("RE", &result(ending)),
        (None, Some((end, text))) if *end == game.tree().main_end() => node.set("RE", text),
        (None, _) => {}
    }
    if let Some(control) = app.time_control() {
        let (base, overtime) = control.sgf();
        node.set("TM", &base);
        node.set("OT", &overtime.unwrap_or_default());
    }
    if let Some(course) = game.opening() {
        node.set(COURSE, format!("{} {}", course.rule().name, course.text()).trim_end());
    }
    if kept_at.is_some() {
        node.set(PLAYERS, &format!("{} {}", humans(app).word(), app.level));
    }
    let start = game.position_at(game.tree().root());
    if let Some(stones) = start.placement().filter(|stones| *stones != Placement::empty(grid)) {
        record.set_up(&stones, grid);
    }
    record.declare(game.spec(), app.catalog);
    let here = write_moves(app, &mut record);
    if let Some(now) = kept_at {
        let node = record.node_mut(here);
        node.set(HERE, "1");
        app.times(now).into_iter().for_each(|times| write_times(node, times, &[0, 1]));
    }
    Ok(Collection::new(Format::SGF, vec![record]).to_sgf())
}

/// Writes the moves. Returns the node of the current position.
fn write_moves(app: &App, record: &mut Record) -> RecordNodeId {
    let tree = app.game().tree();
    let mut here = record.root();
    let Some(notation) = app.game().spec().grid else { return here };
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
            if let Some(times) = app.clock().and_then(|clock| clock.shown(child)) {
                write_times(node, times, &[played.side.index()]);
            }
            if child == tree.current() {
                here = to;
            }
            open.push((child, to));
        }
    }
    here
}

/// Writes the times of these sides into a node.
fn write_times(node: &mut RecordNode, times: [Duration; 2], sides: &[usize]) {
    for &side in sides {
        node.set(TIMES[side], &format!("{:.3}", times[side].as_secs_f64()));
    }
}

/// Returns the sides that people play.
fn humans(app: &App) -> Humans {
    Humans::of([Side::First, Side::Second].map(|side| app.game().player(side) == Player::Human))
}

fn player_name(app: &App, side: Side) -> String {
    if let Some(name) = app.game().names[side.index()].clone() {
        return name;
    }
    match app.game().player(side) {
        Player::Engine => format!("{ENGINE}{}", app.level),
        Player::Human => PLAYER.to_owned(),
    }
}

/// What a kept game says about its players and its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resumed {
    /// The sides that people play.
    pub humans: Humans,
    /// The level of the engine; `None` if the record names none.
    pub level: Option<u8>,
    /// The time control; `None` for unlimited time.
    pub time: Option<TimeControl>,
}

/// Resumes a kept game: goes to the position at which it was left. Returns its players, its level
/// and its time control. If `time` is another time control than that of the game, the clocks begin
/// anew.
pub fn resume(game: &mut SeatedGame, time: Option<TimeControl>) -> Resumed {
    game.go_to(game.kept.here.unwrap_or_else(|| game.tree().main_end()));
    if time.is_some() && time != game.kept.time {
        game.kept.shown.clear();
    }
    let time = time.or(game.kept.time);
    let named = named_players(game);
    let (humans, level) = match game.kept.players {
        Some((humans, level)) => (humans, Some(level)),
        None => named,
    };
    Resumed { humans, level, time }
}

/// Returns who played a game by the names of its record, and removes the names of this program.
fn named_players(game: &mut SeatedGame) -> (Humans, Option<u8>) {
    // The names are those of seats, which may be exchanged from now on.
    let is_own = |name: &String| name.starts_with(ENGINE) || name == PLAYER;
    let names = game.names.clone();
    if names.iter().flatten().all(is_own) {
        game.names = [None, None];
    }
    let level = |name: &Option<String>| {
        let text = name.as_ref()?.strip_prefix(ENGINE)?;
        Some(text.parse().unwrap_or(Strength::FULL))
    };
    let levels = names.map(|name| level(&name));
    (Humans::of(levels.map(|level| level.is_none())), levels[0].or(levels[1]))
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

/// Returns the first game of a file and a message about it, as [`read_with`] without options does.
pub fn read(
    name: &str,
    bytes: &[u8],
    catalog: &dyn Catalog,
    spec: Option<&GameSpec>,
) -> Result<(SeatedGame, String), String> {
    read_with(name, bytes, ReadOptions::new(), catalog, spec)
}

/// Returns the first game of a file, which is read with `options`, and a message about it. `spec` is the game that the user named;
/// `None` takes the game that the record names. The error is one line.
pub fn read_with(
    name: &str,
    bytes: &[u8],
    options: ReadOptions,
    catalog: &dyn Catalog,
    spec: Option<&GameSpec>,
) -> Result<(SeatedGame, String), String> {
    let options = options.named(name).on(spec.and_then(|spec| spec.grid));
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
    let mut position = catalog.position(&spec);
    let played = record.play(&mut *position).and_then(PlayedLine::legal).map_err(fault)?;
    played.warnings(false).for_each(|warning| message += &format!(" {warning}."));
    let mut game = SeatedGame::new(position, None);
    read_kept_state(&mut game, record.node(record.root()));
    // The rest of the main line is no variation.
    let is_cut = played.moves_after_end() > 0;
    let skipped = read_tree(&mut game, record) - usize::from(is_cut);
    if let Some(text) = record.node(record.root()).text(COURSE) {
        match read_course(&game, &text, catalog) {
            Ok(course) => game.resume_opening(course),
            Err(why) => message += &format!(" The opening \"{}\": {why}.", quotable(&text)),
        }
    }
    keep_headers(&mut game, record);
    message += &opening(&game, record, catalog);
    read_result(&mut game, record);
    game.go_to(game.tree().root());
    let moves = played.line.moves.len();
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

/// Reads the course of the opening of a game. The error says what is wrong with it.
fn read_course(game: &SeatedGame, text: &str, catalog: &dyn Catalog) -> Result<Course, String> {
    let mut words = text.split_whitespace();
    let rule = catalog.opening_rule(game.spec(), words.next().unwrap_or_default())?;
    let grid = game.spec().grid.ok_or("the game has no board")?;
    let mut course = Course::new(rule, grid.grid());
    for word in words {
        let act = course.read(word).map_err(|why| why.to_string())?;
        course.act(act).map_err(|why| why.to_string())?;
    }
    let tree = game.tree();
    let line = tree.line_to(tree.main_end()).into_iter().filter_map(|id| tree.played(id));
    let mut points = line.map(|played| grid.point_of(played.mv));
    match course.stones().iter().all(|stone| points.next() == Some(Some(*stone))) {
        true => Ok(course),
        false => Err("its stones are not those of the game".to_owned()),
    }
}

/// Returns a sentence about the opening: its name, else what the record calls it. Empty if neither
/// is known.
fn opening(game: &SeatedGame, record: &Record, catalog: &dyn Catalog) -> String {
    let end = game.position_at(game.tree().main_end());
    let name = catalog.opening_name(&*end).map(ToString::to_string);
    let name = name.or_else(|| record.node(record.root()).text(OPENING));
    let name = name.filter(|name| !name.is_empty());
    name.map_or(String::new(), |name| format!(" Opening: {}.", quotable(&name)))
}

/// Adds the variations and comments of a record to the game of its main line. Returns how many
/// variations cannot be played.
fn read_tree(game: &mut SeatedGame, record: &Record) -> usize {
    let mut skipped = 0;
    game.go_to(game.tree().root());
    // Old programs write the first move into the root.
    let root = play_node(game, record, record.root()).unwrap_or_else(|| game.tree().root());
    let mut open = vec![(record.root(), root)];
    while let Some((from, at)) = open.pop() {
        let node = record.node(from);
        read_place(game, node, at);
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

/// Reads what the root says about a game in progress.
fn read_kept_state(game: &mut SeatedGame, root: &RecordNode) {
    let players = root.text(PLAYERS).and_then(|text| {
        let (word, level) = text.split_once(' ')?;
        let humans = Humans::ALL.iter().find(|(name, _)| *name == word)?.1;
        Some((humans, level.parse().ok().filter(|level| *level <= Strength::FULL)?))
    });
    let [base, overtime] = ["TM", "OT"].map(|name| root.text(name));
    let time = TimeControl::of_sgf(base.as_deref(), overtime.as_deref());
    game.kept = KeptState { players, time, ..KeptState::default() };
}

/// Reads whether the game was left at a node, and the times on the clocks after it.
fn read_place(game: &mut SeatedGame, node: &RecordNode, at: GameNodeId) {
    if node.value(HERE).is_some() {
        game.kept.here = Some(at);
    }
    let Some(control) = game.kept.time else { return };
    let before = game.tree().parent(at).and_then(|it| game.kept.shown.get(&it).copied());
    let mut times = before.unwrap_or([control.base(); 2]);
    for (time, name) in times.iter_mut().zip(TIMES) {
        let left = node.text(name).and_then(|text| text.parse().ok());
        let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        *time = left.unwrap_or(*time);
    }
    game.kept.shown.insert(at, times);
}

/// Reads how the main line ended, unless the rules say it.
fn read_result(game: &mut SeatedGame, record: &Record) {
    let end = game.tree().main_end();
    let text = record.node(record.root()).text("RE").filter(|text| !text.is_empty());
    let Some(text) = text.filter(|_| game.ending_at(end).is_none()) else { return };
    let loser = match text.get(..2).map(str::to_ascii_uppercase).as_deref() {
        Some("B+") => Some(Side::Second),
        Some("W+") => Some(Side::First),
        _ => None,
    };
    let how = text.get(2..).unwrap_or_default().to_ascii_lowercase();
    match (loser, how.as_str()) {
        (Some(loser), "r" | "resign") => game.note_end(end, Ending::Resigned(loser)),
        (Some(loser), "t" | "time") => game.note_end(end, Ending::Time(loser)),
        _ => game.recorded_result = Some((end, text)),
    }
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
