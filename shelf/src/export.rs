//! [`Shelf::record`] and [`Shelf::json_line`]: games of the shelf as records.

use std::sync::Arc;

use serde_json::{Value, json};
use tengen_engine::{GameSpec, Side};
use tengen_records::{Collection, Format, ReadOptions, Record, TextEncoding, WriteError, read};

use crate::Error;
use crate::date::{read_date, write_date};
use crate::find::FoundGame;
use crate::judge::is_other_header;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

impl FoundGame {
    /// Returns the result as PGN writes it.
    pub fn result_text(&self) -> &'static str {
        match self.result {
            Some(1) => "1-0",
            Some(0) => "1/2-1/2",
            Some(-1) => "0-1",
            _ => "*",
        }
    }

    /// Returns the result as SGF writes it.
    fn sgf_result(&self) -> Option<String> {
        let winner = match self.result? {
            1 => "B+",
            -1 => "W+",
            _ => return Some("0".to_owned()),
        };
        let how = match self.ending.as_deref() {
            Some("resigned") => "R",
            Some("time") => "T",
            Some("forfeit" | "forbidden") => "F",
            _ => "",
        };
        Some(format!("{winner}{how}"))
    }
}

impl FoundGame {
    /// Returns the date as the record wrote it; as the shelf stores it, if that is from another record.
    fn date_text(&self) -> Option<String> {
        let written = self.headers.get("DT").and_then(Value::as_str);
        let is_of_date = |text: &&str| read_date(text).0.map(write_date) == self.date;
        written.filter(is_of_date).map(str::to_owned).or_else(|| self.date.clone())
    }
}

/// A game in a format, and in words what the format leaves out of it.
pub type Written = (Vec<u8>, Option<String>);

impl Shelf {
    /// Returns a game as a record, with its tree if it has one, and the game that it plays.
    pub fn record(&mut self, id: i64) -> Result<(Record, GameSpec), Error> {
        let game = self.game(id)?;
        let ruleset = self.ruleset_named(&game.ruleset)?;
        let tree = self.tree_of_game(id)?;
        let record = match tree {
            Some(sgf) => tree_record(&sgf)?,
            None => self.main_line(&game, &ruleset)?,
        };
        let mut record = self.headed(record, &game, &ruleset);
        if let Some(rest) = &game.rest {
            let root = record.root();
            record.node_mut(root).remark(&format!("moves that cannot be played: {rest}"));
        }
        Ok((record, ruleset.spec.clone()))
    }

    /// Returns a game without a tree as SGF, with its moves that cannot be played.
    fn game_as_sgf(&mut self, id: i64) -> Result<Vec<u8>, Error> {
        let game = self.game(id)?;
        let ruleset = self.ruleset_named(&game.ruleset)?;
        let mut record = self.main_line(&game, &ruleset)?;
        let start = game.start.as_deref().map(|text| ruleset.read_fen(text)).transpose()?;
        let turn = start.map_or(Side::First, |start| start.turn);
        let mut side = if game.moves.len().is_multiple_of(2) { turn } else { turn.other() };
        let mut last = record.main_line().last().unwrap_or(record.root());
        for text in game.rest.as_deref().unwrap_or_default().split_whitespace() {
            last = match ruleset.point_of(text) {
                Some(point) => record.add_move(last, side, point, ruleset.grid()),
                None => {
                    let node = record.add_child(last);
                    record.node_mut(node).set(if side == Side::First { "B" } else { "W" }, text);
                    node
                }
            };
            side = side.other();
        }
        let record = self.headed(record, &game, &ruleset);
        let games = Collection::new(Format::SGF, vec![record]);
        Ok(games.with_encoding(TextEncoding::UTF_8).to_sgf())
    }

    /// Returns a record with the headers of a game.
    fn headed(&self, mut record: Record, game: &FoundGame, ruleset: &Ruleset) -> Record {
        let (root, catalog) = (record.root(), self.catalog);
        record.declare(&ruleset.spec, catalog);
        let declared = record.node(root).text("RU");
        if let Some(rule) = &game.rule {
            // The rules as they were written may name the opening rule.
            record.node_mut(root).set("RU", rule);
            let means_the_same = record
                .spec(catalog)
                .is_ok_and(|(spec, warning)| spec == ruleset.spec && warning.is_none());
            if let Some(declared) = declared.filter(|_| !means_the_same) {
                record.node_mut(root).set("RU", &declared);
            }
        }
        let node = record.node_mut(root);
        let [first, second] = &game.players;
        let columns = [
            ("PB", first.clone()),
            ("PW", second.clone()),
            ("EV", game.event.clone()),
            ("RO", game.round.clone()),
            ("DT", game.date_text()),
            ("RE", game.sgf_result()),
            ("ON", game.opening.clone()),
        ];
        // The tree of an edited game has its old headers still.
        let is_old = |name: &&str| is_other_header(name) && !game.headers.contains_key(*name);
        let names = node.properties().iter().map(|property| property.name.as_str());
        let old: Vec<String> = names.filter(is_old).map(str::to_owned).collect();
        old.iter().for_each(|name| node.remove(name));
        let others = game.headers.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        for (property, text) in others {
            text.into_iter().for_each(|text| node.set(property, text));
        }
        for (property, value) in columns {
            match value {
                Some(value) => node.set(property, &value),
                None if game.headers.contains_key(property) => {}
                None => node.remove(property),
            }
        }
        record
    }

    /// Returns a game in a format; the error of the format, if it cannot hold the game.
    pub fn written(
        &mut self,
        id: i64,
        format: Format,
    ) -> Result<Result<Vec<u8>, WriteError>, Error> {
        Ok(self.written_with_losses(id, format)?.map(|(written, _)| written))
    }

