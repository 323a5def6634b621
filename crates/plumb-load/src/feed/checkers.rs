//! Who checks the blocks that a worker has read? Threads of its own, to which each block is copied (`verify-threads`).

use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::feed::judge::Judge;
use crate::system;
use crate::verify::{Mismatch, Ticket};

/// Blocks that wait for each thread, at most: a worker that reads faster waits.
const WAITING_EACH: usize = 16;

/// A block to be checked.
type Unchecked = (Ticket, Vec<u8>);
/// Its memory, and what is wrong with it.
type Checked = (Vec<u8>, Option<Mismatch>);

/// The worker's side of its threads.
#[derive(Debug)]
pub struct Checkers {
    to: Sender<Unchecked>,
    back: Receiver<Checked>,
    spare: Vec<Vec<u8>>,
    waiting: usize,
}

impl Checkers {
    /// Starts so many threads, which end with this value. `cpus`: where they run; empty: anywhere.
    pub fn start<'s, 'a: 's>(
        scope: &'s Scope<'s, '_>,
        threads: u32,
        cpus: &'a [u32],
        judge: Judge<'a>,
    ) -> Checkers {
        let (to, blocks) = bounded::<Unchecked>(threads as usize * WAITING_EACH);
        let (done, back) = unbounded();
        for _ in 0..threads {
            let (blocks, done) = (blocks.clone(), done.clone());
            scope.spawn(move || {
                if !cpus.is_empty() {
                    // That they are there was seen before the start.
                    let _ = system::pin_thread(cpus);
                }
                for (ticket, block) in blocks {
                    let mismatch = judge.read(ticket, &block).err();
                    if done.send((block, mismatch)).is_err() {
                        return;
                    }
                }
            });
        }
        Checkers {
            to,
            back,
            spare: Vec::new(),
            waiting: 0,
        }
    }

    /// Hands a block over.
    pub fn check(&mut self, ticket: Ticket, block: &[u8]) {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(block);
        // The threads live as long as this value.
        self.waiting += usize::from(self.to.send((ticket, copy)).is_ok());
    }

    /// A block that was found to differ. `waits`: for all blocks that were handed over.
    pub fn mismatch(&mut self, waits: bool) -> Option<Mismatch> {
        while self.waiting > 0 {
            let checked = match waits {
                true => self.back.recv().ok(),
                false => self.back.try_recv().ok(),
            };
            let (block, mismatch) = checked?;
            self.waiting -= 1;
            self.spare.push(block);
            if mismatch.is_some() {
                return mismatch;
            }
        }
        None
    }
}
