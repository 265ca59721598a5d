//! The server side of Gomocup, for Piskvork and compatible managers, with the part of Yixin's
//! extension that analysis GUIs use.
//!
//! It does not depend on a game. Cells stay columns and rows.
// CITE: Petr Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm
// CITE: Kai Sun, "Yixin Protocol", https://github.com/accreator/Yixin-protocol

use super::info::Detail;
use super::read::expected;
use super::rows::{Header, Rows};
use super::write::Writer;
use super::{info, read};
use crate::command::{Command, Reply};
use crate::dialect::kind::{BoardContext, Dialect, Kind, OverlongLine, Speech};
use crate::dialect::words::{is_one_of, split_word, trim};

/// The registration of Gomocup.
pub static KIND: Kind = Kind {
    name: "gomocup",
    openings: "START RECTSTART ABOUT INFO BEGIN BOARD RESTART SWAP2BOARD END yxboard yxshowinfo",
    program_prefix: Some("pbrain-"),
    variant: Some("gomokufreestyle"),
    speech: Speech::Commands(|| Box::new(Gomocup::default())),
};

/// The Gomocup protocol on the side of the engine ("brain").
#[derive(Default)]
pub struct Gomocup {
    /// How the next line is read.
    next_line: NextLine,
    /// Whether the client is an analysis GUI. Such a client has other rule numbers, sends rows
    /// before columns, and begins a game before each position.
    is_analysis: bool,
    /// What a search reports in addition.
    detail: Detail,
}

/// How the next line is read.
#[derive(Default)]
enum NextLine {
    /// As a command.
    #[default]
    Command,
    /// As a row of a command, up to `DONE`.
    Row(Rows),
    /// As the name of a file, which is ignored.
    FileName,
}

impl Dialect for Gomocup {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let line = trim(line);
        match std::mem::take(&mut self.next_line) {
            NextLine::Command => self.command(line, out),
            NextLine::FileName => {}
            NextLine::Row(rows) => self.row(rows, line, out),
        }
    }

    fn decode_overlong(&mut self, line: OverlongLine<'_>, out: &mut dyn FnMut(Command)) {
        match std::mem::take(&mut self.next_line) {
            NextLine::Command | NextLine::FileName => out(Command::Refused(line.message())),
            NextLine::Row(mut rows) => {
                rows.refuse(&line.message());
                self.next_line = NextLine::Row(rows);
            }
        }
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        let Self { is_analysis, detail, .. } = *self;
        Writer { context, is_analysis, detail }.encode(reply, out);
    }
}

/// Ignored commands with rows up to `DONE`: we keep no databases.
const IGNORED_WITH_ROWS: &str = "\
    yxquerydatabaseall yxquerydatabaseallt yxquerydatabaseone yxquerydatabasetext \
    yxedittvddatabase yxedittextdatabase yxeditlabeldatabase yxdeletedatabaseone \
    yxdeletedatabaseall yxsetbestmovedatabase yxclearbestmovedatabase";

/// Ignored commands with the name of a file on the next line.
const IGNORED_WITH_FILE: &str = "\
    yxsetdatabase yxdbtopos yxdbtotxt yxdbtotxtall yxtxttodb yxlibtodb yxdbtolib yxdbmerge \
    yxdbsplit yxhashdump yxhashload";

/// Ignored commands of one line.
const IGNORED_LINES: &str = "\
    yxsavedatabase yxdbcheck yxdbfix yxshowhashusage yxprintfeature yxdraw yxresign";

impl Gomocup {
    fn command(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let (word, rest) = read::split_command(line);
        if word.is_empty() || word.starts_with('#') {
            return;
        }
        if let Some(command) = read::urgent(word) {
            return run_urgent(command, word, rest, out);
        }
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        self.is_analysis |= is("yxshowinfo") && rest.is_empty();
        match () {
            () if is("info") => {
                let command = info::read(rest, self.is_analysis, &mut self.detail);
                Some(command).filter(|it| *it != Command::Nothing).into_iter().for_each(out);
            }
            () if is_one_of(word, IGNORED_LINES) => {}
            () if is_one_of(word, IGNORED_WITH_FILE) => {
                // Some clients send the name on the same line.
                self.next_line =
                    if rest.is_empty() { NextLine::FileName } else { NextLine::Command };
            }
            () if is_one_of(word, IGNORED_WITH_ROWS) => {
                self.next_line = NextLine::Row(Rows::new(Header::Ignored))
            }
            () => match (Header::by_name(word), Header::soosorv(word, rest)) {
                (Some(header), _) => self.rows(header, rest, out),
                (None, Some(Ok((header, rows)))) => self.rows(header, rows, out),
                (None, Some(Err(why))) => {
                    out(Command::Refused(why));
                    self.read_rows(Rows::new(Header::Ignored), rest, out);
                }
                (None, None) => {
                    let command = read::command(word, rest, self.is_analysis);
                    out(command.unwrap_or_else(|| Command::Unknown(line.to_owned())));
                }
            },
        }
    }

    /// Begins a command with rows. The rows may already begin in `rest`, on the same line.
    fn rows(&mut self, header: Header, rest: &str, out: &mut dyn FnMut(Command)) {
        self.read_rows(Rows::new(header), rest, out);
    }

    /// Reads the rows of a line.
    fn read_rows(&mut self, mut rows: Rows, line: &str, out: &mut dyn FnMut(Command)) {
        for row in rows.split(line) {
            if rows.is_done {
                return out(rows.refuse_after_done(&row));
            }
            rows.read(&row);
        }
        self.finish_or_continue(rows, out);
    }

    /// Reads a line while rows are expected.
    fn row(&mut self, rows: Rows, line: &str, out: &mut dyn FnMut(Command)) {
        if line.is_empty() {
            self.next_line = NextLine::Row(rows);
            return;
        }
        let (word, rest) = split_word(line);
        // A client may stop or quit between rows. A command that begins a game ends the rows.
        if let Some(command) = read::urgent(word) {
            run_urgent(command, word, rest, out);
            self.next_line = NextLine::Row(rows);
            return;
        }
        if is_one_of(word, KIND.openings) {
            if let Some(why) = rows.missing_done(word) {
                out(Command::Refused(why));
            }
            return self.command(line, out);
        }
        self.read_rows(rows, line, out);
    }

    /// Passes the command to `out` after `DONE`, else expects more rows.
    fn finish_or_continue(&mut self, rows: Rows, out: &mut dyn FnMut(Command)) {
        if !rows.is_done {
            self.next_line = NextLine::Row(rows);
            return;
        }
        if let Some(command) = rows.finish() {
            out(command);
        }
    }
}

/// Passes an urgent command to `out`, and reports extra words after it.
fn run_urgent(command: Command, word: &str, rest: &str, out: &mut dyn FnMut(Command)) {
    if !rest.is_empty() {
        out(Command::Refused(expected(&word.to_ascii_uppercase(), word, rest)));
    }
    out(command);
}
