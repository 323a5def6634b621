//! Are pages usable? Opened in Chromium: values at the pointer, zoom, legend, scale, theme and saved images.

use std::path::Path;
use std::process::Command;

use crate::{measured, plumb_in};
use serde_json::Value;

/// What a reader does, as a script: it moves the pointer over every interval, zooms, hides a series, changes scale and theme, and saves.
const READER: &str = include_str!("pages/reader.js");

/// Chromium without a screen, with a profile of its own; None where it is not installed.
fn chromium(profile: &Path) -> Option<Command> {
    if Command::new("chromium").arg("--version").output().is_err() {
        println!("skipped: no Chromium is installed, so that no page was opened");
        return None;
    }
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--window-size=1400,900", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()));
    Some(command)
}

/// What Chromium makes of a page with a script of the test at its end: what the script leaves in the element `result`. None without Chromium.
fn in_browser(page: &Path, script: &str) -> Option<Value> {
    let folder = tempfile::tempdir().expect("folder");
    let mut chromium = chromium(&folder.path().join("profile"))?;
    let html = std::fs::read_to_string(page).expect("the page");
    let at = html.rfind("</body>").expect("a body");
    let probe = format!(
        "<pre id=\"result\"></pre>\n<script>\n{script}</script>\n{}",
        &html[at..]
    );
    let file = folder.path().join("page.html");
    std::fs::write(&file, format!("{}{probe}", &html[..at])).expect("written");
    let output = chromium
        .arg("--dump-dom")
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

#[test]
fn the_page_of_a_check_shows_a_chart_at_once_and_fits_six_sheets() {
    let place = tempfile::tempdir().expect("folder");
    let line = "check --size 16m --time 3s --json --quiet --output out";
    measured(plumb_in(place.path(), line));
    let page = place.path().join("out/report.html");
    let first = "const box = document.querySelector('#chart svg').getBoundingClientRect();\n\
         const shown = document.querySelectorAll('#verdict > ol > li').length;\n\
         document.getElementById('result').textContent = JSON.stringify({bottom: box.bottom, shown});\n";
    let Some(result) = in_browser(&page, first) else {
        return;
    };
    assert!(
        result["bottom"].as_f64().expect("a place") <= 900.0,
        "{result}"
    );
    assert!(result["shown"].as_u64().expect("a count") <= 5, "{result}");
    let pdf = place.path().join("page.pdf");
    let printed = chromium(&place.path().join("profile"))
        .expect("it was there before")
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("Chromium ran");
    let pdf = std::fs::read(&pdf).unwrap_or_else(|error| panic!("{error}: {printed:?}"));
    let pdf = String::from_utf8_lossy(&pdf);
    let sheets = pdf.matches("/Type /Page\n").count();
    assert!((1..=6).contains(&sheets), "{sheets} sheets");
}
