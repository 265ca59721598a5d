//! The server side of GTP. Commands run one after the other, and each gets one response.
//!
//! The dialect keeps what GTP spreads over commands: the responses that are due, and the clock.

use std::collections::VecDeque;

use tengen_engine::text::quotable;
use tengen_engine::{Answer, Move, Side};

use super::analysis::{Form, Ranking, Wishes};
use super::args::{Args, colour_name, point};
use super::clock::TimeSettings;
use super::vertex;
use crate::command::{Command, GameStatus, Question, Reply, Request, winner};
use crate::dialect::kind::{BoardContext, Dialect, Kind, OverlongLine, Speech};
use crate::dialect::words::{split_word, trim};

/// The registration of GTP.
pub static KIND: Kind = Kind {
    name: "gtp",
    openings: OPENINGS,
    program_prefix: Some("gtp-"),
    variant: Some("gomokufreestyle"),
    speech: Speech::Commands(|| Box::new(Gtp::default())),
};

/// The commands that no other dialect has.
const OPENINGS: &str = "\
    boardsize clear_board final_score genmove kata-analyze kata-genmove_analyze kgs-time_settings \
    known_command komi list_commands loadsgf lz-analyze lz-genmove_analyze name play protocol_version \
    rectangular_boardsize reg_genmove showboard tengen-limit tengen-option tengen-variant time_left time_settings \
    version";

/// Returns all commands, in the order of the alphabet.
pub(super) fn commands() -> Vec<&'static str> {
    let mut commands: Vec<&str> = OPENINGS.split(' ').chain(["quit", "undo"]).collect();
    commands.sort_unstable();
    commands
}

/// The Go Text Protocol, version 2.
#[derive(Default)]
pub struct Gtp {
    /// The responses that are due, in the order of the commands.
    due: VecDeque<Response>,
    /// Why the command of the first response was refused.
    refused: Option<String>,
    /// What the first response says so far.
    lines: Vec<String>,
    /// Whether the head of the first response was written.
    is_begun: bool,
    time: TimeSettings,
}

/// A response that is due.
struct Response {
    /// The number that the client gave the command.
    id: Option<String>,
    kind: ResponseKind,
}

/// What a response says.
enum ResponseKind {
    /// Nothing, or text that is known already.
    Text(Vec<String>),
    /// The name of the engine.
    Name,
    /// The version of the engine.
    Version,
    /// The board.
    Board,
    /// The result of the game.
    Score,
    /// The confirmation of a played move, with its vertex as the client wrote it.
    Played(String),
    /// The move of a search.
    Move,
    /// Lines of an analysis, and at its end the move if it is played.
    Analysis { ranking: Ranking, plays: bool },
}

/// The commands of a line, and what their response says; or why the line is refused.
type Decoded = Result<(Vec<Command>, ResponseKind), String>;

fn text(line: impl Into<String>) -> Decoded {
    Ok((Vec::new(), ResponseKind::Text(vec![line.into()])))
}

fn acts(commands: Vec<Command>) -> Decoded {
    Ok((commands, ResponseKind::Text(Vec::new())))
}

fn set_option(name: &str, value: &str) -> Command {
    Command::SetOption { name: name.to_owned(), value: Some(value.to_owned()) }
}

