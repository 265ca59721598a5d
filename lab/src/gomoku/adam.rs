//! Gradient descent by Adam.

/// Weights that follow a gradient. Each weight has a rate of its own.
// CITE: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015.
pub(super) struct Weights {
    /// The weights as they are now.
    pub(super) now: Vec<f32>,
    first: Vec<f32>,
    /// How strongly the weights are drawn to the first ones.
    decay: f32,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Weights {
    /// Starts from these weights. `decay`: how strongly they are drawn back to them.
    pub(super) fn from(first: Vec<f32>, decay: f32) -> Self {
        let none = vec![0.0; first.len()];
        Self { now: first.clone(), first, decay, mean: none.clone(), square: none, steps: 0 }
    }

    /// Takes one step down the gradient.
    pub(super) fn step(&mut self, gradient: &[f32], rate: f32) {
        const KEEP: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let grown = KEEP.map(|keep| 1.0 - keep.powi(self.steps));
        for (index, &slope) in gradient.iter().enumerate() {
            let slope = slope + self.decay * (self.now[index] - self.first[index]);
            self.mean[index] += (1.0 - KEEP[0]) * (slope - self.mean[index]);
            self.square[index] += (1.0 - KEEP[1]) * (slope * slope - self.square[index]);
            let size = (self.square[index] / grown[1]).sqrt() + 1e-8;
            self.now[index] -= rate * self.mean[index] / grown[0] / size;
        }
    }
}
