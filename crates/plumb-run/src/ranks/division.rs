//! Which jobs of a plan does one rank carry out, and on whose files? Each rank finds it out by itself, from where all ranks are.

use plumb_model::plan::{Plan, Step};
use plumb_model::run::ranks::Placement;
use plumb_model::target::Target;
use plumb_model::workload::{Job, RankSharing};

/// The part of one rank in a plan.
pub struct Division {
    /// The plan with the jobs of this rank; a step in which it has none is without jobs.
    pub plan: Plan,
    /// The number in the full plan of each of these jobs, by step.
    numbers: Vec<Vec<u32>>,
    /// By step: of the ranks of its host that have a job this one is the first.
    is_first_of_host: Vec<bool>,
}

impl Division {
    /// The part of a rank. Seeds are settled.
    pub fn of(full: &Plan, rank: u32, ranks: &Placement) -> Division {
        let sets = sets_of_files(full, ranks);
        let mut plan = full.clone();
        let mut numbers = Vec::new();
        for (at, step) in plan.steps.iter_mut().enumerate() {
            let of_step = std::mem::take(&mut step.jobs);
            let mut origins = std::mem::take(&mut step.origins).into_iter();
            let mut kept = Vec::new();
            let shared_with = host_shared_with(&of_step, rank, ranks);
            for (number, mut job) in of_step.into_iter().enumerate() {
                let origin = origins.next();
                let members = job.workload.members(ranks);
                if !members.contains(&rank) || !is_carried_out(&full.steps[at], ranks) {
                    continue;
                }
                let set = sets.iter().enumerate();
                let mut set = set.filter(|(_, set)| set.jobs.contains(&(at, number)));
                if let Some((set, files)) = set.next() {
                    let files = (set as u32, files.maker);
                    job.workload.place.among = job.workload.place_of(rank, ranks, files);
                }
                job.workload.place.host_shared_with = shared_with;
                kept.push(number as u32);
                step.jobs.push(job);
                step.origins.extend(origin);
            }
            numbers.push(kept);
        }
        let is_first_of_host = full.steps.iter();
        let is_first_of_host = is_first_of_host.map(|step| first_of_host(step, rank, ranks));
        Division {
            is_first_of_host: is_first_of_host.collect(),
            plan,
            numbers,
        }
    }

    /// The numbers in the full plan of the jobs of this rank in a step.
    pub fn jobs(&self, step: usize) -> &[u32] {
        self.numbers.get(step).map_or(&[], Vec::as_slice)
    }

    /// True if this rank reports the load of its host in a step.
    pub fn reports_for_host(&self, step: usize) -> bool {
        self.is_first_of_host.get(step).copied().unwrap_or_default()
    }

    /// The number of one of them.
    pub fn number(&self, step: usize, job: u32) -> u32 {
        let number = self.jobs(step).get(job as usize);
        number.copied().unwrap_or(job)
    }

    /// True when this rank makes files that others share.
    pub fn makes_files_of_others(&self) -> bool {
        let mut jobs = self.plan.steps.iter().flat_map(|step| &step.jobs);
        jobs.any(|job| {
            job.workload
                .place
                .among
                .is_some_and(|among| among.makes_files)
        })
    }

    /// The plan in the rank's record: a step without a job for it is kept in full, and is not run.
    pub fn recorded(&self, full: &Plan) -> Plan {
        let mut plan = self.plan.clone();
        for (step, planned) in plan.steps.iter_mut().zip(&full.steps) {
            if step.jobs.is_empty() {
                step.clone_from(planned);
            }
        }
        plan
    }
}

/// Of the ranks of one host that have a job in the step, `rank` is the first.
fn first_of_host(step: &Step, rank: u32, ranks: &Placement) -> bool {
    let on_host = ranks.beside(rank);
    let jobs = step.jobs.iter().flat_map(|job| job.workload.members(ranks));
    jobs.filter(|member| on_host.contains(member)).min() == Some(rank)
}

/// Workers that other ranks of the rank's host have for these jobs.
fn host_shared_with(jobs: &[Job], rank: u32, ranks: &Placement) -> u32 {
    let on_host = ranks.beside(rank);
    let is_other = |member: &u32| *member != rank && on_host.contains(member);
    let of_job = |job: &Job| {
        let others = job.workload.members(ranks).into_iter().filter(is_other);
        (others.count() as u32).saturating_mul(job.workload.workers)
    };
    jobs.iter().map(of_job).fold(0, u32::saturating_add)
}

/// False for a step that requires more hosts than there are.
pub fn is_carried_out(step: &Step, ranks: &Placement) -> bool {
    let mut jobs = step.jobs.iter();
    jobs.all(|job| {
        let workload = &job.workload;
        workload.on_ranks.is_there(ranks) && !workload.members(ranks).is_empty()
    })
}

