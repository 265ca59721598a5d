//! Settings of whole runs, with the catalogue of real games.

use tengen_games::CATALOG;

use super::given::{read_toml, read_words};
use super::option::Options;
use super::*;

const ENGINES: &str = "-engine cmd=a -engine cmd=b -each st=1";

fn config(line: &str) -> Result<Config, String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let (_, entries) = read_words(&words).map_err(|error| error.to_string())?;
    Config::read(&entries, &CATALOG).map_err(|error| error.to_string())
}

fn refused(line: &str) -> String {
    config(&format!("{ENGINES} {line}")).unwrap_err()
}

#[test]
fn the_game_is_a_variant_or_a_rule_with_options_of_the_board() {
    let rules =
        |line: &str| config(&format!("{ENGINES} {line}")).unwrap().spec(&CATALOG).unwrap().rules;
    assert_eq!(rules("-variant renju"), "15x15 board, renju");
    assert_eq!(rules("-rule 0 -boardsize 20"), "20x20 board, 5 in a row");
    assert_eq!(rules("-rule 9"), "15x15 board, caro: exactly 5 in a row not closed at both ends");
    let custom = "-variant custom -boardsize 8x7 -k 3 -gravity off";
    assert_eq!(rules(custom), "8x7 board, 3 in a row");
    assert!(refused("-rounds 3").starts_with("variant: it is missing; one of cfour,"));
    assert!(refused("-variant chess").starts_with("variant \"chess\": it must be one of cfour,"));
    assert_eq!(refused("-rule 3"), "rule \"3\": it must be one of 0, 1, 4, 8, 9");
    assert_eq!(
        refused("-variant cfour -boardsize 8"),
        "boardsize: the variant cfour has no such option"
    );
    assert_eq!(
        refused("-variant gomoku -boardsize 30"),
        "BoardWidth 30: it must be from 5 to 22, or 0 for the default size"
    );
}

#[test]
fn defaults_are_those_of_the_manual() {
    let config = config(&format!("{ENGINES} -variant renju")).unwrap();
    assert_eq!((config.rounds(), config.games, config.seed, config.concurrency), (2, 2, 1, 1));
    assert!(config.recover && config.max_failures == 5 && config.sprt.is_none());
}

#[test]
fn contradictory_settings_are_refused() {
    for (line, why) in [
        ("-sprt elo0=5 elo1=0", "sprt: elo0=5 must be below elo1=0"),
        ("-sprt elo1=5 -games 4", "games: a test plays pairs: games=2, and more rounds"),
        ("-sprt elo1=5 -tournament swiss", "sprt: a test is a round robin of two engines"),
        (
            "-tournament swiss -noswap",
            "noswap: this tournament is played in pairs: an even number of games, colours exchanged",
        ),
        (
            "-tournament swiss -games 1",
            "games: this tournament is played in pairs: an even number of games, colours exchanged",
        ),
        ("-tournament gauntlet -seeds 2", "seeds: it must be below the number of engines, 2"),
        (
            "-tournament knockout -rounds 3",
            "rounds: a knockout has as many rounds as its bracket; leave it out, and write -games N for longer encounters",
        ),
        ("-seeds 1", "seeds: only a gauntlet and a knockout have seeds"),
        (
            "-openings file=o.list",
            "openings: format= is missing: one of offset, pos, moves, fen, epd, pgn, sgf, generate, swap2",
        ),
        ("-openings format=pos", "openings: file= is missing"),
        ("-openings format=swap2 file=x", "openings: this format reads no file"),
        ("-openings format=generate encoding=gbk", "openings: this format reads no file"),
        (
            "-openings file=x.txt encoding=klingon",
            "encoding \"klingon\": it must be UTF-8, GBK, Big5, Shift_JIS, EUC-KR or the like",
        ),
        (
            "-openings file=x color=1",
            "openings: unknown key \"color\": it must be one of file, format, encoding, order, start, plies, policy, transform, balance, count, nodes",
        ),
        ("-resign movecount=3", "resign: score= is missing: a game is lost at so much below zero"),
        ("-concurrency 0", "concurrency \"0\": it must be a whole number from 1 to 4096"),
        (
            "-tournament cup",
            "tournament \"cup\": it must be one of roundrobin, gauntlet, swiss, knockout",
        ),
        (
            "-use-affinity all-of-them",
            "use-affinity \"all-of-them\": it must be on, off or a list of CPUs such as 0-3,6",
        ),
        ("-output format=xml", "format \"xml\": it must be one of tengen, fastchess, cutechess"),
        ("-log engine=on", "log: file= is missing"),
    ] {
        assert_eq!(refused(&format!("-variant renju {line}")), why);
    }
    let one = config("-engine cmd=a st=1 -variant renju").unwrap_err();
    assert_eq!(one, "engine: two engines or more are needed, found 1");
    let three =
        config("-engine cmd=a -engine cmd=b -engine cmd=c -each st=1 -variant renju -sprt elo1=5");
    assert_eq!(three.unwrap_err(), "sprt: a test compares two engines, found 3");
}

