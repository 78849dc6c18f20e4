//! JSON objects whose order matters.

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// A mix of operations by weight. Its order is kept, because it names the slice.
pub type Mix = Ordered<f64>;

#[derive(Debug, Clone, PartialEq)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Vec<(String, T)>;
            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Self::Value = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if entries.iter().any(|(earlier, _)| *earlier == name) {
                        return Err(A::Error::custom(format!("`{name}` is given twice")));
                    }
                    entries.push((name, value));
                }
                Ok(entries)
            }
        }
        Ok(Self(deserializer.deserialize_map(Entries(std::marker::PhantomData))?))
    }
}
