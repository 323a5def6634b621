//! Are changes found where another implementation finds them, a planted one within a run, and none where nothing changed?
//!
//! Expected places are those of Apache Otava 0.8.0 (NumPy 2.2.0, SciPy 1.16.3) on the logarithms of the series:
//! `otava.analysis.compute_change_points(list(numpy.log(series)), window_len=50, max_pvalue=0.001, min_magnitude=0.0)`.

use super::*;

/// The method as `plumb trend` uses it.
const PARAMETERS: Parameters = Parameters {
    window: 50,
    p_value_max: 0.001,
    distance_min: 0.0,
    stretch_min: 3,
};

/// Otava's own examples (tests/analysis_test.py).
const OTAVA_1: &[f64] = &[
    1.02, 0.95, 0.99, 1.0, 1.12, 1.0, 1.01, 0.98, 1.01, 0.96, 0.5, 0.51, 0.48, 0.48, 0.55, 0.5,
    0.49, 0.51, 0.5, 0.49,
];
const OTAVA_2: &[f64] = &[
    2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.8, 1.76, 1.78,
];
/// Drawn with numpy.random.default_rng(20261122): log-normal noise of 3 % (4 %, 5 %) around 1000 with the steps that the names say.
const STEP_OF_10_PERCENT: &[f64] = &[
    996.6, 1047.6, 1029.5, 1006.7, 958.3, 944.2, 1036.2, 1025.0, 941.9, 1018.9, 930.9, 1030.4,
    1021.3, 1029.4, 986.8, 1020.9, 992.2, 958.6, 914.9, 913.0, 904.6, 906.9, 883.8, 900.3, 891.4,
    873.5, 876.6, 898.3, 845.9, 895.0,
];
const THERE_AND_BACK: &[f64] = &[
    1042.1, 1046.0, 1016.2, 1016.2, 987.8, 1008.5, 984.0, 1028.6, 984.7, 952.9, 961.0, 974.5,
    1035.9, 947.5, 1028.4, 996.3, 984.0, 1017.3, 1074.8, 1007.6, 1001.9, 1006.6, 1141.0, 1177.0,
    1108.9, 1115.5, 1141.5, 1169.5, 1098.2, 1115.4, 1089.1, 1143.1, 1124.1, 1161.0, 1146.7, 1117.5,
    1200.3, 1170.9, 1131.7, 1113.6, 1139.4, 1041.6, 958.6, 966.5, 974.3, 1000.0, 1034.6, 1013.8,
    1004.9, 1008.5, 972.2, 1008.8, 997.7, 993.4, 1046.7, 987.4, 995.4, 963.9, 959.5, 1037.5,
];
const THREE_LEVELS: &[f64] = &[
    965.8, 968.8, 911.6, 993.8, 948.9, 1001.1, 1025.5, 994.4, 1011.7, 1015.8, 992.3, 975.7, 1002.6,
    995.4, 1062.1, 1105.1, 1084.8, 952.2, 1030.2, 893.2, 985.1, 989.8, 1040.7, 1015.0, 978.8,
    925.0, 974.5, 965.8, 929.5, 992.6, 964.0, 974.6, 1014.1, 1000.0, 996.8, 1189.5, 1207.3, 1151.6,
    1193.6, 1159.8, 1182.3, 1226.4, 1153.4, 1136.8, 1172.3, 1219.1, 1177.9, 1140.3, 1287.3, 1238.2,
    1175.7, 1262.0, 1081.3, 1130.3, 1183.8, 1243.9, 1227.8, 1163.2, 1272.1, 1241.3, 1256.8, 1221.1,
    1228.5, 1178.3, 1186.6, 1184.7, 1233.3, 1131.8, 1196.9, 1222.4, 1283.1, 1192.9, 1226.6, 1237.0,
    1201.0, 1164.9, 1173.0, 1270.6, 1209.5, 1144.0, 1180.0, 1139.5, 1187.4, 1187.5, 1189.9, 1213.9,
    1191.4, 1198.9, 1247.1, 1196.7, 864.5, 982.5, 890.6, 908.9, 911.6, 1001.3, 963.4, 953.5, 911.7,
    947.1, 1003.2, 976.5, 947.9, 964.1, 947.2, 924.3, 946.8, 913.0, 971.5, 948.9, 906.3, 1052.1,
    946.3, 974.6, 956.7, 940.4, 994.5, 959.1, 922.5, 1009.5,
];
const NOTHING: &[f64] = &[
    928.7, 1009.6, 1096.4, 1029.3, 965.5, 1006.9, 987.7, 994.7, 1035.0, 1016.4, 1050.3, 1001.4,
    983.4, 1045.9, 945.4, 1051.2, 899.8, 1029.1, 925.0, 969.2, 1014.0, 1001.7, 1064.9, 965.7,
    1022.8, 960.2, 932.8, 977.3, 946.2, 1024.4, 980.6, 1034.9, 967.8, 957.0, 1044.9, 949.3, 1027.5,
    982.5, 992.2, 923.8,
];

