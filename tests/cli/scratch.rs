//! A temporary folder of a test, in which the program runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A temporary folder and a command of the program. The folder is removed on drop.
pub(crate) struct Scratch {
    folder: TempDir,
    command: &'static [&'static str],
}

impl Scratch {
    /// Creates an empty folder for a command, such as `["batch"]`.
    pub(crate) fn new(command: &'static [&'static str]) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for the test"), command }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Returns the path of a file as text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.file(name).to_str().expect("a path in text").to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.file(name), content).expect("room on the disk");
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    /// Returns the command with more arguments. Its messages are those of the locale C.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(self.command).args(words).current_dir(self.folder()).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns a shell that runs a line in the folder, with the program on its PATH.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_tengen")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", program.display());
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .current_dir(self.folder())
            .env("PATH", path)
            .env_remove("NO_COLOR");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program runs")
    }

    /// Runs a command that must succeed without a message, and returns its output.
    pub(crate) fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.as_str()), (Some(0), ""), "{words:?}");
        text(&output.stdout)
    }

    /// Runs a command that must end with `status`, and returns its last message.
    pub(crate) fn refused(&self, words: &[&str], status: i32) -> String {
        let output = self.run(words);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {message}");
        let line = message.lines().last().unwrap_or_default();
        line.strip_prefix("tengen: ").unwrap_or_else(|| panic!("{words:?}: {message}")).to_owned()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
