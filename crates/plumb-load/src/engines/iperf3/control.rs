//! What does the control connection to an `iperf3 -s` carry? States of one byte, and parameters and results as JSON.
//!
//! The protocol is iperf3's own (iperf_api.h, iperf_client_api.c, iperf_server_api.c of version 3.12; the same since 3.1): the client opens a control
//! connection and sends a cookie; the server drives the test by states. Data connections start with the same cookie.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use serde_json::{Value, json};

use crate::peer::dial::{Unreached, dial};

/// Length of a cookie with the zero at its end (COOKIE_SIZE of iperf.h).
const COOKIE_BYTES: usize = 37;
/// A server answers within this.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server that still works on an earlier test is waited for.
const BUSY: Duration = Duration::from_secs(3);
/// How long it may be without a listener.
const REOPENING: Duration = Duration::from_secs(2);
/// Results of more streams than this end of the protocol has do not take more.
const RESULTS_BYTES_MAX: u32 = 4 << 20;

/// States of iperf_api.h.
mod state {
    pub const TEST_START: i8 = 1;
    pub const TEST_RUNNING: i8 = 2;
    pub const TEST_END: i8 = 4;
    pub const PARAM_EXCHANGE: i8 = 9;
    pub const CREATE_STREAMS: i8 = 10;
    pub const SERVER_TERMINATE: i8 = 11;
    pub const CLIENT_TERMINATE: i8 = 12;
    pub const EXCHANGE_RESULTS: i8 = 13;
    pub const DISPLAY_RESULTS: i8 = 14;
    pub const IPERF_DONE: i8 = 16;
    pub const ACCESS_DENIED: i8 = -1;
    pub const SERVER_ERROR: i8 = -2;
}

/// What a test is to be like.
#[derive(Debug, Clone)]
pub struct Parameters {
    pub remote: Remote,
    /// Streams on which this end sends; the server numbers them first.
    pub sending: u32,
    /// Streams on which the server sends; as many as the others, where there are both.
    pub receiving: u32,
    pub block_bytes: u32,
    /// 0: the system's own.
    pub window_bytes: u32,
    pub no_delay: bool,
    /// An upper limit of the test's length; the client ends it before.
    pub time_s: u64,
}

impl Parameters {
    /// Streams of both directions.
    pub fn streams(&self) -> usize {
        self.sending as usize + self.receiving as usize
    }

    /// Whether this end sends on a stream, by its number.
    pub fn sends(&self, number: usize) -> bool {
        number < self.sending as usize
    }
}

/// What one stream of this end counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct StreamCount {
    pub bytes: u64,
    /// Missing on the side that receives, and if the system does not report it.
    pub retransmits: Option<u64>,
}

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ServerAccount {
    /// Of the streams on which this end sends.
    pub bytes_received: u64,
    /// Of those on which the server sends.
    pub bytes_sent: u64,
    /// Of the latter; missing where there are none, and if the server does not report it.
    pub retransmits: Option<u64>,
    /// CPU use over the test in percent of one CPU.
    pub cpu_user_percent: Option<f64>,
    pub cpu_system_percent: Option<f64>,
}

/// The control connection of one test.
pub struct Control {
    stream: TcpStream,
    cookie: [u8; COOKIE_BYTES],
    parameters: Parameters,
    ended: bool,
}

impl Control {
    /// Opens a test: the server then waits for the data connections.
    ///
    /// # Errors
    /// Nobody is there, it is no iperf3 server, or it has another test or denies this one.
    pub fn open(parameters: Parameters) -> Result<Control, Unreached> {
        let address = parameters.remote.host_and_port();
        let begun = Instant::now();
        loop {
            let stream = match dial(&parameters.remote, 0, true, PATIENCE, "'iperf3 -s'") {
                // A server closes its listener between two tests, for a moment.
                Err(_) if begun.elapsed() < REOPENING => {
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                }
                dialled => dialled?,
            };
            let mut control = Control {
                stream,
                cookie: cookie(),
                parameters: parameters.clone(),
                ended: false,
            };
            let state = control
                .stream
                .set_read_timeout(Some(PATIENCE))
                .and_then(|()| control.stream.set_write_timeout(Some(PATIENCE)))
                .and_then(|()| control.stream.write_all(&control.cookie));
            state.map_err(|error| control.silent(&error))?;
            let first = match control.read_state() {
                // One that takes the streams of another test just now closes what shows another cookie; one that is between two tests denies access.
                Err(error) if is_closed(&error) && begun.elapsed() < BUSY => {
                    Ok(state::ACCESS_DENIED)
                }
                other => other,
            };
            match first.map_err(|error| control.silent(&error))? {
                state::PARAM_EXCHANGE => {
                    control.exchange_parameters()?;
                    return Ok(control);
                }
                // A server needs a moment between two tests.
                state::ACCESS_DENIED if begun.elapsed() < BUSY => {
                    control.ended = true;
                    std::thread::sleep(Duration::from_millis(200));
                }
                state::ACCESS_DENIED => {
                    control.ended = true;
                    return Err(Unreached(
                        Statement::new("iperf3-is-busy").name("place", &address),
                    ));
                }
                other => return Err(control.unexpected(other)),
            }
        }
    }

