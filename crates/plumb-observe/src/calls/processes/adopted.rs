//! What is known about a process that started before the trace? Its threads, and its open files.

use std::sync::Arc;

use super::super::descriptors::{Opened, complete};
use super::super::file_names::is_file_name;
use super::Processes;
use crate::event_sink::EventSink;
use crate::system::opened_files::OpenedFile;

impl Processes {
    /// Threads of one process that started before the trace, and their open files.
    pub fn adopt(
        &mut self,
        threads: &[u32],
        opened: &[OpenedFile],
        event_sink: &mut EventSink<'_>,
    ) {
        let Some((first, others)) = threads.split_first() else {
            return;
        };
        let table = self.thread(*first, event_sink).table;
        for thread in others {
            self.fork(*first, *thread, true, event_sink);
        }
        for of in opened {
            let has = |bits: u64| of.flags.is_some_and(|flags| flags & bits != 0);
            let appends = has(self.flags.append);
            let closes_on_exec = has(self.flags.close_on_exec);
            let is_file = is_file_name(&of.name);
            let file = self.descriptors.next_file();
            let known = Opened {
                position: of.position.filter(|_| !appends),
                appends,
                is_file,
                is_certain: true,
                is_synchronous: of.flags.is_some_and(|flags| flags & super::O_DSYNC != 0),
                name: complete(&of.name),
            };
            self.descriptors
                .open(table, of.descriptor, file, known, closes_on_exec);
            if is_file {
                event_sink.name(file, &of.name);
            }
        }
    }

    /// The path from the root of a descriptor's file, if known.
    pub fn name_of(
        &mut self,
        thread: u32,
        descriptor: i64,
        event_sink: &mut EventSink<'_>,
    ) -> Option<Arc<str>> {
        let table = self.thread(thread, event_sink).table;
        let file = self.descriptors.file(table, descriptor)?;
        self.descriptors.opened(file)?.name.clone()
    }

    /// The position of a descriptor's file is no longer known.
    pub fn forget_position(
        &mut self,
        thread: u32,
        descriptor: i64,
        event_sink: &mut EventSink<'_>,
    ) {
        let table = self.thread(thread, event_sink).table;
        if let Some(file) = self.descriptors.file(table, descriptor)
            && let Some(opened) = self.descriptors.opened(file)
        {
            opened.position = None;
        }
    }
}
