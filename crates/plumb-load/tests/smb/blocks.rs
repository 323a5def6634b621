//! Are blocks read back as they were written, in all sizes, pipelined and over several connections?

use plumb_load::engine::Opened;
use plumb_load::engine::failure::FailureKind;
use plumb_load::engine::operation::Op;
use plumb_model::workload::{BusyPoll, Channels, OperationKind};

use crate::bench::*;
use crate::samba::{self, Samba};

#[test]
fn blocks_are_read_back_as_they_were_written() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_zeros(&server);
    let mut buffers = buffers();
    let bench = Bench::new(
        &server.address("share"),
        "read:1,write:1,flush:1",
        Some("file"),
    );
    let Opened {
        mut engine,
        connection,
        active,
        refused,
    } = bench.open(&buffers);
    assert_eq!(
        (
            connection["dialect"].as_str(),
            connection["signing"].as_str(),
            connection["encryption"].as_str()
        ),
        ("3.1.1", "none", "none")
    );
    assert_eq!(
        (
            connection["channels"].as_str(),
            connection["authentication"].as_str()
        ),
        ("1", "NTLMv2")
    );
    assert_eq!(
        (
            connection["read_max_bytes"].as_str(),
            connection["write_max_bytes"].as_str()
        ),
        ("8388608", "8388608")
    );
    assert!(
        connection["credits"].parse::<u32>().expect("a number") > 100,
        "{connection:?}"
    );
    assert!(
        active == ["SMB 3.1.1"] && refused.is_empty(),
        "{active:?} {refused:?}"
    );
    write_blocks(engine.as_mut(), &mut buffers);
    assert_eq!(
        carry_out(engine.as_mut(), &[op(OperationKind::Flush, 0, 0, 0)]),
        [Ok(0)]
    );
    assert!(is_whole(&server), "another way in sees the same bytes");
    read_blocks(engine.as_mut(), &mut buffers);
    // All sizes, from what is copied to what is received in place, odd ones too, and one that is more than a request carries.
    let sizes = [1, 511, 4095, 4096, 65_537, 100_001, 1_044_480, 2 << 20];
    for round in 0..6 {
        let at = |place: usize| (place as u64 * 77_777 + round * 1013) % 1_000_000;
        let ops: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(place, len)| op(OperationKind::Read, at(place), *len, place as u32))
            .collect();
        assert_eq!(carry_out(engine.as_mut(), &ops), sizes.map(Ok));
        ops.iter()
            .for_each(|op| assert!(holds(&mut buffers, op), "{op:?}"));
        ops.iter().for_each(|op| fill(&mut buffers, op));
        let writes: Vec<_> = ops
            .iter()
            .map(|op| Op {
                kind: OperationKind::Write,
                ..*op
            })
            .collect();
        assert_eq!(carry_out(engine.as_mut(), &writes), sizes.map(Ok));
    }
    assert!(is_whole(&server));
    // At the end of the file, and over it.
    let end = BLOCKS * u64::from(BLOCK);
    let over = [
        op(OperationKind::Read, end, BLOCK, 0),
        op(OperationKind::Read, end - 1_500_001, 2 << 20, 1),
        op(OperationKind::Read, end - 7, 4096, 2),
    ];
    assert_eq!(carry_out(engine.as_mut(), &over), moved([0, 1_500_001, 7]));
    // 10 MiB go in two requests.
    let large = [op(OperationKind::Write, 0, 10 << 20, 0)];
    fill(&mut buffers, &large[0]);
    assert_eq!(carry_out(engine.as_mut(), &large), [Ok(10 << 20)]);
    let back = [op(OperationKind::Read, 0, 10 << 20, 1)];
    assert_eq!(carry_out(engine.as_mut(), &back), [Ok(10 << 20)]);
    assert!(holds(&mut buffers, &back[0]));
    let closing = close(engine);
    let commands: Vec<&str> = closing
        .account
        .commands
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(commands, ["FLUSH", "READ", "WRITE"]);
    assert!(
        closing.account.numbers["credits_granted"] > 100.0
            && closing.account.numbers["reconnects"] == 0.0,
        "{:?}",
        closing.account.numbers
    );
    assert!(bench.connections().is_empty());
}

/// Nothing sleeps until an answer comes, and all the same bytes come.
#[test]
fn a_socket_that_is_polled_brings_the_same_bytes() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_zeros(&server);
    let mut buffers = buffers();
    let mut bench = Bench::new(&server.address("share"), "read:1,write:1", Some("file"));
    bench.choice.busy_poll = BusyPoll::Yes;
    let Opened {
        mut engine, active, ..
    } = bench.open(&buffers);
    assert_eq!(active, ["SMB 3.1.1", "busy polling"]);
    write_blocks(engine.as_mut(), &mut buffers);
    assert!(is_whole(&server));
    read_blocks(engine.as_mut(), &mut buffers);
    close(engine);
}

