//! The files of an import: folders and archives are opened, in the order of names.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tengen_records::{Format, TextEncoding};
use zip::ZipArchive;

use crate::yxdb::is_database;

/// The most bytes of a file.
const MAX_FILE: u64 = 512 << 20;
/// An archive may expand to this many bytes, or to [`MAX_RATIO`] times its size.
const FREE_ROOM: u64 = 1 << 20;
/// Records are compressed to a tenth of their size.
const MAX_RATIO: u64 = 100;
/// The most files of a folder or an archive, and about the most bytes of their texts, from which their encoding is
/// guessed.
const SAMPLE_FILES: usize = 1000;
const SAMPLE: usize = 64 << 10;
/// The extensions of files that folders and archives are searched for, besides those of records.
const EXTENSIONS: [&str; 5] = ["rif", "xml", "zip", "db", "yxdb"];

/// A file with records.
pub(super) struct FileBytes {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) digest: i64,
    /// Where the whole file is, if `bytes` are only its beginning.
    pub(super) path: Option<PathBuf>,
    /// The most likely encoding of the files of its folder or archive that name none, if this is one of them.
    pub(super) encoding: Option<TextEncoding>,
}

/// A file that cannot be read, and why.
pub(super) struct Unreadable {
    pub(super) name: String,
    pub(super) why: String,
}

/// A file that was opened, or why it cannot be read.
pub(super) type Opened = Result<FileBytes, Unreadable>;

/// Calls `take` with each file of `paths`, until it returns `false`. Returns whether it never did.
pub(super) fn each_file(paths: &[PathBuf], take: &mut dyn FnMut(Opened) -> bool) -> bool {
    let mut guess = Guess::default();
    paths.iter().all(|path| visit(path, paths, true, &mut guess, take))
}

/// The encoding of the files of a folder or an archive that name none. It is guessed over their texts together.
#[derive(Default)]
struct Guess(Option<TextEncoding>);

impl Guess {
    /// Returns the encoding of a file; `None` if the file tells it. `files` are the files to guess from.
    fn of(&mut self, bytes: &[u8], files: impl Iterator<Item = Vec<u8>>) -> Option<TextEncoding> {
        if !has_unknown_encoding(bytes) {
            return None;
        }
        let encoding = *self.0.get_or_insert_with(|| {
            let mut sample = Vec::new();
            for bytes in files.take(SAMPLE_FILES).filter(|bytes| has_unknown_encoding(bytes)) {
                let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_ascii());
                lines.for_each(|line| sample.extend([line, b"\n"].concat()));
                if sample.len() > SAMPLE {
                    break;
                }
            }
            TextEncoding::guessed(&sample)
        });
        encoding.fits(bytes).then_some(encoding)
    }
}

/// Returns whether a file is a text that tells its encoding neither by a name nor by a mark nor as UTF-8. A
/// library is none: it has bytes 255.
fn has_unknown_encoding(bytes: &[u8]) -> bool {
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    !bytes.is_ascii() && std::str::from_utf8(bytes).is_err() && !has(b"\xff") && !has(b"CA[")
}

/// Visits a file or a folder, one of `all`. `guess` is about all of them.
fn visit(
    path: &Path,
    all: &[PathBuf],
    is_named: bool,
    guess: &mut Guess,
    take: &mut dyn FnMut(Opened) -> bool,
) -> bool {
    let name = path.display().to_string();
    let metadata = if is_named { fs::metadata(path) } else { fs::symlink_metadata(path) };
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(why) => return take(Err(Unreadable { name, why: why.to_string() })),
    };
    if metadata.is_dir() {
        return match entries(path) {
            Ok(entries) => {
                let mut guess = Guess::default();
                entries.iter().all(|entry| visit(entry, &entries, false, &mut guess, take))
            }
            Err(why) => take(Err(Unreadable { name, why: why.to_string() })),
        };
    }
    // A folder may hold links, and files that are no records.
    let is_file = metadata.is_file() || (metadata.is_symlink() && path.is_file());
    if !is_named && (!is_file || !is_of_records(&name)) {
        return true;
    }
    match read(path) {
        Ok(bytes) if is_archive(&bytes) => {
            drop(bytes);
            visit_archive(path, &name, take)
        }
        Ok(bytes) if is_database(&bytes) => {
            let digest = digest_of(path).map_err(|why| Unreadable { name: name.clone(), why });
            take(digest.map(|digest| FileBytes {
                name,
                bytes,
                digest,
                path: Some(path.to_owned()),
                encoding: None,
            }))
        }
        Ok(bytes) => {
            let is_file =
                |path: &&PathBuf| path.is_file() && is_of_records(&path.to_string_lossy());
            let encoding =
                guess.of(&bytes, all.iter().filter(is_file).filter_map(|path| read(path).ok()));
            take(Ok(FileBytes { encoding, ..file(name, bytes) }))
        }
        Err(why) => take(Err(Unreadable { name, why })),
    }
}

