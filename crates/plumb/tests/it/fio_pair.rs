//! Do `plumb fio` and fio report the same for the same command line?

// Modules for Linux alone use the rest of it.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::plumb_in;

/// `~` stands for a space within a word.
fn words(line: &str) -> impl Iterator<Item = String> {
    line.split_whitespace().map(|word| word.replace('~', " "))
}

/// `~` in the line stands for a space within a word.
pub fn by_plumb(folder: &Path, line: &str) -> Output {
    plumb_in(folder, "fio")
        .args(words(line))
        .output()
        .expect("started")
}

/// The same by fio, without the word that plumb alone has; `None` where fio is not installed.
pub fn by_fio(folder: &Path, line: &str) -> Option<Output> {
    let output = Command::new("fio")
        .current_dir(folder)
        .args(words(line).filter(|word| word != "--allow-exec"))
        .output();
    if output.is_err() {
        println!("skipped: fio is not installed: '{line}' is not compared with it");
    }
    output.ok()
}

/// With the result as JSON.
pub fn json_by_plumb(folder: &Path, line: &str) -> Output {
    by_plumb(folder, &format!("--output-format=json {line}"))
}

/// The same by fio.
pub fn json_by_fio(folder: &Path, line: &str) -> Option<Output> {
    by_fio(folder, &format!("--output-format=json {line}"))
}

/// The jobs of a result as JSON.
pub fn jobs(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let start = text
        .find('{')
        .unwrap_or_else(|| panic!("no JSON: {text}{said}"));
    let document: Value = serde_json::from_str(&text[start..]).expect("JSON");
    document["jobs"].as_array().expect("jobs").clone()
}
