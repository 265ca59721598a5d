//! The games of RenjuNet (`.rif`): an XML file with players, tournaments, openings and games.
//!
//! Users bring their own file; none of its contents is in this repository. The file is read as a
//! stream, and each game becomes a record with the properties of SGF.
// CITE: https://github.com/renju-note/renju-note, src/database/rif.ts (elements and attributes)

use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use tengen_engine::Side;
use tengen_records::Record;

/// The side of the board.
const SIDE: &str = "15";
/// The least number of the categories of rules that are not renju.
const GOMOKU: u32 = 2;

/// Returns whether a file begins like that of RenjuNet.
pub(super) fn is_rif(bytes: &[u8]) -> bool {
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]);
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    begin.starts_with('<') && begin.contains("<database")
}

/// A named thing of the file, by its id.
type Names = HashMap<String, String>;

/// What the games refer to.
#[derive(Default)]
struct Tables {
    countries: Names,
    cities: Names,
    openings: Names,
    players: Names,
    rules: HashMap<String, Rules>,
    tournaments: HashMap<String, Tournament>,
}

struct Rules {
    name: String,
    is_renju: bool,
}

struct Tournament {
    name: String,
    place: String,
    date: String,
}

/// The attributes of an element.
struct Attributes(HashMap<String, String>);

impl Attributes {
    fn of(element: &BytesStart<'_>) -> Self {
        let known = element.attributes().flatten().map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.unwrap_or_else(|_| attribute.value.clone());
            (attribute.key.as_ref().to_owned(), value.trim().to_owned())
        });
        Self(known.collect())
    }

    /// Returns an attribute; empty if the element does not have it.
    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Returns an attribute for a table.
    fn own(&self, name: &str) -> String {
        self.get(name).to_owned()
    }
}

impl Tables {
    fn add(&mut self, element: &str, of: &Attributes) {
        let id = of.own("id");
        match element {
            "country" => drop(self.countries.insert(id, of.own("name"))),
            "city" => drop(self.cities.insert(id, of.own("name"))),
            "opening" => {
                let code = if of.get("abbr").is_empty() { of.own("name") } else { of.own("abbr") };
                self.openings.insert(id, code);
            }
            "player" => {
                let name = format!("{} {}", of.get("name"), of.get("surname"));
                self.players.insert(id, name.trim().to_owned());
            }
            "rule" => {
                let is_renju =
                    of.get("category").parse().map_or(true, |category: u32| category < GOMOKU);
                self.rules.insert(id, Rules { name: of.own("name"), is_renju });
            }
            "tournament" => {
                let city = self.cities.get(of.get("city")).map(String::as_str);
                let country = self.countries.get(of.get("country")).map(String::as_str);
                let place = [city, country].into_iter().flatten().filter(|text| !text.is_empty());
                let place = place.collect::<Vec<_>>().join(", ");
                let dated = Some(of.get("start")).filter(|date| *date > "0001");
                let date = dated.unwrap_or_else(|| of.get("year")).to_owned();
                self.tournaments.insert(id, Tournament { name: of.own("name"), place, date });
            }
            _ => {}
        }
    }

    /// Returns a game without its moves.
    fn game(&self, of: &Attributes) -> Record {
        let mut record = Record::new();
        let root = record.root();
        let node = record.node_mut(root);
        let rules = self.rules.get(of.get("rule"));
        let rules = match rules {
            Some(Rules { name, is_renju: true }) => format!("Renju {name}"),
            Some(Rules { name, .. }) => name.clone(),
            None => "Renju".to_owned(),
        };
        let tournament = self.tournaments.get(of.get("tournament"));
        let result = match of.get("bresult") {
            "1" => "B+",
            "0" => "W+",
            "0.5" => "0",
            _ => "",
        };
        let offered = Some(of.get("alt")).filter(|alt| !alt.is_empty());
        let offered = offered.map(|alt| format!("fifth moves offered: {alt}"));
        let swapped = Some(of.get("swap")).filter(|swap| !swap.is_empty());
        let swapped = swapped.map(|swap| format!("swap: {swap}"));
        let remarks: Vec<String> = offered.into_iter().chain(swapped).collect();
        let name = |names: &Names, id: &str| names.get(id).cloned().unwrap_or_default();
        for (property, value) in [
            ("GM", "4".to_owned()),
            ("SZ", SIDE.to_owned()),
            ("RU", rules),
            ("PB", name(&self.players, of.get("black"))),
            ("PW", name(&self.players, of.get("white"))),
            ("EV", tournament.map(|known| known.name.clone()).unwrap_or_default()),
            ("PC", tournament.map(|known| known.place.clone()).unwrap_or_default()),
            ("DT", tournament.map(|known| known.date.clone()).unwrap_or_default()),
            ("RO", of.own("round")),
            ("RE", result.to_owned()),
            ("ON", name(&self.openings, of.get("opening"))),
            ("GN", of.own("id")),
            ("GC", remarks.join("; ")),
        ] {
            if !value.is_empty() {
                node.set(property, &value);
            }
        }
        record
    }
}

