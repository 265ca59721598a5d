//! Engines that hang, flood, crash, cheat or do not exit. Each loses its game, the other games
//! continue, and no process stays behind.

use super::runs::{Lab, Running, TENGEN, columns_engine, scripts};

/// An engine that misbehaves when it is asked for its first move.
struct Hostile {
    name: &'static str,
    does: &'static str,
    /// The time control of the engine.
    time: &'static str,
    /// The allowed ends of its game: the kind, and a part of the text.
    ends: &'static [(&'static str, &'static str)],
}

const fn hostile(
    name: &'static str,
    does: &'static str,
    time: &'static str,
    ends: &'static [(&'static str, &'static str)],
) -> Hostile {
    Hostile { name, does, time, ends }
}

/// A clock that no normal engine can exceed here.
const LONG: &str = "tc=100+0";

/// The ends of a flood. On a busy machine, the clock may end it before its size does.
const FLOODS: [(&str, &str); 2] = [("flood", "64 MiB"), ("time", "out of time")];

/// Misbehaviour in all dialects.
const HOSTILE: [Hostile; 11] = [
    hostile("status 0", "exit 0", LONG, &[("crash", "the process ended with status 0")]),
    hostile("status 1", "exit 1", LONG, &[("crash", "the process ended with status 1")]),
    hostile("SIGSEGV", "kill -SEGV $$", LONG, &[("crash", "the process was killed by SIGSEGV")]),
    hostile("child", "sleep 1000 & exit 3", LONG, &[("crash", "the process ended with status 3")]),
    hostile("nodes", "exit 4", "nodes=10", &[("crash", "the process ended with status 4")]),
    hostile(
        "last words",
        "echo start >&2; echo \"cannot load net x.nnue\" >&2; exit 5",
        LONG,
        &[(
            "crash",
            "status 5; its last words on standard error: \"start\", \"cannot load net x.nnue\" (",
        )],
    ),
    hostile("hangs", "continue", "tc=0.1+0", &[("time", "out of time: no move after 100 ms")]),
    hostile(
        "deaf",
        "trap '' TERM; exec sleep 1000",
        "tc=0.1+0",
        &[("time", "out of time: no move")],
    ),
    hostile("sleeps", "exec sleep 1000", "nodes=10", &[("stall", "neither output nor CPU time")]),
    hostile(
        "hangs with words",
        "echo \"cannot load net y.nnue\" >&2; continue",
        "tc=0.1+0",
        &[(
            "time",
            "100 ms and a stop; its last words on standard error: \"cannot load net y.nnue\" (",
        )],
    ),
    hostile(
        "sleeps with words",
        "echo waits >&2; exec sleep 1000",
        "nodes=10",
        &[("stall", "for 5 s; its last words on standard error: \"waits\" (")],
    ),
];

/// Misbehaviour in UCI only.
const HOSTILE_UCI: [Hostile; 9] = [
    hostile("none", "echo 'bestmove (none)'", LONG, &[("illegal", "illegal move \"(none)\"")]),
    hostile(
        "garbage",
        "printf 'bestmove \\377\\n'",
        LONG,
        &[("illegal", "illegal move \"\u{fffd}\"")],
    ),
    hostile(
        "no line end",
        "printf 'bestmove a2'",
        "tc=0.1+0",
        &[("time", "it answered \"bestmove a2\" without a line end")],
    ),
    hostile("off board", "echo 'bestmove z9'", LONG, &[("illegal", "outside the board")]),
    hostile("taken", "echo 'bestmove e5'", LONG, &[("illegal", "e5 is taken")]),
    hostile("flood", "yes 'info depth 1 score cp 1'", LONG, &FLOODS),
    hostile("long line", "head -c 2147483648 /dev/zero | tr '\\0' x", LONG, &FLOODS),
    hostile(
        "memory",
        "head -c 1G /dev/zero | tail -c 1G",
        "tc=100+0 memory=60M",
        &[("memory", "MiB")],
    ),
    hostile(
        "silent at isready",
        "",
        LONG,
        &[("stall", "isready within 10 s; its last words on standard error: \"no tables\" (")],
    ),
];

