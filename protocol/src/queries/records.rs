//! Reads and writes records of games: `read_record` and `convert_record`. The parts of a file are
//! kept until the last one arrives.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tengen_engine::Style;
use tengen_engine::backend::Catalog;
use tengen_records::{
    Collection, Fault, Format, ReadOptions, Record, TextEncoding, WriteError, read,
};

use super::QuerySession;
use super::subject::{bad_record, board_info, chosen, describe, played_warnings, record_game};
use super::write;
use crate::dialect::json::number::{Count, Id, Positive};
use crate::dialect::json::query::{ConvertRecord, ReadRecord, RecordFile, RecordRules, TurnNumber};
use crate::dialect::json::reply::{
    OpeningInfo, Outcome, RecordAbout, RecordComment, RecordLine, RecordPart, RecordReply, Reply,
    Warning, WarningCode,
};
use crate::dialect::json::{Code, Problem, clipped, problem};

/// How many bytes of a record a reply holds.
const PART_BYTES: usize = 48 << 10;

/// The parts of a file that have arrived.
#[derive(Default)]
pub(super) struct Upload {
    bytes: Vec<u8>,
    parts: i64,
    is_text: bool,
}

impl QuerySession {
    /// Answers `read_record`, once the last part of the file is there.
    pub(super) fn read_record(&mut self, query: ReadRecord) {
        let ReadRecord { head, file, rules } = query;
        self.answer_record(head.id, file, rules, |session, id, games, only, rules| {
            session.describe_games(id, &games, only, rules)
        });
    }

    /// Answers `convert_record`, once the last part of the file is there.
    pub(super) fn convert_record(&mut self, query: ConvertRecord) {
        let ConvertRecord { head, file, rules, own } = query;
        self.answer_record(head.id, file, rules, |session, id, games, only, rules| {
            let encoding = own.to_encoding.as_deref();
            let encoding = encoding.map(|name| encoding_named("to_encoding", name)).transpose()?;
            let bytes = session.convert(id, games, only, rules, own.to.0, encoding)?;
            session.send_parts(id, &bytes);
            Ok(())
        });
    }

    fn answer_record(
        &mut self,
        id: Id,
        mut file: RecordFile,
        rules: RecordRules,
        answer: impl FnOnce(
            &mut Self,
            &Id,
            Collection,
            Option<usize>,
            &RecordRules,
        ) -> Result<(), Problem>,
    ) {
        let upload = match self.add_part(&id, &mut file) {
            Ok(None) => return,
            Ok(Some(upload)) => upload,
            Err(problem) => {
                self.uploads.remove(&id);
                return self.refuse(Some(id), problem);
            }
        };
        let answered = read_games(self.service.catalog, &upload, &file, &rules).and_then(|games| {
            for fault in games.warnings() {
                self.warn_of_record(&id, fault);
            }
            let count = games.records().len();
            let only = file.game.map(|number| number.to::<usize>());
            if let Some(number) = only.filter(|number| *number > count) {
                let message = format!("game {number}: the record holds {count} games");
                return Err(Problem::with(Code::BadField, "game", message));
            }
            answer(self, &id, games, only, &rules)
        });
        if let Err(problem) = answered {
            self.refuse(Some(id), problem);
        }
    }

    /// Adds a part of a file. Returns the whole file after the last part.
    fn add_part(&mut self, id: &Id, file: &mut RecordFile) -> Result<Option<Upload>, Problem> {
        let part = file.part.map_or(1, Positive::get);
        let known = self.uploads.get(id).map_or(0, |upload| upload.parts);
        if part != known + 1 {
            return Err(problem!(BadField, "part", "part {part}: part {} is expected", known + 1));
        }
        let upload = self.uploads.entry(id.clone()).or_default();
        let is_text = file.text.is_some();
        match (file.text.take(), file.base64.take()) {
            (Some(text), None) => upload.bytes.extend_from_slice(text.as_bytes()),
            (None, Some(text)) => {
                STANDARD
                    .decode_vec(text, &mut upload.bytes)
                    .map_err(|why| problem!(BadField, "base64", "base64: {why}"))?;
            }
            (None, None) => return Err(problem!(BadField, "text", "text is missing")),
            (Some(_), Some(_)) => {
                return Err(problem!(BadField, "base64", "base64: cannot be combined with text"));
            }
        }
        upload.parts = part;
        upload.is_text |= is_text;
        Ok(if file.more == Some(true) { None } else { self.uploads.remove(id) })
    }

