//! Which texts stand in the code of a source?

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use crate::workspace::Source;

/// Texts in quotes of code that ships, with their lines; without raw texts.
pub fn shipped_literals(source: &Source) -> Vec<(String, usize)> {
    let shipped: BTreeSet<usize> = source
        .shipped_lines()
        .into_iter()
        .map(|(line, _)| line)
        .collect();
    let found = source.code.literals.iter();
    found
        .filter(|(_, line)| shipped.contains(line))
        .cloned()
        .collect()
}

pub(crate) fn collect(tokens: TokenStream, found: &mut Vec<(String, usize)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let written = literal.to_string();
                if let Some(text) = written
                    .strip_prefix('"')
                    .and_then(|rest| rest.strip_suffix('"'))
                {
                    found.push((text.to_string(), literal.span().start().line));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn texts_of_code_that_ships_are_found() {
    let source = Source::new(
        "crates/x/src/y.rs",
        "/// \"no\"\nfn a() { b!(\"one {}\",\n    \"two\") }\n#[cfg(test)]\nmod t { const C: &str = \"three\"; }\n",
    );
    let text = |found: Vec<(String, usize)>| -> Vec<String> {
        let found = found.into_iter().filter(|(text, _)| !text.starts_with(' '));
        found.map(|(text, line)| format!("{line} {text}")).collect()
    };
    assert_eq!(text(shipped_literals(&source)), ["2 one {}", "3 two"]);
    assert_eq!(
        text(source.code.literals.clone()),
        ["2 one {}", "3 two", "5 three"]
    );
}
