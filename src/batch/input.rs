//! The input of a batch: the queries of a file, or the queries that judge the games of a record.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use tengen_protocol::queries::Service;

use super::games::Game;
use super::question::{Limits, RawQuery};
use super::run::{BatchAnswer, Query};
use super::workers::{CheckedQuery, check};
use super::{ANNOTATED, RESULTS, games, queries};
use crate::board::BoardArgs;
use crate::exit_status::{Refusal, warn};
use crate::files::read_bytes;

/// The maximum number of warnings that are printed; more are only counted.
const MAX_WARNINGS: usize = 10;

/// The checked queries of a batch.
pub(super) struct Input {
    pub(super) queries: Vec<Query>,
    positions: Vec<u64>,
    /// The games of a collection; `None` for a file of queries.
    games: Option<Vec<Game>>,
}

impl Input {
    /// Reads a file and checks every query.
    pub(super) fn read(
        path: &Path,
        board: &BoardArgs,
        limits: &Limits,
        service: Service,
    ) -> anyhow::Result<Self> {
        let bytes = read_bytes(path)?;
        let name = path.display().to_string();
        if queries::are_queries(&bytes) {
            if board.has_options() {
                let why = "--width, --height, -k, --no-gravity and --no-overline are for records \
                           of games: a query says \"board\"";
                return Err(Refusal(why.to_owned()).into());
            }
            let queries = queries::read(&name, &bytes, limits)?;
            return Ok(Self::check(queries, None, service)?);
        }
        let (queries, games) = games::read(&name, &bytes, board, limits)?;
        Ok(Self::check(queries, Some(games), service)?)
    }

    fn check(
        queries: Vec<RawQuery>,
        games: Option<Vec<Game>>,
        service: Service,
    ) -> Result<Self, Refusal> {
        let mut input = Self { queries: Vec::new(), positions: Vec::new(), games };
        let mut places: HashMap<Arc<str>, String> = HashMap::new();
        let mut warnings = 0;
        for RawQuery { place, number, text } in queries {
            let CheckedQuery { id, positions, warnings: told } =
                check(service, &text, number).map_err(|why| Refusal(format!("{place}: {why}")))?;
            for warning in told {
                warnings += 1;
                if warnings <= MAX_WARNINGS {
                    warn(&format!("{place}: {warning}"));
                }
            }
            let id: Arc<str> = id.into();
            if let Some(first) = places.get(&id) {
                return Err(Refusal(format!("{place}: id \"{id}\" is already used by {first}")));
            }
            places.insert(Arc::clone(&id), place);
            input.queries.push(Query { id, text: text.into() });
            input.positions.push(positions);
        }
        if warnings > MAX_WARNINGS {
            warn(&format!("{} more warnings", warnings - MAX_WARNINGS));
        }
        Ok(input)
    }

    /// Returns how many queries there are.
    pub(super) fn len(&self) -> u64 {
        self.queries.len() as u64
    }

    /// Returns the number of positions of all queries.
    pub(super) fn positions(&self) -> u64 {
        self.positions.iter().sum()
    }

    /// Returns the number of positions of query `index`, from 0.
    pub(super) fn positions_of(&self, index: u64) -> u64 {
        self.positions.get(index as usize).copied().unwrap_or_default()
    }

    /// Returns the name of the input's units: games or queries.
    pub(super) fn unit(&self) -> &'static str {
        if self.games.is_some() { "games" } else { "queries" }
    }

    /// Returns the games of a collection, with comments if they are judged; `None` for a file of
    /// queries.
    pub(super) fn annotated(&self, answers: &[BatchAnswer]) -> Option<Vec<String>> {
        let judged: HashMap<u64, String> = answers
            .iter()
            .filter_map(|answer| Some((answer.id, games::annotated(&answer.replies)?)))
            .collect();
        let games = self.games.as_ref()?.iter();
        let text = |(plain, query): &Game| {
            let annotated = query.and_then(|query| judged.get(&query));
            annotated.unwrap_or(plain).clone()
        };
        Some(games.map(text).collect())
    }

    /// Returns the summary of a finished batch.
    pub(super) fn conclusion(&self, folder: &Path) -> String {
        let (len, unit, positions) = (self.len(), self.unit(), self.positions());
        let results = folder.join(RESULTS);
        let mut text = format!("{len} {unit}, {positions} positions: {}\n", results.display());
        if self.games.is_some() {
            text.push_str(&format!("record: {}\n", folder.join(ANNOTATED).display()));
        }
        text
    }
}
