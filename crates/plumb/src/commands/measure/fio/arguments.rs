//! Which arguments does `plumb fio` have? Those of fio, which plumb-plan parses.

use std::ffi::OsString;

use clap::Args;

#[derive(Debug, Clone, Default, Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Examples:\n  plumb fio --name=test --rw=randread --bs=4k --iodepth=32 --size=1g --runtime=10 --time_based\n  \
plumb fio --output-format=json --output=result.json nightly.fio\n  ln -s $(command -v plumb) ~/bin/fio\n\n\
plumb fio --help lists the supported command-line options; plumb plans --fio-options lists those of jobs.\n\
Exit codes are fio's: 0 success, 1 error, 128 stopped."
)]
pub struct FioArguments {
    /// Options of fio, jobs that begin with --name, and job files (- is standard input)
    #[arg(
        value_name = "ARGUMENTS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<OsString>,
}

/// The text of `--help`, with VERSION for that of fio.
pub const HELP: &str = "\
fio-VERSION, run by plumb
fio [options] [job options] <job file(s)>
  --output=FILE           Write the result to this file
  --output-format=LIST    normal, terse, json, json+, or several with commas
  --minimal               Terse output
  --append-terse          Terse output after the normal one
  --terse-version=N       2, 3 (default), 4 or 5
  --status-interval=T     Write the complete result so far every T
  --eta=WHEN              auto: live view; always: fio's status line on
                          standard output; never: none
  --eta-newline=T         Start a new status line every T
  --eta-interval=T        Write the status line every T (1 s)
  --section=NAME          Run only this section; may be repeated
  --readonly              Refuse jobs that write or trim
  --parse-only            Parse the jobs, and run nothing
  --showcmd               Print a job file as a command line
  --cmdhelp[=OPTION]      List the job options, or one with type, default and values
  --enghelp[=ENGINE[,OPTION]]
                          List the supported engines and their options
  --trigger-file=FILE     Stop all jobs when this file appears; remove the file
  --trigger-timeout=T     Stop all jobs after T
  --trigger=COMMAND       Run this command after a trigger stopped the jobs
  --max-jobs=N            Refuse more processes than this
  --warnings-fatal        Refuse options that would behave differently from fio
  --aux-path=FOLDER       Create the run folder in this folder
  --version               Print the fio version of this output
plumb's own:
  --allow-exec            Run commands (exec_prerun, exec_postrun, --trigger)
  --overwrite[=PATH]      Allow overwriting existing files and devices; name one
                          that is in use (overwrite=1 is fio's own option)
  --plumb-as=VERSION      Version of fio in whose form results and verified blocks
                          are written: 3.33 (default) or 3.42 (the block header
                          of fio 3.41 and later); also PLUMB_FIO_AS
  --plumb-output=FOLDER   Run folder to create
  --plumb-tag=WORD        Tag for finding the run later
  --plumb-no-report       Do not write report.html
  --plumb-dry-run         Print the plan, and run nothing
  --plumb-notes=WHEN      Print plumb's notes on standard error after the result:
                          always or never [default: if it is a terminal]; also
                          PLUMB_FIO_NOTES
  --plumb-quiet           Print only the result and errors
Environment:
  PLUMB_FIO_RECORD        Folder for run folders, or off [default: plumb/fio in the
                          user's data folder; the newest 200, at most 1 GiB]
";
