//! [`ActiveGame`]: the current game of a session. It holds the description, the position and the
//! search of the game. The search is opened when it is first needed.
//!
//! It does not depend on a dialect or a command.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen_engine::backend::{Backend, Catalog, Event, Go, OpenError, Settings, Sink};
use tengen_engine::suggest::fitting_variant;
use tengen_engine::text::quotable;
use tengen_engine::{
    Chosen, Control, GameSpec, Instant, Move, NotationError, Position, PositionError, Score, Style,
    Term,
};

use super::OpenSearch;
use crate::command::Setup;

/// The current game.
pub(super) struct ActiveGame {
    catalog: &'static dyn Catalog,
    variant: &'static str,
    chosen: Chosen,
    spec: GameSpec,
    position: Box<dyn Position>,
    /// The position before `moves`.
    base: Base,
    /// The moves played from `base`, as the client wrote them.
    moves: Vec<String>,
    search: LazySearch,
    /// The error of the current options; `None` if they are valid. After an error the old game is
    /// kept.
    game_error: Option<String>,
    /// The error of the last position; `None` if it is valid. After an error the old one is kept.
    position_error: Option<String>,
}

/// The search of a game, opened when it is first needed.
struct LazySearch {
    open: OpenSearch,
    /// Gets the events of the backend that belong to no search.
    sink: Sink,
    settings: Settings,
    /// The file of the book; `None` for the game's own book.
    book: Option<PathBuf>,
    /// The file of the evaluation's weights; `None` for the built-in ones.
    eval_file: Option<PathBuf>,
    /// `None` until a search, an evaluation or the client's `isready` needs it.
    backend: Option<Box<dyn Backend>>,
}

/// A file that a client chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChosenFile {
    /// An opening book.
    Book,
    /// The evaluation's weights.
    Eval,
}

impl ChosenFile {
    /// Returns the note to the client when `file` cannot be opened.
    pub(super) fn refusal(self, file: &str, error: &dyn Error) -> String {
        let option = if self == Self::Book { "BookFile" } else { "EvalFile" };
        format!("option {option}: \"{}\": {error}", quotable(file))
    }

    fn open(self, backend: &mut dyn Backend, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        // Who reads a pipe may wait for ever.
        if file.and_then(|file| file.metadata().ok()).is_some_and(|file| !file.is_file()) {
            return Err("this is no file, but a folder, a pipe or a device".into());
        }
        match self {
            Self::Book => backend.open_book(file),
            Self::Eval => backend.open_eval_file(file),
        }
    }
}

impl LazySearch {
    /// Returns the search of `spec`, and opens it first if needed. When a chosen file cannot be
    /// opened, the client gets a note, and the game keeps its own book or the built-in weights.
    fn open(&mut self, spec: &GameSpec) -> &mut dyn Backend {
        let Self { open, sink, settings, book, eval_file, backend } = self;
        let open = || {
            let mut backend = open(spec, settings, sink.clone());
            for (kind, file) in [(ChosenFile::Book, book), (ChosenFile::Eval, eval_file)] {
                if let Some(file) = file
                    && let Err(error) = kind.open(&mut *backend, Some(file))
                {
                    sink(Event::Note(kind.refusal(&file.display().to_string(), &*error)));
                }
            }
            backend
        };
        &mut **backend.get_or_insert_with(open)
    }
}

/// The position before a list of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Base {
    Start,
    Text(String),
    /// A position that the client did not set up as text.
    Other,
}

/// Returns whether `mv` is written as a drop, such as `P@d1`.
pub(super) fn is_drop(mv: &str) -> bool {
    mv.contains('@')
}

impl ActiveGame {
    /// Returns a game of `variant`, or of the catalogue's first variant, in its starting position.
    /// `sink` gets the events of its backend that belong to no search.
    pub(super) fn new(
        catalog: &'static dyn Catalog,
        variant: Option<&str>,
        sink: Sink,
    ) -> Result<Self, OpenError> {
        let first = catalog.variants().first().map_or("", |variant| variant.name);
        let chosen = Chosen::new();
        let spec = catalog.describe(variant.unwrap_or(first), &chosen)?;
        Ok(Self {
            catalog,
            variant: spec.variant,
            chosen,
            position: catalog.position(&spec),
            spec,
            base: Base::Start,
            moves: Vec::new(),
            search: LazySearch {
                open: Arc::new(move |spec, settings, sink| catalog.open(spec, settings, sink)),
                sink,
                settings: Settings::default(),
                book: None,
                eval_file: None,
                backend: None,
            },
            game_error: None,
            position_error: None,
        })
    }

