//! The log of a server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::running::{TIMEOUT, tengen, wait};

/// A token that a client sends.
const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Returns the log of a server after queries, the first one in a bad line. Checks that it has
/// no secrets and that only its owner may read it.
fn log_of(name: &str, options: &[&str]) -> String {
    let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
    let mut command = tengen();
    command.arg("--log").arg(&path).args(["serve", "--http", "127.0.0.1:0"]);
    command.args(["--tcp", "127.0.0.1:0"]).args(options);
    let mut server = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit(' ').next().unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(TIMEOUT)).unwrap();
    // A carriage return and an escape sequence.
    let id = json!("a\r\u{1b}[2J");
    writeln!(client, "{{\"id\":{id},\"action\":\"position\"}}\u{1b}[2J").unwrap();
    writeln!(client, "{{\"id\":\"h\",\"action\":\"hello\",\"token\":\"{SECRET}\"}}").unwrap();
    writeln!(client, "{{\"id\":\"b\",\"action\":\"position\",\"\u{202e}\":1}}").unwrap();
    let mut replies = BufReader::new(&client).lines();
    assert!(replies.next().unwrap().unwrap().contains("bad_json"));
    let hello: Value = serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap();
    assert!(replies.next().unwrap().unwrap().contains("\"id\":\"b\""));
    assert!(replies.next().unwrap().unwrap().contains("\"id\":\"b\""));
    let kill = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(wait(server).code(), Some(0));
    let log = std::fs::read_to_string(&path).unwrap();
    for secret in [SECRET, hello["session"].as_str().unwrap()] {
        assert!(!log.contains(secret), "{log}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    std::fs::remove_file(path).unwrap();
    log
}

#[test]
fn the_lines_of_clients_are_logged_only_if_asked_for_and_without_control_characters() {
    let plain = log_of("plain-log", &[]);
    assert!(!plain.contains("action"), "{plain}");
    let full = log_of("full-log", &["--log-lines"]);
    assert!(
        full.contains(">> {\"id\":\"a\\r\\u001b[2J\",\"action\":\"position\"}\\u{1b}[2J"),
        "{full}"
    );
    assert!(full.lines().any(|line| line.contains("<< {\"type\":\"position\"")), "{full}");
    assert!(full.contains("\"token\":\"...\"") && full.contains("\"session\":\"...\""), "{full}");
    assert!(full.contains("\\u{202e}") && !full.contains('\u{202e}'), "{full:?}");
    assert!(!full.contains(|sign: char| sign.is_control() && sign != '\n'), "{full:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_whose_addresses_cannot_be_written_ends_with_status_1() {
    let mut command = tengen();
    command.args(["serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]);
    command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let server = command.spawn().unwrap();
    assert_eq!(wait(server).code(), Some(1));
}
