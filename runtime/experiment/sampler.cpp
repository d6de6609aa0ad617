#include "experiment/sampler.hpp"

namespace ptp::experiment {

std::string_view Sampler::type() const {
    return std::visit([](const auto& one) { return one.kName; }, options);
}

bool Sampler::is_in_order() const {
    return is_each_once || std::visit(
                               [](const auto& one) {
                                   if constexpr (requires { one.is_in_order(); }) {
                                       return one.is_in_order();
                                   } else {
                                       return false;
                                   }
                               },
                               options);
}

bool Sampler::needs_labels() const {
    return get<StratifiedSplitSampler>() != nullptr || get<KFoldStratifiedSampler>() != nullptr ||
           (get<Classes>() != nullptr && !is_in_order());
}

bool Sampler::needs_lengths() const {
    return get<Lengths>() != nullptr && !is_in_order();
}

}  // namespace ptp::experiment
