//! [`Command`]: the commands of a player and the words for them. Both modes read the same words.

use tengen_engine::{Chosen, Strength};

use crate::clock::TimeControl;

/// The sides that people play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Humans {
    /// A person plays first.
    First,
    /// A person plays second.
    Second,
    /// People play both sides.
    Both,
    /// The engine plays against itself.
    None,
}

impl Humans {
    /// All values with their words.
    pub const ALL: [(&'static str, Self); 4] = [
        ("first", Self::First),
        ("second", Self::Second),
        ("both", Self::Both),
        ("none", Self::None),
    ];

    /// Returns the value by whether a person plays the first and the second side.
    pub(crate) fn of(people: [bool; 2]) -> Self {
        match people {
            [true, false] => Self::First,
            [false, true] => Self::Second,
            [true, true] => Self::Both,
            [false, false] => Self::None,
        }
    }

    /// Returns whether a person plays the first and the second side.
    pub(crate) fn people(self) -> [bool; 2] {
        let plays = |side| self == side || self == Self::Both;
        [plays(Self::First), plays(Self::Second)]
    }

    /// Returns the word of the value.
    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, humans)| *humans == self).map_or("both", |(word, _)| word)
    }
}

/// The settings of a new game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NewGame {
    /// The variant.
    pub(crate) variant: &'static str,
    /// Its options.
    pub(crate) chosen: Chosen,
    /// The name of its opening rule; `None` without a rule.
    pub(crate) opening: Option<&'static str>,
    /// Who plays.
    pub(crate) humans: Humans,
    /// The level of the engine, from 0 to 10.
    pub(crate) level: u8,
    /// The time control; `None` for unlimited time.
    pub(crate) time: Option<TimeControl>,
}

/// A command of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// Play this move.
    Move(String),
    /// Choose in an opening, by a word.
    Choose(&'static str),
    /// Take back moves until the player is to move.
    Undo,
    /// Play again what was taken back.
    Redo,
    /// Show a good point, and then its line.
    Hint,
    /// Tell the best move and its value.
    Value,
    /// Give the game up.
    Resign,
    /// Exchange the sides.
    Swap,
    /// Set who plays.
    Humans(Humans),
    /// Set the level, or tell it.
    Level(Option<u8>),
    /// Move now; where a person is to move, let the engine take over.
    Go,
    /// Show the position one move earlier.
    Back,
    /// Show the position one move later.
    Forward,
    /// Show the position before the first move.
    First,
    /// Show the last position.
    End,
    /// Show the position after so many moves.
    To(usize),
    /// Show another variation of the last move: the next one or the one before.
    Variation(isize),
    /// Turn the analysis on or off.
    Analysis(Option<bool>),
    /// Set how many moves the analysis ranks.
    Lines(usize),
    /// Judge every move of the game.
    Review,
    /// Go to the next mistake, or to the one before.
    Mistake(isize),
    /// Tell the last move.
    Last,
    /// Show the board.
    Board,
    /// Show the moves.
    Moves,
    /// Tell the forbidden points.
    Forbidden,
    /// Tell the time on the clocks.
    Clock,
    /// Comment on the last move.
    Comment(String),
    /// Write the game to a file.
    Save(Option<String>),
    /// Read a game from a file.
    Load(String),
    /// Begin a new game, of another variant or size if they are named.
    New(Vec<String>),
    /// Begin the game that was chosen in the dialog.
    Begin(Box<NewGame>),
    /// Show the commands.
    Help,
    /// Leave.
    Quit,
}

/// The maximum number of moves that an analysis ranks.
pub(crate) const MAX_LINES: usize = 50;

