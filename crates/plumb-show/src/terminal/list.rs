//! Which runs are there? A table of the library, newest first; what all runs share is said once above it.

use plumb_model::run::library::{Library, Listing};

use super::layout::{padded, printable, shortened, width, wrapped};
use super::{Page, Tone};
use crate::wording::date_text;

/// Unreadable folders that are named before the rest is counted.
const UNREADABLE_MAX: usize = 5;
/// Longest target or tag that is shown whole.
const TEXT_MAX: usize = 28;

/// A column: title, and the text of a run.
type ListColumn = (&'static str, fn(&Listing) -> String);

/// In order of the table; the folder stands last, because it is never shortened: it is what other commands take.
const COLUMNS: [ListColumn; 7] = [
    ("started", |run| {
        date_text(&run.started).chars().take(16).collect()
    }),
    ("plan", |run| run.plan.clone()),
    ("target", |run| run.target.clone()),
    ("host", |run| run.host.clone().unwrap_or_default()),
    ("kernel", |run| {
        run.kernel
            .as_deref()
            .and_then(|kernel| kernel.split(' ').next())
            .unwrap_or_default()
            .to_string()
    }),
    ("tags", |run| run.tags.join(" ")),
    ("state", |run| {
        if run.state == "finished" {
            String::new()
        } else {
            run.state.clone()
        }
    }),
];

/// Columns that stay even when all runs share their value.
const ALWAYS: [&str; 2] = ["started", "plan"];
/// Titles from the column that is left out first when the terminal is narrow.
const LEAST_IMPORTANT: [&str; 3] = ["kernel", "host", "tags"];

/// The runs of the library that were asked for.
pub fn list_text(library: &Library, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        wrapped(&heading(library), "", "  ", page.width).trim_end(),
    ) + "\n";
    if !library.runs.is_empty() {
        out += &table(&library.runs, page);
    }
    for text in library.unreadable.iter().take(UNREADABLE_MAX) {
        out += &page.tone(
            Tone::Warning,
            wrapped(text, "not read: ", "  ", page.width).trim_end(),
        );
        out.push('\n');
    }
    if library.unreadable.len() > UNREADABLE_MAX {
        out += &format!(
            "not read: {} more\n",
            library.unreadable.len() - UNREADABLE_MAX
        );
    }
    out
}

/// How many runs, and what they share.
fn heading(library: &Library) -> String {
    let shown = library.runs.len();
    let others = (library.found as usize).saturating_sub(shown);
    let of = if others > 0 {
        format!(" of {}", library.found)
    } else {
        String::new()
    };
    let mut parts = vec![format!(
        "{shown}{of} run{}",
        if library.found == 1 { "" } else { "s" }
    )];
    for (title, text) in COLUMNS
        .iter()
        .filter(|(title, _)| !ALWAYS.contains(title) && *title != "state")
    {
        if let Some(shared) = shared(&library.runs, *text).filter(|_| shown > 1) {
            parts.push(format!("{title} {shared}"));
        }
    }
    if shown > 1 {
        parts.push("newest first".into());
    }
    parts.join(" · ")
}

/// The text that all runs have; `None` when they differ or it is empty.
fn shared(runs: &[Listing], text: fn(&Listing) -> String) -> Option<String> {
    let first = text(runs.first()?);
    (!first.is_empty() && runs.iter().all(|run| text(run) == first)).then_some(first)
}

