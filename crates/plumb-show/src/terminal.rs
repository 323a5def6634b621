//! What is printed to the terminal? Verdict, findings, figures, environment and plan as aligned plain text; color on request.

mod comparison;
mod copies;
mod explained;
mod folded;
mod grid;
mod layout;
mod list;
mod matrices;
mod published;
mod ranks;
mod reference;
mod steps;
mod trace;
mod trend;
mod watch;
mod waterfall;
mod why;

use std::io::{IsTerminal, stdout};

use plumb_model::environment::Environment;
use plumb_model::plan::{Origin, Plan};
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::Summary;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::tables::resolved::{Setting, resolve};
use crate::wording::{
    by_severity, date_text, effect_text, fact_text, finding_texts, grouped, origin_text,
    sentence_texts, severity_word, state_text, steady_text, subject_text, with_micro_sign,
};
pub use comparison::comparison_text;
pub use copies::copies_text;
pub use explained::explained_text;
pub use folded::{findings_lines, notes_lines, verdict_lines};
pub use grid::grid_text;
use layout::{padded, padded_left, wrapped};
pub use layout::{printable, printable_lines, printable_page};
pub(crate) use layout::{shortened, width};
pub use list::list_text;
pub use matrices::matrices_text;
pub use published::published_text;
pub use ranks::ranks_text;
pub use reference::{reference_text, references_text};
pub use steps::summary_table;
pub use trace::trace_text;
pub(crate) use trace::{
    classes as trace_classes, connections as trace_connections, files as trace_files,
    sizes as trace_sizes, slowest as trace_slowest, statuses as trace_statuses,
    threads as trace_threads,
};
pub use trend::trend_text;
pub use watch::{collections_text, interval_text, recording_text};
pub(crate) use watch::{counter_name, counter_text, recording_statements};
pub use waterfall::waterfall_text;
pub use why::why_text;

/// Layout of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Width in columns; 100 without a terminal.
    pub width: usize,
    /// Use ANSI colors and weights.
    pub colour: bool,
    /// The language.
    pub words: Words,
}

/// ANSI colors by meaning.
#[derive(Debug, Clone, Copy)]
enum Tone {
    Strong,
    Quiet,
    Good,
    Warning,
    Severe,
}

/// False if the user disabled colors: see no-color.org.
pub fn color_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

impl Page {
    /// Page for standard output: width from `COLUMNS`, else from the terminal, else 100 columns; colors only on a terminal
    /// and unless disabled by the user.
    pub fn of_stdout(words: Words) -> Page {
        let asked = std::env::var("COLUMNS")
            .ok()
            .and_then(|text| text.parse().ok());
        let width = asked.unwrap_or_else(|| {
            terminal_size::terminal_size_of(stdout()).map_or(100, |(width, _)| usize::from(width.0))
        });
        Page {
            width: width.clamp(40, 160),
            colour: stdout().is_terminal() && color_allowed(),
            words,
        }
    }