/// Misbehaviour in Gomocup only.
const HOSTILE_GOMOCUP: [Hostile; 4] = [
    hostile("garbage", "printf '\\377\\nx,y\\n7,7,7\\n'; continue", "tc=0.1+0", &[("time", "")]),
    hostile("off board", "echo 99,99", LONG, &[("illegal", "outside the board")]),
    hostile("taken", "echo 4,4", LONG, &[("illegal", "e5 is taken")]),
    hostile("flood", "yes 'MESSAGE depth 1'", LONG, &FLOODS),
];

/// Misbehaviour in GTP only.
const HOSTILE_GTP: [Hostile; 6] = [
    hostile("refuses", "echo \"?$id not today\"; echo", LONG, &[("stall", ": ? not today\"")]),
    hostile(
        "says nothing",
        "echo \"=$id\"; echo",
        LONG,
        &[("stall", "the response has no move\"")],
    ),
    hostile("resigns", "echo \"=$id resign\"; echo", LONG, &[("resign", "resigns")]),
    hostile("passes", "echo \"=$id PASS\"; echo", LONG, &[("illegal", "illegal move \"pass\"")]),
    hostile("no vertex", "echo \"=$id I3\"; echo", LONG, &[("illegal", "move \"vertex I3\"")]),
    hostile("taken", "echo \"=$id E5\"; echo", LONG, &[("illegal", "e5 is taken")]),
];

/// Returns the shell script of an engine that performs the handshake and then misbehaves.
fn script(dialect: &str, hostile: &Hostile) -> String {
    let ready = if hostile.does.is_empty() { "echo no tables >&2" } else { "echo readyok" };
    let asks = match dialect {
        "gomocup" => "BEGIN | TURN* | DONE",
        "gtp" => "*' genmove '*",
        _ => "go*",
    };
    let hello = match dialect {
        "gomocup" => "START*) echo OK ;; ABOUT) echo 'name=\"Odd\"' ;; END) exit 0 ;;".to_owned(),
        "gtp" => "*list_commands)
                for name in boardsize clear_board play genmove time_settings time_left tengen-limit tengen-variant
                do text=\"$text$name\n\"; done
                printf \"=$id $text\n\" ;;
            *quit) exit 0 ;;"
            .to_owned(),
        _ => format!(
            "{dialect}) echo 'option name UCI_Variant type combo default gomoku var gomokufreestyle'
                echo 'option name BoardWidth type spin default 15 min 5 max 22'
                echo 'option name BoardHeight type spin default 15 min 5 max 22'
                echo {dialect}ok ;;
            isready) {ready} ;; quit) exit 0 ;;"
        ),
    };
    let others = if dialect == "gtp" { "*) echo \"=$id\"; echo ;;" } else { "" };
    format!(
        "while read -r line; do id=${{line%% *}}; case $line in\n{hello}\n{asks}) {} ;;\n{others}\nesac; done\n",
        if hostile.does.is_empty() { "continue" } else { hostile.does }
    )
}

