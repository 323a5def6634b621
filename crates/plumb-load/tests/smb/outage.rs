//! Does the client survive a server that goes away, and report it?

use plumb_load::engine::failure::FailureKind;
use plumb_load::engine::operation::{Done, Outcome};

use plumb_load::engine::{Opened, Wait};
use plumb_model::run::ConnectionState;
use plumb_model::workload::OperationKind;

use crate::bench::*;
use crate::samba::{self, Samba};

fn states(bench: &Bench) -> Vec<ConnectionState> {
    bench
        .connections()
        .into_iter()
        .map(|(state, _)| state)
        .collect()
}

#[test]
fn a_server_that_goes_away_and_returns_is_survived() {
    if !samba::is_installed() {
        return;
    }
    let mut server = Samba::start(&[]);
    make_zeros(&server);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("share"), "read:1,write:1", Some("file"));
    let Opened { mut engine, .. } = bench.open(&buffers);
    write_blocks(engine.as_mut(), &mut buffers);
    server.pause();
    let lost = carry_out(engine.as_mut(), &blocks(OperationKind::Read)[..2]);
    assert_eq!(lost, [Err(FailureKind::ConnectionReset); 2]);
    assert_eq!(states(&bench), [ConnectionState::Lost]);
    let waiting = waits_until_back(engine.as_mut(), &mut buffers, || server.resume());
    let told = bench.connections();
    assert!(
        matches!(&told[..], [(ConnectionState::Restored, text)] if text.starts_with("connected again after")),
        "{told:?}"
    );
    read_blocks(engine.as_mut(), &mut buffers);
    server.pause();
    ends_without_server(engine.as_mut(), waiting);
    let account = engine.close().account;
    assert_eq!(
        (
            account.numbers["connections_lost"],
            account.numbers["reconnects"]
        ),
        (2.0, 1.0)
    );
    assert!(account.numbers["outage_s"] > 0.0);
}

/// Channels come back as channels: the first of them makes a new session, the other joins it.
#[test]
fn channels_of_one_session_return_together() {
    if !samba::is_installed() {
        return;
    }
    let mut server = Samba::start(&[]);
    make_file(&server);
    let (mut first, mut second) = (buffers(), buffers());
    let mut bench = Bench::new(&server.address("share"), "read", Some("file"));
    bench.workload.workers = 2;
    let mut one = bench.open(&first).engine;
    let mut two = bench.try_open(&second, 1).expect("a second channel").engine;
    server.pause();
    assert_eq!(
        carry_out(one.as_mut(), &blocks(OperationKind::Read)[..1]),
        [Err(FailureKind::ConnectionReset)]
    );
    assert_eq!(
        carry_out(two.as_mut(), &blocks(OperationKind::Read)[..1]),
        [Err(FailureKind::ConnectionReset)]
    );
    server.resume();
    read_blocks(one.as_mut(), &mut first);
    read_blocks(two.as_mut(), &mut second);
    assert_eq!(
        states(&bench),
        [
            ConnectionState::Lost,
            ConnectionState::Lost,
            ConnectionState::Restored,
            ConnectionState::Restored
        ]
    );
}

/// Stacks of threads come from the address space, which is used up to the last.
fn without_room_for_a_thread<T>(act: impl FnOnce() -> T) -> T {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // Stacks of threads that have ended are kept for the next ones: they are taken up first.
    let (release, wait) = crossbeam_channel::bounded::<()>(0);
    let holders: Vec<_> = (0..16)
        .map(|_| {
            let wait = wait.clone();
            std::thread::spawn(move || {
                let _ = wait.recv();
            })
        })
        .collect();
    let kib = memory_kib("VmSize:");
    let before = getrlimit(Resource::As);
    setrlimit(
        Resource::As,
        Rlimit {
            current: Some((kib + 512) << 10),
            ..before
        },
    )
    .expect("limit");
    let result = act();
    setrlimit(Resource::As, before).expect("limit");
    drop(release);
    holders
        .into_iter()
        .for_each(|holder| holder.join().expect("a thread"));
    result
}

#[test]
fn a_thread_that_cannot_be_started_is_told() {
    if !samba::is_installed() {
        return;
    }
    // The limit is one of the entire process.
    if !is_alone("outage::a_thread_that_cannot_be_started_is_told") {
        return;
    }
    let mut server = Samba::start(&[]);
    make_file(&server);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("share"), "read", Some("file"));
    let mut engine = bench.open(&buffers).engine;
    server.pause();
    let block = blocks(OperationKind::Read)[0];
    assert_eq!(
        carry_out(engine.as_mut(), &[block]),
        [Err(FailureKind::ConnectionReset)]
    );
    let mut done = Vec::new();
    engine.submit(&[block], &mut done).expect("submitted");
    let error = without_room_for_a_thread(|| {
        loop {
            if let Err(error) = engine.reap(Wait::One, &mut done) {
                break error.to_string();
            }
            assert!(done.is_empty(), "{done:?}");
        }
    });
    assert!(
        error.contains("cannot start a thread to reconnect") && error.contains("ulimit -u"),
        "{error}"
    );
    // The engine is intact: with free space it continues.
    server.resume();
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reaped");
    }
    assert_eq!(
        done,
        [Done {
            slot: block.slot,
            outcome: Outcome::moved(BLOCK)
        }]
    );
    assert!(holds(&mut buffers, &block));
}
