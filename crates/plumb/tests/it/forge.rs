//! Do the workflows and issue forms of a public forge parse, and do the commands in them exist? `.github` is read by PyYAML, which is not ours.

use std::path::Path;
use std::process::Command;

use crate::export::python;

/// Reads each file of .github; prints the jobs of the workflow, what they wait for, and each command.
const READ: &str = "import glob, json, yaml
files = sorted(glob.glob('.github/**/*.yml', recursive=True))
parsed = {name: yaml.safe_load(open(name)) for name in files}
jobs = parsed['.github/workflows/ci.yml']['jobs']
print(json.dumps({
    'files': files,
    'forms': [form['name'] for name, form in parsed.items() if 'TEMPLATE' in name and 'body' in form],
    'needs': [job['needs'] for job in jobs.values() if 'needs' in job],
    'jobs': list(jobs),
    'commands': [step['run'] for job in jobs.values() for step in job['steps'] if 'run' in step],
}))";

#[test]
fn workflows_and_issue_forms_parse_and_run_commands_of_dev() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(found) = python(&root, READ) else {
        return;
    };
    let list = |name: &str| -> Vec<String> {
        let values = found[name].as_array().expect("a list");
        let texts = values
            .iter()
            .map(|value| value.as_str().expect("a text").to_string());
        texts.collect()
    };
    assert_eq!(list("forms").len(), 2, "{found:#}");
    let jobs = list("jobs");
    for job in list("needs") {
        assert!(jobs.contains(&job), "no job {job}: {found:#}");
    }
    let help = Command::new("bash")
        .arg(root.join("dev"))
        .arg("help")
        .output()
        .expect("bash");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let commands = list("commands");
    for command in commands.iter().filter(|line| line.starts_with("./dev ")) {
        assert!(
            help.lines().any(|line| line.starts_with(command.as_str())),
            "./dev help does not list {command}"
        );
    }
    for command in ["./dev quick", "./dev test", "./dev dist"] {
        assert!(
            commands.iter().any(|line| line == command),
            "{command}: {found:#}"
        );
    }
}
