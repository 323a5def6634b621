//! Which runs of the library are meant? Folders to search, and what the runs must have: host, target, plan, tags, date.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use plumb_model::run::library::{Library, Listing};
use plumb_model::text::wildcard::fits;
use plumb_record::library;

use crate::settings::preferences;

/// Folders and filters; filters that are given must all fit.
#[derive(Debug, Clone, Args)]
pub struct Selection {
    /// Folders to search, with all below them [default: that of `plumb config`, else the current directory]
    #[arg(value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Only runs of this plan; * stands for anything
    #[arg(long, value_name = "NAME")]
    pub plan: Option<String>,
    /// Only runs on targets with this in their name; a whole name in which * stands for anything does as well
    #[arg(long, value_name = "TEXT")]
    pub target: Option<String>,
    /// Only runs on this machine; * stands for anything
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Only runs with this tag. May be repeated: all must be there
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Only runs since then: 2026-11-01, '2026-11-01 12:00', or an age: 7d, 12h
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub since: Option<Timestamp>,
    /// Only runs until then; a date means to its end
    #[arg(long, value_name = "WHEN", value_parser = until)]
    pub until: Option<Timestamp>,
}

impl Selection {
    /// The library with the runs that fit.
    pub fn library(&self) -> Library {
        let folders = match self.folders.as_slice() {
            [] => vec![preferences().output.unwrap_or_else(|| ".".into())],
            named => named.to_vec(),
        };
        let mut library = library(&folders);
        library.runs.retain(|run| self.fits(run));
        library
    }

    /// Whether this run is one of them, wherever it lies.
    pub fn fits(&self, run: &Listing) -> bool {
        let started = i128::from(run.started_unix_ns);
        let pattern = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| fits(pattern, text))
        };
        let target = |wanted: &String| {
            if wanted.contains('*') {
                fits(wanted, &run.target)
            } else {
                run.target.contains(wanted)
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

    /// Why there is nothing, and what to do.
    pub fn nothing_found(&self, library: &Library) -> String {
        let searched = library.searched.join(", ");
        if library.found == 0 {
            return format!(
                "there are no runs in {searched} and below: name the folder that holds them, or make one with `plumb check`"
            );
        }
        let filters = [
            ("--plan", &self.plan),
            ("--target", &self.target),
            ("--host", &self.host),
        ];
        let mut asked: Vec<String> = filters
            .iter()
            .filter_map(|(flag, value)| Some(format!("{flag} {}", value.as_ref()?)))
            .collect();
        asked.extend(self.tags.iter().map(|tag| format!("--tag {tag}")));
        asked.extend(self.since.map(|since| format!("--since {since}")));
        asked.extend(self.until.map(|until| format!("--until {until}")));
        format!(
            "none of the {} runs in {searched} fits {}: `plumb list` without filters shows them all",
            library.found,
            asked.join(" and ")
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
    // A date reads the date out of a date with time as well: the length tells them apart.
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
    found.map_err(|_| format!("'{text}' is no date and no age: write 2026-11-01, '2026-11-01 12:00', or 7d, 12h, 30m for that long ago"))
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
