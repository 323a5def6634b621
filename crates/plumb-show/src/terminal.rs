//! What does the terminal say? Verdict, findings, figures, ground and plan as aligned plain text; colour only when asked.

mod comparison;
mod copies;
mod layout;
mod list;
mod matrices;
mod reference;
mod trend;
mod waterfall;

use std::io::{IsTerminal, stdout};

use plumb_model::environment::Environment;
use plumb_model::finding::{Finding, Severity};
use plumb_model::plan::{Origin, Plan};
use plumb_model::series::Matrix;
use plumb_model::step_end::{StepEnd, ends_text};
use plumb_model::summary::{Latency, OperationSummary, StepSummary, Summary};
use plumb_model::units::show_count;

use crate::chart::or_dash;
use crate::figure::{Quantity, percent_text};
use crate::resolved::{Setting, resolve};
use crate::wording::{
    MISSING, by_severity, date_text, effect_text, fact_text, grouped, origin_text, severity_word,
    stated_text, steady_text, subject_text, with_micro_sign,
};
pub use comparison::comparison_text;
pub use copies::copies_text;
pub(crate) use layout::shortened;
use layout::{Cells, padded, wrapped};
pub use layout::{printable, printable_lines, printable_page};
pub use list::list_text;
pub use matrices::matrices_text;
pub use reference::{reference_text, references_text};
pub use trend::trend_text;
pub use waterfall::waterfall_text;

/// How text is to be laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Columns of the terminal; 100 is a good choice where there is none.
    pub width: usize,
    /// ANSI colours and weights.
    pub colour: bool,
}

/// ANSI colours by meaning.
#[derive(Debug, Clone, Copy)]
enum Tone {
    Strong,
    Quiet,
    Good,
    Warning,
    Severe,
}

impl Page {
    /// As the standard output asks for it: the width that `COLUMNS` says, else that of the terminal, else 100 columns; colours only on a terminal
    /// and unless the user refused them.
    pub fn of_stdout() -> Page {
        let asked = std::env::var("COLUMNS")
            .ok()
            .and_then(|text| text.parse().ok());
        let width = asked.unwrap_or_else(|| {
            terminal_size::terminal_size_of(stdout()).map_or(100, |(width, _)| usize::from(width.0))
        });
        Page {
            width: width.clamp(40, 160),
            colour: stdout().is_terminal() && crate::live::colour_allowed(),
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

/// The verdict of a run: what was measured, then one sentence after the other.
pub fn verdict_text(summary: &Summary, page: Page) -> String {
    // An imported run may name neither a target nor when it was.
    let subject = subject_text(&summary.plan, &summary.environment);
    let parts = [
        subject,
        format!("plan {}", summary.plan.name),
        date_text(&summary.started),
    ];
    let head = parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ");
    let mut out = page.tone(Tone::Strong, &printable(&head)) + "\n";
    if let Some(from) = &summary.imported {
        out += &wrapped(&origin_text(from), "  ", "  ", page.width);
    }
    if summary.state != "finished" {
        out += &page.tone(
            Tone::Warning,
            &format!(
                "This run is {}: the figures are those up to where it ended.",
                printable(&summary.state)
            ),
        );
        out.push('\n');
    }
    for sentence in &summary.verdict {
        out += &wrapped(&with_micro_sign(&sentence.text), "  • ", "    ", page.width);
    }
    if summary.verdict.is_empty() {
        out += if summary.steps.is_empty() {
            "  Nothing was measured.\n"
        } else {
            "  The measurements support no plain statement.\n"
        };
    }
    for doubt in &summary.doubts {
        out += &wrapped(doubt, "  ? ", "    ", page.width);
    }
    out
}

/// The findings, the gravest first, with evidence and advice; empty when there are none.
pub fn findings_text(findings: &[Finding], page: Page) -> String {
    let mut out = String::new();
    for finding in by_severity(findings) {
        let tone = match finding.severity {
            Severity::Info => Tone::Quiet,
            Severity::Warning => Tone::Warning,
            Severity::Severe => Tone::Severe,
        };
        let word = severity_word(finding.severity);
        let text = wrapped(
            &with_micro_sign(&finding.claim),
            &format!("{word:>7}  "),
            "         ",
            page.width,
        );
        out += &text.replacen(word, &page.tone(tone, word), 1);
        let evidence: Vec<String> = finding
            .evidence
            .iter()
            .map(|evidence| format!("{} {}", evidence.what, evidence.value))
            .collect();
        if !evidence.is_empty() {
            out += &page.tone(
                Tone::Quiet,
                &wrapped(
                    &with_micro_sign(&evidence.join("; ")),
                    "         ",
                    "         ",
                    page.width,
                ),
            );
        }
        if !finding.advice.is_empty() {
            out += &wrapped(
                &with_micro_sign(&finding.advice),
                "         → ",
                "           ",
                page.width,
            );
        }
        if let Some(effect) = effect_text(finding) {
            out += &wrapped(
                &format!("expected: {effect}"),
                "         ",
                "         ",
                page.width,
            );
        }
        if let Some(experiment) = &finding.experiment {
            out += &wrapped(
                &format!("to test it: {experiment}"),
                "         ",
                "         ",
                page.width,
            );
        }
    }
    out
}

/// A line of the table of steps: a step, or one kind of operation of a step that did several.
struct StepLine<'a> {
    name: String,
    figures: &'a OperationSummary,
    response: &'a Latency,
    /// What is known of a step as a whole only.
    whole: Option<&'a StepSummary>,
}

/// The step, and below it each kind of operation where there are several.
fn lines_of(step: &StepSummary) -> Vec<StepLine<'_>> {
    let whole = StepLine {
        name: printable(&step.name),
        figures: &step.total,
        response: &step.response_ns,
        whole: Some(step),
    };
    let kinds = step.operations.iter().filter(|_| step.operations.len() > 1);
    let kinds = kinds.map(|(kind, figures)| StepLine {
        name: format!("  {}", printable(kind)),
        figures,
        response: &figures.response_ns,
        whole: None,
    });
    std::iter::once(whole).chain(kinds).collect()
}

/// A column of the table of steps: title, and the text of a line's figure.
type StepColumn = (&'static str, fn(&StepLine<'_>) -> String);

