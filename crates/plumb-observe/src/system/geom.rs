//! Which disks does FreeBSD have, and what is built upon them? GEOM reports all of it as one text, sysctl kern.geom.confxml (geom(4)).
#![cfg_attr(
    not(target_os = "freebsd"),
    allow(dead_code, reason = "other systems have nothing to tell here")
)]

/// An element of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    tag: String,
    /// What other elements name it by, and what it names.
    id: String,
    refers_to: String,
    text: String,
    below: Vec<Element>,
}

/// What offers devices: a disk, a partition table, a mirror.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geom<'t> {
    pub class: &'t str,
    element: &'t Element,
}

impl Element {
    fn first(&self, tag: &str) -> Option<&Element> {
        self.below.iter().find(|element| element.tag == tag)
    }

    fn all<'t>(&'t self, tag: &'static str) -> impl Iterator<Item = &'t Element> {
        self.below.iter().filter(move |element| element.tag == tag)
    }

    /// The text of an element below.
    pub(crate) fn value(&self, tag: &str) -> Option<&str> {
        self.first(tag).map(|element| element.text.as_str())
    }

    /// A value that the class of the geom reports besides.
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        self.first("config")?.value(name)
    }

    /// All geoms; to be asked of the whole text.
    pub(crate) fn geoms(&self) -> impl Iterator<Item = Geom<'_>> {
        let classes = self.all("mesh").flat_map(|mesh| mesh.all("class"));
        classes.flat_map(|class| {
            let name = class.value("name").unwrap_or_default();
            class.all("geom").map(move |element| Geom {
                class: name,
                element,
            })
        })
    }

    /// The geom that offers a device, and what it says of it; by the name under /dev.
    pub(crate) fn provider(&self, name: &str) -> Option<(Geom<'_>, &Element)> {
        self.geoms().find_map(|geom| {
            let named = |provider: &&Element| provider.value("name") == Some(name);
            Some((geom, geom.providers().find(named)?))
        })
    }

    /// The geom that offers the device of this id, and what it says of it.
    fn provider_by_id(&self, id: &str) -> Option<(Geom<'_>, &Element)> {
        self.geoms()
            .find_map(|geom| Some((geom, geom.providers().find(|provider| provider.id == id)?)))
    }

    /// The geoms below a device, from the one that offers it down to the disks, each with what it offers to the one above.
    pub(crate) fn chain(&self, name: &str) -> Vec<(Geom<'_>, &Element)> {
        let mut found: Vec<(Geom<'_>, &Element)> = self.provider(name).into_iter().collect();
        let mut at = 0;
        // Each device once, however damaged the text is.
        while let Some((geom, _)) = found.get(at).copied() {
            at += 1;
            for (below, provider) in geom
                .members()
                .filter_map(|consumer| self.provider_by_id(consumer.used()))
            {
                if !found.iter().any(|(_, known)| known.id == provider.id) {
                    found.push((below, provider));
                }
            }
        }
        found
    }

    /// The device that a member of an array is, by its name.
    pub(crate) fn name_of(&self, consumer: &Element) -> Option<&str> {
        self.provider_by_id(consumer.used())?.1.value("name")
    }

    /// The id of the device that a consumer uses.
    fn used(&self) -> &str {
        self.first("provider")
            .map_or("", |provider| provider.refers_to.as_str())
    }
}

impl<'t> Geom<'t> {
    pub(crate) fn name(self) -> &'t str {
        self.element.value("name").unwrap_or_default()
    }

    pub(crate) fn setting(self, name: &str) -> Option<&'t str> {
        self.element.setting(name)
    }

    fn providers(self) -> impl Iterator<Item = &'t Element> {
        self.element.all("provider")
    }

    /// What it is built of.
    pub(crate) fn members(self) -> impl Iterator<Item = &'t Element> {
        self.element.all("consumer")
    }
}

/// What this machine has.
pub(crate) fn mesh() -> Option<Element> {
    #[cfg(target_os = "freebsd")]
    {
        super::sysctl::text(c"kern.geom.confxml").map(|text| parse(&text))
    }
    #[cfg(not(target_os = "freebsd"))]
    None
}

/// The elements of a text. The kernel writes neither comments nor sections of raw text (geom_dump.c). What is cut off is left out.
pub(crate) fn parse(text: &str) -> Element {
    let mut open = vec![Element::default()];
    for piece in text.split('<').skip(1) {
        let Some((tag, content)) = piece.split_once('>') else {
            break;
        };
        if tag.starts_with('/') {
            if let Some(ended) = (open.len() > 1).then(|| open.pop()).flatten()
                && let Some(above) = open.last_mut()
            {
                above.below.push(ended);
            }
            continue;
        }
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(name)?;
            Some(rest.strip_prefix("=\"")?.split('"').next()?.to_owned())
        };
        let element = Element {
            tag: tag.split([' ', '/']).next().unwrap_or_default().to_owned(),
            id: attribute(" id").unwrap_or_default(),
            refers_to: attribute(" ref").unwrap_or_default(),
            text: plain(content.trim()),
            below: Vec::new(),
        };
        match (tag.ends_with('/'), open.last_mut()) {
            (true, Some(above)) => above.below.push(element),
            _ => open.push(element),
        }
    }
    while open.len() > 1 {
        if let Some(cut) = open.pop()
            && let Some(above) = open.last_mut()
        {
            above.below.push(cut);
        }
    }
    open.pop().unwrap_or_default()
}

fn plain(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (escaped, character)| {
        text.replace(escaped, character)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two disks, a mirror of both, and its second partition, as geom(4), gmirror(8) and gpart(8) describe them.
    pub(crate) const MIRROR: &str = include_str!("../../../../testdata/freebsd/mirror.confxml");

    #[test]
    fn a_partition_of_a_mirror_rests_on_two_disks() {
        let mesh = parse(MIRROR);
        let chain = mesh.chain("mirror/gm0p2");
        let names: Vec<_> = chain
            .iter()
            .map(|(geom, provider)| (geom.class, provider.value("name").unwrap_or_default()))
            .collect();
        assert_eq!(
            names,
            [
                ("PART", "mirror/gm0p2"),
                ("MIRROR", "mirror/gm0"),
                ("DISK", "ada0"),
                ("DISK", "ada1"),
            ]
        );
        let (mirror, _) = chain[1];
        assert_eq!(
            (mirror.name(), mirror.setting("State")),
            ("gm0", Some("DEGRADED"))
        );
        assert_eq!(chain[2].1.setting("descr"), Some("Vendor <A> & B, 480 GB"));
        assert!(mesh.chain("ada9").is_empty());
    }

    #[test]
    fn a_damaged_text_does_no_harm() {
        for end in (0..MIRROR.len()).filter(|end| MIRROR.is_char_boundary(*end)) {
            let _ = parse(&MIRROR[..end]).chain("mirror/gm0p2").len();
        }
        let _ = parse("</mesh></class><provider id=>a<name");
        // A mirror of itself.
        let circle = "<mesh><class><name>MIRROR</name><geom><name>m</name><consumer><provider ref=\"1\"/></consumer><provider id=\"1\"><name>mirror/m</name></provider></geom></class></mesh>";
        assert_eq!(parse(circle).chain("mirror/m").len(), 1);
    }
}
