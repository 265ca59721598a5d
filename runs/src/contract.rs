//! The task contract: a task is a line of JSON, and so is its result.
//!
//! Every transport to other processes carries these lines, and so does `tengen work`. A task says what
//! to do in the fields of its kind, which this crate does not know.

use std::time::Duration;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use smart_default::SmartDefault;

use crate::task::Task;

/// The version of the contract.
pub const VERSION: u64 = 1;

/// The greatest length of a task or a result, in bytes. NATS carries twice as much by default.
pub const MAX_LINE: usize = 512 << 10;

/// The greatest length of an id, in characters.
const MAX_ID: usize = 64;

/// The number of hexadecimal digits of a task's digest in its id.
const CONTENT: usize = 8;

/// What a digest begins with.
const DIGEST: &str = "sha256:";

/// The greatest length of the name of a run, in characters. It begins the ids of its tasks.
pub const MAX_RUN: usize = 40;

/// The longest time of a task by default, in milliseconds.
pub const TASK_MS: u64 = 600_000;

/// The variable with the path of the file of a worker, for workers without `--config`.
pub const CONFIG_VARIABLE: &str = "TENGEN_WORK_CONFIG";

/// The variable that lets `tengen work` write a [`ViewLine`] of each task among the results, once a second.
pub const VIEWS_VARIABLE: &str = "TENGEN_WORK_VIEWS";

/// The greatest length of the state of a task, in bytes.
pub const MAX_VIEW: usize = 64 << 10;

/// The interval between two states of a task.
pub const VIEW_PERIOD: Duration = Duration::from_secs(1);

/// How many characters of a wrong text a message quotes.
const QUOTED: usize = 80;

/// A task.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskLine {
    /// The id, unique in its run.
    pub id: String,
    /// The kind of the task, such as `pair`.
    pub kind: String,
    /// The fields of the kind.
    pub fields: Map<String, Value>,
}

impl TaskLine {
    /// Reads the task in `line`. The error is the result of the task.
    pub fn read(line: &str) -> Result<Self, Box<ResultLine>> {
        let unreadable =
            |message: String| ResultLine::refused(None, None, "bad_json", None, message);
        let value: Value = serde_json::from_str(line).map_err(|error| {
            unreadable(format!("\"{}\" is not a task in JSON: {error}", quoted(line)))
        })?;
        let Value::Object(mut fields) = value else {
            return Err(unreadable(format!("\"{}\" is no object", quoted(line))));
        };
        let (id, kind) = (fields.remove("id"), fields.remove("kind"));
        let id_text = id.as_ref().and_then(Value::as_str).filter(|id| is_id(id));
        let kind_text = kind.as_ref().and_then(Value::as_str);
        let refused = |field: &str, code, expected: String, found: Option<&Value>| {
            let found = found.map_or_else(|| "nothing".to_owned(), shown);
            let message = format!("{field}: {expected}, found {found}");
            Err(ResultLine::refused(id_text, kind_text, code, Some(field), message))
        };
        let Some(id_text) = id_text else {
            let expected = format!("1 to {MAX_ID} of A-Z a-z 0-9 _ - expected");
            return refused("id", "bad_field", expected, id.as_ref());
        };
        let version = fields.remove("version");
        if version.as_ref().and_then(Value::as_u64) != Some(VERSION) {
            let expected = format!("this worker takes {VERSION}");
            return refused("version", "unsupported", expected, version.as_ref());
        }
        let Some(kind_text) = kind_text else {
            return refused("kind", "bad_field", "a text expected".to_owned(), kind.as_ref());
        };
        Ok(Self { id: id_text.to_owned(), kind: kind_text.to_owned(), fields })
    }

