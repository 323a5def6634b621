//! How is a library shown as a page? Its runs, each with the first sentence of its verdict and a link to its page.

use std::path::{Component, Path};

use plumb_model::run::library::{Library, Listing};
use plumb_run::derived::{derive, write_page};
use plumb_show::report::{IndexedRun, library_html};
use plumb_show::wording::sentence_texts;

use crate::commands::results::import::stored_run;
use crate::streams::{say, words};

/// Maximum number of runs whose verdict is read: reading thousands would take minutes.
const READ_MAX: usize = 200;

/// Writes the index of a library. Errors: another file exists there, or it cannot be written.
pub fn write_index(library: &Library, page: &Path) -> anyhow::Result<()> {
    let runs: Vec<IndexedRun> = library
        .runs
        .iter()
        .enumerate()
        .map(|(place, listing)| IndexedRun {
            listing,
            headline: (place < READ_MAX).then(|| headline(listing)).flatten(),
            page: page_of(listing, page),
        })
        .collect();
    // On a page, '.' is meaningless.
    let absolute = |folder: &String| match std::path::absolute(folder) {
        Ok(absolute) => absolute.display().to_string(),
        Err(_) => folder.clone(),
    };
    let searched = library.searched.iter().map(absolute).collect();
    let library = &Library {
        searched,
        ..library.clone()
    };
    let html = library_html(library, &runs, env!("CARGO_PKG_VERSION"), words());
    write_page(page, &html)?;
    say(&format!("report: {}", page.display()));
    Ok(())
}

/// The first sentence of the verdict; none if the run is no longer readable, or measured nothing, like one of `plumb watch`.
fn headline(listing: &Listing) -> Option<String> {
    let run = stored_run(Path::new(&listing.folder)).ok()?;
    let derived = derive(run);
    let measured = !derived.summary.steps.is_empty();
    measured.then(|| {
        sentence_texts(&derived.summary.verdict, words())
            .into_iter()
            .next()
    })?
}

/// The address of the page of a run, from the folder of the index.
fn page_of(listing: &Listing, index: &Path) -> Option<String> {
    let page = Path::new(&listing.folder).join("report.html");
    let page = page.is_file().then(|| std::path::absolute(page).ok())??;
    let folder = std::path::absolute(index).ok()?.parent()?.to_path_buf();
    relative(&page, &folder)
}

/// The address of a file from a folder, both absolute. None across the drives of Windows.
fn relative(file: &Path, folder: &Path) -> Option<String> {
    let (mut to, mut from) = (file.components().peekable(), folder.components().peekable());
    while to.peek().is_some() && to.peek() == from.peek() {
        to.next();
        from.next();
    }
    let name = |part: Component| match part {
        Component::Normal(name) => Some(encoded(&name.to_string_lossy())),
        _ => None,
    };
    let up = from.map(|_| Some("..".to_string()));
    let parts: Option<Vec<String>> = up.chain(to.map(name)).collect();
    Some(parts?.join("/"))
}

/// A name as a part of an address, percent-encoded.
fn encoded(name: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    name.bytes()
        .map(|byte| match plain(&byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_from_the_index_to_the_pages() {
        for (file, folder, address) in [
            ("/srv/lib/a b/report.html", "/srv/lib", "a%20b/report.html"),
            (
                "/srv/lib/report.html",
                "/home/me",
                "../../srv/lib/report.html",
            ),
            ("/srv/#1/?/report.html", "/srv/x", "../%231/%3F/report.html"),
        ] {
            let found = relative(Path::new(file), Path::new(folder));
            assert_eq!(found.as_deref(), Some(address));
        }
    }
}
