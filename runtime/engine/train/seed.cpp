#include "engine/train/seed.hpp"

#include <cstdint>
#include <random>

namespace ptp::engine {

experiment::Experiment with_seed(experiment::Experiment experiment) {
    if (!experiment.seed) {
        experiment.seed = static_cast<std::int64_t>(std::random_device()());
    }
    return experiment;
}

}  // namespace ptp::engine
