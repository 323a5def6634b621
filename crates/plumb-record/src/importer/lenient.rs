//! How is JSON parsed that other programs wrote, in unknown versions? Unexpected values are missing, and unneeded ones are skipped.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Largest count that is accepted: sums must not overflow.
pub(crate) const COUNT_MAX: f64 = (1u64 << 52) as f64;

/// A number, missing if something else is there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Number(pub Option<f64>);

impl Number {
    /// A count: not negative, and small enough for sums.
    pub fn count(self) -> u64 {
        self.0
            .filter(|number| (0.0..=COUNT_MAX).contains(number))
            .map_or(0, |number| number as u64)
    }

    /// The number if it is above zero.
    pub fn positive(self) -> Option<f64> {
        self.0.filter(|number| *number > 0.0)
    }
}

/// A string; empty if something else is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text(pub String);

/// Parses any value, keeping numbers and strings.
pub(crate) struct Scalar;

/// Any value.
pub(crate) enum Any {
    Number(f64),
    Text(String),
    Other,
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Number(f64::from(u8::from(value))))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Text(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Number(match deserializer.deserialize_any(Scalar)? {
            Any::Number(number) => Some(number).filter(|number| number.is_finite()),
            Any::Text(text) => text
                .trim()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite()),
            Any::Other => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Text(match deserializer.deserialize_any(Scalar)? {
            Any::Number(number) => number.to_string(),
            Any::Text(text) => text,
            Any::Other => String::new(),
        }))
    }
}

/// The rest of a visitor for objects: it skips anything else.
macro_rules! nothing_else {
    ($type:ty, $nothing:expr) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<$type, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok($nothing(self))
        }

        fn visit_bool<E>(self, _: bool) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_u64<E>(self, _: u64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_i64<E>(self, _: i64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_f64<E>(self, _: f64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_str<E>(self, _: &str) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_unit<E>(self) -> Result<$type, E> {
            Ok($nothing(self))
        }
    };
}

/// Defines a struct of which each field is an entry of a JSON object: others are skipped, and anything but an object gives the default. Derived code would
/// reject the entire file for one unexpected field.
macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $($key:literal)|+),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        impl<'de> serde::de::Deserialize<'de> for $name {
            fn deserialize<D: serde::de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                enum Key { $(#[allow(non_camel_case_types)] $field,)* Other_ }
                impl<'de> serde::de::Deserialize<'de> for Key {
                    fn deserialize<D: serde::de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                        struct Name;
                        impl serde::de::Visitor<'_> for Name {
                            type Value = Key;
                            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                                f.write_str("a name")
                            }
                            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                                Ok(match name { $($($key)|+ => Key::$field,)* _ => Key::Other_ })
                            }
                        }
                        deserializer.deserialize_str(Name)
                    }
                }
                struct Fields;
                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut all = $name::default();
                        while let Some(key) = map.next_key()? {
                            match key {
                                $(Key::$field => all.$field = map.next_value()?,)*
                                Key::Other_ => drop(map.next_value::<serde::de::IgnoredAny>()?),
                            }
                        }
                        Ok(all)
                    }
                    $crate::importer::lenient::nothing_else!($name, |_: Self| $name::default());
                }
                deserializer.deserialize_any(Fields)
            }
        }
    };
}
pub(crate) use lenient;
pub(crate) use nothing_else;

/// A name that is a number, missing if it is not one.
pub(crate) struct Named<T>(pub Option<T>);

impl<'de, T: std::str::FromStr> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name<T>(std::marker::PhantomData<T>);
        impl<T: std::str::FromStr> Visitor<'_> for Name<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Named<T>, E> {
                Ok(Named(name.parse().ok()))
            }
        }
        deserializer.deserialize_str(Name(std::marker::PhantomData))
    }
}

/// Visits the entries of an object in order, and skips anything else.
pub(crate) struct Entries<T, F, K> {
    all: T,
    add: F,
    key: std::marker::PhantomData<K>,
}

pub(crate) fn entries<T, K, F: FnMut(&mut T, K, Any)>(all: T, add: F) -> Entries<T, F, K> {
    Entries {
        all,
        add,
        key: std::marker::PhantomData,
    }
}

impl<'de, T, K: Deserialize<'de>, F: FnMut(&mut T, K, Any)> Visitor<'de> for Entries<T, F, K> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<T, A::Error> {
        while let Some(key) = map.next_key()? {
            let value = map.next_value::<AnyValue>()?.0;
            (self.add)(&mut self.all, key, value);
        }
        Ok(self.all)
    }

    nothing_else!(T, |entries: Self| entries.all);
}

struct AnyValue(Any);

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar).map(AnyValue)
    }
}
