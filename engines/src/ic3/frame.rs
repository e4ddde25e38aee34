//! Frames of IC3, as sets of blocked cubes.

use crate::invariants::cube::Cube;

/// Delta frames: a cube stands in the highest frame that is known to block it, and is blocked in all
/// frames up to there. Frame 0 is the initialisation and blocks nothing by cubes.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    blocked: Vec<Vec<Cube>>,
}

impl Frames {
    /// Frame 0 alone.
    pub fn new() -> Frames {
        Frames { blocked: vec![vec![]] }
    }

    /// Number of the last frame.
    pub fn last(&self) -> usize {
        self.blocked.len() - 1
    }

    /// Adds a frame.
    pub fn open(&mut self) {
        self.blocked.push(vec![]);
    }

    /// Blocks a cube up to `frame`; cubes that it subsumes there and below are dropped.
    pub fn block(&mut self, cube: Cube, frame: usize, subsumes: &dyn Fn(&Cube, &Cube) -> bool) {
        for level in &mut self.blocked[..=frame] {
            level.retain(|c| !subsumes(&cube, c));
        }
        self.blocked[frame].push(cube);
    }

    /// The cubes that stand in exactly this frame.
    pub fn cubes(&self, frame: usize) -> &[Cube] {
        &self.blocked[frame]
    }

    /// The cubes blocked in this frame: those that stand here or higher.
    pub fn blocked_in(&self, frame: usize) -> impl Iterator<Item = &Cube> {
        self.blocked.iter().skip(frame).flatten()
    }

    /// The highest frame whose cubes block `cube` as far as can be seen.
    pub fn contains(
        &self,
        cube: &Cube,
        frame: usize,
        subsumes: &dyn Fn(&Cube, &Cube) -> bool,
    ) -> Option<usize> {
        (frame..self.blocked.len()).rev().find(|&i| self.blocked[i].iter().any(|c| subsumes(c, cube)))
    }

    /// Cubes in each frame.
    pub fn sizes(&self) -> Vec<usize> {
        self.blocked.iter().skip(1).map(Vec::len).collect()
    }

    /// Takes a cube out of a frame.
    pub fn remove(&mut self, frame: usize, cube: &Cube) {
        self.blocked[frame].retain(|c| c != cube);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariants::cube::tests::cube;

    #[test]
    fn a_stronger_lemma_replaces_weaker_ones_in_lower_frames() {
        let mut frames = Frames::new();
        frames.open();
        frames.open();
        frames.block(cube(&[1, 2]), 1, &Cube::subsumes);
        frames.block(cube(&[3]), 1, &Cube::subsumes);
        frames.block(cube(&[1]), 2, &Cube::subsumes);
        assert_eq!(frames.cubes(1), [cube(&[3])]);
        assert_eq!(frames.blocked_in(1).count(), 2);
        assert_eq!(frames.contains(&cube(&[1, 5]), 1, &Cube::subsumes), Some(2));
        assert_eq!(frames.contains(&cube(&[5]), 1, &Cube::subsumes), None);
    }
}