    /// Creates the line of `tasks`. Its id ends with the beginning of its digest, so that another line has
    /// another id; `id` and the number of earlier attempts begin it. The line says which `build` does it.
    pub fn of_tasks<W>(
        id: &str,
        tasks: &[Task<W>],
        kind: &str,
        fields: impl Serialize,
        build: &Build,
    ) -> Self {
        let attempt = tasks.iter().map(|task| task.attempt).max().unwrap_or_default();
        let id = if attempt == 0 { id.to_owned() } else { format!("{id}-{attempt}") };
        // The fields hold only texts, numbers and lists, so that they always have a JSON form.
        let fields =
            serde_json::to_value(fields).ok().and_then(|fields| fields.as_object().cloned());
        let mut task = Self { id, kind: kind.to_owned(), fields: fields.unwrap_or_default() };
        task.fields.insert("build".to_owned(), build.value());
        let digest = task.digest();
        let beginning = &digest[DIGEST.len()..][..CONTENT];
        task.id = format!("{}-{beginning}", task.id);
        task
    }

    /// Takes the build that does the task out of its fields; `None` if the task does not say it.
    pub fn take_build(&mut self) -> Result<Option<Build>, TaskError> {
        let read = self.fields.remove("build").map(serde_json::from_value).transpose();
        read.map_err(|why| TaskError::new("bad_field", Some("build"), format!("build: {why}")))
    }

    /// Returns the digest of the task, which its result repeats.
    pub fn digest(&self) -> String {
        digest(&self.value())
    }

    /// Writes the task as a line without its end.
    pub fn text(&self) -> String {
        self.value().to_string()
    }

    fn value(&self) -> Value {
        let mut object = self.fields.clone();
        object.insert("version".to_owned(), VERSION.into());
        object.insert("id".to_owned(), self.id.clone().into());
        object.insert("kind".to_owned(), self.kind.clone().into());
        Value::Object(object)
    }
}

/// The build that does a task. Another build can find something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The version of the program.
    pub version: String,
    /// The number of nodes of its bench; `None` if any will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
}

impl Build {
    fn value(&self) -> Value {
        let bench = self.bench.map(|nodes| ("bench".to_owned(), nodes.into()));
        let version = ("version".to_owned(), self.version.clone().into());
        Value::Object([version].into_iter().chain(bench).collect())
    }

    /// Checks that a worker is of this build. The error says what differs.
    pub fn check(&self, worker: &WorkerIdentity) -> Result<(), String> {
        if self.version != worker.version {
            let found = quoted(&worker.version);
            return Err(format!("the worker has version {found}, the run {}", self.version));
        }
        match (self.bench, worker.bench) {
            (Some(own), Some(found)) if own != found => {
                Err(format!("the bench of the worker has {found} nodes, that of the run {own}"))
            }
            _ => Ok(()),
        }
    }
}

/// Returns whether a text can be the id of a task. It is also the last token of a subject in NATS.
pub fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=MAX_ID).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// Returns a name for the run in the folder `folder`, whose journal begins with `head`. The ids of its
/// tasks begin with this name.
pub(crate) fn run_name(folder: &str, head: &str) -> String {
    let allowed = folder.chars().filter(|c| is_id(c.encode_utf8(&mut [0; 4])));
    let name: String = allowed.take(MAX_RUN - 9).collect();
    let hash = &digest(&Value::from(head))[DIGEST.len()..][..8];
    if name.is_empty() { format!("run-{hash}") } else { format!("{name}-{hash}") }
}

/// Returns the number of the line `id` of the run `run`; `None` if it has more than a number and the
/// beginning of its digest.
pub fn number_of(id: &str, run: &str) -> Option<u64> {
    let (number, _) = id.strip_prefix(run)?.strip_prefix('-')?.split_once('-')?;
    number.parse().ok().filter(|_| is_of_content(id))
}

