//! The page of a run as one file, which needs no network: style sheets, modules, texts and data stand in it.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde_json::Value;

use crate::page::{LANGUAGES, text_of};

/// The style sheets of the page, in the order of their loading.
const SHEETS: [&str; 4] =
    ["board.css", "js/board/marks.css", "js/board/frames.css", "js/features/run/run.css"];
/// The module that starts the page.
const START: &str = "js/features/run/run.js";
/// What scripts and styles may do: those of the file, and its modules in addresses with data.
const POLICY: &str = "default-src 'none'; script-src 'nonce-run' data:; style-src 'nonce-run'; \
     img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/// Returns the page of a run in one file. `run` is the run and its games in JSON.
pub fn run_file(run: &str) -> String {
    let page = text_of("run.html");
    let body = page.split_once("</head>").map_or("", |(_, body)| body);
    let icon = BASE64.encode(text_of("icon.svg").as_bytes());
    let styles: String = SHEETS.iter().map(|name| text_of(name)).collect();
    let texts = escaped(&texts().to_string());
    let (modules, run) = (escaped(&modules().to_string()), escaped(run));
    let head = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Tengen</title>\n\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\" type=\"image/svg+xml\">\n\
         <style nonce=\"run\">\n{styles}</style>\n\
         <script type=\"application/json\" id=\"data\">{run}</script>\n\
         <script type=\"application/json\" id=\"texts\">{texts}</script>\n\
         <script type=\"importmap\" nonce=\"run\">{modules}</script>\n\
         <script type=\"module\" nonce=\"run\">import '{START}';</script>\n</head>"
    );
    head + body
}

/// Returns JSON that can stand in an element `script`: no text of it ends the element.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Returns the texts of all languages.
fn texts() -> Value {
    let own = LANGUAGES.map(|language| {
        let parts = ["", ".run"].map(|end| text_of(&format!("lang/{language}{end}.json")));
        let texts = parts.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let all = texts.filter_map(|text| text.as_object().cloned()).flatten();
        (language.to_owned(), Value::Object(all.collect()))
    });
    Value::Object(own.into_iter().collect())
}

/// Returns the import map: the text of each module that the page can load, by its path.
fn modules() -> Value {
    let mut modules = BTreeMap::new();
    let mut open = vec![START.to_owned()];
    while let Some(name) = open.pop() {
        if modules.contains_key(&name) {
            continue;
        }
        let (text, imports) = with_paths(&name, &text_of(&name));
        let text = BASE64.encode(text.as_bytes());
        modules.insert(name, Value::from(format!("data:text/javascript;base64,{text}")));
        open.extend(imports);
    }
    Value::Object(
        [("imports".to_owned(), Value::Object(modules.into_iter().collect()))]
            .into_iter()
            .collect(),
    )
}

/// Returns a module that imports others by their paths in the page, and these paths.
fn with_paths(name: &str, module: &str) -> (String, Vec<String>) {
    let (mut text, mut imports, mut rest) = (String::new(), Vec::new(), module);
    let next = |rest: &str| {
        let found = [" from '.", "import('.", "import '."]
            .map(|begin| rest.find(begin).map(|at| at + begin.len() - 1));
        found.into_iter().flatten().min()
    };
    while let Some(at) = next(rest) {
        let (before, after) = rest.split_at(at);
        let (path, after) = after.split_once('\'').unwrap_or((after, ""));
        let path = resolved(name, path);
        text.push_str(&format!("{before}{path}'"));
        imports.push(path);
        rest = after;
    }
    text.push_str(rest);
    (text, imports)
}

/// Returns the path of the module that the module `name` calls `path`.
fn resolved(name: &str, path: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
