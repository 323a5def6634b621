//! Which sections and options are in a job file? Comments, `include` and the lines themselves; nothing is interpreted yet.

use std::rc::Rc;

use crate::fio_job::surroundings::Surroundings;
use plumb_model::plan::PlanError;

/// Most bytes of the file and its includes: far above real job files.
const TEXT_MAX_BYTES: usize = 4 << 20;
/// Deepest nesting of included files.
const INCLUDE_DEPTH_MAX: usize = 16;
/// Most sections; fio itself takes 4096 jobs (REAL_MAX_JOBS).
pub const SECTIONS_MAX: usize = 4096;
/// Longest line in bytes; fio reads 4096 (OPT_LEN_MAX in parse.h).
const LINE_MAX_BYTES: usize = 4096;

/// Source of lines that are not from a file: each is one argument.
pub const COMMAND_LINE: &str = "command line";

/// Where something is written.
#[derive(Debug, Clone)]
pub struct SourceLine {
    pub file: Rc<str>,
    /// Line in that file, from 1.
    pub line: usize,
    /// Line of the job file itself: that of the `include` for included lines.
    pub outer_line: usize,
}

impl SourceLine {
    /// An error at this position.
    pub fn error(&self, message: impl Into<String>) -> PlanError {
        let unit = match &*self.file {
            COMMAND_LINE => "argument",
            _ => "line",
        };
        PlanError::at(format!("{}, {unit} {}", self.file, self.line), message)
    }
}

/// One line with content.
#[derive(Debug, Clone)]
pub enum JobFileLine {
    /// `[name]`.
    Head {
        name: String,
        source_line: SourceLine,
    },
    /// `key=value`, or `key` alone.
    Option {
        key: String,
        value: Option<String>,
        source_line: SourceLine,
    },
}

struct Reading<'s, 'a> {
    surroundings: &'s mut Surroundings<'a>,
    lines: Vec<JobFileLine>,
    heads: usize,
    bytes: usize,
}

/// All lines with content, with those of included files in their positions.
pub fn read(
    text: &str,
    source: &str,
    surroundings: &mut Surroundings<'_>,
) -> Result<Vec<JobFileLine>, PlanError> {
    let mut reading = Reading {
        surroundings,
        lines: Vec::new(),
        heads: 0,
        bytes: 0,
    };
    reading.file(text, source, None, 0)?;
    Ok(reading.lines)
}

impl Reading<'_, '_> {
    fn file(
        &mut self,
        text: &str,
        name: &str,
        outer_line: Option<usize>,
        depth: usize,
    ) -> Result<(), PlanError> {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > TEXT_MAX_BYTES {
            return Err(PlanError::at(
                name,
                format!(
                    "the job file and its includes are longer than {} MiB",
                    TEXT_MAX_BYTES >> 20
                ),
            ));
        }
        let file: Rc<str> = name.into();
        for (index, line) in text.lines().enumerate() {
            let source_line = SourceLine {
                file: file.clone(),
                line: index + 1,
                outer_line: outer_line.unwrap_or(index + 1),
            };
            if line.len() > LINE_MAX_BYTES {
                return Err(source_line.error(format!(
                    "the line is longer than {LINE_MAX_BYTES} bytes, which is also fio's limit"
                )));
            }
            self.line(line, source_line, depth)?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, source_line: SourceLine, depth: usize) -> Result<(), PlanError> {
        // fio cuts a line at the first ; or #, wherever it is (strip_blank_end in init.c).
        let text = line.split([';', '#']).next().unwrap_or_default();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        if text.is_empty() {
            return Ok(());
        }
        if let Some(name) = text.strip_prefix('[') {
            let name = name
                .split_once(']')
                .map(|(name, _)| name)
                .ok_or_else(|| source_line.error("a section is written as [name]: ] is missing"))?;
            if depth > 0 {
                return Err(source_line.error("an included file has a section, but fio accepts only options there; move it to the job file"));
            }
            self.heads += 1;
            if self.heads > SECTIONS_MAX {
                return Err(
                    source_line.error(format!("there are more than {SECTIONS_MAX} sections"))
                );
            }
            self.lines.push(JobFileLine::Head {
                name: name.to_string(),
                source_line,
            });
            return Ok(());
        }
        if self.heads == 0 {
            return Err(source_line.error(format!(
                "'{text}' comes before the first section; put [global] or [name] above it"
            )));
        }
        if let Some(name) = included(text) {
            return self.include(name, source_line, depth);
        }
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim_end(), Some(value.trim_start().to_string())),
            None => (text, None),
        };
        self.lines.push(JobFileLine::Option {
            key: key.to_string(),
            value,
            source_line,
        });
        Ok(())
    }

    fn include(
        &mut self,
        name: &str,
        source_line: SourceLine,
        depth: usize,
    ) -> Result<(), PlanError> {
        if depth >= INCLUDE_DEPTH_MAX {
            return Err(source_line.error(format!(
                "include is nested deeper than {INCLUDE_DEPTH_MAX} files; check for a loop"
            )));
        }
        // An empty file does not use up the size limit; without this, include loops of empty files would never end.
        self.bytes = self.bytes.saturating_add(1 << 10);
        let text = (self.surroundings.include)(name)
            .map_err(|why| source_line.error(format!("'{name}' cannot be included: {why}")))?;
        self.file(&text, name, Some(source_line.outer_line), depth + 1)
    }
}

/// The file that a line includes.
fn included(text: &str) -> Option<&str> {
    let name = text.strip_prefix("include")?;
    // fio accepts any single character between the word and the name.
    let name = name
        .strip_prefix(|c: char| c.is_whitespace() || c == '=')?
        .trim();
    Some(name).filter(|name| !name.is_empty())
}