/// Returns whether an id ends with the beginning of a digest.
pub fn is_of_content(id: &str) -> bool {
    let end = id.rsplit('-').next().unwrap_or_default();
    end.len() == CONTENT && end.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns a wrong value as a message shows it.
fn shown(value: &Value) -> String {
    quoted(&value.to_string())
}

/// Returns the beginning of a text, without control characters.
pub fn quoted(text: &str) -> String {
    let mut short = printable(&text.chars().take(QUOTED).collect::<String>());
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

/// Returns a number with its unit: `1 slot`, `2 slots`.
pub fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Returns a text of another machine without control characters.
pub fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Removes control characters from all texts of another machine in `value`.
pub fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable(text),
        Value::Array(list) => list.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Why a task has no data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskError {
    /// The kind of error.
    pub code: String,
    /// The wrong field; `None` if the error is not about one field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// A line for the user.
    pub message: String,
}

impl TaskError {
    /// Creates an error about a field; `None` if it is not about one field.
    pub fn new(code: &str, field: Option<&str>, message: String) -> Self {
        Self { code: code.to_owned(), field: field.map(str::to_owned), message }
    }
}

/// A task without data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskFailure {
    /// Why there is no data.
    pub error: TaskError,
    /// Whether the machine failed, so that another attempt can succeed.
    pub retry: bool,
}

impl TaskFailure {
    /// Creates the failure of a machine.
    pub fn machine(message: impl ToString) -> Self {
        Self { error: TaskError::new("machine", None, message.to_string()), retry: true }
    }
}

/// A task that cannot be done by any machine.
impl From<TaskError> for TaskFailure {
    fn from(error: TaskError) -> Self {
        Self { error, retry: false }
    }
}

/// The process that worked on a task.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct WorkerIdentity {
    /// The name of the worker and the number of the slot: `h1/3`.
    pub name: String,
    /// The id of the host's boot; `None` if the system has none.
    pub boot: Option<String>,
    /// The version of the program.
    pub version: String,
    /// The commit of the program; `None` if the build did not know it.
    pub git: Option<String>,
    /// The SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// The number of nodes of `tengen bench`; `None` if it was not run.
    pub bench: Option<u64>,
}

/// Returns the name of the worker that has the slot `name`.
pub fn worker_of(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(worker, _)| worker)
}

/// The state of a task that a worker does, for the user.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewLine {
    /// The id of the task.
    pub id: String,
    /// The state, which the run of the task can read.
    pub view: Value,
}

/// The result of a task.
#[derive(Clone, PartialEq, Debug, SmartDefault, Serialize, Deserialize)]
pub struct ResultLine {
    /// The version of the contract.
    #[default(VERSION)]
    pub version: u64,
    /// The id of the task; `None` if the line could not be read.
    pub id: Option<String>,
    /// The kind of the task; `None` if the line could not be read.
    pub kind: Option<String>,
    /// Whether there is data.
    pub ok: bool,
    /// What the task found. Equal tasks have equal data, if no limit is a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The times of the data, which differ each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Value>,
    /// The [`digest`] of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the task; `None` if the line could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Why there is no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TaskError>,
    /// Whether the error is one of the machine, so that another attempt can succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// The duration, in milliseconds.
    #[serde(default)]
    pub elapsed_ms: u64,
    /// The worker; `None` before a worker has completed the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<WorkerIdentity>,
    /// The number of the attempt, from 1.
    #[serde(default = "one")]
    #[default(1)]
    pub attempt: u32,
}

const fn one() -> u32 {
    1
}

impl ResultLine {
    /// Creates the result of a task that was done.
    pub fn done(task: &TaskLine, data: Value, times: Value) -> Self {
        let digest = Some(digest(&data));
        let times = (!times.is_null()).then_some(times);
        Self { ok: true, data: Some(data), times, digest, ..Self::empty(task) }
    }

    /// Creates the result of a task that failed.
    pub fn failed(task: &TaskLine, failure: TaskFailure) -> Self {
        Self { error: Some(failure.error), retry: Some(failure.retry), ..Self::empty(task) }
    }

    /// Creates the result of a line that is no task.
    pub fn refused(
        id: Option<&str>,
        kind: Option<&str>,
        code: &str,
        field: Option<&str>,
        message: String,
    ) -> Box<Self> {
        let [id, kind] = [id, kind].map(|text| text.map(str::to_owned));
        let error = TaskError::new(code, field, message);
        Box::new(Self { id, kind, error: Some(error), retry: Some(false), ..Self::default() })
    }

