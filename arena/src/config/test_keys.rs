//! Reads the keys of a sequential test.

use tengen_engine::text::quotable;

use crate::stats::llr::EloModel;
use crate::stats::sprt::Sprt;

/// Sets one key of a test. The error quotes the key or the value.
pub(crate) fn set(test: &mut Sprt, key: &str, value: &str) -> Result<(), String> {
    let number = || {
        let number: Result<f64, _> = value.parse();
        let found = quotable(value);
        number
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| format!("sprt: {key} needs a number, found \"{found}\""))
    };
    match key {
        "elo0" => test.elo[0] = number()?,
        "elo1" => test.elo[1] = number()?,
        "alpha" => test.alpha = number()?,
        "beta" => test.beta = number()?,
        "model" => {
            let found = quotable(value);
            test.model = EloModel::by_name(value).ok_or_else(|| {
                format!("sprt: model \"{found}\": it must be normalized or logistic")
            })?;
        }
        _ => {
            let found = quotable(key);
            return Err(format!(
                "sprt: unknown key \"{found}\": it must be one of elo0, elo1, alpha, beta, model"
            ));
        }
    }
    Ok(())
}

/// Checks the values of a test together.
pub(crate) fn check(test: &Sprt) -> Result<(), String> {
    let [elo0, elo1] = test.elo;
    for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
        if elo.abs() > 1000.0 {
            return Err(format!("sprt: {name}={elo:?}: it must be from -1000 to 1000"));
        }
    }
    if elo0 >= elo1 {
        return Err(format!("sprt: elo0={elo0} must be below elo1={elo1}"));
    }
    for (name, chance) in [("alpha", test.alpha), ("beta", test.beta)] {
        if !(chance > 0.0 && chance < 0.5) {
            return Err(format!("sprt: {name}={chance}: it must be above 0 and below 0.5"));
        }
    }
    Ok(())
}