/// Number of steps that require more hosts than there are.
pub fn left_out(plan: &Plan, ranks: &Placement) -> usize {
    let steps = plan.steps.iter();
    steps.filter(|step| !is_carried_out(step, ranks)).count()
}

/// True when ranks share files in the step: they wait for those of whom makes these ready.
pub fn shares_files(step: &Step) -> bool {
    let mut jobs = step.jobs.iter();
    jobs.any(|job| job.workload.ranks == RankSharing::Together)
}

/// Files that ranks share.
struct SetOfFiles<'a> {
    of: (&'a Target, Option<String>),
    /// Step and number of each job that works on them.
    jobs: Vec<(usize, usize)>,
    /// The lowest rank that has such a job.
    maker: u32,
}

fn sets_of_files<'a>(plan: &'a Plan, ranks: &Placement) -> Vec<SetOfFiles<'a>> {
    let mut sets: Vec<SetOfFiles<'a>> = Vec::new();
    let steps = plan.steps.iter().enumerate();
    let steps = steps.filter(|(_, step)| is_carried_out(step, ranks));
    let jobs = steps.flat_map(|(at, step)| {
        let numbered = step.jobs.iter().enumerate();
        numbered.map(move |(number, job)| ((at, number), job))
    });
    let shared = jobs.filter(|(_, job)| job.workload.ranks == RankSharing::Together);
    for (at, job) in shared {
        let Some(first) = job.workload.members(ranks).first().copied() else {
            continue;
        };
        let of = files_of(job);
        match sets.iter_mut().find(|set| set.of == of) {
            Some(set) => {
                set.jobs.push(at);
                set.maker = set.maker.min(first);
            }
            None => sets.push(SetOfFiles {
                of,
                jobs: vec![at],
                maker: first,
            }),
        }
    }
    sets
}

fn files_of(job: &Job) -> (&Target, Option<String>) {
    let paths = job.workload.paths.as_ref();
    (&job.target, paths.map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use plumb_model::run::ranks::{RankPlace, Ranks};
    use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

    use super::*;

    fn hosts(hosts: &[&str]) -> Placement {
        let entry = |(rank, host): (usize, &&str)| RankPlace {
            rank: rank as u32,
            host: host.to_string(),
            process: 1,
            time_of_day_ahead_ns: 0,
            clock_uncertainty_ns: 0,
        };
        Placement::of(&Ranks {
            carrier: "TCP".into(),
            places: hosts.iter().enumerate().map(entry).collect(),
        })
    }

    fn plan(text: &str) -> Plan {
        let file = PlanFile::parse(text, "a test").expect("a plan file");
        resolve(&file, &Overrides::default(), PlanKind::File).expect("a plan")
    }

    const READERS_BESIDE_WRITERS: &str = r#"
[defaults]
target = "/srv/share"
time = "1s"
[[step]]
name = "both"
pattern = "random-read"
ranks = "together"
on-ranks = "even"
[[step.beside]]
name = "writers"
workers = 3
pattern = "random-write"
on-ranks = "odd"
[[step]]
name = "four hosts"
pattern = "random-read"
on-ranks = "hosts:4"
"#;

    #[test]
    fn ranks_with_different_jobs_know_their_numbers_and_who_makes_the_files() {
        let (full, ranks) = (plan(READERS_BESIDE_WRITERS), hosts(&["a", "a", "b", "b"]));
        let even = Division::of(&full, 2, &ranks);
        assert_eq!((even.plan.steps[0].jobs.len(), even.number(0, 0)), (1, 0));
        let among = even.plan.steps[0].jobs[0]
            .workload
            .place
            .among
            .expect("together");
        assert_eq!((among.first, among.workers), (1, 2));
        assert!(!among.makes_files);
        assert_eq!(
            even.plan.steps[0].jobs[0].workload.place.host_shared_with, 3,
            "the writers of rank 3"
        );
        // Of host b ranks 2 and 3 both have a job.
        assert!(even.reports_for_host(0));
        let odd = Division::of(&full, 3, &ranks);
        assert_eq!(odd.number(0, 0), 1, "the job beside the main one");
        assert_eq!(odd.plan.steps[0].jobs[0].name, "writers");
        assert_eq!(odd.plan.steps[0].jobs[0].workload.place.among, None);
        assert_eq!(odd.plan.steps[0].jobs[0].workload.place.host_shared_with, 1);
        assert!(!odd.reports_for_host(0));
        let first = Division::of(&full, 0, &ranks);
        assert!(first.plan.steps[0].jobs[0].workload.makes_files());
        // There are two hosts.
        assert!(!is_carried_out(&full.steps[1], &ranks) && first.plan.steps[1].jobs.is_empty());
        assert_eq!(left_out(&full, &ranks), 1);
        assert_eq!(first.recorded(&full).steps[1], full.steps[1]);
        assert!(shares_files(&full.steps[0]) && !shares_files(&full.steps[1]));
    }
}
