//! Which copy program is fast, and which one can be trusted? Every program copies a tree there and back in interleaved rounds, and every copy is compared.

mod daemon;
mod elsewhere;
mod endpoints;
mod programs;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use plumb_analyse::compare::{Entrant, Settings, compare, comparison_plots};
use plumb_analyse::copies::{Copier, copy_table};
use plumb_load::copy::Copying;
use plumb_load::copy::tree::{Timestamps, Tree, TreeShape};
use plumb_load::engine::stop_request::StopRequest;
use plumb_load::secret::Secrets;
use plumb_load::site::{Admission, open_files_limit};
use plumb_model::environment::Environment;
use plumb_model::plan::{Order, Plan, Step};
use plumb_model::results::comparison::{Comparison, ComparisonPlots, compared_metric};
use plumb_model::results::copies::{CopyTable, copy_steps};
use plumb_model::run::Run;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::target::remote::Scheme;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{EngineChoice, Job, Offsets, OperationKind, Weighted, Workload};
use plumb_record::read_run;
use plumb_words::numbers::show_bytes;

use plumb_words::Words;

use crate::derived::published_of;
use crate::live_comparison::{LiveRequest, LiveSide, Measured, measure_sides};
use crate::measurement::{claim_folder, random_number};
use crate::notices::say;
use crate::secrets::Login;
use crate::{Stop, environment, secrets};
use endpoints::{Destination, EndpointOptions, Endpoints, refuse_unreachable};
use programs::{Program, programs};

/// The default tree, if there is room.
const DEFAULT_BYTES: u64 = 1 << 30;
/// Space needed at an endpoint in trees: two at the destination, and one more for fetched or remaining files.
const TREES: u64 = 3;
/// Folder of the source where there is one: a file system in memory, so that the source is not what limits.
const MEMORY: &str = "/dev/shm";
/// Open files for plumb, and for each program with its record: about 28 and 12 are in use at once.
const DESCRIPTORS: u64 = 48;
const DESCRIPTORS_EACH: u64 = 16;
/// What is compared: speed, and CPU per copy.
const METRICS: [&str; 2] = ["bandwidth", "cpu"];

/// What is to be copied, by what, and where to.
pub struct CopyTestRequest {
    /// Programs that are known, or NAME=COMMAND with {from} and {to}; the first is what the others are compared with.
    pub programs: Vec<String>,
    /// Missing: one large file, smaller where there is little room.
    pub tree: Option<TreeShape>,
    /// Folder in which the source is made; missing: memory where there is room, else the folder for temporary files.
    pub from: Option<PathBuf>,
    /// A folder, rsync://host/module, smb://user@host/share, or s3://bucket/prefix; missing: the current folder.
    pub to: Option<String>,
    /// Every program copies to and from an rsync daemon of plumb's own on this machine.
    pub daemon: bool,
    /// Copies of each program in each direction.
    pub rounds: u32,
    /// Rounds continue for at most this long; missing: only the requested ones.
    pub budget: Option<Nanos>,
    /// A program that takes longer for one copy is ended.
    pub timeout: Nanos,
    /// The source is dropped from the page cache before each copy, and each copy before it is compared.
    pub cold: bool,
    /// Lost time stamps are no error.
    pub ignore_times: bool,
    /// Ratios within this (0.05 is 5 %) are the same for all practical purposes.
    pub threshold: f64,
    /// Number that the tree is drawn from; missing: drawn.
    pub seed: Option<u64>,
    pub login: Login,
    /// The folder of all records, which must not exist or be empty; missing: a name of plumb's choice.
    pub output: Option<PathBuf>,
    pub quiet: bool,
    pub tags: Vec<String>,
    /// The language of the live view.
    pub words: Words,
}

/// What came out of a copy test.
pub struct CopiesMeasured {
    pub table: CopyTable,
    pub comparison: Comparison,
    pub plots: ComparisonPlots,
    /// The folder that holds the records of all programs.
    pub folder: PathBuf,
    /// Copies that could not be made, one sentence each.
    pub failures: Vec<String>,
    /// It ended before its time.
    pub interrupted: bool,
}

