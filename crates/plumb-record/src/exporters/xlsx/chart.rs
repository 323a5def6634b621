//! What is inside a native chart? Series that refer to cells, two axes with titles and units (ECMA-376 part 1, DrawingML charts).

use std::fmt::Write;

use super::xml::{DECLARATION, RELATIONS, escaped};

const CHART: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const PLACEMENT: &str = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";

/// Columns of cells that a chart covers.
const COLUMNS: usize = 14;
/// Rows that a line chart covers.
const ROWS: usize = 24;
/// Ten colors that also people with color vision deficiency can distinguish (the palette of Tableau).
const COLORS: [&str; 10] = [
    "4E79A7", "F28E2B", "59A14F", "E15759", "76B7B2", "B07AA1", "EDC948", "9C755F", "FF9DA7",
    "BAB0AC",
];

/// Cells that form one series.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    /// Cells of the bar names, or of the times.
    pub x: String,
    /// Cells of the values.
    pub y: String,
}

/// One chart.
#[derive(Debug, Clone)]
pub struct Chart {
    title: String,
    /// Title of the value axis, with the unit.
    axis: String,
    series: Vec<Series>,
    is_bars: bool,
    rows: usize,
}

impl Chart {
    /// Horizontal bars, so that long names are readable.
    pub fn bars(title: &str, axis: &str, series: Vec<Series>, bars: usize) -> Chart {
        let rows = 8 + bars * (1 + series.len()).div_ceil(2);
        Chart {
            title: title.into(),
            axis: axis.into(),
            series,
            is_bars: true,
            rows: rows.max(14),
        }
    }

    /// Lines over the duration of the run.
    pub fn lines(title: &str, axis: &str, series: Vec<Series>) -> Chart {
        Chart {
            title: title.into(),
            axis: axis.into(),
            series,
            is_bars: false,
            rows: ROWS,
        }
    }

    pub fn xml(&self) -> String {
        let plot = if self.is_bars {
            self.bar_plot()
        } else {
            self.line_plot()
        };
        format!(
            "{DECLARATION}<c:chartSpace xmlns:c=\"{CHART}\" xmlns:a=\"{DRAWING}\" xmlns:r=\"{RELATIONS}\"><c:roundedCorners val=\"0\"/><c:chart>{}\
             <c:autoTitleDeleted val=\"0\"/><c:plotArea><c:layout/>{plot}</c:plotArea>{}<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart></c:chartSpace>",
            title(&self.title, 1400),
            if self.series.len() > 1 {
                "<c:legend><c:legendPos val=\"b\"/><c:overlay val=\"0\"/></c:legend>"
            } else {
                ""
            },
        )
    }

    fn bar_plot(&self) -> String {
        let mut out = String::from(
            "<c:barChart><c:barDir val=\"bar\"/><c:grouping val=\"clustered\"/><c:varyColors val=\"0\"/>",
        );
        for (index, series) in self.series.iter().enumerate() {
            let _ = write!(
                out,
                "{}<c:spPr><a:solidFill><a:srgbClr val=\"{}\"/></a:solidFill></c:spPr><c:invertIfNegative val=\"0\"/>\
                 <c:cat><c:strRef><c:f>{}</c:f></c:strRef></c:cat><c:val><c:numRef><c:f>{}</c:f></c:numRef></c:val></c:ser>",
                series_head(index, series),
                COLORS[index % COLORS.len()],
                escaped(&series.x),
                escaped(&series.y)
            );
        }
        // The first row of the table is on top, so the value axis, which crosses at its maximum, is at the bottom.
        out += "<c:gapWidth val=\"50\"/><c:axId val=\"1\"/><c:axId val=\"2\"/></c:barChart>";
        out += "<c:catAx><c:axId val=\"1\"/><c:scaling><c:orientation val=\"maxMin\"/></c:scaling><c:delete val=\"0\"/><c:axPos val=\"l\"/>";
        out += &title("step", 1000);
        out += "<c:numFmt formatCode=\"General\" sourceLinked=\"0\"/><c:majorTickMark val=\"none\"/><c:minorTickMark val=\"none\"/><c:tickLblPos val=\"low\"/>\
                <c:crossAx val=\"2\"/><c:crosses val=\"autoZero\"/><c:tickLblSkip val=\"1\"/><c:noMultiLvlLbl val=\"1\"/></c:catAx>";
        out + &value_axis((2, 1), "b", &self.axis, "max")
    }

