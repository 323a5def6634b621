//! Which rules exist? The list, and how all of them judge the environment and a run.

mod accelerator_utilization;
mod antivirus_scans_files;
mod array_not_clean;
mod buffers_below_the_path;
mod client_is_server;
mod clocks_differ;
mod compressible_content_on_compressing_file_system;
mod connection_was_lost;
mod credits_limit_the_depth;
mod depth_below_the_path;
mod depth_not_achieved;
mod direct_refused;
mod errors_occurred;
mod fuse_file_system;
mod generator_was_the_limit;
mod governor_not_performance;
mod hosts_are_busy;
mod hosts_scale;
mod interface_has_errors;
mod latency_limit_missed;
mod link_is_slow;
mod logged_in_as_guest;
mod low_free_space;
mod machine_swapped;
pub(crate) mod machine_was_busy;
mod memory_file_system;
mod mtu_is_small_for_the_link;
mod network_file_system;
mod never_became_steady;
mod nfs_single_connection;
mod not_steady;
mod nothing_completed;
mod object_store_clock_differs;
mod object_store_keeps_versions;
mod one_host_is_slower;
mod one_path_loses_segments;
mod one_queue_takes_all;
mod operations_were_split;
mod other_io_on_device;
mod overlay_file_system;
mod power_plan_saves_power;
mod rank_was_lost;
mod ranks_get_unequal_shares;
mod rate_not_achieved;
mod rdma_available_but_not_used;
mod reads_from_cache_below;
mod reads_never_written_blocks;
mod reads_were_discarded;
mod recycle_bin_keeps_files;
mod retransmits_in_the_run;
mod rounds_disagree;
mod segments_arrived_out_of_order;
mod sent_and_not_arrived;
mod share_is_old_dialect;
mod share_without_multichannel;
mod signing_or_encryption_costs;
mod slow_clock_source;
mod small_rsize_or_wsize;
mod socket_was_polled;
mod tail_of_closed_loop;
mod throttled;
mod too_short_for_percentile;
mod verification_failed;
mod virtual_machine;
mod workers_read_the_same;
mod working_set_fits_in_ram;
mod write_back_failed;
mod write_cache_volatile;

use plumb_model::environment::Environment;
use plumb_model::plan::Plan;
use plumb_model::results::finding::Finding;
use plumb_model::results::summary::Summary;
use plumb_model::run::Run;

use crate::rule::{Case, Rule};

/// All rules. Findings of equal severity are in this order.
pub const RULES: &[&Rule] = &[
    &verification_failed::RULE,
    &write_back_failed::RULE,
    &errors_occurred::RULE,
    &rank_was_lost::RULE,
    &connection_was_lost::RULE,
    &credits_limit_the_depth::RULE,
    &nothing_completed::RULE,
    &accelerator_utilization::RULE,
    &antivirus_scans_files::RULE,
    &array_not_clean::RULE,
    &reads_from_cache_below::RULE,
    &reads_never_written_blocks::RULE,
    &workers_read_the_same::RULE,
    &working_set_fits_in_ram::RULE,
    &memory_file_system::RULE,
    &fuse_file_system::RULE,
    &overlay_file_system::RULE,
    &compressible_content_on_compressing_file_system::RULE,
    &direct_refused::RULE,
    &generator_was_the_limit::RULE,
    &depth_not_achieved::RULE,
    &depth_below_the_path::RULE,
    &rate_not_achieved::RULE,
    &latency_limit_missed::RULE,
    &throttled::RULE,
    &other_io_on_device::RULE,
    &power_plan_saves_power::RULE,
    &object_store_clock_differs::RULE,
    &object_store_keeps_versions::RULE,
    &one_host_is_slower::RULE,
    &ranks_get_unequal_shares::RULE,
    &hosts_are_busy::RULE,
    &hosts_scale::RULE,
    &machine_was_busy::RULE,
    &machine_swapped::RULE,
    &sent_and_not_arrived::RULE,
    &retransmits_in_the_run::RULE,
    &interface_has_errors::RULE,
    &never_became_steady::RULE,
    &not_steady::RULE,
    &rounds_disagree::RULE,
    &segments_arrived_out_of_order::RULE,
    &too_short_for_percentile::RULE,
    &tail_of_closed_loop::RULE,
    &low_free_space::RULE,
    &write_cache_volatile::RULE,
    &governor_not_performance::RULE,
    &slow_clock_source::RULE,
    &socket_was_polled::RULE,
    &reads_were_discarded::RULE,
    &link_is_slow::RULE,
    &logged_in_as_guest::RULE,
    &buffers_below_the_path::RULE,
    &one_path_loses_segments::RULE,
    &one_queue_takes_all::RULE,
    &operations_were_split::RULE,
    &share_without_multichannel::RULE,
    &nfs_single_connection::RULE,
    &rdma_available_but_not_used::RULE,
    &small_rsize_or_wsize::RULE,
    &mtu_is_small_for_the_link::RULE,
    &share_is_old_dialect::RULE,
    &recycle_bin_keeps_files::RULE,
    &signing_or_encryption_costs::RULE,
    &network_file_system::RULE,
    &client_is_server::RULE,
    &clocks_differ::RULE,
    &virtual_machine::RULE,
];