/// In order of the table; those further down in `importance` go first when the terminal is narrow.
const STEP_COLUMNS: [StepColumn; 11] = [
    ("ops/s", |line| {
        line.figures.iops.map_or(MISSING.into(), show_count)
    }),
    ("bandwidth", |line| {
        or_dash(Quantity::Bandwidth, line.figures.bandwidth_bytes_per_s)
    }),
    ("depth", |line| {
        line.whole.map_or_else(String::new, |step| {
            step.achieved_depth.map_or(MISSING.into(), show_count)
        })
    }),
    ("mean", |line| {
        or_dash(Quantity::Latency, line.response.mean)
    }),
    ("50 %", |line| or_dash(Quantity::Latency, line.response.p50)),
    ("99 %", |line| or_dash(Quantity::Latency, line.response.p99)),
    ("99.9 %", |line| {
        or_dash(Quantity::Latency, line.response.p99_9)
    }),
    ("99.99 %", |line| {
        or_dash(Quantity::Latency, line.response.p99_99)
    }),
    ("max", |line| or_dash(Quantity::Latency, line.response.max)),
    ("CPU", |line| {
        line.whole.map_or_else(String::new, |step| {
            match (step.cpu.user_percent, step.cpu.system_percent) {
                (Some(user), Some(system)) => percent_text(user + system),
                _ => MISSING.into(),
            }
        })
    }),
    ("errors", |line| show_count(line.figures.errors as f64)),
];

/// Most stated figures of an imported run that the terminal shows.
const STATED_MAX: usize = 24;

/// Titles of the columns from the one that is left out first.
const LEAST_IMPORTANT: [&str; 8] = [
    "99.99 %",
    "mean",
    "99.9 %",
    "CPU",
    "max",
    "depth",
    "99 %",
    "bandwidth",
];

/// Lines of steps from which on those that a matrix shows are left out of the table.
const LINES_MAX: usize = 40;

/// The steps that the table shows beside these matrices.
fn tabled<'a>(summary: &'a Summary, matrices: &[Matrix]) -> Vec<&'a StepSummary> {
    let in_matrix = |step: &StepSummary| {
        matrices
            .iter()
            .flat_map(|matrix| matrix.cells.iter().flatten().flatten())
            .any(|cell| cell.step == step.step)
    };
    // What failed is told line by line.
    let shown = |step: &&StepSummary| {
        summary.steps.len() <= LINES_MAX || step.total.errors > 0 || !in_matrix(step)
    };
    summary.steps.iter().filter(shown).collect()
}

/// One line per step, with one for each kind of operation below it where there are several, aligned; columns that do not fit the width are left out, the least important first. Of many steps, those that a matrix shows
/// are left to it.
pub fn summary_table(summary: &Summary, matrices: &[Matrix], page: Page) -> String {
    let steps = tabled(summary, matrices);
    let any_errors = steps.iter().any(|step| step.total.errors > 0);
    let mut columns: Vec<StepColumn> = STEP_COLUMNS
        .iter()
        .copied()
        .filter(|(title, _)| *title != "errors" || any_errors)
        .collect();
    let lines: Vec<StepLine<'_>> = steps.iter().copied().flat_map(lines_of).collect();
    let cells = |columns: &[StepColumn]| {
        let head = std::iter::once("step".to_string())
            .chain(columns.iter().map(|(title, _)| (*title).to_string()))
            .collect();
        let row = |line: &StepLine<'_>| {
            std::iter::once(line.name.clone())
                .chain(columns.iter().map(|(_, text)| text(line)))
                .collect()
        };
        Cells(std::iter::once(head).chain(lines.iter().map(row)).collect())
    };
    let mut table = cells(&columns);
    for title in LEAST_IMPORTANT {
        if table.width() <= page.width {
            break;
        }
        columns.retain(|(other, _)| *other != title);
        table = cells(&columns);
    }
    let mut out = String::new();
    let texts = if steps.is_empty() {
        Vec::new()
    } else {
        table.lines(page.width)
    };
    for (row, line) in texts.into_iter().enumerate() {
        let failed = row > 0
            && lines
                .get(row - 1)
                .is_some_and(|line| line.figures.errors > 0);
        let line = match row {
            0 => page.tone(Tone::Quiet, &line),
            _ if failed => page.tone(Tone::Severe, &line),
            _ => line,
        };
        out += &line;
        out.push('\n');
    }
    let mut told: Vec<&[StepEnd]> = Vec::new();
    for step in summary
        .steps
        .iter()
        .filter(|step| step.failures().next().is_some())
    {
        if told.contains(&step.ended_by.as_slice()) {
            continue;
        }
        told.push(&step.ended_by);
        let more = summary
            .steps
            .iter()
            .filter(|other| other.ended_by == step.ended_by)
            .count()
            - 1;
        let name = if more > 0 {
            format!("{} and {more} more", step.name)
        } else {
            step.name.clone()
        };
        out += &page.tone(
            Tone::Severe,
            &wrapped(
                &format!("{name}: {}", ends_text(&step.ended_by)),
                "",
                "  ",
                page.width,
            ),
        );
    }
    out + &stated_figures(summary, page)
}

