//! Which figures of files are reported? Those with the most time individually, the sum of the rest, and how many were used only once.

use std::cmp::Reverse;

use plumb_model::trace::work::{FileFigures, FileTotals, Files, TouchedOnce};

use super::super::share::share;
use super::{File, FilesTally};

/// Files with separate figures.
const LISTED: usize = 50;

impl FilesTally {
    /// The figures in a trace whose calls together took `all_ns`; `None` where no file is known.
    pub fn figures(mut self, all_ns: u128, has_responses: bool) -> Option<Files> {
        let mut files = std::mem::take(&mut self.files);
        files.retain(|file| file.calls > 0);
        // Only an open whose success is not recorded.
        files.retain(|file| {
            let is_file = file.name.is_some() || file.calls > 1 || file.requests > 0;
            if !is_file {
                self.without.add(file);
            }
            is_file
        });
        if files.is_empty() {
            return None;
        }
        let totals = |file: &File| totals(file, all_ns, has_responses);
        files.sort_by_key(|file| Reverse(file.weight()));
        let mut rest = self.rest;
        for file in files.iter().skip(LISTED) {
            rest.add(file);
        }
        let figures = |file: &File| FileFigures {
            name: file.name.as_deref().map(str::to_string),
            opens: file.opens,
            totals: totals(file),
        };
        let named = files.iter().filter(|file| file.name.is_some());
        let is_sentence = self.summed_early == 0;
        Some(Files {
            count: files.len() as u64 + self.summed_early,
            named: named.count() as u64,
            touched_once: touched_once(&files, has_responses).filter(|_| is_sentence),
            most: files.iter().take(LISTED).map(figures).collect(),
            rest: totals(&rest),
            without_file: totals(&self.without),
            summed_early: self.summed_early,
        })
    }
}

fn bytes(file: &File, has_responses: bool) -> [u64; 2] {
    match has_responses {
        true => file.moved,
        false => file.requested,
    }
}

fn totals(file: &File, all_ns: u128, has_responses: bool) -> FileTotals {
    let [read_bytes, written_bytes] = bytes(file, has_responses);
    let sum_ns = file.sum_ns as f64;
    FileTotals {
        calls: file.calls,
        read_bytes,
        written_bytes,
        sum_ns,
        time_share: share(sum_ns, all_ns).filter(|_| has_responses),
        following: file.following,
        sequential: file.sequential,
    }
}

fn touched_once(files: &[File], has_responses: bool) -> Option<TouchedOnce> {
    let calls = |file: &File| match has_responses {
        true => file.moving,
        false => file.requests,
    };
    let moved = |sum: u64, file: &File| {
        let [read, written] = bytes(file, has_responses);
        sum.saturating_add(read).saturating_add(written)
    };
    let used = || {
        let named = files.iter().filter(|file| file.name.is_some());
        named.filter(|file| calls(file) > 0)
    };
    let once = || used().filter(|file| file.opens == 1 && calls(file) == 1);
    let of_files = used().count() as u64;
    (of_files > 0).then(|| TouchedOnce {
        files: once().count() as u64,
        of_files,
        bytes: once().fold(0, moved),
        of_bytes: used().fold(0, moved),
    })
}
