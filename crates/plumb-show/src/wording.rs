//! How are the facts of a run written as text, for the page and the terminal?

pub(crate) mod comparison;
pub(crate) mod explained;
pub(crate) mod waterfall;
pub(crate) mod why;

use plumb_model::environment::fact_unit::in_unit;
use plumb_model::environment::{Environment, FACTS, Fact};
use plumb_model::plan::Plan;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::{Sentence, Summary};
use plumb_model::run::imported::{Imported, ReportedFigure};
use plumb_model::run::step_end::StepEnd;
use plumb_model::statement::{Argument, Statement};
use plumb_words::Words;
use plumb_words::numbers::{show_bandwidth, show_bytes, show_count, show_time_ns};

/// Placeholder for a missing figure.
pub const MISSING: &str = "–";

/// Writes microseconds after a number with the micro sign: `41 us` becomes `41 µs`, `let us` stays.
pub fn with_micro_sign(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" us") {
        let (before, after) = (&rest[..at], &rest[at + 3..]);
        let unit = before.ends_with(|c: char| c.is_ascii_digit())
            && !after.starts_with(|c: char| c.is_ascii_alphanumeric());
        out.push_str(before);
        out.push_str(if unit { " µs" } else { " us" });
        rest = after;
    }
    out + rest
}

/// The sentence of a statement.
pub fn sentence(statement: &Statement, words: Words) -> String {
    with_micro_sign(&words.sentence(statement))
}

/// The sentences of a verdict.
pub fn sentence_texts(sentences: &[Sentence], words: Words) -> Vec<String> {
    let told = sentences.iter().map(|sentence| &sentence.statement);
    told.map(|statement| sentence(statement, words)).collect()
}

/// The texts of a finding.
pub struct FindingTexts {
    pub claim: String,
    /// Each with subject, value and source, which may be empty.
    pub evidence: Vec<[String; 3]>,
    pub ruled_out: Vec<String>,
    /// May be empty.
    pub advice: String,
}

/// The texts of a piece of evidence: subject and value.
pub fn evidence_texts(what: &Argument, value: &Argument, words: Words) -> [String; 2] {
    [
        words.argument(what),
        with_micro_sign(&words.argument(value)),
    ]
}

/// The texts of a finding.
pub fn finding_texts(finding: &Finding, words: Words) -> FindingTexts {
    let sentence = |statement: &Statement| with_micro_sign(&words.sentence(statement));
    let evidence = |evidence: &Evidence| {
        let [what, value] = evidence_texts(&evidence.what, &evidence.value, words);
        [what, value, sentence(&evidence.source)]
    };
    FindingTexts {
        claim: sentence(&finding.claim),
        evidence: finding.evidence.iter().map(evidence).collect(),
        ruled_out: finding.ruled_out.iter().map(sentence).collect(),
        advice: sentence(&finding.advice),
    }
}

/// How a step ended, over all its rounds and jobs.
pub fn ends_text(ends: &[StepEnd], words: Words) -> String {
    let texts: Vec<String> = ends
        .iter()
        .map(|end| words.sentence(&end.statement()))
        .collect();
    texts.join("; ")
}

/// The name of a severity.
pub fn severity_word(severity: Severity, words: Words) -> String {
    words.label(match severity {
        Severity::Info => "label-severity-note",
        Severity::Warning => "label-severity-warning",
        Severity::Severe => "label-severity-severe",
    })
}

/// Findings sorted by severity, in the given order otherwise.
pub fn by_severity(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    sorted
}

/// Expected effect of the advice: `1.5 to 2 times today's figure`.
pub fn effect_text(finding: &Finding, words: Words) -> Option<String> {
    let (low, high) = finding.predicted_effect?;
    let effect = Statement::new("finding-effect")
        .number("low", low)
        .number("high", high);
    Some(words.sentence(&effect))
}

/// `2026-11-21T10:22:33.123+01:00` as `2026-11-21 10:22:33 +01:00`; anything else unchanged.
pub fn date_text(rfc3339: &str) -> String {
    if rfc3339.is_empty() {
        return MISSING.to_string();
    }
    let Some((date, rest)) = rfc3339.split_once('T') else {
        return rfc3339.to_string();
    };
    let Some((time, zone)) = rest.find(['Z', '+', '-']).map(|at| rest.split_at(at)) else {
        return rfc3339.to_string();
    };
    let time = time.split('.').next().unwrap_or(time);
    let zone = if zone == "Z" { "UTC" } else { zone };
    format!("{date} {time} {zone}")
}

/// Origin of an imported run: `measured by fio 3.33, imported from results.json`.
pub fn origin_text(from: &Imported, words: Words) -> String {
    let statement = match &from.version {
        Some(version) => Statement::new("origin-imported-version")
            .name("program", &from.program)
            .name("version", version)
            .name("file", &from.file),
        None => Statement::new("origin-imported")
            .name("program", &from.program)
            .name("file", &from.file),
    };
    words.sentence(&statement)
}

