//! What do the workers of all jobs on one iperf3 server share? One test with a stream for each of them; it ends with the last.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::control::{Control, Parameters, ServerAccount, StreamCount};
use crate::peer::dial::Unreached;

/// The tests of a step: one for each server.
#[derive(Default)]
pub struct Tests(Mutex<BTreeMap<String, Arc<Test>>>);

impl Tests {
    /// The test on the server that the parameters name; the first that comes opens it with all its streams, and it begins.
    ///
    /// # Errors
    /// The server does not take it.
    pub fn join(&self, parameters: &Parameters) -> Result<Arc<Test>, Unreached> {
        let mut tests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = parameters.remote.host_and_port();
        if let Some(test) = tests.get(&address) {
            return Ok(test.clone());
        }
        let test = Arc::new(Test::open(parameters)?);
        tests.insert(address, test.clone());
        Ok(test)
    }
}

/// The test that the workers of a step share.
pub struct Test(Mutex<TestState>);

/// How far it has come.
struct TestState {
    control: Control,
    started: Instant,
    /// Streams that no worker has taken yet, by their numbers.
    idle: BTreeMap<usize, TcpStream>,
    left: usize,
    counts: Vec<StreamCount>,
    /// Streams of workers that have left. A server that finds one of them closed before the test has ended aborts the test.
    resting: Vec<TcpStream>,
}

impl Test {
    fn open(parameters: &Parameters) -> Result<Test, Unreached> {
        let mut control = Control::open(parameters.clone())?;
        let numbers = 0..parameters.streams();
        let idle = numbers
            .map(|number| Ok((number, control.open_stream()?)))
            .collect::<Result<BTreeMap<_, _>, Unreached>>()?;
        control.start()?;
        let counts = vec![StreamCount::default(); parameters.streams()];
        Ok(Test(Mutex::new(TestState {
            control,
            started: Instant::now(),
            idle,
            left: 0,
            counts,
            resting: Vec::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, TestState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next stream of a direction, and its number; `None` when all are taken.
    pub fn take(&self, parameters: &Parameters, sends: bool) -> Option<(TcpStream, usize)> {
        let mut state = self.lock();
        let number = state
            .idle
            .keys()
            .copied()
            .find(|number| parameters.sends(*number) == sends)?;
        state.idle.remove(&number).map(|stream| (stream, number))
    }

    /// Takes a stream's counts; with the last of them the test ends. Returns the server's account and the length of the test then.
    pub fn leave(
        &self,
        number: usize,
        count: StreamCount,
        stream: Option<TcpStream>,
    ) -> Option<Result<(ServerAccount, Duration), Unreached>> {
        let mut state = self.lock();
        if let Some(address) = state.counts.get_mut(number) {
            *address = count;
        }
        state.resting.extend(stream);
        state.left += 1;
        if state.left < state.counts.len() {
            return None;
        }
        let length = state.started.elapsed();
        let counts = std::mem::take(&mut state.counts);
        let account = state.control.end(&counts);
        state.resting.clear();
        Some(account.map(|account| (account, length)))
    }
}
