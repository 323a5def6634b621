//! Several ranks as users start them: by Open MPI, MPICH, and environment variables; on one host and on two (network namespaces); and their failures.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::Phase;
use plumb_model::run::{Event, Run};
use plumb_record::read_run;
use serde_json::Value;

use crate::hosts::{Hosts, script};
use crate::{json_of, plumb};

/// Load without storage, so that ranks that share CPUs do not wait for each other.
const LIGHT: [&str; 8] = [
    "run",
    "--target",
    "null:",
    "--set",
    "think-time=2ms",
    "--set",
    "interval=200ms",
    "--quiet",
];

pub fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin("plumb")
}

/// The launcher's command line up to the program; `None`, and said, where it is not installed.
pub fn launcher(name: &str, ranks: u32) -> Option<Command> {
    let found = Command::new(name).arg("--version").output().is_ok();
    if !found {
        println!("skipped: {name} is not installed");
        return None;
    }
    let mut command = Command::new(name);
    command.args(["-n", &ranks.to_string()]);
    if name.ends_with("openmpi") {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    command.stdin(Stdio::null());
    Some(command)
}

/// Operations of each phase, with their service times.
pub fn total(run: &Run, phase: Phase) -> (u64, Histogram) {
    let mut total = (0, Histogram::default());
    for tick in run.ticks.iter().filter(|tick| tick.phase == phase) {
        for kind in &tick.kinds {
            total.0 += kind.count;
            total.1.merge(&kind.service);
        }
    }
    total
}

/// The common record holds exactly what those of the ranks hold together.
pub fn check_sums(folder: &Path, ranks: u32) -> Run {
    let all = read_run(folder).expect("the common record");
    let each: Vec<Run> = (0..ranks)
        .map(|rank| {
            let place = folder.join(format!("ranks/{rank:04}"));
            read_run(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
        })
        .collect();
    for phase in [Phase::WarmUp, Phase::Measure, Phase::Drain] {
        let mut pooled = (0, Histogram::default());
        for (count, times) in each.iter().map(|run| total(run, phase)) {
            pooled.0 += count;
            pooled.1.merge(&times);
        }
        assert_eq!(total(&all, phase), pooled, "{phase}");
    }
    assert!(total(&all, Phase::Measure).0 > 0, "nothing was measured");
    let processes = all.header.ranks.as_ref().expect("ranks").processes.len();
    assert_eq!(processes, ranks as usize);
    all
}

/// `code`: 1 where a finding is severe.
pub fn summary(folder: &Path, code: i32) -> Value {
    let mut show = plumb();
    show.args(["show", "--json"]).arg(folder);
    json_of(show, code)
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn measured(launcher_name: &str, ranks: u32, time: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let mut command = launcher(launcher_name, ranks)?;
    let folder = tempfile::tempdir().expect("folder");
    let output = folder.path().join("run.plumb");
    let ran = command
        .arg(program())
        .args(LIGHT)
        .args(["--time", time, "--output"])
        .arg(&output)
        .output()
        .expect("the launcher runs");
    assert!(ran.status.success(), "{}", text(&ran));
    Some((folder, output))
}

#[test]
fn sixty_four_ranks_by_open_mpi_give_exact_sums() {
    let Some((_folder, output)) = measured("mpirun.openmpi", 64, "1s") else {
        return;
    };
    let all = check_sums(&output, 64);
    let carrier = &all.header.ranks.as_ref().expect("ranks").carrier;
    assert!(carrier.starts_with("Open MPI"), "{carrier}");
    let summary = summary(&output, 0);
    let step = &summary["steps"][0]["ranks"];
    assert_eq!(step["ranks"].as_array().map(Vec::len), Some(64));
    assert_eq!(step["hosts"][0]["ranks"], 64);
    let of_ranks: u64 = step["ranks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|rank| rank["operations"].as_u64())
        .sum();
    assert_eq!(of_ranks, total(&all, Phase::Measure).0);
}

#[test]
fn mpich_carries_the_ranks_too() {
    let Some((_folder, output)) = measured("mpirun.mpich", 3, "600ms") else {
        return;
    };
    let all = check_sums(&output, 3);
    let carrier = &all.header.ranks.as_ref().expect("ranks").carrier;
    assert!(carrier.contains("MPICH"), "{carrier}");
}

/// Ranks without MPI: one process each, with the variables that any launcher can set.
fn by_variables(folder: &Path, ranks: u32, port: u16, keys: &[&str]) -> Vec<Child> {
    token(folder, "token", "a token of some length\n");
    let token = folder.join("token");
    let start = |rank: u32| {
        Command::new(program())
            .args(LIGHT)
            .args(keys)
            .arg("--output")
            .arg(folder.join("run.plumb"))
            .env("PLUMB_RANK", rank.to_string())
            .env("PLUMB_RANKS", ranks.to_string())
            .env("PLUMB_JOIN", format!("127.0.0.1:{port}"))
            .env("PLUMB_TOKEN_FILE", &token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    };
    (0..ranks).map(start).collect()
}

/// A port that nobody listens on now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
    listener.local_addr().expect("address").port()
}

pub fn outputs(children: Vec<Child>) -> Vec<Output> {
    let ended = children.into_iter().map(Child::wait_with_output);
    ended.map(|output| output.expect("output")).collect()
}

#[test]
fn ranks_without_mpi_find_each_other_by_variables() {
    let folder = tempfile::tempdir().expect("folder");
    let ended = outputs(by_variables(
        folder.path(),
        3,
        free_port(),
        &["--time", "600ms"],
    ));
    for output in &ended {
        assert!(output.status.success(), "{}", text(output));
    }
    check_sums(&folder.path().join("run.plumb"), 3);
}

#[test]
fn a_rank_that_is_killed_is_named_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run.plumb");
    let mut children = by_variables(folder.path(), 3, free_port(), &["--time", "3s"]);
    let begun = Instant::now();
    // Once intervals are there, the load runs.
    while fs::metadata(run.join("ticks.jsonl")).map_or(0, |file| file.len()) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(20));
    }
    children[2].kill().expect("killed");
    let ended = outputs(children);
    assert_eq!(ended[0].status.code(), Some(2), "{}", text(&ended[0]));
    assert!(ended[1].status.success(), "{}", text(&ended[1]));
    let said = text(&ended[0]);
    assert!(
        said.contains("rank 2 on ") && said.contains("was lost"),
        "{said}"
    );
    let summary = summary(&run, 1);
    assert_eq!(summary["state"], "finished");
    assert_eq!(summary["ranks"]["lost"][0]["rank"], 2);
    let found = summary["findings"].as_array().into_iter().flatten();
    let rules: Vec<&str> = found.filter_map(|found| found["rule"].as_str()).collect();
    assert!(rules.contains(&"rank_was_lost"), "{rules:?}");
    // The figures are of the time in which all ran; what rank 2 had recorded by then is there.
    let all = read_run(&run).expect("record");
    let most = all
        .ticks
        .iter()
        .filter_map(|tick| tick.ranks)
        .map(|of| of.ranks);
    assert_eq!(most.max(), Some(3));
    assert!(
        !read_run(&run.join("ranks/0002"))
            .expect("record")
            .ticks
            .is_empty()
    );
    let ends = all
        .notes
        .iter()
        .filter(|note| matches!(note.event, Event::RankEnded { .. }));
    assert_eq!(ends.count(), 2);
}

#[test]
fn ranks_that_do_not_fit_together_are_told_why() {
    let folder = tempfile::tempdir().expect("folder");
    // Another plan.
    let port = free_port();
    let mut children = by_variables(folder.path(), 2, port, &["--time", "600ms"]);
    let mut other = children.pop().expect("rank 1");
    other.kill().expect("killed");
    other.wait().expect("ended");
    let last = Command::new(program())
        .args(LIGHT)
        .args(["--time", "700ms"])
        .env("PLUMB_RANK", "1")
        .env("PLUMB_RANKS", "2")
        .env("PLUMB_JOIN", format!("127.0.0.1:{port}"))
        .env("PLUMB_TOKEN_FILE", folder.path().join("token"))
        .output()
        .expect("ran");
    let first = outputs(children).remove(0);
    for said in [text(&first), text(&last)] {
        // The killed one may have been there first: then it is the one that is missed.
        let is_named = said.contains("a different plan") || said.contains("is connected already");
        assert!(is_named, "{said}");
    }
    // Nobody says which rank it is, and a rank that is none.
    let ran = |variables: &[(&str, &str)]| {
        let mut command = Command::new(program());
        command.args(LIGHT).args(["--time", "100ms"]);
        variables.iter().for_each(|(name, value)| {
            command.env(name, value);
        });
        text(&command.output().expect("ran"))
    };
    assert!(ran(&[("PLUMB_JOIN", "127.0.0.1:1")]).contains("PLUMB_RANK"));
    assert!(ran(&[("PMI_RANK", "one"), ("PMI_SIZE", "2")]).contains("PMI_RANK='one'"));
}

/// Two hosts with two ranks each, started by MPICH's launcher with an own way to get to a host, as `ssh` is one.
#[test]
fn two_hosts_with_two_ranks_each_are_told_apart() {
    if launcher("mpirun.mpich", 4).is_none() {
        return;
    }
    let Some(hosts) = Hosts::new(31) else { return };
    let folder = tempfile::tempdir().expect("folder");
    let reach = hosts.shell(folder.path());
    fs::create_dir(folder.path().join("data")).expect("folder");
    let line = "run --target data --pattern random-write --size 4m --direct try --time 1s --set interval=200ms --quiet --output run.plumb";
    let ran = hosts
        .on(0, "mpirun.mpich")
        .args(["-launcher", "rsh", "-launcher-exec"])
        .arg(&reach)
        .args(["-hosts", "10.231.31.1:2,10.231.31.2:2", "-n", "4"])
        .arg(program())
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .output()
        .expect("the launcher runs");
    assert!(ran.status.success(), "{}", text(&ran));
    let all = check_sums(&folder.path().join("run.plumb"), 4);
    let hosts = all.header.ranks.as_ref().expect("ranks").hosts();
    // The launcher starts what is on its own host by itself.
    assert!(hosts.len() == 2 && hosts[1] == "hostb", "{hosts:?}");
    let summary = summary(&folder.path().join("run.plumb"), 0);
    let of_hosts = summary["steps"][0]["ranks"]["hosts"].as_array().cloned();
    let of_hosts = of_hosts.expect("hosts");
    assert_eq!(of_hosts.len(), 2);
    assert!(
        of_hosts
            .iter()
            .all(|host| host["ranks"] == 2 && host["operations"].as_u64() > Some(0))
    );
    for host in &of_hosts {
        let machine = &host["machine"];
        // The samples enclose the measured second.
        assert!(machine["covered_s"].as_f64() > Some(0.99), "{host}");
        let percent = machine["cpu_percent"].as_f64().expect("CPU use");
        assert!((0.0..=100.0).contains(&percent), "{host}");
    }
    let told = all.notes.iter().filter(
        |note| matches!(&note.event, Event::RankEnded { end, .. } if end.machine.is_some()),
    );
    assert_eq!(told.count(), 2, "one rank of each host");
    let page = folder.path().join("run.plumb/report.html");
    let page = fs::read_to_string(page).expect("the page");
    for title in [
        "Operations per second of each host",
        "Longest operation of each host",
        "Counters of the hosts",
    ] {
        assert!(page.contains(title), "{title}");
    }
    assert_eq!(
        crate::left_in(&folder.path().join("data")),
        Vec::<String>::new()
    );
}

/// An agent that waits on a port of this machine.
pub fn agent(folder: &Path, name: &str, allowed: &str) -> (Child, String) {
    agent_with(folder, name, allowed, &[])
}

/// The same with variables of its own.
pub fn agent_with(
    folder: &Path,
    name: &str,
    allowed: &str,
    variables: &[(&str, &str)],
) -> (Child, String) {
    let kept = folder.join(name);
    fs::create_dir(&kept).expect("folder");
    let mut agent = Command::new(program())
        .args(["agent", "--listen", "127.0.0.1:0", "--token-file"])
        .arg(folder.join("token"))
        .arg("--output")
        .arg(&kept)
        .args(["--allow", allowed])
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(agent.stderr.take().expect("standard error")).lines();
    let first = lines.next().expect("a line").expect("text");
    let address = first.split_whitespace().nth(2).expect("an address");
    let address = address.trim_end_matches(',').to_string();
    std::thread::spawn(move || lines.for_each(drop));
    (agent, address)
}

pub fn token(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("token");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(folder.join(name), mode).expect("mode");
}

#[test]
fn launch_measures_on_agents_and_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("folder");
    token(folder.path(), "token", "a token of some length\n");
    token(folder.path(), "wrong", "another token of some length\n");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("folder");
    let allowed = data.display().to_string();
    let (mut first, at_first) = agent(folder.path(), "first", &allowed);
    let (mut second, at_second) = agent(folder.path(), "second", &allowed);
    let hosts = format!("{at_first},{at_second}");
    let launch = |token: &str, target: &str, output: &str, each: &str| {
        Command::new(program())
            .current_dir(folder.path())
            .args([
                "launch",
                "--hosts",
                &hosts,
                "--token-file",
                token,
                "--target",
                target,
                "--ranks-per-host",
                each,
            ])
            .args([
                "--pattern",
                "random-write",
                "--size",
                "4m",
                "--direct",
                "try",
                "--time",
                "800ms",
            ])
            .args(["--set", "interval=200ms", "--quiet", "--output", output])
            .stdin(Stdio::null())
            .output()
            .expect("ran")
    };
    let refused = launch("wrong", &allowed, "wrong.plumb", "1");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("wrong token for this agent"));
    let elsewhere = launch("token", "/", "elsewhere.plumb", "1");
    assert_eq!(elsewhere.status.code(), Some(2), "{}", text(&elsewhere));
    assert!(text(&elsewhere).contains("not allowed on this agent"));
    let ran = launch("token", &allowed, "run.plumb", "2");
    assert!(ran.status.success(), "{}", text(&ran));
    let of_hosts = summary(&folder.path().join("run.plumb"), 0);
    assert_eq!(of_hosts["ranks"]["ranks"], 4, "two on each host");
    let ranks = of_hosts["steps"][0]["ranks"]["ranks"].as_array().cloned();
    let ranks = ranks.expect("ranks");
    assert!(
        ranks
            .iter()
            .all(|rank| rank["operations"].as_u64() > Some(0)),
        "{ranks:?}"
    );
    assert_eq!(crate::left_in(&data), Vec::<String>::new());
    for agent in [&mut first, &mut second] {
        agent.kill().expect("killed");
        agent.wait().expect("ended");
    }
}

