//! Engines that hang, flood, crash, cheat and do not leave. Each loses its game, the other games go
//! on, and nothing stays behind.

use super::runs::{Lab, Running, TENGEN, columns_engine, scripts};

/// What an engine does when it is asked for its first move.
struct Odd {
    name: &'static str,
    does: &'static str,
    /// Its time control.
    time: &'static str,
    /// How its game may end: by one of these kinds, with one of these texts.
    ends: &'static [(&'static str, &'static str)],
}

const fn odd(
    name: &'static str,
    does: &'static str,
    time: &'static str,
    ends: &'static [(&'static str, &'static str)],
) -> Odd {
    Odd { name, does, time, ends }
}

/// A clock that no sound engine can overstep here.
const LONG: &str = "tc=100+0";

/// On a busy machine the clock may end a flood before its size does.
const FLOODS: [(&str, &str); 2] = [("flood", "64 MiB"), ("time", "out of time")];

/// What engines of all dialects do.
const ODD: [Odd; 8] = [
    odd("status 0", "exit 0", LONG, &[("crash", "the process ended with status 0")]),
    odd("status 1", "exit 1", LONG, &[("crash", "the process ended with status 1")]),
    odd("SIGSEGV", "kill -SEGV $$", LONG, &[("crash", "the process was killed by SIGSEGV")]),
    odd("child", "sleep 1000 & exit 3", LONG, &[("crash", "the process ended with status 3")]),
    odd("nodes", "exit 4", "nodes=10", &[("crash", "the process ended with status 4")]),
    odd("hangs", "continue", "tc=0.1+0", &[("time", "out of time: no move after 100 ms")]),
    odd("deaf", "trap '' TERM; exec sleep 1000", "tc=0.1+0", &[("time", "out of time: no move")]),
    odd("sleeps", "exec sleep 1000", "nodes=10", &[("stall", "neither output nor CPU time")]),
];

/// What only the engines of one dialect do.
const ODD_UCI: [Odd; 8] = [
    odd("none", "echo 'bestmove (none)'", LONG, &[("illegal", "illegal move \"(none)\"")]),
    odd("garbage", "printf 'bestmove \\377\\n'", LONG, &[("illegal", "illegal move \"\u{fffd}\"")]),
    odd("off board", "echo 'bestmove z9'", LONG, &[("illegal", "outside the board")]),
    odd("taken", "echo 'bestmove e5'", LONG, &[("illegal", "e5 is taken")]),
    odd("flood", "yes 'info depth 1 score cp 1'", LONG, &FLOODS),
    odd("long line", "head -c 2147483648 /dev/zero | tr '\\0' x", LONG, &FLOODS),
    odd("memory", "head -c 1G /dev/zero | tail -c 1G", "tc=100+0 memory=60M", &[("memory", "MiB")]),
    odd("silent at isready", "", LONG, &[("stall", "no answer to isready")]),
];

const ODD_GOMOCUP: [Odd; 4] = [
    odd("garbage", "printf '\\377\\nx,y\\n7,7,7\\n'; continue", "tc=0.1+0", &[("time", "")]),
    odd("off board", "echo 99,99", LONG, &[("illegal", "outside the board")]),
    odd("taken", "echo 4,4", LONG, &[("illegal", "e5 is taken")]),
    odd("flood", "yes 'MESSAGE depth 1'", LONG, &FLOODS),
];

/// An engine as a shell script: it shakes hands, and then does something odd.
fn script(dialect: &str, odd: &Odd) -> String {
    let ready = if odd.does.is_empty() { "" } else { "echo readyok" };
    let asks = match dialect {
        "gomocup" => "BEGIN | TURN* | DONE",
        _ => "go*",
    };
    let hello = match dialect {
        "gomocup" => "START*) echo OK ;; ABOUT) echo 'name=\"Odd\"' ;; END) exit 0 ;;".to_owned(),
        _ => format!(
            "{dialect}) echo 'option name UCI_Variant type combo default gomoku var gomokufreestyle'
                echo 'option name BoardWidth type spin default 15 min 5 max 22'
                echo 'option name BoardHeight type spin default 15 min 5 max 22'
                echo {dialect}ok ;;
            isready) {ready} ;; quit) exit 0 ;;"
        ),
    };
    format!(
        "while read -r line; do case $line in\n{hello}\n{asks}) {} ;;\nesac; done\n",
        if odd.does.is_empty() { "continue" } else { odd.does }
    )
}

#[test]
fn engines_that_misbehave_lose_and_leave_nothing_behind() {
    let lab = Lab::new("hostile");
    // The opening has a stone on e5. Patience is long for the sound engine on a busy machine.
    let openings = lab.write("openings.txt", "e5 a1\n");
    let file = format!("file={openings}");
    let sound = format!("cmd={TENGEN}");
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
        &sound,
        "name=sound",
        "proto=uci",
        "nodes=20",
    ]
    .map(str::to_owned)
    .to_vec();
    let of = |dialect: &'static str, odd: &'static [Odd]| odd.iter().map(move |odd| (dialect, odd));
    let odd: Vec<(&str, &Odd)> = of("uci", &ODD)
        .chain(of("ugi", &ODD))
        .chain(of("gomocup", &ODD))
        .chain(of("uci", &ODD_UCI))
        .chain(of("gomocup", &ODD_GOMOCUP))
        .collect();
    for (number, (dialect, odd)) in odd.iter().enumerate() {
        let path = lab.write(&format!("{number}.sh"), &script(dialect, odd));
        let name = format!("name={dialect} {}", odd.name);
        let (args, proto) = (format!("args={path}"), format!("proto={dialect}"));
        words.extend(["-engine", "cmd=sh", &args, &proto, &name].map(str::to_owned));
        words.extend(odd.time.split(' ').map(str::to_owned));
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
    assert_eq!(games.len(), odd.len());
    for (game, (dialect, odd)) in games.iter().zip(&odd) {
        let (kind, text) = (game["end"]["kind"].as_str(), game["end"]["text"].as_str());
        let is_so = |end: &(&str, &str)| {
            kind == Some(end.0) && text.is_some_and(|text| text.contains(end.1))
        };
        assert!(odd.ends.iter().any(is_so), "{dialect} {}: {}", odd.name, game["end"]);
        let odd_side = usize::from(game["players"][0] == 0);
        let lost = if odd_side == 0 { "0-1" } else { "1-0" };
        assert_eq!(game["score"], lost, "{dialect} {}", odd.name);
    }
}

#[test]
fn engines_are_stopped_with_all_that_they_started_while_the_other_thinks() {
    let lab = Lab::new("suspend");
    // An engine writes down its process and a child. It moves only when those of the other one are
    // stopped.
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
    // Each answer comes twice, in one write: a second one that came after the next `go` could not be
    // told from its answer.
    let go = "printf 'bestmove %s\\nbestmove 7\\n' $mv";
    let args = format!("args={}", lab.write("twice.sh", &columns_engine("", go)));
    let run = lab.run(&scripts([&args, &args], &["-rounds", "2", "-out", "run", "-strict"]));
    // Warnings count under -strict.
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