    fn tone(&self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Quiet => "2",
            Tone::Good => "32",
            Tone::Warning => "33",
            Tone::Severe => "1;31",
        };
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

/// Heading of a run, with its doubts.
fn verdict_head(summary: &Summary, page: Page) -> String {
    // An imported run may have neither target nor date.
    let subject = subject_text(&summary.plan, &summary.environment);
    let parts = [
        subject,
        page.words
            .sentence(&Statement::new("terminal-plan").name("plan", &summary.plan.name)),
        date_text(&summary.started),
    ];
    let head = parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ");
    let head = wrapped(&head, "", "  ", page.width);
    let mut out = page.tone(Tone::Strong, head.trim_end()) + "\n";
    if let Some(from) = &summary.imported {
        out += &wrapped(&origin_text(from, page.words), "  ", "  ", page.width);
    }
    if let Some(text) = state_text(summary, page.words) {
        let text = wrapped(&text, "", "  ", page.width);
        out += &page.tone(Tone::Warning, text.trim_end());
        out.push('\n');
    }
    if summary.verdict.is_empty() {
        let label = if summary.steps.is_empty() {
            "label-nothing-was-measured"
        } else {
            "label-support-no-statement"
        };
        out += &wrapped(&page.words.label(label), "  ", "  ", page.width);
    }
    out
}

/// The verdict of a run: the heading, then its sentences.
pub fn verdict_text(summary: &Summary, page: Page) -> String {
    let mut out = verdict_head(summary, page);
    for sentence in sentence_texts(&summary.verdict, page.words) {
        out += &wrapped(&sentence, "  • ", "    ", page.width);
    }
    for doubt in &summary.doubts {
        let text = crate::wording::sentence(doubt, page.words);
        out += &wrapped(&text, "  ? ", "    ", page.width);
    }
    out
}

/// The findings, most severe first, with evidence and advice; empty if there are none.
pub fn findings_text(findings: &[Finding], page: Page) -> String {
    let mut out = String::new();
    for finding in by_severity(findings) {
        let tone = match finding.severity {
            Severity::Info => Tone::Quiet,
            Severity::Warning => Tone::Warning,
            Severity::Severe => Tone::Severe,
        };
        let word = severity_word(finding.severity, page.words);
        let texts = finding_texts(finding, page.words);
        let first = format!("{}  ", padded_left(&word, 7));
        let text = wrapped(&texts.claim, &first, "         ", page.width);
        out += &text.replacen(&word, &page.tone(tone, &word), 1);
        let evidence: Vec<String> = texts
            .evidence
            .iter()
            .map(|[what, value, _]| format!("{what} {value}"))
            .collect();
        if !evidence.is_empty() {
            out += &page.tone(
                Tone::Quiet,
                &wrapped(&evidence.join("; "), "         ", "         ", page.width),
            );
        }
        if !texts.advice.is_empty() {
            out += &wrapped(&texts.advice, "         → ", "           ", page.width);
        }
        if let Some(effect) = effect_text(finding, page.words) {
            out += &wrapped(
                &page
                    .words
                    .sentence(&Statement::new("finding-expected").name("effect", effect)),
                "         ",
                "         ",
                page.width,
            );
        }
        if let Some(experiment) = &finding.experiment {
            out += &wrapped(
                &page
                    .words
                    .sentence(&Statement::new("finding-to-test-it").name("command", experiment)),
                "         ",
                "         ",
                page.width,
            );
        }
    }
    out
}

/// The facts in groups, unknown ones with the reason.
pub fn environment_text(environment: &Environment, page: Page) -> String {
    let mut out = String::new();
    for (heading, facts) in grouped(environment, page.words) {
        out += &page.tone(Tone::Strong, &printable(&heading));
        out.push('\n');
        let longest = facts.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
        for (id, fact) in facts {
            let first = format!("  {}  ", padded(&printable(id), longest));
            let rest = " ".repeat(longest + 4);
            out += &match fact_text(id, fact, page.words) {
                Ok(value) => wrapped(&with_micro_sign(&value), &first, &rest, page.width),
                Err(reason) => page.tone(
                    Tone::Quiet,
                    &wrapped(
                        &page
                            .words
                            .sentence(&Statement::new("page-not-known").name("reason", reason)),
                        &first,
                        &rest,
                        page.width,
                    ),
                ),
            };
        }
    }
    out
}

/// A heading and, below it, names with their values.
pub fn pairs_text(heading: &str, pairs: &[(String, String)], page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(heading));
    out.push('\n');
    let longest = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in pairs {
        out += &wrapped(
            value,
            &format!("  {}  ", padded(&printable(name), longest)),
            &" ".repeat(longest + 4),
            page.width,
        );
    }
    out
}

/// What the figures of a plan include and exclude; empty if its plan has no notes.
pub fn notes_text(plan: &Plan, page: Page) -> String {
    let notes = plan.notes();
    let line = |(name, note): &(String, &str)| {
        wrapped(
            &format!("{name}: {}", with_micro_sign(note)),
            "  • ",
            "    ",
            page.width,
        )
    };
    let heading = page.tone(
        Tone::Strong,
        &page.words.label("label-what-the-figures-include"),
    ) + "\n";
    if notes.is_empty() {
        String::new()
    } else {
        heading + &notes.iter().map(line).collect::<String>()
    }
}

