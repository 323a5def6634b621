//! Which words does `plumb copy-test` take?

use std::path::PathBuf;

use clap::Args;
use plumb_load::copy::tree::TreeShape;
use plumb_model::units::Nanos;
use plumb_run::copy_test::CopyTestRequest;

use crate::arguments::{LoginArguments, parse_percent};
use crate::settings::run_folder;
use crate::streams::words;

const EXAMPLES: &str = "Programs: rsync, rsync-daemon (through an rsync daemon of its own on this machine), cp, rclone, smbclient, robocopy;\n\
or NAME=COMMAND, where the command copies what is in {from} into {to}, two folders that exist; {to} is empty. No shell is between: for pipes write sh -c '...'.\n\n\
Examples:\n  plumb copy-test rsync cp\n  plumb copy-test --tree small:10000x4k rsync cp 'tar=sh -c \"tar -C {from} -cf - . | tar -C {to} -xpf -\"'\n  \
plumb copy-test --daemon rsync 'other=/opt/other/bin/rsync -a {from}/ {to}/'\n  plumb copy-test --to rsync://nas/backup rsync\n  \
plumb copy-test --to smb://user@nas/share/folder smbclient\n  plumb copy-test --to /mnt/nas --cold --rounds 10 rsync cp\n\n\
Each round copies the tree to the destination (write) and another one back from there (read), with every program, in an order drawn anew; after each copy every byte,\n\
name, size and time stamp is compared with the source. The first program is the baseline.\n\
Exit codes: 0 done; 1 a program damaged or lost something, failed, or is slower than the first; 2 not done, with a message that says why.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CopyTestArguments {
    /// Programs that are known, or NAME=COMMAND with {from} and {to}; the first is what the others are compared with
    #[arg(required = true, value_name = "PROGRAM")]
    pub programs: Vec<String>,
    /// What is copied: large:1g or large:4x1g, small:10000x4k, or mix:1g (sizes, nested folders, awkward names) [default: large:1g, less where there is little room]
    #[arg(long, value_name = "TREE")]
    pub tree: Option<TreeShape>,
    /// Folder in which the source is made and to which is copied back [default: /dev/shm where there is room, else the folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    pub from: Option<PathBuf>,
    /// Where it is copied to: a folder, rsync://host/module, or smb://user@host/share [default: the current folder]
    #[arg(long, value_name = "PLACE")]
    pub to: Option<String>,
    /// Every program copies to and from an rsync daemon of plumb's own on this machine: {from} or {to} is its address
    #[arg(long)]
    pub daemon: bool,
    /// Rounds: copies of each program in each direction
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Go on with more rounds for at most this long, until the intervals are narrow [default: the rounds asked for, and no more]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// End a program that takes longer than this for one copy
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub timeout: Nanos,
    /// Drop the source from the page cache before each copy, and each copy before it is compared: what was read and written went through the storage
    #[arg(long)]
    pub cold: bool,
    /// Lost time stamps are told, but are no error
    #[arg(long)]
    pub ignore_times: bool,
    /// Differences within this are the same for all practical purposes
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Number that the tree is drawn from [default: drawn, and recorded]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub login: LoginArguments,
    /// Print Markdown, for a pull request or a ticket
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print the table as JSON (`plumb schema copies`)
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file too
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// The folder for the records of all programs and the report; it must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// No live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// A word by which the runs are found again (`plumb list --tag`). May be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

impl CopyTestArguments {
    /// What is to be measured.
    pub fn request(&self) -> CopyTestRequest {
        CopyTestRequest {
            programs: self.programs.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            output: run_folder(self.output.as_ref(), "copy-test"),
            tags: self.tags.clone(),
            tree: self.tree,
            daemon: self.daemon,
            rounds: self.rounds,
            budget: self.budget,
            timeout: self.timeout,
            cold: self.cold,
            ignore_times: self.ignore_times,
            threshold: self.threshold,
            seed: self.seed,
            quiet: self.quiet,
            login: self.login.login(),
            words: words(),
        }
    }
}
