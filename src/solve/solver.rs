//! A backend that is asked for nothing but proven values.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use anyhow::{anyhow, bail};
use tengen_engine::backend::{Backend, Catalog, Event, Go, PositionError, Settings, Sink};
use tengen_engine::{Answer, Limits, Proof, Score, Tally};
use tengen_games::CATALOG;

use crate::board::Game;
use crate::ending::Refusal;
use crate::means::Books;

/// What is known of a position.
pub(super) struct Solution {
    /// For the side to move; see [`Scale`].
    pub(super) score: i32,
    /// Over all threads.
    pub(super) nodes: u64,
    /// Of the thread that answered.
    pub(super) tally: Tally,
    /// The score of each column, if they were asked for; `None` for one that cannot be played.
    pub(super) columns: Option<Vec<Option<i32>>>,
}

/// How a score is written.
#[derive(Clone, Copy)]
struct Scale {
    /// Of the whole board.
    cells: u32,
    proof: Proof,
}

impl Scale {
    /// A proven score of the position after `plies`: 1, 0 or -1 for its outcome alone; else one
    /// more than the stones that the winner has left at the end, of half the cells, rounded up for
    /// the first player. `None` when it is not proven.
    fn write(self, score: Score, plies: u32) -> Option<i32> {
        let sign = score.cmp(&Score::DRAW) as i32;
        if sign == 0 || self.proof == Proof::Outcome {
            return Some(sign);
        }
        let to_end = score.plies()?;
        let cells_left = self.cells - plies - to_end;
        let winner_ends = score.is_win() != to_end.is_multiple_of(2);
        // Whoever makes the last ply of the game has no more stones left than the other side.
        let stones = if winner_ends { cells_left / 2 } else { cells_left.div_ceil(2) };
        Some(sign * (1 + stones as i32))
    }
}

/// One backend, and the events that it sends.
pub(super) struct Solver {
    backend: Box<dyn Backend>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    scale: Scale,
    /// How many columns there are, where stones fall.
    columns: Option<usize>,
    scores_columns: bool,
    plies: u32,
}

impl Solver {
    /// Opens `game`. With `scores_columns` it must be one in which stones fall.
    pub(super) fn open(
        game: &Game,
        settings: Settings,
        books: &Books,
        proof: Proof,
        scores_columns: bool,
    ) -> anyhow::Result<Self> {
        let (events, inbox) = channel();
        let mut backend = CATALOG
            .open(&game.variant, &game.chosen, &settings, sink(events.clone()))
            .map_err(|error| Refusal(error.to_string()))?;
        books.open(game, backend.as_mut())?;
        let rules = backend.identity().rules;
        if !backend.is_exact() {
            return Err(Refusal(format!("{rules}: too large to be solved")).into());
        }
        // Moves are written as numbers where the column says it all.
        let legal = backend.picture().legal;
        let columns = legal.iter().all(|mv| mv.parse::<usize>().is_ok()).then_some(legal.len());
        if scores_columns {
            let Some(columns) = columns else {
                return Err(Refusal(format!("{rules}: --all is for games of columns")).into());
            };
            backend.configure(&Settings { multi_pv: columns, ..settings }, sink(events.clone()));
        }
        settle(backend.as_mut(), &events, &inbox)?;
        let scale = Scale { cells: backend.plies_left(), proof };
        Ok(Self { backend, events, inbox, scale, columns, scores_columns, plies: 0 })
    }

    /// How many columns there are, where stones fall.
    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// Plays `moves` from the starting position. On an error nothing changes.
    pub(super) fn set_position(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        self.backend.set_position(None, moves)?;
        self.plies = moves.len() as u32;
        Ok(())
    }

    /// Forgets what earlier positions left in the table.
    pub(super) fn forget(&mut self) {
        self.backend.clear_hash();
    }

    /// Proves the value of the position.
    pub(super) fn solve(&mut self) -> anyhow::Result<Solution> {
        let limits = Limits { proof: Some(self.scale.proof), ..Limits::default() };
        let go = Go { limits, search_moves: Vec::new(), received: Instant::now() };
        // Nothing stops it but its end.
        let _control = self.backend.go(go, self.search_sink());
        let columns = if self.scores_columns { self.columns.unwrap_or(0) } else { 0 };
        let mut scores = vec![None; columns];
        let answer = await_answer(&self.inbox, &mut scores)?;
        let score = self.written(answer.report.score)?;
        let written = |score: Option<Score>| score.map(|score| self.written(score)).transpose();
        let columns = scores.into_iter().map(written).collect::<anyhow::Result<_>>()?;
        let columns = self.scores_columns.then_some(columns);
        Ok(Solution { score, nodes: answer.report.nodes, tally: answer.tally, columns })
    }

