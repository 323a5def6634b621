//! When does each section start? `startdelay`, which fio counts from its own start.

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::span_ns;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::Nanos;

const SECOND_NS: u64 = 1_000_000_000;

/// The delay of a section in nanoseconds.
///
/// # Errors
/// A range, from which fio draws one value.
pub fn delay_ns(section: &Section) -> Result<u64, PlanError> {
    let delay = section.read("startdelay", |text| {
        let drawn = |why: String| {
            if text.contains('-') {
                format!("'{text}' is a random range in fio; give one time")
            } else {
                why
            }
        };
        span_ns(text, SECOND_NS).map_err(drawn)
    })?;
    Ok(delay.unwrap_or(0))
}

/// Duration of the previous steps. fio counts a delay from its own start, regardless of stonewall: in fio 3.33 a job with startdelay=3 after two seconds of
/// others starts after one more second.
#[derive(Default)]
pub struct Elapsed {
    /// In nanoseconds; missing before the first step, and if unknown.
    known_ns: Option<u64>,
    /// A step came before.
    begun: bool,
}

impl Elapsed {
    /// Sets the delays of the jobs of the next step: what remains of them when it starts.
    pub fn settle(&mut self, group: &mut [(&Section, &mut JobSettings)], remarks: &mut Remarks) {
        let elapsed_ns = self.known_ns.unwrap_or(0);
        for (section, settings) in group.iter_mut() {
            let left_ns = settings.delay_ns.saturating_sub(elapsed_ns);
            if self.begun && self.known_ns.is_none() && settings.delay_ns > 0 {
                let text = "startdelay: fio counts it from its own start; the duration of the previous steps is unknown, so it is counted from the start of this one";
                remarks.add(&section.name, text);
            } else if left_ns < settings.delay_ns {
                let left = Nanos(left_ns);
                remarks.add(
                    &section.name,
                    format!("startdelay: fio counts it from its own start; {left} of it remain after the previous steps"),
                );
            }
            settings.delay_ns = left_ns;
            if left_ns > 0 {
                settings.set(
                    section,
                    "startdelay",
                    "start-delay",
                    Nanos(left_ns).to_string(),
                );
            }
        }
        let length = |settings: &JobSettings| {
            settings
                .time_ns
                .filter(|_| !settings.counts())
                .map(|_| settings.end_ns())
        };
        let longest = group
            .iter()
            .map(|(_, settings)| length(settings))
            .collect::<Option<Vec<u64>>>()
            .and_then(|ends| ends.into_iter().max());
        let before = if self.begun { self.known_ns } else { Some(0) };
        self.known_ns = before
            .zip(longest)
            .map(|(before, length)| before.saturating_add(length));
        self.begun = true;
    }
}
