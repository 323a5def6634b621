//! What may stand on fio's command line? Everything: what it means is fio's own.

use std::ffi::OsString;

use clap::Args;

#[derive(Debug, Clone, Default, Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Examples:\n  plumb fio --name=test --rw=randread --bs=4k --iodepth=32 --size=1g --runtime=10 --time_based\n  \
plumb fio --output-format=json --output=result.json nightly.fio\n  ln -s $(command -v plumb) ~/bin/fio\n\n\
plumb fio --help tells fio's options that plumb takes; plumb plans --fio-options those of jobs.\n\
Exit codes are fio's: 0 done, 1 an error, 128 stopped."
)]
pub struct FioArguments {
    /// fio's options, jobs that begin with --name, and job files (- is standard input)
    #[arg(
        value_name = "ARGUMENTS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<OsString>,
}

/// What `--help` prints.
pub const HELP: &str = "\
fio-3.33, carried out by plumb
fio [options] [job options] <job file(s)>
  --output=FILE           Write the result to this file
  --output-format=LIST    normal, terse, json, json+, or several with commas
  --minimal               Terse output
  --append-terse          Terse output after the normal one
  --terse-version=N       2, 3 (default), 4 or 5
  --status-interval=T     Write the whole result so far every T
  --eta=WHEN              auto: the live view; always: fio's line on standard
                          output; never: nothing
  --eta-newline=T         End that line every T
  --eta-interval=T        Write it every T (1 s)
  --section=NAME          Run only this section; may be repeated
  --readonly              Refuse jobs that write or trim
  --parse-only            Read the jobs, and run nothing
  --showcmd               Print a job file as a command line
  --cmdhelp[=OPTION]      The options of jobs, or one with type, default and values
  --enghelp[=ENGINE[,OPTION]]
                          The engines that plumb carries out, and their options
  --trigger-file=FILE     End all jobs when this file appears; it is removed
  --trigger-timeout=T     End all jobs after T
  --trigger=COMMAND       Run this when a trigger has ended the jobs
  --max-jobs=N            Refuse more processes than this
  --warnings-fatal        Refuse what would not be as fio does it
  --aux-path=FOLDER       Make the run folder there
  --version               Print the version of fio whose output this is
plumb's own:
  --allow-exec            Run commands (exec_prerun, exec_postrun, --trigger)
  --overwrite[=PATH]      Files and devices that are there may be overwritten; one
                          that is in use must be named (overwrite=1 is fio's)
  --plumb-output=FOLDER   The run folder
  --plumb-tag=WORD        A word by which the run is found again
  --plumb-no-report       Write no report.html
  --plumb-dry-run         Print the plan, and run nothing
  --plumb-quiet           No word but the result and what goes wrong
";
