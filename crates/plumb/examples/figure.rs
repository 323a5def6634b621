//! How does one figure of a stored run become an SVG file? `cargo run --example figure -- FOLDER NAME >figure.svg`; without a name it lists those there are.

use plumb_show::chart::Subject;
use plumb_show::charts::CHARTS;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let Some(folder) = words.next() else {
        anyhow::bail!("usage: figure FOLDER [NAME]")
    };
    let run = plumb_record::read_run(std::path::Path::new(&folder))?;
    let summary = plumb_analyse::summarise(&run);
    let plots = plumb_analyse::plots(&run, &summary);
    let subject = Subject {
        run: &run,
        summary: &summary,
        plots: &plots,
        words: plumb_words::Words::english(),
    };
    let figures: Vec<_> = CHARTS
        .iter()
        .filter_map(|chart| (chart.figure)(&subject))
        .collect();
    let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
    match words.next() {
        None => println!("{}", names.join("\n")),
        Some(name) => match figures.iter().find(|figure| figure.name == name) {
            Some(figure) => print!("{}", plumb_show::svg::standalone(figure)),
            None => anyhow::bail!(
                "{folder} has no figure {name}: choose one of {}",
                names.join(", ")
            ),
        },
    }
    Ok(())
}
