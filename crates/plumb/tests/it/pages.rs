//! Does a page answer its reader? Opened in Chromium: values at the pointer, zoom, legend, scale, theme and what is saved.

use std::path::Path;
use std::process::Command;

use crate::{measured, plumb_in};
use serde_json::Value;

/// What a reader does, as a script: it moves the pointer over every interval, zooms, hides a series, changes scale and theme, and saves.
const READER: &str = include_str!("pages/reader.js");

/// What Chromium makes of a page with a script of the test at its end: what the script leaves in the element `result`. None without Chromium.
fn in_browser(page: &Path, script: &str) -> Option<Value> {
    if Command::new("chromium").arg("--version").output().is_err() {
        println!("skipped: no Chromium is installed, so that no page was opened");
        return None;
    }
    let folder = tempfile::tempdir().expect("folder");
    let html = std::fs::read_to_string(page).expect("the page");
    let at = html.rfind("</body>").expect("a body");
    let probe = format!(
        "<pre id=\"result\"></pre>\n<script>\n{script}</script>\n{}",
        &html[at..]
    );
    let file = folder.path().join("page.html");
    std::fs::write(&file, format!("{}{probe}", &html[..at])).expect("written");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--window-size=1400,900", "--virtual-time-budget=5000"])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("Chromium ran");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let result = dom
        .split_once("<pre id=\"result\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"))
        .unwrap_or_else(|| panic!("no result: {}", String::from_utf8_lossy(&output.stderr)));
    let text = result.0.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&amp;", "&");
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

#[test]
fn a_page_answers_its_reader() {
    let place = tempfile::tempdir().expect("folder");
    let plan = "name = 'two'\n[[step]]\nname = 'first'\npattern = 'random-read'\n\
                [[step]]\nname = 'second'\npattern = 'random-write'\n";
    std::fs::write(place.path().join("two.toml"), plan).expect("written");
    measured(plumb_in(
        place.path(),
        "run two.toml null: --time 600ms --set interval=100ms --json --quiet --output run",
    ));
    let page = place.path().join("run/report.html");
    let Some(result) = in_browser(&page, READER) else {
        return;
    };
    assert_eq!(result["error"], Value::Null, "{result:#}");
    // Every value at the pointer is the one of the table, which has it from the record.
    let compared = result["compared"].as_u64().expect("a count");
    assert!(compared >= 8, "{result:#}");
    assert_eq!(result["differing"], serde_json::json!([]), "{result:#}");
    for held in [
        "zoomed",
        "reset",
        "hidden",
        "shown",
        "logarithmic",
        "theme",
        "csv",
        "svg",
    ] {
        assert_eq!(result[held], true, "{held}: {result:#}");
    }
}
