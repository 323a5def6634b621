//! What is a rule of the advisor? It finds one limit, with a prediction that an experiment can refute; or it is silent; or it reports the data it lacks.

use plumb_model::explain::conclusion::Explanation;
use plumb_model::explain::observed::{Observed, ObservedFrom};
use plumb_model::results::finding::Evidence;
use plumb_model::statement::{Argument, Statement, Unit};

/// A rule: one file in `rules/`, named by its finding.
pub struct Rule {
    /// The finding's name, equal to the file's.
    pub name: &'static str,
    /// One or two sentences for the reference pages: what is judged, and why it matters.
    pub meaning: &'static str,
    pub judge: fn(&Observed) -> Judgement,
    /// Cases in which it must fire and be silent, for the contract test.
    #[cfg(test)]
    pub examples: fn() -> Examples,
}

/// Result of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    Found(Box<Explanation>),
    /// All that it needs is there, and this is not the limit.
    Silent,
    /// What is missing, and how to get it.
    Abstains(Vec<Statement>),
}

#[cfg(test)]
pub struct Examples {
    pub fires: Vec<Observed>,
    pub silent: Vec<Observed>,
}

/// Where a figure was taken from.
pub fn source(observed: &Observed) -> Statement {
    let (file, begin, end) = (
        observed.source.clone(),
        observed.begin_ns as f64,
        (observed.begin_ns + observed.span_ns) as f64,
    );
    match observed.from {
        ObservedFrom::Trace => Statement::new("explain-source-trace")
            .name("file", file)
            .time_ns("begin", begin)
            .time_ns("end", end),
        ObservedFrom::Counters => Statement::new("explain-source-counters")
            .name("file", file)
            .time_ns("begin", begin)
            .time_ns("end", end),
        ObservedFrom::Load => Statement::new("explain-source-load")
            .name("file", file)
            .time_ns("begin", begin)
            .time_ns("end", end),
    }
}

/// Figures as evidence; those that are missing are left out.
pub struct Figures<'a> {
    observed: &'a Observed,
    found: Vec<Evidence>,
}

impl<'a> Figures<'a> {
    pub fn of(observed: &'a Observed) -> Figures<'a> {
        let found = Vec::new();
        Figures { observed, found }
    }

    pub fn and(mut self, what: Statement, value: Option<impl Into<Argument>>) -> Figures<'a> {
        if let Some(value) = value {
            self.found.push(Evidence {
                what: what.into(),
                value: value.into(),
                source: source(self.observed),
            });
        }
        self
    }

    /// Outstanding calls and how much of the time their callers waited.
    pub fn waiting(self) -> Figures<'a> {
        let observed = self.observed;
        self.and(
            Statement::new("explain-figure-outstanding"),
            observed.outstanding,
        )
        .and(
            Statement::new("explain-figure-outstanding-most"),
            observed.outstanding_most,
        )
        .and(
            Statement::new("explain-figure-waiting"),
            observed.waiting_share().map(percent),
        )
    }

    /// Requests per second, their size and their time.
    pub fn requests(self) -> Figures<'a> {
        let observed = self.observed;
        let rate = |value| (value, Unit::PerSecond);
        self.and(
            Statement::new("explain-figure-requests"),
            observed.requests_per_s.map(rate),
        )
        .and(
            Statement::new("explain-figure-size"),
            observed.bytes_per_request.map(|value| (value, Unit::Bytes)),
        )
        .and(
            Statement::new("explain-figure-time"),
            observed.request_ns.map(time),
        )
    }

    pub fn list(self) -> Vec<Evidence> {
        self.found
    }
}

/// A share of 0 to 1 as a percentage.
pub fn percent(share: f64) -> (f64, Unit) {
    (share * 100.0, Unit::Percent)
}

/// A time in nanoseconds.
pub fn time(ns: f64) -> (f64, Unit) {
    (ns, Unit::Nanoseconds)
}

/// The share of time that a factor saves, from the middle of its interval.
pub fn saved_share(low: f64, high: f64) -> f64 {
    1.0 - 1.0 / (low * high).sqrt().max(1.0)
}