    fn line_plot(&self) -> String {
        let mut out = String::from(
            "<c:scatterChart><c:scatterStyle val=\"lineMarker\"/><c:varyColors val=\"0\"/>",
        );
        for (index, series) in self.series.iter().enumerate() {
            let _ = write!(
                out,
                "{}<c:spPr><a:ln w=\"19050\"><a:solidFill><a:srgbClr val=\"{}\"/></a:solidFill></a:ln></c:spPr><c:marker><c:symbol val=\"none\"/></c:marker>\
                 <c:xVal><c:numRef><c:f>{}</c:f></c:numRef></c:xVal><c:yVal><c:numRef><c:f>{}</c:f></c:numRef></c:yVal><c:smooth val=\"0\"/></c:ser>",
                series_head(index, series),
                COLORS[index % COLORS.len()],
                escaped(&series.x),
                escaped(&series.y)
            );
        }
        out += "<c:axId val=\"1\"/><c:axId val=\"2\"/></c:scatterChart>";
        out += &value_axis(
            (1, 2),
            "b",
            "time since the start of the run (s)",
            "autoZero",
        );
        out + &value_axis((2, 1), "l", &self.axis, "autoZero")
    }
}

fn series_head(index: usize, series: &Series) -> String {
    format!(
        "<c:ser><c:idx val=\"{index}\"/><c:order val=\"{index}\"/><c:tx><c:v>{}</c:v></c:tx>",
        escaped(&series.name)
    )
}

fn title(text: &str, size: u32) -> String {
    format!(
        "<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz=\"{size}\" b=\"0\"/></a:pPr><a:r><a:rPr lang=\"en-US\" sz=\"{size}\" b=\"0\"/>\
         <a:t>{}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title>",
        escaped(text)
    )
}

/// A numeric axis; the value axis starts at zero.
fn value_axis((id, other): (u32, u32), position: &str, text: &str, crosses: &str) -> String {
    let from_zero = if id == 2 { "<c:min val=\"0\"/>" } else { "" };
    format!(
        "<c:valAx><c:axId val=\"{id}\"/><c:scaling><c:orientation val=\"minMax\"/>{from_zero}</c:scaling><c:delete val=\"0\"/><c:axPos val=\"{position}\"/>\
         <c:majorGridlines><c:spPr><a:ln w=\"6350\"><a:solidFill><a:srgbClr val=\"D9D9D9\"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>{}\
         <c:numFmt formatCode=\"#,##0.##\" sourceLinked=\"0\"/><c:majorTickMark val=\"out\"/><c:minorTickMark val=\"none\"/><c:tickLblPos val=\"nextTo\"/>\
         <c:crossAx val=\"{other}\"/><c:crosses val=\"{crosses}\"/></c:valAx>",
        title(text, 1000)
    )
}

/// The charts of the sheet, from top to bottom.
pub fn drawing(charts: &[Chart]) -> String {
    let mut out =
        format!("{DECLARATION}<xdr:wsDr xmlns:xdr=\"{PLACEMENT}\" xmlns:a=\"{DRAWING}\">");
    let mut row = 0;
    for (index, chart) in charts.iter().enumerate() {
        let corner = |column: usize, row: usize| {
            format!(
                "<xdr:col>{column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row}</xdr:row><xdr:rowOff>0</xdr:rowOff>"
            )
        };
        let _ = write!(
            out,
            "<xdr:twoCellAnchor><xdr:from>{}</xdr:from><xdr:to>{}</xdr:to><xdr:graphicFrame macro=\"\"><xdr:nvGraphicFramePr>\
             <xdr:cNvPr id=\"{id}\" name=\"{}\"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>\
             <xdr:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/></xdr:xfrm><a:graphic><a:graphicData uri=\"{CHART}\">\
             <c:chart xmlns:c=\"{CHART}\" xmlns:r=\"{RELATIONS}\" r:id=\"rId{number}\"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>",
            corner(0, row),
            corner(COLUMNS, row + chart.rows),
            escaped(&chart.title),
            id = index + 2,
            number = index + 1
        );
        row += chart.rows + 1;
    }
    out + "</xdr:wsDr>"
}
