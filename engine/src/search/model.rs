//! Models of what the threads of one search share: the signal, the bounds of the root, and the marks of busy positions.

use loom::sync::Arc;
use loom::thread;

use crate::game::score::Score;
use crate::search::busy::Busy;
use crate::search::control::Signal;
use crate::search::shared_root::SharedRoot;
use crate::sync::check_all;

#[test]
fn a_stop_is_seen_and_stays_and_is_not_that_of_the_next_search() {
    check_all(None, || {
        let (signal, next) = (Arc::new(Signal::default()), Signal::default());
        let stops = Arc::clone(&signal);
        let search = thread::spawn(move || {
            while !stops.is_stopped() {
                thread::yield_now();
            }
            assert!(stops.is_stopped(), "a stop stays");
        });
        signal.stop();
        search.join().unwrap();
        assert!(!next.is_stopped());
    });
}

#[test]
fn the_bounds_of_the_root_only_become_narrower() {
    let (low, high) = (Score::loss_in(4), Score::win_in(3));
    check_all(None, move || {
        let root = Arc::new(SharedRoot::default());
        let threads = [(low, Score::HIGHEST), (Score::DRAW, high)].map(|(low, high)| {
            let root = Arc::clone(&root);
            thread::spawn(move || root.narrow(low, high))
        });
        let (first, second) = (root.low(), root.low());
        assert!(first <= second, "{first:?}, then {second:?}");
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!((root.low(), root.high()), (Score::DRAW, high));
    });
}

#[test]
fn an_iteration_is_read_as_a_whole() {
    let iterations = [(1, 7, Score::DRAW), (2, 0xF_FFFE, Score::loss_in(4))];
    check_all(None, move || {
        let root = Arc::new(SharedRoot::default());
        let writes = Arc::clone(&root);
        let main = thread::spawn(move || {
            iterations.map(|(depth, code, score)| writes.set_iteration(depth, code, score));
        });
        let (first, second) = (root.iteration(), root.iteration());
        for found in [first, second] {
            assert!(found.0 == 0 || iterations.contains(&found), "{found:?}");
        }
        assert!(first.0 <= second.0, "a thread sees no earlier iteration again");
        main.join().unwrap();
        assert_eq!(root.iteration(), iterations[1]);
    });
}

#[test]
fn no_mark_stays_when_all_threads_have_left() {
    // The last two keys have one slot.
    for keys in [[7, 8], [7, 7], [7, 7 + 4]] {
        check_all(None, move || {
            let busy = Arc::new(Busy::default());
            let threads = keys.map(|key| {
                let busy = Arc::clone(&busy);
                thread::spawn(move || {
                    busy.mark(key);
                    busy.unmark(key);
                })
            });
            for thread in threads {
                thread.join().unwrap();
            }
            assert!(keys.iter().all(|key| !busy.is_marked(*key)));
        });
    }
}