    fn exchange_parameters(&mut self) -> Result<(), Unreached> {
        let Parameters {
            sending,
            receiving,
            block_bytes,
            window_bytes,
            no_delay,
            time_s,
            ..
        } = self.parameters;
        let mut test_parameters = json!({
            "tcp": true, "omit": 0, "time": time_s, "num": 0, "blockcount": 0, "parallel": sending.max(receiving), "len": block_bytes,
            "nodelay": no_delay, "pacing_timer": 1000, "client_version": "3.12",
        });
        match (sending, receiving) {
            (_, 0) => {}
            (0, _) => test_parameters["reverse"] = true.into(),
            // Known to servers since version 3.7.
            (_, _) => test_parameters["bidirectional"] = true.into(),
        }
        if window_bytes > 0 {
            test_parameters["window"] = window_bytes.into();
        }
        self.send_json(&test_parameters)
            .map_err(|error| self.silent(&error))?;
        match self.next_state()? {
            state::CREATE_STREAMS => Ok(()),
            state::ACCESS_DENIED => {
                self.ended = true;
                Err(Unreached(
                    Statement::new("iperf3-denies-access").name("place", self.address()),
                ))
            }
            other => Err(self.unexpected(other)),
        }
    }

    /// Opens one data connection. The order in which they are opened is the order of the streams: those on which this end sends come first
    /// (iperf_create_streams of iperf_client_api.c).
    ///
    /// # Errors
    /// The server does not take it.
    pub fn open_stream(&self) -> Result<TcpStream, Unreached> {
        let Parameters {
            remote,
            window_bytes,
            no_delay,
            ..
        } = &self.parameters;
        let mut stream = dial(remote, *window_bytes, *no_delay, PATIENCE, "'iperf3 -s'")?;
        stream
            .write_all(&self.cookie)
            .map_err(|error| self.silent(&error))?;
        Ok(stream)
    }

    /// Waits until the server has all streams and the test runs.
    ///
    /// # Errors
    /// An unexpected reply, or none.
    pub fn start(&mut self) -> Result<(), Unreached> {
        loop {
            match self.next_state()? {
                state::TEST_START => {}
                state::TEST_RUNNING => return Ok(()),
                other => return Err(self.unexpected(other)),
            }
        }
    }

    /// Ends the test and exchanges results.
    ///
    /// # Errors
    /// The server has gone, or its results cannot be read.
    pub fn end(&mut self, counts: &[StreamCount]) -> Result<ServerAccount, Unreached> {
        self.ended = true;
        let gone = |control: &Control, error: io::Error| control.silent(&error);
        self.stream
            .write_all(&[state::TEST_END as u8])
            .map_err(|error| gone(self, error))?;
        match self.next_state()? {
            state::EXCHANGE_RESULTS => {}
            other => return Err(self.unexpected(other)),
        }
        self.send_json(&results(counts, &self.parameters))
            .map_err(|error| gone(self, error))?;
        let account = self
            .receive_json()
            .map_err(|error| gone(self, error))
            .map(|results| server_account(&results, &self.parameters))?;
        // The results are here; how the server takes its leave is its own affair.
        let _ = self
            .next_state()
            .map(|state| state == state::DISPLAY_RESULTS);
        let _ = self.stream.write_all(&[state::IPERF_DONE as u8]);
        Ok(account)
    }

