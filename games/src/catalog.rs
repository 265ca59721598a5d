//! The catalogue of all variants. Each game declares its own.

use std::sync::LazyLock;

use tengen_engine::backend::{
    Backend, BenchPosition, Catalog, Features, OpenError, Settings, Sink,
};
use tengen_engine::opener::Opener;
use tengen_engine::opening::{OpeningName, OpeningRule};
use tengen_engine::options::OptionSpec;
use tengen_engine::threats::{FoursResult, Threats};
use tengen_engine::{About, Chosen, Game, GameSpec, Move, Position, Score, TypedPosition, Variant};

use crate::entry::{BoardOptions, Entry, all_options};
use crate::{cfour, gomoku, mnk, opening_rules, openings, tree};

/// The catalogue of this crate's games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Games;

/// Every variant, by game; the first is the default. A new game adds a line here.
static ENTRIES: &[&[Entry]] = &[
    &cfour::variants::VARIANTS,
    &mnk::variants::VARIANTS,
    &tree::VARIANTS,
    &gomoku::variants::VARIANTS,
];

static VARIANTS: LazyLock<Vec<Variant>> =
    LazyLock::new(|| entries().map(|entry| entry.variant).collect());

fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().copied().flatten()
}

fn entry(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.variant.is_named(name))
}

/// Returns the opener of a game. `spec` must come from `describe` of this catalogue.
fn opener(spec: &GameSpec) -> Box<dyn Opener> {
    let entry = entry(spec.variant).expect("the catalogue described the game");
    (entry.make)(&mut BoardOptions::new(&spec.chosen)).expect("the catalogue described the game")
}

impl Catalog for Games {
    fn about(&self) -> About {
        const VERSION: &str = env!("CARGO_PKG_VERSION");
        const DESCRIPTION: &str = concat!(
            "Tengen ",
            env!("CARGO_PKG_VERSION"),
            ", an engine for n-in-a-row games, by the Tengen developers"
        );
        let about = About::new("Tengen").with_version(VERSION).with_description(DESCRIPTION);
        about.with_author("the Tengen developers")
    }

    /// Returns every feature: a test compares it with the games.
    fn features(&self) -> Features {
        Features::ALL
    }

    fn variants(&self) -> &[Variant] {
        &VARIANTS
    }

    fn options(&self) -> Vec<OptionSpec> {
        all_options()
    }

    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError> {
        let entry = entry(name).ok_or_else(|| OpenError::UnknownVariant(name.to_owned()))?;
        let mut options = BoardOptions::new(chosen);
        let opener = (entry.make)(&mut options)?;
        Ok(opener.describe(entry.variant.name, options.effective))
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        opener(spec).position(spec)
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        opener(spec).open(spec, settings, sink)
    }

    fn judge_moves(&self, position: &dyn Position) -> Vec<(Move, Score)> {
        opener(position.spec()).judge_moves(position)
    }

    fn threats(&self, position: &dyn Position) -> Option<Vec<Threats>> {
        let board = position.as_any().downcast_ref::<TypedPosition<gomoku::Board>>()?.game();
        let is_over = board.outcome().is_some();
        Some(if is_over { Vec::new() } else { gomoku::threats::threats(board) })
    }

    fn win_by_fours(&self, position: &dyn Position, nodes: u64) -> Option<FoursResult> {
        let board = position.as_any().downcast_ref::<TypedPosition<gomoku::Board>>()?.game();
        Some(gomoku::threats::win_by_fours(board, nodes))
    }

