//! How are published figures printed? A list of all references by experiment, and one in full: set-up, figures as printed, doubts.

use plumb_model::environment::FACTS;
use plumb_model::results::reference::{
    CONDITIONS, EXPERIMENTS, PublishedCache, PublishedFigure, PublishedOrder, PublishedWork,
    REFERENCE_PREFIX, Reference,
};

use super::layout::{padded, padded_left, width, wrapped};
use super::{Page, Tone, printable};
use crate::wording::{fact_text, with_micro_sign};

/// All references: name, year, number of figures and title, under the question of their experiment.
pub fn references_text(references: &[Reference], page: Page) -> String {
    let mut out = String::new();
    let longest = references
        .iter()
        .map(|reference| width(&reference.id))
        .max()
        .unwrap_or(0);
    let count_width = references
        .iter()
        .map(|reference| reference.figures.len().to_string().len())
        .max()
        .unwrap_or(1);
    for (experiment, question) in EXPERIMENTS {
        let of: Vec<&Reference> = references
            .iter()
            .filter(|reference| reference.experiment == *experiment)
            .collect();
        if of.is_empty() {
            continue;
        }
        out += &page.tone(
            Tone::Strong,
            wrapped(question, &format!("{experiment}  "), "    ", page.width).trim_end(),
        );
        out.push('\n');
        for reference in of {
            let count = padded_left(&reference.figures.len().to_string(), count_width);
            let figures = if reference.figures.len() == 1 {
                "figure "
            } else {
                "figures"
            };
            let first = format!(
                "  {}  {}  {count} {figures}  ",
                padded(&printable(&reference.id), longest),
                printable(&reference.published)
            );
            out += &wrapped(
                &reference.title,
                &first,
                &" ".repeat(width(&first)),
                page.width,
            );
        }
    }
    if references.is_empty() {
        out += "No published figures.\n";
    }
    out += &wrapped(
        "`plumb compare RUN ref:NAME` compares a run with one, `plumb list --references NAME` prints one in full.",
        "\n",
        "",
        page.width,
    );
    out
}

