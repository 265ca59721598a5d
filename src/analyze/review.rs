//! The review of a game: every move with the score before and after it, and its grade.

use std::io;

use tengen_engine::{Catalog, Client, Grade, Limits, Position, Side, Style};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::reply::{EndedBy, Mistakes, Reply};
use tengen_protocol::judge::language::{Language, Stones};
use tengen_protocol::judge::review::{Finding, GameJudge, Judged};
use tengen_protocol::queries::write;

use super::outputs::Outputs;
use super::show::rules;
use crate::board::search;
use crate::exit_status::refuse;
use crate::interrupt::is_interrupted;
use crate::objects;
use crate::progress::Progress;

/// Prints the rules of a game, and its number if the file has several games.
pub(super) fn print_heading(
    position: &dyn Position,
    number: usize,
    count: usize,
    outputs: &Outputs,
) -> io::Result<()> {
    let (spec, language) = (position.spec(), outputs.language);
    let object = || objects::position(number as u64, position, None);
    let place = [("n", &*number.to_string()), ("count", &count.to_string())];
    let heading = if count > 1 { language.text("game.of", &place) } else { String::new() };
    let opening = CATALOG.opening_name(position);
    let opening = opening.map_or(String::new(), |name| format!("\n{}", language.opening(name)));
    let rules = rules(spec, language);
    outputs.write_line(|| format!("{heading}{}: {rules}{opening}", spec.variant), object)
}

/// A judged game.
pub(super) struct Review {
    pub(super) judge: GameJudge,
    /// A sentence about how the game ended; `None` if it did not.
    ending: Option<String>,
    stones: Stones,
}

impl Review {
    /// Searches every position of the game of `last`, its last position, until Ctrl-C, and reports
    /// each move as soon as it is judged.
    pub(super) fn new(
        client: &mut Client,
        last: &dyn Position,
        limits: &Limits,
        outputs: &Outputs,
        game: usize,
    ) -> anyhow::Result<Self> {
        let language = outputs.language;
        let moves = last.played();
        if moves.is_empty() {
            refuse!("the game has no moves");
        }
        let mut position = last.start();
        let judge = GameJudge::new(last, Style::Plain, &CATALOG);
        let stones = Stones::of(position.spec());
        let mut review = Self { judge, ending: None, stones };
        let progress = Progress::new(Some(moves.len() as u64 + 1));
        for plies in 0..=moves.len() {
            progress.show(language.text("game.after", &[("n", &plies.to_string())]));
            client.set_position(position.duplicate());
            let answer = match position.outcome() {
                Some(_) => None,
                None => Some(search(client, limits.clone().into())?),
            };
            let finding = Finding::of(&*position, answer.as_ref(), Style::Plain);
            if is_interrupted() {
                break;
            }
            for judged in review.judge.add(plies, finding) {
                let id = objects::id(game as u64);
                let reply = || write::judged(id, judged.clone(), language, stones);
                let text = || text(judged, language, stones);
                progress.suspend(|| outputs.write_line(text, || Reply::Move(Box::new(reply()))))?;
            }
            review.ending = position.outcome().map(|outcome| language.ending(&*position, outcome));
            progress.step();
            if let Some(mv) = moves.get(plies) {
                position.play(*mv)?;
            }
        }
        Ok(review)
    }

    /// Prints the summary of a game of `moves` moves.
    pub(super) fn conclude(&self, outputs: &Outputs, index: usize, moves: usize) -> io::Result<()> {
        let judged = self.judge.judged();
        let mut game = write::reviewed(objects::id(index as u64 + 1), &self.judge);
        game.ended_by = (judged.len() < moves).then_some(EndedBy::Terminated);
        let Mistakes { first, second } = game.mistakes;
        let language = outputs.language;
        let [side, opponent] =
            [Side::First, Side::Second].map(|side| language.side(side, self.stones));
        let [first, second] = [first, second].map(|count| count.to_string());
        let counts = [("first", &*first), ("second", &second)];
        let sides = [("side", &*side), ("opponent", &opponent)];
        let text = || {
            let mistakes = language.text("game.mistakes", &[counts, sides].concat());
            let ending = self.ending.as_ref().map_or_else(String::new, |text| format!("{text}\n"));
            format!("{ending}{mistakes}{}", outputs.lines(index))
        };
        outputs.write_line(text, || Reply::Game(Box::new(game)))
    }
}

/// Returns a judged move for people, on one line, and its reason on the next.
fn text(judged: &Judged, language: Language, stones: Stones) -> String {
    let Judged { number, mv, grade, .. } = judged;
    let stone = if judged.side == Side::First { 'X' } else { 'O' };
    let [before, after] = judged.scores(language);
    let text = format!("{number:>3}. {stone} {mv:<4} {before:>14} -> {after:<14}");
    if *grade == Grade::Fine {
        return text.trim_end().to_owned();
    }
    let reason = judged.reason.as_ref().map(|reason| language.reason(reason, mv, stones));
    let reason = reason.map_or_else(String::new, |reason| format!("\n     {reason}"));
    let better = language.text("game.better", &[("best", &judged.best.join(" "))]);
    format!("{text} {:<2}  {better}{reason}", grade.sign())
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Score, Wdl};

    use super::*;

    #[test]
    fn a_mistake_is_shown_with_the_better_line() {
        let judged = Judged {
            number: 4,
            side: Side::Second,
            mv: "b2".to_owned(),
            before: Score::win_in(3),
            after: Score::heuristic(-50),
            was_drawn: false,
            is_drawn: false,
            chances: Wdl::WON,
            grade: Grade::Blunder,
            best: vec!["h8".to_owned(), "h9".to_owned()],
            best_moves: Vec::new(),
            reason: None,
        };
        let text = |judged: &Judged| text(judged, Language::En, Stones::Laid);
        assert!(text(&judged).ends_with("??  better: h8 h9"), "{}", text(&judged));
        assert_eq!(
            text(&Judged { grade: Grade::Fine, ..judged }).trim_start(),
            "4. O b2         win in 2 -> -50"
        );
    }
}
