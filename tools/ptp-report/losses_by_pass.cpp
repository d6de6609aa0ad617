// Sums the losses of each sample over passes, and chooses those with the largest sums.

#include "ptp-report/losses_by_pass.hpp"

#include "ptp-report/checked_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxLosses = 16'000'000;
constexpr double kDeviations = 6;
constexpr float kMaxLoss = 1e30F;  // for which infinite losses count in sums
constexpr float kNoLoss = std::numeric_limits<float>::quiet_NaN();

// Returns the losses in the order of other samples; nan for those that this pass has not.
std::vector<float> in_order_of(const std::vector<std::int64_t>& wanted,
                               const std::vector<std::int64_t>& index,
                               const std::vector<float>& losses) {
    if (index == wanted) {
        return losses;
    }
    std::unordered_map<std::int64_t, float> by_index;
    for (std::size_t i = 0; i < index.size(); ++i) {
        by_index.emplace(index[i], losses[i]);
    }
    std::vector<float> ordered;
    for (const std::int64_t one : wanted) {
        const auto found = by_index.find(one);
        ordered.push_back(found == by_index.end() ? kNoLoss : found->second);
    }
    return ordered;
}

// Adds the borders of the shades.
void add_range(Json& worst, std::vector<float> losses) {
    std::erase_if(losses, [](float loss) { return !std::isfinite(loss); });
    if (losses.empty()) {
        worst["low"] = worst["high"] = nullptr;
        return;
    }
    const auto count = static_cast<double>(losses.size());
    const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / count;
    double squares = 0;
    for (const float loss : losses) {
        squares += (loss - mean) * (loss - mean);
    }
    const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
    std::ranges::nth_element(losses, middle);
    worst["low"] = rounded(*middle);
    worst["high"] = rounded(mean + kDeviations * std::sqrt(squares / count));
}

}  // namespace

void LossesByPass::add(std::string epoch, std::vector<std::int64_t> index,
                       std::vector<float> losses) {
    count_ += losses.size();
    passes_.push_back({std::move(epoch), std::move(index), std::move(losses)});
    while (count_ > kMaxLosses && passes_.size() > 1) {
        count_ -= passes_.front().losses.size();
        passes_.pop_front();
    }
}

Json LossesByPass::worst(std::size_t samples) const {
    if (passes_.size() < 2) {
        return nullptr;
    }
    const std::vector<std::int64_t>& index = passes_.back().index;
    std::vector<std::vector<float>> rows;
    std::vector<double> sums(index.size());
    Json worst = {{"index", Json::array()}, {"epochs", Json::array()}, {"rows", Json::array()}};
    for (const Pass& pass : passes_) {
        rows.push_back(in_order_of(index, pass.index, pass.losses));
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const float loss = rows.back()[i];
            sums[i] += std::isnan(loss) ? 0 : std::clamp(loss, -kMaxLoss, kMaxLoss);
        }
        worst["epochs"].push_back(pass.epoch);
    }
    std::vector<std::size_t> places(index.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    samples = std::min(samples, places.size());
    std::ranges::partial_sort(places, places.begin() + static_cast<std::ptrdiff_t>(samples),
                              [&](std::size_t a, std::size_t b) {
                                  return std::pair(-sums[a], a) < std::pair(-sums[b], b);
                              });
    places.resize(samples);
    for (const std::size_t place : places) {
        worst["index"].push_back(index[place]);
    }
    for (const std::vector<float>& row : rows) {
        Json losses = Json::array();
        for (const std::size_t place : places) {
            losses.push_back(rounded(row[place]));
        }
        worst["rows"].push_back(std::move(losses));
    }
    add_range(worst, passes_.back().losses);
    return worst;
}

}  // namespace ptp::report