    /// Returns the rules of renju for renju, and the others for every game in which stones stay
    /// where they are placed.
    fn opening_rules(&self, spec: &GameSpec) -> Vec<&'static OpeningRule> {
        if spec.grid.is_none_or(|notation| notation.falls()) {
            return Vec::new();
        }
        let renju = if spec.variant == "renju" { &opening_rules::RENJU[..] } else { &[] };
        opening_rules::GENERAL.iter().chain(renju).collect()
    }

    /// Returns the name of a renju opening in games of five in a row, and of the first move in four
    /// in a row.
    fn opening_name(&self, position: &dyn Position) -> Option<&'static OpeningName> {
        let variant = position.spec().variant;
        let is_of = |entries: &[Entry]| entries.iter().any(|known| known.variant.name == variant);
        if is_of(&gomoku::variants::VARIANTS) {
            return openings::renju(position);
        }
        openings::first_column(position).filter(|_| is_of(&cfour::variants::VARIANTS))
    }

    fn bench(&self) -> Vec<BenchPosition> {
        let bench_of = |entry: &'static Entry| {
            entry.bench.iter().map(|position| {
                BenchPosition::new(entry.variant.name, position.moves, position.depth)
                    .with_chosen(position.chosen.iter().copied().collect())
            })
        };
        entries().flat_map(bench_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tengen_engine::suggest::fitting_variant;

    use super::*;

    fn describe(name: &str, options: &[(&'static str, i64)]) -> Result<GameSpec, OpenError> {
        Games.describe(name, &options.iter().copied().collect())
    }

    fn rules_of(name: &str, options: &[(&'static str, i64)]) -> String {
        describe(name, options).unwrap_or_else(|error| panic!("{name}: {error}")).rules
    }

    #[test]
    fn every_variant_opens_by_name_in_any_case() {
        assert_eq!(Games.variants()[0].name, "cfour");
        for variant in Games.variants() {
            let spec = describe(&variant.name.to_uppercase(), &[]).unwrap();
            assert_eq!(spec.variant, variant.name);
            assert_eq!(Games.position(&spec).spec(), &spec);
            let settings = Settings::default().with_hash_mib(1);
            assert_eq!(Games.open(&spec, &settings, Arc::new(|_| ())).spec(), &spec);
        }
        let refused = describe("checkers", &[]).err();
        assert_eq!(refused, Some(OpenError::UnknownVariant("checkers".into())));
    }

    #[test]
    fn the_games_have_every_feature() {
        let has = |feature: fn(&GameSpec) -> bool| {
            Games.variants().iter().any(|variant| feature(&describe(variant.name, &[]).unwrap()))
        };
        assert!(has(|spec| spec.has_book) && has(|spec| spec.own_eval.is_some()));
        assert!(has(|spec| spec.has_chances) && has(|spec| spec.grid.is_some()));
        assert_eq!(Games.features(), Features::ALL);
    }

    #[test]
    fn usual_names_of_the_games_are_aliases() {
        for (alias, name) in [
            ("connect4", "cfour"),
            ("Connect-Four", "cfour"),
            ("four-in-a-row", "cfour"),
            ("tic-tac-toe", "tictactoe"),
            ("FREESTYLE", "gomokufreestyle"),
            ("gobang", "gomokufreestyle"),
            ("standard", "gomoku"),
        ] {
            assert_eq!(describe(alias, &[]).unwrap().variant, name, "{alias}");
        }
        let named = Games.variants().iter().flat_map(|variant| {
            variant.aliases.iter().chain([&variant.name]).map(|name| name.to_lowercase())
        });
        let mut names: Vec<String> = named.collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "no name stands for two variants");
    }

    #[test]
    fn records_name_the_rules_in_many_ways() {
        let rules = |name: &str| Games.rules_named(name).map(|(variant, _)| variant.name);
        for (name, variant) in [
            ("Standard", "gomoku"),
            ("gomoku", "gomoku"),
            ("Free Style", "gomokufreestyle"),
            ("Freestyle gomoku", "gomokufreestyle"),
            ("0", "gomokufreestyle"),
            ("\u{4e94}\u{5b50}\u{68cb}", "gomokufreestyle"),
            ("RENJU", "renju"),
            ("RIF", "renju"),
            ("Taraguchi", "renju"),
            ("Soos\u{d5}rv", "renju"),
            ("Caro", "caro"),
            ("Tic-Tac-Toe", "tictactoe"),
            ("Connect Four", "cfour"),
            ("cfour-misere", "cfour-misere"),
        ] {
            assert_eq!(rules(name), Some(variant), "{name}");
        }
        let exact = Games.rules_named("9").map(|(_, chosen)| chosen);
        assert_eq!(exact, Some([("Overline", 0)].into()));
        // Rules of Go and names of openings do not name a variant.
        for name in ["Japanese", "Chinese", "Swap2", "Pro", "house rules", ""] {
            assert_eq!(rules(name), None, "{name}");
        }
    }

    #[test]
    fn names_of_rules_are_lower_case_and_unique() {
        let mut seen = Vec::new();
        for variant in Games.variants() {
            for rules in variant.rule_names {
                for option in rules.chosen {
                    assert!(variant.reads(option.0), "{}: {option:?}", variant.name);
                }
                for name in rules.names {
                    let plain = name.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase());
                    assert!(plain, "{name}");
                    assert!(!seen.contains(name), "{name}");
                    seen.push(name);
                    let found = Games.rules_named(name).map(|(found, _)| found.name);
                    assert_eq!(found, Some(variant.name), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_point_outside_the_board_proposes_the_variant_that_it_fits() {
        let fitting = |name: &str, moves: &[&str]| {
            let spec = describe(name, &[]).unwrap();
            let error = Games.position(&spec).play_all(moves).unwrap_err();
            fitting_variant(&Games, &spec, moves, &error)
        };
        assert_eq!(fitting("cfour", &["h8", "i9"]), Some("gomokufreestyle"));
        assert_eq!(fitting("cfour", &["P@h8"]), Some("gomokufreestyle"));
        assert_eq!(fitting("gomoku", &["h8", "t20"]), Some("freestyle20"));
        assert_eq!(fitting("tictactoe", &["d1"]), Some("cfour"));
        // An illegal move, points outside every board or on a taken cell, and text that is not a
        // point.
        assert_eq!(fitting("cfour", &["d3"]), None);
        assert_eq!(fitting("cfour", &["z26"]), None);
        assert_eq!(fitting("cfour", &["h8", "h8"]), Some("gomokufreestyle"));
        assert_eq!(fitting("cfour", &["help"]), None);
    }

    #[test]
    fn a_custom_board_follows_its_options() {
        assert_eq!(rules_of("custom", &[]), "7x6 board, 4 in a row, stones fall");
        let sizes = [("BoardWidth", 15), ("BoardHeight", 15), ("ConnectK", 5)];
        assert_eq!(rules_of("custom", &sizes), "15x15 board, 5 in a row, stones fall");
        let plain = [("Gravity", 0), ("Overline", 0), ("BoardWidth", 26)];
        assert_eq!(rules_of("custom", &plain), "26x6 board, exactly 4 in a row");
        // Another variant has its own board.
        assert_eq!(rules_of("tictactoe", &sizes), "3x3 board, 3 in a row");
    }

    #[test]
    fn every_size_and_length_opens() {
        for (width, height, connect) in
            [(1, 1, 1), (26, 26, 26), (8, 7, 3), (16, 7, 26), (26, 3, 2)]
        {
            let mut options =
                vec![("BoardWidth", width), ("BoardHeight", height), ("ConnectK", connect)];
            rules_of("custom", &options);
            options.push(("Gravity", 0));
            rules_of("custom", &options);
        }
    }

    #[test]
    fn the_error_of_a_size_out_of_range_names_the_option() {
        let refused =
            describe("custom", &[("BoardWidth", 27)]).err().map(|error| error.to_string());
        assert_eq!(
            refused.as_deref(),
            Some("BoardWidth 27: it must be from 1 to 26, or 0 for the default size")
        );
    }

    #[test]
    fn boards_of_five_in_a_row_have_a_usual_size_and_a_range() {
        for (name, rules) in [
            ("gomokufreestyle", "15x15 board, 5 in a row"),
            ("gomoku", "15x15 board, exactly 5 in a row"),
            ("renju", "15x15 board, renju"),
            ("caro", "15x15 board, caro: 5 in a row not closed at both ends"),
            ("freestyle20", "20x20 board, 5 in a row"),
        ] {
            assert_eq!(rules_of(name, &[]), rules);
            assert_eq!(rules_of(name, &[("BoardWidth", 0), ("BoardHeight", 0)]), rules);
        }
        let sizes = [("BoardWidth", 22), ("BoardHeight", 5)];
        assert_eq!(rules_of("renju", &sizes), "22x5 board, renju");
        let exact = rules_of("caro", &[("Overline", 0)]);
        assert_eq!(exact, "15x15 board, caro: exactly 5 in a row not closed at both ends");
        let refused =
            describe("gomoku", &[("BoardHeight", 23)]).err().map(|error| error.to_string());
        let why = "BoardHeight 23: it must be from 5 to 22, or 0 for the default size";
        assert_eq!(refused.as_deref(), Some(why));
    }

    #[test]
    fn every_bench_position_can_be_set_up() {
        for position in Games.bench() {
            let spec = Games.describe(position.variant, &position.chosen).unwrap();
            let mut game = Games.position(&spec);
            let moves: Vec<&str> = position.moves.split_whitespace().collect();
            assert_eq!(game.play_all(&moves), Ok(()), "{}", position.moves);
            assert_eq!(game.outcome(), None, "{}", position.moves);
        }
    }

    #[test]
    fn the_same_game_has_the_same_description_however_it_was_chosen() {
        let usual = describe("gomoku", &[]).unwrap();
        let sized = [("BoardWidth", 15), ("BoardHeight", 15), ("Gravity", 0)];
        assert_eq!(describe("gomoku", &sized).unwrap(), usual);
        assert_ne!(describe("gomoku", &[("BoardWidth", 16)]).unwrap(), usual);
        assert_ne!(describe("gomokufreestyle", &[]).unwrap(), usual);
    }

    /// Files of users have these ids.
    #[test]
    fn the_id_of_a_game_is_written_with_all_its_options() {
        let id = |name: &str, options: &[_]| describe(name, options).unwrap().id();
        assert_eq!(id("tictactoe", &[("Gravity", 1)]), "tictactoe");
        assert_eq!(id("Renju", &[]), "renju BoardHeight=15 BoardWidth=15");
        assert_eq!(id("standard", &[("BoardWidth", 0)]), "gomoku BoardHeight=15 BoardWidth=15");
        assert_eq!(
            id("caro", &[("Overline", 0), ("BoardWidth", 19)]),
            "caro BoardHeight=15 BoardWidth=19 Overline=0"
        );
        assert_eq!(
            id("custom", &[("Gravity", 0), ("ConnectK", 5)]),
            "custom BoardHeight=6 BoardWidth=7 ConnectK=5 Gravity=0 Overline=1"
        );
    }

    #[test]
    fn a_variant_reads_exactly_the_options_that_it_lists() {
        for variant in Games.variants() {
            let chosen = describe(variant.name, &[]).unwrap().chosen;
            let mut names = variant.options.to_vec();
            names.sort_unstable();
            assert_eq!(chosen.into_keys().collect::<Vec<_>>(), names, "{}", variant.name);
        }
    }

    #[test]
    fn a_description_says_whether_the_search_is_exact() {
        let is_exact = |name, options: &[_]| describe(name, options).unwrap().is_exact;
        assert!(is_exact("cfour", &[]) && is_exact("cfour-misere", &[]) && is_exact("tree", &[]));
        assert!(is_exact("tictactoe", &[]) && is_exact("custom", &[]));
        assert!(!is_exact("renju", &[]) && !is_exact("custom", &[("Gravity", 0)]));
    }
}
