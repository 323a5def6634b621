//! What does a request take on this machine? The time until the socket has all of it, and from when its answer reached the machine until it was taken.

use std::time::{Duration, SystemTime};

use plumb_model::run::histogram::Histogram;
use plumb_model::run::{CommandStages, EngineAccount};

/// Times of one request.
#[derive(Debug, Clone, Copy)]
pub struct RequestTimes {
    /// From laying it out until its complete reply was taken.
    pub response: Duration,
    /// The beginning of that, until the socket had taken its last byte.
    pub send_queue: Option<Duration>,
    /// The end of that, from when the last bytes of its answer reached the machine.
    pub wake_up: Option<Duration>,
}

/// Times of the requests of one command.
#[derive(Debug, Clone, Default)]
pub struct CommandTimes {
    response: Histogram,
    stages: CommandStages,
}

impl CommandTimes {
    /// Counts a request that has its answer.
    pub fn record(&mut self, times: &RequestTimes) {
        let record = |histogram: &mut Histogram, time: Option<Duration>| {
            time.into_iter()
                .for_each(|time| histogram.record(time.as_nanos() as u64));
        };
        record(&mut self.response, Some(times.response));
        record(&mut self.stages.send_queue, times.send_queue);
        record(&mut self.stages.wake_up, times.wake_up);
    }

    /// Puts them under this name, where there were any.
    pub fn report(self, command: &str, account: &mut EngineAccount) {
        if self.response.count() == 0 {
            return;
        }
        if !self.stages.is_empty() {
            account.stages.insert(command.to_string(), self.stages);
        }
        account.commands.insert(command.to_string(), self.response);
    }
}

/// How long ago that was; missing where the wall clock was set back since.
pub fn since_arrival(arrived: Option<SystemTime>) -> Option<Duration> {
    let arrived = arrived?;
    SystemTime::now().duration_since(arrived).ok()
}
