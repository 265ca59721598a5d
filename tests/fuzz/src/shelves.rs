//! The fuzz targets of a shelf: the files that it imports, and the file that it is.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::TempDir;
use tengen_games::CATALOG;
use tengen_shelf::{Filter, ImportOptions, Shelf, Silent, find, import};

use super::kept::Target;

/// The targets of a shelf.
pub(crate) const TARGETS: &[Target] =
    &[Target { name: "import", run: imported }, Target { name: "shelf_file", run: opened }];

/// The file of a shelf without a game. To copy it takes less time than to make it.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("my.shelf");
    drop(Shelf::create_or_open(&path, &CATALOG).expect("a new shelf"));
    fs::read(path).expect("a file")
});

/// Imports a file of any kind into a new shelf: of records, of RenjuNet, a database of Yixin, or an archive. A second import finds
/// the same games.
fn imported(input: &[u8]) {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("games");
    fs::write(&file, input).expect("a file");
    let path = folder.path().join("my.shelf");
    fs::write(&path, &*EMPTY).expect("a file");
    let mut shelf = Shelf::open(&path, &CATALOG).expect("an empty shelf");
    let game = |record: &tengen_records::Record| record.spec(&CATALOG);
    let options = ImportOptions { threads: 1, ..ImportOptions::new(&game) };
    let mut add = |paths: &[PathBuf]| {
        import(&mut shelf, paths, &options, &mut Silent).expect("a shelf that is written")
    };
    let first = add(std::slice::from_ref(&file));
    if first.new + first.trees + first.positions > 0 {
        let second = add(&[file]);
        assert_eq!(second.new, 0, "{first:?}");
        // A file that cannot be read to its end is read again.
        assert!(second.positions == 0 || second.bad_files == 1, "{first:?}");
    }
    read(&mut shelf);
}

/// Opens the input as a shelf.
fn opened(input: &[u8]) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("my.shelf");
    fs::write(&path, input).expect("a file");
    if let Ok(mut shelf) = Shelf::open(&path, &CATALOG) {
        read(&mut shelf);
    }
}

/// Reads what a shelf has. Errors are no finding.
fn read(shelf: &mut Shelf) {
    drop((shelf.stats(), shelf.problems(), shelf.aliases(), shelf.check(&mut |_, _| true)));
    let Ok(found) = find(shelf, &Filter::default(), None, None, None, &|| false) else { return };
    for id in found.ids {
        drop((shelf.game(id), shelf.record(id).map(drop), shelf.json_line(id)));
    }
}