    fn read_state(&mut self) -> io::Result<i8> {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).map(|()| byte[0] as i8)
    }

    fn next_state(&mut self) -> Result<i8, Unreached> {
        self.read_state().map_err(|error| self.silent(&error))
    }

    fn send_json(&mut self, value: &Value) -> io::Result<()> {
        let text = value.to_string();
        self.stream.write_all(&(text.len() as u32).to_be_bytes())?;
        self.stream.write_all(text.as_bytes())
    }

    fn receive_json(&mut self) -> io::Result<Value> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        if length > RESULTS_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("results of {length} bytes"),
            ));
        }
        let mut text = vec![0; length as usize];
        self.stream.read_exact(&mut text)?;
        serde_json::from_slice(&text)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn address(&self) -> String {
        self.parameters.remote.host_and_port()
    }

    fn silent(&self, error: &io::Error) -> Unreached {
        self.foreign(match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Statement::new("it-said-nothing").time_ns("time", PATIENCE.as_nanos() as f64)
            }
            _ if is_closed(error) => Statement::new("it-closed-the-connection"),
            _ => Statement::verbatim(error.to_string()),
        })
    }

    fn foreign(&self, what: Statement) -> Unreached {
        Unreached(
            Statement::new("listener-is-no-iperf3")
                .name("place", self.address())
                .part("what", what),
        )
    }

    fn unexpected(&mut self, state: i8) -> Unreached {
        match state {
            state::SERVER_ERROR => {
                let mut numbers = [0; 8];
                let read = self.stream.read_exact(&mut numbers);
                self.ended = true;
                self.refused(read.ok().map(|()| numbers))
            }
            state::SERVER_TERMINATE => {
                self.ended = true;
                Unreached(Statement::new("iperf3-was-ended").name("place", self.address()))
            }
            other => self.foreign(
                Statement::new("it-answered-out-of-turn").name("state", other.to_string()),
            ),
        }
    }

    /// The server cannot carry out the test; `numbers`: its error and the system's.
    fn refused(&self, numbers: Option<[u8; 8]>) -> Unreached {
        let number = |at: usize| {
            numbers?
                .get(at..)?
                .first_chunk()
                .map(|bytes| i32::from_be_bytes(*bytes))
        };
        Unreached(match number(0).zip(number(4)) {
            None => Statement::new("iperf3-cannot-carry-it-out").name("place", self.address()),
            Some((number, errno)) => Statement::new("iperf3-cannot-carry-it-out-because")
                .name("place", self.address())
                .name("number", number.to_string())
                .name("error", io::Error::from_raw_os_error(errno).to_string()),
        })
    }
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

impl Drop for Control {
    fn drop(&mut self) {
        if !self.ended {
            // A server that is notified is ready for the next test at once.
            let _ = self.stream.write_all(&[state::CLIENT_TERMINATE as u8]);
        }
    }
}

/// A random cookie: the server identifies tests by it (make_cookie of iperf_util.c).
fn cookie() -> [u8; COOKIE_BYTES] {
    use std::hash::{BuildHasher, Hasher};
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut cookie = [0; COOKIE_BYTES];
    for letter in &mut cookie[..COOKIE_BYTES - 1] {
        // The keys of each new hasher come from the system's source of randomness.
        *letter = LETTERS[(std::hash::RandomState::new().build_hasher().finish() % 32) as usize];
    }
    cookie
}

/// The number that iperf3 gives a stream, by its index from 0: 1, 3, 4, 5, ... (iperf_add_stream of iperf_api.c).
fn id_of(index: usize) -> u64 {
    if index == 0 { 1 } else { index as u64 + 2 }
}

/// What this end counted, as iperf3 wants it (send_results of iperf_api.c).
fn results(counts: &[StreamCount], parameters: &Parameters) -> Value {
    let streams: Vec<Value> = counts
        .iter()
        .enumerate()
        .map(|(index, count)| {
            let retransmits = count.retransmits.map_or(-1, |count| i64::try_from(count).unwrap_or(i64::MAX));
            json!({ "id": id_of(index), "bytes": count.bytes, "retransmits": retransmits, "jitter": 0, "errors": 0, "packets": 0 })
        })
        .collect();
    let sending = &counts[..counts.len().min(parameters.sending as usize)];
    let tells = !sending.is_empty() && sending.iter().all(|count| count.retransmits.is_some());
    json!({
        "cpu_util_total": 0.0, "cpu_util_user": 0.0, "cpu_util_system": 0.0,
        "sender_has_retransmits": if tells { 1 } else { -1 }, "streams": streams,
    })
}

