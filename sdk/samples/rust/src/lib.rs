//! ConfidenceStatistics: the confidence of a classifier.
//!
//! For log-probabilities `predictions` [B, classes], the means over samples of
//!
//!     confidence = max_c p_c          entropy = -sum_c p_c ln p_c
//!
//! A network whose confidence is far above its accuracy is overconfident. Pair it with AccuracyStatistics.

mod bindings;
mod ptp;

use ptp::{Component, Error, Port, Statistic, Tensor};

struct ConfidenceStatistics {
    confidence: f64,
    entropy: f64,
}

impl Component for ConfidenceStatistics {
    const PORTS: &'static [Port] = &[Port {
        name: "predictions\0",
        shape: "B, classes\0",
        help: "Log-probability of each class\0",
    }];
    const STATISTICS: &'static [Statistic] = &[
        Statistic {
            name: "confidence\0",
            help: "Mean probability of the likeliest class\0",
        },
        Statistic {
            name: "entropy\0",
            help: "Mean entropy of the predictions, in nats\0",
        },
    ];

    fn new() -> Result<Self, Error> {
        Ok(ConfidenceStatistics {
            confidence: 0.0,
            entropy: 0.0,
        })
    }

    fn forward(&mut self, inputs: &[Tensor]) -> Result<(), Error> {
        let predictions = &inputs[0];
        let (rows, classes) = (predictions.shape()[0], predictions.shape()[1]);
        if classes == 0 {
            return Err(Error::Data("predictions have no classes".to_string()));
        }
        let (mut confidence, mut entropy) = (0.0, 0.0);
        for row in 0..rows {
            let mut largest = f64::NEG_INFINITY;
            for class in 0..classes {
                let log_probability = predictions.number(&[row, class])?;
                largest = largest.max(log_probability);
                if log_probability > f64::NEG_INFINITY {
                    entropy -= log_probability.exp() * log_probability;
                }
            }
            confidence += largest.exp();
        }
        let count = rows.max(1) as f64;
        self.confidence = confidence / count;
        self.entropy = entropy / count;
        Ok(())
    }

    fn collect(&self, values: &mut [f64]) {
        values[0] = self.confidence;
        values[1] = self.entropy;
    }
}

ptp::plugin! {
    name: "confidence\0",
    version: concat!(env!("CARGO_PKG_VERSION"), "\0"),
    license: concat!(env!("CARGO_PKG_LICENSE"), "\0"),
    component: ConfidenceStatistics,
    component_name: "ConfidenceStatistics\0",
    summary: "How sure a classifier is: confidence and entropy\0",
}