/// Headers and small answers are read as ever, so that the stream stays in step and short answers are found; the data of large ones never comes to the buffers.
#[test]
fn data_that_is_discarded_leaves_the_stream_in_step() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let mut buffers = buffers();
    let mut bench = Bench::new(&server.address("share"), "read", Some("file"));
    bench.choice.skip_rx_copy = true;
    let Opened {
        mut engine, active, ..
    } = bench.open(&buffers);
    assert_eq!(
        active,
        ["SMB 3.1.1", "skip-rx-copy (data discarded in the kernel)"]
    );
    let end = BLOCKS * u64::from(BLOCK);
    for round in 0..6 {
        let reads = [
            op(OperationKind::Read, 77 + round, 1 << 20, 0),
            op(OperationKind::Read, 12_345 + round, 1000, 1),
            op(OperationKind::Read, end - 1_500_001, 2 << 20, 2),
            op(OperationKind::Read, end, BLOCK, 3),
            op(OperationKind::Read, 4096 * round, 65_537, 4),
            op(OperationKind::Read, end - 7, 4096, 5),
        ];
        reads.iter().for_each(|op| buffers.slot(op.slot).fill(0xee));
        assert_eq!(
            carry_out(engine.as_mut(), &reads),
            moved([1 << 20, 1000, 1_500_001, 0, 65_537, 7])
        );
        assert!(holds(&mut buffers, &reads[1]), "a small one is copied");
        for slot in [0, 2, 4] {
            // What came with the header is there.
            let data = &buffers.slot(slot)[256..60_000];
            assert!(data.iter().all(|byte| *byte == 0xee), "slot {slot}");
        }
    }
    close(engine);
}

/// More is requested at once than the server grants: the excess waits, and all of it completes.
#[test]
fn requests_wait_for_credits() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["smb2 max credits = 64"]);
    make_file(&server);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("share"), "read", Some("file"));
    let mut engine = bench.open(&buffers).engine;
    let ops: Vec<_> = (0..DEPTH)
        .map(|slot| op(OperationKind::Read, u64::from(slot) * 4096, 2 << 20, slot))
        .collect();
    for _ in 0..3 {
        assert_eq!(
            carry_out(engine.as_mut(), &ops),
            moved([2 << 20; DEPTH as usize])
        );
        ops.iter()
            .for_each(|op| assert!(holds(&mut buffers, op), "{op:?}"));
    }
    let closing = close(engine);
    assert!(
        closing.account.numbers["credit_waits"] > 0.0,
        "{:?}",
        closing.account.numbers
    );
}

#[test]
fn several_workers_are_channels_of_one_session() {
    if !samba::is_installed() {
        return;
    }
    let (together, apart) = (
        "2 channels of one session",
        "2 sessions of one channel each",
    );
    for (settings, share, channels, expected) in [
        (&[][..], "share", Channels::Auto, together),
        (&[], "share", Channels::Multichannel, together),
        (&[], "share", Channels::Sessions, apart),
        (
            &["server multi channel support = no"],
            "share",
            Channels::Auto,
            apart,
        ),
        (
            &["server signing = mandatory"],
            "share",
            Channels::Auto,
            together,
        ),
        (&[], "sealed", Channels::Auto, together),
        (
            &["server smb encrypt = desired"],
            "share",
            Channels::Auto,
            together,
        ),
        // Samba takes no further channel of a session that must be encrypted: it wants the request both signed and encrypted, and sees no signature in
        // what is encrypted (STATUS_ACCESS_DENIED in the clear, STATUS_INVALID_PARAMETER encrypted).
        (
            &["server smb encrypt = required"],
            "share",
            Channels::Auto,
            apart,
        ),
    ] {
        let server = Samba::start(settings);
        make_zeros(&server);
        let (mut first, mut second) = (buffers(), buffers());
        let mut bench = Bench::new(&server.address(share), "read:1,write:1", Some("file"));
        (bench.workload.workers, bench.choice.channels) = (2, channels);
        let one = bench.open(&first);
        let mut two = bench
            .try_open(&second, 1)
            .unwrap_or_else(|error| panic!("{settings:?}: {error}"));
        assert_eq!(
            (
                one.connection["channels"].as_str(),
                two.connection["channels"].as_str()
            ),
            (expected, expected),
            "{settings:?}: {:?}",
            two.refused
        );
        assert_eq!(
            !two.refused.is_empty(),
            expected == apart && channels == Channels::Auto,
            "{:?}",
            two.refused
        );
        let mut engine = one.engine;
        write_blocks(engine.as_mut(), &mut first);
        read_blocks(two.engine.as_mut(), &mut second);
        close(engine);
        read_blocks(two.engine.as_mut(), &mut second);
        close(two.engine);
    }
}

#[test]
fn a_server_without_multichannel_is_refused_where_it_is_insisted_on() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["server multi channel support = no"]);
    make_zeros(&server);
    let mut bench = Bench::new(&server.address("share"), "read", Some("file"));
    (bench.workload.workers, bench.choice.channels) = (2, Channels::Multichannel);
    let error = bench
        .try_open(&buffers(), 0)
        .err()
        .expect("refused")
        .to_string();
    assert!(error.contains("does not offer multichannel"), "{error}");
}

/// Without a word of writing in the workload the file is open for reading only, as a local one is.
#[test]
fn a_write_to_a_file_that_is_open_for_reading_fails() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let buffers = buffers();
    let bench = Bench::new(&server.address("readonly"), "read", Some("file"));
    let mut engine = bench.open(&buffers).engine;
    let mixed = [
        op(OperationKind::Write, 0, BLOCK, 0),
        op(OperationKind::Read, 0, BLOCK, 1),
        op(OperationKind::Read, BLOCKS * u64::from(BLOCK), BLOCK, 2),
    ];
    assert_eq!(
        carry_out(engine.as_mut(), &mixed),
        [Err(FailureKind::BadFile), Ok(BLOCK), Ok(0)]
    );
    close(engine);
}
