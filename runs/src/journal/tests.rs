use std::fs;

use proptest::prelude::*;

use super::*;

/// A record of an invented run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record {
    Game { id: u64, text: String },
    Void { id: u64 },
    End { why: String },
}

impl Journaled for Record {
    const UNIT: &'static str = "game";
    const HOLDER: &'static str = "another run works";

    fn result_of(&self) -> Option<u64> {
        match self {
            Self::Game { id, .. } => Some(*id),
            _ => None,
        }
    }
}

/// A temporary folder.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tengen-journal-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn a_game(id: u64) -> Record {
    Record::Game { id, text: "said \"ü\"\n".into() }
}

fn sample_records() -> Vec<Record> {
    let end = Record::End { why: "Ctrl-C".into() };
    vec![a_game(0), Record::Void { id: 1 }, a_game(1), end]
}

fn text(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(|record| line(record).into_bytes()).collect()
}

/// Returns the records of a journal and their length.
fn read_bytes(path: &str, bytes: &[u8]) -> Result<(Vec<Record>, u64), Error> {
    let mut records = Vec::new();
    let mut place = ReadState::default();
    let each = |entry: Entry<Record>, _| records.extend(entry.record());
    read(Path::new(path), bytes, &mut place, each)?;
    Ok((records, place.bytes))
}

#[test]
fn a_line_is_json_that_ends_with_its_checksum() {
    let line = line(&a_game(5));
    let json: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&json["kind"], &json["id"]), (&"game".into(), &5.into()));
    assert!(line.ends_with("\"}\n") && json["crc"].as_str().unwrap().len() == 8);
}

#[test]
fn records_are_read_back_and_a_folder_is_locked() {
    let folder = TempFolder::new("lock");
    let (mut journal, records) = Journal::<Record>::open(&folder.0).unwrap();
    assert!(records.is_empty());
    journal.append(&sample_records()[..2]).unwrap();
    journal.append(&sample_records()[2..]).unwrap();
    assert!(matches!(Journal::<Record>::open(&folder.0), Err(Error::Locked { .. })));
    assert!(journal.append(&[a_game(0)]).unwrap_err().to_string().contains("game 0 has a record"));
    let note = RunNote::Stop { why: "interrupted".to_owned() };
    journal.note(&note).unwrap();
    drop(journal);
    let (_, records) = Journal::<Record>::open(&folder.0).unwrap();
    assert_eq!(records, sample_records());
    let mut notes = Vec::new();
    drop(Journal::<Record>::open_with(&folder.0, |entry| notes.push(entry)).unwrap());
    assert_eq!(notes.last(), Some(&Entry::Note(note)));
    assert_eq!(read_folder::<Record>(&folder.0).unwrap(), sample_records());
}

#[test]
fn a_tail_reads_what_is_new_and_no_unfinished_line() {
    let folder = TempFolder::new("tail");
    let path = folder.0.join(FILE);
    let all = text(&sample_records());
    let mut tail = Tail::<Record>::new(&folder.0);
    assert!(matches!(tail.read_new(|_, _| {}), Err(Error::Io { .. })));
    let (mut records, mut places) = (Vec::new(), Vec::new());
    for end in 0..=all.len() {
        fs::write(&path, &all[..end]).unwrap();
        let each = |record, bytes| {
            records.push(record);
            places.push(bytes);
        };
        tail.read_new(each).unwrap();
    }
    assert_eq!(records, sample_records());
    let again: Vec<Record> = places.iter().map(|at| tail.record_at(at).unwrap()).collect();
    assert_eq!(again, records);
    assert!(tail.record_at(&(1..9)).unwrap_err().to_string().contains("byte 1"));
    fs::write(&path, &all[..9]).unwrap();
    assert!(matches!(tail.read_new(|_, _| {}), Err(Error::Replaced(_))));
}

#[test]
fn both_games_of_a_pair_are_written_at_once() {
    /// Stores each write separately.
    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let pair = [a_game(6), a_game(7)];
    let mut writes = Writes::default();
    write_lines(&mut writes, &pair).unwrap();
    assert_eq!(writes.0, [text(&pair)]);
}

#[test]
fn a_journal_is_rewritten_as_a_whole_and_goes_on() {
    let folder = TempFolder::new("rewrite");
    let (mut journal, _) = Journal::<Record>::open(&folder.0).unwrap();
    journal.append(&sample_records()).unwrap();
    journal.rewrite(&sample_records()[1..]).unwrap();
    journal.append(&sample_records()[..1]).unwrap();
    let expected = [&sample_records()[1..], &sample_records()[..1]].concat();
    assert_eq!(journal.records().unwrap(), expected);
    assert!(matches!(Journal::<Record>::open(&folder.0), Err(Error::Locked { .. })));
}

#[test]
fn a_second_record_of_a_game_is_damage() {
    let bytes = text(&[a_game(0), a_game(0), a_game(1)]);
    let error = read_bytes("run/journal.jsonl", &bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "run/journal.jsonl:2: the journal is damaged: game 0 has a second record; without this line the run goes on, and does the task of the line again"
    );
}

#[test]
fn an_unfinished_line_is_cut_wherever_the_writer_was_killed() {
    let folder = TempFolder::new("cut");
    let whole = text(&sample_records());
    let last = line(&sample_records()[3]).len();
    for length in whole.len() - last..whole.len() {
        fs::write(folder.0.join(FILE), &whole[..length]).unwrap();
        let (mut journal, records) = Journal::<Record>::open(&folder.0).unwrap();
        assert_eq!(records, sample_records()[..3], "{length}");
        journal.append(&sample_records()[3..]).unwrap();
        drop(journal);
        assert_eq!(fs::read(folder.0.join(FILE)).unwrap(), whole, "{length}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_failed_write_is_an_error() {
    let folder = TempFolder::new("full");
    std::os::unix::fs::symlink("/dev/full", folder.0.join(FILE)).unwrap();
    // Reading this device never ends, so `Journal::open` cannot be used.
    let file = OpenOptions::new().write(true).open(folder.0.join(FILE)).unwrap();
    let lock = lock_folder(&folder.0.join(LOCK), Record::HOLDER).unwrap();
    let path = folder.0.join(FILE);
    let (results, records) = (Ids::default(), PhantomData);
    let patience = Duration::ZERO;
    let purged = Vec::new();
    let mut journal = Journal { path, file, results, purged, patience, _lock: lock, records };
    let error = journal.append(&[a_game(0)]).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

proptest! {
    #[test]
    fn a_changed_byte_is_found(at in any::<prop::sample::Index>(), by in 1_u8..) {
        let mut bytes = text(&sample_records());
        let at = at.index(bytes.len());
        let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        // Without the line end between them, the last two lines are one bad last line.
        let joins_last_lines = bytes[at] == b'\n' && line == 2;
        let kept = if joins_last_lines { 2 } else { 3 };
        bytes[at] ^= by;
        match read_bytes("j", &bytes) {
            Ok((records, length)) => {
                // Only the last line may be cut.
                prop_assert!(line == 3 || joins_last_lines, "line {line} of {records:?}");
                prop_assert_eq!(&records, &sample_records()[..kept]);
                prop_assert!(length <= at as u64);
            }
            Err(Error::Damaged { line: found, .. }) => {
                // A lost or an additional line end damages this line or the next.
                prop_assert!(found == line + 1 || found == line + 2, "{found} {line}");
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
}
