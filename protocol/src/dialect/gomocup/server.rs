//! The Gomocup dialect, as Piskvork and compatible managers use it, with the part of Yixin's
//! extension that analysis boards use.
//!
//! It knows no game: cells pass through as columns and rows.
// CITE: Petr Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm
// CITE: Kai Sun, "Yixin Protocol", https://github.com/accreator/Yixin-protocol

use super::detail::Detail;

use super::rows::{Header, Rows};
use super::usage::expected;
use super::write::WriteOptions;
use super::{info, read, write};
use crate::command::{Command, Reply};
use crate::dialect::kind::{BoardContext, Dialect, Kind, Speech, overlong};
use crate::dialect::words::{split_word, trim};

/// The registration of Gomocup.
pub static KIND: Kind = Kind {
    name: "gomocup",
    openings: &[
        "START",
        "RECTSTART",
        "ABOUT",
        "INFO",
        "BEGIN",
        "BOARD",
        "RESTART",
        "SWAP2BOARD",
        "END",
        "yxboard",
        "yxshowinfo",
    ],
    program_prefix: Some("pbrain-"),
    variant: Some("gomokufreestyle"),
    speech: Speech::Commands(|| Box::new(Gomocup::default())),
};

/// The Gomocup protocol, from the side of the player ("brain").
#[derive(Default)]
pub struct Gomocup {
    /// What the lines to come belong to.
    open: Open,
    /// Whether an analysis board is the client: it has other numbers for the rules, names a row
    /// before a column, and begins a game before each position.
    is_analysed: bool,
    /// How much a search reports.
    detail: Detail,
}

/// What the next lines belong to.
#[derive(Default)]
enum Open {
    /// Nothing: the next line is a command.
    #[default]
    Nothing,
    /// Rows up to `DONE`.
    Rows(Rows),
    /// The name of a file, on one line.
    FileName,
}

impl Dialect for Gomocup {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let line = trim(line);
        match std::mem::take(&mut self.open) {
            Open::Nothing => self.command(line, out),
            Open::FileName => {}
            Open::Rows(rows) => self.row(rows, line, out),
        }
    }

    fn decode_overlong(&mut self, beginning: &str, out: &mut dyn FnMut(Command)) {
        match std::mem::take(&mut self.open) {
            Open::Nothing | Open::FileName => out(Command::Refused(overlong(beginning))),
            Open::Rows(mut rows) => {
                rows.spoil(&overlong(beginning));
                self.open = Open::Rows(rows);
            }
        }
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        let options = WriteOptions { is_analysed: self.is_analysed, detail: self.detail };
        write::encode(reply, context, options, out);
    }
}

/// Commands that are only for databases and files that we do not keep, with rows up to `DONE`.
const DATABASE_ROWS: [&str; 11] = [
    "yxquerydatabaseall",
    "yxquerydatabaseallt",
    "yxquerydatabaseone",
    "yxquerydatabasetext",
    "yxedittvddatabase",
    "yxedittextdatabase",
    "yxeditlabeldatabase",
    "yxdeletedatabaseone",
    "yxdeletedatabaseall",
    "yxsetbestmovedatabase",
    "yxclearbestmovedatabase",
];

/// Openings of analysis boards that we do not play, with rows up to `DONE`.
const OPENING_ROWS: [&str; 5] =
    ["yxsoosorvstep2", "yxsoosorvstep3", "yxsoosorvstep4", "yxsoosorvstep5", "yxsoosorvstep6"];

/// Commands to ignore that have the name of a file on the line after.
const DATABASE_FILES: [&str; 11] = [
    "yxsetdatabase",
    "yxdbtopos",
    "yxdbtotxt",
    "yxdbtotxtall",
    "yxtxttodb",
    "yxlibtodb",
    "yxdbtolib",
    "yxdbmerge",
    "yxdbsplit",
    "yxhashdump",
    "yxhashload",
];

/// Ignored commands that have a line to themselves.
const DATABASE_WORDS: [&str; 7] = [
    "yxsavedatabase",
    "yxdbcheck",
    "yxdbfix",
    "yxshowhashusage",
    "yxprintfeature",
    "yxdraw",
    "yxresign",
];

impl Gomocup {
    fn command(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let (word, rest) = split_word(line);
        if word.is_empty() || word.starts_with('#') {
            return;
        }
        if let Some(command) = read::urgent(word) {
            return obey(command, word, rest, out);
        }
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        let any = |names: &[&str]| names.iter().any(|name| is(name));
        self.is_analysed |= is("yxshowinfo") && rest.is_empty();
        match () {
            () if is("info") => self.info(rest, out),
            () if any(&DATABASE_WORDS) => {}
            () if any(&DATABASE_FILES) => {
                // Some send the name on the same line.
                self.open = if rest.is_empty() { Open::FileName } else { Open::Nothing };
            }
            () if any(&DATABASE_ROWS) => self.open = Open::Rows(Rows::swallowed()),
            () if any(&OPENING_ROWS) => {
                self.open = Open::Rows(Rows::swallowed());
                out(Command::Unknown(word.to_owned()));
            }
            () => match Header::by(word) {
                Some(header) => self.rows(header, rest, out),
                None => {
                    let command = read::command(word, rest, self.is_analysed);
                    out(command.unwrap_or_else(|| Command::Unknown(line.to_owned())));
                }
            },
        }
    }

    /// Reads an `INFO`.
    fn info(&mut self, rest: &str, out: &mut dyn FnMut(Command)) {
        match info::read(rest, self.is_analysed) {
            info::InfoLine::Command(command) => out(command),
            info::InfoLine::Detail(detail) => self.detail = detail,
            info::InfoLine::Nothing => {}
        }
    }

    /// Begins a command with rows, which may follow on its own line.
    fn rows(&mut self, header: Header, rest: &str, out: &mut dyn FnMut(Command)) {
        let mut rows = Rows::of(header);
        for word in rest.split_ascii_whitespace() {
            if rows.is_done() {
                return out(Command::Refused(rows.superfluous(word)));
            }
            rows.read(word);
        }
        self.go_on(rows, out);
    }

    /// Reads a line while rows are expected.
    fn row(&mut self, mut rows: Rows, line: &str, out: &mut dyn FnMut(Command)) {
        if line.is_empty() {
            self.open = Open::Rows(rows);
            return;
        }
        let (word, rest) = split_word(line);
        // Whoever stops or leaves sends no more rows, nor does who begins anew.
        if let Some(command) = read::urgent(word) {
            obey(command, word, rest, out);
            self.open = Open::Rows(rows);
            return;
        }
        if KIND.openings.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            if let Some(why) = rows.broken_off(word) {
                out(Command::Refused(why));
            }
            return self.command(line, out);
        }
        rows.read(line);
        self.go_on(rows, out);
    }

    fn go_on(&mut self, rows: Rows, out: &mut dyn FnMut(Command)) {
        if !rows.is_done() {
            self.open = Open::Rows(rows);
            return;
        }
        if let Some(command) = rows.finish() {
            out(command);
        }
    }
}

/// Passes on a command that cannot wait, whatever stands after it.
fn obey(command: Command, word: &str, rest: &str, out: &mut dyn FnMut(Command)) {
    if !rest.is_empty() {
        out(Command::Refused(expected(&word.to_ascii_uppercase(), word, rest)));
    }
    out(command);
}
