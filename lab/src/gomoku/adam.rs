//! Gradient descent with Adam.

/// Weights under gradient descent. Each weight has its own step size.
// CITE: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015.
pub(super) struct Weights {
    /// The current weights.
    pub(super) current: Vec<f32>,
    start: Vec<f32>,
    /// How strongly the weights are pulled back to `start`.
    decay: f32,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Weights {
    /// Begins with the weights `start`. `decay` is how strongly they are pulled back to them.
    pub(super) fn new(start: Vec<f32>, decay: f32) -> Self {
        let zeros = vec![0.0; start.len()];
        Self { current: start.clone(), start, decay, mean: zeros.clone(), square: zeros, steps: 0 }
    }

    /// Takes one step down the gradient, at learning rate `rate`.
    pub(super) fn step(&mut self, gradient: &[f32], rate: f32) {
        const BETAS: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let correction = BETAS.map(|beta| 1.0 - beta.powi(self.steps));
        for (index, &slope) in gradient.iter().enumerate() {
            let slope = slope + self.decay * (self.current[index] - self.start[index]);
            self.mean[index] += (1.0 - BETAS[0]) * (slope - self.mean[index]);
            self.square[index] += (1.0 - BETAS[1]) * (slope * slope - self.square[index]);
            let size = (self.square[index] / correction[1]).sqrt() + 1e-8;
            self.current[index] -= rate * self.mean[index] / correction[0] / size;
        }
    }
}