    /// Replaces the function that opens the search.
    pub(super) fn set_search(&mut self, open: OpenSearch) {
        self.search.open = open;
    }

    /// Replaces the sink of the next backend.
    pub(super) fn set_sink(&mut self, sink: Sink) {
        self.search.sink = sink;
    }

    /// Returns the description of the game.
    pub(super) fn spec(&self) -> &GameSpec {
        &self.spec
    }

    /// Returns the current position.
    pub(super) fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// Returns the current position for a change. It no longer counts as text of the client.
    pub(super) fn position_mut(&mut self) -> &mut dyn Position {
        self.base = Base::Other;
        self.moves.clear();
        self.position_error = None;
        &mut *self.position
    }

    /// Replaces the current position.
    pub(super) fn set_to(&mut self, position: Box<dyn Position>) {
        self.position_mut();
        self.position = position;
    }

    pub(super) fn variant(&self) -> &'static str {
        self.variant
    }

    /// Returns the value that the client set for an option of the catalogue; `None` if it set none.
    pub(super) fn chosen_value(&self, name: &str) -> Option<i64> {
        self.chosen.get(name).copied()
    }

    /// Returns whether the client set an option of the catalogue to a value other than 0.
    pub(super) fn is_chosen(&self, name: &str) -> bool {
        self.chosen_value(name).is_some_and(|value| value != 0)
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.search.settings
    }

    /// Applies `settings` from the next search on.
    pub(super) fn configure(&mut self, settings: Settings) {
        let LazySearch { settings: known, sink, backend, .. } = &mut self.search;
        if let Some(backend) = backend
            && *known != settings
        {
            backend.configure(&settings, sink.clone());
        }
        *known = settings;
    }

    /// Returns whether the game could use a book but has neither its own nor a chosen one.
    pub(super) fn lacks_book(&self) -> bool {
        self.spec.has_book && !self.spec.has_own_book && self.search.book.is_none()
    }

    /// Opens the chosen `file`; the game's own book or the built-in weights when `None`. On an error
    /// nothing changes. The choice also holds for the next game, even when this game has no such
    /// files.
    pub(super) fn open_file(
        &mut self,
        kind: ChosenFile,
        file: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        kind.open(self.backend(), file)?;
        let file = file.map(Path::to_owned);
        match kind {
            ChosenFile::Book => self.search.book = file,
            ChosenFile::Eval => self.search.eval_file = file,
        }
        Ok(())
    }

    /// Returns the backend, and opens it first if needed.
    fn backend(&mut self) -> &mut dyn Backend {
        self.search.open(&self.spec)
    }

    /// Returns the source of the evaluation's weights; `None` if the game has no evaluation files.
    pub(super) fn eval_source(&mut self) -> Option<String> {
        let own = self.spec.own_eval.as_ref()?;
        let LazySearch { backend, eval_file, .. } = &self.search;
        if backend.is_none() && eval_file.is_none() {
            return Some(own.clone());
        }
        self.backend().eval_source()
    }

    /// Changes to a variant of the catalogue. Returns whether the game changed.
    pub(super) fn choose_variant(&mut self, variant: &'static str) -> Result<bool, String> {
        if variant == self.variant && self.game_error.is_none() {
            return Ok(false);
        }
        self.variant = variant;
        self.apply_options()
    }

    /// Sets an option of the catalogue. Returns whether the game changed. The value is kept even on
    /// an error, for the next variant.
    pub(super) fn choose(&mut self, name: &'static str, value: i64) -> Result<bool, String> {
        if self.chosen.insert(name, value) == Some(value) && self.game_error.is_none() {
            return Ok(false);
        }
        self.apply_options()
    }

    fn apply_options(&mut self) -> Result<bool, String> {
        match self.catalog.describe(self.variant, &self.chosen) {
            Ok(spec) => Ok(self.change_to(spec)),
            Err(error) => {
                let why = format!("no game under these options: {error}");
                self.game_error = Some(why.clone());
                Err(why)
            }
        }
    }

    /// Changes to the game of `spec`. Returns whether the game changed.
    fn change_to(&mut self, spec: GameSpec) -> bool {
        if self.game_error.take().is_none() && spec == self.spec {
            return false;
        }
        self.position = self.catalog.position(&spec);
        self.spec = spec;
        self.clear_moves();
        self.search.backend = None;
        true
    }

    /// Forgets the moves and the error of the last position.
    fn clear_moves(&mut self) {
        self.base = Base::Start;
        self.moves.clear();
        self.position_error = None;
    }

    /// Changes to `variant` with `options` of the catalogue. Returns whether the game changed. On
    /// an error nothing changes. It is an error if `size`, columns and rows, is not the board's
    /// size.
    pub(super) fn change(
        &mut self,
        variant: &'static str,
        options: &[(&'static str, i64)],
        size: Option<(u32, u32)>,
    ) -> Result<bool, OpenError> {
        let mut chosen = self.chosen.clone();
        chosen.extend(options.iter().copied());
        let spec = self.catalog.describe(variant, &chosen)?;
        if size.is_some() && spec.size() != size {
            return Err(OpenError::Options(match spec.size() {
                Some((columns, rows)) => format!("{variant} is played on {columns}x{rows}"),
                None => format!("{variant} has no board"),
            }));
        }
        (self.variant, self.chosen) = (variant, chosen);
        Ok(self.change_to(spec))
    }

    /// Returns to the starting position and clears the transposition table.
    pub(super) fn new_game(&mut self) {
        self.position.reset();
        self.clear_moves();
        self.clear_hash();
    }

    pub(super) fn clear_hash(&mut self) {
        if let Some(backend) = &mut self.search.backend {
            backend.clear_hash();
        }
    }

    /// Opens the search and returns whether it is ready. If not, [`Event::Ready`] follows.
    pub(super) fn ready(&mut self) -> bool {
        let sink = self.search.sink.clone();
        self.backend().ready(sink)
    }

    pub(super) fn announcement(&self) -> String {
        let GameSpec { variant, rules, .. } = &self.spec;
        self.game_error.clone().unwrap_or_else(|| format!("variant {variant}: {rules}"))
    }

    /// Returns why the game cannot be searched: bad options or a bad position; `None` if it can.
    pub(super) fn fault(&self) -> Option<&str> {
        self.game_error.as_deref().or(self.position_error.as_deref())
    }

    /// Sets up a position. Returns whether the client wrote moves as drops.
    pub(super) fn set_position(&mut self, setup: &Setup) -> Result<bool, String> {
        if let Some(why) = &self.game_error {
            return Err(why.clone());
        }
        let result = self.try_position(setup);
        self.position_error = result.as_ref().err().cloned();
        result
    }

    fn try_position(&mut self, setup: &Setup) -> Result<bool, String> {
        let (base, moves) = match setup {
            Setup::Start { moves } => (Base::Start, moves.as_str()),
            Setup::Text { text, keyword } => {
                let end = self.position.text_end(text, keyword);
                let (start, tail) = text.split_at_checked(end).unwrap_or((text, ""));
                let moves = tail.get(keyword.len()..).unwrap_or_default();
                (Base::Text(start.trim().to_owned()), moves)
            }
            Setup::Unreadable(why) => return Err(format!("position refused: {why}")),
        };
        let moves = self.position.split_moves(moves);
        let same_base = base == self.base;
        let done = if same_base { self.update_moves(&moves) } else { self.start(base, &moves) };
        done.map_err(|error| {
            let is_start = matches!(setup, Setup::Start { .. });
            let hint = if is_start { self.variant_hint(&moves, &error) } else { String::new() };
            format!("position refused: {error}{hint}")
        })?;
        Ok(moves.iter().any(|mv| is_drop(mv)))
    }

    /// Returns a hint if the moves fit another variant; else an empty text.
    fn variant_hint(&self, moves: &[&str], error: &PositionError) -> String {
        let variant = fitting_variant(self.catalog, &self.spec, moves, error);
        variant.map_or_else(String::new, |name| {
            format!("; it fits {name}: setoption name UCI_Variant value {name}")
        })
    }

    /// Changes the moves from the current base to `moves`. Plays only the moves that differ.
    fn update_moves(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        let common = self.moves.iter().zip(moves).take_while(|(old, new)| old == *new).count();
        let before = self.position.played().to_vec();
        self.position.undo_to(common);
        if let Err(error) = self.position.play_all(&moves[common..]) {
            for mv in &before[common..] {
                // These moves were legal before.
                let _ = self.position.play(*mv);
            }
            return Err(error.after(common));
        }
        self.moves.truncate(common);
        self.moves.extend(moves[common..].iter().map(|mv| (*mv).to_owned()));
        Ok(())
    }

    /// Plays `moves` from another `base`.
    fn start(&mut self, base: Base, moves: &[&str]) -> Result<(), PositionError> {
        let mut position = self.position.duplicate();
        match &base {
            Base::Text(text) => position.set_up(text).map_err(PositionError::Start)?,
            Base::Start | Base::Other => position.reset(),
        }
        position.play_all(moves)?;
        self.position = position;
        self.base = base;
        self.moves = moves.iter().map(|mv| (*mv).to_owned()).collect();
        Ok(())
    }

    /// Plays moves in the current position. Returns whether the client wrote them as drops.
    pub(super) fn play_on(&mut self, moves: &str) -> Result<bool, String> {
        if let Some(why) = self.fault() {
            return Err(format!("moves refused: {why}"));
        }
        let moves = self.position.split_moves(moves);
        self.position.play_all(&moves).map_err(|error| format!("moves refused: {error}"))?;
        self.moves.extend(moves.iter().map(|mv| (*mv).to_owned()));
        Ok(moves.iter().any(|mv| is_drop(mv)))
    }

    /// Plays a move in the current position. The error is the reason without the move.
    pub(super) fn play_move(&mut self, mv: &str) -> Result<(), String> {
        if let Some(why) = self.fault() {
            return Err(why.to_owned());
        }
        self.position.play_text(mv).map_err(NotationError::reason)?;
        self.moves.push(mv.to_owned());
        Ok(())
    }

    /// Plays the answer of a search that began in `root`, unless the position was changed meanwhile.
    pub(super) fn play_best(&mut self, root: &dyn Position, best: Option<Move>) {
        let is_unchanged = self.position.played() == root.played();
        let Some(mv) = best.filter(|_| is_unchanged && self.position.key() == root.key()) else {
            return;
        };
        let text = self.position.write_move(mv, Style::Plain);
        if self.position.play(mv).is_ok() {
            self.moves.push(text);
        }
    }

    /// Takes back the last `count` moves.
    pub(super) fn take_back(&mut self, count: usize) -> Result<(), String> {
        if let Some(why) = self.fault() {
            return Err(format!("undo refused: {why}"));
        }
        let played = self.position.played().len();
        let left = played.checked_sub(count);
        let left = left.ok_or_else(|| match played {
            0 => "undo refused: no move was played".to_owned(),
            played => format!("undo {count}: only {played} moves were played"),
        })?;
        self.position.undo_to(left);
        self.moves.truncate(left);
        Ok(())
    }

    pub(super) fn flip(&mut self) -> Result<(), String> {
        if let Some(why) = self.fault() {
            return Err(format!("nothing to flip: {why}"));
        }
        self.position.flip().map_err(|error| format!("flip refused: {error}"))?;
        self.base = Base::Other;
        self.moves.clear();
        Ok(())
    }

    /// Returns the score of a finished game, for the side to move; `None` while it is not over.
    pub(super) fn final_score(&self) -> Option<Score> {
        let outcome = self.position.outcome()?;
        Some(outcome.score(self.position.turn(), 0))
    }

    /// Starts a search of the current position.
    pub(super) fn go(&mut self, go: Go, sink: Sink) -> Control {
        self.search.open(&self.spec).go(&*self.position, go, sink)
    }

    /// Starts a perft of the current position, to `depth` plies.
    pub(super) fn perft(&mut self, depth: u32, received: Instant, sink: Sink) -> Control {
        self.search.open(&self.spec).perft(&*self.position, depth, received, sink)
    }

    /// Returns the static evaluation of the current position and its terms; `None` when the game is
    /// over.
    pub(super) fn evaluate(&mut self) -> Option<(Score, Vec<Term>)> {
        self.search.open(&self.spec).evaluate(&*self.position)
    }

    /// Returns the static score of `position`, a position of this game, for its side to move.
    pub(super) fn static_score(&mut self, position: &dyn Position) -> Score {
        if let Some(outcome) = position.outcome() {
            return outcome.score(position.turn(), 0);
        }
        let evaluation = self.backend().evaluate(position);
        evaluation.map_or(Score::DRAW, |(score, _)| score)
    }
}
