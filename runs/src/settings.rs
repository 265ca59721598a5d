//! [`TransportSettings`]: what the user says about the workers of a run. [`RunInfo`]: the run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::contract::Build;

/// Where the workers of a run are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TransportKind {
    /// Threads of this program.
    #[default]
    Local,
    /// Child processes.
    Pipe,
    /// Other machines, by NATS.
    Nats,
}

impl TransportKind {
    /// All kinds with their names on the command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("local", Self::Local), ("pipe", Self::Pipe), ("nats", Self::Nats)];

    /// Returns the kind with this name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Who the user is at a server of NATS, and which servers are trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// The file with the credentials.
    pub credentials: Option<PathBuf>,
    /// The file with the certificates of authorities that the server may have; if `None`, those of the system.
    pub tls_ca: Option<PathBuf>,
    /// The file with the certificate of this user and its key, in PEM, for servers that ask for one.
    pub tls_client: Option<PathBuf>,
}

impl Access {
    /// Returns the options that are given, with their values.
    pub fn options(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let options = [
            ("nats-creds", &self.credentials),
            ("tls-ca", &self.tls_ca),
            ("tls-client", &self.tls_client),
        ];
        options.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)))
    }
}

/// What the user says about the workers of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TransportSettings {
    /// Where the workers are.
    pub kind: TransportKind,
    /// The commands of the child processes. If there are none, this program is started.
    pub pipes: Vec<String>,
    /// The addresses of the servers of NATS, with commas between them.
    pub nats: Option<String>,
    /// Who the user is there.
    pub access: Access,
    /// The name of the run; if `None`, it is made from the folder and the journal.
    pub name: Option<String>,
    /// How many tasks are queued for each slot; if `None`, 4.
    pub ahead: Option<u32>,
    /// After how many milliseconds the task of a silent worker goes to another one; if `None`, 30,000.
    pub ack_wait_ms: Option<u64>,
    /// Whether the run goes on without tasks that were given up because their workers ended.
    pub allow_dead: bool,
    /// Of how many results in a hundred a second worker repeats the task; if `None`, of one.
    pub repeat: Option<u32>,
    /// The longest time of a task, in milliseconds; if `None`, the default of the task.
    pub task_ms: Option<u64>,
}

impl TransportSettings {
    /// Refuses an option of another transport, which would have no effect. `dash` is what options
    /// of the command begin with: `-` or `--`.
    pub fn check(&self, dash: &str) -> Result<(), String> {
        let needs = |option: &str, value: &str, kind: TransportKind| {
            let (value, name) = (value.escape_debug(), kind.name());
            format!("{dash}{option} {value}: add {dash}transport {name}")
        };
        if let Some(command) = self.pipes.first().filter(|_| self.kind != TransportKind::Pipe) {
            return Err(needs("pipe", command, TransportKind::Pipe));
        }
        if self.kind == TransportKind::Nats {
            return Ok(());
        }
        let server = self.nats.iter().map(|url| ("nats", without_password(url)));
        let files = self.access.options();
        let mut given =
            server.chain(files.map(|(option, path)| (option, path.display().to_string())));
        let first = given.next();
        first.map_or(Ok(()), |(option, value)| Err(needs(option, &value, TransportKind::Nats)))
    }
}

/// Returns addresses of servers without users and passwords, as messages show them.
pub fn without_password(urls: &str) -> String {
    // A password can have a comma, so only schemes tell addresses apart.
    let host = |part: &'_ str| part.rsplit_once('@').map_or(part, |(_, host)| host).to_owned();
    urls.split("://").map(host).collect::<Vec<_>>().join("://")
}

/// Returns a message without the users and passwords of the addresses in it.
pub fn without_passwords(message: &str) -> String {
    let shown = |word: &str| match word.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", without_password(rest)),
        None => word.to_owned(),
    };
    message.split_inclusive(char::is_whitespace).map(shown).collect()
}

/// A run, for its carrier.
#[derive(Clone, Debug)]
pub struct RunInfo {
    /// The name of the run, which begins the ids of its tasks.
    pub name: String,
    /// The build that all workers must have.
    pub build: Build,
    /// The host and the folder of the journal: who holds the run.
    pub holder: String,
    /// The SHA-256 of each engine of the run, in hexadecimal.
    pub engines: Vec<String>,
    /// How many children are started without commands.
    pub children: usize,
    /// The variables of the children.
    pub env: Vec<(String, String)>,
    /// The workers whose results were removed. They get no tasks of the run.
    pub purged: Vec<String>,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The tasks with a result since this process of the run began.
    pub done: u64,
    /// The tasks that are queued or held by workers.
    pub open: u64,
    /// The workers that take tasks of the run.
    pub workers: usize,
    /// The tasks that they do at a time.
    pub slots: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_no_password() {
        for (address, shown) in [
            ("nats://host", "nats://host"),
            ("nats://me:secret@host:4222", "nats://host:4222"),
            ("tls://TOKEN@host", "tls://host"),
            ("me:secret@host", "host"),
            ("nats://me:sec,ret@a,nats://b", "nats://a,nats://b"),
            ("nats://a,nats://me:s@cret@b", "nats://a,nats://b"),
        ] {
            assert_eq!(without_password(address), shown);
        }
        let message = "unknown 'nats://me:secret@host' \"tls://a:b@c\", me@host: 3 @ 4";
        let shown = "unknown 'nats://host' \"tls://c\", me@host: 3 @ 4";
        assert_eq!(without_passwords(message), shown);
        let given = Some("nats://me:secret@h".to_owned());
        let nats = TransportSettings { nats: given, ..Default::default() };
        assert_eq!(nats.check("-").unwrap_err(), "-nats nats://h: add -transport nats");
    }

    #[test]
    fn an_option_of_another_transport_is_refused() {
        let pipe = TransportSettings { pipes: vec!["w".to_owned()], ..Default::default() };
        assert_eq!(pipe.check("--").unwrap_err(), "--pipe w: add --transport pipe");
        let nats = TransportSettings { nats: Some("nats://h".to_owned()), ..Default::default() };
        assert_eq!(nats.check("-").unwrap_err(), "-nats nats://h: add -transport nats");
        let creds = TransportSettings {
            kind: TransportKind::Pipe,
            access: Access { credentials: Some("creds".into()), ..Access::default() },
            ..pipe.clone()
        };
        assert_eq!(creds.check("--").unwrap_err(), "--nats-creds creds: add --transport nats");
        for (kind, settings) in [(TransportKind::Pipe, pipe), (TransportKind::Nats, nats)] {
            assert_eq!(TransportSettings { kind, ..settings }.check("--"), Ok(()));
        }
    }
}
