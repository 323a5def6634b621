//! Which files can `plumb import` read? One line per kind.

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
            "job file (INI), converted to a plan file (TOML); 'plumb run JOB.fio' runs it directly",
        ),
        (
            "(*.icf)",
            "Iometer",
            "configuration file, converted to a plan file (TOML); 'plumb run FILE.icf' runs it directly",
        ),
    ] {
        out += &line(name, program, meaning);
    }
    out
}
