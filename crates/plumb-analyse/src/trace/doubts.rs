//! Which doubts are there about a trace? What was lost, truncated or cannot be decoded, in packet captures and other traces.

use plumb_model::statement::Statement;
use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::summary::{Outstanding, TraceSummary};

/// What was lost, cut or cannot be looked into.
pub(super) fn doubts(summary: &TraceSummary) -> Vec<Statement> {
    let mut statements = Vec::new();
    if let Some(capture) = &summary.capture {
        statements.extend(capture.damage.iter().cloned());
        statements.extend(protection(capture));
        statements.extend(packets(capture));
        statements.extend(messages(capture));
    }
    if let Some(recorded) = &summary.recorded {
        statements.extend(losses(recorded));
        statements.extend(not_shown(recorded));
    }
    statements
}

/// Figures of outstanding calls that cannot be true; they are left out of the summary.
pub(super) fn contradictory(figures: &Outstanding) -> Statement {
    Statement::new("trace-outstanding-contradictory")
        .number("busy", figures.mean_while_busy.unwrap_or(0.0))
        .percent("idle", figures.idle_share * 100.0)
        .count("max", figures.max)
}

fn protection(capture: &CaptureFacts) -> Vec<Statement> {
    let found = &capture.protection;
    let all = found.clear_messages
        + found.encrypted_messages
        + found.compressed_messages
        + found.smb1_messages;
    let mut statements = Vec::new();
    if found.encrypted_messages > 0 {
        statements.push(
            Statement::new("trace-encrypted")
                .count("messages", found.encrypted_messages)
                .count("all", all)
                .bytes("bytes", found.encrypted_bytes as f64),
        );
    }
    if found.compressed_messages > 0 {
        statements.push(
            Statement::new("trace-compressed")
                .count("messages", found.compressed_messages)
                .count("all", all),
        );
    }
    // A client that speaks SMB 2 may begin with one message of SMB 1.
    if found.smb1_messages > capture.connections_count.max(1) {
        statements.push(Statement::new("trace-smb1").count("messages", found.smb1_messages));
    }
    if capture.nfs_udp_calls > 0 {
        statements.push(Statement::new("trace-nfs-udp").count("calls", capture.nfs_udp_calls));
    }
    statements
}

fn packets(capture: &CaptureFacts) -> Vec<Statement> {
    let lost = &capture.packet_losses;
    let mut statements = Vec::new();
    if let Some(dropped) = lost.dropped.filter(|dropped| *dropped > 0) {
        statements.push(Statement::new("capture-dropped").count("packets", dropped));
    }
    if lost.gaps > 0 {
        statements.push(
            Statement::new("capture-gaps")
                .count("gaps", lost.gaps)
                .bytes("bytes", lost.gap_bytes as f64),
        );
    }
    if lost.unknown_link > 0 {
        statements.push(Statement::new("capture-unknown-link").count("packets", lost.unknown_link));
    }
    if lost.without_time > 0 {
        statements.push(Statement::new("capture-without-time").count("packets", lost.without_time));
    }
    if lost.fragments > 0 {
        statements.push(Statement::new("capture-fragments").count("packets", lost.fragments));
    }
    if lost.duplicates > 0 {
        statements.push(Statement::new("capture-duplicates").count("packets", lost.duplicates));
    }
    statements
}

fn messages(capture: &CaptureFacts) -> Vec<Statement> {
    let lost = &capture.message_losses;
    let mut statements = Vec::new();
    if lost.cut > 0 {
        statements.push(Statement::new("trace-headers-cut").count("messages", lost.cut));
    }
    if lost.searches > 0 {
        statements.push(Statement::new("trace-searched").count("searches", lost.searches));
    }
    if lost.malformed > 0 {
        statements.push(Statement::new("trace-malformed").count("messages", lost.malformed));
    }
    if lost.unanswered > 0 {
        statements.push(Statement::new("trace-unanswered").count("requests", lost.unanswered));
    }
    if lost.unmatched_responses > 0 {
        statements.push(Statement::new("trace-unasked").count("answers", lost.unmatched_responses));
    }
    if lost.repeated > 0 {
        statements.push(Statement::new("trace-repeated").count("requests", lost.repeated));
    }
    let again = capture.connections.iter().map(|of| of.calls_again).sum();
    if again > 0 {
        statements.push(Statement::new("trace-nfs-sent-again").count("calls", again));
    }
    if lost.evicted > 0 {
        statements.push(Statement::new("trace-forgotten").count("requests", lost.evicted));
    }
    statements
}

/// What of a trace of calls is not there or could not be used.
fn losses(recorded: &TraceFacts) -> Vec<Statement> {
    let mut statements: Vec<Statement> = recorded.damage.iter().cloned().collect();
    if let Some(first) = recorded.first_damaged {
        statements.push(
            Statement::new("calls-damaged")
                .count("records", recorded.damaged)
                .count("all", recorded.records)
                .count("first", first),
        );
    }
    if recorded.lost > 0 {
        statements.push(Statement::new("calls-lost").count("records", recorded.lost));
    }
    if recorded.unanswered > 0 {
        statements.push(Statement::new("calls-unanswered").count("calls", recorded.unanswered));
    }
    if recorded.unmatched_responses > 0 {
        statements
            .push(Statement::new("calls-unasked").count("answers", recorded.unmatched_responses));
    }
    statements
}

/// Activity of the application besides the calls.
fn not_shown(recorded: &TraceFacts) -> Vec<Statement> {
    let of = &recorded.not_shown;
    let mut statements = Vec::new();
    if of.io_uring > 0 {
        statements.push(Statement::new("calls-io-uring").count("calls", of.io_uring));
    }
    if of.libaio > 0 {
        statements.push(Statement::new("calls-libaio").count("calls", of.libaio));
    }
    if of.of_32_bit > 0 {
        statements.push(Statement::new("calls-32-bit").count("calls", of.of_32_bit));
    }
    if of.mapped_files > 0 {
        statements.push(Statement::new("calls-mapped").count("files", of.mapped_files));
    }
    if of.not_files > 0 {
        statements.push(Statement::new("calls-not-files").count("calls", of.not_files));
    }
    if of.paging > 0 {
        statements.push(Statement::new("calls-paging").count("calls", of.paging));
    }
    if of.disk_requests > 0 {
        statements.push(Statement::new("calls-disk-requests").count("requests", of.disk_requests));
    }
    if recorded.unnamed_files > 0 {
        statements.push(Statement::new("calls-unnamed").count("files", recorded.unnamed_files));
    }
    statements
}
