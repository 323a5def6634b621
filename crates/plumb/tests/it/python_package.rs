//! Does the Python package say what the program says? Its own tests, by a Python with pandas.

use std::path::Path;

use crate::export::consumer;

#[test]
fn the_python_package_says_what_the_program_says() {
    let Some(python) = consumer("python3") else {
        return;
    };
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/python");
    let place = tempfile::tempdir().expect("a folder");
    let ended = std::process::Command::new(python)
        .arg(package.join("tests/test_plumbline.py"))
        .env("PLUMB", env!("CARGO_BIN_EXE_plumb"))
        .env("PYTHONPATH", &package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(place.path())
        .output()
        .expect("started");
    let [out, err] = [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text));
    println!("{out}");
    assert!(ended.status.success(), "{err}");
}
