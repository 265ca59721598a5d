//! Gradient descent with Adam.

use fastrand::Rng;

/// Weights under gradient descent. Each weight has its own step size.
// CITE: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015.
struct Weights {
    /// The current weights.
    current: Vec<f32>,
    start: Vec<f32>,
    /// How strongly the weights are pulled back to `start`.
    decay: f32,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Weights {
    /// Begins with the weights `start`. `decay` is how strongly they are pulled back to them.
    fn new(start: Vec<f32>, decay: f32) -> Self {
        let zeros = vec![0.0; start.len()];
        Self { current: start.clone(), start, decay, mean: zeros.clone(), square: zeros, steps: 0 }
    }

    /// Takes one step down the gradient, at learning rate `rate`.
    fn step(&mut self, gradient: &[f32], rate: f32) {
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

/// The length and the steps of a gradient descent.
pub(super) struct Course {
    /// How often each sample is used.
    pub(super) epochs: usize,
    /// The number of samples of a step.
    pub(super) batch: usize,
    /// The learning rate of the first epoch. It falls to 0 in equal steps.
    pub(super) rate: f32,
    /// How strongly the weights are pulled back to the first ones.
    pub(super) decay: f32,
}

/// Fits weights to `samples` samples, beginning with the weights `first`. `loss_of` gets the weights
/// and the index of a sample, adds its gradient, and returns its loss. Returns the last weights and
/// the mean loss of the last epoch.
pub(super) fn descend(
    first: Vec<f32>,
    samples: usize,
    course: &Course,
    rng: &mut Rng,
    loss_of: impl Fn(&[f32], usize, &mut [f32]) -> f32,
) -> (Vec<f32>, f32) {
    let mut weights = Weights::new(first, course.decay);
    let mut gradient = vec![0.0; weights.current.len()];
    let mut order: Vec<usize> = (0..samples).collect();
    let mut total = 0.0_f64;
    for epoch in 0..course.epochs {
        let rate = course.rate * (1.0 - epoch as f32 / course.epochs as f32);
        rng.shuffle(&mut order);
        total = 0.0;
        for batch in order.chunks(course.batch) {
            gradient.fill(0.0);
            for &index in batch {
                total += f64::from(loss_of(&weights.current, index, &mut gradient));
            }
            gradient.iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            weights.step(&gradient, rate);
        }
    }
    (weights.current, (total / samples.max(1) as f64) as f32)
}
