//! The web page of the board. Its files are embedded in the program, and each has its own address. The
//! engine for browsers comes from a folder.

#[cfg(test)]
mod plain;

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::get;
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The content security policy: the page may load only its own files. The policy `tengen` of
/// `protocol/addresses.js` gives the addresses of its workers; a worker may compile the engine.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; manifest-src 'self'; style-src 'self'; img-src 'self' blob:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types tengen";

/// The policy of the embedded board: other pages may show it in a frame, whatever `X-Frame-Options`
/// says. It has no engine and changes nothing.
const EMBEDDED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors *; require-trusted-types-for 'script'";

/// The languages of the page. The first one is the default.
pub(crate) const LANGUAGES: [&str; 5] = ["en", "zh", "ja", "vi", "ru"];

/// The files of `web/page`, by name, as the build script compressed them.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Where the page looks for the engine, and its files. A folder has them compressed by gzip.
const ENGINE: &str = "/js/protocol/engine/";
const ENGINE_FILES: [&str; 7] = [
    "tengen_wasm.js",
    "tengen_wasm_bindings.js",
    "tengen_wasm_bg.wasm",
    "tengen_threads.js",
    "tengen_threads_bindings.js",
    "tengen_threads_bg.wasm",
    "cfour.book",
];
/// The line of the page before which it says that the server has the engine, and what it says.
const HEAD: &str = "<meta name=\"viewport\"";
const HAS_ENGINE: &str = "<meta name=\"tengen-engine\" content=\"page\">\n";
/// The headers with which a browser lets the page share memory among workers, so that a search of the
/// engine in the page has several threads.
const ISOLATION: [(HeaderName, &str); 2] = [
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
];

/// Files of the page by address.
pub(crate) type Files = BTreeMap<String, Arc<File>>;

/// A file of the page.
pub(crate) struct File {
    content_type: &'static str,
    policy: &'static str,
    /// A weak tag, because it stands for both the plain and the compressed bytes.
    tag: String,
    compressed: Bytes,
}

/// The embedded files. Only those with a [`content_type`] are served.
static FILES: LazyLock<Files> = LazyLock::new(|| {
    let files = EMBEDDED.iter().filter_map(|&(name, compressed)| {
        let address = if name == "index.html" { "/".to_owned() } else { format!("/{name}") };
        Some((address, file(name, Bytes::from_static(compressed))?))
    });
    files.collect()
});

/// Returns a file of the page; `None` if its name has no [`content_type`].
fn file(name: &str, compressed: Bytes) -> Option<Arc<File>> {
    let content_type = content_type(name)?;
    let policy = if name == "embed.html" { EMBEDDED_POLICY } else { POLICY };
    Some(Arc::new(File { content_type, policy, tag: tag(&compressed), compressed }))
}

/// Reads the engine for browsers from a folder. Returns its files, and the page that offers it. The error
/// names the file.
pub(crate) fn read_engine(folder: &Path) -> Result<Files, (String, io::Error)> {
    let mut files = Files::new();
    for name in ENGINE_FILES {
        let path = folder.join(format!("{name}.gz"));
        let compressed = std::fs::read(&path);
        let compressed = compressed.map_err(|error| (path.display().to_string(), error))?;
        files.extend(file(name, compressed.into()).map(|file| (format!("{ENGINE}{name}"), file)));
    }
    let page = text_of("index.html").replacen(HEAD, &format!("{HAS_ENGINE}{HEAD}"), 1);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let compressed = encoder.write_all(page.as_bytes()).and_then(|()| encoder.finish());
    let compressed = compressed.map_err(|error| ("index.html".to_owned(), error))?;
    files.extend(file("index.html", compressed.into()).map(|file| ("/".to_owned(), file)));
    Ok(files)
}

/// Returns a route for each file of the page. `first` is the address of the file that `/` gives; `engine`
/// has the files of [`read_engine`].
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(first: &str, engine: &Files) -> Router<S> {
    let has_engine = !engine.is_empty();
    let all: Files = FILES.iter().chain(engine).map(|(at, it)| (at.clone(), it.clone())).collect();
    all.iter().fold(Router::new(), |router, (address, file)| {
        let is_page = address == "/" && first == "/";
        let file = Arc::clone(if address == "/" { &all[first] } else { file });
        let reply = move |headers: HeaderMap| async move {
            let answer = answer(&file, &headers);
            let answer = if is_page { with_language(answer, &headers) } else { answer };
            if has_engine { (ISOLATION, answer).into_response() } else { answer }
        };
        router.route(address, get(reply))
    })
}

/// Adds a header that makes the browser load the texts of its language together with the modules.
/// Without it the texts are loaded only when the modules run.
fn with_language(answer: Response, headers: &HeaderMap) -> Response {
    let language = language(headers);
    let link = format!("<lang/{language}.json>; rel=preload; as=fetch; crossorigin");
    let vary = [(header::VARY, "accept-language")];
    (AppendHeaders(vary), [(header::LINK, link)], answer).into_response()
}

/// Returns the browser's first accepted language that the page has. The page chooses in the same
/// way.
fn language(headers: &HeaderMap) -> &'static str {
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let tags = accepted.unwrap_or_default().split(',');
    let mut names = tags.map(|tag| tag.trim().split(['-', ';']).next().unwrap_or_default());
    let known = |name: &str| LANGUAGES.into_iter().find(|own| own.eq_ignore_ascii_case(name));
    names.find_map(known).unwrap_or(LANGUAGES[0])
}

