//! Where do the tests get a server of plumb from? `plumb serve-net` or another verb that tells its port on 127.0.0.1, stopped when it is dropped.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server of plumb that ends when it is dropped, and the address that it tells.
pub struct Served {
    pub child: Child,
    pub port: u16,
}

impl Served {
    /// Starts the command and waits until it says where it listens.
    pub fn start(mut command: Command) -> Served {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("piped"))
            .lines()
            .map_while(Result::ok);
        let port = lines.find_map(|line| {
            let after = line.split_once("127.0.0.1:")?.1;
            let digits = after.split(|end: char| !end.is_ascii_digit()).next()?;
            digits.parse().ok().filter(|port| *port != 0)
        });
        std::thread::spawn(move || lines.for_each(drop));
        Served {
            child,
            port: port.expect("it says where it listens"),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
