//! Where is there room for a text? Greedy placement among what is already drawn.

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    fn inside(&self, other: &Rect) -> bool {
        self.x >= other.x
            && self.y >= other.y
            && self.x + self.width <= other.x + other.width
            && self.y + self.height <= other.y + other.height
    }
}

/// Height of a line of text of this size, in pixels.
pub fn text_height(size_px: f64) -> f64 {
    size_px * 1.15
}

/// Width of a text of this size, in pixels: an upper estimate for the sans-serif faces of the page.
pub fn text_width(text: &str, size_px: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.32,
            'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.42,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.92,
            c if c.is_uppercase() => 0.72,
            c if c as u32 > 0x2000 => 1.0,
            _ => 0.6,
        })
        .sum();
    ems * size_px
}

/// Occupied areas, and the bounds for texts.
#[derive(Debug, Clone)]
pub struct Room {
    bounds: Rect,
    taken: Vec<Rect>,
}

impl Room {
    /// Empty bounds.
    pub fn new(bounds: Rect) -> Room {
        Room {
            bounds,
            taken: Vec::new(),
        }
    }

    /// Marks an area as occupied.
    pub fn take(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    /// True if the area is free.
    pub fn is_free(&self, rect: &Rect) -> bool {
        !self.taken.iter().any(|taken| taken.overlaps(rect))
    }

    /// Marks the straight line between two points as occupied.
    pub fn take_line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let steps = ((to.0 - from.0).hypot(to.1 - from.1) / 4.0)
            .ceil()
            .clamp(1.0, 500.0);
        for step in 0..=steps as u32 {
            let share = f64::from(step) / steps;
            let (x, y) = (
                from.0 + share * (to.0 - from.0),
                from.1 + share * (to.1 - from.1),
            );
            self.take(Rect {
                x: x - 1.0,
                y: y - 1.0,
                width: 2.0,
                height: 2.0,
            });
        }
    }

    /// Occupies the first position around `point` where a text of this size fits, and returns its left baseline corner.
    /// The nearest positions are tried first, right of the point before left of it if `right_first`.
    pub fn place_near(
        &mut self,
        point: (f64, f64),
        text: &str,
        size_px: f64,
        right_first: bool,
    ) -> Option<(f64, f64)> {
        let (width, height) = (text_width(text, size_px), text_height(size_px));
        let (x, y) = point;
        for gap in [7.0, 13.0] {
            let right = [
                (x + gap, y - height / 2.0),
                (x + gap * 0.7, y - height - gap * 0.5),
                (x + gap * 0.7, y + gap * 0.5),
            ];
            let middle = [
                (x - width / 2.0, y - height - gap * 0.8),
                (x - width / 2.0, y + gap * 0.8),
            ];
            let left = [
                (x - width - gap, y - height / 2.0),
                (x - width - gap * 0.7, y - height - gap * 0.5),
                (x - width - gap * 0.7, y + gap * 0.5),
            ];
            let order = if right_first {
                [&right[..], &middle, &left]
            } else {
                [&middle[..], &left, &right]
            };
            for (left, top) in order.into_iter().flatten() {
                let rect = Rect {
                    x: *left,
                    y: *top,
                    width,
                    height,
                };
                if rect.inside(&self.bounds)
                    && !self.taken.iter().any(|taken| taken.overlaps(&rect))
                {
                    self.take(rect);
                    // The baseline is about a fifth of the height above the lower edge.
                    return Some((*left, *top + height * 0.8));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_never_overlap_and_stay_inside() {
        let bounds = Rect {
            x: 0.0,
            y: 0.0,
            width: 200.0,
            height: 100.0,
        };
        let mut room = Room::new(bounds);
        room.take_line((0.0, 50.0), (200.0, 50.0));
        let mut placed = 0;
        for at in 0..60 {
            placed += usize::from(
                room.place_near((f64::from(at) * 3.3, 50.0), "128", 12.0, false)
                    .is_some(),
            );
        }
        assert!(placed >= 4, "{placed} placed");
        let texts: Vec<Rect> = room
            .taken
            .iter()
            .copied()
            .filter(|rect| rect.height > 2.0)
            .collect();
        assert_eq!(texts.len(), placed);
        for (at, rect) in texts.iter().enumerate() {
            assert!(rect.inside(&bounds));
            assert!(texts[..at].iter().all(|other| !other.overlaps(rect)));
        }
    }

    #[test]
    fn no_room_is_said() {
        let mut room = Room::new(Rect {
            x: 0.0,
            y: 0.0,
            width: 10.0,
            height: 10.0,
        });
        assert_eq!(
            room.place_near((5.0, 5.0), "much too long", 12.0, true),
            None
        );
    }
}