#[test]
fn engines_that_misbehave_lose_and_leave_nothing_behind() {
    let lab = Lab::new("hostile");
    // The opening has a stone on e5. Timeouts are long, for the normal engine on a busy machine.
    let openings = lab.write("openings.txt", "e5 a1\n");
    let file = format!("file={openings}");
    let normal = format!("cmd={TENGEN}");
    let mut words: Vec<String> = [
        "-variant",
        "gomokufreestyle",
        "-boardsize",
        "9",
        "-tournament",
        "gauntlet",
        "-seeds",
        "1",
        "-rounds",
        "1",
        "-games",
        "1",
        "-reverse",
        "-concurrency",
        "4",
        "-force-concurrency",
        "-stall-ms",
        "5000",
        "-ping-ms",
        "10000",
        "-out",
        "run",
        "-openings",
        &file,
        "format=moves",
        "-engine",
        &normal,
        "name=normal",
        "proto=uci",
        "nodes=20",
    ]
    .map(str::to_owned)
    .to_vec();
    let of = |dialect: &'static str, hostile: &'static [Hostile]| {
        hostile.iter().map(move |hostile| (dialect, hostile))
    };
    let hostile: Vec<(&str, &Hostile)> = of("uci", &HOSTILE)
        .chain(of("ugi", &HOSTILE))
        .chain(of("gomocup", &HOSTILE))
        .chain(of("gtp", &HOSTILE))
        .chain(of("uci", &HOSTILE_UCI))
        .chain(of("gtp", &HOSTILE_GTP))
        .chain(of("gomocup", &HOSTILE_GOMOCUP))
        .collect();
    for (number, (dialect, hostile)) in hostile.iter().enumerate() {
        let path = lab.write(&format!("{number}.sh"), &script(dialect, hostile));
        let name = format!("name={dialect} {}", hostile.name);
        let (args, proto) = (format!("args={path}"), format!("proto={dialect}"));
        words.extend(["-engine", "cmd=sh", &args, &proto, &name].map(str::to_owned));
        words.extend(hostile.time.split(' ').map(str::to_owned));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();

    let mut run = Running::start(lab.arena(&words));
    let mut peak = 0;
    while run.finished().is_some() {
        peak = peak.max(run.peak_memory().unwrap_or(0));
    }
    assert_eq!(run.end(), Some(0));
    assert!((1..64).contains(&peak), "the arena took {peak} MiB");
    lab.await_quiet();

    let games = lab.games("run");
    assert_eq!(games.len(), hostile.len());
    for (game, (dialect, hostile)) in games.iter().zip(&hostile) {
        let (kind, text) = (game["end"]["kind"].as_str(), game["end"]["text"].as_str());
        let is_so = |end: &(&str, &str)| {
            kind == Some(end.0) && text.is_some_and(|text| text.contains(end.1))
        };
        assert!(hostile.ends.iter().any(is_so), "{dialect} {}: {}", hostile.name, game["end"]);
        let hostile_side = usize::from(game["players"][0] == 0);
        let lost = if hostile_side == 0 { "0-1" } else { "1-0" };
        assert_eq!(game["score"], lost, "{dialect} {}", hostile.name);
    }
}

#[test]
fn suspend_stops_an_engine_and_its_children_while_the_other_thinks() {
    let lab = Lab::new("suspend");
    // An engine writes its process id and that of a child to a file. It moves only when the
    // processes of the other engine are stopped.
    let go = "for pid in $(cat $2); do
             until read -r stat < /proc/$pid/stat && case ${stat##*) } in T*) ;; *) false ;; esac
             do :; done
         done
         echo bestmove $mv";
    let path = lab.write("stops.sh", &columns_engine("sleep 1000 & echo $$ $! > $1", go));
    let (one, other) = (lab.path("one.pid"), lab.path("other.pid"));
    let args = |own: &std::path::Path, other: &std::path::Path| {
        format!("args={path} {} {}", own.display(), other.display())
    };
    let (first, second) = (args(&one, &other), args(&other, &one));
    let words = scripts([&first, &second], &["-rounds", "1", "-suspend", "-out", "run"]);
    let run = lab.run(&words);
    assert_eq!(run.status, Some(0), "{run:?}");
    for game in lab.games("run") {
        assert_eq!((&game["end"]["kind"], &game["score"]), (&"line".into(), &"1-0".into()));
    }
    lab.await_quiet();
}

#[test]
fn a_second_answer_is_never_the_move_of_the_next_game() {
    let lab = Lab::new("twice");
    // Each answer comes twice in one write. A second answer after the next `go` could not be
    // distinguished from the answer to it.
    let go = "printf 'bestmove %s\\nbestmove 7\\n' $mv";
    let args = format!("args={}", lab.write("twice.sh", &columns_engine("", go)));
    let run = lab.run(&scripts([&args, &args], &["-rounds", "2", "-out", "run", "-strict"]));
    // With -strict, warnings set the exit status.
    assert_eq!(run.status, Some(2), "{run:?}");
    let games = lab.games("run");
    assert_eq!(games.len(), 4);
    for game in games {
        assert_eq!(game["moves"].as_array().unwrap().len(), 7, "{game}");
        assert_eq!(game["end"]["kind"], "line");
        let warned = game["warnings"].as_array().unwrap();
        assert!(warned.iter().any(|warning| warning["what"] == "a move out of turn"), "{game}");
    }
    lab.await_quiet();
}
