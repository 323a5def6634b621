//! Where does a rule not hold, and why? The only list; it may only shrink: an entry that is no longer needed fails the tests.

/// Lines that a file may have without its tests.
pub const FILE_LINES_MAX: usize = 500;
/// Lines that a function may have.
pub const FUNCTION_LINES_MAX: usize = 70;

/// Files that a folder may have, those of a seam and those of tests aside.
pub const FOLDER_FILES_MAX: usize = 16;

/// Folders with more: (path, files they may have).
pub const CROWDED_FOLDERS: &[(&str, usize)] = &[];

/// Files that are longer: (path, lines they may have). They grew past the limit when the width became rustfmt's own; whoever works on one splits it.
pub const LONG_FILES: &[(&str, usize)] = &[
    ("crates/plumb-plan/src/file.rs", 587),
    ("crates/plumb-plan/src/resolve.rs", 674),
    ("crates/plumb-record/src/importers/bonnie.rs", 522),
    ("crates/plumb-run/src/agent/session.rs", 513),
    ("crates/plumb-run/src/live_comparison.rs", 591),
];

/// Functions that are longer, for the same reason: (path, name, lines they may have).
pub const LONG_FUNCTIONS: &[(&str, &str, usize)] = &[
    ("benches/harm/faults.rs", "one", 83),
    ("benches/smb_peers/main.rs", "cases", 90),
    ("crates/plumb-analyse/src/compare.rs", "compare", 77),
    ("crates/plumb-analyse/src/compare/cells.rs", "add_cell", 78),
    ("crates/plumb-analyse/src/compare/cells.rs", "add_row", 71),
    (
        "crates/plumb-analyse/src/compare/machine.rs",
        "of_round",
        73,
    ),
    (
        "crates/plumb-analyse/src/compare/tests.rs",
        "conditions_fail_when_the_limit_is_passed_and_proven",
        81,
    ),
    (
        "crates/plumb-analyse/src/compare/tests.rs",
        "published_figures_stand_beside_measured_ones_without_a_verdict",
        95,
    ),
    (
        "crates/plumb-analyse/src/figures/executions.rs",
        "executions",
        90,
    ),
    ("crates/plumb-analyse/src/trend.rs", "line", 87),
    ("crates/plumb-analyse/src/waterfall/figures.rs", "steps", 72),
    ("crates/plumb-load/src/copy/reporting.rs", "account", 88),
    ("crates/plumb-load/src/engines/iperf3.rs", "close", 78),
    ("crates/plumb-load/src/engines/rdma/begin.rs", "begin", 84),
    (
        "crates/plumb-load/src/engines/rdma/endpoint/assemble.rs",
        "assemble",
        118,
    ),
    (
        "crates/plumb-load/src/engines/rdma/endpoint/registration.rs",
        "register",
        87,
    ),
    (
        "crates/plumb-load/src/engines/rdma/connection.rs",
        "open",
        94,
    ),
    (
        "crates/plumb-load/src/engines/rdma/tests.rs",
        "a_hostile_peer_is_told_in_one_sentence",
        81,
    ),
    (
        "crates/plumb-load/src/engines/rdma/tests.rs",
        "a_lost_peer_fails_what_was_in_flight_and_is_found_again",
        78,
    ),
    (
        "crates/plumb-load/src/engines/rdma/tests.rs",
        "an_answer_to_memory_that_was_not_lent_disturbs_nobody",
        72,
    ),
    (
        "crates/plumb-load/src/engines/rdma/tests.rs",
        "strangers_are_refused_and_disturb_nobody",
        72,
    ),
    (
        "crates/plumb-load/src/engines/rdma/tests.rs",
        "what_is_written_one_sided_stands_there_and_is_read_back_one_sided",
        91,
    ),
    ("crates/plumb-load/src/feed.rs", "choose_files", 71),
    (
        "crates/plumb-load/src/copy/tree/check.rs",
        "check_entry",
        116,
    ),
    ("crates/plumb-load/tests/nfs.rs", "blocks_are_read_back", 97),
    (
        "crates/plumb-load/tests/nfs.rs",
        "files_are_made_listed_and_removed",
        103,
    ),
    ("crates/plumb-load/tests/nfs.rs", "small_files", 128),
    (
        "crates/plumb-load/tests/smb/blocks.rs",
        "blocks_are_read_back_as_they_were_written",
        115,
    ),
    (
        "crates/plumb-load/tests/smb/blocks.rs",
        "several_workers_are_channels_of_one_session",
        76,
    ),
    ("crates/plumb-load/tests/smb/files.rs", "exercise", 93),
    (
        "crates/plumb-load/tests/smb/files.rs",
        "files_of_a_share_are_made_listed_and_removed",
        120,
    ),
    ("crates/plumb-load/tests/smb/hostile.rs", "body", 73),
    (
        "crates/plumb-load/tests/smb/outage.rs",
        "a_server_that_goes_and_comes_back_is_survived",
        71,
    ),
    (
        "crates/plumb-load/tests/smb/protection.rs",
        "what_the_server_demands_is_done",
        74,
    ),
    (
        "crates/plumb-load/tests/smb/refusals.rs",
        "a_share_that_cannot_be_written_or_is_full_is_told",
        78,
    ),
    (
        "crates/plumb-load/tests/smb/survey.rs",
        "a_survey_tells_what_the_server_is_like",
        80,
    ),
    ("crates/plumb-model/src/workload/default.rs", "default", 95),
    (
        "crates/plumb-plan/src/fio_job/goals.rs",
        "latency_target",
        81,
    ),
    ("crates/plumb-plan/src/fio_job/goals.rs", "steadystate", 78),
    (
        "crates/plumb-plan/src/fio_job/tests.rs",
        "mangled_job_files_are_read_or_refused",
        71,
    ),
    ("crates/plumb-plan/src/iometer.rs", "of", 85),
    ("crates/plumb-plan/src/iometer/reader.rs", "value", 78),
    ("crates/plumb-plan/src/replays.rs", "settle", 79),
    (
        "crates/plumb-record/src/importer/fio/assemble.rs",
        "add_job",
        99,
    ),
    (
        "crates/plumb-record/src/importers/fio_json/tests.rs",
        "json_plus",
        77,
    ),
    ("crates/plumb-record/src/importers/iometer.rs", "add", 82),
    ("crates/plumb-record/src/importers/iometer.rs", "job", 79),
    ("crates/plumb-record/src/importers/ior.rs", "add", 81),
    (
        "crates/plumb-record/src/importers/iozone_xls.rs",
        "import",
        75,
    ),
    ("crates/plumb-record/src/importers/iperf3.rs", "run_of", 122),
    ("crates/plumb-show/src/chart/bars.rs", "bar_figure", 95),
    ("crates/plumb-show/src/markdown.rs", "figures", 79),
    ("crates/plumb-show/src/svg.rs", "new", 88),
    (
        "crates/plumb-show/tests/synthetic/comparison.rs",
        "full",
        96,
    ),
    ("crates/plumb-show/tests/synthetic/comparison.rs", "of", 84),
    ("crates/plumb/src/commands/results/compare.rs", "live", 92),
    ("crates/plumb-run/src/layers/stack.rs", "stack", 87),
    (
        "crates/plumb-run/src/measurement/ongoing.rs",
        "carry_out",
        86,
    ),
    (
        "crates/plumb/tests/it/attacked.rs",
        "what_killed_runs_leave_is_listed_and_removed_by_clean_alone",
        73,
    ),
    (
        "crates/plumb/tests/it/classics.rs",
        "bonnie_and_its_original_have_the_same_tests",
        74,
    ),
    (
        "crates/plumb/tests/it/cleaned_ends.rs",
        "a_forged_other_end_leads_to_nothing_foreign",
        102,
    ),
    (
        "crates/plumb/tests/it/export.rs",
        "a_run_compares_with_its_own_export_to_fio",
        81,
    ),
    (
        "crates/plumb/tests/it/export.rs",
        "a_spreadsheet_has_the_figures_the_charts_and_no_formula",
        76,
    ),
    (
        "crates/plumb/tests/it/export.rs",
        "bon_csv2html_puts_the_figures_into_its_columns",
        87,
    ),
    (
        "crates/plumb/tests/it/import.rs",
        "a_run_of_another_program_is_shown_listed_and_compared",
        71,
    ),
    (
        "crates/plumb/tests/it/import.rs",
        "results_of_the_same_work_are_rounds_of_one_run",
        84,
    ),
    (
        "crates/plumb/tests/it/layers.rs",
        "files_cache_and_loopback_make_a_waterfall_that_can_be_drawn_again",
        76,
    ),
    (
        "crates/plumb/tests/it/steady.rs",
        "small_files_have_sizes_folders_and_names_and_are_taken_once_in_order",
        90,
    ),
    (
        "crates/plumb/tests/it/two_hosts.rs",
        "one_command_on_the_client_measures_server_network_and_share",
        88,
    ),
];

