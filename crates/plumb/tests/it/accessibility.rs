//! Does each page pass the rules of WCAG 2.2, A and AA, that axe-core checks? In light and dark, on a wide screen and at 390 px, with every part unfolded.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::export::consumer;
use crate::serve::{Server, run_into};
use crate::serve_browser::Browser;
use crate::{measured, plumb_in};

/// axe-core, which `./dev test` installs as part of axe-playwright-python.
fn axe() -> Option<String> {
    let python = consumer("python")?;
    let library = python.parent()?.parent()?.join("lib");
    let of_version = std::fs::read_dir(library).expect("the folder lib");
    let file = of_version
        .flatten()
        .map(|entry| {
            entry
                .path()
                .join("site-packages/axe_playwright_python/axe.min.js")
        })
        .find(|file| file.exists());
    if file.is_none() {
        println!("skipped: axe-core is not installed; ./dev test installs it");
    }
    Some(std::fs::read_to_string(file?).expect("axe-core"))
}

/// Unfolds every part. The shades at the edges of what scrolls are gradients, on which axe computes no contrast.
const PREPARE: &str = "document.querySelectorAll('details').forEach(part => { part.open = true; });
document.querySelectorAll('.drawing,.scroll').forEach(part => { part.style.background = 'none'; });
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))";

