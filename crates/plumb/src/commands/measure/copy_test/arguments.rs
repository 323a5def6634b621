//! Which arguments does `plumb copy-test` have?

use std::path::PathBuf;

use clap::Args;
use plumb_load::copy::tree::TreeShape;
use plumb_model::units::Nanos;
use plumb_run::copy_test::CopyTestRequest;

use crate::arguments::{LoginArguments, parse_percent};
use crate::settings::run_folder;
use crate::streams::words;

const EXAMPLES: &str = "Programs: rsync, rsync-daemon (through an rsync daemon that plumb starts on this host), cp, rclone, smbclient, robocopy,\n\
aws and s5cmd (to a bucket; credentials and endpoint as for plumb itself: AWS_ENDPOINT_URL and so on);\n\
or NAME=COMMAND, where the command copies the content of {from} into {to}, two existing folders; {to} is empty. No shell runs the command: for pipes write sh -c '...'.\n\n\
Examples:\n  plumb copy-test rsync cp\n  plumb copy-test --tree small:10000x4k rsync cp 'tar=sh -c \"tar -C {from} -cf - . | tar -C {to} -xpf -\"'\n  \
plumb copy-test --daemon rsync 'other=/opt/other/bin/rsync -a {from}/ {to}/'\n  plumb copy-test --to rsync://nas/backup rsync\n  \
plumb copy-test --to smb://user@nas/share/folder smbclient\n  plumb copy-test --to s3://bucket/prefix aws s5cmd rclone\n  plumb copy-test --to /mnt/nas --cold --rounds 10 rsync cp\n\n\
Each round copies one tree to the destination (write) and another one back (read), with every program, in random order. After each copy every byte,\n\
name, size and timestamp is compared with the source. The first program is the baseline.\n\
Exit codes: 0 success; 1 a program damaged or lost data, failed, or is slower than the baseline; 2 failure, with a message.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CopyTestArguments {
    /// Known programs, or NAME=COMMAND with {from} and {to}; the first is the baseline
    #[arg(required = true, value_name = "PROGRAM")]
    pub programs: Vec<String>,
    /// Files to copy: large:1g or large:4x1g, small:10000x4k, or mix:1g (sizes, nested folders, unusual names) [default: large:1g, less if space is short]
    #[arg(long, value_name = "TREE")]
    pub tree: Option<TreeShape>,
    /// Folder for the source and for the copies back [default: /dev/shm if it has room, else the folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    pub from: Option<PathBuf>,
    /// Destination: a folder, rsync://host/module, smb://user@host/share, or s3://bucket/prefix [default: the current folder]
    #[arg(long, value_name = "PLACE")]
    pub to: Option<String>,
    /// Copy to and from an rsync daemon that plumb starts on this host; {from} or {to} is its address
    #[arg(long)]
    pub daemon: bool,
    /// Copies of each program in each direction
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Maximum time for extra rounds, until the confidence intervals are narrow enough [default: no extra rounds]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Stop a program if one copy takes longer than this
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub timeout: Nanos,
    /// Drop the source from the page cache before each copy, and each copy before it is checked, so that reads and writes reach the storage
    #[arg(long)]
    pub cold: bool,
    /// Report lost timestamps without failing
    #[arg(long)]
    pub ignore_times: bool,
    /// Treat differences up to this as equal
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Seed of the file tree [default: drawn, and recorded]
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
    /// Also write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Folder for the records of all programs and the report; must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Show no live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// Tag for finding the runs later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

impl CopyTestArguments {
    /// The request for the copy test.
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
