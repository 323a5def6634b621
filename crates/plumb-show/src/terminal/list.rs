//! Which runs are stored? A table of the library, newest first; values shared by all runs are stated once above it.

use plumb_model::results::headline::{Headline, HeadlineFigure};
use plumb_model::run::library::{Library, Listing};
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::layout::{padded, printable, shortened, width, wrapped};
use super::{Page, Tone};
use crate::figure::Quantity;
use crate::wording::date_text;

/// Unreadable folders listed before the rest is only counted.
const UNREADABLE_MAX: usize = 5;
/// Longest target or tag shown in full.
const TEXT_MAX: usize = 28;

/// A column of the table.
struct ListColumn {
    /// Label of its title.
    title: &'static str,
    text: fn(&Listing) -> String,
    /// Shown even if all runs share its value.
    always: bool,
    /// A shared value is shown above the table.
    told_above: bool,
    /// Columns with higher values are left out first on a narrow terminal; 0 stays.
    left_out: u8,
}

impl ListColumn {
    const fn new(title: &'static str, text: fn(&Listing) -> String) -> ListColumn {
        ListColumn {
            title,
            text,
            always: false,
            told_above: true,
            left_out: 0,
        }
    }
}

/// In table order; the folder is last and never shortened, because other commands take it as argument.
static COLUMNS: [ListColumn; 10] = [
    ListColumn {
        always: true,
        told_above: false,
        ..ListColumn::new("label-list-started", |run| {
            date_text(&run.started).chars().take(16).collect()
        })
    },
    ListColumn {
        always: true,
        told_above: false,
        ..ListColumn::new("label-list-plan", |run| run.plan.clone())
    },
    ListColumn::new("label-list-target", |run| run.target.clone()),
    ListColumn {
        always: true,
        told_above: false,
        left_out: 1,
        ..ListColumn::new("label-list-iops", |run| {
            figure(run, Quantity::OperationsPerSecond, |of| of.iops.as_ref())
        })
    },
    ListColumn {
        always: true,
        told_above: false,
        left_out: 1,
        ..ListColumn::new("label-list-bandwidth", |run| {
            figure(run, Quantity::Bandwidth, |of| {
                of.bandwidth_bytes_per_s.as_ref()
            })
        })
    },
    ListColumn {
        always: true,
        told_above: false,
        left_out: 1,
        ..ListColumn::new("label-list-median", |run| {
            figure(run, Quantity::Latency, |of| of.p50_ns.as_ref())
        })
    },
    ListColumn {
        left_out: 3,
        ..ListColumn::new("label-list-host", |run| {
            run.host.clone().unwrap_or_default()
        })
    },
    ListColumn {
        left_out: 4,
        ..ListColumn::new("label-list-kernel", |run| {
            let release = run.kernel.as_deref();
            let release = release.and_then(|kernel| kernel.split(' ').next());
            release.unwrap_or_default().to_string()
        })
    },
    ListColumn {
        left_out: 2,
        ..ListColumn::new("label-list-tags", |run| run.tags.join(" "))
    },
    ListColumn {
        told_above: false,
        ..ListColumn::new("label-list-state", |run| match run.state.as_str() {
            "finished" => String::new(),
            state => state.to_string(),
        })
    },
];

/// A headline figure; empty if not measured.
fn figure(
    run: &Listing,
    quantity: Quantity,
    of: fn(&Headline) -> Option<&HeadlineFigure>,
) -> String {
    let figure = run.headline.as_ref().and_then(of);
    figure.map_or_else(String::new, |figure| quantity.text(figure.value))
}

/// The requested runs of the library.
pub fn list_text(library: &Library, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        wrapped(&heading(library, page.words), "", "  ", page.width).trim_end(),
    ) + "\n";
    if !library.runs.is_empty() {
        out += &table(&library.runs, page);
    }
    for text in library.unreadable.iter().take(UNREADABLE_MAX) {
        let statement = Statement::new("list-not-read").part("why", Statement::verbatim(text));
        let line = wrapped(&page.words.sentence(&statement), "", "  ", page.width);
        out += &page.tone(Tone::Warning, line.trim_end());
        out.push('\n');
    }
    if library.unreadable.len() > UNREADABLE_MAX {
        let more = library.unreadable.len() - UNREADABLE_MAX;
        let statement = Statement::new("list-more-not-read").count("folders", more as u64);
        out += &(page.words.sentence(&statement) + "\n");
    }
    out
}

/// Number of runs, and shared values.
fn heading(library: &Library, words: Words) -> String {
    let (shown, found) = (library.runs.len() as u64, u64::from(library.found));
    let count = if found > shown {
        Statement::new("list-runs-of")
            .count("shown", shown)
            .count("found", found)
    } else {
        Statement::new("list-runs").count("runs", shown)
    };
    let mut parts = vec![words.sentence(&count)];
    for column in COLUMNS.iter().filter(|column| column.told_above) {
        if let Some(shared) = shared(&library.runs, column.text).filter(|_| shown > 1) {
            parts.push(format!("{} {shared}", words.label(column.title)));
        }
    }
    if shown > 1 {
        parts.push(words.label("label-list-newest-first"));
    }
    parts.join(" · ")
}

/// The text shared by all runs; `None` if they differ or it is empty.
fn shared(runs: &[Listing], text: fn(&Listing) -> String) -> Option<String> {
    let first = text(runs.first()?);
    (!first.is_empty() && runs.iter().all(|run| text(run) == first)).then_some(first)
}

fn table(runs: &[Listing], page: Page) -> String {
    let says_something = |column: &&ListColumn| {
        let filled = runs.iter().any(|run| !(column.text)(run).is_empty());
        let differs = || runs.len() == 1 || shared(runs, column.text).is_none();
        filled && (column.always || differs())
    };
    let mut columns: Vec<&ListColumn> = COLUMNS.iter().filter(says_something).collect();
    let folder = runs
        .iter()
        .map(|run| width(&printable(&run.folder)))
        .max()
        .unwrap_or(0);
    let fits = |columns: &[&ListColumn]| {
        let widths = widths(columns, runs, page.words);
        widths.iter().map(|width| width + 2).sum::<usize>() + folder <= page.width
    };
    while !fits(&columns) {
        let least = columns.iter().map(|column| column.left_out).max();
        let Some(least) = least.filter(|least| *least > 0) else {
            break;
        };
        columns.retain(|column| column.left_out != least);
    }
    let widths = widths(&columns, runs, page.words);
    let before: usize = widths.iter().map(|width| width + 2).sum();
    // The folder gets its own line if it does not fit.
    let below = before + folder > page.width;
    let head = columns
        .iter()
        .zip(&widths)
        .map(|(column, width)| padded(&page.words.label(column.title), *width) + "  ")
        .collect::<String>();
    let head = if below {
        head.trim_end().to_string()
    } else {
        head + &page.words.label("label-list-folder")
    };
    let mut out = page.tone(Tone::Quiet, &head) + "\n";
    for run in runs {
        let cell = |(column, width): (&&ListColumn, &usize)| {
            padded(&shortened(&printable(&(column.text)(run)), *width), *width) + "  "
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

fn widths(columns: &[&ListColumn], runs: &[Listing], words: Words) -> Vec<usize> {
    let widest = |column: &&ListColumn| {
        let longest = runs
            .iter()
            .map(|run| width(&printable(&(column.text)(run))))
            .max()
            .unwrap_or(0);
        longest.min(TEXT_MAX).max(width(&words.label(column.title)))
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
            headline: None,
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
