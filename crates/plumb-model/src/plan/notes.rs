//! What do the figures of a plan include and exclude? Its notes, each with the steps that it applies to.

use super::Plan;

impl Plan {
    /// Every note once, that of the plan first, with what it applies to: the plan or one step by name, several steps by the common start of their names.
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

/// The words that all names start with; all first words if they differ.
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
