//! The contract of importers: each reads its own files, rejects those of others, and survives any damage.

use std::io::BufReader;

use super::*;
use crate::importer::Fixture;

/// Mangled files of each fixture.
const MANGLED: u64 = 1000;

fn imported(name: &str, bytes: &[u8], kind: Option<&Importer>) -> Result<Vec<Run>, ImportError> {
    let mut reader = BufReader::with_capacity(HEAD_BYTES, bytes);
    import(
        &mut Source {
            name,
            reader: &mut reader,
        },
        kind,
    )
}

fn all() -> impl Iterator<Item = (&'static Importer, Fixture)> {
    IMPORTERS.iter().flat_map(|importer| {
        (importer.fixtures)()
            .into_iter()
            .map(|fixture| (*importer, fixture))
    })
}

#[test]
fn each_imports_its_own_files() {
    for importer in IMPORTERS {
        assert!(
            !(importer.fixtures)().is_empty(),
            "{} has no file to show what it does",
            importer.name
        );
    }
    for (importer, fixture) in all() {
        let runs = imported(fixture.name, &fixture.bytes, None)
            .unwrap_or_else(|error| panic!("{}: {}: {error}", importer.name, fixture.name));
        for run in &runs {
            let imported = run
                .header
                .imported
                .as_ref()
                .expect("says where it came from");
            assert_eq!(
                (imported.importer.as_str(), imported.file.as_str()),
                (importer.name, fixture.name)
            );
        }
        (fixture.check)(&runs);
    }
}

#[test]
fn none_recognizes_a_file_of_another() {
    for (importer, fixture) in all() {
        let mut text = Vec::new();
        let decoded = decoded(fixture.bytes.as_slice()).expect("bytes in memory");
        decoded
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut text)
            .expect("bytes in memory");
        let head = Head {
            name: fixture.name,
            bytes: &text,
        };
        let takers: Vec<_> = IMPORTERS
            .iter()
            .filter(|other| (other.recognizes)(&head))
            .map(|other| other.name)
            .collect();
        assert_eq!(takers, [importer.name], "{}", fixture.name);
    }
}

/// Pseudorandom numbers (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as usize % limit.max(1)
    }
}

/// A damaged file: truncated, bits flipped, parts duplicated or lost, numbers enlarged, garbage inserted.
fn mangled(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        let to = (at + dice.below(64)).min(bytes.len());
        match dice.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => bytes
                .splice(at..to, std::iter::repeat_n(b'9', dice.below(40)))
                .for_each(drop),
            4 => bytes
                .splice(at..to, *b"-1e999,\0\xff\xfe;NaN")
                .for_each(drop),
            5 => bytes.splice(at..at, *b"\n").for_each(drop),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
    }
    bytes
}

#[test]
fn thousands_of_mangled_files_neither_panic_nor_hang() {
    for (importer, fixture) in all() {
        let mut dice = Dice(fixture.bytes.len() as u64);
        // A large fixture gets fewer variants, so that the test ends.
        let rounds = (MANGLED * 20_000 / fixture.bytes.len().max(20_000) as u64).max(100);
        for _ in 0..rounds {
            let bytes = mangled(&fixture.bytes, &mut dice);
            if let Ok(runs) = imported(fixture.name, &bytes, Some(importer)) {
                let stays: usize = runs
                    .iter()
                    .map(|run| run.ticks.len() + run.notes.len() + run.readings.len())
                    .sum();
                assert!(
                    stays <= 10_000 + bytes.len(),
                    "{}: {stays} entries out of {} bytes",
                    importer.name,
                    bytes.len()
                );
            }
        }
    }
}

#[test]
fn an_unknown_format_is_refused_with_the_known_ones() {
    let error = imported("notes.txt", b"Dear diary,\n", None)
        .expect_err("no such kind")
        .to_string();
    assert!(
        error.contains("dd") && error.contains("expected"),
        "{error}"
    );
    assert!(by_name("fio-jso").expect_err("no such kind").contains("dd"));
    assert!(imported("empty", b"", None).is_err());
}

/// The root of the repository.
fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn each_is_fuzzed() {
    let fuzz = repository().join("fuzz");
    let listed = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("fuzz/Cargo.toml");
    for name in IMPORTERS.iter().map(|importer| importer.name) {
        let target = fuzz.join(format!("fuzz_targets/{}.rs", name.replace('-', "_")));
        let text = std::fs::read_to_string(&target)
            .unwrap_or_else(|error| panic!("{}: {error}", target.display()));
        assert!(
            text.contains(&format!("import(\"{name}\", bytes)")),
            "{} fuzzes another importer",
            target.display()
        );
        assert!(
            listed.contains(&format!("name = \"{name}\"")),
            "fuzz/Cargo.toml lists no target {name}"
        );
    }
}

/// Inputs that crashed an importer, or are designed to, each in the folder of its importer.
#[test]
fn crash_inputs_are_survived() {
    let folders = std::fs::read_dir(repository().join("testdata/imported/crashes"))
        .expect("testdata/imported/crashes");
    let mut inputs = 0;
    for folder in folders
        .map(|folder| folder.expect("a folder"))
        .filter(|folder| folder.path().is_dir())
    {
        let importer = by_name(&folder.file_name().to_string_lossy())
            .expect("folders have the names of importers");
        for input in std::fs::read_dir(folder.path()).expect("inputs") {
            let bytes = std::fs::read(input.expect("an input").path()).expect("readable");
            let _ = imported("crash", &bytes, Some(importer));
            inputs += 1;
        }
    }
    assert!(inputs > 0, "nothing was tried");
}
