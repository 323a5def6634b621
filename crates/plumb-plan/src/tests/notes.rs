//! What do the notes of a plan say?

use crate::{Overrides, PlanFile, PlanKind, resolve};

#[test]
fn a_note_of_swept_steps_stands_once() {
    let text = "name = 'classic'\nnote = 'nothing is dropped from the cache'\n[sweep]\nblock = ['4k', '8k']\n\
        [[step]]\nname = 'write'\nnote = 'no flush'\n[[step]]\nname = 'read'\n[[step]]\nname = 'fread'\nnote = 'stdio'\n[[step]]\nname = 'freread'\nnote = 'stdio'";
    let plan = resolve(
        &PlanFile::parse(text, "t").expect("plan"),
        &Overrides::default(),
        PlanKind::File,
    )
    .expect("resolved");
    let notes = plan.notes();
    let found: Vec<(&str, &str)> = notes
        .iter()
        .map(|(name, note)| (name.as_str(), *note))
        .collect();
    assert_eq!(
        found,
        [
            ("classic", "nothing is dropped from the cache"),
            ("write", "no flush"),
            ("fread, freread", "stdio")
        ]
    );
}
