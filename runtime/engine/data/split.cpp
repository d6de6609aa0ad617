#include "engine/data/split.hpp"

#include "base/random.hpp"
#include "experiment/sampler_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ptp::engine {

namespace {

// Of samples that are in the order of the split.
void take(const experiment::Sampler& sampler, const std::vector<std::int64_t>& ordered,
          double shift, std::vector<std::int64_t>& part) {
    const auto count = std::ssize(ordered);
    part.insert(part.end(),
                ordered.begin() + experiment::samples_before(sampler.share[0], count, shift),
                ordered.begin() + experiment::samples_before(sampler.share[1], count, shift));
}

}  // namespace

std::vector<std::int64_t> split_part(const experiment::Sampler& sampler, std::int64_t count,
                                     const std::vector<std::int64_t>& labels) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, derived(static_cast<std::uint64_t>(sampler.split_seed), "split"));
    std::vector<std::int64_t> part;
    if (labels.empty()) {
        take(sampler, order, experiment::kToTheNearest, part);
    } else {
        std::map<std::int64_t, std::vector<std::int64_t>> classes;
        for (const std::int64_t sample : order) {
            classes[labels[static_cast<std::size_t>(sample)]].push_back(sample);
        }
        // With one shift for all, small classes of one size would all be cut on the same side.
        // These are spread evenly, so that the share of all samples is nearly right too.
        constexpr double kGoldenRatio = 0.6180339887498949;
        double shift = 0.5;
        for (const auto& [label, samples] : classes) {
            take(sampler, samples, shift, part);
            shift = std::fmod(shift + kGoldenRatio, 1.0);
        }
    }
    std::sort(part.begin(), part.end());
    return part;
}

}  // namespace ptp::engine