/// Commands that take no other word.
const WITHOUT_ARGUMENTS: [(&str, Command); 30] = [
    ("undo", Command::Undo),
    ("redo", Command::Redo),
    ("hint", Command::Hint),
    ("value", Command::Value),
    ("eval", Command::Value),
    ("resign", Command::Resign),
    ("swap", Command::Swap),
    ("go", Command::Go),
    ("black", Command::Choose("black")),
    ("red", Command::Choose("black")),
    ("white", Command::Choose("white")),
    ("yellow", Command::Choose("white")),
    ("stay", Command::Choose("stay")),
    ("two", Command::Choose("two")),
    ("more", Command::Choose("two")),
    ("ten", Command::Choose("ten")),
    ("back", Command::Back),
    ("forward", Command::Forward),
    ("start", Command::First),
    ("end", Command::End),
    ("review", Command::Review),
    ("last", Command::Last),
    ("board", Command::Board),
    ("moves", Command::Moves),
    ("forbidden", Command::Forbidden),
    ("clock", Command::Clock),
    ("help", Command::Help),
    ("?", Command::Help),
    ("quit", Command::Quit),
    ("exit", Command::Quit),
];

/// The commands as help shows them: the words, the key of the full screen, and what they do.
pub(crate) const HELP: [(&str, &str, &str); 31] = [
    ("h8, d, 4", "Enter", "play there; where stones fall a column is enough"),
    ("undo", "Backspace", "take back to your turn; also while Tengen thinks"),
    ("redo", "Ctrl+Y", "play again what was taken back"),
    ("hint", "H", "a good point; asked again, the line after it"),
    ("value", "V", "the best move and what it is worth"),
    ("resign", "R", "give the game up"),
    ("swap", "W", "exchange the sides"),
    ("play first", "", "your side: first, second, both or none"),
    ("level 7", "+ -", "how strong Tengen plays, 0 to 10"),
    ("go", "G", "Tengen moves now, or takes over the side to move"),
    ("swap, stay", "", "in an opening: take the other colour, or keep yours"),
    ("two, ten", "", "in swap2: two more stones; in taraguchi10: ten offers"),
    ("back, forward", "PgUp PgDn", "look at the move before, the move after"),
    ("start, end", "^Home ^End", "look at the first, the last position"),
    ("to 12", "", "look at the position after 12 moves"),
    ("variation", "^Up ^Down", "look at another variation of this move"),
    ("analysis on", "A", "rank the best moves all the time; off ends it"),
    ("lines 5", "", "how many moves the analysis ranks"),
    ("review", "J", "judge every move: ?! doubtful, ? mistake, ?? blunder"),
    ("mistake", "N P", "go to the next mistake; mistake back: the one before"),
    ("last", "L", "the last move"),
    ("board", "", "the board"),
    ("moves", "", "the moves so far, with their marks"),
    ("forbidden", "F", "the points forbidden to the side to move"),
    ("clock", "C", "the time"),
    ("comment text", "", "a note on the last move, kept in the record"),
    ("save game.sgf", "Ctrl+S", "write the game as SGF"),
    ("load game.sgf", "", "read a record of any format"),
    ("new renju 15x15", "B", "a new game; the key asks for everything"),
    ("help", "?", "these commands"),
    ("quit", "Q", "leave; the game is kept for --resume"),
];

impl Command {
    /// Reads a line that a player typed; `None` when it is blank. The error says what is allowed.
    pub(crate) fn read(line: &str) -> Result<Option<Self>, String> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { return Ok(None) };
        let rest: Vec<&str> = words.collect();
        let word = first.to_ascii_lowercase();
        if let Some((_, command)) = WITHOUT_ARGUMENTS.iter().find(|(known, _)| *known == word) {
            return match rest.as_slice() {
                [] => Ok(Some(command.clone())),
                _ => Err(format!("{first} {}: {first} takes no argument", rest.join(" "))),
            };
        }
        let command = match word.as_str() {
            "play" | "sides" => Self::Humans(choice(first, &rest, &Humans::ALL)?),
            "level" => Self::Level(level(&rest)?),
            "to" => Self::To(number(first, &rest, "the number of a move", usize::MAX)?),
            "variation" => Self::Variation(direction(first, &rest)?),
            "analysis" | "analyse" | "analyze" => Self::Analysis(match rest.as_slice() {
                [] => None,
                _ => Some(choice(first, &rest, &[("on", true), ("off", false)])?),
            }),
            "lines" => {
                Self::Lines(number(first, &rest, "a number from 1 to 50", MAX_LINES)?.max(1))
            }
            "mistake" => Self::Mistake(direction(first, &rest)?),
            "comment" => Self::Comment(rest.join(" ")),
            "save" => Self::Save(rest_of_line(line, first)),
            "load" | "open" => {
                let file = rest_of_line(line, first);
                Self::Load(file.ok_or_else(|| format!("{first}: which file?"))?)
            }
            "new" => Self::New(rest.iter().map(|word| (*word).to_owned()).collect()),
            _ => Self::Move(line.trim().to_owned()),
        };
        Ok(Some(command))
    }
}

