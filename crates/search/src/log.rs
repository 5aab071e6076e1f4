//! A list that is written once from its start to its end and read once, in pieces: it never copies what it holds, so a
//! pass that notes something of every node takes no more memory than the notes.

/// Items of a piece.
const PIECE: usize = 1 << 10;

/// Items in the order in which they came.
#[derive(Debug)]
pub(super) struct Log<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<T> Log<T> {
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(item),
            _ => self.begin(item),
        }
    }

    #[cold]
    fn begin(&mut self, item: T) {
        let mut piece = Vec::with_capacity(PIECE);
        piece.push(item);
        self.pieces.push(piece);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flatten()
    }

    /// Takes over what another has noted, in no particular order.
    pub(super) fn extend(&mut self, other: Self) {
        // The last piece is the one that goes on.
        self.pieces.splice(0..0, other.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_back_from_pieces_of_one_size() {
        let (mut log, mut other) = (Log::default(), Log::default());
        (0..3000).for_each(|item| log.push(item));
        (3000..3500).for_each(|item| other.push(item));
        log.extend(other);
        log.push(3500);
        let mut found: Vec<i32> = log.iter().copied().collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..3501));
        assert!(log.pieces.iter().all(|piece| piece.capacity() == PIECE));
    }
}
