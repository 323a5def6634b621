//! How is fio's JSON and JSON+ imported?

#[cfg(test)]
mod tests;

use crate::importer::fio::import;
use crate::importer::{Head, Importer};

pub static IMPORTER: Importer = Importer {
    name: "fio-json",
    program: "fio",
    meaning: "what fio 3 writes with --output-format=json or json+, also with other text around it, in client/server mode, or with --status-interval",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let Some(at) = text.find("\"fio version\"") else {
        return false;
    };
    text[..at].contains('{')
}
