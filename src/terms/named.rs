//! Enums whose variants have one name each, used in every report. Invariant: a name stands in one place, beside its
//! variant.

/// Declares a fieldless enum with a printed name for each variant: `name()`, `Display` (which pads), `Serialize` and
/// `Deserialize` all use that name, `ALL` lists the variants in declared order, and `parse` finds one by its name. A
/// variant's doc comment is what `idem explain` says of it: `meaning()` gives it, so the text that a reader of the code
/// finds is the text that a user reads.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[doc = $note:literal])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[doc = $note])* $variant,)+ }

        impl $type {
            #[allow(dead_code)]
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)+ }
            }

            /// What it means, in the words of its doc comment.
            #[allow(dead_code)]
            pub const fn meaning(self) -> &'static str {
                match self { $($type::$variant => concat!("", $($note),*),)+ }.trim_ascii()
            }

            /// # Errors
            /// Lists the names.
            #[allow(dead_code)]
            pub fn parse(name: &str) -> Result<$type, String> {
                $crate::terms::named::by_name(name, $type::ALL.iter().copied(), |one| one.name())
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let name: String = serde::Deserialize::deserialize(deserializer)?;
                $type::parse(&name).map_err(|why| serde::de::Error::custom(format!("{name}: {why}")))
            }
        }
    };
}

pub(crate) use named_enum;

/// The one of that name.
///
/// # Errors
/// Lists the names, to be said after what was given.
pub fn by_name<T>(
    given: &str,
    all: impl Iterator<Item = T> + Clone,
    name: impl Fn(&T) -> &'static str,
) -> Result<T, String> {
    let found = all.clone().find(|one| name(one) == given);
    found.ok_or_else(|| one_of(all.map(|one| name(&one))))
}

/// What can be given instead of an unknown name.
pub fn one_of(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut listed = String::new();
    for name in names {
        listed += if listed.is_empty() { "" } else { ", " };
        listed += name.as_ref();
    }
    format!("give one of {listed}")
}

#[cfg(test)]
mod tests {
    named_enum! {
        pub enum Colour {
            Red = "red",
            DarkBlue = "dark-blue",
        }
    }

    #[test]
    fn one_is_found_by_its_whole_name_or_the_names_are_listed() {
        assert_eq!(Colour::parse("dark-blue"), Ok(Colour::DarkBlue));
        for unknown in ["dark", "Red", ""] {
            assert_eq!(Colour::parse(unknown), Err("give one of red, dark-blue".to_owned()));
        }
    }
}
