//! Does plumb run with MPI libraries newer than Debian's? Open MPI 5, MPICH 5, and MPICH's library with the standard ABI of MPI 5.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::many_hosts::{check_sums, program, text};

/// Where `./dev test` installs one of them; says that the test is skipped when it is not there.
fn installed(name: &str) -> Option<PathBuf> {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("..");
    let folder = target.join("mpi").join(name);
    if folder.join("installed").exists() {
        return folder.canonicalize().ok();
    }
    println!("skipped: {name} of PyPI is not installed (./dev test installs it)");
    None
}

/// Four ranks of its launcher: their sums are exact, and the record names this library.
fn four_ranks(name: &str, library: &str, carrier: &str) {
    let Some(mpi) = installed(name) else { return };
    let folder = tempfile::tempdir().expect("folder");
    let output = folder.path().join("run.plumb");
    let mut launch = Command::new(mpi.join("bin/mpirun"));
    launch.args(["-n", "4"]);
    if name == "openmpi" {
        launch.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    let ran = launch
        .arg(program())
        .args(
            "run --target null: --rate 2000 --time 500ms --set interval=100ms --quiet"
                .split_whitespace(),
        )
        .arg("--output")
        .arg(&output)
        .env("PLUMB_MPI_LIBRARY", mpi.join("lib").join(library))
        .stdin(Stdio::null())
        .output()
        .expect("the launcher runs");
    assert!(ran.status.success(), "{}", text(&ran));
    let run = check_sums(&output, 4);
    let told = run.header.ranks.map(|ranks| ranks.carrier);
    assert!(
        told.as_ref().is_some_and(|told| told.contains(carrier)),
        "{told:?}"
    );
}

#[test]
fn four_ranks_under_open_mpi_5() {
    four_ranks("openmpi", "libmpi.so.40", "Open MPI v5.0");
}

#[test]
fn four_ranks_under_mpich_5() {
    four_ranks("mpich", "libmpi.so.12", "MPICH 5.0");
}

#[test]
fn four_ranks_under_the_standard_abi() {
    four_ranks("mpich", "libmpi_abi.so.1", "libmpi_abi.so.1");
}