fn logarithms(series: &[f64]) -> Vec<f64> {
    series.iter().map(|value| value.ln()).collect()
}

fn near(got: f64, expect: f64, part: f64) {
    assert!((got / expect - 1.0).abs() <= part, "{got} is not {expect}");
}

#[test]
fn changes_are_where_otava_finds_them() {
    let check = |series: &[f64], expected: &[usize]| {
        let found: Vec<usize> = change_points(&logarithms(series), &PARAMETERS)
            .iter()
            .map(|change| change.index)
            .collect();
        assert_eq!(found, expected);
    };
    check(OTAVA_1, &[10]);
    check(OTAVA_2, &[4]);
    check(STEP_OF_10_PERCENT, &[18]);
    check(THERE_AND_BACK, &[22, 41]);
    check(THREE_LEVELS, &[35, 90]);
    check(NOTHING, &[]);
}

#[test]
fn divergence_is_that_of_otava() {
    // PairDistanceCalculator(x).get_candidate_change_point(slice(0, len(x))) of the first fifty values: index and qhat.
    let check = |series: &[f64], index: usize, divergence: f64| {
        let values = logarithms(&series[..series.len().min(50)]);
        let best = PairDistances::of(&values)
            .best_division(0, values.len(), 1)
            .expect("a division");
        assert_eq!(best.at, index);
        near(best.divergence, divergence, 1e-9);
    };
    check(OTAVA_1, 10, 6.501832297376034);
    check(OTAVA_2, 4, 0.52538524060934);
    check(STEP_OF_10_PERCENT, 18, 1.1339933678512435);
    check(THERE_AND_BACK, 22, 1.856828551700519);
    check(THREE_LEVELS, 35, 2.9149208299046605);
    check(NOTHING, 16, 0.16822836244582862);
}

#[test]
fn probabilities_are_those_of_scipy() {
    // Student's sleep data: scipy.stats.ttest_ind(SLEEP_1, SLEEP_2), as in R's documentation of t.test with var.equal = TRUE.
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    near(p_value(&first, &second), 0.07918671421593822, 1e-9);
    // The whole p-value, recomputed with NumPy and scipy.stats.t.sf from the formulas in the comments.
    let of = |series: &[f64], index: usize| change_points(&logarithms(series), &PARAMETERS)[index];
    near(
        of(STEP_OF_10_PERCENT, 0).p_value,
        1.0167128460966621e-08,
        1e-6,
    );
    near(of(OTAVA_2, 0).p_value, 6.142978610875911e-05, 1e-6);
    near(of(THERE_AND_BACK, 1).p_value, 4.1917867844909616e-14, 1e-6);
    let change = of(STEP_OF_10_PERCENT, 0);
    near(
        (change.after - change.before).exp(),
        0.8936192976345381,
        1e-9,
    );
}

#[test]
fn small_changes_short_stretches_and_single_runs_far_off_are_none() {
    let least = Parameters {
        distance_min: 1.05f64.ln(),
        ..PARAMETERS
    };
    let step = |ratio: f64, from: usize| -> Vec<f64> {
        (0..30)
            .map(|run| {
                0.002 * f64::from(run % 3)
                    + if run as usize >= from {
                        f64::ln(ratio)
                    } else {
                        0.0
                    }
            })
            .collect()
    };
    assert_eq!(
        change_points(&step(1.04, 15), &least).len(),
        0,
        "within the practical threshold"
    );
    assert_eq!(
        change_points(&step(1.04, 15), &PARAMETERS).len(),
        1,
        "but there"
    );
    assert_eq!(
        change_points(&step(1.5, 29), &least).len(),
        0,
        "one run is no stretch"
    );
    assert_eq!(
        change_points(&step(1.5, 27), &least)[0].index,
        27,
        "three are"
    );
    for position in [0, 1, 50, 97, 99] {
        let mut lonely: Vec<f64> = (0..100).map(|run| 0.002 * f64::from(run % 3)).collect();
        lonely[position] += 1.0;
        assert_eq!(
            change_points(&lonely, &least),
            [],
            "one run far off, at {position}"
        );
    }
}

#[test]
fn nothing_to_look_at_is_no_failure() {
    let series: [&[f64]; 5] = [
        &[],
        &[1.0],
        &[1.0, 2.0],
        &[0.0; 100],
        &[
            f64::MAX / 1e10,
            -f64::MAX / 1e10,
            1.0,
            2.0,
            3.0,
            4.0,
            5.0,
            6.0,
        ],
    ];
    for values in series {
        assert_eq!(change_points(values, &PARAMETERS), [], "{values:?}");
    }
    // Without any scatter a step is certain.
    let certain = change_points(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0], &PARAMETERS);
    assert_eq!(
        certain,
        [Change {
            index: 4,
            before: 1.0,
            after: 2.0,
            distance: 1.0,
            p_value: 0.0
        }]
    );
}