impl Gtp {
    /// Reads a command and its arguments.
    fn command(&mut self, word: &str, rest: &str) -> Decoded {
        let args = &mut Args::new(rest);
        match word {
            "protocol_version" => text("2"),
            "name" => Ok((vec![Command::Identify], ResponseKind::Name)),
            "version" => Ok((vec![Command::Identify], ResponseKind::Version)),
            "known_command" => {
                let is_known = args.next().is_some_and(|name| commands().contains(&name));
                text(if is_known { "true" } else { "false" })
            }
            "list_commands" => {
                let names = commands().into_iter().map(str::to_owned).collect();
                Ok((Vec::new(), ResponseKind::Text(names)))
            }
            "quit" => acts(Vec::new()),
            "boardsize" | "rectangular_boardsize" => {
                let columns = args.number("the size", 0, 1000)? as u32;
                let rows = args.optional_number().map_or(columns, |rows| rows.min(1000) as u32);
                let board = Command::Choose { variant: None, size: Some((columns, rows)) };
                self.time.new_game();
                acts(vec![board, Command::NewGame])
            }
            "clear_board" => {
                self.time.new_game();
                acts(vec![Command::NewGame])
            }
            // These games have no points to give: the number has no effect.
            "komi" => args.word("the komi").and_then(|_| acts(Vec::new())),
            "play" => {
                let side = args.colour()?;
                let word = args.word("the vertex")?;
                let play = Command::Move(point(word)?);
                Ok((vec![Command::Expect(side), play], ResponseKind::Played(word.to_owned())))
            }
            "genmove" => self.search(args.colour()?, Command::GoAndPlay),
            "reg_genmove" => self.search(args.colour()?, Command::Go),
            "undo" => acts(vec![Command::Undo(1)]),
            "showboard" => Ok((Vec::new(), ResponseKind::Board)),
            "final_score" => Ok((vec![Command::Ask(Question::Result)], ResponseKind::Score)),
            "time_settings" => self.time.set(args).and_then(|()| acts(Vec::new())),
            "kgs-time_settings" => self.time.set_kgs(args).and_then(|()| acts(Vec::new())),
            "time_left" => self.time.note_left(args).and_then(|()| acts(Vec::new())),
            "lz-analyze" => analyse(args, Form::LeelaZero),
            "kata-analyze" => analyse(args, Form::KataGo),
            "lz-genmove_analyze" => self.analyse_and_play(args, Form::LeelaZero),
            "kata-genmove_analyze" => self.analyse_and_play(args, Form::KataGo),
            "tengen-variant" => {
                let name = args.word("the variant")?.to_owned();
                self.time.new_game();
                acts(vec![Command::Choose { variant: Some(name), size: None }, Command::NewGame])
            }
            "tengen-option" => {
                let (name, value) = rest.rsplit_once([' ', '\t']).ok_or("NAME VALUE expected")?;
                acts(vec![set_option(name.trim(), value)])
            }
            "loadsgf" => {
                let last = rest.rsplit_once([' ', '\t']);
                let (file, before) = match last.map(|(file, last)| (file.trim(), last.parse())) {
                    Some((file, Ok(before))) => (file, Some(before)),
                    _ => (rest, None),
                };
                args.word("the file")?;
                self.time.new_game();
                acts(vec![Command::Load { file: file.to_owned(), before }])
            }
            "tengen-limit" => self.time.fix(args).and_then(|()| acts(Vec::new())),
            "fixed_handicap" | "place_free_handicap" | "set_free_handicap" => Err(format!(
                "{word}: these games have no handicap stones; play black and white in turn"
            )),
            "kata-set-rules" => {
                Err("kata-set-rules: the rules are those of a variant: tengen-variant NAME".into())
            }
            _ => Err(format!("unknown command: \"{}\"", quotable(word))),
        }
    }

    /// Returns the commands of a search for `side`; `make` makes the last of them.
    fn search(&self, side: Side, make: fn(Request) -> Command) -> Decoded {
        let request = Request { limits: self.time.limits(side), ..Request::default() };
        let commands = vec![Command::Expect(side), set_option("MultiPV", "1"), make(request)];
        Ok((commands, ResponseKind::Move))
    }

    fn analyse_and_play(&self, args: &mut Args<'_>, form: Form) -> Decoded {
        let mut wishes = Wishes::read(args)?;
        let side = wishes.side.ok_or("the colour is missing")?;
        wishes.request.limits = self.time.limits(side);
        let ranking = Ranking::new(form, wishes.interval);
        let go = Command::GoAndPlay(wishes.request);
        let lines = set_option("MultiPV", &wishes.moves.to_string());
        let commands = vec![Command::Expect(side), lines, go];
        Ok((commands, ResponseKind::Analysis { ranking, plays: true }))
    }

    /// Handles the answer of a search.
    fn answered(
        &mut self,
        answer: &Answer<Move>,
        context: &BoardContext<'_>,
        out: &mut dyn FnMut(String),
    ) {
        let side = context.position.turn();
        self.time.spend(side, answer.report.time);
        let mv = chosen(answer, context);
        let Some(response) = self.due.front_mut() else { return };
        match &mut response.kind {
            ResponseKind::Move => self.lines.push(mv),
            ResponseKind::Analysis { ranking, plays } => {
                let (line, plays) = (ranking.finish(answer, context), *plays);
                line.into_iter().for_each(|line| self.write(line, out));
                if plays {
                    self.write(format!("play {mv}"), out);
                }
            }
            _ => {}
        }
    }

    /// Writes a line of the first response before its end.
    fn write(&mut self, line: String, out: &mut dyn FnMut(String)) {
        if !std::mem::replace(&mut self.is_begun, true) {
            out(self.head('='));
        }
        out(line);
    }

    /// Returns the first characters of the first response.
    fn head(&self, sign: char) -> String {
        let id = self.due.front().and_then(|response| response.id.as_deref());
        format!("{sign}{}", id.unwrap_or_default())
    }

