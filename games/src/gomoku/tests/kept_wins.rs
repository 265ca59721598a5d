//! A win that was announced is kept: with a search of one node, after every reply, in several lines.

use tengen_engine::{Chosen, Client, Limits, Outcome, Query, Settings, Style};

use crate::CATALOG;

/// Black wins by c7, within 31 plies.
const WON: &str = "c8 c9 b8 g13 g15 c11 d7 e6 e7 d8";
const PLIES: u32 = 31;

/// What a search says: its move, the reply that it expects, the plies of a win, and its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    best: String,
    reply: Option<String>,
    wins_in: Option<u32>,
    nodes: u64,
}

/// Opens renju, with `lines` lines.
fn open(lines: usize) -> Client {
    open_game("renju", lines)
}

fn open_game(variant: &str, lines: usize) -> Client {
    let settings = Settings::default().with_hash_mib(16).with_multi_pv(lines);
    Client::open(&CATALOG, variant, &Chosen::new(), &settings).unwrap()
}

/// Searches the position after `moves` with `nodes` nodes, up to the first win.
fn search(client: &mut Client, moves: &str, nodes: u64) -> Said {
    ask(client, moves, Limits::default().with_nodes(nodes).into())
}

/// Searches the position after `moves` with `nodes` nodes, as a client that plays a game.
fn search_in_game(client: &mut Client, moves: &str, nodes: u64) -> Said {
    ask(client, moves, Query::from(Limits::default().with_nodes(nodes)).in_game())
}

fn ask(client: &mut Client, moves: &str, query: Query) -> Said {
    client.set(None, &moves.split(' ').collect::<Vec<_>>()).unwrap();
    let answer = client.search(query).unwrap();
    assert_eq!(answer.best, answer.report.pv.first().copied(), "the score is that of the move");
    let score = answer.report.score;
    let line = client.position().write_line(&answer.report.pv, Style::Plain);
    Said {
        best: line[0].clone(),
        reply: line.get(1).cloned(),
        wins_in: score.plies().filter(|_| score.is_win()),
        nodes: answer.report.nodes,
    }
}

/// Searches the won position, and checks the announced win.
fn announce(client: &mut Client) {
    let said = search(client, WON, 100_000);
    assert_eq!((&*said.best, said.wins_in), ("c7", Some(PLIES)));
}

/// Plays the win on with searches of `nodes` nodes, from a position in which at most `left` plies
/// are left. `reply` chooses the replies, from what the search expects and the legal moves.
fn play_on(
    client: &mut Client,
    mut moves: String,
    mut left: u32,
    nodes: u64,
    mut reply: impl FnMut(Option<String>, &[String]) -> String,
) {
    let winner = tengen_engine::Side::First;
    loop {
        let said = search(client, &moves, nodes);
        let plies = said.wins_in.unwrap_or_else(|| panic!("dropped after {moves}: {said:?}"));
        assert!(plies <= left, "{plies} plies where {left} are left: {moves}");
        moves = format!("{moves} {}", said.best);
        client.position_mut().play_text(&said.best).unwrap();
        if let Some(outcome) = client.position().outcome() {
            return assert_eq!(outcome, Outcome::Win(winner));
        }
        let legal = client.position().legal();
        let text = |mv| client.position().write_move(mv, Style::Plain);
        let legal: Vec<String> = legal.into_iter().map(text).collect();
        moves = format!("{moves} {}", reply(said.reply, &legal));
        left = plies - 2;
    }
}

#[test]
fn an_announced_win_is_played_to_its_end_with_one_node_a_move() {
    let mut client = open(1);
    announce(&mut client);
    // The match in which the win was lost again.
    play_on(&mut client, format!("{WON} c7 b7"), PLIES - 2, 1, |reply, _| reply.unwrap());
}

#[test]
fn an_announced_win_is_kept_after_every_reply() {
    let mut client = open(1);
    announce(&mut client);
    client.set(None, &format!("{WON} c7").split(' ').collect::<Vec<_>>()).unwrap();
    let replies = client.position().legal();
    let replies: Vec<String> =
        replies.into_iter().map(|mv| client.position().write_move(mv, Style::Plain)).collect();
    assert!(replies.len() > 200);
    let mut rng = fastrand::Rng::with_seed(5);
    for reply in replies {
        let moves = format!("{WON} c7 {reply}");
        play_on(&mut client, moves, PLIES - 2, 1, |_, legal| {
            legal[rng.usize(..legal.len())].clone()
        });
    }
}