    fn empty(task: &TaskLine) -> Self {
        let [id, kind] = [&task.id, &task.kind].map(|text| Some(text.clone()));
        Self { id, kind, task: Some(task.digest()), ..Self::default() }
    }

    /// Writes the result as a line with its end. A result that is too long becomes an error.
    pub fn text(&self) -> String {
        let mut line = self.line();
        if line.len() > MAX_LINE {
            let message = format!(
                "the result has {} bytes, the most is {MAX_LINE}: a smaller task is needed",
                line.len()
            );
            let error = Some(TaskError::new("too_large", None, message));
            let (data, times, digest, retry) = (None, None, None, Some(false));
            line = Self { ok: false, data, times, digest, error, retry, ..self.clone() }.line();
        }
        line
    }

    fn line(&self) -> String {
        // A result holds only texts, numbers and lists, so that it always has a JSON form.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Returns whether the task needs no other attempt.
    pub fn is_final(&self) -> bool {
        self.retry != Some(true)
    }
}

/// Returns the digest of data: `sha256:` and the SHA-256 of its canonical JSON, which has sorted keys
/// and no blanks.
pub fn digest(data: &Value) -> String {
    format!("{DIGEST}{}", HEXLOWER.encode(&Sha256::digest(data.to_string())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_is_that_of_sorted_json() {
        let data: Value = serde_json::from_str("{ \"b\": [1, \"\u{e9}\"], \"a\": null }").unwrap();
        assert_eq!(data.to_string(), "{\"a\":null,\"b\":[1,\"\u{e9}\"]}");
        assert_eq!(
            digest(&json!({})),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }

    #[test]
    fn a_task_is_read_back() {
        let line = "{\"id\":\"r7-1\",\"kind\":\"pair\",\"seed\":4,\"version\":1}";
        assert_eq!(TaskLine::read(line).unwrap().text(), line);
    }

    #[test]
    fn lines_that_are_no_tasks_are_refused_with_what_they_hold() {
        let long = "x".repeat(65);
        for (line, id, field, message) in [
            (
                "nonsense",
                None,
                None,
                "\"nonsense\" is not a task in JSON: expected ident at line 1 column 2",
            ),
            ("[1]", None, None, "\"[1]\" is no object"),
            ("{}", None, Some("id"), "id: 1 to 64 of A-Z a-z 0-9 _ - expected, found nothing"),
            (
                "{\"id\":\"a.b\"}",
                None,
                Some("id"),
                "id: 1 to 64 of A-Z a-z 0-9 _ - expected, found \"a.b\"",
            ),
            (
                &format!("{{\"id\":\"{long}\"}}"),
                None,
                Some("id"),
                &format!("id: 1 to 64 of A-Z a-z 0-9 _ - expected, found \"{long}\""),
            ),
            (
                "{\"id\":\"a\"}",
                Some("a"),
                Some("version"),
                "version: this worker takes 1, found nothing",
            ),
            (
                "{\"id\":\"a\",\"version\":2}",
                Some("a"),
                Some("version"),
                "version: this worker takes 1, found 2",
            ),
            (
                "{\"id\":\"a\",\"version\":1,\"kind\":7}",
                Some("a"),
                Some("kind"),
                "kind: a text expected, found 7",
            ),
        ] {
            let refused = TaskLine::read(line).unwrap_err();
            let error = refused.error.clone().unwrap();
            assert_eq!(
                (refused.id.as_deref(), error.field.as_deref(), error.message.as_str()),
                (id, field, message)
            );
            assert!(!refused.ok && refused.retry == Some(false));
        }
    }

    #[test]
    fn a_result_that_is_too_long_becomes_an_error() {
        let task = TaskLine { id: "a".into(), kind: "analyze".into(), fields: Map::new() };
        let result = ResultLine::done(&task, json!("x".repeat(MAX_LINE)), Value::Null);
        let line = result.text();
        let read: ResultLine = serde_json::from_str(&line).unwrap();
        assert_eq!((read.ok, read.error.unwrap().code.as_str()), (false, "too_large"));
        assert!(line.len() < 400 && line.ends_with('\n'), "{line}");
    }
}