/// Runs every copy program, and compares. Errors: an invalid program, endpoint or tree; a record that cannot be written.
pub fn measure(request: &CopyTestRequest, stop: &Stop) -> anyhow::Result<CopiesMeasured> {
    let test = CopyTest::settle(request)?;
    if !request.quiet {
        say(&test.announcement());
    }
    let (folder, made) = claim_folder(request.output.as_deref(), "copy-test")?;
    let measured = test.measure(&folder, stop);
    if measured.is_err() {
        // Nothing was measured: the folder is still empty, and ours.
        made.iter()
            .for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    let measured = measured?;
    let runs: Vec<Run> = measured
        .runs
        .iter()
        .map(|run| read_run(run))
        .collect::<Result<_, _>>()?;
    let (table, comparison, plots) = test.compare(&runs);
    Ok(CopiesMeasured {
        table,
        comparison,
        plots,
        folder,
        failures: measured.failures,
        interrupted: measured.interrupted || stop.is_requested(),
    })
}

/// Refuses to begin where plumb and the programs could not open what they need, and what was made could hardly be removed.
fn refuse_few_descriptors(programs: usize) -> anyhow::Result<()> {
    let needed = DESCRIPTORS + DESCRIPTORS_EACH * programs as u64;
    match open_files_limit().filter(|limit| *limit < needed) {
        Some(limit) => bail!(
            "this shell allows {limit} open files, and a copy test of {programs} programs needs {needed}: ulimit -n {needed}, or use fewer programs"
        ),
        None => Ok(()),
    }
}

/// All that is settled before anything is made.
struct CopyTest<'a> {
    request: &'a CopyTestRequest,
    programs: Vec<Program>,
    from: PathBuf,
    to: Destination,
    shape: TreeShape,
    seed: u64,
    secrets: Secrets,
    near: Environment,
    far: Environment,
}