    /// Refuses the files whose last part does not come any more.
    pub(super) fn end_uploads(&mut self, only: Option<&Id>) {
        let ids: Vec<Id> =
            self.uploads.keys().filter(|id| only.is_none_or(|it| it == *id)).cloned().collect();
        for id in ids {
            self.uploads.remove(&id);
            let problem = Problem::new(Code::BadRecord, "the last part of the record is missing");
            self.refuse(Some(id), problem);
        }
    }

    fn warn_of_record(&mut self, id: &Id, fault: &Fault) {
        self.warn(id, WarningCode::Record, fault.to_string());
    }

    fn warn(&mut self, id: &Id, code: WarningCode, message: String) {
        self.reply(&Reply::Warning(Warning { id: id.clone(), code, field: None, message }));
    }

    /// Sends a reply for each game, or for the game with the number `only`.
    fn describe_games(
        &mut self,
        id: &Id,
        games: &Collection,
        only: Option<usize>,
        rules: &RecordRules,
    ) -> Result<(), Problem> {
        let count = games.records().len();
        for (number, record) in (1..).zip(games.records()) {
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let line = read_line(self.service.catalog, record, rules);
            let (line, message) = match line {
                Ok((line, warnings)) => {
                    warnings.into_iter().for_each(|(code, text)| self.warn(id, code, text));
                    (Some(line), None)
                }
                Err(problem) => (None, Some(problem.message)),
            };
            let root = record.node(record.root());
            let text = |name| root.text(name).filter(|text| !text.is_empty());
            let about = RecordAbout {
                first: text("PB"),
                second: text("PW"),
                result: text("RE"),
                outcome: record.outcome().map(Outcome::from),
                event: text("EV"),
                date: text("DT"),
                opening: text("ON"),
            };
            self.reply(&Reply::Record(Box::new(RecordReply {
                id: id.clone(),
                number: Positive::nearest(number as i64),
                games: Positive::nearest(count as i64),
                more: only.is_none() && number < count,
                format: games.format().name().to_owned(),
                encoding: games.source_encoding().name().to_owned(),
                nodes: Count::nearest(record.node_count()),
                about,
                line,
                message,
            })));
        }
        Ok(())
    }

    fn convert(
        &mut self,
        id: &Id,
        mut games: Collection,
        only: Option<usize>,
        rules: &RecordRules,
        format: Format,
        encoding: Option<TextEncoding>,
    ) -> Result<Vec<u8>, Problem> {
        let catalog = self.service.catalog;
        if let Some(number) = only {
            games = games.only(number - 1);
        }
        let is_named = rules.variant.is_some();
        let specs = games.settle_for(
            format,
            is_named,
            catalog,
            |record| record_game(catalog, record, rules, "text"),
            |fault| bad_record("text", fault),
            |fault| self.warn_of_record(id, fault),
        )?;
        let lost = games.lost_in(format);
        let bytes = games.write(format, &specs, encoding).map_err(|why| match why {
            WriteError::SeveralGames { .. } => {
                problem!(BadField, "game", "{why}: game chooses it")
            }
            WriteError::NoEncoding(_) | WriteError::Character(_) => {
                problem!(BadField, "to_encoding", "{why}: to_encoding chooses it")
            }
            why => Problem::with(Code::BadRecord, "text", why.to_string()),
        })?;
        if let Some(lost) = lost {
            let message = format!("{} does not hold {lost}", format.title());
            self.warn(id, WarningCode::Record, message);
        }
        Ok(bytes)
    }

