//! Which runs of the library are selected? By folder, host, target, plan, tags and date.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use plumb_model::run::library::{Library, Listing};
use plumb_model::text::wildcard::fits;

use crate::settings::preferences;

/// Folders and filters; a run must match all given filters.
#[derive(Debug, Clone, Args)]
pub struct Selection {
    /// Folders to search, including subfolders [default: that of `plumb config`, else the current directory]
    #[arg(value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Only runs of this plan; * matches any text
    #[arg(long, value_name = "NAME")]
    pub plan: Option<String>,
    /// Only runs whose target contains this text; with *, the text must match the complete target
    #[arg(long, value_name = "TEXT")]
    pub target: Option<String>,
    /// Only runs on this host; * matches any text
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Only runs with this tag; if repeated, runs with all of them
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Only runs since this time: 2026-11-01, '2026-11-01 12:00', or an age: 7d, 12h
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub since: Option<Timestamp>,
    /// Only runs until this time; a date includes its day
    #[arg(long, value_name = "WHEN", value_parser = until)]
    pub until: Option<Timestamp>,
}

impl Selection {
    /// The folders to search.
    pub fn roots(&self) -> Vec<PathBuf> {
        match self.folders.as_slice() {
            [] => vec![preferences().output.unwrap_or_else(|| ".".into())],
            named => named.to_vec(),
        }
    }

    /// Whether this run matches, in any folder.
    pub fn fits(&self, run: &Listing) -> bool {
        let started = i128::from(run.started_unix_ns);
        let pattern = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| fits(pattern, text))
        };
        let target = |pattern: &String| {
            if pattern.contains('*') {
                fits(pattern, &run.target)
            } else {
                run.target.contains(pattern)
            }
        };
        pattern(&self.plan, &run.plan)
            && self.target.as_ref().is_none_or(target)
            && pattern(&self.host, run.host.as_deref().unwrap_or_default())
            && self.tags.iter().all(|tag| run.tags.contains(tag))
            && self
                .since
                .is_none_or(|since| since.as_nanosecond() <= started)
            && self
                .until
                .is_none_or(|until| run.started_unix_ns > 0 && started < until.as_nanosecond())
    }

    /// The error if there is no run, with a remedy.
    pub fn nothing_found(&self, library: &Library) -> String {
        let searched = library.searched.join(", ");
        if library.found == 0 {
            return format!(
                "no runs found in {searched} and its subfolders: name the folder of your runs, or create a run with `plumb check`"
            );
        }
        let filters = [
            ("--plan", &self.plan),
            ("--target", &self.target),
            ("--host", &self.host),
        ];
        let mut given: Vec<String> = filters
            .iter()
            .filter_map(|(flag, value)| Some(format!("{flag} {}", value.as_ref()?)))
            .collect();
        given.extend(self.tags.iter().map(|tag| format!("--tag {tag}")));
        given.extend(self.since.map(|since| format!("--since {since}")));
        given.extend(self.until.map(|until| format!("--until {until}")));
        format!(
            "none of the {} runs in {searched} matches {}: `plumb list` without filters shows all runs",
            library.found,
            given.join(" and ")
        )
    }
}

/// The first moment of a date, a moment, or an age before now.
pub fn since(text: &str) -> Result<Timestamp, String> {
    moment(text, 0.days())
}

/// The same; of a date, the first moment after it.
pub fn until(text: &str) -> Result<Timestamp, String> {
    moment(text, 1.day())
}

fn moment(text: &str, after_date: Span) -> Result<Timestamp, String> {
    let zone = TimeZone::system();
    let text = text.trim();
    let of_local = |moment: DateTime| moment.to_zoned(zone.clone()).map(|zoned| zoned.timestamp());
    // The date parser also accepts a date with time: the length distinguishes them.
    let date = || {
        text.parse::<Date>()
            .and_then(|date| date.checked_add(after_date))
            .and_then(|date| of_local(date.at(0, 0, 0, 0)))
    };
    let age = || {
        text.parse::<Span>()
            .and_then(|span| Zoned::now().checked_sub(span.abs()))
            .map(|moment| moment.timestamp())
    };
    let exact = || {
        text.parse::<Timestamp>()
            .or_else(|_| text.parse::<DateTime>().and_then(of_local))
    };
    let found = if text.len() == "2026-11-01".len() {
        date().or_else(|_| age())
    } else {
        exact().or_else(|_| age())
    };
    found.map_err(|_| format!("'{text}' is neither a date nor an age: write 2026-11-01, '2026-11-01 12:00', or 7d, 12h, 30m for an age"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_mean_whole_days_and_ages_count_back_from_now() {
        let day =
            |text: &str, parse: fn(&str) -> Result<Timestamp, String>| parse(text).expect(text);
        let length = day("2026-11-01", until).duration_since(day("2026-11-01", since));
        assert_eq!(length.as_hours(), 24);
        assert_eq!(
            day("2026-11-01T12:00:00Z", since),
            day("2026-11-01T13:00:00+01:00", until)
        );
        assert_eq!(
            day("2026-11-01 12:00", since)
                .duration_since(day("2026-11-01", since))
                .as_hours(),
            12
        );
        for (text, hours) in [("7d", 168), ("12h", 12), ("2 weeks", 336), ("7d ago", 168)] {
            let ago = Timestamp::now().duration_since(day(text, since));
            assert!(
                (ago.as_secs() - hours * 3600).abs() < 7200,
                "{text}: an hour more or less where clocks are changed"
            );
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for text in [
            "",
            "yesterday-ish",
            "2026-13-01",
            "7",
            "2026-11-01 25:00",
            "1e9d",
            "999999999999y",
        ] {
            let error = since(text).expect_err(text);
            assert!(
                error.contains("2026-11-01") && error.contains("7d"),
                "{text}: {error}"
            );
        }
    }
}