/// Returns the rest of a line after its first word, such as a file name with blanks.
fn rest_of_line(line: &str, first: &str) -> Option<String> {
    let rest = line.trim_start().get(first.len()..)?.trim();
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn choice<T: Copy>(word: &str, rest: &[&str], choices: &[(&str, T)]) -> Result<T, String> {
    let [asked] = rest else { return Err(format!("{word}: say {}", list(choices))) };
    let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(asked));
    found.map(|(_, it)| *it).ok_or_else(|| format!("{word} {asked}: say {}", list(choices)))
}

fn list<T>(choices: &[(&str, T)]) -> String {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn level(rest: &[&str]) -> Result<Option<u8>, String> {
    let asked = rest.join(" ");
    match asked.parse() {
        _ if asked.is_empty() => Ok(None),
        Ok(level) if level <= Strength::FULL => Ok(Some(level)),
        _ => Err(format!("level {asked}: say a number from 0 to {}", Strength::FULL)),
    }
}

fn number(word: &str, rest: &[&str], wanted: &str, most: usize) -> Result<usize, String> {
    let asked = rest.join(" ");
    match asked.parse() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(format!("{}: say {wanted}", format!("{word} {asked}").trim_end())),
    }
}

fn direction(word: &str, rest: &[&str]) -> Result<isize, String> {
    if rest.is_empty() { Ok(1) } else { choice(word, rest, &[("back", -1), ("next", 1)]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Command>, String> {
        Command::read(line)
    }

    #[test]
    fn words_are_read_in_any_case_and_everything_else_is_a_move() {
        for (line, command) in [
            ("undo", Command::Undo),
            ("  HINT ", Command::Hint),
            ("level 7", Command::Level(Some(7))),
            ("level", Command::Level(None)),
            ("play both", Command::Humans(Humans::Both)),
            ("to 12", Command::To(12)),
            ("analysis off", Command::Analysis(Some(false))),
            ("mistake back", Command::Mistake(-1)),
            ("save My Game.sgf", Command::Save(Some("My Game.sgf".into()))),
            ("save", Command::Save(None)),
            ("new renju 15x15", Command::New(vec!["renju".into(), "15x15".into()])),
            ("white", Command::Choose("white")),
            ("h8", Command::Move("h8".into())),
            ("u", Command::Move("u".into())),
            ("7, 7", Command::Move("7, 7".into())),
        ] {
            assert_eq!(read(line), Ok(Some(command)), "{line}");
        }
        assert_eq!(read(" \t"), Ok(None));
    }

    #[test]
    fn a_word_with_a_wrong_number_says_what_is_allowed() {
        for (line, why) in [
            ("level 11", "level 11: say a number from 0 to 10"),
            ("level x y", "level x y: say a number from 0 to 10"),
            ("play me", "play me: say first, second, both or none"),
            ("play", "play: say first, second, both or none"),
            ("to", "to: say the number of a move"),
            ("lines 51", "lines 51: say a number from 1 to 50"),
            ("analysis maybe", "analysis maybe: say on or off"),
            ("load", "load: which file?"),
            ("Undo 3", "Undo 3: Undo takes no argument"),
        ] {
            assert_eq!(read(line), Err(why.to_owned()), "{line}");
        }
    }

    #[test]
    fn help_names_words_that_are_read() {
        for (words, _, _) in HELP {
            for word in words.split(", ") {
                assert!(matches!(read(word), Ok(Some(_))), "{word}");
            }
        }
    }
}
