//! Does the library work in a real browser? Headless Chromium, controlled over its debugging pipe.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::left_in;
use crate::serve::{Server, other_into, run_into};
use crate::serve_live::{LONG, eventually, moments};

/// A browser that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Chromium with one page. Messages are JSON, each ended by a zero byte (--remote-debugging-pipe).
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Vec<u8>>,
    number: u64,
    session: Value,
    /// What the browser said of itself: refused scripts, errors.
    complaints: VecDeque<String>,
    _profile: TempDir,
}

impl Browser {
    /// `None`, with the reason, where there is no Chromium.
    pub fn start() -> Option<Browser> {
        let profile = tempfile::tempdir().expect("folder");
        let flags = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --remote-debugging-pipe --window-size=1400,900";
        // The browser reads from descriptor 3 and writes to 4.
        let line = format!(
            "exec chromium {flags} --user-data-dir={} about:blank 3<&0 4>&1 >/dev/null",
            profile.path().display()
        );
        let found = Command::new("bash")
            .args(["-c", "command -v chromium"])
            .output()
            .expect("bash");
        if !found.status.success() {
            println!("skipped: there is no chromium here");
            return None;
        }
        let mut child = Command::new("bash")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let (to, from) = (
            child.stdin.take().expect("piped"),
            child.stdout.take().expect("piped"),
        );
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let messages = BufReader::new(from).split(0).map_while(Result::ok);
            messages.for_each(|message| drop(send.send(message)));
        });
        let mut browser = Browser {
            child,
            to,
            from: messages,
            number: 0,
            session: Value::Null,
            complaints: VecDeque::new(),
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": page["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].clone();
        for domain in ["Page.enable", "Log.enable", "Runtime.enable"] {
            browser.call(domain, json!({}));
        }
        Some(browser)
    }

    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.asked(method, parameters)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn asked(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .expect("sent");
        loop {
            let answer = self.from.recv_timeout(PATIENCE);
            let answer = answer.unwrap_or_else(|error| panic!("{method}: the browser: {error}"));
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            if answer["id"] == json!(self.number) {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(error.clone()),
                };
            }
            match answer["method"].as_str() {
                Some("Log.entryAdded") => self
                    .complaints
                    .push_back(answer["params"]["entry"]["text"].to_string()),
                Some("Runtime.exceptionThrown") => self.complaints.push_back(answer.to_string()),
                _ => {}
            }
        }
    }

    /// The value of an expression in the page; null while the page is on its way.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true});
        match self.asked("Runtime.evaluate", parameters) {
            Ok(result) => result["result"]["value"].clone(),
            Err(_) => Value::Null,
        }
    }

    /// What the promise of an expression gives.
    ///
    /// Errors: the page was left before it was fulfilled, or the expression threw.
    pub fn awaited(&mut self, expression: &str) -> Result<Value, Value> {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.asked("Runtime.evaluate", parameters)?;
        match &result["exceptionDetails"] {
            Value::Null => Ok(result["result"]["value"].clone()),
            thrown => Err(thrown.clone()),
        }
    }

    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression)
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    pub fn go(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.until("document.readyState === 'complete'");
    }

    /// Waits until this is true in the page.
    pub fn until(&mut self, expression: &str) {
        eventually(expression, || {
            (self.value(expression) == json!(true)).then_some(())
        });
    }

    /// Clicks, as a finger would: where the middle of the element is, once its page is whole and shown.
    fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const e = document.querySelector({}); if (!e || document.readyState !== 'complete') return null; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(selector)
        );
        let place = eventually(selector, || {
            Some(self.value(&place)).filter(|place| place[0].is_number())
        });
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    fn write(&mut self, selector: &str, text: &str) {
        self.click(selector);
        self.call("Input.insertText", json!({"text": text}));
    }

    /// What the browser complained of since the last look, but for pages that were refused on purpose.
    fn complaints(&mut self) -> Vec<String> {
        self.complaints
            .drain(..)
            .filter(|text| !text.contains("Failed to load resource"))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ROWS: &str = "document.querySelectorAll('input[name=run]').length";

#[test]
fn the_list_is_filtered_and_runs_are_compared_by_clicks() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "first", "--tag nightly");
    run_into(folder.path(), "second", "--tag nightly");
    other_into(folder.path(), "third", "");
    let server = Server::start(folder.path(), "");
    let site = format!("http://{}/", server.address);
    browser.go(&site);
    assert!(
        browser
            .text("document.body.innerText")
            .contains("needs the token")
    );
    browser.go(&format!("{site}?token={}", server.token));
    assert_eq!(
        browser.text("location.href"),
        site,
        "the token does not stay in the address"
    );
    assert_eq!(
        browser.value("document.cookie"),
        json!(""),
        "no script reads the cookie"
    );
    assert_eq!(browser.value(ROWS), json!(3));
    let headline = browser.text("document.querySelector('td[data-label]').innerText");
    assert!(headline.contains("B/s"), "a figure of the run: {headline}");
    browser.write("input[name=tag]", "nightly");
    browser.click(".filters button");
    browser.until("location.search.includes('tag=nightly')");
    browser.until(&format!("{ROWS} === 2"));
    browser.click("tbody tr:nth-child(1) input");
    browser.click("tbody tr:nth-child(2) input");
    browser.click("form[action='/compare'] button");
    browser.until("location.pathname === '/compare' && document.readyState === 'complete'");
    let compared = browser.text("document.body.innerText");
    for word in ["Verdict", "first", "second", "undecided"] {
        assert!(compared.contains(word), "{compared}");
    }
    browser.click(".serve-bar a");
    browser.until(&format!("location.pathname === '/' && {ROWS} === 3"));
    browser.click("p.tally a");
    browser.until(
        "location.pathname === '/trend' && document.querySelectorAll('.choices a').length === 2",
    );
    browser.click(".choices a");
    browser.until(
        "location.search.includes('plan=') && document.querySelector('figure svg') !== null",
    );
    // A report page, whose script must be one that the policy lets run.
    browser.go(&site);
    browser.click("tbody tr:nth-child(1) th a");
    browser.until("location.pathname.startsWith('/run/') && document.readyState === 'complete'");
    browser.until("document.querySelector('.tools button') !== null");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // The policy refuses what does not belong to the server.
    browser.value("(() => { const s = document.createElement('script'); s.textContent = 'window.wrong = 1'; document.body.append(s); })()");
    assert_eq!(browser.value("typeof window.wrong"), json!("undefined"));
    assert!(
        browser
            .complaints()
            .iter()
            .any(|text| text.contains("Content Security Policy"))
    );
}