/// Returns what is in a folder, in the order of names.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

fn is_of_records(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        Format::is_extension(extension)
            || EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
    })
}

fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn file(name: String, bytes: Vec<u8>) -> FileBytes {
    let digest = first_bytes(&Sha256::digest(&bytes));
    FileBytes { name, digest, bytes, path: None, encoding: None }
}

/// Returns the first 8 bytes of a digest as a number.
fn first_bytes(digest: &[u8]) -> i64 {
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// Returns the digest of a file that is too large for memory.
fn digest_of(path: &Path) -> Result<i64, String> {
    let mut file = File::open(path).map_err(|why| why.to_string())?;
    let (mut sha256, mut bytes) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let count = file.read(&mut bytes).map_err(|why| why.to_string())?;
        if count == 0 {
            return Ok(first_bytes(&sha256.finalize()));
        }
        sha256.update(&bytes[..count]);
    }
}

/// Reads a file. Of an archive and of a database only the beginning is returned.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|why| why.to_string())?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::new();
    let mut reader = BufReader::new(file);
    reader.by_ref().take(16).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if is_archive(&bytes) || is_database(&bytes) {
        return Ok(bytes);
    }
    if size <= MAX_FILE {
        reader.take(MAX_FILE).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    }
    if size.max(bytes.len() as u64) > MAX_FILE {
        return Err(format!("more than {} MiB: split the file", MAX_FILE >> 20));
    }
    Ok(bytes)
}

fn visit_archive(path: &Path, name: &str, take: &mut dyn FnMut(Opened) -> bool) -> bool {
    let opened = File::open(path).map_err(|why| why.to_string()).and_then(|file| {
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|why| why.to_string())?;
        Ok((archive, size))
    });
    let (mut archive, size) = match opened {
        Ok(opened) => opened,
        Err(why) => return take(Err(Unreadable { name: name.to_owned(), why })),
    };
    // The room that is left for expanded files.
    let mut room = FREE_ROOM.max(size.saturating_mul(MAX_RATIO));
    let mut members: Vec<(String, usize)> = Vec::new();
    for index in 0..archive.len() {
        let member = archive.name_for_index(index).and_then(Result::ok);
        let is_file = member.filter(|member| !member.ends_with('/') && is_of_records(member));
        members.extend(is_file.map(|member| (member.into_owned(), index)));
    }
    members.sort();
    let mut guess = Guess::default();
    for (member, index) in &members {
        let full = format!("{name}/{member}");
        let found = match read_member(&mut archive, *index, room.min(MAX_FILE)) {
            Ok(bytes) if is_archive(&bytes) => {
                let why = "an archive in an archive: unpack it first".to_owned();
                Err(Unreadable { name: full, why })
            }
            Ok(bytes) => {
                room -= bytes.len() as u64;
                let others = members.iter();
                let texts = others
                    .filter_map(|(_, index)| read_member(&mut archive, *index, FREE_ROOM).ok());
                let encoding = guess.of(&bytes, texts);
                Ok(FileBytes { encoding, ..file(full, bytes) })
            }
            Err(why) => {
                let is_too_large = why.is_none();
                let limit = format!(
                    "the archive expands to more than {MAX_RATIO} times its size: the rest is not read"
                );
                let why = why.unwrap_or(limit);
                let goes_on = take(Err(Unreadable { name: full, why }));
                if !goes_on || is_too_large {
                    return goes_on;
                }
                continue;
            }
        };
        if !take(found) {
            return false;
        }
    }
    true
}

/// Reads a file of an archive with at most `most` bytes. The error is `None` if it has more.
fn read_member(
    archive: &mut ZipArchive<BufReader<File>>,
    index: usize,
    most: u64,
) -> Result<Vec<u8>, Option<String>> {
    let member = archive.by_index(index).map_err(|why| Some(why.to_string()))?;
    if member.size() > most {
        return Err(None);
    }
    // The size that the archive names may be wrong, but is not above `most` here.
    let mut bytes = Vec::with_capacity(member.size() as usize);
    member.take(most + 1).read_to_end(&mut bytes).map_err(|why| Some(why.to_string()))?;
    if bytes.len() as u64 > most { Err(None) } else { Ok(bytes) }
}
