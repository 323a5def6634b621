//! Does `plumb fio` leave to scripts what fio leaves: its output, and nothing on standard error or in the folder?

use std::path::Path;
use std::process::Output;

use crate::{left_in, plumb_in};

const LINE: &str = "fio --name=a --filename=f --rw=randread --bs=4k --size=1m";

/// Runs the line with a home of its own, and with these variables.
fn run(folder: &Path, home: &Path, line: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = plumb_in(folder, line);
    command
        .env_remove("PLUMB_FIO_NOTES")
        .env_remove("PLUMB_FIO_RECORD")
        .env_remove("PLUMB_OUTPUT")
        .env_remove("XDG_DATA_HOME")
        .env_remove("LOCALAPPDATA")
        .env("XDG_CONFIG_HOME", home)
        .env("HOME", home)
        .envs(variables.iter().copied());
    let output = command.output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    output
}

fn errors_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_script_finds_the_result_and_nothing_else() {
    let [folder, home] = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let (folder, home) = (folder.path(), home.path());
    let records = home.join(".local/share/plumb/fio");
    let output = run(folder, home, LINE, &[]);
    assert_eq!(errors_of(&output), "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Run status group 0"));
    assert_eq!(left_in(folder), ["f"]);
    let kept = left_in(&records);
    assert!(kept.len() == 1 && kept[0].ends_with(".plumb"), "{kept:?}");
    let list = run(folder, home, "list --json", &[]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    assert_eq!(list["found"], 1, "{list}");
    // Options that plumb has no use for are no reason to speak.
    let idle = format!("{LINE} --debug=io --bandwidth-log");
    assert_eq!(errors_of(&run(folder, home, &idle, &[])), "");
    assert_eq!(errors_of(&run(folder, home, "fio --version", &[])), "");
    // Notes come when they are asked for.
    let asked = run(folder, home, &format!("{idle} --plumb-notes=always"), &[]);
    assert!(
        errors_of(&asked).contains("without effect here: --debug, --bandwidth-log"),
        "{}",
        errors_of(&asked)
    );
    assert!(
        errors_of(&asked).contains("record: "),
        "{}",
        errors_of(&asked)
    );
    let asked = run(folder, home, LINE, &[("PLUMB_FIO_NOTES", "always")]);
    assert!(
        errors_of(&asked).contains("record: "),
        "{}",
        errors_of(&asked)
    );
    let not = [("PLUMB_FIO_NOTES", "always")];
    assert_eq!(
        errors_of(&run(
            folder,
            home,
            &format!("{LINE} --plumb-notes=never"),
            &not
        )),
        ""
    );
}

#[test]
fn the_record_is_where_the_user_wants_it_or_nowhere() {
    let [folder, home] = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let (folder, home) = (folder.path(), home.path());
    let temporary = home.join("temporary");
    std::fs::create_dir(&temporary).expect("made");
    let of_system = temporary.display().to_string();
    let off = [("PLUMB_FIO_RECORD", "off"), ("TMPDIR", of_system.as_str())];
    run(folder, home, LINE, &off);
    assert_eq!(
        (left_in(folder), left_in(&temporary)),
        (vec!["f".to_string()], Vec::new())
    );
    assert!(!home.join(".local").exists());
    run(folder, home, LINE, &[("PLUMB_FIO_RECORD", "records")]);
    assert_eq!(left_in(&folder.join("records")).len(), 1);
    run(folder, home, &format!("{LINE} --plumb-output=mine"), &[]);
    assert!(folder.join("mine/report.html").exists() && !home.join(".local").exists());
}

#[test]
fn the_oldest_records_make_room_and_what_the_user_added_stays() {
    let [folder, home] = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let (folder, home) = (folder.path(), home.path());
    let records = home.join(".local/share/plumb/fio");
    run(folder, home, LINE, &[]);
    let first = records.join(&left_in(&records)[0]);
    let copy = |name: &str| {
        let to = records.join(name);
        std::fs::create_dir(&to).expect("made");
        for file in left_in(&first) {
            std::fs::copy(first.join(&file), to.join(&file)).expect("copied");
        }
        to
    };
    let annotated = copy("annotated.plumb");
    std::fs::write(annotated.join("notes.txt"), "mine").expect("written");
    std::fs::write(records.join("other.txt"), "mine").expect("written");
    (0..210).for_each(|number| drop(copy(&format!("copy-{number}.plumb"))));
    run(folder, home, LINE, &[]);
    let left = left_in(&records);
    assert_eq!(left.len(), 200, "{left:?}");
    assert!(annotated.join("notes.txt").exists() && records.join("other.txt").exists());
    assert!(!first.exists(), "the oldest is gone");
}

/// Scripts start jobs of one name at once: each has its result and its record.
#[test]
fn jobs_of_one_name_start_in_the_same_second() {
    let [folder, home] = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let (folder, home) = (folder.path(), home.path());
    std::thread::scope(|scope| {
        for number in 0..6 {
            let line = LINE.replace("=f ", &format!("=f{number} "));
            scope.spawn(move || run(folder, home, &line, &[]));
        }
        for number in 0..4 {
            let line = format!(
                "run --target r{number} --pattern random-read --time 100ms --size 1m --quiet"
            );
            scope.spawn(move || run(folder, home, &line, &[]));
        }
    });
    let kept = left_in(&home.join(".local/share/plumb/fio"));
    assert_eq!(kept.len(), 6, "{kept:?}");
    let own = left_in(folder);
    let runs = own.iter().filter(|name| name.ends_with(".plumb"));
    assert_eq!(runs.count(), 4, "{own:?}");
}
