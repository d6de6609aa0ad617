#include "config/experiment.hpp"

#include <algorithm>
#include <numeric>

namespace ptp::config {

std::string_view renamed(const std::vector<Renaming>& map, std::string_view name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? name : std::string_view(found->to);
}

std::size_t Indices::size() const {
    return is_range ? static_cast<std::size_t>(values[1] - values[0]) : values.size();
}

std::int64_t Indices::largest() const {
    return is_range ? values[1] - 1 : *std::ranges::max_element(values);
}

std::vector<std::int64_t> Indices::expanded() const {
    if (!is_range)
        return values;
    std::vector<std::int64_t> result(size());
    std::iota(result.begin(), result.end(), values[0]);
    return result;
}

bool Sampler::is_random() const {
    return type == "RandomSampler" || type == "SubsetRandomSampler";
}

}  // namespace ptp::config
