//! Which experiment proves or refutes a finding? The same work in interleaved settings, each with its prediction; or why there is none.

use plumb_model::explain::conclusion::{Change, Explanation};
use plumb_model::explain::experiment::{Compares, Expects, Experiment, Load, Setting, Work};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::prediction::{fewer_flushes, least_gain, of_outstanding};

/// Twice as many outstanding requests have to bring this factor at least.
const TWICE_MIN: f64 = 1.3;
/// Half as many have to keep this factor.
const KEEP_MIN: f64 = 0.9;
/// More outstanding requests bring no gain if the factor is at most this times the upper prediction.
const NOTHING: f64 = 1.09;
/// Connections over which requests are spread.
const CONNECTIONS: u64 = 4;
/// Share of reads from which on only reads are carried out, and below which only writes are.
const READS_ONLY: f64 = 0.99;
const WRITES_ONLY: f64 = 0.01;

/// The experiment for this finding. Errors: why it has none, and what to do instead.
pub fn experiment(finding: &Explanation, observed: &Observed) -> Result<Experiment, Statement> {
    let today = today(observed);
    let prediction = &finding.prediction;
    let predicted = (prediction.low, prediction.high);
    let gain = |settings, compares| Experiment {
        rule: finding.rule.clone(),
        requests_per_s: prediction.requests_per_s,
        settings,
        compares,
        expects: Expects::Gain {
            at: 1,
            least: least_gain(prediction),
        },
    };
    let two = |statement: Statement, first: Load, next_statement: Statement, then: Load| {
        vec![
            setting(statement, first, (1.0, 1.0)),
            setting(next_statement, then, predicted),
        ]
    };
    let requests = Compares::RequestsPerSecond;
    match prediction.change {
        Change::Outstanding { from, to } => Ok(of_depth(finding, &today, from, to)),
        Change::NoPauses => {
            let pause_ns = pause_ns(observed, today.outstanding);
            let paused = Load { pause_ns, ..today };
            let statement = Statement::new("explain-setting-pauses").time_ns("pause", pause_ns);
            let without = Statement::new("explain-setting-no-pauses");
            Ok(gain(two(statement, paused, without, today), requests))
        }
        Change::NoMetadata => Ok(gain(of_files(observed, &today, predicted), requests)),
        Change::FlushesTogether { flushes } => Ok(of_flushes(finding, observed, &today, flushes)),
        Change::Credits { .. } => {
            // More than there are credits for on one connection.
            let requested = today.outstanding.max(1) * CONNECTIONS;
            let settings = over_connections(&today, requested, predicted);
            Ok(gain(settings, requests))
        }
        Change::Connections { .. } => {
            let requested = today.outstanding.max(CONNECTIONS);
            let settings = over_connections(&today, requested, predicted);
            Ok(gain(settings, requests))
        }
        Change::RequestBytes { from, to } => Ok(Experiment {
            expects: Expects::Gain {
                at: 2,
                least: least_gain(prediction),
            },
            ..gain(
                of_sizes(&today, from, to, predicted),
                Compares::BytesPerSecond,
            )
        }),
        Change::NoRoundTrip => Err(Statement::new("explain-prove-distance").name(
            "recording",
            plumb_model::text::shell::quoted(&observed.source),
        )),
    }
}

fn setting(statement: Statement, load: Load, predicted: (f64, f64)) -> Setting {
    Setting {
        statement,
        load,
        predicted,
    }
}

/// The requests of the recording: their mean size, their part of reads, and as many outstanding as there were at most.
fn today(observed: &Observed) -> Load {
    let reads = match observed.read_share {
        Some(share) if share < WRITES_ONLY => 0.0,
        Some(share) if share < READS_ONLY => share,
        _ => 1.0,
    };
    let most = observed.outstanding_most;
    let mean = observed.outstanding.map(|mean| mean.round() as u64);
    Load {
        work: Work::Requests { reads },
        request_bytes: observed.bytes_per_request.unwrap_or(4096.0),
        outstanding: most.or(mean).unwrap_or(1).max(1),
        connections: 1,
        pause_ns: 0.0,
    }
}

