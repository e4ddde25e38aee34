//! A table of machines as comma-separated values (RFC 4180).

use crate::answer::several::Row;

/// Returns a line with the names of the columns and a line for each machine.
pub fn write(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(vec![]);
    // Nothing fails that is written to memory.
    let _ = writer.write_record(["file", "component", "machine", "verdict", "engine", "seconds", "note"]);
    for row in rows {
        let _ = writer.write_record([
            row.file.as_str(),
            row.component.as_deref().unwrap_or_default(),
            row.machine.as_deref().unwrap_or_default(),
            row.verdict.word(),
            row.engine.as_deref().unwrap_or_default(),
            &format!("{:.3}", row.seconds),
            &row.note(),
        ]);
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
