//! Which options does a measurement of layers have?

use std::path::PathBuf;

use plumb_model::units::Nanos;

use plumb_words::Words;

use crate::secrets::Login;

/// Which layers are to be measured, and how.
pub struct LayersRequest {
    /// A built-in plan or a plan file of reads and writes.
    pub plan: String,
    /// A block device or array; `none` leaves out the one that is found under `files`.
    pub device: Option<String>,
    /// Directories.
    pub files: Vec<String>,
    /// The other end of the network: an address, `loopback`, `agent` or `none`; missing: the loopback for a share on this machine, the agent where there is one.
    pub network: Option<String>,
    /// Addresses of shares.
    pub share: Vec<String>,
    /// The files are measured through the page cache too; so they are where there is a share.
    pub cached: bool,
    /// Layers that were measured before and will stand beside these.
    pub measured_before: usize,
    /// Agents that measure the network and the share at once, each with its part of the load; empty: this machine is the client.
    pub clients: Vec<String>,
    /// The agent that measures device and files on its machine, and the file with its token and that of the clients.
    pub agent: Option<String>,
    pub token_file: Option<PathBuf>,
    /// Block and depth of the streams, bytes in use on each layer, and the time of each step; as text of the plan's keys.
    pub block: Option<String>,
    pub depth: Option<String>,
    pub size: Option<String>,
    pub time: Option<String>,
    /// Any other keys of the plan.
    pub set: Vec<(String, String)>,
    /// At least so many rounds of each layer.
    pub rounds: u32,
    /// No round begins that would probably end after this; missing: five minutes.
    pub budget: Option<Nanos>,
    /// Ratios within this (0.05 is 5 %) are the same for all practical purposes.
    pub threshold: f64,
    /// Devices and files whose content may be destroyed.
    pub overwrite: Vec<PathBuf>,
    pub login: Login,
    /// The folder of all runs, which must not exist or be empty; missing: a name of plumb's choice.
    pub output: Option<PathBuf>,
    pub quiet: bool,
    pub tags: Vec<String>,
    /// The language of the live view.
    pub words: Words,
}
