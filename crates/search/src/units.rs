//! One function for each number of hidden units that is known to the compiler, so that its sums stay in registers.

/// Chooses by the number of units: `with_units!(units in [1, 2, 6], K => fixed::<K>(..), _ => any(..))`.
///
/// ```
/// fn first<const K: usize>(numbers: &[f64]) -> [f64; K] {
///     std::array::from_fn(|at| numbers[at])
/// }
/// let numbers = [1.0, 2.0, 4.0];
/// let sum = |units: usize| {
///     einsicht_search::with_units!(units in [1, 2], K => first::<K>(&numbers).iter().sum(), _ => f64::NAN)
/// };
/// assert_eq!((sum(1), sum(2)), (1.0, 3.0));
/// assert!(sum(3).is_nan());
/// ```
#[macro_export]
macro_rules! with_units {
    ($units:ident in [$($known:literal),+], $fixed_units:ident => $fixed:expr, _ => $any:expr) => {
        match $units {
            $($known => {
                const $fixed_units: usize = $known;
                $fixed
            })+
            _ => $any,
        }
    };
}