    /// Sends a file in parts: as text if it is UTF-8, else as Base64.
    pub(super) fn send_parts(&mut self, id: &Id, bytes: &[u8]) {
        let text = str::from_utf8(bytes).ok();
        let (mut part, mut from) = (1, 0);
        loop {
            let mut to = bytes.len().min(from + PART_BYTES);
            while text.is_some_and(|text| !text.is_char_boundary(to)) {
                to -= 1;
            }
            let more = to < bytes.len();
            self.reply(&Reply::RecordPart(RecordPart {
                id: id.clone(),
                part: Positive::nearest(part),
                more,
                text: text.map(|text| text[from..to].to_owned()),
                base64: text.is_none().then(|| STANDARD.encode(&bytes[from..to])),
            }));
            if !more {
                return;
            }
            (part, from) = (part + 1, to);
        }
    }
}

/// Reads the games of a file. Text is UTF-8, since that is the encoding of JSON.
fn read_games(
    catalog: &dyn Catalog,
    upload: &Upload,
    file: &RecordFile,
    rules: &RecordRules,
) -> Result<Collection, Problem> {
    let mut options = ReadOptions::new();
    if let Some(name) = &file.name {
        options = options.named(name.clone());
    }
    if upload.is_text {
        options = options.encoding(TextEncoding::UTF_8);
    }
    if let Some(name) = &file.encoding {
        options = options.encoding(encoding_named("encoding", name)?);
    }
    if let Some(variant) = &rules.variant {
        let chosen = rules.board.as_ref().map(chosen).unwrap_or_default();
        options = options.on(describe(catalog, variant, &chosen)?.grid);
    }
    read(&upload.bytes, &options).map_err(|fault| bad_record("text", &fault))
}

fn encoding_named(field: &str, name: &str) -> Result<TextEncoding, Problem> {
    TextEncoding::named(name).ok_or_else(|| {
        problem!(BadField, field, "{field} \"{}\" is not a known encoding", clipped(name))
    })
}

/// Reads and plays the main line of a game. Returns warnings about it, each with its kind.
fn read_line(
    catalog: &dyn Catalog,
    record: &Record,
    rules: &RecordRules,
) -> Result<(RecordLine, Vec<(WarningCode, String)>), Problem> {
    let (spec, warning) = record_game(catalog, record, rules, "text")?;
    let (played, position) =
        record.played(catalog, &spec).map_err(|fault| bad_record("text", &fault))?;
    let warning = warning.map(|fault| (WarningCode::Record, fault.to_string()));
    let mut start = position.duplicate();
    start.undo_to(0);
    let moves = &played.line.moves;
    let mut comments = Vec::new();
    let mut turn = 0;
    for id in record.main_line() {
        let here = moves[turn..].iter().take_while(|played| played.node == id).count();
        turn += here;
        let is_after_end = here == 0 && played.after_end.iter().any(|played| played.node == id);
        if is_after_end {
            break;
        }
        if let Some(text) = record.node(id).comment() {
            comments.push(RecordComment { turn_number: TurnNumber::nearest(turn), text });
        }
    }
    let time = |time: std::time::Duration| super::millis(time);
    let board = board_info(&spec).ok_or_else(|| Problem::new(Code::Internal, "no board"))?;
    let line = RecordLine {
        variant: spec.variant.to_owned(),
        board,
        fen: (!played.line.is_from_start()).then(|| start.fen(false)),
        moves: write::line(&*start, position.played(), Style::Plain),
        times_ms: moves.iter().map(|played| played.time.map(time)).collect(),
        comments,
        opening: catalog.opening_name(&*position).map(OpeningInfo::from),
    };
    Ok((line, warning.into_iter().chain(played_warnings(&played)).collect()))
}