    /// Where a search tells what it finds. A report that nobody reads is not sent: to wake its
    /// reader is most of the time that a short search takes.
    fn search_sink(&self) -> Sink {
        let (events, wants_reports) = (self.events.clone(), self.scores_columns);
        Arc::new(move |event| {
            if wants_reports || !matches!(event, Event::Report(_)) {
                // The receiver leaves when the solver does.
                drop(events.send(event));
            }
        })
    }

    fn written(&self, score: Score) -> anyhow::Result<i32> {
        self.scale
            .write(score, self.plies)
            .ok_or_else(|| anyhow!("the search ended without a proof"))
    }
}

/// Waits until everything asked of the backend is done: a table that cannot be had is told then.
fn settle(
    backend: &mut dyn Backend,
    events: &Sender<Event>,
    inbox: &Receiver<Event>,
) -> anyhow::Result<()> {
    if backend.ready(sink(events.clone())) {
        events.send(Event::Ready)?;
    }
    loop {
        match inbox.recv()? {
            Event::Ready => return Ok(()),
            Event::Note(trouble) => bail!(trouble),
            _ => {}
        }
    }
}

/// The end of a search, and on the way the last score of each column. After trouble too the search
/// is at its end: the next one finds nothing of it in the inbox.
fn await_answer(
    inbox: &Receiver<Event>,
    columns: &mut [Option<Score>],
) -> anyhow::Result<Answer<String>> {
    let mut trouble = None;
    loop {
        match inbox.recv()? {
            Event::Report(report) => {
                let mv = report.pv.first().map_or("", String::as_str);
                let place = mv.parse().ok().and_then(|number: usize| number.checked_sub(1));
                if let Some(column) = place.and_then(|place| columns.get_mut(place)) {
                    *column = Some(report.score);
                }
            }
            Event::Note(note) => trouble = Some(note),
            Event::Answer(answer) => return trouble.map_or(Ok(answer), |note| Err(anyhow!(note))),
            _ => {}
        }
    }
}

fn sink(events: Sender<Event>) -> Sink {
    // The receiver leaves when the solver does.
    Arc::new(move |event| drop(events.send(event)))
}

#[cfg(test)]
mod tests {
    use tengen_engine::Report;

    use super::*;

    #[test]
    fn a_score_is_one_more_than_the_stones_that_the_winner_has_left() {
        for cells in 1..=13_u32 {
            let scale = Scale { cells, proof: Proof::Score };
            // The players move in turn, the first one first, until `end` stones are down.
            for end in 1..=cells {
                for plies in 0..=end {
                    for first_wins in [true, false] {
                        let (all, used) = match first_wins {
                            true => (cells.div_ceil(2), end.div_ceil(2)),
                            false => (cells / 2, end / 2),
                        };
                        let own = first_wins == plies.is_multiple_of(2);
                        let size = 1 + (all - used) as i32;
                        let (score, expected) = match own {
                            true => (Score::win_in(end - plies), size),
                            false => (Score::loss_in(end - plies), -size),
                        };
                        let place = format!("{cells} cells, {plies} of {end}, {first_wins}");
                        assert_eq!(scale.write(score, plies), Some(expected), "{place}");
                    }
                }
            }
        }
    }

    #[test]
    fn trouble_belongs_to_its_own_search_and_the_last_report_of_a_column_counts() {
        let (events, inbox) = channel();
        let report = |column: &str, score| {
            Event::Report(Report { pv: vec![column.to_owned()], ..Report::blank(score, None) })
        };
        let answer = |score| Event::Answer(Answer::blank(score, None));
        for event in [
            Event::Note("no memory".to_owned()),
            answer(Score::DRAW),
            report("2", Score::heuristic(7)),
            report("1", Score::loss_in(4)),
            report("2", Score::win_in(3)),
            answer(Score::win_in(3)),
        ] {
            events.send(event).unwrap();
        }
        let mut columns = [None; 3];
        let failed = await_answer(&inbox, &mut columns).unwrap_err();
        assert_eq!((failed.to_string().as_str(), columns), ("no memory", [None; 3]));
        let answer = await_answer(&inbox, &mut columns).unwrap();
        assert_eq!(answer.report.score, Score::win_in(3));
        assert_eq!(columns, [Some(Score::loss_in(4)), Some(Score::win_in(3)), None]);
    }

    #[test]
    fn draws_are_zero_and_what_is_not_proven_has_no_score() {
        let scale = |proof| Scale { cells: 42, proof };
        assert_eq!(scale(Proof::Score).write(Score::DRAW, 7), Some(0));
        assert_eq!(scale(Proof::Score).write(Score::heuristic(9), 7), None);
        assert_eq!(scale(Proof::Outcome).write(Score::loss_in(4), 7), Some(-1));
    }
}
