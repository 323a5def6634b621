//! How is an enum written as a keyword?

/// Serializes a type through `Display` and `FromStr`, and describes it as a string in the schema.
macro_rules! serde_as_text {
    ($name:ident, $schema:literal, $meaning:literal) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text::text_like::TextLike::deserialize(deserializer)?.0.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $meaning })
            }
        }
    };
}
pub(crate) use serde_as_text;

/// A closed set of keywords: enum, list of all, text form, and an error that lists the choices.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$item_doc:meta])* $item:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$item_doc])* $item),* }

        impl $name {
            /// All values, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$item),*];

            /// The keyword as written in plans, flags and records.
            pub fn word(self) -> &'static str {
                match self { $($name::$item => $text),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<Self, UnitError> {
                let exact = $name::ALL.iter().copied().find(|item| item.word() == text);
                let loose = || {
                    let lower = text.trim().to_ascii_lowercase().replace('_', "-");
                    $name::ALL.iter().copied().find(|item| item.word() == lower)
                };
                exact.or_else(loose)
                    .ok_or_else(|| UnitError(format!("'{text}' is not a value of {}: choose one of {}", $what, [$($text),*].join(", "))))
            }
        }

        serde_as_text!($name, $what, $what);
    };
}
pub(crate) use words;
