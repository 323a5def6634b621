//! Which devices are disks on FreeBSD, and who has them? GEOM reports it as one text, sysctl kern.geom.confxml (geom(4)).

use std::path::Path;

/// A disk, or a part of one: what a class of GEOM offers under /dev.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Provider {
    id: String,
    name: String,
}

/// What has a provider open: a partition table, a mirror, a file system, swap space.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Consumer {
    class: String,
    geom: String,
    provider: String,
    /// `r1w1e1`: how often it is open for reading, for writing, and exclusively.
    mode: String,
}

/// True of the path of a device that GEOM offers.
#[cfg(target_os = "freebsd")]
pub fn is_disk(path: &Path) -> bool {
    described().is_some_and(|text| find(&mesh(&text).0, path).is_some())
}

/// Who has the device, each as a phrase that follows "it is".
#[cfg(target_os = "freebsd")]
pub fn uses(path: &Path) -> Vec<String> {
    described().map_or(Vec::new(), |text| uses_in(&text, path))
}

#[cfg(target_os = "freebsd")]
fn described() -> Option<String> {
    super::sysctl::text(c"kern.geom.confxml")
}

fn find<'p>(providers: &'p [Provider], path: &Path) -> Option<&'p Provider> {
    let name = path.strip_prefix("/dev").ok()?;
    providers
        .iter()
        .find(|provider| Path::new(&provider.name) == name)
}

fn uses_in(text: &str, path: &Path) -> Vec<String> {
    let (providers, consumers) = mesh(text);
    let Some(provider) = find(&providers, path) else {
        return Vec::new();
    };
    // DEV is what makes the device file; a consumer that has nothing open does not use it.
    let holders = consumers.iter().filter(|consumer| {
        consumer.provider == provider.id && consumer.class != "DEV" && consumer.mode != "r0w0e0"
    });
    holders
        .map(|consumer| {
            format!(
                "held by {} of GEOM's class {} ({})",
                consumer.geom, consumer.class, consumer.mode
            )
        })
        .collect()
}

/// All providers and consumers. The kernel writes one element a line or several, without comments or sections of raw text; `&amp;` and the like stay.
fn mesh(text: &str) -> (Vec<Provider>, Vec<Consumer>) {
    let (mut providers, mut consumers) = (Vec::new(), Vec::new());
    let (mut class, mut geom) = (String::new(), String::new());
    let mut path: Vec<&str> = Vec::new();
    let (mut id, mut name, mut mode, mut of) = <(String, String, String, String)>::default();
    for piece in text.split('<').skip(1) {
        let Some((tag, content)) = piece.split_once('>') else {
            continue;
        };
        let (tag, content) = (tag.trim(), content.trim());
        if let Some(ended) = tag.strip_prefix('/') {
            match ended {
                "provider" => providers.push(Provider {
                    id: std::mem::take(&mut id),
                    name: std::mem::take(&mut name),
                }),
                "consumer" => consumers.push(Consumer {
                    class: class.clone(),
                    geom: geom.clone(),
                    provider: std::mem::take(&mut of),
                    mode: std::mem::take(&mut mode),
                }),
                _ => {}
            }
            path.pop();
            continue;
        }
        let element = tag.split([' ', '/']).next().unwrap_or_default();
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(name)?;
            Some(rest.strip_prefix("=\"")?.split('"').next()?.to_owned())
        };
        match (path.last().copied(), element) {
            (Some("class"), "name") => class = content.to_owned(),
            (Some("geom"), "name") => geom = content.to_owned(),
            (Some("provider"), "name") => name = content.to_owned(),
            (Some("consumer"), "mode") => mode = content.to_owned(),
            (Some("consumer"), "provider") => of = attribute(" ref").unwrap_or_default(),
            (_, "provider") => id = attribute(" id").unwrap_or_default(),
            _ => {}
        }
        if !tag.ends_with('/') {
            path.push(element);
        }
    }
    (providers, consumers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with a partition table, of whose partitions one is mounted; another disk that nobody has.
    const TEXT: &str = r#"<mesh>
  <class id="0xc1">
    <name>PART</name>
    <geom id="0x20">
      <class ref="0xc1"/>
      <name>ada0</name>
      <rank>2</rank>
      <config><scheme>GPT</scheme></config>
      <consumer id="0x21">
        <geom ref="0x20"/>
        <provider ref="0x11"/>
        <mode>r1w1e2</mode>
      </consumer>
      <provider id="0x22">
        <geom ref="0x20"/>
        <mode>r1w1e1</mode>
        <name>ada0p2</name>
        <mediasize>1073741824</mediasize>
        <config><label>root</label></config>
      </provider>
    </geom>
  </class>
  <class id="0xc2">
    <name>VFS</name>
    <geom id="0x30">
      <class ref="0xc2"/>
      <name>ffs.ada0p2</name>
      <rank>3</rank>
      <consumer id="0x31"><geom ref="0x30"/><provider ref="0x22"/><mode>r1w1e1</mode></consumer>
    </geom>
  </class>
  <class id="0xc3">
    <name>DEV</name>
    <geom id="0x40"><class ref="0xc3"/><name>ada1</name>
      <consumer id="0x41"><geom ref="0x40"/><provider ref="0x12"/><mode>r0w0e0</mode></consumer>
    </geom>
  </class>
  <class id="0xc4">
    <name>DISK</name>
    <geom id="0x50"><class ref="0xc4"/><name>ada0</name>
      <provider id="0x11"><geom ref="0x50"/><mode>r1w1e3</mode><name>ada0</name></provider>
    </geom>
    <geom id="0x60"><class ref="0xc4"/><name>ada1</name>
      <provider id="0x12"><geom ref="0x60"/><mode>r0w0e0</mode><name>ada1</name></provider>
    </geom>
  </class>
</mesh>
"#;

    #[test]
    fn holders_of_a_disk_are_found() {
        let uses = |path: &str| uses_in(TEXT, Path::new(path));
        assert_eq!(
            uses("/dev/ada0"),
            ["held by ada0 of GEOM's class PART (r1w1e2)"]
        );
        assert_eq!(
            uses("/dev/ada0p2"),
            ["held by ffs.ada0p2 of GEOM's class VFS (r1w1e1)"]
        );
        assert!(uses("/dev/ada1").is_empty());
        let (providers, consumers) = mesh(TEXT);
        assert_eq!((providers.len(), consumers.len()), (3, 3));
        assert!(find(&providers, Path::new("/dev/ada1")).is_some());
        assert!(find(&providers, Path::new("/dev/null")).is_none());
        assert!(find(&providers, Path::new("ada1")).is_none());
    }

    #[test]
    fn a_damaged_text_does_no_harm() {
        for end in 0..TEXT.len() {
            let _ = mesh(TEXT.get(..end).unwrap_or_default());
        }
        let _ = mesh("</provider></class><provider id=>a<name");
    }
}