/// Where an experiment can run: the recorded mount, share, drive or disk, as an argument of a shell; a placeholder where none is known.
fn place(observed: &Observed) -> String {
    let name = observed.target.as_deref().unwrap_or_default();
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let share = name.trim_start_matches('\\');
    let found = match name.rsplit_once(' ').map_or(name, |(_, drive)| drive) {
        _ if name.starts_with('/') => name.to_string(),
        _ if share.len() < name.len() && share.contains('\\') => {
            format!("smb://{}", share.replace('\\', "/"))
        }
        drive if drive.len() == 2 && drive.ends_with(':') => format!("{drive}/"),
        disk if observed.is_local && is_word(disk) => format!("/dev/{disk}"),
        _ => return "TARGET".to_string(),
    };
    plumb_model::text::shell::quoted(&found)
}

/// The experiment that proves or refutes the finding of this rule.
pub fn proof(observed: &Observed, rule: &str) -> String {
    let source = plumb_model::text::shell::quoted(&observed.source);
    format!(
        "plumb explain {source} --prove --rule={rule} --target={}",
        place(observed)
    )
}

/// The measurement of throughput by outstanding requests: `plumb run depth`.
pub fn depth_probe(observed: &Observed) -> String {
    let block = match observed.bytes_per_request {
        // Blocks are multiples of a sector.
        Some(bytes) => format!(" --set block={}k", (bytes / 4096.0).round().max(1.0) * 4.0),
        None => String::new(),
    };
    format!("plumb run depth {}{block}", place(observed))
}

/// The measurement of request cost by size: `plumb run blocks`.
pub fn size_probe(observed: &Observed) -> String {
    let probe = format!("plumb run blocks {}", place(observed));
    match observed.outstanding_most {
        Some(most) => format!("{probe} --set depth={most}"),
        None => probe,
    }
}

/// The missing figures as an abstention; `None` if all are known.
pub fn missing(needs: &[(bool, Statement)]) -> Option<Judgement> {
    let missing: Vec<Statement> = needs
        .iter()
        .filter(|(is_there, _)| !is_there)
        .map(|(_, statement)| statement.clone())
        .collect();
    (!missing.is_empty()).then_some(Judgement::Abstains(missing))
}

/// What is missing when it is not known how many requests were outstanding.
pub fn lacks_outstanding(observed: &Observed) -> Statement {
    Statement::new(match observed.is_local {
        true => "explain-lacks-outstanding-disk",
        false => "explain-lacks-outstanding",
    })
}

/// What is missing when the rate of requests is not known.
pub fn lacks_requests(observed: &Observed) -> Statement {
    Statement::new(match observed.is_local {
        true => "explain-lacks-requests-disk",
        false => "explain-lacks-requests",
    })
}

#[cfg(test)]
#[test]
fn an_experiment_runs_where_the_recording_was_made() {
    let of = |target: &str, is_local| Observed {
        target: Some(target.into()),
        is_local,
        ..one_at_a_time()
    };
    for (target, is_local, expected) in [
        ("/mnt/my data", true, "'/mnt/my data'"),
        ("\\\\nas\\backup", false, "smb://nas/backup"),
        ("\\nas\\backup", false, "smb://nas/backup"),
        ("0 C:", true, "C:/"),
        ("nvme0n1", true, "/dev/nvme0n1"),
        ("10.0.0.1:445", false, "TARGET"),
        ("_Total", true, "TARGET"),
    ] {
        assert_eq!(place(&of(target, is_local)), expected, "{target}");
    }
}

/// A window of ten seconds with one request of 100 KB after another, 5.5 ms each, for the examples of rules.
#[cfg(test)]
pub fn one_at_a_time() -> Observed {
    use plumb_model::trace::summary::DepthFigures;
    Observed {
        target: Some("\\nas\\backup".into()),
        span_ns: 10_000_000_000,
        requests: Some(1760),
        requests_per_s: Some(176.0),
        bytes_per_s: Some(18.2e6),
        bytes_per_request: Some(18.2e6 / 176.0),
        read_share: Some(1.0),
        request_ns: Some(5_500_000.0),
        outstanding: Some(0.97),
        outstanding_most: Some(1),
        idle_share: Some(0.03),
        by_outstanding: vec![DepthFigures {
            outstanding: 1,
            time_ns: 9_700_000_000,
            answered: 1760,
        }],
        round_trip_ns: Some(200_000.0),
        round_trip_share: Some(0.04),
        ..Observed::unknown(ObservedFrom::Trace, "example.pcap")
    }
}
