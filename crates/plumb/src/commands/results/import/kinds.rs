//! What can `plumb import` take in? One line for each kind of file.

use plumb_record::importers::IMPORTERS;

pub(super) fn kinds_text() -> String {
    let line =
        |name: &str, program: &str, meaning: &str| format!("{name:<14} {program:<12} {meaning}\n");
    let mut out: String = IMPORTERS
        .iter()
        .map(|importer| line(importer.name, importer.program, importer.meaning))
        .collect();
    for (name, program, meaning) in [
        (
            "(job file)",
            "fio",
            "a job file (INI) becomes a plan file in TOML; 'plumb run JOB.fio' runs it as it is",
        ),
        (
            "(*.icf)",
            "Iometer",
            "a configuration file becomes a plan file in TOML; 'plumb run FILE.icf' runs it as it is",
        ),
    ] {
        out += &line(name, program, meaning);
    }
    out
}
