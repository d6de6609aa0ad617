#include "class_batches.hpp"

#include <algorithm>

namespace test {

void run_in_batches(Component& statistic, const std::map<std::string, at::Tensor>& inputs,
                    int64_t size, uint64_t set) {
    int64_t count = 0;  // that of the longest: a test may give inputs that do not fit
    for (const auto& [name, tensor] : inputs) {
        count = std::max(count, tensor.size(0));
    }
    for (int64_t from = 0; from < count; from += size) {
        Slots streams;
        for (const auto& [name, tensor] : inputs) {
            streams.emplace(name, tensor.slice(0, from, std::min(from + size, count)));
        }
        ptp_step step = Component::first_step();
        step.set = set;
        step.section = set == 0 ? "training" : "validation";
        statistic.run(std::move(streams), step);
    }
}

}  // namespace test