/// Findings from the environment alone, before any run: for the doctor. With a plan, also whether the environment suits it.
pub fn judge_environment(environment: &Environment, plan: Option<&Plan>) -> Vec<Finding> {
    judge(&Case {
        environment,
        plan,
        run: None,
        summary: None,
    })
}

/// Findings from the environment and the record of a run. Findings recorded before the start are kept if no rule of this program
/// makes them; all others are judged anew, so that an old run profits from new rules.
pub fn judge_all(run: &Run, summary: &Summary) -> Vec<Finding> {
    let header = &run.header;
    let mut findings = judge(&Case {
        environment: &header.environment,
        plan: Some(&header.plan),
        run: Some(run),
        summary: Some(summary),
    });
    let foreign = header
        .findings
        .iter()
        .filter(|finding| !RULES.iter().any(|rule| rule.name == finding.rule));
    findings.extend(foreign.cloned());
    most_severe_first(&mut findings);
    findings
}

fn judge(case: &Case) -> Vec<Finding> {
    let mut findings = RULES
        .iter()
        .flat_map(|rule| (rule.judge)(case))
        .collect::<Vec<_>>();
    most_severe_first(&mut findings);
    findings
}

fn most_severe_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::{in_english, of_evidence};

    /// No number is missing, and nothing that the catalogue lacks shows as `{$name}`.
    fn is_sentence(text: &str) -> bool {
        !text.contains("NaN") && !text.contains("inf") && !text.contains(['{', '}'])
    }

    /// A flag by itself is no command: it may be one that the verb at hand does not have. Whole command lines stand in `experiment`.
    #[test]
    fn no_advice_names_a_flag_without_its_command() {
        for rule in RULES {
            for found in (rule.examples)()
                .fires
                .iter()
                .flat_map(|scene| scene.judge(rule))
            {
                let advice = in_english(&found.advice);
                let pieces = advice.split('\'').enumerate();
                let outside: Vec<&str> = pieces
                    .filter(|(index, _)| index % 2 == 0)
                    .map(|(_, piece)| piece)
                    .collect();
                assert!(
                    !outside.iter().any(|piece| piece.contains("--")),
                    "{}: {advice}",
                    rule.name
                );
                assert!(
                    found
                        .experiment
                        .iter()
                        .all(|line| line.starts_with("plumb ")),
                    "{}: {:?}",
                    rule.name,
                    found.experiment
                );
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder of the rules")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .path()
                    .file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }

    #[test]
    fn every_rule_says_what_it_means() {
        for rule in RULES {
            assert!(
                rule.meaning.ends_with('.') && rule.meaning.len() > 40,
                "{}: says too little of its meaning",
                rule.name
            );
        }
    }

    #[test]
    fn every_rule_fires_and_is_silent() {
        for rule in RULES {
            let examples = (rule.examples)();
            assert!(
                !examples.fires.is_empty() && !examples.silent.is_empty(),
                "{}: examples of both kinds are needed",
                rule.name
            );
            for (number, scene) in examples.fires.iter().enumerate() {
                let findings = scene.judge(rule);
                assert!(
                    !findings.is_empty(),
                    "{}: does not fire on example {number}",
                    rule.name
                );
                for finding in findings {
                    assert_eq!(finding.rule, rule.name);
                    assert!(!finding.evidence.is_empty(), "{}: no evidence", rule.name);
                    for text in [&finding.claim, &finding.advice].map(in_english) {
                        assert!(
                            text.ends_with(['.', ')']) && is_sentence(&text),
                            "{}: {text}",
                            rule.name
                        );
                    }
                    for texts in finding.evidence.iter().map(of_evidence) {
                        assert!(
                            texts
                                .iter()
                                .all(|text| !text.is_empty() && is_sentence(text)),
                            "{}: {texts:?}",
                            rule.name
                        );
                    }
                }
            }
            for (number, scene) in examples.silent.iter().enumerate() {
                assert_eq!(
                    scene.judge(rule),
                    [],
                    "{}: fires on silent example {number}",
                    rule.name
                );
            }
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is_known() {
        assert_eq!(judge_environment(&Environment::default(), None), []);
        for rule in RULES {
            for mut scene in (rule.examples)().fires {
                // Facts that could not be found out are as good as missing.
                for fact in scene.environment.facts.values_mut() {
                    *fact = plumb_model::environment::Fact::Unknown("not allowed".into());
                }
                if let Some(run) = &mut scene.run {
                    run.readings
                        .iter_mut()
                        .for_each(|reading| reading.value = None);
                    run.header.environment = scene.environment.clone();
                    run.ticks.clear();
                    run.notes.clear();
                    run.header.ranks = None;
                }
                assert_eq!(
                    scene.judge(rule),
                    [],
                    "{}: fires although all it needs is missing",
                    rule.name
                );
            }
        }
    }
}
