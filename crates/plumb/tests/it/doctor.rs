//! Does the doctor look at real ground?

use crate::{output_of, plumb, plumb_in};

#[test]
fn the_doctor_tells_facts_of_a_directory_as_text_and_json() {
    let folder = tempfile::tempdir().expect("folder");
    // 0 or 1: a severe finding may be true of the machine that runs the test.
    let run = |json: bool| {
        let mut command = plumb();
        command.arg("doctor").arg(folder.path()).args(json.then_some("--json"));
        let output = command.output().expect("started");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(run(false).contains("directory"));
    let document: serde_json::Value = serde_json::from_str(&run(true)).expect("one JSON document");
    assert_eq!(document["schema"], "plumb-doctor-1");
    assert_eq!(document["environment"]["target.kind"]["text"], "directory");
    assert!(document["environment"]["memory.total_bytes"]["number"].as_f64().is_some_and(|bytes| bytes > 1e6));
    assert!(document["findings"].is_array());
    assert_eq!(crate::left_in(folder.path()), Vec::<String>::new(), "the trial of O_DIRECT leaves nothing behind");
}

#[test]
fn help_is_given_for_every_verb() {
    for verb in ["", "check", "run", "plans", "doctor", "show", "schema"] {
        assert!(output_of(plumb_in(std::path::Path::new("."), &format!("{verb} --help")), 0).contains("Usage: plumb"));
    }
}
