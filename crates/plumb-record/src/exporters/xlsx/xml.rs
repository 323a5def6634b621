//! Which files make up a workbook? Content types, relationships, sheet names and styles, as ECMA-376 part 1 (SpreadsheetML) and part 2 (packages) specify.

/// First line of every part.
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// Namespace of sheets.
pub const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
/// Namespace of relationships between parts.
pub const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const TYPE: &str = "application/vnd.openxmlformats-officedocument";

/// Most characters in a cell.
const TEXT_MAX: usize = 32_000;

/// Escaped XML text, without characters that XML cannot hold.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().take(TEXT_MAX) {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            // XML 1.0, 2.2: no other control characters, and two noncharacters.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

pub fn content_types(sheets: usize, charts: usize) -> String {
    let mut out = format!(
        "{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>"
    );
    let mut part = |name: &str, kind: &str| {
        out += &format!("<Override PartName=\"/{name}\" ContentType=\"{kind}+xml\"/>")
    };
    part(
        "docProps/core.xml",
        "application/vnd.openxmlformats-package.core-properties",
    );
    part(
        "xl/workbook.xml",
        &format!("{TYPE}.spreadsheetml.sheet.main"),
    );
    part("xl/styles.xml", &format!("{TYPE}.spreadsheetml.styles"));
    part("xl/drawings/drawing1.xml", &format!("{TYPE}.drawing"));
    (1..=sheets).for_each(|number| {
        part(
            &format!("xl/worksheets/sheet{number}.xml"),
            &format!("{TYPE}.spreadsheetml.worksheet"),
        )
    });
    (1..=charts).for_each(|number| {
        part(
            &format!("xl/charts/chart{number}.xml"),
            &format!("{TYPE}.drawingml.chart"),
        )
    });
    out + "</Types>"
}

/// Relationships of a part: their kinds and targets, named rId1, rId2, ...
pub fn relations(targets: &[(&str, String)]) -> String {
    let mut out = format!("{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">");
    for (index, (kind, target)) in targets.iter().enumerate() {
        out += &format!(
            "<Relationship Id=\"rId{}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>",
            index + 1
        );
    }
    out + "</Relationships>"
}

pub fn root_relations() -> String {
    format!(
        "{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">\
         <Relationship Id=\"rId1\" Type=\"{RELATIONS}/officeDocument\" Target=\"xl/workbook.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"{PACKAGE}/relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>"
    )
}

pub fn properties(title: &str) -> String {
    format!(
        "{DECLARATION}<cp:coreProperties xmlns:cp=\"{PACKAGE}/metadata/core-properties\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\
         <dc:title>{}</dc:title><dc:creator>plumb {}</dc:creator></cp:coreProperties>",
        escaped(title),
        env!("CARGO_PKG_VERSION")
    )
}

pub fn workbook<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut out =
        format!("{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets>");
    for (index, name) in names.enumerate() {
        out += &format!(
            "<sheet name=\"{}\" sheetId=\"{}\" r:id=\"rId{}\"/>",
            escaped(name),
            index + 1,
            index + 1
        );
    }
    out + "</sheets></workbook>"
}

pub fn workbook_relations(sheets: usize) -> String {
    let sheet = |number: usize| ("worksheet", format!("worksheets/sheet{number}.xml"));
    relations(
        &(1..=sheets)
            .map(sheet)
            .chain([("styles", "styles.xml".to_string())])
            .collect::<Vec<_>>(),
    )
}

/// Cell formats by number: 0 general, 1 header (bold), 2 integer with separators (built-in format 3), 3 two decimals (built-in format 4).
pub fn styles() -> String {
    let formats: String = [(0, 0), (0, 1), (3, 0), (4, 0)]
        .iter()
        .map(|(number, font)| {
            format!("<xf numFmtId=\"{number}\" fontId=\"{font}\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/>")
        })
        .collect();
    format!(
        "{DECLARATION}<styleSheet xmlns=\"{MAIN}\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>\
         <font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
         <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
         <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
         <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
         <cellXfs count=\"4\">{formats}</cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
    )
}
