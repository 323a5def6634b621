//! Does `plumb copy-test` distinguish fast from slow programs, and correct from damaging ones? Real programs on small trees.

use std::path::Path;
use std::process::{Command as System, Stdio};

use assert_cmd::Command;
use serde_json::Value;

use crate::rsync_daemon::RsyncDaemon;
use crate::{json_of, left_in, measured, output_of, plumb, refusal_of};

const TREE: &str = "small:6x20k";

/// A test in `folder`: the source in `near`, the destination in `far`, the record in `out`.
fn test_in(folder: &Path, words: &[&str]) -> Command {
    for name in ["near", "far"] {
        let _ = std::fs::create_dir(folder.join(name));
    }
    let mut command = plumb();
    command
        .current_dir(folder)
        .args([
            "copy-test",
            "--quiet",
            "--from",
            "near",
            "--to",
            "far",
            "--output",
            "out",
        ])
        .args(words);
    command
}

/// The table of a test that ends with `code`.
fn table(words: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let table = json_of(test_in(folder.path(), &[&["--json"], words].concat()), code);
    assert!(
        left_in(&folder.path().join("near")).is_empty()
            && left_in(&folder.path().join("far")).is_empty(),
        "something was left"
    );
    table
}

fn row<'a>(table: &'a Value, program: &str) -> &'a Value {
    table["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["program"] == program)
        .unwrap_or_else(|| panic!("{program} in {table:#}"))
}

