//! How is one thing done with each of many runs? By all CPUs, each with a part of them.

use std::panic::resume_unwind;
use std::thread::Builder;

/// What `make` gives of each item, in their order.
pub fn on_all_cpus<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let of_part = |part: &[T]| part.iter().map(&make).collect::<Vec<R>>();
    let of_part = &of_part;
    std::thread::scope(|scope| {
        let mut parts = items.chunks(items.len().div_ceil(cpus).max(1));
        let own = parts.next().unwrap_or_default();
        let threads: Vec<_> = parts
            .map(|part| {
                (
                    part,
                    Builder::new().spawn_scoped(scope, move || of_part(part)),
                )
            })
            .collect();
        let mut made = of_part(own);
        for (part, thread) in threads {
            made.extend(match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No further thread is available: this one does its work.
                Err(_) => of_part(part),
            });
        }
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_done_once_and_in_order() {
        for count in [0, 1, 2, 3, 7, 64, 1001] {
            let items: Vec<u64> = (0..count).collect();
            let made = on_all_cpus(&items, |item| item * 3);
            assert!(made.into_iter().eq((0..count).map(|item| item * 3)));
        }
    }
}
