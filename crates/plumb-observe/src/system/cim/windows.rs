//! How is a class asked? Through WMI, which every Windows has, by the crate of that name.

use std::collections::HashMap;

use wmi::{Variant, WMIConnection, WMIError};

use super::{Class, Refusal, Row, Value};

/// WBEM_E_INVALID_NAMESPACE, WBEM_E_INVALID_CLASS, WBEM_E_NOT_FOUND.
const MISSING: [u32; 3] = [0x8004_100E, 0x8004_1010, 0x8004_1002];
/// WBEM_E_ACCESS_DENIED.
const DENIED: u32 = 0x8004_1003;

/// All instances of a class. Errors: there is no such class, or this user may not ask.
pub(crate) fn rows(class: Class) -> Result<Vec<Row>, Refusal> {
    let refused = |error: WMIError| refusal(class, &error);
    let connection = WMIConnection::with_namespace_path(class.namespace).map_err(refused)?;
    let query = format!("SELECT * FROM {}", class.name);
    let found: Vec<HashMap<String, Variant>> = connection.raw_query(query).map_err(refused)?;
    Ok(found.into_iter().map(row).collect())
}

fn refusal(class: Class, error: &WMIError) -> Refusal {
    let Class { namespace, name } = class;
    let code = match error {
        WMIError::HResultError { hres } => Some(*hres as u32),
        _ => None,
    };
    match code {
        Some(code) if MISSING.contains(&code) => {
            Refusal::Missing(format!(r"Windows has no {name} in {namespace} here"))
        }
        Some(DENIED) => Refusal::Other(format!(
            r"querying {name} in {namespace} needs administrator rights"
        )),
        _ => Refusal::Other(format!(r"{name} in {namespace} cannot be queried: {error}")),
    }
}

fn row(properties: HashMap<String, Variant>) -> Row {
    let mut row = Row::default();
    for (name, variant) in properties {
        if let Some(value) = value(variant) {
            row.set(&name, value);
        }
    }
    row
}

/// Lists and objects are reported by no property that is requested.
fn value(variant: Variant) -> Option<Value> {
    Some(match variant {
        Variant::String(text) => Value::Text(text),
        Variant::Bool(flag) => Value::Flag(flag),
        Variant::I1(number) => Value::Number(number.into()),
        Variant::I2(number) => Value::Number(number.into()),
        Variant::I4(number) => Value::Number(number.into()),
        Variant::I8(number) => Value::Number(number as f64),
        Variant::R4(number) => Value::Number(number.into()),
        Variant::R8(number) => Value::Number(number),
        Variant::UI1(number) => Value::Number(number.into()),
        Variant::UI2(number) => Value::Number(number.into()),
        Variant::UI4(number) => Value::Number(number.into()),
        Variant::UI8(number) => Value::Number(number as f64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_every_windows_has_gives_a_row() {
        let system = Class {
            namespace: r"root\cimv2",
            name: "Win32_OperatingSystem",
        };
        let found = rows(system).expect("it is there");
        let [row] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(row.text("CAPTION").is_some_and(|name| !name.is_empty()));
        assert!(
            row.number("TotalVisibleMemorySize")
                .is_some_and(|kib| kib > 0.0)
        );
    }

    #[test]
    fn a_namespace_that_is_not_there_is_missing() {
        let nowhere = Class {
            namespace: r"root\plumb\nowhere",
            name: "Nothing",
        };
        let refused = rows(nowhere).expect_err("there is none");
        assert!(
            matches!(&refused, Refusal::Missing(reason) if reason.contains("Nothing")),
            "{refused:?}"
        );
    }
}