    /// Writes the first response to its end.
    fn finish(&mut self, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        let (good, bad) = (self.head('='), self.head('?'));
        let Some(response) = self.due.pop_front() else { return };
        let mut lines = std::mem::take(&mut self.lines);
        let (refused, is_begun) = (self.refused.take(), std::mem::take(&mut self.is_begun));
        match response.kind {
            ResponseKind::Text(known) => lines = known,
            ResponseKind::Board => {
                lines = vec![String::new()];
                lines.extend(vertex::draw(context.position));
            }
            _ => {}
        }
        match refused {
            Some(why) => out(format!("{bad} {why}")),
            // An analysis has written its lines.
            None if is_begun => {}
            None => {
                let mut lines = lines.into_iter();
                out(format!("{good} {}", lines.next().unwrap_or_default()));
                // An empty line would end the response.
                lines.filter(|line| !line.trim().is_empty()).for_each(&mut *out);
            }
        }
        out(String::new());
    }
}

fn analyse(args: &mut Args<'_>, form: Form) -> Decoded {
    let mut wishes = Wishes::read(args)?;
    wishes.request.limits.infinite = true;
    let ranking = Ranking::new(form, wishes.interval);
    let mut commands: Vec<Command> = wishes.side.map(Command::Expect).into_iter().collect();
    commands.push(set_option("MultiPV", &wishes.moves.to_string()));
    commands.push(Command::Go(wishes.request));
    Ok((commands, ResponseKind::Analysis { ranking, plays: false }))
}

/// Returns the move of an answer. When the game is over, the loser resigns; in a draw it is a pass.
fn chosen(answer: &Answer<Move>, context: &BoardContext<'_>) -> String {
    match answer.best {
        Some(mv) => vertex::of_move(context.position, mv),
        None => {
            let winner = context.position.outcome().and_then(winner);
            if winner.is_some() { "resign".to_owned() } else { "pass".to_owned() }
        }
    }
}

/// Returns the answer to `final_score`.
fn score(status: &GameStatus) -> Result<String, String> {
    match status {
        GameStatus::Result(Some(Some(Side::First))) => Ok("B+1".to_owned()),
        GameStatus::Result(Some(Some(Side::Second))) => Ok("W+1".to_owned()),
        GameStatus::Result(Some(None)) => Ok("0".to_owned()),
        _ => Err("cannot score: the game is not over".to_owned()),
    }
}

impl Dialect for Gtp {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let line: String = trim(line).chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let line = trim(line.split('#').next().unwrap_or_default());
        let (mut word, mut rest) = split_word(line);
        let mut id = None;
        if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            id = Some(word.to_owned());
            (word, rest) = split_word(rest);
        }
        if word.is_empty() && id.is_none() {
            return;
        }
        let is_quit = word == "quit";
        let (commands, kind) = self
            .command(word, rest)
            .unwrap_or_else(|why| (vec![Command::Refused(why)], ResponseKind::Text(Vec::new())));
        self.due.push_back(Response { id, kind });
        commands.into_iter().for_each(&mut *out);
        out(Command::Done);
        if is_quit {
            out(Command::Quit);
        }
    }

    fn decode_overlong(&mut self, line: OverlongLine<'_>, out: &mut dyn FnMut(Command)) {
        self.due.push_back(Response { id: None, kind: ResponseKind::Text(Vec::new()) });
        out(Command::Refused(line.message()));
        out(Command::Done);
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        let Some(response) = self.due.front_mut() else { return };
        match (reply, &mut response.kind) {
            (Reply::Done, _) => self.finish(context, out),
            // The first reason is the cause of the others.
            (Reply::Refused(why), _) => {
                self.refused.get_or_insert_with(|| why.lines().collect::<Vec<_>>().join(" "));
            }
            (Reply::Illegal(why), ResponseKind::Played(vertex)) => {
                let outside = vertex::outside(context.position, vertex);
                let why = outside.unwrap_or_else(|| why.clone());
                self.refused = Some(format!("illegal move {}: {why}", quotable(vertex)));
            }
            (Reply::WrongSide(turn), _) => {
                let (turn, other) = (colour_name(*turn), colour_name(turn.other()));
                self.refused = Some(format!("{turn} is to move, not {other}: moves alternate"));
            }
            (Reply::Identity(about, _), ResponseKind::Name) => self.lines.push(about.name.into()),
            (Reply::Identity(about, _), ResponseKind::Version) => {
                self.lines.push(about.version.into());
            }
            (Reply::Status(status), ResponseKind::Score) => match score(status) {
                Ok(score) => self.lines.push(score),
                Err(why) => self.refused = Some(why),
            },
            (Reply::Report(report), ResponseKind::Analysis { ranking, .. }) => {
                let line = ranking.note(report, context);
                line.into_iter().for_each(|line| self.write(line, out));
            }
            (Reply::Answer(answer), _) => self.answered(answer, context, out),
            // GTP has no place for notes.
            (Reply::Note(text), _) => tracing::info!("{}", quotable(text)),
            _ => {}
        }
    }

    fn is_sequential(&self) -> bool {
        true
    }
}