/// A sentence, wrapped.
pub fn sentence_text(sentence: &str, page: Page) -> String {
    wrapped(&with_micro_sign(sentence), "", "", page.width)
}

/// Wraps lines to the page width, keeping indents; words, and numbers with their units, are not split.
pub fn lines_text(text: &str, page: Page) -> String {
    let line = |line: &str| {
        let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len());
        wrapped(line, &indent, &indent, page.width)
    };
    text.lines().map(line).collect()
}

/// Standard error as a page, if it is a terminal.
pub fn notices_page(words: Words) -> Option<Page> {
    let (columns, _) = terminal_size::terminal_size_of(std::io::stderr())?;
    Some(Page {
        width: usize::from(columns.0).max(20),
        colour: false,
        words,
    })
}

/// The resolved plan, each value with its origin; defaults only with `defaults`.
pub fn plan_text(plan: &Plan, defaults: bool, page: Page) -> String {
    let resolved = resolve(plan);
    let title = page.words.plan_title(&plan.name, &plan.title);
    let mut out = page.tone(Tone::Strong, &printable(&format!("{}: {title}", plan.name)));
    let size = Statement::new("terminal-plan-size")
        .count("steps", plan.steps.len() as u64)
        .count("rounds", u64::from(plan.rounds))
        .name("order", plan.order.to_string());
    out += &format!("\n{}\n", page.words.sentence(&size));
    out += &steady_text(plan, page.words)
        .map_or_else(String::new, |text| wrapped(&text, "", "", page.width));
    out += &left_out_text(plan, page.words)
        .map_or_else(String::new, |text| wrapped(&text, "", "", page.width));
    if !plan.note.is_empty() {
        out += &wrapped(&plan.note, "", "", page.width);
    }
    let wanted = |setting: &&Setting| defaults || setting.origin != Origin::Default;
    let shared: Vec<&Setting> = resolved.shared.iter().filter(wanted).collect();
    if !shared.is_empty() {
        out += &format!("\n{}\n", page.words.label("label-settings-of-all-steps"));
        out += &settings_text(&shared, page);
    }
    for (step, job, settings) in &resolved.differing {
        // With one step everything is shared except its name.
        let name = if job.is_empty() {
            step.clone()
        } else {
            format!("{step}, {job}")
        };
        let keys = settings
            .iter()
            .map(|setting| format!("{} = {} ({})", setting.key, setting.value, setting.origin));
        let keys = keys.collect::<Vec<_>>().join(", ");
        let text = if keys.is_empty() {
            name
        } else {
            format!("{name}: {keys}")
        };
        out += &wrapped(&text, "  ", "      ", page.width);
    }
    for (name, note) in plan.notes().iter().filter(|(_, note)| *note != plan.note) {
        out += &wrapped(
            &format!("{name}: {note}"),
            &format!("  {} ", page.words.label("label-note")),
            "      ",
            page.width,
        );
    }
    out
}

/// Note on swept steps that are left out, with the reason.
pub fn left_out_text(plan: &Plan, words: Words) -> Option<String> {
    let statement = Statement::new("terminal-left-out").count("count", plan.left_out.into());
    (plan.left_out > 0).then(|| words.sentence(&statement))
}

fn settings_text(settings: &[&Setting], page: Page) -> String {
    let rows = settings
        .iter()
        .map(|setting| {
            (
                printable(&setting.key),
                printable(&setting.value),
                setting.origin,
            )
        })
        .collect::<Vec<_>>();
    let key = rows
        .iter()
        .map(|(key, _, _)| layout::width(key))
        .max()
        .unwrap_or(0);
    let value = rows
        .iter()
        .map(|(_, value, _)| layout::width(value))
        .max()
        .unwrap_or(0)
        .min(page.width / 2);
    let mut out = String::new();
    for (name, text, origin) in rows {
        out += &format!(
            "  {}  {}  {}\n",
            padded(&name, key),
            padded(&text, value),
            page.tone(tone_of(origin), origin.word())
        );
    }
    out
}

fn tone_of(origin: Origin) -> Tone {
    match origin {
        Origin::Default | Origin::Preset => Tone::Quiet,
        _ => Tone::Good,
    }
}
