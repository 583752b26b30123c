//! Chance that a seed repeats. Invariant: a number follows from the seed and its place alone.

/// The nth number of a seed's sequence: SplitMix64 (Steele, Lea and Flood 2014). The published sequence begins with n = 1.
pub fn splitmix(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_sequence() {
        // Of seed 1234567, from the reference implementation.
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([1, 2].map(|n| splitmix(1_234_567, n)), published);
    }
}