/// One reference in full.
pub fn reference_text(reference: &Reference, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        wrapped(&reference.title, "", "", page.width).trim_end(),
    ) + "\n";
    out += &wrapped(
        &format!(
            "{REFERENCE_PREFIX}{} · {} · {}",
            reference.id, reference.experiment, reference.source
        ),
        "",
        "  ",
        page.width,
    );
    for doubt in &reference.doubts {
        out += &page.tone(
            Tone::Warning,
            wrapped(&with_micro_sign(doubt), "  ? ", "    ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out += &set_up_text(reference, page);
    out += &units_text(reference, page);
    out += &page.tone(Tone::Strong, "Figures as published");
    out.push('\n');
    let printed_width = reference
        .figures
        .iter()
        .map(|figure| width(&figure.printed))
        .max()
        .unwrap_or(0)
        .min(page.width / 3);
    let mut table = "";
    for figure in &reference.figures {
        if figure.table != table {
            table = &figure.table;
            out += &wrapped(table, "  ", "    ", page.width);
        }
        out += &figure_text(figure, printed_width, page);
    }
    if reference.figures.iter().any(stands_beside_runs) {
        out += &wrapped(
            "• `plumb compare` compares a run of the same work with this figure.",
            "\n",
            "  ",
            page.width,
        );
    }
    out
}

/// Facts in the order of the list of facts, then conditions in theirs.
fn set_up_text(reference: &Reference, page: Page) -> String {
    let facts = FACTS.iter().filter_map(|(id, _)| {
        reference.environment.get(*id).map(|fact| {
            (
                *id,
                fact_text(id, fact, page.words).unwrap_or_else(|reason| reason),
            )
        })
    });
    let conditions = CONDITIONS.iter().filter_map(|(key, _)| {
        reference
            .conditions
            .get(*key)
            .map(|text| (*key, text.clone()))
    });
    let lines: Vec<(&str, String)> = facts.chain(conditions).collect();
    let longest = lines.iter().map(|(what, _)| width(what)).max().unwrap_or(0);
    let mut out = page.tone(Tone::Strong, "Set-up") + "\n";
    for (what, text) in lines {
        out += &wrapped(
            &text,
            &format!("  {}  ", padded(what, longest)),
            &" ".repeat(longest + 4),
            page.width,
        );
    }
    out
}

/// The programs, and what their units are.
fn units_text(reference: &Reference, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, "Units") + "\n";
    for program in &reference.programs {
        let command = program
            .command
            .as_ref()
            .map(|command| format!(" ({command})"));
        let units: Vec<String> = program
            .units
            .iter()
            .map(|unit| with_micro_sign(&format!("{}: {}", unit.printed, unit.known_by)))
            .collect();
        let text = format!(
            "{}{}: {}",
            program.name,
            command.unwrap_or_default(),
            units.join("; ")
        );
        out += &wrapped(&text, "  ", "    ", page.width);
    }
    out
}

/// True if a run can do the published work, and there is a number.
fn stands_beside_runs(figure: &PublishedFigure) -> bool {
    figure.work.is_some() && figure.value.is_some()
}

/// The figure as printed, then the work and its notes.
fn figure_text(figure: &PublishedFigure, printed_width: usize, page: Page) -> String {
    let bullet = if stands_beside_runs(figure) {
        '•'
    } else {
        ' '
    };
    let first = format!(
        "{bullet} {}  ",
        padded_left(&printable(&with_micro_sign(&figure.printed)), printed_width)
    );
    let rest = " ".repeat(printed_width + 4);
    let mut out = wrapped(&figure.name, &first, &rest, page.width);
    let cache = match figure.cache {
        PublishedCache::Bypassed => Some("page cache bypassed"),
        PublishedCache::PageCache => Some("through the page cache, the file fits into memory"),
        PublishedCache::LargerThanMemory => {
            Some("through the page cache, the file is larger than memory")
        }
        PublishedCache::NoStorage | PublishedCache::NotPublished => None,
    };
    let work = figure.work.as_ref().map(|work| work_text(figure, work));
    let remarks: Vec<String> = std::iter::once(format!("{}: {}", figure.program, figure.operation))
        .chain(work)
        .chain(cache.map(str::to_string))
        .chain(figure.note.clone())
        .collect();
    if !remarks.is_empty() {
        out += &page.tone(
            Tone::Quiet,
            wrapped(&remarks.join("; "), &rest, &rest, page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

/// `random read of 4k, 32 in flight, 16 workers, pinned`.
fn work_text(figure: &PublishedFigure, work: &PublishedWork) -> String {
    let order = match figure.order {
        Some(PublishedOrder::Random) => "random ",
        Some(PublishedOrder::Sequential) => "sequential ",
        Some(PublishedOrder::Listed) => "in the order of the directory: ",
        None => "",
    };
    let kind = work.kind.map_or("reads and writes", |kind| kind.word());
    let block = match (work.block, work.block_to) {
        (Some(from), Some(to)) => format!(" of {from} to {to}"),
        (None, Some(to)) => format!(" of at most {to}"),
        (Some(block), None) => format!(" of {block}"),
        (None, None) => String::new(),
    };
    let workers = work.workers.map(|workers| {
        if workers == 1 {
            "1 worker".to_string()
        } else {
            format!("{workers} workers")
        }
    });
    let parts = [
        Some(format!("{order}{kind}{block}")),
        work.scheme.map(|scheme| format!("over {scheme}")),
        work.depth.map(|depth| format!("{depth} in flight")),
        work.depth_from
            .map(|depth| format!("{depth} or more in flight")),
        workers,
        work.pinned
            .map(|pinned| if pinned { "pinned" } else { "not pinned" }.to_string()),
        work.polling
            .filter(|polling| *polling)
            .map(|_| "polling for completions".to_string()),
        work.size.map(|size| format!("file of {size}")),
        work.file_bytes
            .map(|(from, to)| format!("files of {from} to {to}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use plumb_plan::references;

    use super::*;

    const NARROW: Page = Page {
        width: 80,
        colour: false,
        words: plumb_words::Words::english(),
    };

    #[test]
    fn the_list_fits_eighty_columns_and_names_every_reference() {
        let all = references::all().expect("references");
        let text = references_text(&all, NARROW);
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
        assert!(
            all.iter()
                .all(|reference| text.contains(&format!("  {} ", reference.id))),
            "{text}"
        );
        assert!(
            EXPERIMENTS
                .iter()
                .all(|(experiment, _)| text.contains(&format!("{experiment}  ")))
        );
        assert!(references_text(&[], NARROW).starts_with("No published figures."));
    }

    #[test]
    fn a_reference_is_told_in_full() {
        for reference in references::all().expect("references") {
            for columns in [40, 80, 160] {
                let text = reference_text(
                    &reference,
                    Page {
                        width: columns,
                        colour: false,
                        words: plumb_words::Words::english(),
                    },
                );
                let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let all_there = |words: &str| {
                    plain.contains(
                        &with_micro_sign(words)
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" "),
                    )
                };
                for figure in &reference.figures {
                    assert!(
                        all_there(&figure.printed) && all_there(&figure.name),
                        "{}: {}\n{text}",
                        reference.id,
                        figure.name
                    );
                }
                assert!(
                    reference.doubts.iter().all(|doubt| all_there(doubt)),
                    "{text}"
                );
                assert!(
                    reference
                        .conditions
                        .values()
                        .all(|condition| all_there(condition)),
                    "{text}"
                );
            }
            let text = reference_text(&reference, NARROW);
            assert!(text.lines().all(|line| width(line) <= 80), "{text}");
        }
    }

    #[test]
    fn work_is_put_into_words() {
        let check = |id: &str, name: &str, expected: &str| {
            let reference = references::find(id).expect(id);
            let figure = reference
                .figures
                .iter()
                .find(|figure| figure.name == name)
                .expect(name);
            assert_eq!(
                work_text(figure, figure.work.as_ref().expect("work")),
                expected
            );
        };
        check(
            "optane-p4800x",
            "random read, 4 KB, 1 worker x depth 4, pinned",
            "random read of 4k, 4 in flight, 1 worker, pinned",
        );
        check(
            "optane-p4800x",
            "sequential read, 64 KB",
            "sequential read of 64k, 2 or more in flight",
        );
        check(
            "linux-md-2010",
            "iozone write, 1 GB file",
            "sequential write of 4k to 16m, file of 1g",
        );
        check(
            "linux-md-2010",
            "bonnie++ sequential create of files",
            "sequential create, files of 0 to 16k",
        );
    }
}
