#include "engine/train/seed.hpp"

#include <cstdint>
#include <random>

namespace ptp::engine {

config::Experiment with_seed(config::Experiment experiment) {
    if (!experiment.seed) {
        experiment.seed = static_cast<std::int64_t>(std::random_device()());
    }
    return experiment;
}

}  // namespace ptp::engine