/// State of an unfinished run; `None` if it finished.
pub fn state_text(summary: &Summary, words: Words) -> Option<String> {
    let state = summary.state.as_str();
    let text = || words.sentence(&Statement::new("page-state").name("state", state));
    (state != "finished").then(text)
}

/// A figure stated by the source of an imported run, with its unit.
pub fn stated_text(figure: &ReportedFigure) -> String {
    match figure.unit.as_str() {
        "ns" => show_time_ns(figure.value),
        "B" => show_bytes(figure.value),
        "B/s" => show_bandwidth(figure.value),
        "%" => format!("{} %", show_count(figure.value)),
        "" => show_count(figure.value),
        unit => format!("{} {unit}", show_count(figure.value)),
    }
}

/// The command line as a shell would take it.
pub fn command_text(command: &[String]) -> String {
    let plain = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c))
    };
    let quoted = |word: &String| {
        if plain(word) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The targets of a plan, each once.
pub fn targets_text(plan: &Plan) -> String {
    let mut targets: Vec<String> = Vec::new();
    for job in plan.steps.iter().flat_map(|step| &step.jobs) {
        let target = job.target.to_string();
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets.join(", ")
}

/// The target for a title: the resolved path if known, else as given.
pub fn subject_text(plan: &Plan, environment: &Environment) -> String {
    match environment.text("target.path") {
        Some(path) => path.to_string(),
        None => targets_text(plan),
    }
}

/// The value of a fact with its unit, taken from the end of its id; `Err` with the reason if it is unknown.
pub fn fact_text(id: &str, fact: &Fact, words: Words) -> Result<String, String> {
    let number = match fact {
        Fact::Text(text) => return Ok(text.clone()),
        Fact::Flag(flag) => return Ok(words.label(if *flag { "label-yes" } else { "label-no" })),
        Fact::Unknown(reason) => return Err(reason.clone()),
        Fact::Number(number) => *number,
    };
    Ok(match in_unit(id, number) {
        Some(value) => words.argument(&value),
        None => number.to_string(),
    })
}

/// The meaning of a fact by the list of facts; the id itself if not listed.
pub fn fact_meaning(id: &str, words: Words) -> String {
    // Facts of array members are listed once, with a star.
    let listed = FACTS.iter().find(|(listed, _)| {
        *listed == id
            || listed
                .strip_suffix('*')
                .is_some_and(|stem| id.starts_with(stem))
    });
    match listed {
        None => id.to_string(),
        Some((listed, meaning)) => words.fact(listed).unwrap_or_else(|| (*meaning).to_string()),
    }
}

/// Groups of facts in display order: prefix and label of the heading.
const GROUPS: &[(&str, &str)] = &[
    ("target", "label-group-target"),
    ("mount", "label-group-file-system"),
    ("file_system", "label-group-file-system"),
    ("device", "label-group-device"),
    ("parent", "label-group-whole-disk"),
    ("array", "label-group-array"),
    ("share", "label-group-share"),
    ("smb", "label-group-smb-server"),
    ("nfs", "label-group-nfs-server"),
    ("s3", "label-group-object-store"),
    ("network", "label-group-network"),
    ("rdma", "label-group-rdma"),
    ("host", "label-group-machine"),
    ("cpu", "label-group-processor"),
    ("numa", "label-group-memory-nodes"),
    ("memory", "label-group-memory"),
    ("clock", "label-group-clock"),
    ("io_uring", "label-group-io-uring"),
    ("limit", "label-group-limits"),
    ("cgroup", "label-group-control-group"),
    ("counters", "label-group-counter-sets"),
    ("activity", "label-group-activity"),
];

/// The facts by group: heading, then (id, fact) in the order of the list of facts.
pub fn grouped(environment: &Environment, words: Words) -> Vec<(String, Vec<(&str, &Fact)>)> {
    let mut groups: Vec<(String, Vec<(&str, &Fact)>)> = Vec::new();
    let prefix_of = |id: &str| id.split('.').next().unwrap_or(id).to_string();
    let place = |id: &str| {
        GROUPS
            .iter()
            .position(|(prefix, _)| *prefix == prefix_of(id))
            .unwrap_or(GROUPS.len())
    };
    let listed = |id: &str| {
        FACTS
            .iter()
            .position(|(listed, _)| *listed == id)
            .unwrap_or(FACTS.len())
    };
    let mut facts: Vec<(&str, &Fact)> = environment
        .facts
        .iter()
        .map(|(id, fact)| (id.as_str(), fact))
        .collect();
    facts.sort_by_key(|(id, _)| (place(id), listed(id), id.to_string()));
    for (id, fact) in facts {
        let heading = GROUPS
            .get(place(id))
            .map_or_else(|| prefix_of(id), |(_, heading)| words.label(heading));
        match groups.last_mut() {
            Some((last, members)) if *last == heading => members.push((id, fact)),
            _ => groups.push((heading, vec![(id, fact)])),
        }
    }
    groups
}

/// Stop rule of the rounds of a plan with a steady state, and the steps before them; `None` for other plans.
pub fn steady_text(plan: &Plan, words: Words) -> Option<String> {
    let once: Vec<&str> = plan
        .steps
        .iter()
        .filter(|step| step.once)
        .map(|step| step.name.as_str())
        .collect();
    let before = (!once.is_empty())
        .then(|| Statement::new("before-the-rounds").name("steps", once.join(", ")));
    let rounds = plan.steady.as_ref().map(|steady| {
        let rounds = Statement::new("rounds-end-when-steady")
            .name("figure", steady.figure.to_string())
            .name("steps", steady.steps.join(", "))
            .count("window", u64::from(steady.window))
            .name("spread", steady.data_excursion_percent.to_string())
            .name("slope", steady.slope_excursion_percent.to_string());
        match steady.capacities {
            None => rounds,
            Some(times) => Statement::new("rounds-end-when-steady-or-written")
                .part("steady", rounds)
                .name("times", times.to_string()),
        }
    });
    let statement = match (before, rounds) {
        (Some(before), Some(rounds)) => Statement::new("two-sentences")
            .part("first", before)
            .part("second", rounds),
        (before, rounds) => before.or(rounds)?,
    };
    Some(words.sentence(&statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_carry_the_unit_of_their_id() {
        let check = |id: &str, number: f64, text: &str| {
            assert_eq!(
                fact_text(id, &Fact::Number(number), Words::english()),
                Ok(text.into()),
                "{id}"
            )
        };
        check("memory.total_bytes", 8.0 * 1024f64.powi(3), "8 GiB");
        check("cpu.frequency_max_hz", 3.5e9, "3.50 GHz");
        check("activity.device_bytes_per_s", 2048.0, "2 KiB/s");
        check("activity.device_operations_per_s", 12.0, "12/s");
        check("network.mtu_bytes", 1400.0, "1400 bytes");
        check("network.speed_bits_per_s", 25e9, "25 Gbit/s");
        check("network.round_trip_us", 22.8, "22.8 us");
        check("smb.signing_ns_per_mib", 250_000.0, "250 us/MiB");
        check("share.age_s", 90.0, "90 s");
        check("activity.cpu_busy_percent", 12.34, "12.3 %");
        check("cpu.threads", 16.0, "16");
        check("cpu.threads", 1_234_567.0, "1234567");
        assert_eq!(
            fact_text(
                "x",
                &Fact::Unknown("no permission".into()),
                Words::english()
            ),
            Err("no permission".into())
        );
    }

    #[test]
    fn every_listed_fact_has_a_group() {
        for (id, _) in FACTS {
            let prefix = id.split('.').next().expect("prefix");
            assert!(GROUPS.iter().any(|(known, _)| *known == prefix), "{id}");
        }
    }

    #[test]
    fn command_lines_survive_a_shell() {
        let command = ["plumb", "run", "--target", "a b's", ""].map(String::from);
        assert_eq!(command_text(&command), r"plumb run --target 'a b'\''s' ''");
    }

    #[test]
    fn an_imported_run_names_its_origin_and_figures_their_units() {
        let from = |version: Option<&str>| Imported {
            program: "fio".into(),
            version: version.map(Into::into),
            importer: "fio-json".into(),
            file: "a.json".into(),
            names_all_options: false,
            unstated: Vec::new(),
            doubts: Vec::new(),
        };
        assert_eq!(
            origin_text(&from(Some("3.33")), Words::english()),
            "measured by fio 3.33, imported from a.json"
        );
        assert_eq!(
            origin_text(&from(None), Words::english()),
            "measured by fio, imported from a.json"
        );
        let figure = |value: f64, unit: &str| {
            stated_text(&ReportedFigure {
                name: "x".into(),
                value,
                unit: unit.into(),
            })
        };
        assert_eq!(
            (figure(1500.0, "ns"), figure(12.5, "%"), figure(7.0, "")),
            ("1.5 us".into(), "12.5 %".into(), "7".into())
        );
    }

    #[test]
    fn only_units_get_the_micro_sign() {
        assert_eq!(
            with_micro_sign("41.2 us, tell us 3 users; 5 us"),
            "41.2 µs, tell us 3 users; 5 µs"
        );
        assert_eq!(with_micro_sign("320 us与723 us"), "320 µs与723 µs");
    }

    #[test]
    fn dates_are_readable() {
        assert_eq!(
            date_text("2026-11-21T10:22:33.123456+01:00"),
            "2026-11-21 10:22:33 +01:00"
        );
        assert_eq!(date_text("2026-11-21T10:22:33Z"), "2026-11-21 10:22:33 UTC");
        assert_eq!(date_text("yesterday"), "yesterday");
    }
}
