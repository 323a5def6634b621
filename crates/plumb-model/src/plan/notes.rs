//! What do the figures of a plan include and what do they not? Its notes, each with the steps that it concerns.

use super::Plan;

impl Plan {
    /// Every note once, that of the plan first, with what it concerns: the plan by its name, one step by its name, several by what their names begin with.
    pub fn notes(&self) -> Vec<(String, &str)> {
        let mut notes: Vec<(Vec<&str>, &str)> = Vec::new();
        for step in self.steps.iter().filter(|step| !step.note.is_empty()) {
            match notes.iter_mut().find(|(_, note)| *note == step.note) {
                Some((names, _)) => names.push(&step.name),
                None => notes.push((vec![&step.name], &step.note)),
            }
        }
        let own =
            Some((self.name.clone(), self.note.as_str())).filter(|(_, note)| !note.is_empty());
        own.into_iter()
            .chain(
                notes
                    .into_iter()
                    .map(|(names, note)| (shared_name(&names), note)),
            )
            .collect()
    }
}

/// The words that all names begin with; all first words where they begin differently.
fn shared_name(names: &[&str]) -> String {
    let [first, others @ ..] = names else {
        return String::new();
    };
    let shared = |count: usize| {
        others.iter().all(|other| {
            other
                .split(' ')
                .take(count)
                .eq(first.split(' ').take(count))
        })
    };
    let words = first.split(' ').count();
    match (1..=words).rev().find(|count| shared(*count)) {
        Some(count) => first.split(' ').take(count).collect::<Vec<_>>().join(" "),
        None => {
            let mut heads: Vec<&str> = Vec::new();
            for head in names.iter().filter_map(|name| name.split(' ').next()) {
                if !heads.contains(&head) {
                    heads.push(head);
                }
            }
            heads.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_name_ends_with_a_whole_word() {
        assert_eq!(shared_name(&["a b=1 c=2", "a b=1 c=3"]), "a b=1");
    }
}