const CHECK: &str = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations']}).then(result => ({
  violations: result.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 120)}`)),
  passed: result.passes.map(rule => rule.id),
  wider: document.documentElement.scrollWidth > innerWidth,
}))";

/// Opens the page in light and wide, and in dark and narrow. Appends each violation to `violations`.
fn check_page(browser: &mut Browser, axe: &str, address: &str, violations: &mut Vec<String>) {
    // Colors do not depend on the width, and what scrolls does not on the colors: each of both once.
    for (scheme, width, height) in [("light", 1280, 900), ("dark", 390, 844)] {
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.call("Emulation.setEmulatedMedia", json!({"features": feature}));
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser.go(address);
        browser.until(&format!(
            "matchMedia('(prefers-color-scheme: {scheme})').matches && innerWidth === {width}"
        ));
        let result = checked(browser, axe);
        let title = browser.text("document.title");
        let found = result["violations"].as_array().expect("a list");
        let page = format!("{address} ({title}), {scheme}, {width} px");
        violations.extend(found.iter().map(|text| format!("{page}: {text}")));
        if result["wider"] == true {
            violations.push(format!("{page}: the page scrolls sideways"));
        }
        // The rules did run: each page has text, a language and a title.
        for rule in ["color-contrast", "html-has-lang", "document-title"] {
            let passed = result["passed"].as_array().expect("a list");
            assert!(passed.contains(&json!(rule)), "{page}: {rule}: {result:#}");
        }
    }
}

/// What axe reports of the page as it is now. Where the page loads itself again meanwhile, as one of a run does that has ended, it starts over.
fn checked(browser: &mut Browser, axe: &str) -> Value {
    let mut errors = Vec::new();
    for _ in 0..5 {
        browser.until("document.readyState === 'complete'");
        let prepared = browser.awaited(PREPARE);
        browser.value(&format!("{axe};0"));
        match prepared.and_then(|_| browser.awaited(CHECK)) {
            Ok(result) => return result,
            Err(error) => errors.push(error),
        }
    }
    panic!("{errors:#?}")
}

/// Writes one page of each kind into `folder`.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    // A path without a place to break the line, wider than the narrow screen.
    let deep = folder.join("counters_".repeat(12));
    std::fs::create_dir(&deep).expect("created");
    let counters = deep.join("e5-one-thread.csv");
    std::fs::copy(testdata.join("pdh/e5-one-thread.csv"), &counters).expect("copied");
    let counters = counters.display().to_string();
    let capture = testdata.join("captures/reads.pcap").display().to_string();
    for name in ["first", "second", "third"] {
        run_into(folder, name, "--rounds 2");
    }
    std::fs::write(folder.join("grid.toml"), GRID).expect("written");
    let lines = [
        "check data --size 16m --time 3s --quiet --no-report --output check".to_string(),
        "show check --report check.html".to_string(),
        "run grid.toml null: --time 50ms --quiet --no-report --output grid".to_string(),
        "show grid --report grid.html".to_string(),
        "compare library/first library/second --report compare.html".to_string(),
        "trend library --report trend.html".to_string(),
        "list library --report list.html".to_string(),
        "layers --device none --files data --cached --network loopback --size 2m --time 60ms --rounds 2 --budget 1ms --set interval=20ms --set warm-up=0 --quiet --output layers".to_string(),
        "layers --from layers --report layers.html".to_string(),
        format!("explain {counters} --ceiling 280m --report explain.html"),
        format!("trace --pcap {capture} --report trace.html"),
        "watch --quiet --output watch -- sleep 1".to_string(),
        "show watch --report watch.html".to_string(),
    ];
    let mut pages = Vec::new();
    for line in lines {
        let output = plumb_in(folder, &line).output().expect("started");
        // A severe finding may be true of the machine that runs the test.
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        if let Some((_, page)) = line.split_once("--report ") {
            pages.push(folder.join(page));
        }
    }
    pages
}

/// Two swept keys: a table with shaded cells.
const GRID: &str = "name = 'grid'\n[[step]]\nname = 'reads'\npattern = 'random-read'\nsweep = { depth = [1, 4, 16], block = ['4k', '64k'] }\n";

#[test]
fn every_page_passes_axe() {
    let (Some(axe), Some(mut browser)) = (axe(), Browser::start()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let mut violations = Vec::new();
    for page in pages(folder.path()) {
        let address = format!("file://{}", page.display());
        check_page(&mut browser, &axe, &address, &mut violations);
    }
    let server = Server::start(folder.path(), "");
    let site = format!("http://{}", server.address);
    check_page(
        &mut browser,
        &axe,
        &format!("{site}/login"),
        &mut violations,
    );
    browser.go(&format!("{site}/?token={}", server.token));
    let keys = server.keys();
    for path in [
        "/".to_string(),
        "/trend".to_string(),
        format!("/run/{}", keys[0]),
        format!("/run/{}/live", keys[0]),
        format!("/compare?run={}&run={}", keys[0], keys[1]),
    ] {
        check_page(
            &mut browser,
            &axe,
            &format!("{site}{path}"),
            &mut violations,
        );
    }
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
}

#[test]
fn axe_reports_a_button_inside_an_image_and_a_table_that_the_keyboard_does_not_reach() {
    let (Some(axe), Some(mut browser)) = (axe(), Browser::start()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    measured(plumb_in(
        folder.path(),
        "run --target null: --pattern random-read --time 100ms --json --quiet --output run",
    ));
    let page = folder.path().join("run/report.html");
    browser.go(&format!("file://{}", page.display()));
    let before = checked(&mut browser, &axe);
    assert_eq!(before["violations"], json!([]));
    browser.value(
        "document.querySelectorAll('.drawing svg').forEach(figure => figure.setAttribute('role', 'img'));
         const box = document.body.appendChild(document.createElement('div'));
         const text = box.appendChild(document.createElement('p'));
         text.textContent = 'wide '.repeat(500);
         Object.assign(box.style, {overflow: 'auto', width: '9rem', height: '3rem'});
         Object.assign(text.style, {width: '50rem', height: '20rem'});
         document.querySelectorAll('p').forEach(text => { text.style.color = '#bbb'; }); 0",
    );
    let planted = checked(&mut browser, &axe)["violations"].to_string();
    for rule in [
        "nested-interactive",
        "scrollable-region-focusable",
        "color-contrast",
    ] {
        assert!(planted.contains(rule), "{rule}: {planted}");
    }
}
