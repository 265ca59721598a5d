//! The page of messages, `docs/manual/messages.md`, against the code.
//!
//! A message is a text that the program builds where it refuses, warns or reports a failure: see
//! [`Messages`]. What stands in braces in the code is `…` on the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItemFn, ItemFn, ItemImpl, ItemMod, Lit, LitStr, Meta, Pat, Type};

use crate::structure::{crates, rust_files};
use crate::support::messages_page;

/// Whoever takes one of these as a call, a method or a macro is given a message.
const TAKERS: [&str; 33] = [
    "Err",
    "Ended",
    "Failure",
    "Interrupted",
    "Limited",
    "Note",
    "Options",
    "Refusal",
    "Refused",
    "SearchError",
    "Unreadable",
    "anyhow",
    "bail",
    "broken_off",
    "complain",
    "context",
    "ensure",
    "expected",
    "fail",
    "map_err",
    "mv",
    "note",
    "ok_or",
    "ok_or_else",
    "position",
    "refuse",
    "refuse_for_now",
    "refusal",
    "row_error",
    "spoil",
    "unexpected",
    "warn",
    "with_context",
];

/// What is bound to one of these names is a message, or a part of one.
const NAMES: [&str; 15] = [
    "complaint",
    "expected",
    "fault",
    "known",
    "none",
    "outside",
    "place",
    "reason",
    "refusal",
    "refuse",
    "trouble",
    "unsolved",
    "usual",
    "warning",
    "why",
];

/// What is pushed to one of these fields is a message.
const LISTS: [&str; 2] = ["complaints", "notes"];

/// Who returns one of these returns a message; what is made into one is a message.
const TYPES: [&str; 6] = ["Error", "Fault", "IllegalMove", "NoPoint", "Refusal", "Unfinished"];

/// Functions that make messages, and constants that are messages.
const MAKERS: [&str; 22] = [
    "broken_off",
    "columns",
    "describe",
    "describe_error",
    "describe_moves",
    "expected",
    "kept",
    "overlong",
    "refusal",
    "refuse",
    "row_error",
    "spin",
    "superfluous",
    "unreadable",
    "variant_hint",
    "warning",
    "wrong_game",
    "NO_BOOK",
    "NO_OWN_BOOK",
    "ROW",
    "SIZE",
    "UNPRINTED",
];

/// How a line begins that is a message, whoever writes it.
const BEGINNINGS: [&str; 4] = ["info string ", "ERROR ", "UNKNOWN ", "tengen: "];

/// What is found and is no message: names of rules.
const NO_MESSAGES: [&str; 2] = ["…, a line loses", "…x… board, …"];

/// Folders whose texts no user meets: those for whoever writes a game.
const ELSEWHERE: [&str; 1] = ["engine/src/laws"];

#[test]
fn every_message_of_the_code_is_on_the_page_and_no_other() {
    let (code, page) = (in_the_code(), messages_page::templates());
    let missing: Vec<&String> = code.difference(&page).collect();
    let gone: Vec<&String> = page.difference(&code).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "not on the page: {missing:#?}\nno longer in the code: {gone:#?}"
    );
}

/// Returns the messages of all crates.
fn in_the_code() -> BTreeSet<String> {
    let mut messages = Messages::default();
    for described in crates() {
        let manifest = described["manifest_path"].as_str().expect("a path");
        let folder = Path::new(manifest).parent().expect("a folder").join("src");
        for path in rust_files(&folder) {
            if ELSEWHERE.iter().any(|part| path.to_string_lossy().contains(part)) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            messages.visit_file(&file);
        }
    }
    messages.found
}

/// Collects the messages of a file.
#[derive(Default)]
struct Messages {
    found: BTreeSet<String>,
    /// How many of the things around are known to hold messages alone.
    depth: usize,
}

impl Messages {
    fn within(&mut self, is_message: bool, visit: impl FnOnce(&mut Self)) {
        self.depth += usize::from(is_message);
        visit(self);
        self.depth -= usize::from(is_message);
    }

