//! The input of a batch: the queries of a file, of a list of positions, or of the games of a record.

use std::collections::HashMap;
use std::path::Path;

use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::queries::Service;
use tengen_records::{Format, ReadOptions, format_of};

use super::games::{Game, Games};
use super::question::RawQuery;
use super::run::Query;
use super::workers::{CheckedQuery, check};
use super::{ANNOTATED, Args, RESULTS, games, positions, queries};
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
    /// How many games were refused.
    pub(super) refused: usize,
}

/// Which warnings about queries are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    All,
    Nothing,
}

impl Input {
    /// Reads the file of a batch and checks every query.
    pub(super) fn read(args: &Args, service: Service) -> anyhow::Result<Self> {
        let bytes = read_bytes(&args.file)?;
        let name = args.file.display().to_string();
        if queries::are_queries(&bytes) {
            args.refuse_options_of_records()?;
            let queries = queries::read(&name, &bytes, &args.limits)?;
            return Ok(Self::check(queries, Told::All, service)?);
        }
        let is_list = || {
            let known = format_of(&bytes, &ReadOptions::new().named(&name));
            args.positions && matches!(known, Ok(Format::Moves) | Err(_))
        };
        if positions::are_positions(&bytes) || is_list() {
            let queries = positions::read(&name, &bytes, args)?;
            return Ok(Self::check(queries, Told::All, service)?);
        }
        let Games { queries, games, refused } = games::read(&name, &bytes, args)?;
        // The warnings about games were told with their places in the file.
        let input = Self::check(queries, Told::Nothing, service)?;
        let games = (!args.positions).then_some(games);
        Ok(Self { games, refused, ..input })
    }

    fn check(queries: Vec<RawQuery>, told: Told, service: Service) -> Result<Self, Refusal> {
        let mut input =
            Self { queries: Vec::new(), positions: Vec::new(), games: None, refused: 0 };
        let mut places: HashMap<Id, String> = HashMap::new();
        let mut warnings = 0;
        for RawQuery { place, number, text } in queries {
            let checked = check(service, &text, number)
                .map_err(|problem| Refusal(format!("{place}: {}", problem.message)))?;
            let CheckedQuery { id, positions, warnings: new } = checked;
            for warning in new.iter().filter(|_| told == Told::All) {
                warnings += 1;
                if warnings <= MAX_WARNINGS {
                    warn(&format!("{place}: {warning}"));
                }
            }
            if let Some(first) = places.get(&id) {
                return Err(Refusal(format!("{place}: id \"{id}\" is already used by {first}")));
            }
            places.insert(id.clone(), place);
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
    pub(super) fn conclusion(&self, folder: &Path) -> String {
        let (len, unit, positions) = (self.len(), self.unit(), self.positions());
        let results = folder.join(RESULTS);
        let mut text = format!("{len} {unit}, {positions} positions: {}\n", results.display());
        if self.has_games() {
            text.push_str(&format!("record: {}\n", folder.join(ANNOTATED).display()));
        }
        text
    }
}
