//! How is one request sent at a time, and its reply awaited?

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;

use super::buffers::Blocks;
use super::connection::{Answer, Connection};
use super::message::Call;
use super::results::Failure;

/// How long one answer may take outside of a measurement. A disk that has to spin up first takes 10 s.
const ANSWER: Duration = Duration::from_secs(30);
/// How often and after which pause a request is repeated if the server asks for a retry later.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// Token of requests that are sent one at a time.
const QUESTION: u64 = u64::MAX;

/// One request; `read` parses its reply. A request that the server wants repeated later is repeated for a while.
pub(super) fn exchange<T>(
    connection: &mut Connection,
    blocks: &mut Blocks,
    build: impl Fn(&mut Call),
    mut read: impl FnMut(&Connection, &Answer) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let begun = Instant::now();
    loop {
        let mut call = connection.call();
        build(&mut call);
        connection.send(call, QUESTION, None)?;
        let mut answer = await_answer(connection, blocks)?;
        while answer.token != QUESTION && begun.elapsed() < ANSWER + PATIENCE {
            // To a request that was given up.
            answer = await_answer(connection, blocks)?;
        }
        if answer.token != QUESTION {
            return Err(unanswered(begun.elapsed()));
        }
        match read(connection, &answer) {
            Err(Failure::Status(status)) if status.means_retry() && begun.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE)
            }
            result => return result,
        }
    }
}

/// Sends what is to be sent, and waits for the next answer.
pub(super) fn await_answer(
    connection: &mut Connection,
    blocks: &mut Blocks,
) -> Result<Answer, Failure> {
    let begun = Instant::now();
    loop {
        connection.push(blocks)?;
        if let Some(answer) = connection.next_answer(blocks)? {
            return Ok(answer);
        }
        if begun.elapsed() > ANSWER {
            return Err(unanswered(ANSWER));
        }
        connection.wait(PAUSE)?;
    }
}

fn unanswered(time: Duration) -> Failure {
    Failure::Connection(Statement::new("nfs-no-answer").time_ns("time", time.as_nanos() as f64))
}
