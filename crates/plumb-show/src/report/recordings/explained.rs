//! What is on the page of an explanation? Its findings with details, the figures, rules that lacked data, and the second recording.

use std::fmt::Write;

use plumb_model::explain::conclusion::{Explained, Explanation, Proof, ProofState};
use plumb_model::explain::curve::OperatingCurve;
use plumb_model::explain::observed::Observed;
use plumb_model::statement::Statement;
use plumb_model::trace::summary::TraceSummary;
use plumb_words::Words;

use super::traced;
use crate::escape::escape;
use crate::explain_figures::{of_means, operating_curve};
use crate::figure::Figure;
use crate::report::page::{Drawn, PageFrame};
use crate::report::verdict;
use crate::wording::explained::{known_figures, lacks, predicted_text, time_text, window_text};
use crate::wording::{evidence_texts, sentence};

/// The page: one self-contained file. `trace` is given if the recording has individual calls.
pub fn explained_html(
    explained: &Explained,
    curve: Option<&OperatingCurve>,
    trace: Option<&TraceSummary>,
    words: Words,
) -> String {
    let observed = &explained.observed;
    let place = observed.target.as_deref().unwrap_or(&observed.source);
    let title = Statement::new("explain-page-title").name("place", place);
    let footer = Statement::new("explain-page-footer").name("version", &explained.plumb_version);
    let drawn = Drawn::new(&figures(explained, curve, trace, words), words);
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version: &explained.plumb_version,
        header: header(observed, place, words),
        summary: String::new(),
        sections: vec![
            ("verdict", "label-verdict", claims(explained, words)),
            ("chart", "", drawn.first),
            ("findings", "label-findings", findings(explained, words)),
            ("figures", "label-figures", drawn.rest),
            (
                "abstained",
                "label-explain-abstained",
                abstained(explained, words),
            ),
            ("second", "label-explain-second", second(explained, words)),
            (
                "tables",
                "label-all-figures",
                trace.map_or_else(String::new, |trace| traced::all_tables(trace, words)),
            ),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

fn header(observed: &Observed, place: &str, words: Words) -> String {
    let mut facts = known_figures(observed, words);
    facts.push(window_text(observed, words));
    format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n",
        escape(&words.label("label-explain-page")),
        escape(place),
        escape(&facts.join(" · "))
    )
}

fn figures(
    explained: &Explained,
    curve: Option<&OperatingCurve>,
    trace: Option<&TraceSummary>,
    words: Words,
) -> Vec<Figure> {
    let observed = &explained.observed;
    let mut figures: Vec<Figure> = curve
        .and_then(|curve| operating_curve(curve, words))
        .into_iter()
        .collect();
    match trace {
        Some(trace) => figures.extend(traced::figures(trace, words)),
        None => figures.extend(of_means(
            &observed.outstanding_over_time,
            observed.span_s(),
            words,
        )),
    }
    figures
}

/// Which part of the recording it is, where it is not all of it, and the claims of the findings, one sentence each.
fn claims(explained: &Explained, words: Words) -> String {
    let paragraph = |of: &Statement| format!("<p>{}</p>\n", escape(&sentence(of, words)));
    let parts: String = explained.parts.iter().map(paragraph).collect();
    parts + &claims_of_part(explained, words)
}

fn claims_of_part(explained: &Explained, words: Words) -> String {
    let nothing = escape(&words.label("label-explain-withheld"));
    let withheld = |statement| {
        let text = escape(&sentence(statement, words));
        format!("<p class=\"state\"><b>{nothing}</b>: {text}</p>\n")
    };
    if !explained.withheld.is_empty() {
        return explained.withheld.iter().map(withheld).collect();
    }
    if explained.findings.is_empty() {
        let nothing = words.sentence(&Statement::new("explain-nothing"));
        return format!("<p>{}</p>\n", escape(&nothing));
    }
    let item = |finding: &Explanation| {
        let claim = escape(&sentence(&finding.claim, words));
        format!("<li><p>{claim}</p></li>\n")
    };
    let items: Vec<String> = explained.findings.iter().map(item).collect();
    verdict::folded_after(&items, verdict::SHOWN, words)
}

fn findings(explained: &Explained, words: Words) -> String {
    let mut out = String::new();
    for (place, finding) in explained.findings.iter().enumerate() {
        let proof = explained
            .proof
            .as_ref()
            .filter(|proof| proof.rule == finding.rule || proof.rule.is_empty() && place == 0);
        out += &article(place + 1, finding, proof, &explained.observed, words);
    }
    out
}

/// One finding: its claim, its evidence, and one row per detail.
fn article(
    number: usize,
    finding: &Explanation,
    proof: Option<&Proof>,
    observed: &Observed,
    words: Words,
) -> String {
    let mut out = format!(
        "<article class=\"finding is-{}\">\n<h3><span class=\"badge\">{number}</span> {}</h3>\n",
        if number == 1 { "warning" } else { "note" },
        escape(&sentence(&finding.claim, words))
    );
    out += "<dl class=\"method\">";
    let mut row = |label: &'static str, html: String| {
        let label = escape(&words.label(label));
        let _ = write!(out, "<div><dt>{label}</dt><dd>{html}</dd></div>");
    };
    let text_of = |statement: &Statement| escape(&sentence(statement, words));
    row(
        "label-explain-time",
        escape(&time_text(finding, observed, words)),
    );
    row(
        "label-explain-advice",
        format!("<b>{}</b>", text_of(&finding.advice)),
    );
    row(
        "label-explain-predicted",
        escape(&predicted_text(finding, observed, words)),
    );
    for ruled_out in &finding.ruled_out {
        row("label-explain-ruled-out", text_of(ruled_out));
    }
    row("label-explain-next", text_of(&finding.next_limit));
    row(
        "label-explain-experiment",
        format!("<code>{}</code>", escape(&finding.experiment)),
    );
    row("label-explain-refuted", text_of(&finding.refuted_by));
    if let Some(proof) = proof {
        row("label-explain-proof", proof_html(proof, words));
    }
    if let Some(source) = finding.evidence.first().map(|first| text_of(&first.source)) {
        row("label-explain-source", source);
    }
    out += "</dl>\n";
    out += &evidence(finding, words);
    let _ = writeln!(
        out,
        "<p class=\"note\">{} <code>{}</code></p>\n</details>\n</article>",
        escape(&words.label("label-rule")),
        escape(&finding.rule)
    );
    out
}