#[test]
fn launch_starts_agents_by_a_shell() {
    let folder = tempfile::tempdir().expect("folder");
    let shell = folder.path().join("shell");
    // As ssh: a host, then a command line.
    script(&shell, "#!/bin/sh\nshift\nexec \"$@\"\n");
    let launch = |shell: &str, program: &Path| {
        Command::new(self::program())
            .current_dir(folder.path())
            .args([
                "launch",
                "--hosts",
                "a,b",
                &format!("--ssh={shell}"),
                "--program",
            ])
            .arg(program)
            .args(&LIGHT[1..])
            .args(["--time", "600ms", "--output", "run.plumb"])
            .stdin(Stdio::null())
            .output()
            .expect("ran")
    };
    let nobody = launch("./shell", Path::new("/nonexistent/plumb"));
    assert_eq!(nobody.status.code(), Some(2), "{}", text(&nobody));
    assert!(
        text(&nobody).contains("did not connect to a plumb agent"),
        "{}",
        text(&nobody)
    );
    let ran = launch("./shell", &program());
    assert!(ran.status.success(), "{}", text(&ran));
    let processes = summary(&folder.path().join("run.plumb"), 0)["ranks"]["places"].clone();
    assert_eq!(processes.as_array().map(Vec::len), Some(2), "{processes}");
}