/// Think time of a caller between two requests, for this many callers, by Little's law.
fn pause_ns(observed: &Observed, callers: u64) -> f64 {
    let (Some(rate), Some(request_ns)) = (observed.requests_per_s, observed.request_ns) else {
        return 0.0;
    };
    (callers as f64 * 1e9 / rate - request_ns).max(0.0)
}

fn of_depth(finding: &Explanation, today: &Load, from: f64, to: f64) -> Experiment {
    let prediction = &finding.prediction;
    let at = |outstanding: f64| {
        let load = Load {
            outstanding: (outstanding.round() as u64).max(1),
            ..*today
        };
        let statement =
            Statement::new("explain-setting-outstanding").count("outstanding", load.outstanding);
        let predicted = match outstanding == from {
            true => (1.0, 1.0),
            false => of_outstanding(prediction, outstanding),
        };
        setting(statement, load, predicted)
    };
    // Either more are advised, or more are claimed to bring nothing: the prediction decides which.
    let (steps, expects) = if to < from {
        (vec![from, to], Expects::Keep { least: KEEP_MIN })
    } else if prediction.low < 1.0 {
        let most = prediction.high * NOTHING;
        (vec![from, to], Expects::NoGain { most })
    } else {
        let mut steps = vec![from, 2.0 * from, to];
        steps.dedup_by_key(|step| step.round() as u64);
        let least = TWICE_MIN;
        (steps, Expects::Gain { at: 1, least })
    };
    Experiment {
        rule: finding.rule.clone(),
        requests_per_s: prediction.requests_per_s,
        settings: steps.into_iter().map(at).collect(),
        compares: Compares::RequestsPerSecond,
        expects,
    }
}

/// A file for each request, and the same requests within one file.
fn of_files(observed: &Observed, today: &Load, predicted: (f64, f64)) -> Vec<Setting> {
    let reads = observed.read_share.is_none_or(|share| share >= 0.5);
    let base = Load {
        outstanding: 1,
        connections: today.outstanding.max(1),
        ..*today
    };
    let each = Load {
        work: Work::Files { reads },
        ..base
    };
    let statement = Statement::new("explain-setting-files");
    let one = Statement::new("explain-setting-one-file");
    vec![
        setting(statement, each, (1.0, 1.0)),
        setting(one, base, predicted),
    ]
}

/// One flush for as many writes as now, for twice as many, and for as many as are advised. Never none.
fn of_flushes(
    finding: &Explanation,
    observed: &Observed,
    today: &Load,
    together: f64,
) -> Experiment {
    let flushes = observed.flushes.per_s.filter(|per_s| *per_s > 0.0);
    let writes = observed.requests_per_s.zip(flushes);
    let now = writes.map_or(1.0, |(writes, flushes)| (writes / flushes).round().max(1.0));
    let at = |times: f64| {
        let each_flush = (now * times) as u64;
        let load = Load {
            work: Work::Writes { each_flush },
            ..*today
        };
        let statement = Statement::new("explain-setting-flushes").count("writes", each_flush);
        setting(statement, load, fewer_flushes(&finding.prediction, times))
    };
    Experiment {
        rule: finding.rule.clone(),
        requests_per_s: finding.prediction.requests_per_s,
        settings: [1.0, together / 2.0, together].map(at).to_vec(),
        compares: Compares::RequestsPerSecond,
        expects: Expects::Gain {
            at: 2,
            least: least_gain(&finding.prediction),
        },
    }
}

