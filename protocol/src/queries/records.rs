//! Reads and writes records of games: `read_record` and `convert_record`. The parts of a file are
//! kept until the last one arrives. Then the file is read beside the searches.

use data_encoding::BASE64;
use tengen_engine::Style;
use tengen_engine::backend::Catalog;
use tengen_records::{
    Collection, Fault, Format, ReadOptions, Record, TextEncoding, WriteError, read,
};

use super::explore::OpenLookup;
use super::subject::{bad_record, board_info, chosen, describe, played_warnings, record_game};
use super::{QuerySession, serialize, write};
use crate::dialect::json::number::{Count, Id, Int, Positive};
use crate::dialect::json::query::{ConvertRecord, ReadRecord, RecordFile, RecordRules, TurnNumber};
use crate::dialect::json::reply::{
    OpeningInfo, Outcome, RecordAbout, RecordComment, RecordLine, RecordReply, Reply, Warning,
    WarningCode,
};
use crate::dialect::json::{Code, Problem, clipped, problem};
use crate::pool::lookup::{LineSender, Lookup};

/// The most bytes of the records of a session that arrive, wait or are read.
const MAX_RECORD_BYTES: usize = 128 << 20;

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
        self.answer_record(head.id, file, rules, |reader, games, only| {
            reader.describe_games(games, only)
        });
    }

    /// Answers `convert_record`, once the last part of the file is there.
    pub(super) fn convert_record(&mut self, query: ConvertRecord) {
        let ConvertRecord { head, file, rules, own } = query;
        self.answer_record(head.id, file, rules, move |reader, games, only| {
            let encoding = own.to_encoding.as_deref();
            let encoding = encoding.map(|name| encoding_named("to_encoding", name)).transpose()?;
            let bytes = reader.convert(games, only, own.to.0, encoding)?;
            let id = reader.id.clone();
            write::record_parts(&id, &bytes)
                .try_for_each(|part| reader.reply(&Reply::RecordPart(part)))
        });
    }

    /// Reads a file beside the searches, once its last part is there, and lets `answer` reply.
    fn answer_record(
        &mut self,
        id: Id,
        mut file: RecordFile,
        rules: RecordRules,
        answer: impl FnOnce(&mut RecordReader<'_, '_>, Collection, Option<usize>) -> Result<(), Problem>
        + Send
        + 'static,
    ) {
        let upload = match self.add_part(&id, &mut file) {
            Ok(None) => return,
            Ok(Some(upload)) => upload,
            Err(problem) => {
                self.uploads.remove(&id);
                return self.refuse(Some(id), problem);
            }
        };
        let open = OpenLookup {
            id: id.clone(),
            turn_number: Int::nearest(0),
            bytes: upload.bytes.len(),
            is_change: false,
        };
        let catalog = self.service.catalog;
        let read = move |lines: &mut LineSender<'_>| {
            let games = read_games(catalog, &upload, &file, &rules)?;
            drop(upload);
            let mut reader = RecordReader { catalog, id, rules: &rules, lines };
            games.warnings().iter().try_for_each(|fault| reader.warn_of_record(fault))?;
            let count = games.records().len();
            let only = file.game.map(|number| number.to::<usize>());
            if let Some(number) = only.filter(|number| *number > count) {
                let message = format!("game {number}: the record holds {count} games");
                return Err(Problem::with(Code::BadField, "game", message));
            }
            answer(&mut reader, games, only)
        };
        self.start_lookup(open, Lookup::Record(Box::new(read)));
    }

    /// Adds a part of a file. Returns the whole file after the last part.
    fn add_part(&mut self, id: &Id, file: &mut RecordFile) -> Result<Option<Upload>, Problem> {
        let part = file.part.map_or(1, Positive::get);
        let known = self.uploads.get(id).map_or(0, |upload| upload.parts);
        if part != known + 1 {
            return Err(problem!(BadField, "part", "part {part}: part {} is expected", known + 1));
        }
        let uploads = self.uploads.values().map(|upload| upload.bytes.len());
        let kept: usize = uploads.chain(self.lookups.values().map(|lookup| lookup.bytes)).sum();
        let new = [&file.text, &file.base64].into_iter().flatten().map(String::len).sum::<usize>();
        if kept + new > MAX_RECORD_BYTES {
            let most = MAX_RECORD_BYTES >> 20;
            let message = format!(
                "a session has at most {most} MiB of records at a time: send it after the reply to an earlier one"
            );
            return Err(Problem::new(Code::TooLarge, message));
        }
        let upload = self.uploads.entry(id.clone()).or_default();
        let is_text = file.text.is_some();
        match (file.text.take(), file.base64.take()) {
            (Some(text), None) => upload.bytes.extend_from_slice(text.as_bytes()),
            (None, Some(text)) => {
                let bytes = BASE64.decode(text.as_bytes());
                let bytes = bytes.map_err(|why| problem!(BadField, "base64", "base64: {why}"))?;
                upload.bytes.extend(bytes);
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
}

/// Reads a record and writes the replies, on a thread of its own.
struct RecordReader<'a, 'b> {
    catalog: &'static dyn Catalog,
    id: Id,
    rules: &'a RecordRules,
    lines: &'a mut LineSender<'b>,
}

impl RecordReader<'_, '_> {
    fn reply(&mut self, reply: &Reply) -> Result<(), Problem> {
        serialize(reply).map_or(Ok(()), |line| self.lines.line(line))
    }

    fn warn_of_record(&mut self, fault: &Fault) -> Result<(), Problem> {
        self.warn(WarningCode::Record, fault.to_string())
    }

    fn warn(&mut self, code: WarningCode, message: String) -> Result<(), Problem> {
        self.reply(&Reply::Warning(Warning { id: self.id.clone(), code, field: None, message }))
    }

    /// Sends a reply for each game, or for the game with the number `only`.
    fn describe_games(&mut self, games: Collection, only: Option<usize>) -> Result<(), Problem> {
        let count = games.records().len();
        for (number, record) in (1..).zip(games.records()) {
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let line = read_line(self.catalog, record, self.rules);
            let (line, message) = match line {
                Ok((line, warnings)) => {
                    for (code, text) in warnings {
                        self.warn(code, text)?;
                    }
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
                id: self.id.clone(),
                number: Positive::nearest(number as i64),
                games: Positive::nearest(count as i64),
                more: only.is_none() && number < count,
                format: games.format().name().to_owned(),
                encoding: games.source_encoding().name().to_owned(),
                nodes: Count::nearest(record.node_count()),
                about,
                line,
                message,
            })))?;
        }
        Ok(())
    }

    fn convert(
        &mut self,
        mut games: Collection,
        only: Option<usize>,
        format: Format,
        encoding: Option<TextEncoding>,
    ) -> Result<Vec<u8>, Problem> {
        let (catalog, rules) = (self.catalog, self.rules);
        if let Some(number) = only {
            games = games.only(number - 1);
        }
        let is_named = rules.variant.is_some();
        let mut warnings: Vec<Fault> = Vec::new();
        let specs = games.settle_for(
            format,
            is_named,
            catalog,
            |record| self.lines.check().and_then(|()| record_game(catalog, record, rules, "text")),
            |fault| bad_record("text", fault),
            |fault| warnings.push(fault.clone()),
        );
        warnings.iter().try_for_each(|fault| self.warn_of_record(fault))?;
        let specs = specs?;
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
            self.warn(WarningCode::Record, message)?;
        }
        Ok(bytes)
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
    let start = position.start();
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