/// Crates in which files still stand in circles: (crate, how many files at most).
pub const CIRCLES: &[(&str, usize)] = &[];

/// Files outside of engines/, sources/, system/ and buffers that ask which system they are built for: (path, reason).
pub const SYSTEM_QUESTIONS: &[(&str, &str)] = &[(
    "crates/plumb-load/src/engines.rs",
    "the list of engines: leaves out those that a system cannot have",
)];

/// Static values that can change: (path, name, reason).
pub const CHANGING_STATICS: &[(&str, &str, &str)] = &[
    (
        "crates/plumb-load/src/engines/mmap/unix.rs",
        "GUARDS",
        "the handler of SIGBUS, which the process has one of, finds here the mapping in which it was raised",
    ),
    (
        "crates/plumb-model/src/keys.rs",
        "KEYS",
        "the schema of a job, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "ENGLISH",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "CHINESE",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "JAPANESE",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/numbers.rs",
        "CHOSEN",
        "the units of the process, said once by main before anything is shown",
    ),
    (
        "crates/plumb/src/streams.rs",
        "SPOKEN",
        "the language of the process, said once by main before anything is shown",
    ),
    (
        "crates/plumb/src/settings.rs",
        "PREFERRED",
        "what the user prefers, said once by main before anything is done",
    ),
    (
        "crates/plumb/src/streams.rs",
        "WAITING",
        "what is told while a view has the terminal, until it is given back",
    ),
    (
        "crates/plumb/src/system/terminal.rs",
        "HELD",
        "the modes to which the terminal goes back, also by a panic or a second signal, which know no owner",
    ),
    (
        "crates/plumb/src/outcome.rs",
        "STOP",
        "the request to end of the process, for which there are signals once; the exit code asks it last",
    ),
];

