//! Did the device see what we asked for? Its own counters against our count.

use crate::chart::{
    Chart, Subject, any_value, rate_scale, span_marks, time_axis, timed_lines, timed_table,
};
use crate::figure::{Axis, Figure, Hues, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "device_over_time",
    question: "Did the device see what we asked for?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let (device, over_time) = (&subject.drawings.device_iops, &subject.drawings.over_time);
    if !any_value(&device.iter().collect::<Vec<_>>()) {
        return None;
    }
    // Operations on files by name reach the device as something else: only blocks are comparable.
    let mut ours: Vec<_> = over_time
        .iops
        .iter()
        .filter(|line| line.name == "read" || line.name == "write")
        .cloned()
        .collect();
    ours.iter_mut()
        .for_each(|line| line.name = format!("plumb's {}s", line.name));
    let mut hues = Hues::default();
    // The device's counters run through the whole run: no breaks between the steps. Ours lie on top, or they could not be seen where both agree.
    let asked = timed_lines(&ours, &over_time.spans, Stroke::Dashed, &mut hues);
    let mut drawn = timed_lines(device, &[], Stroke::Solid, &mut hues);
    drawn.extend(asked);
    let (scale, stalls) = rate_scale(&mut drawn);
    let label = if scale == Scale::Linear {
        "operations per second"
    } else {
        "operations per second (logarithmic)"
    };
    let names: Vec<&str> = device.iter().map(|line| line.name.as_str()).collect();
    Some(Figure {
        name: CHART.name,
        title: "The device's own count".into(),
        caption: format!(
            "Solid: what the device counted itself; dashed: what plumb asked for. The device counts less when a cache answers or \
             requests are merged, more when they are split or when others use the device too.{stalls}"
        ),
        x: time_axis(),
        y: Axis {
            label: label.into(),
            quantity: Quantity::OperationsPerSecond,
            scale,
        },
        marks: span_marks(&over_time.spans).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: format!(
            "Operations per second by the device's own counters ({}) beside plumb's.",
            names.join(", ")
        ),
        table: timed_table(
            &device.iter().collect::<Vec<_>>(),
            Quantity::OperationsPerSecond,
        ),
    })
}