#[test]
fn every_option_has_a_meaning() {
    for name in Config::specs().iter().map(|spec| spec.name()) {
        let text = format!("{name} = \"?\"\n");
        let entries = read_toml(std::path::Path::new("run.toml"), &text).unwrap();
        if let Err(error) = Config::read(&entries, &CATALOG) {
            assert!(!error.to_string().contains("unknown option"), "{name}: {error}");
        }
    }
}

/// A line end would begin a command of its own.
#[test]
fn no_text_for_an_engine_has_a_line_end_or_a_control_character() {
    for key in ["options", "init", "variant-name", "option.UCI_Opponent"] {
        for bad in ["x\\nsetoption name Debug Log File value y", "a\\u001bb", "a\\rb", "a\\u2028b"]
        {
            let value = match key {
                "options" => format!("{{ \"UCI_Opponent\" = \"{bad}\" }}"),
                "init" => format!("[\"{bad}\"]"),
                _ => format!("\"{bad}\""),
            };
            let key = if key.starts_with("option.") { "\"option.UCI_Opponent\"" } else { key };
            let text = format!(
                "variant = \"renju\"\n[[engine]]\ncmd = \"a\"\nst = 1\n{key} = {value}\n[[engine]]\ncmd = \"b\"\nst = 1\n"
            );
            let entries = read_toml(std::path::Path::new("cup/run.toml"), &text).unwrap();
            let error = Config::read(&entries, &CATALOG).unwrap_err().to_string();
            let why = "no line end and no control character is allowed";
            assert!(error.starts_with("cup/run.toml:2: ") && error.contains(why), "{error}");
        }
    }
}

#[test]
fn errors_of_a_file_name_its_line() {
    let text =
        "variant = \"renju\"\n[[engine]]\ncmd = \"a\"\nst = 1\n\n[[engine]]\ncmd = \"b\"\nst = 0\n";
    let entries = read_toml(std::path::Path::new("cup/run.toml"), text).unwrap();
    let error = Config::read(&entries, &CATALOG).unwrap_err().to_string();
    assert_eq!(error, "cup/run.toml:8: st \"0\": it must be a number of seconds, such as 0.1");
}

#[test]
fn values_of_other_match_runners_are_read() {
    let read = |line: &str| config(&format!("{ENGINES} -variant renju {line}")).unwrap();
    assert_eq!(read("-tournament round-robin").tournament, TournamentKind::RoundRobin);
    assert_eq!(read("-tournament knockout -rounds 1").tournament, TournamentKind::Knockout);
    assert_eq!(read("-repeat 2 -maxmoves 0").max_moves, None);
    let pgn = OutputFile::At("a.pgn".into());
    assert_eq!(read("-pgnout file=a.pgn").outputs.pgn, pgn);
    assert_eq!(read("-pgn a.pgn").outputs.pgn, pgn);
}
