#include "engine/optim/shared_sums.hpp"

#include "engine/distributed/packed_state.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr const char* kOfRanks = "ranks";
constexpr const char* kSize = "size";
constexpr const char* kWeights = "weights";

std::vector<double> weights_in(const SavedState& sums) {
    std::vector<double> weights;
    if (const Value* saved = sums.record.find(kWeights); saved != nullptr && saved->is_list()) {
        for (const Value& weight : saved->items()) {
            weights.push_back(weight.is_number() ? weight.as_real() : 0);
        }
    }
    return weights;
}

void set_weights(SavedState& sums, const std::vector<double>& weights) {
    sums.record.set(kWeights, Value::list({weights.begin(), weights.end()}));
}

void add_to(SavedState& total, const SavedState& part) {
    std::vector<double> weights = weights_in(total);
    const std::vector<double> added = weights_in(part);
    weights.resize(std::max(weights.size(), added.size()));
    for (std::size_t i = 0; i < added.size(); ++i) {
        weights[i] += added[i];
    }
    set_weights(total, weights);
    for (const auto& [name, tensor] : part.tensors) {
        const auto found =
            std::ranges::find(total.tensors, name, [](const auto& entry) { return entry.first; });
        if (found == total.tensors.end()) {
            total.tensors.emplace_back(name, tensor);
        } else {
            found->second = found->second.add(tensor);
        }
    }
}

}  // namespace

SavedState gathered_sums(Collective& collective, SavedState own) {
    if (collective.size() == 1) {
        return own;
    }
    const std::vector<std::string> all =
        collective.gather(packed_state(own), "the gathering of the sums of gradients");
    SavedState others;
    others.record.set(kSize, collective.size());
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        add_part(others, std::to_string(rank), unpacked_state(all[rank]));
    }
    add_part(own, kOfRanks, std::move(others));
    return own;
}

SavedState sums_of_rank(const SavedState& saved, std::uint64_t rank, std::uint64_t size) {
    const bool is_of_several = saved.record.find(kOfRanks) != nullptr;
    const SavedState others = is_of_several ? part_of(saved, kOfRanks) : SavedState{};
    const std::uint64_t before =
        is_of_several ? static_cast<std::uint64_t>(integer_in(others.record, kSize)) : 1;
    if (before == size && rank > 0) {
        return part_of(others, std::to_string(rank));
    }
    SavedState own = saved;
    std::erase_if(own.tensors, [](const auto& entry) {
        return entry.first.starts_with(std::string(kOfRanks) + "/");
    });
    if (before == size) {
        return own;
    }
    if (rank > 0) {
        own.tensors.clear();
        set_weights(own, std::vector<double>(weights_in(own).size()));
        return own;
    }
    for (std::uint64_t other = 1; other < before; ++other) {
        add_to(own, part_of(others, std::to_string(other)));
    }
    return own;
}

}  // namespace ptp::engine
