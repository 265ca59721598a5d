//! Checks that the replies of another process answer a query.

use tengen_engine::Position;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::reply::{Findings, MoveText, Reply};
use tengen_protocol::queries::Service;

use super::run::Query;
use super::workers::{CheckedQuery, check as checked};

/// Checks ids, types, their number, and by the rules the moves of the replies to `query`. The error says
/// what does not fit.
pub(super) fn check(service: Service, query: &Query, replies: &[String]) -> Result<(), String> {
    let asked = checked(service, &query.text, 1).map_err(|problem| problem.message)?;
    let mut last = Last::default();
    for line in replies {
        let read = Reply::read(line).map_err(|why| format!("a reply is damaged: {why}"))?;
        let reply = read.ok_or_else(|| "a reply has an unknown type".to_owned())?;
        last.add(&asked, &reply)?;
    }
    last.finish(&asked)
}

/// The last replies to turns so far.
#[derive(Default)]
struct Last {
    turns: Vec<String>,
    moves: usize,
    is_reviewed: bool,
}

impl Last {
    fn add(&mut self, asked: &CheckedQuery, reply: &Reply) -> Result<(), String> {
        let mut turn = |id: &Id, turn: String| {
            if *id != asked.id {
                return Err(format!("a reply has the id \"{id}\""));
            }
            if self.turns.contains(&turn) {
                return Err(format!("turn {turn} has two replies"));
            }
            self.turns.push(turn);
            Ok(())
        };
        match (asked.action, reply) {
            (_, Reply::Warning(_)) => Ok(()),
            ("analyze", Reply::Answer(answer)) => {
                let number = answer.turn_number;
                turn(&answer.id, number.to_string())?;
                // A turn without a search has the moves of a finished game: none.
                let mut searched = asked.searched.iter();
                let position =
                    searched.find(|position| position.played().len() == number.to::<usize>());
                position.map_or(Ok(()), |position| moves_fit(&answer.found, &**position))
            }
            ("solve", Reply::Solution(solution)) => {
                turn(&solution.id, solution.turn_number.to_string())
            }
            ("review", Reply::Move(judged)) => {
                self.moves += 1;
                match judged.id == asked.id && judged.number.get() as usize == self.moves {
                    true => Ok(()),
                    false => Err("a graded move has another id or number".to_owned()),
                }
            }
            ("review", Reply::Game(game)) => {
                self.is_reviewed = true;
                match game.id == asked.id && game.moves as usize == self.moves {
                    true => Ok(()),
                    false => Err("the review has another id or number of moves".to_owned()),
                }
            }
            ("position", Reply::Position(position)) => turn(&position.id, String::new()),
            ("swap2", Reply::Swap(swap)) => turn(&swap.id, String::new()),
            _ => Err("a reply has another type".to_owned()),
        }
    }

    fn finish(self, asked: &CheckedQuery) -> Result<(), String> {
        let (found, wanted) = match asked.action {
            "review" if self.is_reviewed => return Ok(()),
            "review" => return Err("the review has no end".to_owned()),
            "swap2" => (self.turns.len(), 1),
            _ => (self.turns.len(), asked.searched.len() + asked.unsearched),
        };
        let why = || format!("{found} turns have a reply, not {wanted}");
        (found == wanted).then_some(()).ok_or_else(why)
    }
}

/// Checks that the moves of an answer are legal in the position that was searched.
fn moves_fit(found: &Findings, position: &dyn Position) -> Result<(), String> {
    let Some(best) = &found.best else {
        return found.outcome.map(|_| ()).ok_or_else(|| "an answer has no move".to_owned());
    };
    let is_legal = |mv: &MoveText| position.duplicate().play_text(&mv.0).is_ok();
    let mut line = position.duplicate();
    let fits = is_legal(best)
        && found.moves.iter().all(|ranked| is_legal(&ranked.mv))
        && found.pv.iter().all(|mv| line.play_text(&mv.0).is_ok());
    let why = || format!("an answer with the move \"{}\" has moves that are not legal", best.0);
    fits.then_some(()).ok_or_else(why)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tengen_games::CATALOG;
    use tengen_runs::{Event, Outcome, Task, Transport};

    use super::*;
    use crate::batch::workers::QueryWorkers;

    const SERVICE: Service = Service { hash_mib: 1, ..Service::new(&CATALOG) };

    /// Returns a query with the replies of a worker of this process.
    fn answered(query: &Value) -> (Query, Vec<String>) {
        let text = query.to_string();
        let work = Query { id: checked(SERVICE, &text, 1).unwrap().id, text: text.into() };
        let mut workers = QueryWorkers::start(SERVICE).unwrap();
        workers.submit(Task { id: 0, attempt: 0, work: work.clone() });
        loop {
            if let Some(Event::Finished(_, Outcome::Finished(answer))) = workers.next_event(None) {
                return (work, answer.replies);
            }
        }
    }

    #[test]
    fn own_replies_fit_and_changed_ones_do_not() {
        for query in [
            json!({"id": "a", "variant": "tictactoe", "moves": "a1 b2 c3 a3", "analyze_turns": "all", "depth": 2}),
            json!({"id": "a", "variant": "tictactoe", "moves": "a1 b1 a2 b2 a3", "depth": 2, "komi": 7}),
            json!({"id": "a", "action": "solve", "moves": "4455"}),
            json!({"id": "a", "action": "review", "variant": "tictactoe", "moves": "a1 b2 c3", "depth": 2}),
            json!({"id": "a", "action": "position", "variant": "renju", "moves": "h8"}),
            json!({"id": "a", "action": "swap2", "variant": "gomoku", "moves": "", "nodes": 50}),
        ] {
            let (work, replies) = answered(&query);
            assert_eq!(check(SERVICE, &work, &replies), Ok(()), "{query}: {replies:?}");
            let change = |field: &str, value: Value| {
                let mut changed = replies.clone();
                let mut last: Value = serde_json::from_str(changed.last().unwrap()).unwrap();
                last[field] = value;
                *changed.last_mut().unwrap() = last.to_string();
                check(SERVICE, &work, &changed)
            };
            assert!(change("id", json!("b")).is_err(), "{query}");
            assert!(change("type", json!("rumour")).is_err(), "{query}");
            assert!(change("type", json!("error")).is_err(), "{query}");
            assert!(check(SERVICE, &work, &replies[..replies.len() - 1]).is_err(), "{query}");
            let twice = [&replies[..], &replies[replies.len() - 1..]].concat();
            let is_review = query["action"] == "review";
            assert!(is_review || check(SERVICE, &work, &twice).is_err(), "{query}");
            if replies.last().unwrap().contains("\"best\":\"") {
                assert!(change("best", json!("a1")).is_err(), "{query}");
                assert!(change("pv", json!(["a1", "z9"])).is_err(), "{query}");
                assert!(change("nodes", json!(-1)).is_err(), "{query}");
            }
        }
    }
}
