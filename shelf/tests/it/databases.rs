//! Databases of positions of Yixin and Rapfi: read into a shelf and written from it.

use tengen_shelf::Value;

use crate::support::{Desk, add, explored};

/// Returns the bytes with their number in front.
fn part(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u16).to_le_bytes(), bytes].concat()
}

/// A file with two positions of freestyle, written by hand: Black in the centre, with the text A1 on the
/// point beside it; and both stones, a win for Black in 11 plies.
fn file() -> Vec<u8> {
    let value =
        |value: i16, depth: i16| [value.to_le_bytes(), (depth * 4 + 3).to_le_bytes()].concat();
    let first = [b"!", &*value(-35, 12), b"@BTXT@67A1\n\x08good\x08for Black"].concat();
    let second = [b"\0", &*value(29_989, 20)].concat();
    let about = b"\0\0\0\0\0charset=\"UTF-8\"";
    let records: [(&[u8], &[u8]); 3] =
        [(&[0, 0, 0], about), (&[0, 15, 15, 7, 7], &first), (&[0, 15, 15, 7, 7, 6, 7], &second)];
    let records = records.map(|(key, record)| [part(key), part(record)].concat());
    [3_u32.to_le_bytes().to_vec(), records.concat()].concat()
}

#[test]
fn a_database_is_read_and_what_is_written_is_read_again() {
    let desk = Desk::new();
    let (mut shelf, report, notes) = desk.with("a.db", file());
    assert_eq!((report.positions, report.bad, report.bad_files), (2, 0, 0), "{:?}", notes.problems);
    let known = explored(&mut shelf, "h8");
    assert_eq!(known.stored.value, Some(Value::Cp(-35)));
    assert_eq!((known.stored.depth, known.stored.label.as_deref()), (Some(12), Some("!")));
    assert_eq!(known.stored.comments, ["good\nfor Black"]);
    // The move beside the stone loses, on each of its images.
    let beside = &known.moves[0];
    assert_eq!((known.moves.len(), beside.value), (1, Some(Value::Mate(-11))));
    assert_eq!(beside.label.as_deref(), Some("A1"));
    let (database, left_out) = shelf.database(None).unwrap();
    assert_eq!((database.positions(), left_out), (2, 0));
    let mut bytes = Vec::new();
    database.write(&mut bytes).unwrap();
    let mut other = desk.shelf_named("other.shelf");
    let (report, _) = add(&mut other, &[&desk.file("b.yxdb", bytes)]);
    assert_eq!((report.positions, report.bad), (2, 0));
    let again = explored(&mut other, "h8");
    assert_eq!(again.stored, known.stored);
    // The loss is written as the label `l`, for the player of the move. A label replaces the text.
    assert_eq!((again.moves[0].value, again.moves[0].label.as_deref()), (beside.value, Some("l")));
}

#[test]
fn a_shallower_database_changes_no_value_and_a_cut_one_is_kept_up_to_its_end() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.db", file());
    let mut shallow = file();
    let at = shallow.windows(2).position(|two| two == (-35_i16).to_le_bytes()).unwrap();
    (shallow[at], shallow[at + 2]) = (0, 11 * 4 + 3);
    shallow.truncate(shallow.len() - 1);
    let (report, notes) = add(&mut shelf, &[&desk.file("b.db", shallow)]);
    assert_eq!((report.positions, report.bad_files), (1, 1));
    assert!(
        notes.problems[0].contains("b.db: the database ends in record 3 of 3"),
        "{:?}",
        notes.problems
    );
    assert_eq!(explored(&mut shelf, "h8").stored.value, Some(Value::Cp(-35)));
}

#[test]
fn a_position_on_a_board_that_no_game_has_is_told_and_the_others_stay() {
    let desk = Desk::new();
    let mut large = file();
    let at = large.windows(3).position(|key| key == [0, 15, 15]).unwrap();
    large[at + 2] = 29;
    let (mut shelf, report, notes) = desk.with("a.db", large);
    assert_eq!((report.positions, report.bad, report.bad_files), (1, 1, 0));
    assert!(notes.problems[0].contains("BoardHeight 29: it must be"), "{:?}", notes.problems);
    assert_eq!(explored(&mut shelf, "h8 g8").stored.value, Some(Value::Mate(11)));
}
