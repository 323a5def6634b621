//! How does a bench end? 0 when it reached what it must, 1 when it did not, 2 when it could not be measured.

use std::process::ExitCode;

/// The exit code of what was measured; prints the reason if nothing could be.
pub fn exit_code(measured: Result<bool, String>) -> ExitCode {
    match measured {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(reason) => {
            eprintln!("not measured: {reason}");
            ExitCode::from(2)
        }
    }
}
