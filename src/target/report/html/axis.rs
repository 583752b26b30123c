//! Where moments stand in a drawing. Invariant: a later moment never stands left of an earlier one, marks never stand on
//! each other, and every bar has room for its label; lengths are not to scale, since 0.1 ms and 10 s are in one picture.

use std::time::Duration;

/// Least distance of two marks, whose numbers stand above them.
const BETWEEN_MARKS: f64 = 22.0;

/// Something that lasts, in a drawing.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub from: Duration,
    pub to: Duration,
    /// What its label takes, in pixels.
    pub room: f64,
}

/// A moment's place. Marks have places of their own, so several places may be of one moment.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: Duration,
    has_mark: bool,
    x: f64,
}

#[derive(Debug)]
pub struct Axis(Vec<Place>);

impl Axis {
    /// From `left` on, in pixels.
    pub fn new(spans: &[Span], marks: &[Duration], left: f64) -> Axis {
        let edges = spans.iter().flat_map(|span| [(span.from, false), (span.to, false)]);
        let mut moments: Vec<_> = edges.chain(marks.iter().map(|at| (*at, true))).collect();
        moments.sort();
        let mut axis = Axis(Vec::new());
        for (at, is_mark) in moments {
            match axis.0.last_mut() {
                Some(last) if last.at == at && !(is_mark && last.has_mark) => last.has_mark |= is_mark,
                _ => axis.0.push(Place { at, has_mark: is_mark, x: left }),
            }
        }
        axis.spread(spans);
        axis
    }

    fn spread(&mut self, spans: &[Span]) {
        for n in 1..self.0.len() {
            let (before, place) = (self.0[n - 1], self.0[n]);
            let least = if before.has_mark && place.has_mark { BETWEEN_MARKS } else { 0.0 };
            let mut x = before.x + gap(place.at - before.at).max(least);
            for span in spans.iter().filter(|span| span.to == place.at && span.from < place.at) {
                x = x.max(self.x(span.from) + span.room);
            }
            self.0[n].x = x;
        }
    }

    /// Where a moment of a span or of a mark stands; of several places the first.
    pub fn x(&self, at: Duration) -> f64 {
        self.0.iter().find(|place| place.at >= at).or(self.0.last()).map_or(0.0, |place| place.x)
    }

    /// Where the marks stand, in the order in which they were given: that of time.
    pub fn marks(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().filter(|place| place.has_mark).map(|place| place.x)
    }

    /// The right end.
    pub fn end(&self) -> f64 {
        self.0.last().map_or(0.0, |place| place.x)
    }

    /// Moments that have room for a label of this width, with their places.
    pub fn labelled(&self, width: f64) -> Vec<(Duration, f64)> {
        let mut labelled: Vec<(Duration, f64)> = Vec::new();
        for place in &self.0 {
            if labelled.last().is_none_or(|(at, x)| place.x - x >= width && place.at > *at) {
                labelled.push((place.at, place.x));
            }
        }
        labelled
    }
}

/// Pixels for so long a time: ten times as long takes 16 more.
fn gap(time: Duration) -> f64 {
    8.0 + 16.0 * (1.0 + time.as_secs_f64() * 1e4).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn time_runs_to_the_right_and_marks_stand_apart() {
        let spans = [Span { from: ms(0), to: ms(3), room: 90.0 }, Span { from: ms(1), to: ms(9000), room: 10.0 }];
        let axis = Axis::new(&spans, &[ms(1), ms(1), ms(2), ms(3)], 50.0);
        let xs: Vec<_> = [0, 1, 2, 3, 9000].map(|at| axis.x(ms(at))).to_vec();
        assert!(xs[0] == 50.0 && xs.is_sorted() && xs[3] - xs[0] >= 90.0, "{xs:?}");
        let marks: Vec<_> = axis.marks().collect();
        assert!(marks.len() == 4 && marks.windows(2).all(|two| two[1] - two[0] >= BETWEEN_MARKS), "{marks:?}");
    }

    #[test]
    fn labels_do_not_touch() {
        let marks: Vec<_> = (0..20).map(ms).collect();
        let labelled = Axis::new(&[], &marks, 0.0).labelled(60.0);
        assert!(labelled.len() > 3 && labelled.windows(2).all(|two| two[1].1 - two[0].1 >= 60.0), "{labelled:?}");
    }
}
