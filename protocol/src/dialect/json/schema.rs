//! The JSON Schema of the protocol, generated from the types of queries and replies.
// CITE: JSON Schema 2020-12, https://json-schema.org/draft/2020-12/schema

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::VERSION;
use super::number::Positive;
use super::query::Query;
use super::reply::Reply;

/// Returns the schema. A valid object is a query or a reply. `$defs` has `query`, `reply` and the
/// types that they share.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let actions = Query::schemas(&mut generator);
    let messages = Reply::schemas(&mut generator);
    let mut seq = Positive::json_schema(&mut generator).to_value();
    seq["description"] = "The number of the message, from the answer to `hello` on.".into();
    let queries: Vec<Value> = actions
        .into_iter()
        .map(|(action, schema)| {
            let mut schema = tagged(schema, "action", action);
            if action != Query::ACTIONS[0] {
                require(&mut schema, "action");
            }
            schema
        })
        .collect();
    let replies: Vec<Value> = messages
        .into_iter()
        .map(|(name, schema)| {
            let mut schema = tagged(schema, "type", name);
            require(&mut schema, "type");
            schema["properties"]["seq"] = seq.clone();
            if schema["properties"].get("no_results").is_some() {
                schema["properties"]["no_results"] = json!({ "const": true });
            } else if matches!(name, "answer" | "solution" | "swap" | "opening") {
                schema["not"] = json!({ "required": ["no_results"] });
            }
            schema
        })
        .collect();
    let mut definitions = generator.take_definitions(true);
    definitions.insert("query".to_owned(), json!({ "oneOf": queries }));
    definitions.insert("reply".to_owned(), json!({ "oneOf": replies }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Tengen JSON protocol, version {VERSION}"),
        "description": "A line is one object: a query of the client or a reply of the server.",
        "anyOf": [{ "$ref": "#/$defs/query" }, { "$ref": "#/$defs/reply" }],
        "$defs": definitions,
    })
}

/// Returns `schema` with a field `tag` whose value is always `name`.
fn tagged(schema: Schema, tag: &str, name: &str) -> Value {
    let mut schema = schema.to_value();
    schema["properties"][tag] = json!({ "const": name });
    schema["title"] = name.into();
    schema["additionalProperties"] = true.into();
    schema
}

fn require(schema: &mut Value, field: &str) {
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.insert(0, field.into());
    schema["required"] = required.into();
}