/// The link between two hosts is cut for 5 s: nothing is lost, and nobody is.
#[test]
fn a_link_that_is_cut_for_a_while_loses_nothing() {
    let Some(hosts) = Hosts::new(32) else { return };
    let folder = tempfile::tempdir().expect("folder");
    token(folder.path(), "token", "a token of some length\n");
    let start = |rank: u32| {
        let mut command = hosts.on(rank as usize, program().to_str().expect("a path"));
        command
            .current_dir(folder.path())
            .args(LIGHT)
            .args(["--time", "7s", "--output", "run.plumb"])
            .env("PLUMB_RANK", rank.to_string())
            .env("PLUMB_RANKS", "2")
            .env("PLUMB_JOIN", "10.231.32.1:7476")
            .env("PLUMB_TOKEN_FILE", "token")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().expect("started")
    };
    let ranks = vec![start(0), start(1)];
    let ticks = folder.path().join("run.plumb/ticks.jsonl");
    let begun = Instant::now();
    while fs::metadata(&ticks).map_or(0, |file| file.len()) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(20));
    }
    hosts.link("down");
    std::thread::sleep(Duration::from_secs(5));
    hosts.link("up");
    for output in outputs(ranks) {
        assert!(output.status.success(), "{}", text(&output));
    }
    check_sums(&folder.path().join("run.plumb"), 2);
}
