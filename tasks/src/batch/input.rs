//! The input of a batch: the queries of a file, of a list of positions, or of the games of a record.

use std::collections::HashMap;
use std::path::Path;

use tengen_engine::GameSpec;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::queries::Service;
use tengen_records::{Format, ReadOptions, format_of};

use super::games::{Game, Games};
use super::limits::{Limits, RawQuery};
use super::run::Query;
use super::workers::{CheckedQuery, check};
use super::{ANNOTATED, RESULTS, positions, query_file};
use crate::{Console, Failure};

/// The maximum number of warnings that are printed; more are only counted.
const MAX_WARNINGS: usize = 10;

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Queries of the JSON protocol.
    Queries,
    /// A list of positions.
    Positions,
    /// A record of games.
    Games,
}

impl FileKind {
    /// Returns what the file `name` holds. `positions` is whether each line of a list of moves is a
    /// position.
    pub fn of(name: &str, bytes: &[u8], positions: bool) -> Self {
        if query_file::are_queries(bytes) {
            return Self::Queries;
        }
        let is_list = || {
            let known = format_of(bytes, &ReadOptions::new().named(name));
            positions && matches!(known, Ok(Format::MOVES) | Err(_))
        };
        if positions::are_positions(bytes) || is_list() { Self::Positions } else { Self::Games }
    }
}

/// The checked queries of a batch.
pub struct Input {
    pub(super) queries: Vec<Query>,
    positions: Vec<u64>,
    /// The expected time of each query, in milliseconds.
    pub(super) costs_ms: Vec<u64>,
    /// The games of a collection; `None` for a file of queries.
    games: Option<Vec<Game>>,
}

impl Input {
    /// Reads the queries of the file `name` and checks them.
    pub fn of_queries(
        name: &str,
        bytes: &[u8],
        limits: &Limits,
        service: Service,
        console: &dyn Console,
    ) -> Result<Self, Failure> {
        Self::check(query_file::read(name, bytes, limits)?, service, Some(console))
    }

    /// Reads the positions of the file `name`, on the board of the game that the user named.
    pub fn of_positions(
        name: &str,
        bytes: &[u8],
        named: Option<&GameSpec>,
        limits: &Limits,
        service: Service,
        console: &dyn Console,
    ) -> Result<Self, Failure> {
        Self::check(positions::read(name, bytes, named, limits)?, service, Some(console))
    }

    /// Checks the queries of games. `are_judged` is whether their moves are judged.
    pub fn of_games(games: Games, are_judged: bool, service: Service) -> Result<Self, Failure> {
        // The warnings about games were told with their places in the file.
        let input = Self::check(games.queries, service, None)?;
        Ok(Self { games: are_judged.then_some(games.games), ..input })
    }

    /// Checks queries, and shows warnings about them.
    fn check(
        queries: Vec<RawQuery>,
        service: Service,
        console: Option<&dyn Console>,
    ) -> Result<Self, Failure> {
        let (costs_ms, games) = (Vec::new(), None);
        let mut input = Self { queries: Vec::new(), positions: Vec::new(), costs_ms, games };
        let mut places: HashMap<Id, String> = HashMap::new();
        let mut warnings = 0;
        for RawQuery { place, number, text } in queries {
            let refusal = |why: &str| Failure::Refused(format!("{place}: {why}"));
            let checked =
                check(service, &text, number).map_err(|problem| refusal(&problem.message))?;
            let CheckedQuery { id, positions, cost_ms, warnings: new, .. } = checked;
            if let Some(console) = console {
                let told = new.iter().take(MAX_WARNINGS.saturating_sub(warnings));
                told.for_each(|warning| console.warn(&format!("{place}: {warning}")));
                warnings += new.len();
            }
            if let Some(first) = places.get(&id) {
                return Err(refusal(&format!("id \"{id}\" is already used by {first}")));
            }
            places.insert(id.clone(), place);
            input.queries.push(Query { id, text: text.into() });
            input.positions.push(positions);
            input.costs_ms.push(cost_ms);
        }
        if let Some(console) = console.filter(|_| warnings > MAX_WARNINGS) {
            console.warn(&format!("{} more warnings", warnings - MAX_WARNINGS));
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
        if self.has_games() { "games" } else { "queries" }
    }

    /// Returns whether the input is a collection of games.
    pub(super) const fn has_games(&self) -> bool {
        self.games.is_some()
    }

    /// Returns the games of a collection, as in `judged` where a query has judged them.
    pub(super) fn annotated(&self, judged: &HashMap<u64, String>) -> Vec<String> {
        let text = |(plain, query): &Game| {
            let annotated = query.and_then(|query| judged.get(&query));
            annotated.unwrap_or(plain).clone()
        };
        self.games.iter().flatten().map(text).collect()
    }

    /// Returns the summary of a finished batch.
    pub fn conclusion(&self, folder: &Path) -> String {
        let (len, unit, positions) = (self.len(), self.unit(), self.positions());
        let results = folder.join(RESULTS);
        let mut text = format!("{len} {unit}, {positions} positions: {}\n", results.display());
        if self.has_games() {
            text.push_str(&format!("record: {}\n", folder.join(ANNOTATED).display()));
        }
        text
    }
}