/// The evidence of a finding, folded; the caller adds to the same fold.
fn evidence(finding: &Explanation, words: Words) -> String {
    let mut out = format!(
        "<details class=\"rests\"><summary>{}</summary>\n<dl class=\"evidence\">",
        escape(&words.label("label-evidence"))
    );
    for evidence in &finding.evidence {
        let [what, value] = evidence_texts(&evidence.what, &evidence.value, words);
        let _ = write!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(&what),
            escape(&value)
        );
    }
    out + "</dl>\n"
}

/// Result of the experiment, its state in the color of a verdict.
fn proof_html(proof: &Proof, words: Words) -> String {
    let class = match proof.state {
        ProofState::Proven => "better",
        ProofState::Refuted => "worse",
        ProofState::Undecided => "undecided",
    };
    let mut out = String::new();
    for (index, statement) in proof.statements.iter().enumerate() {
        let text = escape(&sentence(statement, words));
        out += &match index {
            0 => format!("<span class=\"v-{class}\">{text}</span>"),
            _ => format!("<br>{text}"),
        };
    }
    out + &format!("<br><code>{}</code>", escape(&proof.folder))
}

fn abstained(explained: &Explained, words: Words) -> String {
    let mut out = String::new();
    for (text, rules) in lacks(&explained.abstained, words) {
        let _ = writeln!(
            out,
            "<li><code>{}</code>: {}</li>",
            escape(&rules.join(", ")),
            escape(&text)
        );
    }
    if out.is_empty() {
        return out;
    }
    format!("<ul class=\"notes\">\n{out}</ul>\n")
}

fn second(explained: &Explained, words: Words) -> String {
    let Some(second) = &explained.second else {
        return String::new();
    };
    let known = known_figures(&second.observed, words).join(" · ");
    let mut out = format!(
        "<p class=\"facts\">{}</p>\n<ul class=\"notes\">\n",
        escape(&known)
    );
    for statement in &second.statements {
        let _ = writeln!(out, "<li>{}</li>", escape(&sentence(statement, words)));
    }
    out + "</ul>\n"
}