fn table(runs: &[Listing], page: Page) -> String {
    let mut columns: Vec<ListColumn> = COLUMNS.to_vec();
    columns.retain(|(title, text)| {
        let says_something = runs.iter().any(|run| !text(run).is_empty());
        says_something
            && (ALWAYS.contains(title) || runs.len() == 1 || shared(runs, *text).is_none())
    });
    let folder = runs
        .iter()
        .map(|run| width(&printable(&run.folder)))
        .max()
        .unwrap_or(0);
    for title in LEAST_IMPORTANT {
        if widths(&columns, runs)
            .iter()
            .map(|width| width + 2)
            .sum::<usize>()
            + folder
            <= page.width
        {
            break;
        }
        columns.retain(|(other, _)| *other != title);
    }
    let widths = widths(&columns, runs);
    let before: usize = widths.iter().map(|width| width + 2).sum();
    // A line of its own for the folder, where both do not fit into one.
    let below = before + folder > page.width;
    let head = columns
        .iter()
        .zip(&widths)
        .map(|((title, _), width)| padded(title, *width) + "  ")
        .collect::<String>();
    let head = if below {
        head.trim_end().to_string()
    } else {
        head + "folder"
    };
    let mut out = page.tone(Tone::Quiet, &head) + "\n";
    for run in runs {
        let cell = |(column, width): (&ListColumn, &usize)| {
            padded(&shortened(&printable(&(column.1)(run)), *width), *width) + "  "
        };
        let cells: String = columns.iter().zip(&widths).map(cell).collect();
        let folder = printable(&run.folder);
        out += &if below {
            format!("{}\n    {folder}\n", cells.trim_end())
        } else {
            format!("{cells}{folder}\n")
        };
    }
    out
}

fn widths(columns: &[ListColumn], runs: &[Listing]) -> Vec<usize> {
    let widest = |(title, text): &ListColumn| {
        let longest = runs
            .iter()
            .map(|run| width(&printable(&text(run))))
            .max()
            .unwrap_or(0);
        longest.min(TEXT_MAX).max(width(title))
    };
    columns.iter().map(widest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::run::library::LIST_SCHEMA;

    fn run(number: u32, host: &str, tags: &[&str]) -> Listing {
        Listing {
            folder: format!("nightly/plumb-check-20261101-0300{number:02}.plumb"),
            id: format!("run-{number}"),
            started: format!("2026-11-{number:02}T03:00:00+00:00"),
            started_unix_ns: u64::from(number),
            plan: "check".into(),
            target: "/srv/storage".into(),
            host: Some(host.into()),
            kernel: Some("6.1 #1 SMP".into()),
            tags: tags.iter().map(|tag| tag.to_string()).collect(),
            steps: 24,
            rounds: 3,
            state: if number == 2 {
                "interrupted"
            } else {
                "finished"
            }
            .into(),
            side_of: None,
        }
    }

    fn text(runs: Vec<Listing>, width: usize) -> String {
        let library = Library {
            schema: LIST_SCHEMA.into(),
            searched: vec![".".into()],
            found: 7,
            runs,
            unreadable: (0..7)
                .map(|number| format!("folder {number} is damaged"))
                .collect(),
        };
        list_text(
            &library,
            Page {
                width,
                colour: false,
                words: plumb_words::Words::english(),
            },
        )
    }

    #[test]
    fn folders_stay_whole_and_what_is_shared_is_said_once() {
        let runs = vec![
            run(3, "a", &["nightly"]),
            run(2, "b", &[]),
            run(1, "a", &[]),
        ];
        let wide = text(runs.clone(), 140);
        assert!(
            wide.starts_with(
                "3 of 7 runs · target /srv/storage · kernel 6.1 · newest first\nstarted"
            ),
            "{wide}"
        );
        assert!(
            wide.contains(
                "2026-11-02 03:00  check  b              interrupted  nightly/plumb-check"
            ),
            "{wide}"
        );
        for columns in [40, 80, 140] {
            let text = text(runs.clone(), columns);
            assert!(
                text.contains("nightly/plumb-check-20261101-030003.plumb\n"),
                "{text}"
            );
            assert!(
                text.contains("interrupted")
                    && text.contains("folder 4")
                    && !text.contains("folder 5")
                    && text.contains("2 more"),
                "{text}"
            );
        }
        assert!(text(runs, 80).lines().all(|line| width(line) <= 80));
    }

    #[test]
    fn one_run_shows_all_of_itself() {
        let text = text(vec![run(1, "a", &["x"])], 140);
        assert!(
            text.contains("/srv/storage")
                && text.contains("6.1")
                && text.contains(" a ")
                && text.contains(" x "),
            "{text}"
        );
    }
}