/// The most moves of a game: more than the board has points.
const MAX_MOVES: usize = 500;

/// Adds the moves of a list such as `h8 i9`. Returns whether a game may have so many.
fn add_moves(record: &mut Record, text: &str) -> bool {
    let (mut last, mut side) = (record.root(), Side::First);
    for mv in text.split_whitespace() {
        if record.node_count() > MAX_MOVES {
            return false;
        }
        last = record.add_child(last);
        record.node_mut(last).set(if side == Side::First { "B" } else { "W" }, mv);
        side = side.other();
    }
    true
}

/// Reads the games of the file. Calls `take` with each game, or with the text of an error of the
/// file, which ends it; until it returns `false`.
pub(super) fn read(bytes: &[u8], mut take: impl FnMut(Result<Record, String>) -> bool) {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut tables = Tables::default();
    let mut game: Option<Record> = None;
    let mut path: Vec<String> = Vec::new();
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(why) => {
                let at = (reader.error_position() as usize).min(text.len());
                let line = 1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
                take(Err(format!("line {line}: {why}")));
                return;
            }
        };
        match event {
            Event::Start(element) => {
                let name = element.name().as_ref().to_owned();
                open(&name, &element, &mut tables, &mut game);
                path.push(name);
            }
            Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                open(&name, &element, &mut tables, &mut game);
                if name == "game" && !game.take().is_none_or(|game| take(Ok(game))) {
                    return;
                }
            }
            Event::End(element) => {
                path.pop();
                let is_game = element.name().as_ref() == "game";
                if is_game && !game.take().is_none_or(|game| take(Ok(game))) {
                    return;
                }
            }
            Event::Text(text) => {
                let text = text.xml_content(XmlVersion::Implicit1_0);
                match (path.last().map(String::as_str), &mut game) {
                    (Some("move"), Some(begun)) => {
                        let fits = add_moves(begun, &text);
                        let why = || format!("a game has more than {MAX_MOVES} moves");
                        game = game.filter(|_| fits);
                        if !fits && !take(Err(why())) {
                            return;
                        }
                    }
                    (Some("info"), Some(game)) if !text.trim().is_empty() => {
                        let root = game.root();
                        game.node_mut(root).remark(text.trim());
                    }
                    _ => {}
                }
            }
            Event::Eof => {
                if !path.is_empty() {
                    take(Err(format!("the file ends inside <{}>", path.join("><"))));
                }
                return;
            }
            _ => {}
        }
    }
}

/// Handles the beginning of an element.
fn open(name: &str, element: &BytesStart<'_>, tables: &mut Tables, game: &mut Option<Record>) {
    match name {
        "game" => *game = Some(tables.game(&Attributes::of(element))),
        "country" | "city" | "opening" | "player" | "rule" | "tournament" => {
            tables.add(name, &Attributes::of(element));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<database version="1.0" date="2026-01-01">
<countries><country id="1" name="Estonia" abbr="EST"/></countries>
<cities><city id="2" country="1" name="Tallinn"/></cities>
<rules><rule id="3" name="Taraguchi-10" category="1"><info>five offers</info></rule></rules>
<openings><opening id="4" abbr="I7" name="X &amp; Y"/></openings>
<players><player id="5" name="Anna" surname="A."/><player id="6" name="Ben" surname=""/></players>
<tournaments><tournament id="7" name="Open" country="1" city="2" year="2019" start="2019-05-00"/></tournaments>
<games>
<game id="8" tournament="7" round="2" rule="3" black="5" white="6" bresult="0.5" opening="4" alt="a1 b2" swap=""><move>h8 i9 j7</move><info>good</info></game>
<game id="9" rule="99" black="x" white="" bresult=""><move></move></game>
</games></database>"#;

    #[test]
    fn a_game_has_the_names_behind_its_ids() {
        assert!(is_rif(FILE.as_bytes()) && !is_rif(b"(;GM[4])"));
        let mut games = Vec::new();
        read(FILE.as_bytes(), |game| {
            games.push(game.unwrap());
            true
        });
        let root = games[0].node(games[0].root());
        for (name, value) in [
            ("PB", "Anna A."),
            ("PW", "Ben"),
            ("EV", "Open"),
            ("PC", "Tallinn, Estonia"),
            ("DT", "2019-05-00"),
            ("RO", "2"),
            ("RE", "0"),
            ("ON", "I7"),
            ("RU", "Renju Taraguchi-10"),
            ("C", "good"),
            ("GC", "fifth moves offered: a1 b2"),
        ] {
            assert_eq!(root.text(name).as_deref(), Some(value), "{name}");
        }
        assert_eq!(games[0].node_count(), 4);
        assert_eq!((games.len(), games[1].node_count()), (2, 1));
    }

    #[test]
    fn a_cut_file_gives_the_games_before_the_cut() {
        let cut = &FILE[..FILE.find("<game id=\"9\"").unwrap() + 20];
        let mut found = Vec::new();
        read(cut.as_bytes(), |game| {
            found.push(game.is_ok());
            true
        });
        assert_eq!(found, [true, false]);
    }
}