/// Seeded noise with standard deviation 1.
struct Noise {
    random: crate::synthetic::Random,
    last: f64,
}

impl Noise {
    fn new(seed: u64) -> Noise {
        Noise {
            random: crate::synthetic::Random(seed),
            last: 0.0,
        }
    }

    /// Box and Muller, "A Note on the Generation of Random Normal Deviates", Annals of Mathematical Statistics 29, 1958.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.random.next_share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random.next_share()).cos()
    }

    /// Student's t with three degrees of freedom: single runs are often far off, to either side.
    fn heavy(&mut self) -> f64 {
        let square = (0..3).map(|_| self.normal().powi(2)).sum::<f64>() / 3.0;
        self.normal() / square.sqrt() / 3f64.sqrt()
    }

    /// Log-normal: far off to one side only.
    fn skewed(&mut self) -> f64 {
        (self.normal().exp() - 1.648_72) / 2.161_2
    }

    /// Each run resembles the one before.
    fn autoregressive(&mut self, coefficient: f64) -> f64 {
        self.last =
            coefficient * self.last + (1.0 - coefficient * coefficient).sqrt() * self.normal();
        self.last
    }

    /// One run in ten is slow.
    fn hiccups(&mut self) -> f64 {
        if self.random.next_share() < 0.1 {
            3.0 + 0.3 * self.normal()
        } else {
            0.3 * self.normal()
        }
    }
}

/// Series that show a change or a drift although nothing changed, of 1,000.
fn false_alarms(runs: usize, mut noise: impl FnMut(&mut Noise) -> f64) -> usize {
    let mut random = Noise::new(7 + runs as u64);
    let mut alarm = || {
        let series: Vec<f64> = (0..runs).map(|_| 0.05 * noise(&mut random)).collect();
        let line = crate::statistics::straight_line::straight_line(&series).expect("a line");
        let drifts =
            line.p_value < PARAMETERS.p_value_max && (line.last - line.first).abs() > 1.05f64.ln();
        drifts
            || !change_points(
                &series,
                &Parameters {
                    distance_min: 1.05f64.ln(),
                    ..PARAMETERS
                },
            )
            .is_empty()
    };
    (0..1000).filter(|_| alarm()).count()
}

#[test]
fn chance_rarely_makes_a_change() {
    type Draw = fn(&mut Noise) -> f64;
    let noises: [(&str, Draw, [usize; 3]); 6] = [
        // Most alarms in 1,000 series of 10, 30 and 100 runs.
        ("normal", Noise::normal, [5, 5, 5]),
        ("heavy", Noise::heavy, [5, 5, 10]),
        (
            "autoregressive 0.3",
            |noise| noise.autoregressive(0.3),
            [20, 30, 20],
        ),
        // The known weak spots: much resemblance in a short series, and runs that are far off to one side only.
        (
            "autoregressive 0.6",
            |noise| noise.autoregressive(0.6),
            [60, 70, 30],
        ),
        ("skewed", Noise::skewed, [5, 8, 35]),
        ("hiccups", Noise::hiccups, [5, 12, 30]),
    ];
    for (name, noise, most) in noises {
        let found = [10, 30, 100].map(|runs| false_alarms(runs, noise));
        eprintln!("{name}: {found:?} alarms in 1,000 series of 10, 30 and 100 runs");
        assert!(
            found.iter().zip(most).all(|(found, most)| *found <= most),
            "{name}: {found:?} of 1000, at most {most:?}"
        );
    }
}

/// Series of 300 in which a step of 10 % at this run is found within one run of it.
fn hits(runs: usize, at: usize, scatter: f64) -> usize {
    let mut noise = Noise::new(11);
    let parameters = Parameters {
        distance_min: 1.05f64.ln(),
        ..PARAMETERS
    };
    let mut hit = || {
        let series: Vec<f64> = (0..runs)
            .map(|run| scatter * noise.normal() + if run < at { 0.0 } else { 0.9f64.ln() })
            .collect();
        change_points(&series, &parameters)
            .iter()
            .any(|change| change.index.abs_diff(at) <= 1)
    };
    (0..300).filter(|_| hit()).count()
}

#[test]
fn a_planted_step_of_10_percent_is_found() {
    for (runs, at, scatter, least) in [
        (30, 15, 0.02, 290),
        (30, 27, 0.02, 265),
        (100, 50, 0.02, 297),
        (100, 95, 0.02, 290),
        (100, 50, 0.05, 240),
        (30, 15, 0.05, 140),
    ] {
        let found = hits(runs, at, scatter);
        eprintln!("{found} of 300 steps at run {at} of {runs}, scatter {scatter}");
        assert!(
            found >= least,
            "{found} of 300 steps at run {at} of {runs}, scatter {scatter}; at least {least}"
        );
    }
}
