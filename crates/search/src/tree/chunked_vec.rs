//! A vector in chunks of one size: appending never copies what is there, so a pass that records something for every
//! node takes no more memory than the records. Not indexed, unlike the arena of `einsicht_graph`: it is written once
//! and read once.

/// Items per chunk.
const CHUNK: usize = 1 << 10;

/// Items in the order in which they were pushed.
#[derive(Debug)]
pub(super) struct ChunkedVec<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T> ChunkedVec<T> {
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(item),
            _ => self.start_chunk(item),
        }
    }

    #[cold]
    fn start_chunk(&mut self, item: T) {
        let mut chunk = Vec::with_capacity(CHUNK);
        chunk.push(item);
        self.chunks.push(chunk);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Takes over the items of another, in no particular order.
    pub(super) fn extend(&mut self, other: Self) {
        // The last chunk is the one that is appended to.
        self.chunks.splice(0..0, other.chunks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_come_back_from_chunks_of_one_size() {
        let (mut items, mut other) = (ChunkedVec::default(), ChunkedVec::default());
        (0..3000).for_each(|item| items.push(item));
        (3000..3500).for_each(|item| other.push(item));
        items.extend(other);
        items.push(3500);
        let mut found: Vec<i32> = items.iter().copied().collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..3501));
        assert!(items.chunks.iter().all(|chunk| chunk.capacity() == CHUNK));
    }
}
