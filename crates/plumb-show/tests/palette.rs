//! Can readers who are colour-blind tell the series of a figure apart? The colours of the style sheet, seen through the matrices of Machado,
//! Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), severity 1.

use plumb_show::svg::STYLE;

/// Normal sight, and without one of the three kinds of cones.
const SIGHTS: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "normal",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];
/// Distance in CIE L*a*b* that is seen at a glance, also between thin lines (2.3 is just noticeable).
const APART: f64 = 15.0;
/// Least contrast of a line with the paper.
const CONTRAST: f64 = 2.2;

/// The six colours and the paper of each set in the style sheet.
fn sets() -> Vec<(Vec<[f64; 3]>, [f64; 3])> {
    let colour = |set: &str, name: &str| {
        assert!(set.contains(name), "{name}");
        let value = set.split(name).nth(1).unwrap_or_default();
        let hex: String = value.chars().take_while(char::is_ascii_hexdigit).collect();
        let wide = match hex.len() {
            3 => hex.chars().flat_map(|digit| [digit, digit]).collect(),
            _ => hex,
        };
        [0, 2, 4].map(|at| {
            let part = u8::from_str_radix(&wide[at..at + 2], 16)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let share = f64::from(part) / 255.0;
            match share <= 0.04045 {
                true => share / 12.92,
                false => ((share + 0.055) / 1.055).powf(2.4),
            }
        })
    };
    let blocks = STYLE.split("--ink:").skip(1);
    let set = |block: &str| {
        let colours = (0..6).map(|at| colour(block, &format!("--c{at}:#")));
        (colours.collect(), colour(block, "--paper:#"))
    };
    blocks
        .filter(|block| block.contains("--c5:#"))
        .map(|block| set(block.split('}').next().unwrap_or(block)))
        .collect()
}

fn seen(colour: [f64; 3], sight: &[[f64; 3]; 3]) -> [f64; 3] {
    sight.map(|row| {
        let sum: f64 = row.iter().zip(colour).map(|(a, b)| a * b).sum();
        sum.clamp(0.0, 1.0)
    })
}

fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
    let bend = |t: f64| match t > 0.008856 {
        true => t.cbrt(),
        false => 7.787 * t + 16.0 / 116.0,
    };
    let x = bend((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    let y = bend(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = bend((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn colours_are_told_apart_by_everybody_in_light_in_dark_and_on_paper() {
    let sets = sets();
    assert_eq!(
        sets.len(),
        4,
        "light, dark by the system and by choice, paper"
    );
    for (place, (colours, paper)) in sets.iter().enumerate() {
        for (name, sight) in &SIGHTS {
            for (at, one) in colours.iter().enumerate() {
                for (other_at, other) in colours.iter().enumerate().take(at) {
                    let (a, b) = (lab(seen(*one, sight)), lab(seen(*other, sight)));
                    let distance = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
                    assert!(
                        distance >= APART,
                        "set {place}, {name}: c{other_at} and c{at} are {distance:.1} apart"
                    );
                }
            }
        }
        let luminance = |[r, g, b]: [f64; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        for (at, colour) in colours.iter().enumerate() {
            let (a, b) = (luminance(*colour), luminance(*paper));
            let contrast = a.max(b) / a.min(b);
            assert!(contrast >= CONTRAST, "set {place}: c{at} has {contrast:.1}");
        }
    }
}

#[test]
fn twelve_series_have_twelve_looks() {
    let mut hues = plumb_show::figure::Hues::default();
    let mut all: Vec<usize> = (0..12).map(|at| hues.of(&format!("series {at}"))).collect();
    all.sort_unstable();
    assert_eq!(all, (0..12).collect::<Vec<_>>());
    // The second six have the colours of the first: dashes and markers set them apart.
    for hue in 6..12 {
        assert!(STYLE.contains(&format!(".c{hue}")), "c{hue} has a look");
    }
    for look in [
        ".solid:is(.c6",
        ".dashed:is(.c6",
        ".dotted:is(.c6",
        ".bar:is(.c6",
    ] {
        assert!(STYLE.contains(look), "{look}");
    }
}