fn sentences(table: &Value) -> String {
    table["sentences"]
        .as_array()
        .expect("sentences")
        .iter()
        .filter_map(|said| said["text"].as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// `cp`, and then what damages its copy.
fn damaging(name: &str, damage: &str) -> String {
    format!("{name}=sh -c 'cp -a {{from}}/. {{to}} && cd {{to}} && {damage}'")
}

#[test]
fn sound_programs_are_verified_there_and_back() {
    let table = table(
        &[
            "--tree",
            "mix:300k",
            "--rounds",
            "2",
            "--seed",
            "5",
            "cp",
            "tar=sh -c 'tar -C {from} -cf - . | tar -C {to} -xpf -'",
        ],
        0,
    );
    for program in ["cp", "tar"] {
        let row = row(&table, program);
        assert_eq!(row["soundness"], "whole", "{table:#}");
        for way in ["write", "read"] {
            let figures = &row[way];
            assert_eq!(
                (&figures["copies"], &figures["whole"], &figures["checked"]),
                (&2.into(), &2.into(), &2.into()),
                "{program} {way}"
            );
            assert!(
                figures["bandwidth_bytes_per_s"]
                    .as_f64()
                    .is_some_and(|speed| speed > 0.0)
            );
            assert!(
                figures["cpu_s_per_gib"]
                    .as_f64()
                    .is_some_and(|cpu| cpu > 0.0)
            );
        }
    }
    assert_eq!(
        (table["tree"].as_str(), table["bytes"].as_u64()),
        (Some("mix:300k"), Some(307_200))
    );
    assert!(
        sentences(&table).contains("All 8 copies were compared"),
        "{table:#}"
    );
    assert!(row(&table, "cp")["write"]["against_baseline"].is_null());
    assert!(
        row(&table, "tar")["write"]["against_baseline"]["ratio"]
            .as_f64()
            .is_some()
    );
}

#[test]
fn links_to_the_source_are_no_copies() {
    let programs = [
        "hard=cp -al {from}/. {to}",
        "soft=sh -c 'cp -as \"$(realpath {from})\"/. {to}'",
    ];
    let table = table(
        &[
            "--tree",
            TREE,
            "--rounds",
            "2",
            "cp",
            programs[0],
            programs[1],
        ],
        1,
    );
    let told = sentences(&table);
    for program in ["hard", "soft"] {
        let row = row(&table, program);
        assert_eq!(row["soundness"], "damaged", "{table:#}");
        for way in ["write", "read"] {
            assert!(row[way]["bandwidth_bytes_per_s"].is_null(), "{row:#}");
            assert_ne!(row[way]["against_baseline"]["verdict"], "better", "{row:#}");
        }
    }
    assert!(
        told.contains(
            "d0000/f0000000 is the file of the source itself (a hard link): no data was copied"
        ),
        "{told}"
    );
    assert!(told.contains("is a symbolic link to /"), "{told}");
    assert_eq!(row(&table, "cp")["soundness"], "whole");
}

/// A file system of this kind in a file, mounted while it lives.
struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    /// `None`, with the reason printed, where it cannot be made here.
    fn of(maker: &str) -> Option<Mounted> {
        let folder = tempfile::tempdir().expect("folder");
        let (image, mounted) = (folder.path().join("image"), folder.path().join("mounted"));
        std::fs::create_dir(&mounted).expect("folder");
        std::fs::File::create(&image)
            .and_then(|file| file.set_len(400 << 20))
            .expect("image");
        let run = |words: &mut System| {
            words
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if !run(System::new(maker).arg(&image))
            || !run(System::new("mount")
                .args(["-o", "loop"])
                .arg(&image)
                .arg(&mounted))
        {
            eprintln!("skipped: {maker} or a loop mount does not work here");
            return None;
        }
        Some(Mounted { folder })
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("mounted")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = System::new("umount").arg(self.path()).status();
    }
}

#[test]
fn a_reflink_is_said_to_be_one() {
    for maker in ["mkfs.btrfs", "mkfs.xfs"] {
        let Some(mounted) = Mounted::of(maker) else {
            continue;
        };
        let programs = [
            "data=cp -a --reflink=never {from}/. {to}",
            "clone=cp -a --reflink=always {from}/. {to}",
        ];
        let words = [
            "--json",
            "--tree",
            "small:4x200k",
            "--rounds",
            "2",
            programs[0],
            programs[1],
        ];
        let table = measured(test_in(&mounted.path(), &words));
        let told = sentences(&table);
        assert!(
            told.contains(
                "clone, write: 2 of 2 copies share blocks with the source: no data was copied"
            ),
            "{maker}: {told}"
        );
        assert!(!told.contains("data, write"), "{maker}: {told}");
        assert_eq!(
            (
                &row(&table, "clone")["write"]["shared"],
                &row(&table, "clone")["soundness"]
            ),
            (&2.into(), &"whole".into()),
            "{maker}"
        );
        assert!(
            row(&table, "data")["write"]["shared"].is_null(),
            "{maker}: {table:#}"
        );
    }
}

#[test]
fn what_damages_comes_first_and_is_never_faster() {
    let flip = damaging(
        "flip",
        "f=d0000/f0000002; chmod u+w $f; t=$(stat -c %y $f); printf X | dd of=$f bs=1 seek=20000 conv=notrunc 2>/dev/null; touch -d \"$t\" $f",
    );
    let (drop, times) = (
        damaging("drop", "rm -f d0000/f0000001"),
        damaging("times", "touch d0000/f0000003"),
    );
    let table = table(
        // Of a seed of its own: a byte that is an X already would not be changed.
        &[
            "--tree", TREE, "--rounds", "2", "--seed", "7", "cp", &flip, &drop, &times,
        ],
        1,
    );
    let order: Vec<&str> = table["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["program"].as_str())
        .collect();
    assert_eq!(
        order,
        ["flip", "drop", "times", "cp"],
        "what damages comes first"
    );
    let told = sentences(&table);
    for expected in [
        "flip, write: 2 of 2 copies do not match the source, and the program reported no error: d0000/f0000002 differs from the source, first at offset 20,000.",
        "drop, write: 2 of 2 copies do not match the source, and the program reported no error: d0000/f0000001 is missing.",
        "times, write: 2 of 2 copies do not match the source, and the program reported no error: d0000/f0000003 metadata not preserved: its timestamp is off by",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    for program in ["flip", "drop", "times"] {
        let row = row(&table, program);
        assert_eq!(row["soundness"], "damaged");
        for way in ["write", "read"] {
            assert!(
                row[way]["bandwidth_bytes_per_s"].is_null()
                    && row[way]["spoiled_bytes_per_s"].as_f64().is_some(),
                "{program} {way}: {row:#}"
            );
            assert_ne!(
                row[way]["against_baseline"]["verdict"], "better",
                "{program} {way}"
            );
        }
    }
    assert_eq!(row(&table, "cp")["soundness"], "whole");
}

#[test]
fn programs_that_fail_or_hang_are_told_with_their_reason() {
    let words = [
        "--tree",
        TREE,
        "--rounds",
        "1",
        "--timeout",
        "500ms",
        "cp",
        "fail=sh -c 'echo {from} >&2; echo no more paper >&2; exit 23; {to}'",
        "hang=sh -c 'sleep 1000 # {from} {to}'",
    ];
    let table = table(&words, 1);
    assert_eq!(row(&table, "fail")["soundness"], "failed");
    assert_eq!(row(&table, "hang")["soundness"], "failed");
    for (program, failed) in [("fail", "exit-23"), ("hang", "timeout")] {
        for way in ["write", "read"] {
            let figures = &row(&table, program)[way];
            assert_eq!(figures["failed"], failed, "{program} {way}: {figures:#}");
            assert!(
                figures["bandwidth_bytes_per_s"].is_null()
                    && figures["spoiled_bytes_per_s"].is_null(),
                "no speed: {figures:#}"
            );
        }
    }
    assert_eq!(row(&table, "cp")["soundness"], "whole");
    let told = sentences(&table);
    assert!(
        told.contains("fail, write: the only copy failed: sh ended with exit status 23")
            && told.contains("no more paper"),
        "{told}"
    );
    assert!(
        told.contains(
            "hang, read: the only copy failed: sh did not finish within 500 ms and was terminated"
        ),
        "{told}"
    );
}

#[test]
fn a_first_program_that_damages_gives_no_verdicts() {
    let bad = damaging("bad", "rm -f d0000/f0000001");
    let table = table(&["--tree", TREE, "--rounds", "2", &bad, "cp"], 1);
    assert!(
        sentences(&table)
            .contains("bad is the baseline, and its copies failed or do not match the source"),
        "{table:#}"
    );
    let verdict = &row(&table, "cp")["write"]["against_baseline"]["verdict"];
    assert!(verdict.is_null() || verdict == "undecided", "{table:#}");
}

#[test]
fn lost_times_may_be_ignored() {
    let times = damaging("times", "touch d0000/f0000003");
    let table = table(
        &[
            "--tree",
            TREE,
            "--rounds",
            "1",
            "--ignore-times",
            "cp",
            &times,
        ],
        0,
    );
    assert_eq!(row(&table, "times")["soundness"], "whole");
    assert!(
        sentences(&table).contains("times did not preserve 1 timestamp of a file"),
        "{table:#}"
    );
}

#[test]
fn the_table_is_text_markdown_and_a_page() {
    let folder = tempfile::tempdir().expect("folder");
    let bad = damaging("bad", "rm -f d0000/f0000001");
    let mut command = test_in(
        folder.path(),
        &["--tree", TREE, "--rounds", "1", "cp", &bad],
    );
    command.env("COLUMNS", "80");
    let text = output_of(command, 1);
    assert!(
        text.starts_with(
            "Copies of small:6x20k: 6 files, 120 KiB\n\n✗ bad, write: the only copy does not match the source"
        ),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).expect("a report");
    assert!(
        page.contains("Copy programs")
            && page.contains("✗ bad")
            && page.contains("f0000001 is missing")
    );
    let compared = output_of(crate::plumb_in(folder.path(), "compare out"), 1);
    assert!(
        compared.contains("B fails where others do not"),
        "{compared}"
    );
    let folder = tempfile::tempdir().expect("folder");
    let markdown = output_of(
        test_in(
            folder.path(),
            &["--tree", TREE, "--rounds", "1", "--markdown", "cp"],
        ),
        0,
    );
    assert!(
        markdown.contains("| program | write MB/s |") && markdown.contains("| cp |"),
        "{markdown}"
    );
}

#[test]
fn an_rsync_daemon_is_copied_to_and_back_and_left_as_it_was() {
    let Some(daemon) = RsyncDaemon::start("") else {
        return eprintln!("skipped: rsync is not installed");
    };
    std::fs::write(daemon.data().join("of the user"), "x").expect("written");
    let folder = tempfile::tempdir().expect("folder");
    let address = daemon.address();
    let words = [
        "copy-test",
        "--quiet",
        "--json",
        "--from",
        ".",
        "--to",
        &address,
        "--output",
        "out",
        "--tree",
        "mix:200k",
        "--rounds",
        "1",
        "rsync",
    ];
    let mut command = plumb();
    command.current_dir(folder.path()).args(words);
    let table = json_of(command, 0);
    assert_eq!(row(&table, "rsync")["soundness"], "whole", "{table:#}");
    assert_eq!(
        (
            row(&table, "rsync")["write"]["checked"].as_u64(),
            row(&table, "rsync")["read"]["checked"].as_u64()
        ),
        (Some(1), Some(1))
    );
    assert_eq!(left_in(&daemon.data()), ["of the user"]);
    assert_eq!(left_in(folder.path()), ["out"]);
}

#[test]
fn a_daemon_that_refuses_is_told() {
    let Some(daemon) = RsyncDaemon::start("read only = yes") else {
        return eprintln!("skipped: rsync is not installed");
    };
    let folder = tempfile::tempdir().expect("folder");
    let mut command = plumb();
    command.current_dir(folder.path()).args([
        "copy-test",
        "--quiet",
        "--from",
        ".",
        "--to",
        &daemon.address(),
        "--tree",
        TREE,
        "rsync",
    ]);
    let error = refusal_of(command);
    assert!(
        error.contains("cannot be written") && error.contains("read only"),
        "{error}"
    );
    assert!(
        left_in(folder.path()).is_empty(),
        "{:?}",
        left_in(folder.path())
    );
}

#[test]
fn a_daemon_of_plumbs_own_stands_where_it_is_asked_for() {
    if System::new("rsync")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return eprintln!("skipped: rsync is not installed");
    }
    let table_of = table(
        &[
            "--tree",
            "mix:200k",
            "--rounds",
            "1",
            "rsync-daemon",
            "rsync",
        ],
        0,
    );
    assert_eq!(
        (
            &row(&table_of, "rsync-daemon")["soundness"],
            &row(&table_of, "rsync")["soundness"]
        ),
        (&"whole".into(), &"whole".into())
    );
    let other = "other=rsync --whole-file -a {from}/ {to}/";
    let table_of = table(
        &["--tree", TREE, "--rounds", "1", "--daemon", "rsync", other],
        0,
    );
    assert_eq!(
        row(&table_of, "other")["soundness"],
        "whole",
        "{table_of:#}"
    );
}

#[test]
fn a_signal_ends_the_test_and_removes_what_was_made() {
    let folder = tempfile::tempdir().expect("folder");
    let prepared = test_in(
        folder.path(),
        &[
            "--tree",
            TREE,
            "cp",
            "slow=sh -c 'sleep 1000 # {from} {to}'",
        ],
    );
    let mut command = System::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    for _ in 0..600 {
        if std::fs::metadata(folder.path().join("out/b/notes.jsonl"))
            .is_ok_and(|notes| notes.len() > 100)
        {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let sent = System::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success());
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert_eq!(
        (
            left_in(&folder.path().join("near")).len(),
            left_in(&folder.path().join("far")).len()
        ),
        (0, 0)
    );
}

#[test]
fn nonsense_is_told_before_anything_is_made() {
    let folder = tempfile::tempdir().expect("folder");
    for (words, expected) in [
        (&["rsnc"][..], "did you mean 'rsync'"),
        (&["x=no-such-program-1 {from} {to}"], "not installed"),
        (&["x=cp {from}"], "no {to}"),
        (&["x=cp '{from} {to}"], "unmatched"),
        (&["cp", "cp"], "two programs have the name cp"),
        (&["--tree", "large:1z", "cp"], "large:1z"),
        (&["--tree", "large:100000t", "cp"], "free"),
        (&["--from", "nowhere", "cp"], "nowhere is not a folder"),
        (&["--to", "nowhere", "cp"], "nowhere is not a folder"),
        (&["--to", "ftp://host/x", "cp"], "scheme"),
        (&["--to", "rsync://127.0.0.1", "rsync"], "no module"),
        (
            &["--to", "rsync://127.0.0.1:1/x", "cp"],
            "cp cannot copy to",
        ),
        (
            &[
                "--to",
                "rsync://127.0.0.1:1/x",
                "--from",
                ".",
                "--tree",
                "large:1k",
                "rsync",
            ],
            "Connection refused",
        ),
        (&["--daemon", "cp"], "cp cannot copy to an rsync daemon"),
        (&["--rounds", "0", "cp"], "rounds"),
        (&[], "PROGRAM"),
    ] {
        let mut command = plumb();
        command
            .current_dir(folder.path())
            .args(["copy-test", "--quiet"])
            .args(words);
        let error = refusal_of(command);
        assert!(error.contains(expected), "{words:?}: {error}");
        assert!(
            left_in(folder.path()).is_empty(),
            "{words:?}: {:?}",
            left_in(folder.path())
        );
    }
}

#[test]
fn smbclient_copies_to_a_share_and_back_and_is_verified() {
    use crate::samba::{PASSWORD, Samba, is_installed};

    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    std::fs::create_dir(folder.path().join("near")).expect("folder");
    let mut command = plumb();
    command
        .current_dir(folder.path())
        .env("PLUMB_PASSWORD", PASSWORD)
        .args(["copy-test", "--quiet", "--json", "--from", "near"]);
    command.args([
        "--to",
        &server.address("share"),
        "--tree",
        "small:4x20k",
        "--rounds",
        "2",
        "--output",
        "out",
        "smbclient",
    ]);
    let table = json_of(command, 0);
    let row = row(&table, "smbclient");
    for way in ["write", "read"] {
        assert_eq!(
            (&row[way]["copies"], &row[way]["checked"]),
            (&2.into(), &2.into()),
            "{way}: {table:#}"
        );
    }
    assert!(
        left_in(&server.share()).is_empty() && left_in(&folder.path().join("near")).is_empty(),
        "something was left"
    );
    for entry in std::fs::read_dir(folder.path().join("out")).expect("record") {
        let path = entry.expect("entry").path();
        let text = std::fs::read(&path).unwrap_or_default();
        assert!(
            !text
                .windows(PASSWORD.len())
                .any(|window| window == PASSWORD.as_bytes()),
            "the password stands in {}",
            path.display()
        );
    }
}

/// `rclone` copies to a bucket and back; a program that damages, one that loses, and one that leaves an upload unfinished are found; nothing is left there.
#[test]
fn programs_for_object_stores_are_compared_and_every_object_is_checked() {
    use crate::object_stores::{KEY, SECRET, Store};

    let Some(store) = Store::moto() else { return };
    if plumb_load::copy::find_program("rclone", std::env::var_os("PATH").as_deref()).is_none() {
        println!("skipped: rclone is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = format!("http://127.0.0.1:{}", store.port());
    std::fs::create_dir(folder.path().join("near")).expect("folder");
    let copy_test = |words: &[&str]| {
        let mut command = plumb();
        command
            .current_dir(folder.path())
            .args(["copy-test", "--quiet", "--from", "near", "--output", "out"])
            .args(["--to", "s3://bucket/mine"])
            .env("AWS_ACCESS_KEY_ID", KEY)
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .env("AWS_ENDPOINT_URL", &endpoint)
            .env("AWS_CONFIG_FILE", folder.path().join("config"))
            .env(
                "AWS_SHARED_CREDENTIALS_FILE",
                folder.path().join("credentials"),
            )
            .env("HOME", folder.path())
            .env_remove("AWS_PROFILE")
            .env_remove("AWS_CA_BUNDLE")
            .args(words);
        command
    };
    let rclone = || {
        let mut command = System::new("rclone");
        command
            .env_remove("AWS_CA_BUNDLE")
            .args(["--s3-provider", "Other", "--s3-endpoint", &endpoint])
            .args(["--s3-access-key-id", KEY, "--s3-secret-access-key", SECRET])
            .args(["--s3-no-check-bucket", "--config", ""]);
        command
    };
    let theirs = std::fs::File::open("/etc/hostname").expect("a file");
    let put = rclone()
        .args(["rcat", ":s3:bucket/mine/theirs"])
        .stdin(Stdio::from(theirs))
        .status();
    assert!(put.expect("rclone").success());
    let damaging = "damaging=sh -c 'rclone copy {from} {to} && case {to} in s3:*) echo x | rclone rcat {to}/d0000/f0000001; rclone deletefile {to}/d0000/f0000002 ;; esac'";
    let table = json_of(
        copy_test(&[
            "--tree", TREE, "--rounds", "2", "--json", "rclone", damaging,
        ]),
        1,
    );
    let sound = row(&table, "rclone");
    for way in ["write", "read"] {
        let figures = &sound[way];
        assert_eq!(
            (&figures["copies"], &figures["whole"], &figures["checked"]),
            (&2.into(), &2.into(), &2.into()),
            "{way}: {table:#}"
        );
    }
    let damaged = row(&table, "damaging");
    assert_eq!(damaged["soundness"], "damaged", "{table:#}");
    assert_eq!(damaged["write"]["whole"], 0, "{table:#}");
    assert_eq!(damaged["read"]["whole"], 2, "{table:#}");
    let text = sentences(&table);
    assert!(
        text.contains("d0000/f0000001") && !text.contains("did not preserve"),
        "{text}"
    );
    // A mix has folders without files, and names that programs stumble over.
    std::fs::remove_dir_all(folder.path().join("out")).expect("the first record");
    let table = json_of(
        copy_test(&["--tree", "mix:300k", "--rounds", "1", "--json", "rclone"]),
        0,
    );
    assert_eq!(row(&table, "rclone")["soundness"], "whole", "{table:#}");
    let listed = rclone()
        .args(["lsf", "-R", "--files-only", ":s3:bucket"])
        .output()
        .expect("rclone");
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "mine/theirs\n");
    for entry in std::fs::read_dir(folder.path().join("out")).expect("records") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read(&path).unwrap_or_default();
        let secret = SECRET.as_bytes();
        let has_it = text.windows(secret.len()).any(|window| window == secret);
        assert!(!has_it, "the secret stands in {}", path.display());
    }
    // What cannot work is refused before anything is made.
    let refused = |words: &[&str]| refusal_of(copy_test(words));
    let text = refused(&["rsync"]);
    assert!(text.contains("use aws, s5cmd, rclone"), "{text}");
}

#[test]
fn a_share_that_takes_nothing_is_named_before_anything_is_measured() {
    use crate::samba::{PASSWORD, Samba, Section, is_installed};

    if !is_installed() {
        return;
    }
    let (shown, folder) = (
        tempfile::tempdir().expect("folder"),
        tempfile::tempdir().expect("folder"),
    );
    let sections = [Section {
        name: "shown",
        path: shown.path(),
        lines: &["read only = yes"],
    }];
    let server = Samba::with_shares(&[], &sections);
    std::fs::create_dir(folder.path().join("near")).expect("folder");
    let refused = |path: &str, password: &str| {
        let mut command = plumb();
        command
            .current_dir(folder.path())
            .env("PLUMB_PASSWORD", password)
            .args(["copy-test", "--quiet", "--from", "near"]);
        command.args([
            "--to",
            &server.address(path),
            "--tree",
            "small:4x20k",
            "--rounds",
            "1",
            "--output",
            "out",
            "smbclient",
        ]);
        refusal_of(command)
    };
    let text = refused("shown", PASSWORD);
    for expected in [
        "/shown cannot be written",
        "STATUS_ACCESS_DENIED",
        "read-only",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(
        !text.contains("could not be removed") && !text.contains("not whole"),
        "{text}"
    );
    let text = refused("share/absent", PASSWORD);
    assert!(
        text.contains("share/absent") && text.contains("does not exist"),
        "{text}"
    );
    assert!(
        refused("share", "not-the-password")
            .contains("STATUS_LOGON_FAILURE: user name or password of")
    );
    assert!(
        !folder.path().join("out").exists() && left_in(&folder.path().join("near")).is_empty(),
        "something was made"
    );
}

#[test]
fn the_password_of_plumb_is_not_given_to_copy_programs() {
    let place = tempfile::tempdir().expect("a folder");
    let spy = format!(
        "spy=sh -c 'env > {}; cp -a \"$0\" \"$1\"' {{from}} {{to}}",
        place.path().join("seen").display()
    );
    let mut command = plumb();
    command
        .current_dir(place.path())
        .env("PLUMB_PASSWORD", "a-secret-marker");
    command.args([
        "copy-test",
        "--quiet",
        "--tree",
        TREE,
        "--rounds",
        "1",
        "cp",
        &spy,
        "--output",
        "out",
    ]);
    let output = command.output().expect("started");
    let seen = std::fs::read_to_string(place.path().join("seen"));
    let seen =
        seen.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert!(
        seen.contains("PATH=") && !seen.contains("a-secret-marker"),
        "{seen}"
    );
}

#[test]
fn a_password_file_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("password");
    std::fs::write(&file, "a-secret-marker\n").expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("opened");
    let mut command = plumb();
    command.current_dir(place.path());
    command.args([
        "run",
        "--target",
        "smb://me@127.0.0.1:1/share",
        "--pattern",
        "random-read",
        "--time",
        "1s",
        "--password-file",
        "password",
    ]);
    let error = crate::refusal_of(command);
    assert!(
        error.contains("password: readable by other users: chmod 600 password")
            && !error.contains("a-secret-marker"),
        "{error}"
    );
}
