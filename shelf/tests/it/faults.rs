//! Files that are no shelf, archives without end, and several programs at a time.

use std::fs;
use std::io::Write;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

use tengen_games::CATALOG;
use tengen_shelf::{Error, Filter, Shelf};

use crate::support::{Desk, add, explored, found};

fn error(path: &Path) -> Error {
    match Shelf::open_to_read(path, &CATALOG) {
        Err(error) => error,
        Ok(_) => panic!("{} is opened", path.display()),
    }
}

#[test]
fn a_file_that_is_no_shelf_is_refused_and_not_changed() {
    let desk = Desk::new();
    assert!(matches!(error(&desk.path("missing")), Error::Missing(_)));
    let text = desk.file("text", "h8 i9 h7 and much more text than a header of SQLite has");
    assert!(matches!(error(&text), Error::NotAShelf(_)));
    assert!(Shelf::create_or_open(&text, &CATALOG).is_err());
    assert!(fs::read_to_string(&text).unwrap().starts_with("h8 i9"));
    let other = desk.path("other.db");
    let db = rusqlite::Connection::open(&other).unwrap();
    db.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    assert!(matches!(error(&other), Error::NotAShelf(_)));
    assert!(Shelf::create_or_open(&other, &CATALOG).is_err());
    let tables: i64 =
        db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn a_newer_shelf_is_refused() {
    let desk = Desk::new();
    drop(desk.with("a.txt", "h8 i9\n"));
    let path = desk.path("my.shelf");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 4).unwrap();
    let error = error(&path);
    assert!(matches!(error, Error::Newer { version: 4, .. }));
    assert!(error.to_string().ends_with("use a newer Tengen"));
}

#[test]
fn a_cut_shelf_is_named_damaged() {
    let desk = Desk::new();
    let games: String =
        (0..200).map(|game| format!("h8 i{} h7 g{}\n", 1 + game % 7, 9 + game / 34)).collect();
    drop(desk.with("a.txt", games));
    let path = desk.path("my.shelf");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let checked =
        Shelf::open_to_read(&path, &CATALOG).and_then(|mut shelf| shelf.check(&mut |_, _| true));
    match checked {
        Ok(checked) => assert!(checked.differences > 0),
        Err(error) => assert!(matches!(error, Error::Damaged { .. }), "{error}"),
    }
}

