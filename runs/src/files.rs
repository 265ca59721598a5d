//! Files of users, each written as a whole: a failure leaves the old file as it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// The most links that are followed to a file that does not exist yet.
const MAX_LINKS: usize = 40;

/// The pause before a write is repeated on a full disk.
const ROOM: Duration = Duration::from_millis(500);

/// Appends to a file by `write`. On a full disk `write` is repeated, at most for `patience`. What a
/// failed attempt has written is cut off.
pub fn with_room(
    file: &mut File,
    patience: Duration,
    mut write: impl FnMut(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    // A pipe has no position, and nothing of it can be cut off.
    let start = file.stream_position();
    let until = Instant::now() + patience;
    loop {
        let Err(error) = write(file) else { return Ok(()) };
        if let Ok(start) = start {
            let _ = file.set_len(start);
            let _ = file.seek(SeekFrom::Start(start));
        }
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        if !is_full || Instant::now() >= until {
            return Err(error);
        }
        thread::sleep(ROOM);
    }
}

/// Where an output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Standard output, by the name `-` or `/dev/stdout`.
    Standard,
    /// A device, a pipe, or an open file of this process.
    Device(PathBuf),
    /// A file, with symbolic links followed.
    File(PathBuf),
}

impl Target {
    /// Returns the target that the user names `path`. A folder is refused.
    pub fn of(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Ok(Self::Standard);
        }
        // These names lead to the files behind them, which the process has open.
        let is_open = ["/dev/stderr", "/dev/fd", "/proc/self/fd"];
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() || is_open.iter().any(|name| path.starts_with(name)) => {
                Ok(Self::Device(path.to_owned()))
            }
            Ok(_) => fs::canonicalize(path).map(Self::File),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Err(_) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                Err(io::Error::new(ErrorKind::NotFound, "there is no such folder"))
            }
            Err(_) => Ok(Self::File(new_file(path))),
        }
    }

    /// Returns whether a file is there, which the output would replace.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::File(path) if path.exists())
    }

    /// Checks in advance that the output can be written. Nothing is changed.
    pub fn check(&self) -> io::Result<()> {
        match self {
            // Its reader would take the check for the whole output.
            Self::Standard | Self::Device(_) => Ok(()),
            Self::File(path) => draft(path).map(drop),
        }
    }

    /// Writes a whole output. A file is written beside the old one, synced and renamed.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(|out| out.write_all(bytes))
    }

    /// Writes a whole output in pieces, by `write`. After an error of it a file stays as it was.
    pub fn write_with<T, E: From<io::Error>>(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Standard => write_all(io::stdout().lock(), write).map(|(_, done)| done),
            Self::Device(path) => {
                let device = OpenOptions::new().append(true).open(path)?;
                write_all(device, write).map(|(_, done)| done)
            }
            Self::File(path) => {
                let (draft, done) = write_all(draft(path)?, write)?;
                draft.as_file().sync_all()?;
                draft.persist(path).map_err(io::Error::from)?;
                sync_folder(folder_of(path))?;
                Ok(done)
            }
        }
    }
}

/// Writes by `write` through a buffer. Returns the output, and what `write` returned.
fn write_all<W: Write, T, E: From<io::Error>>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<(W, T), E> {
    let mut out = BufWriter::new(out);
    let done = write(&mut out)?;
    let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.flush()?;
    Ok((out, done))
}

/// The most bytes of a file that is read as a whole.
const MAX_BYTES: u64 = 512 << 20;

/// Reads a whole file into memory. A file of more than 512 MiB is an error.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    match file.metadata()?.len() > MAX_BYTES {
        true => Err(too_large()),
        false => read_all(file),
    }
}

/// Reads an input to its end. More than 512 MiB are an error.
pub fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(bytes) }
}

fn too_large() -> io::Error {
    let why = format!("it has more than {} MiB: split it", MAX_BYTES >> 20);
    io::Error::new(ErrorKind::FileTooLarge, why)
}

/// Writes a whole file, whatever is there: see [`Target`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Target::of(path)?.write(bytes)
}

