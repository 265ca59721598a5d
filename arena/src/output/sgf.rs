//! Games in SGF (`FF[4]`).

use tengen_engine::Side;
use tengen_records::{Collection, Format, Record};

use super::{Caption, seconds};
use crate::record::{GameRecord, GameScore};

/// Writes a game; `None` if it is not played on a grid.
pub fn game(record: &GameRecord, caption: &Caption) -> Option<String> {
    let notation = caption.grid?;
    let mut tree = Record::on_board(notation);
    let [first, second] = record.players.map(|player| caption.names[player].as_str());
    let root = tree.root();
    let root_node = tree.node_mut(root);
    for (name, value) in [
        ("GN", format!("game {}", record.id)),
        ("EV", caption.event.clone()),
        ("PC", caption.site.clone()),
        ("RO", (record.round + 1).to_string()),
        ("DT", record.started.get(..10).unwrap_or_default().to_owned()),
        ("PB", first.to_owned()),
        ("PW", second.to_owned()),
        ("RE", result(record).to_owned()),
        ("RU", caption.variant.clone()),
        ("AP", "Tengen".to_owned()),
        ("ON", record.opened.name.clone().unwrap_or_default()),
        ("C", comment(record, caption)),
    ] {
        if !value.is_empty() {
            root_node.set(name, &value);
        }
    }
    let mut side = match record.first_to_note() ^ (record.opening_plies % 2) {
        0 => Side::First,
        _ => Side::Second,
    };
    let grid = notation.grid();
    if let Some(start) = &record.start {
        tree.set_up(&notation.read_position(start).ok()?, grid);
    }
    let mut last = root;
    for (ply, text) in record.moves.iter().enumerate() {
        last = tree.add_move(last, side, text.parse().ok()?, grid);
        let note = ply.checked_sub(record.opening_plies).and_then(|at| record.notes.get(at));
        if let Some(note) = note {
            let score = note.said.score.as_deref().unwrap_or("-");
            let depth = note.said.depth.map_or(String::new(), |depth| format!("/{depth}"));
            let comment = format!("{score}{depth} {}s", seconds(note.micros));
            tree.node_mut(last).set("C", &comment);
        }
        side = side.other();
    }
    let collection = Collection::new(Format::SGF, vec![tree]);
    String::from_utf8(collection.to_sgf()).ok()
}

/// Writes the comment of a game: the variant, how the game ended, and the course of its opening.
fn comment(record: &GameRecord, caption: &Caption) -> String {
    let end = format!("{}: {}", caption.variant, record.end.text);
    let Some(rule) = &record.opened.rule else { return end };
    let (acts, course) = (record.opened.acts.join(" "), record.opened.course.join("; "));
    format!("{end}\nopening {rule}: {acts}\n{course}")
}

const fn result(record: &GameRecord) -> &'static str {
    use crate::record::EndKind::{Forbidden, Illegal, Resign, Time};
    match (record.score, record.end.kind) {
        (GameScore::Draw, _) => "Draw",
        (GameScore::First, Time) => "B+T",
        (GameScore::Second, Time) => "W+T",
        (GameScore::First, Resign) => "B+R",
        (GameScore::Second, Resign) => "W+R",
        (GameScore::First, Forbidden | Illegal) => "B+F",
        (GameScore::Second, Forbidden | Illegal) => "W+F",
        (GameScore::First, _) => "B+",
        (GameScore::Second, _) => "W+",
    }
}
