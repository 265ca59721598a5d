//! SPSA (simultaneous perturbation stochastic approximation): tunes numeric options by games.
//!
//! Each step changes all parameters in random directions, plays them against the opposite change,
//! and moves the parameters towards the winner.
// CITE: James Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
// optimization", IEEE Trans. Aerosp. Electron. Syst. 34 (1998) 817.
// CITE: fishtest, spsa_workflow.py; OpenBench, spsa_utils.py

use fastrand::Rng;

/// One parameter of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The name of the engine's option.
    pub name: String,
    /// Whether the option takes whole numbers only.
    pub is_integer: bool,
    /// The value at the start.
    pub start: f64,
    /// The minimum value.
    pub min: f64,
    /// The maximum value.
    pub max: f64,
    /// The perturbation in the last step.
    pub c_end: f64,
    /// The learning rate of the last step, in units of `c_end` squared.
    pub r_end: f64,
}

/// The schedule of perturbations and learning rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepSchedule {
    /// The number of steps (K).
    pub steps: u64,
    /// The exponent of the decay of the learning rate.
    pub alpha: f64,
    /// The exponent of the decay of the perturbations.
    pub gamma: f64,
    /// The stability constant (A), in steps.
    pub stability: f64,
}

/// One step of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct SpsaStep {
    /// The random direction of each parameter: 1 or -1.
    flips: Vec<f64>,
    /// The perturbation of each parameter.
    widths: Vec<f64>,
    /// The learning rate of each parameter.
    rates: Vec<f64>,
    /// The values of the player that is changed along the flips, and of the opponent.
    pub values: [Vec<f64>; 2],
}

impl SpsaStep {
    /// Creates step `number`, from 1, at the parameters `theta`. Equal random generators give equal
    /// steps.
    pub fn at(
        parameters: &[Parameter],
        schedule: &StepSchedule,
        number: u64,
        theta: &[f64],
        random: &mut Rng,
    ) -> Self {
        let (last, now) = (schedule.steps as f64, number as f64);
        let shrink = (last / now).powf(schedule.gamma);
        let slow = ((schedule.stability + last) / (schedule.stability + now)).powf(schedule.alpha);
        let widths: Vec<f64> = parameters.iter().map(|p| p.c_end * shrink).collect();
        let rates = parameters.iter().zip(&widths);
        let rates = rates.map(|(p, width)| p.r_end * (p.c_end / width).powi(2) * slow).collect();
        let flips: Vec<f64> =
            parameters.iter().map(|_| if random.bool() { 1.0 } else { -1.0 }).collect();
        let moved = |sign: f64, random: &mut Rng| -> Vec<f64> {
            let places = parameters.iter().enumerate();
            let value = |(place, parameter): (usize, &Parameter)| {
                let raw = theta[place] + sign * widths[place] * flips[place];
                parameter.value(raw, random)
            };
            places.map(value).collect()
        };
        let values = [moved(1.0, random), moved(-1.0, random)];
        Self { flips, widths, rates, values }
    }

    /// Returns the parameters after the step. `won_by` is the wins minus losses of the player that
    /// was changed along the flips.
    pub fn learn(&self, parameters: &[Parameter], theta: &[f64], won_by: f64) -> Vec<f64> {
        let places = parameters.iter().enumerate();
        let learned = places.map(|(place, parameter)| {
            let change = self.rates[place] * self.widths[place] * self.flips[place] * won_by;
            (theta[place] + change).clamp(parameter.min, parameter.max)
        });
        learned.collect()
    }
}

impl Parameter {
    /// Returns `value` within the limits, as an engine gets it. For a whole number, `value` is
    /// rounded up or down at random, so that the mean is `value`.
    fn value(&self, value: f64, random: &mut Rng) -> f64 {
        let value = value.clamp(self.min, self.max);
        if self.is_integer {
            (value + random.f64()).floor().clamp(self.min, self.max)
        } else {
            value
        }
    }

    /// Returns the final value of a tuning: `value`, rounded if the option takes whole numbers.
    pub fn rounded(&self, value: f64) -> f64 {
        if self.is_integer { value.round() } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SpsaConfig;

    fn parameter(is_integer: bool) -> Parameter {
        let name = "Depth".to_owned();
        Parameter { name, is_integer, start: 10.0, min: 0.0, max: 40.0, c_end: 2.0, r_end: 0.02 }
    }

    #[test]
    fn the_last_step_has_the_configured_width_and_rate() {
        let parameters = [parameter(false)];
        let step = SpsaStep::at(
            &parameters,
            &SpsaConfig::default().schedule(50),
            50,
            &[10.0],
            &mut Rng::with_seed(1),
        );
        assert_eq!((step.widths[0], step.rates[0]), (2.0, 0.02));
        assert_eq!(step.values[0][0] - 10.0, 10.0 - step.values[1][0]);
        let moved = step.learn(&parameters, &[10.0], 2.0)[0] - 10.0;
        assert!((moved.abs() - 0.02 * 2.0 * 2.0).abs() < 1e-12);
        assert_eq!(step.learn(&parameters, &[10.0], 1e9)[0] % 40.0, 0.0);
    }

    #[test]
    fn whole_numbers_are_rounded_at_random_and_stay_within_their_limits() {
        let parameters = [parameter(true)];
        let schedule = SpsaConfig::default().schedule(1000);
        let mut random = Rng::with_seed(3);
        let mut sum = 0.0;
        for number in 1..=1000 {
            let step = SpsaStep::at(&parameters, &schedule, number, &[0.4], &mut random);
            for value in [step.values[0][0], step.values[1][0]] {
                assert!(value.fract() == 0.0 && (0.0..=40.0).contains(&value));
            }
            sum += parameters[0].value(7.3, &mut random);
        }
        assert!((sum / 1000.0 - 7.3).abs() < 0.06, "{sum}");
    }

    #[test]
    fn a_tuning_finds_the_best_value_of_a_noisy_game() {
        let parameters = [parameter(false), parameter(true)];
        let schedule = SpsaConfig::default().schedule(4000);
        let mut random = Rng::with_seed(7);
        let mut theta = vec![10.0, 35.0];
        for number in 1..=4000 {
            let step = SpsaStep::at(&parameters, &schedule, number, &theta, &mut random);
            // Elo decreases with the square of the distance from (22, 17).
            let strength =
                |values: &[f64]| -((values[0] - 22.0).powi(2) + (values[1] - 17.0).powi(2));
            let elo = strength(&step.values[0]) - strength(&step.values[1]);
            let chance = crate::stats::elo::score_of_elo(elo);
            let won_by = if random.f64() < chance { 1.0 } else { -1.0 };
            theta = step.learn(&parameters, &theta, won_by);
        }
        assert!((theta[0] - 22.0).abs() < 4.0 && (theta[1] - 17.0).abs() < 4.0, "{theta:?}");
    }
}
