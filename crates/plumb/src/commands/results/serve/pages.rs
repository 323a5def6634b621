//! Which page does an address stand for? Everything that the server answers is made here, from what the shelf holds.

mod kept;
mod made;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plumb_model::results::headline::Headline;
use plumb_model::run::library::Listing;
use plumb_model::statement::Statement;
use plumb_run::measurement::followed::Followed;
use plumb_show::live::web::{self, LibraryPage, LivePage, Row, RowFigures, RunForm, Site};
use plumb_words::Words;

use super::answer::{Answer, BrowserRequest, Trouble};
use super::door::{Door, Entry};
use super::query::{filters, pairs, query_of, selection, value};
use super::runner::Runner;
use super::shelf::{Found, Shelf, Shelved, key};
use super::slots::Slots;
use kept::Kept;

/// Rows of one page of the list.
const ROWS: usize = 50;
/// Records that are read at the same time.
const READERS: u32 = 2;
/// How long a page waits until others are read.
const READER_WAIT: Duration = Duration::from_secs(40);
/// How long a list may read records for its figures; the others follow when it is loaded again.
const FIGURES_TIME: Duration = Duration::from_millis(1200);
/// Runs that are followed at the same time.
const FOLLOWED_MAX: usize = 8;
/// Runs that are compared on one page.
const COMPARED_MAX: usize = 8;

/// A run that is followed, by its key.
type Follow = (String, Arc<Mutex<Followed>>);

/// The server without its connections.
pub struct Pages {
    door: Door,
    shelf: Shelf,
    runner: Option<Runner>,
    words: Words,
    slots: Slots,
    kept: Kept,
    followed: Mutex<Vec<Follow>>,
}

impl Pages {
    pub fn new(door: Door, shelf: Shelf, runner: Option<Runner>, words: Words) -> Pages {
        Pages {
            door,
            shelf,
            runner,
            words,
            slots: Slots::new(READERS),
            kept: Kept::default(),
            followed: Mutex::default(),
        }
    }

    pub fn words(&self) -> Words {
        self.words
    }

    /// Ends the run that goes on here, if one does.
    pub fn end(&self) {
        self.runner.iter().for_each(Runner::end);
    }