/// Follows links to a file that does not exist.
fn new_file(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(next);
    }
    path
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the names in a folder, which must survive a power cut too. Systems and file systems that cannot do
/// that, and folders that may not be read, are no error.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let Ok(names) = File::open(folder) else { return Ok(()) };
    let Err(error) = names.sync_all() else { return Ok(()) };
    if !is_sync_failure(error.kind()) {
        return Ok(());
    }
    let why = "the file is written, but a power cut may take its name: its folder cannot be synced";
    Err(io::Error::new(error.kind(), format!("{why}: {error}")))
}

/// Returns whether a folder could not be synced, by an error of a system that can sync folders.
fn is_sync_failure(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    !matches!(kind, InvalidInput | PermissionDenied | Unsupported)
}

/// Creates a file beside `path` that no user's file can be, with the permissions of the file that it
/// replaces. It is removed if it is dropped. A file that must not be written is refused.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let old = match OpenOptions::new().write(true).open(path) {
        Ok(file) => Some(file.metadata()?),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut builder = Builder::new();
    builder.prefix(".tengen-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let draft = builder.tempfile_in(folder).map_err(|error| of_folder(folder, &error))?;
    if let Some(old) = old {
        // Only the superuser may give a file to its owner; others own it already.
        #[cfg(unix)]
        let _ = {
            use std::os::unix::fs::{MetadataExt, fchown};
            fchown(draft.as_file(), Some(old.uid()), Some(old.gid()))
        };
        draft.as_file().set_permissions(old.permissions())?;
    }
    Ok(draft)
}

/// Says that the folder is what cannot be written, without the name of the draft.
fn of_folder(folder: &Path, error: &io::Error) -> io::Error {
    let why = match error.kind() {
        ErrorKind::NotFound => "there is no such folder".to_owned(),
        kind => kind.to_string(),
    };
    let why = format!("no file can be made in the folder {}: {why}", folder.display());
    io::Error::new(error.kind(), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn only_systems_that_sync_folders_can_fail_to() {
        assert!(is_sync_failure(io::Error::from_raw_os_error(5).kind()));
        assert!(is_sync_failure(ErrorKind::StorageFull));
        assert!(!is_sync_failure(ErrorKind::InvalidInput));
        let folder = tempfile::tempdir().unwrap();
        sync_folder(folder.path()).unwrap();
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_no_neighbour_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        let neighbour = folder.path().join("a.new");
        fs::write(&neighbour, "a user's file").unwrap();
        for text in ["one", "two"] {
            write(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(&neighbour).unwrap(), "a user's file");
        assert_eq!(names(folder.path()), ["a.new", "a.sgf"]);
    }

    #[test]
    fn a_file_stays_as_it_was_if_a_piece_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        write(&path, b"one").unwrap();
        let target = Target::of(&path).unwrap();
        let failed = target.write_with(|out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(names(folder.path()), ["a.sgf"]);
        let written = target.write_with(|out| {
            out.write_all(b"two ")?;
            out.write_all(b"pieces").map(|()| 2)
        });
        assert_eq!(written.unwrap(), 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two pieces");
    }

    #[test]
    fn standard_output_has_two_names_and_a_folder_is_refused() {
        assert_eq!(Target::of(Path::new("-")).unwrap(), Target::Standard);
        assert_eq!(Target::of(Path::new("/dev/stdout")).unwrap(), Target::Standard);
        let folder = tempfile::tempdir().unwrap();
        let refused = Target::of(folder.path()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::IsADirectory);
        let missing = write(&folder.path().join("no/a.sgf"), b"x").unwrap_err();
        assert!(missing.to_string().starts_with("no file can be made in the folder"), "{missing}");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_links_are_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link, dangling] = ["a.sgf", "link", "dangling"].map(|it| folder.path().join(it));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("a.sgf", &link).unwrap();
        symlink("b.sgf", &dangling).unwrap();
        write(&link, b"new").unwrap();
        write(&dangling, b"another").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(folder.path().join("b.sgf")).unwrap(), "another");
        assert!(link.is_symlink() && dangling.is_symlink());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_says_that_it_is_full() {
        let full = Path::new("/dev/full");
        assert_eq!(Target::of(full).unwrap(), Target::Device(full.to_owned()));
        assert_eq!(write(full, b"x").unwrap_err().kind(), ErrorKind::StorageFull);
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