/// Words that are an engine's name and mean something else, or that stand where no engine can be asked: (path, names, reason).
pub const ENGINE_NAMES: &[(&str, &[&str], &str)] = &[
    (
        "crates/plumb-analyse/src/rules/nfs_single_connection.rs",
        &["nfs", "tcp"],
        "words of the facts share.protocol and share.transport",
    ),
    (
        "crates/plumb-analyse/src/rules/rdma_available_but_not_used.rs",
        &["nfs", "tcp"],
        "words of the same facts",
    ),
    (
        "crates/plumb-load/src/shares/nfs/call.rs",
        &["tcp"],
        "a network identifier of RPC (RFC 5665, 5.1)",
    ),
    (
        "crates/plumb/src/commands/measure/fio/commands.rs",
        &["sync"],
        "the program sync(1) in a command line",
    ),
    (
        "crates/plumb-run/src/replay/conversion.rs",
        &["sync"],
        "an action in fio's iologs",
    ),
    (
        "crates/plumb-observe/src/system/tracepoints/numbers.rs",
        &["mmap", "sync"],
        "names of system calls",
    ),
    (
        "crates/plumb-observe/src/calls/table.rs",
        &["mmap", "sync"],
        "names of system calls",
    ),
    (
        "crates/plumb-plan/src/validate/engine_options.rs",
        &["nfs"],
        "a key of a plan",
    ),
    (
        "crates/plumb-analyse/src/rules/write_cache_volatile.rs",
        &["sync"],
        "a key of a plan",
    ),
    (
        "crates/plumb-load/src/engines/iperf3/control.rs",
        &["tcp"],
        "a word of iperf3's protocol",
    ),
    (
        "crates/plumb-load/src/engines/rdma/provider.rs",
        &["tcp"],
        "a provider of libfabric",
    ),
    (
        "crates/plumb-load/src/site/file_set.rs",
        &["sync"],
        "a call of the system",
    ),
    (
        "crates/plumb-load/src/site/fill.rs",
        &["sync"],
        "a call of the system",
    ),
    (
        "crates/plumb-model/src/workload/iolog.rs",
        &["sync"],
        "a word of fio's logs",
    ),
    (
        "crates/plumb-model/src/target/password.rs",
        &["smb", "nfs", "tcp", "iperf3", "rdma"],
        "schemes of addresses in any text, those of other programs too",
    ),
    (
        "crates/plumb-plan/src/fio_job/content.rs",
        &["sync", "null"],
        "words of fio",
    ),
    (
        "crates/plumb-plan/src/fio_job/access/directions.rs",
        &["null"],
        "a word of fio",
    ),
    (
        "crates/plumb-plan/src/fio_job/engines.rs",
        &["rdma", "nfs"],
        "engines of fio that no engine here stands for",
    ),
    (
        "crates/plumb-plan/src/fio_job/extent.rs",
        &["null"],
        "a word of fio",
    ),
    (
        "crates/plumb-plan/src/fio_job/options.rs",
        &["sync"],
        "an option of fio",
    ),
    (
        "crates/plumb-plan/src/fio_job/pace.rs",
        &["sync"],
        "an engine of fio",
    ),
    (
        "crates/plumb-model/src/keys.rs",
        &["null"],
        "a type of JSON",
    ),
    (
        "crates/plumb-plan/src/plans.rs",
        &["rdma"],
        "a built-in plan",
    ),
    (
        "crates/plumb-model/src/workload/replay.rs",
        &["sync"],
        "a word of a replay's options",
    ),
    (
        "crates/plumb-model/src/target.rs",
        &["null"],
        "the target null:",
    ),
    (
        "crates/plumb-model/src/workload.rs",
        &["sync"],
        "a key of a plan",
    ),
    (
        "crates/plumb-observe/src/environment.rs",
        &["null"],
        "a word of the fact target.kind",
    ),
    (
        "crates/plumb-observe/src/environment/kernel_mount.rs",
        &["nfs", "rdma"],
        "a file system of the kernel, and a word of the fact share.transport",
    ),
    (
        "crates/plumb-observe/src/environment/kernel_mount/cifs.rs",
        &["tcp", "rdma"],
        "words of mount options and facts",
    ),
    (
        "crates/plumb-observe/src/environment/kernel_mount/nfs.rs",
        &["nfs"],
        "a word of the fact share.protocol",
    ),
    (
        "crates/plumb-observe/src/environment/mount.rs",
        &["nfs"],
        "a file system of the kernel",
    ),
    (
        "crates/plumb-observe/src/environment/windows/smb_client.rs",
        &["smb", "tcp", "rdma"],
        "words of the facts share.protocol and share.transport",
    ),
    (
        "crates/plumb-observe/src/mountstats.rs",
        &["nfs"],
        "a file system of the kernel",
    ),
    (
        "crates/plumb-observe/src/sources/shares/nfs.rs",
        &["nfs"],
        "a source of counters",
    ),
    (
        "crates/plumb-observe/src/sources/tcp.rs",
        &["tcp"],
        "a source of counters",
    ),
    (
        "crates/plumb-record/src/exporter/fio_report/json.rs",
        &["sync"],
        "a word of fio",
    ),
    (
        "crates/plumb-record/src/exporter/fio_report/node.rs",
        &["null"],
        "a word of JSON",
    ),
    (
        "crates/plumb-record/src/exporter/fio_report/normal.rs",
        &["sync"],
        "a word of fio",
    ),
    (
        "crates/plumb-load/src/engines/libaio.rs",
        &["aio"],
        "an old name by which fio's job files ask for libaio",
    ),
    (
        "crates/plumb-record/src/importer/iozone.rs",
        &["sync", "stdio", "mmap"],
        "how another program did its I/O, by the engine that does it so",
    ),
    (
        "crates/plumb-record/src/importers/bonnie.rs",
        &["stdio", "sync"],
        "the same",
    ),
    (
        "crates/plumb-record/src/importers/elbencho.rs",
        &["libaio", "sync"],
        "the same",
    ),
    (
        "crates/plumb-record/src/importer/fio/format.rs",
        &["sync"],
        "a word of fio",
    ),
    (
        "crates/plumb-record/src/importer/fio/options.rs",
        &["null", "sync"],
        "words of fio",
    ),
    (
        "crates/plumb-record/src/importers/fio_text/block.rs",
        &["sync"],
        "a word of fio",
    ),
    (
        "crates/plumb-record/src/importers/iperf3.rs",
        &["iperf3"],
        "the program itself",
    ),
    (
        "crates/plumb-show/src/wording.rs",
        &["smb", "nfs", "rdma", "io_uring"],
        "groups of facts",
    ),
    ("crates/plumb/src/cli.rs", &["rdma"], "a flag of serve-net"),
    (
        "crates/plumb/src/commands/observe/doctor.rs",
        &["rdma"],
        "what `plumb doctor rdma` looks at",
    ),
];

/// Texts of plumb-analyse that read as prose: how many each file may have. What a run says to the conditions of a publication is put as publications put
/// it, in English words, because they are compared as texts; the other one is where a method is published.
pub const PROSE: &[(&str, usize)] = &[
    ("crates/plumb-analyse/src/compare/published.rs", 4),
    ("crates/plumb-analyse/src/trend.rs", 1),
];
