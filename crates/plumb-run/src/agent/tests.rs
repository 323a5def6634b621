//! What a client with the token may not do either.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plumb_load::secret::Secret;

use super::frame::{FrameError, Frames, Sender, within};
use super::noise::{Handshake, hex, unhex};
use super::service::Agent;
use super::serving::{listen, serve};
use super::{Answer, Handshaken, Hello, Login, Opening, Permit, Request, Welcome};

const TOKEN: &str = "a token for tests only";
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs an agent of its own folder while `act` talks to it with the right token.
fn with_agent(act: impl FnOnce(&mut Sender, &mut Frames)) {
    let folder = tempfile::tempdir().expect("folder");
    let permit = Permit::new(&[folder.path().to_path_buf()], &[]).expect("permit");
    let agent = Agent {
        token: Secret::new(TOKEN),
        permit,
        kept: folder.path().to_path_buf(),
        host: "here".into(),
    };
    let (listener, address) = listen(([127, 0, 0, 1], 0).into()).expect("a port");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| serve(&agent, &listener, &stop));
        let stream = TcpStream::connect(address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_millis(250)))
            .expect("timeout");
        let (mut frames, mut sender) = (
            Frames::new(stream.try_clone().expect("descriptor")),
            Sender::new(stream),
        );
        assert!(
            frames
                .next::<Hello>(within(PATIENCE))
                .expect("hello")
                .is_some()
        );
        let mut handshake = Handshake::client(&Secret::new(TOKEN)).expect("handshake");
        sender
            .send(&Opening {
                message: hex(&handshake.write().expect("message")),
            })
            .expect("sent");
        let Some(Handshaken::Message { message }) = frames.next(within(PATIENCE)).expect("answer")
        else {
            panic!("refused")
        };
        handshake
            .read(&unhex(&message).expect("digits"))
            .expect("the same token");
        let seal = Arc::new(handshake.finish().expect("keys"));
        sender.seal(seal.clone());
        frames.seal(seal);
        sender
            .send(&Login {
                rank_of: None,
                plumb_version: "test".into(),
            })
            .expect("sent");
        assert!(matches!(
            frames.next(within(PATIENCE)).expect("welcome"),
            Some(Welcome::Granted { .. })
        ));
        frames.longest = super::frame::FRAME_MAX;
        act(&mut sender, &mut frames);
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn requests_ahead_are_not_queued_without_end() {
    with_agent(|sender, frames| {
        // A look takes a moment; what comes meanwhile waits, a few only.
        for _ in 0..10_000 {
            if sender.send(&Request::Look { target: "/".into() }).is_err() {
                break;
            }
        }
        let mut answers = 0;
        let end = loop {
            match frames.next::<Answer>(within(PATIENCE)) {
                Ok(Some(_)) => answers += 1,
                Ok(None) => panic!("neither an answer nor the end"),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(end, FrameError::Closed | FrameError::Broken(_)),
            "{end}"
        );
        assert!(answers < 10_000, "all were answered");
    });
}

#[test]
fn a_long_message_goes_through_in_parts_and_one_that_is_too_long_ends_the_connection() {
    with_agent(|sender, frames| {
        let mut request = |length: usize| {
            sender
                .send(&Request::Look {
                    target: "x".repeat(length),
                })
                .expect("sent");
            loop {
                match frames.next::<Answer>(within(PATIENCE)) {
                    Ok(Some(Answer::Alive)) => {}
                    other => break other,
                }
            }
        };
        assert!(
            matches!(request(200_000), Ok(Some(Answer::Failed { .. }))),
            "no such path, and the question came whole"
        );
    });
    with_agent(|sender, frames| {
        sender
            .send_raw(u32::MAX.to_be_bytes().to_vec())
            .expect("sent");
        let end = loop {
            match frames.next::<Answer>(within(PATIENCE)) {
                Ok(Some(Answer::Alive)) => {}
                other => break other,
            }
        };
        assert!(matches!(
            end,
            Err(FrameError::Closed | FrameError::Broken(_))
        ));
    });
}