    fn note(&mut self, text: &str) {
        let is_message = self.depth > 0 || BEGINNINGS.iter().any(|start| text.starts_with(start));
        let text = with_dots(text);
        if is_message && is_sentence(&text) && !NO_MESSAGES.contains(&&*text) {
            self.found.insert(text);
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(Lit::Str(text)) = syn::parse_str::<Lit>(&literal.to_string()) {
                        self.note(&text.value());
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// The last name of a path.
fn last(path: &syn::Path) -> String {
    path.segments.last().map(|part| part.ident.to_string()).unwrap_or_default()
}

/// Whether one of the names of a path takes messages.
fn takes(path: &syn::Path) -> bool {
    path.segments.iter().any(|part| TAKERS.contains(&part.ident.to_string().as_str()))
}

fn is_message_type(name: &str) -> bool {
    TYPES.iter().any(|end| name.ends_with(end))
}

fn returns_message(output: &syn::ReturnType) -> bool {
    match output {
        syn::ReturnType::Type(_, returned) => match &**returned {
            Type::Path(path) => is_message_type(&last(&path.path)),
            _ => false,
        },
        syn::ReturnType::Default => false,
    }
}

impl<'ast> Visit<'ast> for Messages {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::List(list) = &attribute.meta else { return };
        if list.path.is_ident("error") {
            self.within(true, |this| this.tokens(list.tokens.clone()));
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let is_made = ["Display", "From"];
        let is_made =
            item.trait_.as_ref().is_some_and(|(path, _)| is_made.contains(&last(path).as_str()));
        let of = match &*item.self_ty {
            Type::Path(path) => last(&path.path),
            _ => String::new(),
        };
        let is_message = is_made && is_message_type(&of);
        self.within(is_message, |this| visit::visit_item_impl(this, item));
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let is_maker = MAKERS.contains(&item.sig.ident.to_string().as_str());
        let is_message = is_maker || returns_message(&item.sig.output);
        self.within(is_message, |this| visit::visit_item_fn(this, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let is_maker = MAKERS.contains(&item.sig.ident.to_string().as_str());
        let is_message = is_maker || returns_message(&item.sig.output);
        self.within(is_message, |this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let is_message = MAKERS.contains(&item.ident.to_string().as_str());
        self.within(is_message, |this| visit::visit_item_const(this, item));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let is_named = |pattern: &Pat| match pattern {
            Pat::Ident(name) => NAMES.contains(&name.ident.to_string().as_str()),
            _ => false,
        };
        let is_message = match &local.pat {
            Pat::Type(typed) => is_named(&typed.pat),
            other => is_named(other),
        };
        self.within(is_message, |this| visit::visit_local(this, local));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let is_message = match &*call.func {
            Expr::Path(path) => takes(&path.path),
            _ => false,
        };
        self.within(is_message, |this| visit::visit_expr_call(this, call));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_list = match &*call.receiver {
            Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => LISTS.contains(&name.to_string().as_str()),
                syn::Member::Unnamed(_) => false,
            },
            Expr::Path(path) => LISTS.contains(&last(&path.path).as_str()),
            _ => false,
        };
        let is_message = is_list || TAKERS.contains(&call.method.to_string().as_str());
        self.visit_expr(&call.receiver);
        self.within(is_message, |this| {
            for argument in &call.args {
                this.visit_expr(argument);
            }
        });
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let is_message = takes(&called.path);
        self.within(is_message, |this| this.tokens(called.tokens.clone()));
    }

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.note(&text.value());
    }
}

/// Returns whether a text says something: two words at least, one of them in letters.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| word.contains(|c: char| c.is_alphanumeric() || c == '…');
    text.split(' ').filter(is_word).count() > 1 && text.contains(char::is_alphabetic)
}

/// Returns a text of the code with dots for what stands in braces.
fn with_dots(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let Some((_, behind)) = behind.split_once('}') else { break };
        out.push('…');
        rest = behind;
    }
    out.push_str(rest);
    out
}