#[test]
fn an_archive_that_expands_without_end_is_listed() {
    let desk = Desk::new();
    let mut archive = zip::ZipWriter::new(fs::File::create(desk.path("bomb.zip")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("a.txt", options).unwrap();
    let blank = vec![b'\n'; 1 << 20];
    for _ in 0..20 {
        archive.write_all(&blank).unwrap();
    }
    archive.start_file("b.txt", options).unwrap();
    archive.write_all(b"h8 i9\n").unwrap();
    archive.finish().unwrap();
    let mut shelf = desk.shelf();
    let bomb = desk.path("bomb.zip");
    let (report, notes) = add(&mut shelf, &[&bomb, &desk.file("good.txt", "h8 i9 h7\n")]);
    assert_eq!((report.new, report.bad_files), (1, 1));
    assert!(
        notes.problems[0].contains("bomb.zip/a.txt: the archive expands to more than"),
        "{:?}",
        notes.problems
    );
}

#[test]
fn a_small_file_takes_no_large_memory() {
    let desk = Desk::new();
    let moves = "h8 ".repeat(1000);
    let game = format!("<game id=\"1\"><move>{moves}</move></game>");
    let good = "<game id=\"2\"><move>h8 i9</move></game>";
    let rif = format!("<?xml version=\"1.0\"?><database><games>{game}{good}</games></database>");
    let mut shelf = desk.shelf();
    let (report, notes) = add(&mut shelf, &[&desk.file("a.rif", &rif)]);
    assert_eq!((report.new, report.bad), (1, 1));
    assert!(notes.problems[0].contains("a game has more than 500 moves"), "{:?}", notes.problems);
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/reports");
    for name in ["bigmove.zip", "bignodes.zip"] {
        let path = reports.join(name);
        if path.is_file() {
            let (report, notes) = add(&mut shelf, &[path.as_path()]);
            assert_eq!((report.new, report.bad_files), (0, 1), "{name}");
            assert!(notes.problems[0].contains("expands to more than"), "{:?}", notes.problems);
        }
    }
}

#[test]
fn a_reader_sees_the_games_that_were_stored_before_it_asked() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9\n");
    let mut reader = Shelf::open_to_read(&desk.path("my.shelf"), &CATALOG).unwrap();
    assert_eq!(explored(&mut reader, "h8").total.games, 1);
    add(&mut shelf, &[&desk.file("b.txt", "h8 i9 h7\n")]);
    assert_eq!(explored(&mut reader, "h8").total.games, 2);
}

/// Hinders SQLite from making its file `-shm`, as a read-only folder does: SQLite follows no link there. Root may write anywhere.
#[cfg(unix)]
fn block_shm(path: &Path) -> PathBuf {
    let link = path.with_extension("shelf-shm");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    link
}

#[cfg(unix)]
#[test]
fn a_shelf_in_a_read_only_folder_is_read() {
    let desk = Desk::new();
    drop(desk.with("a.txt", "h8 i9\n"));
    let path = desk.path("100 % #1?.shelf");
    fs::rename(desk.path("my.shelf"), &path).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let link = block_shm(&path);
    let mut reader = Shelf::open_to_read(&path, &CATALOG).unwrap();
    assert_eq!(explored(&mut reader, "h8").total.games, 1);
    assert!(Shelf::open(&path, &CATALOG).is_err());
    // Another program may write there, and does.
    fs::remove_file(&link).unwrap();
    let mut writer = Shelf::open(&path, &CATALOG).unwrap();
    add(&mut writer, &[&desk.file("b.txt", "h8 i9 h7\n")]);
    drop(writer);
    assert!(matches!(reader.games_on("gomokufreestyle 15x15"), Err(Error::Busy(_))));
    reader.refresh().unwrap();
    assert_eq!(explored(&mut reader, "h8").total.games, 2);
}

#[cfg(unix)]
#[test]
fn a_shelf_in_a_read_only_folder_with_games_outside_of_its_file_is_refused() {
    for ending in ["-wal", "-journal"] {
        let desk = Desk::new();
        drop(desk.with("a.txt", "h8 i9\n"));
        let path = desk.path("my.shelf");
        fs::write(desk.path(&format!("my.shelf{ending}")), "games").unwrap();
        block_shm(&path);
        // SQLite looks beside the target of a link.
        let link = desk.path("link.shelf");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for path in [path, link] {
            let why = error(&path).to_string();
            assert!(why.contains("no permission to write in its folder"), "{ending}: {why}");
        }
    }
}

#[test]
fn two_writers_add_their_games() {
    let desk = Desk::new();
    drop(desk.shelf());
    let files: Vec<_> = (0..2)
        .map(|writer| {
            let games: String = (0..100)
                .map(|game| {
                    format!(
                        "h8 i9 {}{} h7\n",
                        (b'a' + game % 7) as char,
                        1 + writer * 3 + game / 34
                    )
                })
                .collect();
            desk.file(&format!("{writer}.txt"), games)
        })
        .collect();
    std::thread::scope(|scope| {
        for file in &files {
            let desk = &desk;
            scope.spawn(move || add(&mut desk.shelf(), &[file]));
        }
    });
    let mut shelf = desk.shelf();
    add(&mut shelf, &[]);
    assert!(found(&mut shelf, &Filter::default()).total > 0);
    assert_eq!(shelf.stats().unwrap().sources, 2);
    assert_eq!(shelf.check(&mut |_, _| true).unwrap().differences, 0);
}
