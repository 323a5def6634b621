//! Which files does a rank read? By the system calls of both ranks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::many_hosts::{free_port, outputs, program, text, token};

/// The files of workers that a rank's load wrote and read, by strace: those of the target alone, without the folder.
fn files_of(trace: &Path, target: &Path) -> [BTreeSet<String>; 2] {
    let text = fs::read_to_string(trace).expect("a trace");
    let of = |call: &str| {
        let lines = text.lines().filter(|line| line.contains(call));
        let paths = lines.filter_map(|line| {
            let path = line.split_once('<')?.1.split_once('>')?.0;
            let below = Path::new(path).strip_prefix(target).ok()?;
            let name = below.file_name()?.to_string_lossy().into_owned();
            name.starts_with("worker-").then_some(name)
        });
        paths.collect()
    };
    [of("pwrite64("), of("pread64(")]
}

/// What a rank reads is what the other one wrote, as the system calls of both say.
#[test]
fn ranks_read_each_others_files_and_not_their_own() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: strace is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let target = folder.path().join("data");
    fs::create_dir(&target).expect("folder");
    token(folder.path(), "token", "a token of some length\n");
    let plan = "name = 'p'\n[defaults]\nranks = 'together'\nlayout = 'own'\nsize = '512k'\npasses = 1\nengine = 'sync'\nfresh = true\n\
                [[step]]\nname = 'write'\npattern = 'sequential-write'\n\
                [[step]]\nname = 'read'\npattern = 'sequential-read'\nfresh = false\nfiles-of = 1\n";
    fs::write(folder.path().join("p.toml"), plan).expect("plan written");
    let port = free_port();
    let start = |rank: u32| {
        Command::new("strace")
            .args(["-f", "-y", "-e", "trace=pread64,pwrite64", "-o"])
            .arg(format!("trace{rank}"))
            .arg(program())
            .args([
                "run",
                "p.toml",
                "--target",
                "data",
                "--quiet",
                "--output",
                "run.plumb",
            ])
            .current_dir(folder.path())
            .env("PLUMB_RANK", rank.to_string())
            .env("PLUMB_RANKS", "2")
            .env("PLUMB_JOIN", format!("127.0.0.1:{port}"))
            .env("PLUMB_TOKEN_FILE", "token")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    };
    for ended in outputs(vec![start(0), start(1)]) {
        assert!(
            matches!(ended.status.code(), Some(0 | 1)),
            "{}",
            text(&ended)
        );
    }
    let traced = |rank: u32| files_of(&folder.path().join(format!("trace{rank}")), &target);
    let ([first_wrote, first_read], [second_wrote, second_read]) = (traced(0), traced(1));
    assert_eq!(
        (first_wrote.len(), second_wrote.len()),
        (1, 1),
        "{first_wrote:?} {second_wrote:?}"
    );
    assert_ne!(first_wrote, second_wrote);
    assert_eq!((&first_read, &second_read), (&second_wrote, &first_wrote));
}
