//! What does the command `plumb` do? This is the table of contents: one file for each verb.
//!
//! ```text
//! plumb check --quick        # ten seconds of load, a verdict
//! plumb check                # a minute, a verdict and a page
//! ```

// The documentation of an argument is its help text, where [X] is what may be left out.
#![allow(rustdoc::broken_intra_doc_links)]

mod arguments;
mod cli;
mod commands;
mod full_screen;
mod language;
mod listen_at;
mod outcome;
mod preferences;
mod selection;
mod settings;
mod streams;
mod suggestion;
mod system;
mod verb_groups;
mod version;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;
use plumb_run::{STOPPED_BY_USER, secrets};

use cli::{Cli, Verb};
use commands::Outcome;

fn main() -> ExitCode {
    // If this fails, reaching the limit ends the program, as usual; continue anyway.
    let _ = system::take_file_size_limit_as_error();
    streams::show_notices();
    if let Err(refusal) = system::ALLOCATOR.check() {
        streams::say(&format!("plumb: {refusal}"));
        return ExitCode::from(2);
    }
    let arguments = command_line(std::env::args_os().collect());
    if let Some(refusal) = secrets::on_command_line(&arguments) {
        streams::say(&format!("plumb: {refusal}"));
        return ExitCode::from(2);
    }
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(refusal) => {
            streams::say(&format!("plumb: {refusal}"));
            return ExitCode::from(2);
        }
    };
    let variable = |name: &str| std::env::var(name).ok();
    let preferred = preferences::read(system::config_file().as_deref(), variable);
    let language = preferred.and_then(|preferred| {
        let language = language::chosen(cli.language, preferred.language, variable)?;
        let units = cli.units.or(preferred.units);
        units.into_iter().for_each(plumb_words::numbers::write_in);
        settings::prefer(preferred);
        Ok(language)
    });
    match language {
        Ok(language) => streams::speak(language),
        Err(refusal) => {
            streams::say(&format!("plumb: {refusal}"));
            return ExitCode::from(2);
        }
    }
    let outcome = match cli.verb {
        Verb::Check(arguments) => commands::measure::check::check(&arguments),
        Verb::Run(arguments) => commands::measure::run::run(&arguments),
        Verb::Fio(arguments) => commands::measure::fio::fio(&arguments),
        Verb::Compare(arguments) => commands::results::compare::compare(&arguments),
        Verb::CopyTest(arguments) => commands::measure::copy_test::copy_test(&arguments),
        Verb::Find(arguments) => commands::measure::find::find(&arguments),
        Verb::Replay(arguments) => commands::measure::replay::replay(&arguments),
        Verb::Layers(arguments) => commands::measure::layers::layers(&arguments),
        Verb::Agent(arguments) => commands::peer::agent::agent(&arguments),
        Verb::Launch(arguments) => commands::measure::launch::launch_on_hosts(&arguments),
        Verb::Trace(arguments) => commands::observe::trace::trace(&arguments),
        Verb::Why(arguments) => commands::observe::why::why(&arguments),
        Verb::Explain(arguments) => commands::observe::trace::explain::explain(&arguments),
        Verb::Watch(arguments) => commands::observe::watch::watch(&arguments),
        Verb::Report(arguments) => commands::results::report::report(&arguments),
        Verb::Trend(arguments) => commands::results::trend::trend(&arguments),
        Verb::List(arguments) => commands::results::list::list(&arguments),
        Verb::Plans(arguments) => commands::plans::plans(&arguments),
        Verb::Doctor(arguments) => commands::observe::doctor::doctor(&arguments),
        Verb::ServeNet(arguments) => commands::peer::serve_net::serve_net(&arguments),
        Verb::Serve(arguments) => commands::results::serve::serve(&arguments),
        Verb::Import(arguments) => commands::results::import::import(&arguments),
        Verb::Export(arguments) => commands::results::export::export(&arguments),
        Verb::Share(arguments) => commands::results::share::share(&arguments),
        Verb::Show(arguments) => commands::results::show::show(&arguments),
        Verb::Clean(arguments) => commands::clean::clean(&arguments),
        Verb::Schema(arguments) => commands::schema::schema(&arguments),
        Verb::Config(_) => commands::config::config(),
        Verb::Completions(arguments) => {
            commands::completions::completions(&arguments, Cli::command())
        }
        Verb::Manual(arguments) => commands::manual::manual(&arguments, Cli::command()),
    };
    ExitCode::from(match exit_code(outcome) {
        2 if outcome::was_stopped_by_user() => STOPPED_BY_USER,
        code => code,
    })
}

/// The command line: `plumb fio` if called by the name fio, whose arguments stay unchanged.
fn command_line(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().map(PathBuf::from);
    let is_fio = name.is_some_and(|name| name.file_stem().is_some_and(|stem| stem == "fio"));
    if is_fio {
        arguments.insert(1, "fio".into());
    }
    if arguments.get(1).is_some_and(|verb| verb == "fio") {
        // After two dashes there are no options of plumb.
        arguments.insert(2, "--".into());
        return arguments;
    }
    settings::join_optional_values(arguments.into_iter())
}

/// The exit code of an outcome; prints an error.
fn exit_code(outcome: anyhow::Result<Outcome>) -> u8 {
    match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Severe) => 1,
        Ok(Outcome::NotDone) => 2,
        Ok(Outcome::Code(code)) => code,
        // The reader of the output has closed it (`plumb plans | head -1`): not an error.
        Err(error) if streams::is_closed_pipe(&error) => 0,
        Err(error) => {
            let cause = if system::ALLOCATOR.ran_out() {
                "; out of memory (check ulimit -v)"
            } else {
                ""
            };
            streams::say(&format!("plumb: {error:#}{cause}"));
            2
        }
    }
}