/// The figures that the source of an imported run states and the table has no place for; of many, the first.
fn stated_figures(summary: &Summary, page: Page) -> String {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let all: usize = summary.steps.iter().map(|step| step.stated.len()).sum();
    for step in &summary.steps {
        let name = if summary.steps.len() > 1 {
            format!("{}: ", step.name)
        } else {
            String::new()
        };
        let shown = STATED_MAX - pairs.len();
        pairs.extend(step.stated.iter().take(shown).map(|figure| {
            (
                format!("{name}{}", figure.name),
                with_micro_sign(&stated_text(figure)),
            )
        }));
    }
    if all > pairs.len() {
        pairs.push((
            "...".into(),
            format!("{} more are in the report", all - pairs.len()),
        ));
    }
    if pairs.is_empty() {
        String::new()
    } else {
        format!("\n{}", pairs_text("As the program states it", &pairs, page))
    }
}

/// The facts in groups, unknown ones with their reason.
pub fn environment_text(environment: &Environment, page: Page) -> String {
    let mut out = String::new();
    for (heading, facts) in grouped(environment) {
        out += &page.tone(Tone::Strong, &printable(&heading));
        out.push('\n');
        let longest = facts.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
        for (id, fact) in facts {
            let first = format!("  {}  ", padded(&printable(id), longest));
            let rest = " ".repeat(longest + 4);
            out += &match fact_text(id, fact) {
                Ok(value) => wrapped(&with_micro_sign(&value), &first, &rest, page.width),
                Err(reason) => page.tone(
                    Tone::Quiet,
                    &wrapped(&format!("not known: {reason}"), &first, &rest, page.width),
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

/// What the figures of a plan include and what they do not; empty when its plan says nothing of that.
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
        "What the figures include and what they do not",
    ) + "\n";
    if notes.is_empty() {
        String::new()
    } else {
        heading + &notes.iter().map(line).collect::<String>()
    }
}

/// A sentence over as many lines as it takes.
pub fn sentence_text(sentence: &str, page: Page) -> String {
    wrapped(&with_micro_sign(sentence), "", "", page.width)
}

/// The plan as it will run, each value with where it came from; values that nobody set only when `defaults` is asked for.
pub fn plan_text(plan: &Plan, defaults: bool, page: Page) -> String {
    let resolved = resolve(plan);
    let count = plan.steps.len();
    let mut out = page.tone(
        Tone::Strong,
        &printable(&format!("{}: {}", plan.name, plan.title)),
    );
    out += &format!(
        "\n{count} step{}, {} round{}, order {}\n",
        if count == 1 { "" } else { "s" },
        plan.rounds,
        if plan.rounds == 1 { "" } else { "s" },
        plan.order
    );
    out += &steady_text(plan).map_or_else(String::new, |text| wrapped(&text, "", "", page.width));
    out += &left_out_text(plan).map_or_else(String::new, |text| wrapped(&text, "", "", page.width));
    if !plan.note.is_empty() {
        out += &wrapped(&plan.note, "", "", page.width);
    }
    let wanted = |setting: &&Setting| defaults || setting.origin != Origin::Default;
    let shared: Vec<&Setting> = resolved.shared.iter().filter(wanted).collect();
    if !shared.is_empty() {
        out += "\nall steps\n";
        out += &settings_text(&shared, page);
    }
    for (step, job, settings) in &resolved.differing {
        // With one step everything is shared, and only its name remains to be said.
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
        out += &wrapped(&format!("{name}: {note}"), "  note: ", "      ", page.width);
    }
    out
}

/// That swept steps are left out, and why.
pub fn left_out_text(plan: &Plan) -> Option<String> {
    let steps = if plan.left_out == 1 {
        "step is"
    } else {
        "steps are"
    };
    (plan.left_out > 0).then(|| {
        format!(
            "{} swept {steps} left out: the block is larger than the size",
            plan.left_out
        )
    })
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