#[test]
fn a_run_is_started_watched_and_stopped_by_clicks() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "old", "");
    std::fs::write(folder.path().join("long.toml"), LONG).expect("written");
    let server = Server::start(folder.path(), "--allow-run long.toml --allow-target data");
    browser.go(&format!(
        "http://{}/?token={}",
        server.address, server.token
    ));
    browser.click("form[data-post='/start'] button");
    browser
        .until("location.pathname.endsWith('/live') && document.querySelector('dl.now') !== null");
    browser.until("document.querySelector('dl.now').dataset.at !== '0.000'");
    let moment = "document.querySelector('dl.now').dataset.at";
    let figure = "document.querySelector('dl.now dd').innerText";
    let (first, shown) = (browser.text(moment), browser.text(figure));
    browser.until(&format!("{moment} !== '{first}'"));
    let later = browser.text(moment);
    assert!(shown.ends_with("/s"), "operations per second: {shown}");
    let run = left_in(&folder.path().join("library"))
        .into_iter()
        .find(|name| name.contains("long"))
        .expect("its folder");
    let recorded = moments(&folder.path().join("library").join(run));
    assert!(
        recorded.contains(&first) && recorded.contains(&later),
        "{first} and {later} are in the record: {recorded:?}"
    );
    browser.until("document.querySelectorAll('figure svg').length === 2");
    browser.click("button[data-post='/stop']");
    browser.until("document.querySelector('[data-end]') !== null");
    browser.click("[data-end] a");
    browser.until("location.pathname.startsWith('/run/') && !location.pathname.endsWith('/live') && document.readyState === 'complete'");
    let report = browser.text("document.body.innerText");
    assert!(report.contains("interrupted"), "{report}");
    assert_eq!(
        left_in(&folder.path().join("data")),
        Vec::<String>::new(),
        "what the run made is removed"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn without_scripts_everything_can_be_read() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "a", "");
    run_into(folder.path(), "b", "");
    let server = Server::start(folder.path(), "");
    let key = server.keys().remove(0);
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    );
    browser.go(&format!("http://{}/login", server.address));
    browser.write("input[name=token]", &server.token);
    browser.click("form[action='/login'] button");
    browser.until("location.pathname === '/'");
    browser.until(&format!("{ROWS} === 2"));
    browser.click("tbody tr:nth-child(1) input");
    browser.click("tbody tr:nth-child(2) input");
    browser.click("form[action='/compare'] button");
    browser
        .until("location.pathname === '/compare' && document.querySelector('figure svg') !== null");
    browser.go(&format!("http://{}/run/{key}/live", server.address));
    let live = browser.text("document.body.innerText");
    assert!(
        live.contains("Completed steps") && live.contains("The run has finished."),
        "{live}"
    );
}