/// As many requests on one connection and on several.
fn over_connections(today: &Load, requested: u64, predicted: (f64, f64)) -> Vec<Setting> {
    let at = |connections: u64| Load {
        outstanding: (requested / connections).max(1),
        connections,
        ..*today
    };
    let statement = |connections: u64| {
        Statement::new("explain-setting-connections").count("connections", connections)
    };
    vec![
        setting(statement(1), at(1), (1.0, 1.0)),
        setting(statement(CONNECTIONS), at(CONNECTIONS), predicted),
    ]
}

/// Requests as large as today, twice as large, and as large as advised.
fn of_sizes(today: &Load, from: f64, to: f64, predicted: (f64, f64)) -> Vec<Setting> {
    let at = |bytes: f64| Load {
        request_bytes: bytes,
        ..*today
    };
    let statement =
        |bytes: f64| Statement::new("explain-setting-size").quantity("bytes", bytes, Unit::Bytes);
    // Twice as large: the square root of the prediction for four times.
    let halfway = (predicted.0.sqrt(), predicted.1.sqrt());
    vec![
        setting(statement(from), at(from), (1.0, 1.0)),
        setting(statement(2.0 * from), at(2.0 * from), halfway),
        setting(statement(to), at(to), predicted),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::in_english;
    use crate::explain::conclude::explain;
    use crate::explain::rule::Judgement;
    use crate::explain::rules::RULES;

    /// Each rule's own example, found.
    fn found() -> Vec<(Explanation, Observed)> {
        let examples = RULES.iter().flat_map(|rule| {
            let fires = (rule.examples)().fires;
            fires.into_iter().map(move |observed| {
                let Judgement::Found(found) = (rule.judge)(&observed) else {
                    panic!("{} does not fire", rule.name);
                };
                (*found, observed)
            })
        });
        examples.collect()
    }

    #[test]
    fn every_rule_has_an_experiment_or_says_what_to_do_instead() {
        for (finding, observed) in found() {
            let experiment = match experiment(&finding, &observed) {
                Ok(experiment) => experiment,
                Err(refusal) => {
                    assert_eq!(finding.rule, "distance");
                    assert!(
                        in_english(&refusal).contains("next to the server"),
                        "{}",
                        in_english(&refusal)
                    );
                    continue;
                }
            };
            assert_eq!(experiment.rule, finding.rule);
            assert!(experiment.settings.len() >= 2, "{experiment:?}");
            assert_eq!(experiment.settings[0].predicted, (1.0, 1.0));
            for pair in experiment.settings.windows(2) {
                assert_ne!(pair[0].load, pair[1].load, "{}", finding.rule);
            }
            for setting in &experiment.settings {
                let text = in_english(&setting.statement);
                assert!(!text.is_empty() && !text.contains('{'), "{text}");
                assert!(setting.predicted.0 <= setting.predicted.1);
                assert!(setting.load.outstanding > 0 && setting.load.connections > 0);
            }
        }
    }

    #[test]
    fn flushes_are_never_left_out() {
        let of_flushes = found().into_iter().filter(|(finding, _)| {
            matches!(finding.prediction.change, Change::FlushesTogether { .. })
        });
        let mut seen = 0;
        for (finding, observed) in of_flushes {
            let experiment = experiment(&finding, &observed).expect("an experiment");
            let each: Vec<u64> = experiment
                .settings
                .iter()
                .map(|setting| match setting.load.work {
                    Work::Writes { each_flush } => each_flush,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(each, [1, 2, 4]);
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn a_pause_is_what_is_left_of_the_time_of_a_caller() {
        let thinks = Observed {
            outstanding: Some(0.2),
            idle_share: Some(0.8),
            by_outstanding: Vec::new(),
            requests_per_s: Some(20.0),
            request_ns: Some(10_000_000.0),
            ..crate::explain::rule::one_at_a_time()
        };
        let explained = explain(thinks, "0");
        let experiment =
            experiment(&explained.findings[0], &explained.observed).expect("an experiment");
        assert_eq!(experiment.settings[0].load.pause_ns, 40_000_000.0);
        assert_eq!(experiment.settings[1].load.pause_ns, 0.0);
    }
}
