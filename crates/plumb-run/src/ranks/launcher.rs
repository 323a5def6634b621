//! Which rank of how many is this process? The launcher sets it in the environment.

/// Values of a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    pub rank: u32,
    pub ranks: u32,
    /// Name of the launcher: `Open MPI`, `MPICH`, `Slurm`, ...
    pub launcher: &'static str,
}

/// Its values are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LauncherError(String);

/// A launcher with the variables that it sets: rank, number of ranks, and one without which these are not of a process that it started.
struct Known {
    name: &'static str,
    rank: &'static str,
    ranks: &'static str,
    needs: Option<&'static str>,
}

const KNOWN: [Known; 6] = [
    Known {
        name: "PLUMB_RANK",
        rank: "PLUMB_RANK",
        ranks: "PLUMB_RANKS",
        needs: None,
    },
    Known {
        name: "Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: "OMPI_COMM_WORLD_SIZE",
        needs: None,
    },
    Known {
        name: "MPICH",
        rank: "PMI_RANK",
        ranks: "PMI_SIZE",
        needs: None,
    },
    // A batch script has SLURM_NTASKS and SLURM_PROCID=0 too, and is no task: srun alone numbers its step and sets the task's own process number.
    Known {
        name: "Slurm",
        rank: "SLURM_PROCID",
        ranks: "SLURM_STEP_NUM_TASKS",
        needs: Some("SLURM_STEP_ID"),
    },
    Known {
        name: "PMIx",
        rank: "PMIX_RANK",
        ranks: "PLUMB_RANKS",
        needs: None,
    },
    Known {
        name: "Kubernetes",
        rank: "JOB_COMPLETION_INDEX",
        ranks: "PLUMB_RANKS",
        needs: None,
    },
];

/// The rank of this process; `None` for one that was not launched as one of several.
///
/// # Errors
/// A variable of the launcher holds no number, or a rank that is not below the number of ranks.
pub fn launched(
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Launched>, LauncherError> {
    for known in KNOWN {
        if known
            .needs
            .is_some_and(|needs| environment(needs).is_none())
        {
            continue;
        }
        // A launcher without the number of ranks started this process for something else.
        let (Some(rank), Some(ranks)) = (environment(known.rank), environment(known.ranks)) else {
            continue;
        };
        let rank = number(known.rank, &rank)?;
        let ranks = number(known.ranks, &ranks)?;
        if rank >= ranks {
            return Err(LauncherError(format!(
                "{}={rank} and {}={ranks} contradict each other: ranks count from 0",
                known.rank, known.ranks
            )));
        }
        return Ok((ranks > 1).then_some(Launched {
            rank,
            ranks,
            launcher: known.name,
        }));
    }
    Ok(None)
}

fn number(variable: &str, text: &str) -> Result<u32, LauncherError> {
    text.trim().parse().map_err(|_| {
        LauncherError(format!(
            "{variable}='{text}' in the environment is not a rank number; unset it to measure with this process alone"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<Launched>, LauncherError> {
        launched(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn each_launcher_is_known_by_its_own_variables() {
        let check = |variables: &[(&str, &str)], expect: Option<(u32, u32, &'static str)>| {
            let expect = expect.map(|(rank, ranks, launcher)| Launched {
                rank,
                ranks,
                launcher,
            });
            assert_eq!(of(variables), Ok(expect), "{variables:?}");
        };
        check(&[], None);
        check(
            &[("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4")],
            Some((3, 4, "Open MPI")),
        );
        check(
            &[("PMI_RANK", "0"), ("PMI_SIZE", "2")],
            Some((0, 2, "MPICH")),
        );
        // PMIx numbers the processes of Open MPI too.
        check(
            &[
                ("PMIX_RANK", "1"),
                ("OMPI_COMM_WORLD_RANK", "1"),
                ("OMPI_COMM_WORLD_SIZE", "2"),
            ],
            Some((1, 2, "Open MPI")),
        );
        check(
            &[
                ("SLURM_PROCID", "5"),
                ("SLURM_STEP_ID", "0"),
                ("SLURM_STEP_NUM_TASKS", "8"),
            ],
            Some((5, 8, "Slurm")),
        );
        // In a batch script, before any srun.
        check(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")], None);
        check(
            &[("JOB_COMPLETION_INDEX", "2"), ("PLUMB_RANKS", "3")],
            Some((2, 3, "Kubernetes")),
        );
        check(&[("JOB_COMPLETION_INDEX", "2")], None);
        check(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")], None);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let error = |variables: &[(&str, &str)]| of(variables).expect_err("nonsense").to_string();
        let text = error(&[("PMI_RANK", "first"), ("PMI_SIZE", "2")]);
        assert!(text.contains("PMI_RANK='first'"), "{text}");
        let text = error(&[("PLUMB_RANK", "4"), ("PLUMB_RANKS", "4")]);
        assert!(text.contains("PLUMB_RANK=4"), "{text}");
    }
}
