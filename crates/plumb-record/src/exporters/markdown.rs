//! How does a run appear in a ticket, a wiki or a pull request? As GitHub Markdown: setup, verdict, and a table of figures.

use std::fmt::Write;

use plumb_model::results::summary::{OperationSummary, StepSummary, in_order};
use plumb_words::numbers::{show_bandwidth, show_count, show_time_ns};

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "markdown",
    meaning: "setup, verdict, findings and figures as GitHub Markdown, for tickets, wikis and pull requests",
    is_text: true,
    export,
};

/// Placeholder of an unknown value.
const MISSING: &str = "–";

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let (header, summary) = (&subject.run.header, subject.summary);
    // A user's plan may have no title.
    let title = if header.plan.title.is_empty() {
        &header.plan.name
    } else {
        &header.plan.title
    };
    let mut out = format!("### {}\n\n", escaped(title));
    for (what, value) in facts(subject) {
        let _ = writeln!(out, "- {what}: {}", escaped(&value));
    }
    let words = plumb_words::Words::english();
    let mut list = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = write!(out, "\n#### {title}\n\n");
            lines
                .iter()
                .for_each(|line| out += &format!("- {}\n", escaped(line)));
        }
    };
    list(
        "Verdict",
        summary
            .verdict
            .iter()
            .map(|sentence| words.sentence(&sentence.statement))
            .collect(),
    );
    list(
        "Findings",
        summary
            .findings
            .iter()
            .map(|finding| {
                format!(
                    "{} {}",
                    words.sentence(&finding.claim),
                    words.sentence(&finding.advice)
                )
            })
            .collect(),
    );
    list("Doubts", doubts(subject));
    list(
        "What the figures include",
        header
            .plan
            .notes()
            .into_iter()
            .map(|(name, note)| format!("{name}: {note}"))
            .collect(),
    );
    out += "\n#### Figures\n\n";
    out += HEAD;
    for step in &summary.steps {
        for (kind, operation) in step.kinds() {
            out += &row(&step.name, kind, operation);
        }
    }
    out += &parts(&summary.steps);
    let _ = write!(
        out,
        "\n<sub>Times are response times. Written by plumb {}.</sub>\n",
        env!("CARGO_PKG_VERSION")
    );
    Ok(vec![ExportedFile::from_bytes("run.md", out.into_bytes())])
}

fn facts(subject: &Subject<'_>) -> Vec<(&'static str, String)> {
    let header = &subject.run.header;
    let mut facts = vec![("run", header.id.clone()), ("target", header.target())];
    if !header.started.is_empty() {
        facts.push(("started", header.started.clone()));
    }
    facts.extend(
        header
            .environment
            .text("host.name")
            .map(|host| ("host", host.to_string())),
    );
    facts.push(("state", subject.summary.state.clone()));
    if let Some(imported) = &header.imported {
        let version = imported.version.as_deref().unwrap_or_default();
        facts.push((
            "measured by",
            format!("{} {version}", imported.program)
                .trim_end()
                .to_string(),
        ));
    }
    facts
}

fn doubts(subject: &Subject<'_>) -> Vec<String> {
    let words = plumb_words::Words::english();
    let statements = subject.summary.doubts.iter();
    let mut doubts: Vec<String> = statements.map(|doubt| words.sentence(doubt)).collect();
    for doubt in subject
        .run
        .header
        .imported
        .iter()
        .flat_map(|imported| &imported.doubts)
    {
        let doubt = words.sentence(doubt);
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    doubts
}

/// Concurrent jobs, and workers that are reported individually; empty without any.
fn parts(steps: &[StepSummary]) -> String {
    let mut rows = String::new();
    for step in steps {
        for (part, operations) in step.parts() {
            for (kind, operation) in in_order(operations) {
                let name = format!("{}, {part}", step.name);
                rows += &row(&name, kind, operation);
            }
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!("\n#### Jobs and workers\n\n{HEAD}{rows}")
}

/// The header of a table of figures.
const HEAD: &str = "| step | operation | operations | errors | IOPS | bandwidth | mean | p50 | p99 | p99.9 | max |\n\
                    |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

fn row(name: &str, kind: &str, operation: &OperationSummary) -> String {
    let with = |value: Option<f64>, show: fn(f64) -> String| {
        value.map_or_else(|| MISSING.to_string(), show)
    };
    let times = &operation.response_ns;
    let mut cells = vec![
        escaped(name),
        escaped(kind),
        show_count(operation.count as f64),
        show_count(operation.errors as f64),
    ];
    cells.push(with(operation.iops, show_count));
    cells.push(with(operation.bandwidth_bytes_per_s, show_bandwidth));
    cells.extend(
        [times.mean, times.p50, times.p99, times.p99_9, times.max]
            .map(|ns| with(ns, show_time_ns).replace(" us", " µs")),
    );
    format!("| {} |\n", cells.join(" | "))
}

/// A text that GitHub shows literally: no markup, cell ends or line breaks, no user mentions and no issue links.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '$' | '#' => {
                out.extend(['\\', c])
            }
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '@' => out += "@&#8203;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            super::escaped("a|b_c <d> @e\n# f"),
            "a\\|b\\_c &lt;d&gt; @&#8203;e \\# f"
        );
    }
}
