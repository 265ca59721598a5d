//! Compresses the files of the page, and lists them for `src/page.rs`.

use std::fmt::Write as _;
use std::fs;
use std::io::{Result, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

#[path = "src/page/plain.rs"]
mod plain;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=src/page/plain.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut names = Vec::new();
    collect(Path::new("page"), &mut names)?;
    names.sort();
    let mut list = String::from("&[");
    for (index, name) in names.iter().enumerate() {
        fs::write(out.join(format!("{index}.gz")), compress(&sent(name)?)?)?;
        // The names have no quotes.
        let _ = writeln!(
            list,
            "(\"{name}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{index}.gz\"))),"
        );
    }
    fs::write(out.join("page.rs"), list + "]")
}

/// Collects the names of all files below a folder, from `page` on, with `/` between; none of Markdown.
fn collect(folder: &Path, names: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, names)?;
        } else if let (Ok(name), false) = (path.strip_prefix("page"), is_markdown(&path)) {
            names.push(name.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

/// Returns what is sent of a file.
fn sent(name: &str) -> Result<Vec<u8>> {
    let bytes = fs::read(Path::new("page").join(name))?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if name.ends_with(".js") || name.ends_with(".css") => {
            Ok(plain::without_comments(text).into_bytes())
        }
        _ => Ok(bytes),
    }
}

fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
