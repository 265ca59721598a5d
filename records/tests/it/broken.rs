//! Broken files give one error on one line, with its place, and never a panic.

use fastrand::Rng;
use tengen_games::CATALOG;
use tengen_records::{Fault, FaultKind, ReadOptions, TextEncoding, read};

use crate::games::board;
use crate::renlib::{self, VERSIONS, Version};

const FILES: [&[u8]; 7] = [
    b"(;FF[4]GM[4]SZ[15]CA[ISO-8859-1]PB[J\xfcrgen]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa]))\n(;GM[4]SZ[15]AB[hh][ii:jj]AW[aa];W[bb])",
    b"(;GM[1]CA[Shift_JIS]SZ[15]PB[\x95\x5c\x83\x5d]RU[Renju];B[h8];W[i9];B[tt];W[])",
    "\u{feff}(;CA[UTF-8]GM[4]PB[\u{738b}]SZ[15:12];B[aa];W[bb])".as_bytes(),
    b"\xff\xfe(\0;\0G\0M\0[\x004\0]\0;\0B\0[\0h\0h\0]\0)\0",
    b"Piskvorky 20x20, 11:11, 0\r\n11,11,0\r\n12,12,0\r\n10,13,1578\r\nRAPFI.zip\r\nYIXIN18.exe\r\n-1\r\n",
    b"# two games\nh8 i9 j10\n7,7 8,6,P@a1\n",
    b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x78\x10\x79\xc3\0\x01A\0\x67\x01\0\x01go on\0\0\x40",
];

const NAMES: [&str; 6] = ["-", "game.sgf", "game.psq", "game.lib", "game.txt", ""];

/// Returns the file after one to four random changes.
fn mutated(rng: &mut Rng, file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(0..=bytes.len());
        match rng.u8(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.u8(..)),
            2 => bytes.insert(at, *rng.choice(b"()[];\\,:0-9hBW\n").expect("a byte")),
            3 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(0..8),
            4 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let tail = bytes[at..].to_vec();
                bytes.extend_from_slice(&tail[..tail.len().min(40)]);
            }
        }
    }
    bytes
}

/// Checks that an error is one line, and that it has a place unless it concerns the whole file.
fn check(fault: &Fault, bytes: &[u8]) {
    let text = fault.to_string();
    assert!(!text.is_empty() && !text.contains(['\n', '\r']), "{text:?}: {bytes:?}");
    let concerns_whole_file = matches!(
        fault.kind(),
        FaultKind::Empty
            | FaultKind::UnknownGame(_)
            | FaultKind::Board(_)
            | FaultKind::RulesTaken { .. }
            | FaultKind::CannotHold { .. }
            // The size in a library or in PSQ is not a property.
            | FaultKind::Size { .. }
    );
    assert!(fault.place().is_some() || concerns_whole_file, "{text}: {bytes:?}");
}

fn try_everything(bytes: &[u8], options: &ReadOptions) -> bool {
    let collection = match read(bytes, options) {
        Ok(collection) => collection,
        Err(fault) => {
            check(&fault, bytes);
            return false;
        }
    };
    for record in collection.records() {
        match record.spec(&CATALOG) {
            Err(fault) => check(&fault, bytes),
            Ok((spec, warning)) => {
                warning.iter().for_each(|warning| check(warning, bytes));
                let notation = spec.grid.unwrap_or(board(15));
                record.line(notation).err().iter().for_each(|fault| check(fault, bytes));
                record.to_psq(notation).err().iter().for_each(|fault| check(fault, bytes));
                record.to_moves(notation).err().iter().for_each(|fault| check(fault, bytes));
            }
        }
    }
    let written = collection.to_sgf();
    let again = read(&written, &ReadOptions::new());
    let again = again.unwrap_or_else(|fault| panic!("{fault}: our own file of {bytes:?}"));
    assert_eq!(again.records().len(), collection.records().len());
    true
}

#[test]
fn broken_files_give_one_error_and_no_panic() {
    let mut rng = Rng::with_seed(2024);
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let bytes = mutated(&mut rng, FILES[round % FILES.len()]);
        let mut options = ReadOptions::new().named(*rng.choice(&NAMES).expect("a name"));
        if rng.u8(0..20) == 0 {
            options = options.encoding(TextEncoding::UTF_8);
        }
        if rng.u8(0..10) == 0 {
            options = options.on(board(rng.u32(5..=20)));
        }
        *(if try_everything(&bytes, &options) { &mut read } else { &mut refused }) += 1;
    }
    assert!(read > 2000 && refused > 2000, "{read} read, {refused} refused");
}

#[test]
fn broken_libraries_give_one_error_and_no_panic() {
    let mut rng = Rng::with_seed(4);
    for round in 0..3_000 {
        let version = VERSIONS[round % VERSIONS.len()];
        let tree = renlib::random(&mut rng, version, "");
        let bytes = renlib::write(&tree, version, TextEncoding::UTF_8);
        let bytes = mutated(&mut rng, &bytes);
        try_everything(&bytes, &ReadOptions::new().named("x.lib"));
    }
    assert_eq!(VERSIONS[2], Version::V34);
}

#[test]
fn every_unbroken_file_is_read() {
    for file in FILES {
        assert!(try_everything(file, &ReadOptions::new()), "{file:?}");
    }
}
