//! Does a step end if a real NFS server, seen through a proxy, answers NFS4ERR_DELAY forever?

use serde_json::Value;

use crate::ganesha::Ganesha;
use crate::nfs_proxy::proxy;
use crate::plumb_in;

/// Every READ is answered by NFS4ERR_DELAY.
fn delays_reads(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    // Behind the heads of RPC and COMPOUND, SEQUENCE and PUTFH; the status of the COMPOUND is the first number of its head.
    const AT: usize = 24 + 12 + 44 + 8;
    const READ: u32 = 25;
    const DELAY: u32 = 10008;
    if answer.get(AT..AT + 4) == Some(&READ.to_be_bytes()) {
        answer.truncate(AT + 4);
        answer.extend(DELAY.to_be_bytes());
        answer[24..28].copy_from_slice(&DELAY.to_be_bytes());
    }
}

#[test]
fn a_server_that_wants_to_be_asked_later_for_ever_is_told_and_the_step_ends() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let port = proxy(format!("127.0.0.1:{}", server.port()), delays_reads, 0);
    let folder = tempfile::tempdir().expect("folder");
    let address = server
        .address("data")
        .replace(&format!(":{}", server.port()), &format!(":{port}"));
    let line = format!(
        "run --target {address} --set mix=read --block 4k --depth 4 --size 1m --time 700ms --interval 100ms --json --quiet --output out"
    );
    let output = plumb_in(folder.path(), &line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("panicked"), "{error}");
    let summary: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"));
    let total = &summary["steps"][0]["total"];
    assert_eq!(total["count"], 0, "nothing was read: {total}");
    assert_eq!(
        total["errors"], total["errors_by_kind"]["EAGAIN"],
        "{total}"
    );
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    let delayed = notes.lines().find_map(|line| {
        serde_json::from_str::<Value>(line).ok()?["account"]["numbers"]["delayed_by_server"]
            .as_f64()
    });
    assert!(delayed.is_some_and(|delayed| delayed > 4.0), "{notes}");
    assert!(
        std::fs::read_dir(server.data())
            .expect("listed")
            .next()
            .is_none(),
        "the share is left clean"
    );
}