#[test]
fn an_announced_win_is_kept_in_several_lines() {
    let mut client = open(1);
    announce(&mut client);
    client.configure(&Settings::default().with_hash_mib(16).with_multi_pv(3)).unwrap();
    play_on(&mut client, format!("{WON} c7 b7"), PLIES - 2, 2_000, |reply, _| reply.unwrap());
}

#[test]
fn what_is_kept_is_cleared_with_the_table() {
    let moves = format!("{WON} c7 b7");
    let mut client = open(1);
    let fresh = search(&mut client, &moves, 1_000);
    assert_eq!(fresh.wins_in, None);
    client.clear_hash();
    announce(&mut client);
    assert_eq!(search(&mut client, &moves, 1_000).wins_in, Some(PLIES - 2));
    client.clear_hash();
    assert_eq!(search(&mut client, &moves, 1_000), fresh);
}

/// A published puzzle. Its shortest known win takes seven plies, and the first win that is found more.
const PUZZLE: &str = "15/15/10p4/3P3P7/4Pp2p6/4p6P3/5p1pP2p3/7PPPp4/4p1P1p2p3/2P2p4P4/2P6P5/2pp6P4/4pP3p1P3/6P1P1p1p2/15 w";

#[test]
fn a_search_with_nodes_left_shortens_its_win() {
    let wins_in = |query: Query| {
        let mut client = open(1);
        client.set(Some(PUZZLE), &[]).unwrap();
        let first = client.search(query).unwrap().report.score.plies();
        let kept = client.search(Limits::default().with_nodes(1)).unwrap().report.score.plies();
        assert_eq!(first, kept, "the shorter win is kept in its place");
        first.unwrap()
    };
    let limits = Limits::default().with_nodes(100_000);
    assert!(wins_in(limits.clone().into()) > 7);
    assert_eq!(wins_in(Query::from(limits).in_game()), 7);
}

/// Positions of matches in which a win is announced, and the next two moves. After them 20,000 nodes do
/// not find a win of this length again.
const LOST_AGAIN: [(&str, &str, &str); 3] = [
    (
        "gomoku",
        "f9 i6 h6 g9 j6 h10 i5 g7 f8 i9 h8 g8 g10 f7 i7 e6 h9 g5 g6 d7 h7 h5 k5 l4 f5 i8 k7 h4 e7 k6",
        "j7 l7",
    ),
    (
        "renju",
        "i6 f9 f10 g8 g10 i10 h9 i8 h8 g9 i11 g7 g6 e9 h11 h10 h6 j6 e10 d10 c11 j7 f11 d9 c9 e11 g12 g11 h13 i14 c10 c8 e12 d13",
        "d11 f13",
    ),
    (
        "caro",
        "i6 h8 g10 f7 f8 g8 h9 i8 j9 h5 i10 g6 e8 g5 k8 h11 j10 g9 g7 f10 j6 i4 j3 i7 e11 j8",
        "h6 e9",
    ),
];

#[test]
fn a_client_that_did_not_search_the_game_so_far_looks_back() {
    const NODES: u64 = 20_000;
    for (variant, moves, next) in LOST_AGAIN {
        let announced = search_in_game(&mut open_game(variant, 1), moves, NODES).wins_in;
        let moves = format!("{moves} {next}");
        let promised = announced.unwrap() - 2;
        let is_kept = |said: Said| said.wins_in.is_some_and(|plies| plies <= promised);
        assert!(!is_kept(search(&mut open_game(variant, 1), &moves, NODES)), "{variant}");
        assert!(is_kept(search_in_game(&mut open_game(variant, 1), &moves, NODES)), "{variant}");
    }
}

/// In gomoku Black, who moves, loses: White has threes that Black can only delay.
const LOST: &str = "15/15/15/2p12/15/pPPP11/1PP12/2p12/1pp3Pp7/15/2P2P9/3p11/15/15/15 b";

#[test]
fn a_proven_loss_stays_when_the_nodes_run_out() {
    let settings = Settings::default().with_hash_mib(1);
    let mut client = Client::open(&CATALOG, "gomoku", &Chosen::new(), &settings).unwrap();
    client.set(Some(LOST), &[]).unwrap();
    let mut found = None;
    for nodes in (14_000..26_000).step_by(500) {
        client.clear_hash();
        let score = client.search(Limits::default().with_nodes(nodes)).unwrap().report.score;
        assert!(
            found.is_none() || score.is_loss(),
            "{score:?} with {nodes} nodes, after {found:?}"
        );
        found = found.or(score.is_loss().then_some(nodes));
    }
    assert!(found.is_some());
}
