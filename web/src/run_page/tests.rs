//! The page of a run over a socket, and as one file.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::*;

/// Returns the reply to a request with these headers.
fn reply(address: SocketAddr, head: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{head}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_run_is_served_to_its_own_page_only() {
    let answers: RunAnswers = Box::new(|path| (path == "run.json").then(|| "{\"a\":1}".to_owned()));
    let address = serve_run("127.0.0.1:0".parse().unwrap(), answers).unwrap();
    let get = |path: &str, more: &str| {
        reply(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}{more}"))
    };
    let page = get("/", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("features/run/run.js"), "{page}");
    for header in
        ["content-security-policy: default-src 'none'", "nosniff", "x-frame-options: DENY"]
    {
        assert!(page.to_lowercase().contains(&header.to_lowercase()), "{header} in {page}");
    }
    let run = get("/run/run.json", "");
    assert!(run.contains("application/json") && run.ends_with("{\"a\":1}"), "{run}");
    assert!(get("/lang/ru.run.json", "").starts_with("HTTP/1.1 200"));
    assert!(get("/run/other.json", "").starts_with("HTTP/1.1 404"));
    assert!(get("/v1/version", "").starts_with("HTTP/1.1 404"));
    let other = get("/run/run.json", "\r\nOrigin: http://evil.example");
    assert!(other.starts_with("HTTP/1.1 403"), "{other}");
    let rebound = reply(address, "GET /run/run.json HTTP/1.1\r\nHost: evil.example");
    assert!(rebound.starts_with("HTTP/1.1 421"), "{rebound}");
    let post = reply(address, &format!("POST /run/run.json HTTP/1.1\r\nHost: {address}"));
    assert!(post.starts_with("HTTP/1.1 405"), "{post}");
}

#[test]
fn a_page_in_one_file_has_its_modules_and_no_text_that_ends_the_data() {
    let page = run_file("{\"title\":\"</script><script>x()</script>\"}");
    assert!(page.contains("\\u003c/script>\\u003cscript>x()"), "the data are escaped");
    for part in
        ["js/features/run/run.js", "js/board/view.js", "js/board/marks.js", "js/base/text.js"]
    {
        assert!(page.contains(&format!("\"{part}\":\"data:text/javascript;base64,")), "{part}");
    }
    assert!(!page.contains(" src=\"") && !page.contains("rel=\"stylesheet\""), "it loads nothing");
    let language = &page[page.find("id=\"texts\"").unwrap()..];
    assert!(language.contains("\"run.standings\":\"排名\""));
    assert!(page.contains("id=\"standings\"") && page.trim_end().ends_with("</html>"));
}