    fn site(&self) -> Site<'_> {
        Site {
            words: self.words,
            plumb_version: env!("CARGO_PKG_VERSION"),
            key: self.runner.as_ref().map(|_| self.door.key()),
            has_script: true,
        }
    }

    /// Answers. Whatever goes wrong with one page is said on it.
    pub fn answer(&self, request: &BrowserRequest) -> Answer {
        let made = match self.door.enter(request) {
            Ok(Entry::Welcome(answer)) => return answer,
            Ok(Entry::In) => self.page(request),
            Err(trouble) => Err(trouble),
        };
        made.unwrap_or_else(|trouble| self.refusal(request, &trouble))
    }

    fn refusal(&self, request: &BrowserRequest, trouble: &Trouble) -> Answer {
        let text = trouble.text(self.words);
        // The script shows it as a text. To who has no token nothing is told but how to get in.
        if !request.only_reads() && request.path != "/login" {
            return Answer::text(trouble.status(), text);
        }
        let site = Site {
            key: None,
            has_script: false,
            ..self.site()
        };
        let html = if *trouble == Trouble::Token {
            web::token_html(site, &text)
        } else {
            web::message_html(site, &text)
        };
        Answer::html(trouble.status(), html)
    }

    fn page(&self, request: &BrowserRequest) -> Result<Answer, Trouble> {
        let query = pairs(&request.query).ok_or(Trouble::Request)?;
        let parts: Vec<&str> = request.path.split('/').skip(1).collect();
        if !request.only_reads() {
            return match (request.method.as_str(), parts.as_slice()) {
                ("POST", ["start"]) => self.start(&request.body),
                ("POST", ["stop"]) => self.stop(),
                _ => Err(Trouble::Method),
            };
        }
        match parts.as_slice() {
            [""] => self.library(&query),
            ["script.js"] => Ok(Answer::script(web::SCRIPT)),
            ["run", run] => self.run(run),
            ["run", run, "live"] => self.live(run, false),
            ["run", run, "part"] => self.live(run, true),
            ["running"] => self.running(),
            ["compare"] => self.compare(&query),
            ["trend"] => self.trend(&query),
            _ => Err(Trouble::NotFound),
        }
    }

    fn start(&self, body: &str) -> Result<Answer, Trouble> {
        let runner = self.runner.as_ref().ok_or(Trouble::ReadOnly)?;
        let form = pairs(body).ok_or(Trouble::Request)?;
        runner.start(value(&form, "plan"), value(&form, "target"))?;
        Ok(Answer::text(200, "/running".into()))
    }

    fn stop(&self) -> Result<Answer, Trouble> {
        self.runner.as_ref().ok_or(Trouble::ReadOnly)?.stop()?;
        Ok(Answer::text(200, "/running".into()))
    }

    /// Where what was started here is to be seen now.
    fn running(&self) -> Result<Answer, Trouble> {
        let runner = self.runner.as_ref().ok_or(Trouble::ReadOnly)?;
        let Some(current) = runner.current() else {
            return Ok(match runner.last() {
                Some(folder)
                    if runner.failure().is_none() && self.shelf.run(&key(&folder)).is_ok() =>
                {
                    Answer::elsewhere(format!("/run/{}/live", key(&folder)))
                }
                _ => Answer::elsewhere("/".into()),
            });
        };
        if self.shelf.run(&key(&current.folder)).is_ok() {
            return Ok(Answer::elsewhere(format!(
                "/run/{}/live",
                key(&current.folder)
            )));
        }
        let message = Statement::new("web-preparing")
            .name("plan", &current.plan)
            .name("target", &current.target);
        Ok(Answer::html(
            200,
            web::waiting_html(self.site(), &self.words.sentence(&message), "/running"),
        ))
    }

    fn library(&self, query: &[(String, String)]) -> Result<Answer, Trouble> {
        let filters = filters(query);
        let (selection, misunderstood) = selection(&filters);
        let found = self.shelf.look();
        let fitting: Vec<&Shelved> = found
            .runs
            .iter()
            .filter(|run| selection.fits(&run.listing))
            .collect();
        let pages = fitting.len().div_ceil(ROWS).max(1);
        let page = value(query, "page")
            .parse::<usize>()
            .unwrap_or(1)
            .clamp(1, pages);
        let shown = fitting.iter().skip((page - 1) * ROWS).take(ROWS);
        let names = |of: &dyn Fn(&Listing) -> Vec<String>| names(&found, of);
        let current = self
            .runner
            .as_ref()
            .and_then(Runner::current)
            .map(|current| {
                let message = Statement::new("web-current")
                    .name("plan", &current.plan)
                    .name("target", &current.target);
                self.words.sentence(&message)
            });
        let failure = self.runner.as_ref().and_then(Runner::failure);
        let library = LibraryPage {
            rows: self.rows(shown),
            query: query_of(&filters),
            filters,
            misunderstood,
            plans: names(&|run| vec![run.plan.clone()]),
            hosts: names(&|run| run.host.clone().into_iter().collect()),
            tags: names(&|run| run.tags.clone()),
            fitting: fitting.len(),
            found: found.runs.len(),
            page,
            pages,
            unreadable: found.unreadable.clone(),
            links: found.links,
            run: self.runner.as_ref().map(|runner| RunForm {
                plans: runner.plans(),
                targets: runner.targets(),
                current: current.as_deref(),
                failure: failure.as_deref(),
            }),
        };
        Ok(Answer::html(200, web::library_html(self.site(), &library)))
    }

    fn rows<'a>(&self, runs: impl Iterator<Item = &'a &'a Shelved>) -> Vec<Row> {
        let until = Instant::now() + FIGURES_TIME;
        let row = |run: &&Shelved| {
            let kept = || self.kept.headline(run);
            let indexed = run.headline.clone();
            let known = indexed.map(|headline| Ok(headline.unwrap_or_default()));
            let known = known.or_else(kept);
            // Nobody waits for figures: what others read now comes with the next look. A run that goes on has no best figures yet.
            let may_read = known.is_none() && !run.is_recorded_now && Instant::now() < until;
            let slot = may_read.then(|| self.slots.take(Duration::ZERO)).flatten();
            let known = known.or_else(|| {
                slot.as_ref().map(|_| {
                    let made = made::headline(&run.folder);
                    if let Ok(headline) = &made {
                        let told = (*headline != Headline::default()).then(|| headline.clone());
                        self.shelf.keep_headline(run, told);
                    }
                    self.kept.keep_headline(run, made)
                })
            });
            Row {
                key: run.key.clone(),
                listing: run.listing.clone(),
                is_recorded_now: run.is_recorded_now,
                figures: match known {
                    None => RowFigures::Pending,
                    Some(Ok(headline)) => RowFigures::Known(headline),
                    Some(Err(trouble)) => RowFigures::Unreadable(trouble.text(self.words)),
                },
            }
        };
        runs.map(row).collect()
    }

    /// A page that takes reading of records: kept for as long as none of them changes.
    fn read(
        &self,
        name: &str,
        runs: &[Shelved],
        make: impl FnOnce() -> Result<String, Trouble>,
    ) -> Result<Answer, Trouble> {
        let stamps: Vec<_> = runs.iter().map(|run| run.stamp).collect();
        if let Some(html) = self.kept.page(name, &stamps) {
            return Ok(Answer::html(200, html.to_string()));
        }
        let slot = self.slots.take(READER_WAIT).ok_or(Trouble::TooLong)?;
        let html = made::caught(make)?;
        drop(slot);
        self.kept.keep_page(name, stamps, &html);
        Ok(Answer::html(200, html))
    }

    fn run(&self, run: &str) -> Result<Answer, Trouble> {
        let run = self.shelf.run(run)?;
        let address = format!("/run/{}/live", run.key);
        let live = run
            .is_recorded_now
            .then(|| (address, self.words.label("label-web-live")));
        let links: Vec<(String, String)> = live.into_iter().collect();
        let make = || {
            Ok(web::framed(
                &made::report(&run.folder)?,
                self.site(),
                &links,
            ))
        };
        // Whether it still goes on is said on the page.
        let name = format!("/run/{} {}", run.key, run.is_recorded_now);
        self.read(&name, std::slice::from_ref(&run), make)
    }

    /// The live page, or the part of it that changes.
    fn live(&self, run: &str, is_part: bool) -> Result<Answer, Trouble> {
        let run = self.shelf.run(run)?;
        let followed = self.follow(&run)?;
        let mut followed = followed.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let read = followed.read();
            read.map_err(|error| Trouble::Said(error.to_string()))
        };
        made::caught(read)?;
        let is_own = |folder: &Path| {
            self.runner
                .as_ref()
                .and_then(Runner::current)
                .is_some_and(|current| current.folder == folder)
        };
        let of = LivePage {
            key: &run.key,
            live: followed.live(),
            state: followed.state(),
            is_recorded_now: run.is_recorded_now,
            may_stop: is_own(&run.folder),
        };
        Ok(Answer::html(
            200,
            if is_part {
                web::live_part(of, self.words)
            } else {
                web::live_html(self.site(), of)
            },
        ))
    }

    fn follow(&self, run: &Shelved) -> Result<Arc<Mutex<Followed>>, Trouble> {
        // A folder may be taken by another run.
        let name = format!("{} {}", run.key, run.listing.id);
        let mut all = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = all.iter().find(|(known, _)| *known == name) {
            return Ok(known.clone());
        }
        let followed =
            Followed::open(&run.folder).map_err(|error| Trouble::Said(error.to_string()))?;
        let followed = Arc::new(Mutex::new(followed));
        if all.len() == FOLLOWED_MAX {
            all.remove(0);
        }
        all.push((name, followed.clone()));
        Ok(followed)
    }

    fn compare(&self, query: &[(String, String)]) -> Result<Answer, Trouble> {
        let mut keys: Vec<&str> = query
            .iter()
            .filter(|(name, _)| name == "run")
            .map(|(_, key)| key.as_str())
            .collect();
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(*key));
        if !(2..=COMPARED_MAX).contains(&keys.len()) {
            return Err(Trouble::TwoRuns);
        }
        let mut runs = keys
            .iter()
            .map(|key| self.shelf.run(key))
            .collect::<Result<Vec<Shelved>, Trouble>>()?;
        // The older one is the baseline, in whichever order they were ticked.
        runs.sort_by_key(|run| run.listing.started_unix_ns);
        let keys: Vec<&str> = runs.iter().map(|run| run.key.as_str()).collect();
        let make = || {
            Ok(web::framed(
                &made::comparison(&runs, self.words)?,
                self.site(),
                &[],
            ))
        };
        self.read(&format!("/compare {}", keys.join(" ")), &runs, make)
    }

    fn trend(&self, query: &[(String, String)]) -> Result<Answer, Trouble> {
        let filters = filters(query);
        let (selection, _) = selection(&filters);
        let found = self.shelf.look();
        let runs: Vec<Shelved> = found
            .runs
            .iter()
            .filter(|run| selection.fits(&run.listing))
            .cloned()
            .collect();
        let choices = made::choices(&runs, &filters);
        if choices.len() > 1 {
            return Ok(Answer::html(200, web::choices_html(self.site(), &choices)));
        }
        if runs.is_empty() {
            return Err(Trouble::NoRun);
        }
        let make = || {
            Ok(web::framed(
                &made::trend(&self.shelf, &found, &runs, self.words)?,
                self.site(),
                &[],
            ))
        };
        self.read(&format!("/trend {}", query_of(&filters)), &runs, make)
    }
}

/// The names that occur in all runs, sorted.
fn names(found: &Found, of: &dyn Fn(&Listing) -> Vec<String>) -> Vec<String> {
    let all: std::collections::BTreeSet<String> =
        found.runs.iter().flat_map(|run| of(&run.listing)).collect();
    all.into_iter().collect()
}
