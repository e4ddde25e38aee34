//! Rows packed by frame of reference: for each column the least word, and for each row the difference of its word from
//! that, in as many bits as the greatest difference needs.
//!
//! Goldstein, Ramakrishnan, Shaft: *Compressing Relations and Indexes*, ICDE 1998.

use super::index::word_at;

/// Rows of a chunk.
pub const ROWS: usize = 1024;

/// [`ROWS`] rows.
#[derive(Clone, Debug)]
pub struct Chunk {
    columns: Box<[Column]>,
    /// Bits of a row.
    stride: usize,
    /// The rows, the least significant bit first, and 7 bytes so that every column can be read as a word of 64 bits.
    bits: Box<[u8]>,
}

/// Place of a column in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The least word.
    pub least: u32,
    /// Bits of a difference, at most 32.
    pub bits: u32,
}

impl Column {
    #[inline]
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

impl Chunk {
    /// Packs [`ROWS`] rows of `width` words.
    pub fn pack(rows: &[u32], width: usize) -> Chunk {
        let mut columns: Vec<(u32, u32)> = vec![(u32::MAX, 0); width];
        for row in rows.chunks_exact(width) {
            for ((least, greatest), word) in columns.iter_mut().zip(row) {
                *least = (*least).min(*word);
                *greatest = (*greatest).max(*word);
            }
        }
        let column = |(least, greatest): (u32, u32)| Column {
            least,
            bits: u32::BITS - (greatest - least).leading_zeros(),
        };
        let columns: Box<[Column]> = columns.into_iter().map(column).collect();
        let stride = stride(&columns);
        let mut bits = Vec::with_capacity(bytes(stride));
        // Bits that are not written yet: fewer than 32, so that with the next word they are fewer than 64.
        let (mut rest, mut count) = (0u64, 0);
        for row in rows.chunks_exact(width) {
            for (column, word) in columns.iter().zip(row) {
                rest |= u64::from(word - column.least) << count;
                count += column.bits;
                if count >= 32 {
                    bits.extend_from_slice(&(rest as u32).to_le_bytes());
                    rest >>= 32;
                    count -= 32;
                }
            }
        }
        bits.extend_from_slice(&(rest as u32).to_le_bytes());
        // The bytes behind the rows are 0.
        bits.resize(bytes(stride), 0);
        Chunk { columns, stride, bits: bits.into() }
    }

    /// A chunk of the parts of another one; `None` if they do not fit each other.
    pub fn from_parts(columns: Vec<Column>, bits: Vec<u8>) -> Option<Chunk> {
        if columns.iter().any(|c| c.bits > 32) {
            return None;
        }
        let stride = stride(&columns);
        let chunk = Chunk { columns: columns.into(), stride, bits: bits.into() };
        (chunk.bits.len() == bytes(stride)).then_some(chunk)
    }

    /// The parts.
    pub fn parts(&self) -> (&[Column], &[u8]) {
        (&self.columns, &self.bits)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    fn at(&self, bit: usize, column: Column) -> u32 {
        let difference = word_at(&self.bits, bit / 8) >> (bit % 8) & column.mask();
        column.least.wrapping_add(difference as u32)
    }

    /// The first words of a row.
    #[inline]
    pub fn read(&self, row: usize, words: &mut [u32]) {
        let mut bit = row * self.stride;
        for (word, column) in words.iter_mut().zip(&self.columns) {
            *word = self.at(bit, *column);
            bit += column.bits as usize;
        }
    }

    /// The words of a row, one by one.
    #[inline]
    pub fn words(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        let mut bit = row * self.stride;
        self.columns.iter().map(move |column| {
            let word = self.at(bit, *column);
            bit += column.bits as usize;
            word
        })
    }

    /// One word of a row.
    pub fn word(&self, row: usize, at: usize) -> u32 {
        let before: u32 = self.columns[..at].iter().map(|c| c.bits).sum();
        self.at(row * self.stride + before as usize, self.columns[at])
    }

    /// Returns whether a row begins with these words.
    #[inline]
    pub fn is(&self, row: usize, words: &[u32]) -> bool {
        let mut bit = row * self.stride;
        words.iter().zip(&self.columns).all(|(word, column)| {
            let same = self.at(bit, *column) == *word;
            bit += column.bits as usize;
            same
        })
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        size_of::<Chunk>() + self.columns.len() * size_of::<Column>() + self.bits.len()
    }
}

fn stride(columns: &[Column]) -> usize {
    columns.iter().map(|c| c.bits as usize).sum()
}

fn bytes(stride: usize) -> usize {
    (ROWS * stride).div_ceil(8) + 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dice::Dice;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_come_back_as_they_were(
            columns in prop::collection::vec((any::<u32>(), 0..=32u32), 1..12),
            seed in any::<u64>(),
        ) {
            let mut dice = Dice::new(seed);
            let width = columns.len();
            let word = |(least, bits): &(u32, u32), dice: &mut Dice| {
                least.saturating_add((u64::from(dice.roll() as u32) & ((1 << bits) - 1)) as u32)
            };
            let rows: Vec<u32> = (0..ROWS).flat_map(|_| columns.iter().map(|c| word(c, &mut dice)).collect::<Vec<_>>()).collect();
            let packed = Chunk::pack(&rows, width);
            let (columns, bits) = packed.parts();
            let again = Chunk::from_parts(columns.to_vec(), bits.to_vec()).expect("the parts of a chunk");
            for chunk in [&packed, &again] {
                let mut read = vec![0; width];
                for (i, row) in rows.chunks_exact(width).enumerate() {
                    chunk.read(i, &mut read);
                    prop_assert_eq!(&read[..], row);
                    prop_assert!(chunk.is(i, row));
                    let at = i % width;
                    prop_assert_eq!(chunk.word(i, at), row[at]);
                    read[at] ^= 1 << (i % 32);
                    prop_assert!(!chunk.is(i, &read));
                }
            }
            prop_assert!(Chunk::from_parts(columns.to_vec(), bits[1..].to_vec()).is_none());
        }
    }

    #[test]
    fn columns_that_do_not_vary_take_nothing() {
        let rows: Vec<u32> = (0..ROWS as u32).flat_map(|i| [7, i / 512, u32::MAX]).collect();
        let chunk = Chunk::pack(&rows, 3);
        assert_eq!(chunk.parts().1.len(), ROWS / 8 + 8);
        let too_wide = vec![Column { least: 0, bits: 33 }];
        assert!(Chunk::from_parts(too_wide, vec![0; 33 * ROWS / 8 + 8]).is_none());
    }
}
