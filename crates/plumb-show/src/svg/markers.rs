//! How are lines distinguished without color? Each hue has its own marker.

use std::fmt::Write;

use super::drawing::px;
use crate::escape::escape;
use crate::figure::HUES;

/// Number of colors; the second half of the hues repeats them, with hollow markers and other dashes.
const COLOURS: usize = HUES / 2;

/// The marker of a hue at a position, with a hover text (may be empty).
pub(super) fn marker(hue: usize, place: (f64, f64), radius: f64, hover: &str) -> String {
    let class = match hue < COLOURS {
        true => "dot",
        false => "dot open",
    };
    let mut out = format!(
        "<path class=\"{class} c{hue}\" d=\"{}\"",
        shape(hue, place, radius)
    );
    let _ = match hover.is_empty() {
        true => write!(out, "/>"),
        false => write!(out, "><title>{}</title></path>", escape(hover)),
    };
    out
}

/// A circle, a square, a triangle up, a diamond, a triangle down, or a cross, all of about one area.
fn shape(hue: usize, (x, y): (f64, f64), radius: f64) -> String {
    let at = |dx: f64, dy: f64| format!("{},{}", px(x + dx * radius), px(y + dy * radius));
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners.iter().map(|(dx, dy)| at(*dx, *dy)).collect();
        format!("M{}z", corners.join("L"))
    };
    match hue % COLOURS {
        0 => {
            let (r, across) = (px(radius), px(2.0 * radius));
            format!(
                "M{}a{r},{r} 0 1 0 {across},0a{r},{r} 0 1 0 -{across},0z",
                at(-1.0, 0.0)
            )
        }
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => polygon(&[(-1.15, -0.9), (1.15, -0.9), (0.0, 1.2)]),
        _ => polygon(&[
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_markers_are_alike() {
        let all: Vec<String> = (0..HUES)
            .map(|hue| {
                let text = marker(hue, (10.0, 10.0), 4.0, "");
                text.replace(&format!(" c{hue}"), "")
            })
            .collect();
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{one}");
        }
    }
}