    /// Returns a game in a format, and in words what the format leaves out of it.
    pub fn written_with_losses(
        &mut self,
        id: i64,
        format: Format,
    ) -> Result<Result<Written, WriteError>, Error> {
        let tree = self.tree_of_game(id)?;
        if format == Format::JSONL {
            let line = format!("{}\n", self.json_line(id)?).into_bytes();
            return Ok(Ok((line, tree.map(|_| "comments, variations and marks".to_owned()))));
        }
        if format == Format::SGF {
            let sgf = match tree {
                Some(sgf) => self.tree_as_sgf(id, &sgf)?,
                None => self.game_as_sgf(id)?,
            };
            return Ok(Ok((sgf, None)));
        }
        let (record, spec) = self.record(id)?;
        let game = Collection::new(Format::SGF, vec![record]);
        let unplayable = self.game(id)?.rest.map(|_| "moves that cannot be played".to_owned());
        let lost: Vec<_> = unplayable.into_iter().chain(game.lost_in(format)).collect();
        let lost = (!lost.is_empty()).then(|| lost.join(", "));
        Ok(game.write(format, &[Some(spec)], None).map(|written| (written, lost)))
    }

    /// Returns a game whose tree is `sgf`. All nodes but the root are copied: large trees would take seconds to read.
    fn tree_as_sgf(&mut self, id: i64, sgf: &str) -> Result<Vec<u8>, Error> {
        let game = self.game(id)?;
        let ruleset = self.ruleset_named(&game.ruleset)?;
        let (root, rest) = sgf.split_at(end_of_root(sgf));
        let root = self.headed(tree_record(&format!("{root})"))?, &game, &ruleset);
        let games = Collection::new(Format::SGF, vec![root]);
        let mut text = games.with_encoding(TextEncoding::UTF_8).to_sgf();
        let end = text.iter().rposition(|byte| *byte == b')').unwrap_or(text.len());
        text.truncate(end);
        text.extend_from_slice(rest.as_bytes());
        Ok(text)
    }

    /// Returns the main line of a game as a record without headers.
    pub(crate) fn main_line(&self, game: &FoundGame, ruleset: &Ruleset) -> Result<Record, Error> {
        let start = game.start.as_deref().map(|text| ruleset.read_fen(text)).transpose()?;
        let points = game.moves.iter().filter_map(|text| text.parse().ok());
        Ok(Record::of_line(ruleset.notation, start.as_ref(), points))
    }

    /// Returns the SGF of the tree that a game has; `None` if it has none.
    pub(crate) fn tree_of_game(&self, game: i64) -> Result<Option<String>, Error> {
        Ok(self.value("SELECT max(sgf) FROM trees WHERE game = ?1", [game])?.flatten())
    }

    /// Returns the ruleset with this name.
    pub fn ruleset_named(&mut self, name: &str) -> Result<Arc<Ruleset>, Error> {
        let missing = || Error::refused("board", name, "the shelf has no such board");
        let id = self.ruleset_id(name)?.ok_or_else(missing)?;
        self.ruleset(id)
    }

    /// Returns a game as a JSON object, as the arena writes games.
    pub fn json_line(&mut self, id: i64) -> Result<Value, Error> {
        let game = self.game(id)?;
        let ruleset = self.ruleset_named(&game.ruleset)?;
        let grid = ruleset.grid();
        let name = |side: usize| game.players[side].clone().unwrap_or_default();
        let mut line = json!({
            "id": id,
            "players": [name(0), name(1)],
            "variant": ruleset.spec.variant,
            "size": [grid.width(), grid.height()],
            "moves": game.moves,
            "score": game.result_text(),
            "end": { "kind": game.ending.clone().unwrap_or_default() },
        });
        for (field, value) in [
            ("start", &game.start),
            ("started", &game.date_text()),
            ("event", &game.event),
            ("rule", &game.rule),
            ("roundName", &game.round),
            ("opening", &game.opening),
            ("rest", &game.rest),
        ] {
            if let Some(value) = value {
                line[field] = Value::from(value.clone());
            }
        }
        if !game.headers.is_empty() {
            line["headers"] = Value::Object(game.headers.clone());
        }
        Ok(line)
    }
}

/// Returns where the root ends in the SGF of a tree that the shelf stores: with the blank before the next node.
fn end_of_root(sgf: &str) -> usize {
    let (mut is_in_value, mut is_escaped) = (false, false);
    let is_end = |byte: u8| {
        let is_end = !is_in_value && b"\n;()".contains(&byte);
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => is_in_value = true,
            b']' => is_in_value = false,
            _ => {}
        }
        is_end
    };
    let begin = "(;".len().min(sgf.len());
    sgf.bytes().skip(begin).position(is_end).map_or(sgf.len(), |end| begin + end)
}

/// Returns the record of a tree that the shelf stores.
pub(crate) fn tree_record(sgf: &str) -> Result<Record, Error> {
    let refused = |why: String| Error::Refused(format!("a tree of the shelf: {why}"));
    let games =
        read(sgf.as_bytes(), &ReadOptions::new()).map_err(|why| refused(why.to_string()))?;
    games.into_records().into_iter().next().ok_or_else(|| refused("it is empty".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_tree_ends_before_the_next_node() {
        for (root, rest) in [
            ("(;GM[4]C[a; (b\\]) \\\\]", "\n;B[hh])\n"),
            ("(;GM[4]", "\n(;B[hh])\n(;B[ii]))\n"),
            ("(;AB[aa][bb]", ";W[cc])"),
            ("(;", ")\n"),
            ("(;C[名]", ")"),
            ("(", ""),
        ] {
            assert_eq!(end_of_root(&format!("{root}{rest}")), root.len(), "{root}{rest}");
        }
    }
}