fn server_account(results: &Value, parameters: &Parameters) -> ServerAccount {
    let streams = results["streams"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let percent = |name: &str| {
        results[name]
            .as_f64()
            .filter(|percent| percent.is_finite() && *percent >= 0.0)
    };
    let retransmits = |stream: &&Value| {
        stream["retransmits"]
            .as_i64()
            .and_then(|count| u64::try_from(count).ok())
    };
    let of = |places: std::ops::Range<usize>| -> Vec<&Value> {
        let is_one = |stream: &&Value| {
            stream["id"]
                .as_u64()
                .is_some_and(|id| places.clone().any(|index| id_of(index) == id))
        };
        streams.iter().filter(is_one).collect()
    };
    let bytes = |streams: &[&Value]| {
        streams
            .iter()
            .filter_map(|stream| stream["bytes"].as_u64())
            .sum()
    };
    let sending = parameters.sending as usize;
    let (taken, sent) = (of(0..sending), of(sending..parameters.streams()));
    ServerAccount {
        bytes_received: bytes(&taken),
        bytes_sent: bytes(&sent),
        retransmits: sent
            .iter()
            .map(retransmits)
            .sum::<Option<u64>>()
            .filter(|_| !sent.is_empty()),
        cpu_user_percent: percent("cpu_util_user"),
        cpu_system_percent: percent("cpu_util_system"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(sending: u32, receiving: u32) -> Parameters {
        let remote = "iperf3://127.0.0.1".parse().expect("an address");
        Parameters {
            remote,
            sending,
            receiving,
            block_bytes: 1,
            window_bytes: 0,
            no_delay: true,
            time_s: 1,
        }
    }

    #[test]
    fn cookies_are_letters_and_differ() {
        let (one, other) = (cookie(), cookie());
        assert_ne!(one, other);
        assert!(one[..36].iter().all(u8::is_ascii_alphanumeric) && one[36] == 0);
    }

    #[test]
    fn streams_have_the_numbers_that_the_server_gave_them() {
        let counts = [
            StreamCount {
                bytes: 5,
                retransmits: Some(1),
            },
            StreamCount::default(),
            StreamCount::default(),
        ];
        let value = results(&counts, &parameters(3, 0));
        let ids: Vec<u64> = value["streams"]
            .as_array()
            .expect("streams")
            .iter()
            .filter_map(|stream| stream["id"].as_u64())
            .collect();
        assert_eq!(ids, [1, 3, 4]);
        assert_eq!(
            (
                &value["streams"][1]["retransmits"],
                &value["sender_has_retransmits"]
            ),
            (&json!(-1), &json!(-1))
        );
        let both = results(&counts[..2], &parameters(1, 1));
        assert_eq!(
            both["sender_has_retransmits"],
            json!(1),
            "of the streams that this end sends on"
        );
    }

    #[test]
    fn what_the_server_does_not_report_is_missing() {
        let results = json!({ "cpu_util_user": 2.5, "cpu_util_system": 40.0, "streams": [
            { "id": 1, "bytes": 10, "retransmits": 1 }, { "id": 3, "bytes": 5, "retransmits": 2 } ] });
        let cpu = ServerAccount {
            cpu_user_percent: Some(2.5),
            cpu_system_percent: Some(40.0),
            ..ServerAccount::default()
        };
        let received = ServerAccount {
            bytes_sent: 15,
            retransmits: Some(3),
            ..cpu
        };
        assert_eq!(server_account(&results, &parameters(0, 2)), received);
        assert_eq!(
            server_account(&results, &parameters(2, 0)),
            ServerAccount {
                bytes_received: 15,
                ..cpu
            }
        );
        let both = ServerAccount {
            bytes_received: 10,
            bytes_sent: 5,
            retransmits: Some(2),
            ..cpu
        };
        assert_eq!(server_account(&results, &parameters(1, 1)), both);
        let silent = json!({ "streams": [{ "id": 1, "bytes": 10, "retransmits": -1 }] });
        assert_eq!(
            server_account(&silent, &parameters(0, 1)),
            ServerAccount {
                bytes_sent: 10,
                ..ServerAccount::default()
            }
        );
        assert_eq!(
            server_account(&json!("nonsense"), &parameters(1, 0)),
            ServerAccount::default()
        );
    }
}
