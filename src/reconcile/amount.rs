//! An amount of money as records write it. Invariant: two amounts are equal only if they are the same decimal number;
//! nothing is rounded.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A decimal number: `10`, `10.0` and `10.00` are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Without the point, and without the zeros that end its fraction.
    digits: i64,
    /// How many of the digits stand after the point.
    fraction: u8,
}

impl FromStr for Amount {
    type Err = ();

    /// # Errors
    /// For what is not digits with a point and a sign where there is one, and for more than an `i64` of digits.
    fn from_str(text: &str) -> Result<Amount, ()> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) || whole.is_empty() || text.ends_with('.') {
            return Err(());
        }
        let digits = format!("{sign}{whole}{fraction}").parse().map_err(|_| ())?;
        Ok(Amount { digits, fraction: u8::try_from(fraction.len()).map_err(|_| ())? })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let fraction = usize::from(self.fraction);
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = fraction + 1);
        match digits.split_at_checked(digits.len() - fraction) {
            Some((whole, part)) if fraction > 0 => write!(f, "{sign}{whole}.{part}"),
            Some(_) | None => write!(f, "{sign}{digits}"),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_number_is_one_amount_however_it_is_written() {
        for (texts, shown) in [
            (&["10", "10.0", "10.00", "010"][..], "10"),
            (&["-12.50", "-12.5"], "-12.5"),
            (&["0", "0.00", "-0"], "0"),
            (&["0.05", "00.050"], "0.05"),
            (&["-0.05"], "-0.05"),
        ] {
            for text in texts {
                let amount: Amount = text.parse().unwrap();
                assert_eq!((amount, amount.to_string().as_str()), (texts[0].parse().unwrap(), shown), "{text}");
            }
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for text in
            ["", "-", ".", "1.", ".5", "1,000.00", "1e3", "+1", " 1", "EUR 1", "1.2.3", "--1", "9223372036854775808"]
        {
            assert_eq!(text.parse::<Amount>(), Err(()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(whole in 0_u32.., fraction in "[0-9]{0,9}", negative: bool) {
            let sign = if negative { "-" } else { "" };
            let point = if fraction.is_empty() { "" } else { "." };
            let amount: Amount = format!("{sign}{whole}{point}{fraction}").parse().unwrap();
            prop_assert_eq!(amount.to_string().parse::<Amount>(), Ok(amount));
        }
    }
}