impl<'a> CopyTest<'a> {
    /// Errors: an invalid program, endpoint or tree.
    fn settle(request: &'a CopyTestRequest) -> anyhow::Result<CopyTest<'a>> {
        let programs = programs(&request.programs)?;
        refuse_few_descriptors(programs.len())?;
        let to = Destination::parse(request.to.as_deref().unwrap_or("."))?;
        refuse_unreachable(&programs, &to, request.daemon)?;
        let secrets = match &to {
            Destination::Share(remote) => secrets::gather([remote], &request.login)?,
            _ => Secrets::default(),
        };
        let glance = |target: &Target| {
            let (choice, stop) = (EngineChoice::default(), StopRequest::default());
            environment::glance(target, &secrets, &choice, &stop)
        };
        let far = glance(&to.target()?)?;
        let requested = request.tree.map(TreeShape::bytes);
        let from = match &request.from {
            Some(folder) => folder.clone(),
            None => default_source(requested.unwrap_or(64 << 20)),
        };
        for folder in [
            Some(&from),
            if let Destination::Folder(folder) = &to {
                Some(folder)
            } else {
                None
            },
        ]
        .into_iter()
        .flatten()
        {
            if !folder.is_dir() {
                bail!(
                    "{} is not a folder: name an existing one; plumb creates its own folder in it",
                    folder.display()
                );
            }
        }
        let near = glance(&Target::Path(from.clone()))?;
        let shape = match request.tree {
            Some(shape) => shape,
            None => default_tree(&[&near, &far])?,
        };
        for (environment, folder) in [
            (&near, from.display().to_string()),
            (&far, request.to.clone().unwrap_or_else(|| ".".into())),
        ] {
            let needed = shape.bytes().saturating_mul(TREES);
            if let Some(free) = environment::free_bytes(environment).filter(|free| *free < needed) {
                bail!(
                    "{folder} has {} free, and {shape} needs {}: use a smaller --tree, or another folder",
                    show_bytes(free as f64),
                    show_bytes(needed as f64)
                );
            }
        }
        let seed = request.seed.unwrap_or_else(|| random_number() >> 1);
        Ok(CopyTest {
            request,
            programs,
            from,
            to,
            shape,
            seed,
            secrets,
            near,
            far,
        })
    }

    fn endpoint_names(&self) -> (String, String) {
        let with_system =
            |name: String, environment: &Environment| match environment.text("mount.file_system") {
                Some(system) => format!("{name} ({system})"),
                None => name,
            };
        let to = self.request.to.clone().unwrap_or_else(|| ".".into());
        let complete = match &self.to {
            Destination::Folder(folder) => {
                std::fs::canonicalize(folder).map_or(to, |folder| folder.display().to_string())
            }
            _ => to,
        };
        (
            with_system(self.from.display().to_string(), &self.near),
            with_system(complete, &self.far),
        )
    }

    fn announcement(&self) -> String {
        let (from, to) = self.endpoint_names();
        let bytes =
            self.shape.bytes() as f64 * self.programs.len() as f64 * f64::from(self.request.rounds);
        let names: Vec<&str> = self
            .programs
            .iter()
            .map(|program| program.name.as_str())
            .collect();
        format!(
            "plumb: {} copy {} from {from} to {to} and back, {} rounds each, interleaved; {} are written to the destination in all.\n       \
             Everything that plumb creates on both sides is removed at the end.",
            names.join(", "),
            self.shape,
            self.request.rounds,
            show_bytes(bytes)
        )
    }

    fn measure(&self, folder: &Path, stop: &Stop) -> anyhow::Result<Measured> {
        let endpoints = Endpoints::make(EndpointOptions {
            from: &self.from,
            to: &self.to,
            tree: match &self.to {
                Destination::Share(remote) if remote.scheme == Scheme::S3 => {
                    Tree::lay_out(self.shape, self.seed).without_empty_folders()
                }
                _ => Tree::lay_out(self.shape, self.seed),
            },
            programs: &self.programs,
            daemon: self.request.daemon,
            secrets: &self.secrets,
            stop: stop.flag(),
        })?;
        let sides = self
            .programs
            .iter()
            .enumerate()
            .map(|(side, program)| self.side(side, program, &endpoints));
        let mut live = LiveRequest {
            sides: sides.collect::<anyhow::Result<_>>()?,
            rounds: self.request.rounds,
            budget: self.request.budget.unwrap_or(Nanos(0)),
            settings: self.settings(),
            output: Some(folder.to_path_buf()),
            quiet: self.request.quiet,
            tags: self.request.tags.clone(),
            words: self.request.words,
            view: None,
        };
        measure_sides(&mut live, stop)
    }

    fn settings(&self) -> Settings {
        Settings {
            threshold: self.request.threshold,
            metrics: METRICS
                .iter()
                .filter_map(|id| compared_metric(id))
                .collect(),
            plumb_version: env!("CARGO_PKG_VERSION").into(),
            ..Settings::default()
        }
    }

    fn side(
        &self,
        side: usize,
        program: &Program,
        endpoints: &Endpoints,
    ) -> anyhow::Result<LiveSide> {
        let names = [copy_steps::WRITE, copy_steps::READ];
        let steps: Vec<_> = names
            .iter()
            .map(|step| endpoints.step(side, program, step, self.request.daemon))
            .collect::<anyhow::Result<_>>()?;
        let copying = Copying {
            steps,
            timeout: Some(Duration::from_nanos(self.request.timeout.0)),
            cold: self.request.cold,
            timestamps: match &self.to {
                Destination::Share(_) => Timestamps::Skipped,
                _ if self.request.ignore_times || !program.keeps_times => Timestamps::Reported,
                _ => Timestamps::Required,
            },
        };
        let plan = Plan {
            name: "copy-test".into(),
            title: format!(
                "Measure the speed of copying {} and check that every copy is complete",
                program.name
            ),
            note: String::new(),
            experiment: Some("E3".into()),
            rounds: self.request.rounds,
            order: Order::Interleaved,
            seed: self.seed,
            steady: None,
            steps: names
                .iter()
                .map(|name| self.step(name, program))
                .collect::<anyhow::Result<_>>()?,
            left_out: 0,
        };
        let admission = Admission {
            login: self.secrets.clone().into(),
            ..Admission::default()
        };
        Ok(LiveSide {
            name: program.name.clone(),
            plan,
            admission,
            copying: Some(copying),
        })
    }

    fn step(&self, name: &str, program: &Program) -> anyhow::Result<Step> {
        let (files, bytes_each) = match self.shape {
            TreeShape::Large { files, bytes_each } | TreeShape::Small { files, bytes_each } => {
                (files, bytes_each)
            }
            TreeShape::Mix { bytes } => (1, bytes),
        };
        let workload = Workload {
            mix: Weighted::only(OperationKind::Copy),
            block: Weighted::only(Bytes(bytes_each)),
            offsets: Offsets::Sequential,
            operations: Some(1),
            size: Some(Bytes(self.shape.bytes())),
            files,
            seed: Some(self.seed),
            ..Workload::default()
        };
        let command = if program.command.is_empty() {
            program.name.clone()
        } else {
            program.command.clone()
        };
        let engine = EngineChoice {
            engine: "copy".into(),
            program: command,
            ..EngineChoice::default()
        };
        let job = Job {
            name: String::new(),
            target: self.to.target()?,
            engine,
            workload,
        };
        Ok(Step {
            name: name.into(),
            group: name.into(),
            stands_for: self.stands_for(program),
            jobs: vec![job],
            origins: vec![Default::default()],
            ..Step::default()
        })
    }

    /// The published test of rsync clients: one file, to an rsync daemon and back.
    fn stands_for(&self, program: &Program) -> Vec<String> {
        let command = match program.command.is_empty() {
            true => &program.name,
            false => &program.command,
        };
        let first = command.split_whitespace().next().unwrap_or_default();
        let is_rsync = Path::new(first)
            .file_stem()
            .is_some_and(|name| name == "rsync");
        let to_daemon = self.request.daemon
            || (self.request.to.as_ref()).is_some_and(|to| to.starts_with("rsync://"));
        let one_file = matches!(self.shape, TreeShape::Large { files: 1, .. });
        match is_rsync && to_daemon && one_file {
            true => vec!["rsync with a daemon".into()],
            false => Vec::new(),
        }
    }

    /// Compares the copies.
    fn compare(&self, runs: &[Run]) -> (CopyTable, Comparison, ComparisonPlots) {
        let names = self.programs.iter().map(|program| program.name.clone());
        let entrants: Vec<Entrant> = names
            .zip(runs)
            .map(|(label, run)| Entrant::Run { label, run })
            .collect();
        let mut comparison = compare(&entrants, &self.settings());
        let published: Vec<(&str, &Run)> = self
            .programs
            .iter()
            .map(|program| program.name.as_str())
            .zip(runs)
            .collect();
        comparison.published = published_of("E3", &published);
        let copiers: Vec<Copier> = self
            .programs
            .iter()
            .map(|program| program.name.as_str())
            .zip(runs)
            .collect();
        let table = copy_table(
            &copiers,
            &comparison,
            &self.shape.to_string(),
            self.conditions(),
        );
        let plots = comparison_plots(&entrants, &comparison);
        (table, comparison, plots)
    }

    /// How it was measured, one sentence each.
    fn conditions(&self) -> Vec<Statement> {
        let (from, to) = self.endpoint_names();
        let mut remarks = vec![
            Statement::new("copy-places")
                .name("from", from)
                .name("to", to)
                .name("seed", self.seed.to_string()),
        ];
        remarks.push(
            match (self.request.cold, self.near.text("mount.file_system")) {
                (true, Some("tmpfs" | "ramfs")) => Statement::new("copies-cold-but-for-the-source"),
                (true, _) => Statement::new("copies-cold"),
                (false, _) => Statement::new("copies-not-cold"),
            },
        );
        let daemon = self.request.daemon || self.programs.iter().any(Program::needs_daemon);
        remarks.push(match &self.to {
            Destination::Folder(_) => Statement::new("copies-in-a-folder"),
            Destination::Module(_) => Statement::new("copies-in-a-module"),
            Destination::Share(remote) if remote.scheme == Scheme::S3 => {
                Statement::new("copies-in-a-bucket")
            }
            Destination::Share(_) => Statement::new("copies-on-a-share"),
        });
        if daemon {
            remarks.push(Statement::new("copies-by-a-daemon"));
        }
        remarks
    }
}

/// Default locations of the source.
pub fn source_folders() -> [PathBuf; 2] {
    [PathBuf::from(MEMORY), std::env::temp_dir()]
}

/// Memory where there is room for the source and a copy of it.
fn default_source(bytes: u64) -> PathBuf {
    let [memory, temporary] = source_folders();
    let free = environment::glance(
        &Target::Path(memory.clone()),
        &Secrets::default(),
        &EngineChoice::default(),
        &StopRequest::default(),
    )
    .ok()
    .and_then(|environment| environment::free_bytes(&environment));
    let fits = memory.is_dir() && free.is_some_and(|free| free >= bytes.saturating_mul(TREES));
    if fits { memory } else { temporary }
}

/// One large file: a gigabyte, or less where there is less room.
fn default_tree(endpoints: &[&Environment]) -> anyhow::Result<TreeShape> {
    let free = endpoints
        .iter()
        .filter_map(|folder| environment::free_bytes(folder))
        .min()
        .unwrap_or(u64::MAX);
    let mut bytes = DEFAULT_BYTES;
    // A quarter of the room at most: others need some too.
    while bytes > 1 << 20 && bytes * TREES * 4 > free {
        bytes /= 2;
    }
    if bytes * TREES > free {
        bail!(
            "only {} free, too little for a test: name other folders with --from and --to",
            show_bytes(free as f64)
        );
    }
    Ok(TreeShape::Large {
        files: 1,
        bytes_each: bytes,
    })
}
