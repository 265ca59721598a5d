//! The health check of a server, and what a server with rooms prints.

use std::io::{BufRead, BufReader};
use std::process::Command;

use crate::support::running::{tengen, wait};

/// Returns the exit status and the message of `tengen serve --health`.
fn health(address: &str) -> (Option<i32>, String) {
    let output = tengen().args(["serve", "--health", "--http", address]).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_health_check_says_whether_the_server_runs() {
    let mut command = tengen();
    command.args(["serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]);
    let mut server = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split(['/', ' ']).find(|word| word.starts_with("127.")).unwrap();
    assert_eq!(health(address), (Some(0), String::new()));
    let kill = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(wait(server).code(), Some(0));
    let (status, message) = health(address);
    assert_eq!(status, Some(1), "{message}");
    assert!(message.starts_with(&format!("tengen: no server of Tengen answers at {address}: ")));
}

#[test]
fn a_server_with_rooms_prints_links_with_a_token_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tengen();
    command.args(["serve", "--http", "0.0.0.0:0", "--tcp", "127.0.0.1:0", "--rooms"]);
    let mut server = command.arg(folder.path()).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("Tengen serves http://"));
    assert_eq!(lines.next().unwrap(), "To play a friend, open the board:");
    let link = lines.next().unwrap();
    let (address, token) = link.split_once("/#token=").unwrap();
    assert!(address.starts_with("http://") && token.len() == 44, "{link}");
    let kill = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(wait(server).code(), Some(0));
    assert!(folder.path().join("journal.jsonl").is_file());
}
