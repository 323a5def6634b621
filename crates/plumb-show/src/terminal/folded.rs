//! What is printed of a run on one screen? Findings and notes on one line each, and a short verdict; an option shows the rest.

use plumb_model::plan::Plan;
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::Summary;
use plumb_model::statement::Statement;

use super::layout::{padded_left, width, wrapped};
use super::{Page, Tone, verdict_head};
use crate::wording::{by_severity, sentence_texts, severity_word, with_micro_sign};

/// Lines of the verdict with its heading: together with the following lines and the prompt, a screen of 24.
const VERDICT_LINES_MAX: usize = 18;
/// Sentences of the verdict below a grid, which has the main figures already and must stay on the screen.
const SENTENCES_BELOW_GRID: usize = 3;
/// Mark of omitted text.
const MORE: &str = " …";

/// The findings, most severe first, each claim on one line; empty if there are none.
pub fn findings_lines(findings: &[Finding], page: Page) -> String {
    let line = |finding: &&Finding| {
        let word = severity_word(finding.severity, page.words);
        let tone = match finding.severity {
            Severity::Info => Tone::Quiet,
            Severity::Warning => Tone::Warning,
            Severity::Severe => Tone::Severe,
        };
        let first = padded_left(&word, 7);
        let claim = with_micro_sign(&page.words.sentence(&finding.claim));
        let claim = folded(&claim, page.width.saturating_sub(width(&first) + 2));
        format!("{}  {claim}\n", page.tone(tone, &first))
    };
    by_severity(findings).iter().map(line).collect()
}

/// What the figures of a plan include and exclude, one line each; empty if its plan has no notes.
pub fn notes_lines(plan: &Plan, page: Page) -> String {
    let line = |(name, note): &(String, &str)| {
        let text = format!("{name}: {}", with_micro_sign(note));
        format!("  • {}\n", folded(&text, page.width.saturating_sub(4)))
    };
    plan.notes().iter().map(line).collect()
}

/// The verdict on one screen, below a grid at most three sentences: the last ones are shortened first, and then dropped, as far as needed.
pub fn verdict_lines(summary: &Summary, page: Page) -> String {
    let head = verdict_head(summary, page);
    let mut sentences: Vec<String> = sentence_texts(&summary.verdict, page.words)
        .iter()
        .map(|sentence| wrapped(sentence, "  • ", "    ", page.width))
        .collect();
    let doubt = |doubt: &Statement| {
        let text = with_micro_sign(&page.words.sentence(doubt));
        format!("  ? {}\n", folded(&text, page.width.saturating_sub(4)))
    };
    let doubts: String = summary.doubts.iter().map(doubt).collect();
    let taken = head.lines().count() + summary.doubts.len();
    let room = VERDICT_LINES_MAX.saturating_sub(taken);
    let shown = match summary.grid.is_empty() {
        true => sentences.len(),
        false => sentences.len().min(SENTENCES_BELOW_GRID),
    };
    let mut left_out = sentences.len() - shown;
    sentences.truncate(shown);
    let lines = |sentences: &[String]| sentences.iter().map(|of| of.lines().count()).sum::<usize>();
    for at in (0..sentences.len()).rev() {
        if lines(&sentences) + usize::from(left_out > 0) <= room {
            break;
        }
        let whole = with_micro_sign(&page.words.sentence(&summary.verdict[at].statement));
        sentences[at] = wrapped(&without_asides(&whole), "  • ", "    ", page.width);
    }
    while sentences.len() > 1 && lines(&sentences) + usize::from(left_out > 0) > room {
        sentences.pop();
        left_out += 1;
    }
    if left_out > 0 {
        let more = Statement::new("terminal-verdict-more").count("count", left_out as u64);
        sentences.push(wrapped(
            &page.words.sentence(&more),
            "    ",
            "    ",
            page.width,
        ));
    }
    head + &sentences.concat() + &doubts
}

/// A sentence up to its first parenthesis or dash.
fn without_asides(text: &str) -> String {
    let asides = [" (", "; ", "（", "；"].map(|begin| text.find(begin));
    match asides.into_iter().flatten().min() {
        Some(end) => format!("{}{MORE}", &text[..end]),
        None => text.to_string(),
    }
}

/// A text cut to one line, at the end of a clause, else of a word.
fn folded(text: &str, columns: usize) -> String {
    let text = super::printable(text).replace('\n', " ");
    if width(&text) <= columns {
        return text;
    }
    let room = columns.saturating_sub(width(MORE));
    let fits: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| width(&text[..*at]) <= room)
        .collect();
    let clause = |at: &&usize| {
        let rest = &text[**at..];
        [": ", "; ", ", ", " (", "：", "；", "，", "（", "。", "、"]
            .iter()
            .any(|end| rest.starts_with(end))
    };
    // A clause that ends too early carries too little information.
    let is_long = |at: &&usize| width(&text[..**at]) * 2 > room;
    let by_clause = fits.iter().rfind(|at| clause(at) && is_long(at));
    let by_word = || {
        // A number and its unit stay together.
        let is_break = |at: &&usize| {
            let rest = text[**at..].strip_prefix(' ');
            let after_number = text[..**at].ends_with(|last: char| last.is_ascii_digit());
            rest.is_some() && !after_number
        };
        fits.iter().rfind(is_break)
    };
    let end = by_clause.or_else(by_word).or(fits.last());
    end.map_or_else(String::new, |end| format!("{}{MORE}", &text[..*end]))
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn a_text_ends_with_a_clause_or_a_word_and_never_within_a_figure() {
        let check = |text: &str, columns: usize, expected: &str| {
            assert_eq!(folded(text, columns), expected, "{text} {columns}");
        };
        check("all of it", 9, "all of it");
        check("one two, three four five", 22, "one two, three four …");
        check("one two three, four five six", 22, "one two three …");
        check("it takes about 340 ms more", 20, "it takes about …");
        check("随机读取很快，延迟很低，波动很小", 20, "随机读取很快 …");
        check("", 0, "");
    }
}
