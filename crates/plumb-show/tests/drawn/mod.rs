//! Is what was drawn well-formed, made of numbers, and are its texts apart?

/// Well-formed, and no attribute holds what is no number.
pub fn check_svg(name: &str, text: &str) {
    let document =
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    for attribute in document
        .descendants()
        .flat_map(|node| node.attributes())
        .filter(|attribute| attribute.name() != "class")
    {
        let value = attribute.value();
        assert!(
            !value.contains("NaN") && !value.contains("inf"),
            "{name}: {}={value}",
            attribute.name()
        );
    }
}

/// No two texts of a figure may overlap: checked by the widths that a proportional face really has (about half an em a character).
pub fn check_texts_apart(name: &str, text: &str) {
    let document =
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut boxes: Vec<(f64, f64, f64, f64, String)> = Vec::new();
    for node in document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
    {
        let number = |name: &str| {
            node.attribute(name)
                .and_then(|value| value.parse::<f64>().ok())
                .unwrap_or_else(|| panic!("a text has no {name}"))
        };
        let content = node.text().unwrap_or("").to_string();
        let width = content.chars().count() as f64 * 6.2;
        let left = match node.attribute("text-anchor") {
            Some("end") => number("x") - width,
            Some("middle") => number("x") - width / 2.0,
            _ => number("x"),
        };
        let this = (left, number("y") - 10.0, width, 12.0, content);
        for other in &boxes {
            let apart = this.0 >= other.0 + other.2
                || other.0 >= this.0 + this.2
                || this.1 >= other.1 + other.3
                || other.1 >= this.1 + this.3;
            assert!(apart, "{name}: '{}' and '{}' overlap", this.4, other.4);
        }
        boxes.push(this);
    }
}
