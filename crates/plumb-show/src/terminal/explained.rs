//! How is an explanation printed? Each finding with details, then rules that lacked data, and the second recording.

use plumb_model::explain::conclusion::{Explained, Explanation};
use plumb_model::explain::observed::Observed;
use plumb_model::results::finding::Evidence;
use plumb_model::statement::Statement;

use super::layout::{printable, wrapped};
use super::{Page, Tone};
use crate::wording::explained::{known_figures, lacks, predicted_text, time_text};
use crate::wording::{sentence, with_micro_sign};

/// The explanation as text; with the rules that lacked data, where they are asked for.
pub fn explained_text(explained: &Explained, with_abstained: bool, page: Page) -> String {
    let observed = &explained.observed;
    let place = observed.target.as_deref().unwrap_or(&observed.source);
    let mut out = page.tone(Tone::Strong, &printable(place)) + "\n";
    out += &figures(observed, page);
    for statement in &explained.parts {
        out += &wrapped(&sentence(statement, page.words), "  ", "  ", page.width);
    }
    if !explained.withheld.is_empty() {
        out += &heading("label-explain-withheld", page);
        for statement in &explained.withheld {
            let text = wrapped(&sentence(statement, page.words), "  ? ", "    ", page.width);
            out += &page.tone(Tone::Warning, text.trim_end());
            out.push('\n');
        }
    } else if explained.findings.is_empty() {
        let text = sentence(&Statement::new("explain-nothing"), page.words);
        out += &wrapped(&text, "  ", "  ", page.width);
    }
    for (place, finding) in explained.findings.iter().enumerate() {
        out += &one(place + 1, finding, observed, page);
    }
    if let Some(proof) = &explained.proof {
        out += &heading("label-explain-proof", page);
        for statement in &proof.statements {
            out += &wrapped(&sentence(statement, page.words), "  • ", "    ", page.width);
        }
        out += &wrapped(&printable(&proof.folder), "  ", "  ", page.width);
    }
    if with_abstained {
        out += &abstained(explained, page);
    }
    if let Some(second) = &explained.second {
        out += &heading("label-explain-second", page);
        out += &figures(&second.observed, page);
        for statement in &second.statements {
            out += &wrapped(&sentence(statement, page.words), "  • ", "    ", page.width);
        }
    }
    out
}

fn heading(label: &'static str, page: Page) -> String {
    format!("\n{}\n", page.tone(Tone::Strong, &page.words.label(label)))
}

/// The known figures, in one line.
fn figures(observed: &Observed, page: Page) -> String {
    let known = known_figures(observed, page.words).join(" · ");
    wrapped(&printable(&known), "  ", "  ", page.width)
}

/// One finding: its number and claim, then one line per detail.
fn one(number: usize, finding: &Explanation, observed: &Observed, page: Page) -> String {
    let words = page.words;
    let claim = wrapped(
        &sentence(&finding.claim, words),
        &format!("{number}. "),
        "   ",
        page.width,
    );
    let mut out = format!("\n{}\n", page.tone(Tone::Strong, claim.trim_end()));
    let mut line = |label: &'static str, text: String| {
        let label = page.words.label(label);
        out += &wrapped(&format!("{label}: {text}"), "   ", "     ", page.width);
    };
    line("label-explain-time", time_text(finding, observed, words));
    line("label-explain-evidence", evidence(&finding.evidence, page));
    for statement in &finding.ruled_out {
        line("label-explain-ruled-out", sentence(statement, words));
    }
    line("label-explain-advice", sentence(&finding.advice, words));
    line(
        "label-explain-predicted",
        predicted_text(finding, observed, words),
    );
    line("label-explain-next", sentence(&finding.next_limit, words));
    line("label-explain-experiment", printable(&finding.experiment));
    line(
        "label-explain-refuted",
        sentence(&finding.refuted_by, words),
    );
    out
}

/// All figures, then their source, which is the same for all of one finding.
fn evidence(all: &[Evidence], page: Page) -> String {
    let words = page.words;
    let one = |of: &Evidence| format!("{} {}", words.argument(&of.value), words.argument(&of.what));
    let mut text = all.iter().map(one).collect::<Vec<_>>().join("; ");
    if let Some(first) = all.first() {
        text += &format!(" ({})", words.sentence(&first.source));
    }
    with_micro_sign(&printable(&text))
}

/// Rules that lacked data. What several lack is stated once.
fn abstained(explained: &Explained, page: Page) -> String {
    if explained.abstained.is_empty() {
        return String::new();
    }
    let mut out = heading("label-explain-abstained", page);
    for (text, rules) in lacks(&explained.abstained, page.words) {
        let line = format!("{}: {text}", rules.join(", "));
        out += &wrapped(&line, "  ? ", "    ", page.width);
    }
    out
}