fn answer(file: &File, headers: &HeaderMap) -> Response {
    let own: [(HeaderName, &str); 5] = [
        (header::CONTENT_TYPE, file.content_type),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, &file.tag),
        (header::VARY, "accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, file.policy),
    ];
    let contains = |name: HeaderName, word: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.split(',').any(|part| part.trim() == word))
    };
    if contains(header::IF_NONE_MATCH, &file.tag) {
        return (StatusCode::NOT_MODIFIED, own).into_response();
    }
    if contains(header::ACCEPT_ENCODING, "gzip") {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        return (own, encoding, file.compressed.clone()).into_response();
    }
    (own, plain_bytes(&file.compressed)).into_response()
}

/// Returns the text of a file of the page; empty if there is none.
pub(crate) fn text_of(name: &str) -> String {
    let file = EMBEDDED.iter().find(|(known, _)| *known == name);
    let bytes = file.map(|(_, compressed)| plain_bytes(compressed)).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn plain_bytes(compressed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The build script wrote them.
    let _ = GzDecoder::new(compressed).read_to_end(&mut bytes);
    bytes
}

fn content_type(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    Some(match end {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "book" => "application/octet-stream",
        _ => return None,
    })
}

/// Returns the tag of a file: the checksum and the size at the end of its compressed bytes.
fn tag(compressed: &[u8]) -> String {
    let end = &compressed[compressed.len().saturating_sub(8)..];
    format!("W/\"{}\"", HEXLOWER.encode(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_page_are_embedded() {
        for address in [
            "/",
            "/board.css",
            "/js/main.js",
            "/js/features/review/review.js",
            "/lang/ru.more.json",
            "/embed.js",
            "/icon.svg",
        ] {
            assert!(FILES.contains_key(address), "{address}");
        }
        assert!(!FILES.contains_key("/README.md"));
    }

    #[test]
    fn a_file_is_sent_compressed_if_accepted_and_not_sent_again_if_cached() {
        let file = &FILES["/"];
        let request = |name: HeaderName, value: &str| {
            let headers = HeaderMap::from_iter([(name, value.parse().unwrap())]);
            answer(file, &headers)
        };
        let plain = answer(file, &HeaderMap::new());
        assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(plain_bytes(&file.compressed), include_bytes!("../page/index.html"));
        assert_eq!(plain.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
        let packed = request(header::ACCEPT_ENCODING, "gzip, deflate, br");
        assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
        let embedded = answer(&FILES["/embed.html"], &HeaderMap::new());
        let policy = embedded.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("frame-ancestors *"), "{policy}");
        let tag = plain.headers()[header::ETAG].to_str().unwrap();
        assert_eq!(packed.headers()[header::ETAG], tag);
        assert_eq!(request(header::IF_NONE_MATCH, tag).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(request(header::IF_NONE_MATCH, "W/\"other\"").status(), StatusCode::OK);
    }

    #[test]
    fn the_engine_for_browsers_comes_from_a_folder_and_the_page_offers_it() {
        let folder = std::env::temp_dir().join(format!("tengen-engine-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(b"the code").unwrap();
        let code = gzip.finish().unwrap();
        for name in &ENGINE_FILES[1..] {
            std::fs::write(folder.join(format!("{name}.gz")), &code).unwrap();
        }
        let (missing, _) = read_engine(&folder).err().unwrap();
        assert!(missing.ends_with("tengen_wasm.js.gz"), "{missing}");
        std::fs::write(folder.join("tengen_wasm.js.gz"), &code).unwrap();
        let files = read_engine(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let engine = &files["/js/protocol/engine/tengen_wasm_bg.wasm"];
        assert_eq!(plain_bytes(&engine.compressed), b"the code");
        assert_eq!(engine.content_type, "application/wasm");
        let text = |file: &File| String::from_utf8(plain_bytes(&file.compressed)).unwrap();
        assert!(text(&files["/"]).contains(HAS_ENGINE));
        assert_eq!(text(&files["/"]).replace(HAS_ENGINE, ""), text(&FILES["/"]));
    }

    #[test]
    fn the_page_links_the_texts_of_the_browsers_language() {
        let link = |accepted: &str| {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, accepted.parse().unwrap())]);
            let answer = with_language(answer(&FILES["/"], &headers), &headers);
            let vary: Vec<_> = answer.headers().get_all(header::VARY).iter().collect();
            assert_eq!(vary.len(), 2, "{vary:?}");
            let link = answer.headers()[header::LINK].to_str().unwrap();
            let name = link.strip_prefix("<lang/").and_then(|link| link.split_once(".json>"));
            name.unwrap().0.to_owned()
        };
        for (accepted, name) in [
            ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
            ("de, JA;q=0.5", "ja"),
            ("zh-Hant-TW", "zh"),
            ("de-DE", "en"),
            ("", "en"),
        ] {
            assert_eq!(link(accepted), name, "{accepted}");
            assert!(FILES.contains_key(&format!("/lang/{name}.json")));
        }
    }

    #[test]
    fn the_first_load_is_small_when_compressed() {
        let first = ["/", "/board.css", "/lang/en.json"].map(str::to_owned).into_iter();
        let modules = [
            "main",
            "app/app",
            "app/state",
            "protocol/client",
            "board/view",
            "record/game",
            "base/text",
        ];
        let all = first.chain(modules.iter().map(|name| format!("/js/{name}.js")));
        let bytes: usize = all.map(|address| FILES[&address].compressed.len()).sum();
        assert!(bytes < 35_000, "{bytes} bytes");
    }
}
