//! The help of `tengen arena` and of its subcommands: tables of options with default and meaning.

use crate::output::wrap;

/// An option: how it is written, its default, and its meaning.
type Row = (&'static str, &'static str, &'static str);

/// A group of options with its heading.
type Group = (&'static str, &'static [Row]);

const ENGINE: Group = (
    "Keys of -engine and -each (times in seconds):",
    &[
        ("cmd=PROGRAM", "", "the program; needed"),
        ("args=WORDS", "", "its arguments, quoted as in a shell"),
        ("dir=FOLDER", "that of cmd", "its working folder"),
        ("env=NAME=VALUE", "", "a variable of its environment"),
        ("name=NAME", "as reported", "the name in tables"),
        ("proto=auto|uci|ugi|gomocup", "auto", "the dialect; auto tries all"),
        ("tc=[MOVES/]BASE[+INC]", "", "a clock: 30+0.3, 1:30+1, 40/60; tc=inf is none"),
        ("st=TIME", "", "the time for each move"),
        ("turn=TIME", "", "with tc, the longest time for one move"),
        ("nodes=N  depth=N", "", "limits of each search; one of tc, st, nodes, depth is needed"),
        ("timemargin=MS", "0; st: 100", "milliseconds over the limit that are tolerated"),
        ("option.NAME=VALUE", "", "an option of the engine"),
        ("init=LINE", "", "a line that is sent before the options"),
        ("memory=SIZE", "no limit", "the largest memory of its processes, such as 350M"),
        ("threads=N", "its options", "the number of CPUs that it uses"),
        ("ponder=on|off", "off", "thinks on the opponent's time (UCI)"),
        ("restart=auto|on|off", "auto", "a new process after a failure, for each game, or never"),
        ("rules=LIST  sizes=LIST", "all", "the variants and boards that it plays"),
        ("variant-name=NAME|none", "the variant", "its own name for the game"),
        ("sendbyboard=on|off", "off", "sends a Gomocup engine the board for each move"),
        ("stderr=FILE", "run folder", "its standard error"),
        ("log=FILE", "", "every line to and from it"),
        ("options={..}", "", "options of the engine, in a tournament file"),
    ],
);

const GAME: Group = (
    "The game:",
    &[
        ("-variant NAME", "", "the game; needed unless -rule is given"),
        ("-rule 0|1|4|8|9", "", "Gomocup's number of the game"),
        ("-boardsize N|WxH", "the game's", "the board"),
        ("-k N", "the game's", "stones in a row that win"),
        ("-gravity on|off", "the game's", "stones fall"),
        ("-overline on|off", "the game's", "a longer row wins too"),
    ],
);

const TOURNAMENT: Group = (
    "The tournament:",
    &[
        ("-tournament KIND", "roundrobin", "roundrobin, gauntlet, swiss or knockout"),
        ("-seeds N", "1; all", "players of a gauntlet who meet all others; seeds of a knockout"),
        ("-extra N", "3", "extra pairs for a tie of a knockout; then the better seed advances"),
        ("-rounds N", "2", "rounds; swiss: enough for one winner; -sprt: 1000000"),
        ("-games N", "2", "games of an encounter"),
        ("-repeat [on|off]", "on", "plays each opening twice with colours exchanged"),
        ("-noswap", "off", "never exchanges colours"),
        ("-reverse", "off", "the second engine of a pairing moves first"),
        ("-openings KEYS", "empty board", "file= format= order= start= plies= policy= transform="),
        ("-opening-rule NAME", "free", "swap2, rif, taraguchi10 and others: the players choose"),
        ("-srand N", "1", "the seed of all random numbers"),
        (
            "-sprt KEYS",
            "",
            "a sequential test: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized",
        ),
        ("-spsa KEYS", "", "a tuning, in the file of \"tengen arena spsa\""),
        ("-resign KEYS", "off", "movecount=3 score= twosided=on"),
        ("-draw KEYS", "off", "movenumber=0 movecount=8 score=0"),
        ("-maxmoves N", "no limit", "full moves after which a game is drawn"),
        ("-drawafter N", "no limit", "stones at which a game is drawn"),
        ("-proof KEYS", "off", "win=on draw=off nodes=20000 plies=8 within=6 proof-check=0"),
        ("-force-proof", "off", "allows -proof in a test of a solved game"),
    ],
);

const PLAYING: Group = (
    "Playing:",
    &[
        ("-concurrency N", "1", "games at a time"),
        ("-force-concurrency", "off", "allows more games than CPUs"),
        ("-use-affinity [CPUS]", "off", "binds each game to its own CPUs"),
        ("-recover on|off", "on", "off: the first failure ends the run"),
        ("-max-failures N", "5", "withdraws an engine after N failures in a row; 0: never"),
        ("-strict", "off", "status 2 after a warning"),
        ("-suspend", "off", "stops an engine while the other one thinks"),
        ("-startup-ms N", "10000", "timeout of the handshake"),
        ("-ucinewgame-ms N", "60000", "timeout of a new game"),
        ("-ping-ms N", "60000", "timeout of isready"),
        ("-stall-ms N", "60000", "without a clock: neither output nor CPU time"),
        ("-on-lag mark|replay", "mark", "losses on time while the machine was late"),
        ("-wait MS", "0", "a pause between games"),
    ],
);

const WORKERS: Group = (
    "Workers in other processes:",
    &[
        (
            "-transport local|pipe|nats",
            "local",
            "this process, child processes, or a server of NATS",
        ),
        ("-pipe COMMAND", "this program", "a command that runs \"tengen work\"; can be repeated"),
        ("-nats URL", "", "the server"),
        ("-nats-creds FILE", "", "the credentials for the server"),
        (
            "-run-name NAME",
            "of the folder",
            "the name of the run, which begins the ids of its tasks",
        ),
        ("-ahead N", "4", "tasks that are queued for each slot of a worker (NATS)"),
        (
            "-ack-wait-ms N",
            "30000",
            "silence of a worker before its task goes to another one (NATS)",
        ),
        ("-task-ms N", "600000", "the longest time of a pair of games"),
        ("-allow-dead", "off", "goes on without tasks that end their workers"),
    ],
);

const OUTPUT: Group = (
    "What is written:",
    &[
        ("-out FOLDER", "arena-1, ..", "the run folder"),
        ("-pgnout FILE|off", "games.pgn", "games in PGN"),
        ("-sgfout FILE|off", "games.sgf", "games in SGF"),
        ("-jsonl FILE|off", "games.jsonl", "games in JSON, one a line"),
        ("-csv FOLDER|off", "run folder", "tables in CSV"),
        ("-markdown FILE  -html FILE", "", "the report, written at the end"),
        ("-force", "off", "replaces files that these options name"),
        ("-output format=F", "tengen", "lines as tengen, fastchess or cutechess print them"),
        ("-ratinginterval N", "0", "games between two tables"),
        ("-log file=F engine=on|off", "off", "a log of all lines to and from the engines"),
        ("-event NAME  -site NAME", "", "tags of PGN and SGF, and the title of reports"),
        ("-bootstrap N", "0", "samples for the errors of ratings"),
    ],
);

const RESUME: Group = (
    "Options:",
    &[
        ("-rounds N", "as before", "more rounds"),
        ("-concurrency N", "as before", "and the other options of \"Playing\" but timeouts"),
        ("-transport KIND", "local", "and the other options of \"Workers in other processes\""),
        ("-readmit NAME", "", "a withdrawn engine plays again, with its forfeited games"),
        ("-allow-changed", "off", "accepts a changed engine or list of openings"),
        ("-pgnout FILE  -sgfout FILE ..", "as before", "the outputs"),
    ],
);

const REPORT: Group = (
    "Options:",
    &[
        ("--details", "off", "adds pairs, results by colour, times, depths and processes"),
        ("--markdown  --html", "text", "the form of the report"),
        ("--rebuild", "off", "also writes the files of the run again"),
    ],
);

const CHECK: Group = (
    "Options, beside the keys of -engine and those of the game:",
    &[
        ("-startup-ms N", "10000", "timeout of the handshake"),
        ("-ucinewgame-ms N", "60000", "timeout of a new game"),
        ("-ping-ms N", "60000", "timeout of isready"),
    ],
);

const OPENINGS: Group = (
    "Options, beside those of the game:",
    &[
        ("-count N", "100", "the number of generated openings"),
        ("-openings plies=N", "4", "moves of each opening"),
        ("-openings balance=N", "60", "the largest score, in hundredths"),
        ("-openings nodes=N", "20000", "nodes of each search"),
        ("-openings file=F format=F", "generate", "reads a list instead, in any format"),
        ("-srand N", "1", "the seed"),
        ("-out FILE", "-", "the file; - is standard output"),
        ("-force", "off", "overwrites a file"),
    ],
);

const COUNTS: Group = (
    "Counts and keys:",
    &[
        ("LL LD DD WD WW", "", "pairs of games by points, colours exchanged"),
        ("L D W", "", "games: losses, draws, wins"),
        ("elo0=E  elo1=E", "0, 5", "the hypotheses (sprt)"),
        ("alpha=A  beta=B", "0.05", "the error rates (sprt)"),
        ("model=normalized|logistic", "normalized", "the scale of elo0 and elo1 (sprt)"),
    ],
);

const USAGE: &str = "\
Matches between engines of n-in-a-row games, and their statistics

Usage: tengen arena -engine K=V.. -engine K=V.. [-each K=V..] -variant V [OPTIONS]
       tengen arena TOURNAMENT.toml [OPTIONS]
       tengen arena resume FOLDER [OPTIONS]
       tengen arena report FOLDER [OPTIONS]
       tengen arena check ENGINE-KEYS.. [-variant V]
       tengen arena openings -variant V -count N [-openings plies= balance= nodes=] [-out FILE]
       tengen arena rate GAMES.pgn GAMES.jsonl ..
       tengen arena spsa TUNE.toml [OPTIONS]
       tengen arena sprt COUNTS.. [elo0=E] [elo1=E] [model=normalized|logistic] [alpha=A] [beta=B]
       tengen arena elo COUNTS..

\"tengen arena COMMAND --help\" shows the options of a command. Options have one dash or two. The tables
show option, default and meaning.
";

const STATUSES: &str = "
Exit status:
  0    all was played or done; in a test, H1 was accepted
  1    nothing was played: the command line, a file, an engine or an opening was refused
  2    there were warnings, under -strict
  3    an engine failed too often and was withdrawn
  4    the run folder is locked, damaged or changed
  5    something could not be written
  10   a test accepted H0
  11   a test ended without a decision
  130  Ctrl-C ended the run; \"tengen arena resume\" continues it

Examples:
  tengen arena sprt 39 2226 31451 2412 40 elo0=0 elo1=5 model=normalized
  tengen arena elo 120 300 95
  tengen arena -engine cmd=tengen name=A -engine cmd=tengen name=B -each nodes=200 -variant tictactoe -rounds 2 -out run1
      two engines; what they did is in the folder run1
  tengen arena report run1
  tengen arena check cmd=tengen -variant cfour
";

/// The subcommands: name, usage with examples, and options.
const COMMANDS: [(&str, &str, &[Group]); 8] = [
    (
        "resume",
        "Continues a run: plays the games that its journal does not have\n\n\
         Usage: tengen arena resume FOLDER [OPTIONS]\n\n\
         Example: tengen arena resume run1 -rounds 3\n",
        &[RESUME],
    ),
    (
        "report",
        "Prints the standings, ratings and ends of games of a run\n\n\
         Usage: tengen arena report FOLDER [OPTIONS]\n\n\
         Example: tengen arena report run1 --html > run1.html\n",
        &[REPORT],
    ),
    (
        "check",
        "Tests step by step whether an engine can play in a tournament\n\n\
         Usage: tengen arena check ENGINE-KEYS.. [OPTIONS]\n\n\
         Example: tengen arena check cmd=tengen -variant cfour\n",
        &[CHECK, ENGINE, GAME],
    ),
    (
        "openings",
        "Writes a list of openings, generated or read from a file\n\n\
         Usage: tengen arena openings -variant V [OPTIONS]\n\n\
         Example: tengen arena openings -variant renju -count 20 -openings plies=3 -out renju.txt\n",
        &[OPENINGS, GAME],
    ),
    (
        "rate",
        "Rates the players of finished games\n\n\
         Usage: tengen arena rate GAMES.pgn GAMES.jsonl ..\n\n\
         Example: tengen arena rate run1/games.pgn run2/games.jsonl\n",
        &[],
    ),
    (
        "spsa",
        "Tunes options of an engine by games against itself\n\n\
         Usage: tengen arena spsa TUNE.toml [OPTIONS]\n\n\
         The file has one engine, rounds (steps) and spsa = { parameters = [..] }. A parameter is\n\
         \"name, int|float, start, min, max, c_end, r_end\".\n\n\
         Example: tengen arena spsa tune.toml -out tune1\n",
        &[ENGINE, GAME, PLAYING, WORKERS],
    ),
    (
        "sprt",
        "Computes the log-likelihood ratio and the decision of a test from counts\n\n\
         Usage: tengen arena sprt COUNTS.. [KEYS]\n\n\
         Example: tengen arena sprt 39 2226 31451 2412 40 elo0=0 elo1=5\n",
        &[COUNTS],
    ),
    (
        "elo",
        "Computes Elo, its error and the likelihood of superiority from counts\n\n\
         Usage: tengen arena elo COUNTS..\n\n\
         Example: tengen arena elo 120 300 95\n",
        &[COUNTS],
    ),
];

/// Returns the help that the arguments ask for; `None` if they ask for none.
pub fn help(args: &[String]) -> Option<String> {
    let is_help = |word: &String| matches!(word.as_str(), "-h" | "-help" | "--help");
    let Some((first, rest)) = args.split_first() else { return Some(main_help()) };
    if first == "help" {
        return Some(rest.first().and_then(|name| help_of(name)).unwrap_or_else(main_help));
    }
    if !args.iter().any(is_help) {
        return None;
    }
    Some(help_of(first).unwrap_or_else(main_help))
}

fn main_help() -> String {
    let groups = [ENGINE, GAME, TOURNAMENT, PLAYING, WORKERS, OUTPUT];
    let tables: String = groups.iter().map(table).collect();
    format!("{USAGE}{tables}{STATUSES}")
}

fn help_of(name: &str) -> Option<String> {
    let (_, usage, groups) = COMMANDS.iter().find(|(known, ..)| *known == name)?;
    Some(format!("{usage}{}", groups.iter().map(table).collect::<String>()))
}

/// Writes a group as a table.
fn table((heading, rows): &Group) -> String {
    /// The width of lines, in characters.
    const WIDTH: usize = 100;
    let longest = |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).len()).max();
    let (first, second) = (longest(|row| row.0).unwrap_or(0), longest(|row| row.1).unwrap_or(0));
    let indent = first + second + 6;
    let mut out = format!("\n{heading}\n");
    for (option, default, meaning) in *rows {
        for (number, line) in wrap(meaning, WIDTH.saturating_sub(indent)).iter().enumerate() {
            let [option, default] = if number == 0 { [*option, *default] } else { ["", ""] };
            let row = format!("  {option:<first$}  {default:<second$}  {line}");
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::engine::KEYS;
    use crate::config::given::OPTIONS;

    fn asked(line: &str) -> Option<String> {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        help(&words)
    }

    #[test]
    fn every_option_and_key_is_in_the_help() {
        let shown = asked("--help").unwrap();
        let options =
            OPTIONS.split(", ").filter(|name| *name != "readmit" && *name != "allow-changed");
        for option in options {
            assert!(shown.contains(&format!("-{option}")), "-{option}");
        }
        for key in KEYS.split(", ") {
            assert!(shown.contains(&format!("{key}=")), "{key}=");
        }
        assert!(shown.lines().all(|line| line.len() <= 130), "{shown}");
    }

    #[test]
    fn every_command_has_its_help() {
        for (name, usage, _) in COMMANDS {
            for line in
                [format!("{name} --help"), format!("{name} run1 -h"), format!("help {name}")]
            {
                assert!(asked(&line).unwrap().starts_with(usage), "{line}");
            }
            assert_eq!(asked(name), None);
        }
        assert!(asked("openings --help").unwrap().contains("  -openings balance=N"));
        assert_eq!(asked("-engine cmd=a --help"), asked(""));
    }
}
