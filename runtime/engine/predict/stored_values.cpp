// Stores values of streams as tensors, reads them again and compares them.

#include "engine/predict/stored_values.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// The parts of a side: "input/tensors/images", "input/bytes/sentences".
constexpr const char* kTensors = "tensors";
constexpr const char* kBytes = "bytes";
constexpr const char* kEnds = "ends";

at::Tensor bytes_of(const std::vector<std::string>& strings) {
    std::string all;
    for (const std::string& one : strings) {
        all += one;
    }
    at::Tensor bytes = torch::empty({static_cast<std::int64_t>(all.size())}, at::kByte);
    std::memcpy(bytes.data_ptr(), all.data(), all.size());
    return bytes;
}

at::Tensor ends_of(const std::vector<std::string>& strings) {
    at::Tensor ends = torch::empty({static_cast<std::int64_t>(strings.size())}, at::kLong);
    std::int64_t end = 0;
    for (std::size_t i = 0; i < strings.size(); ++i) {
        end += static_cast<std::int64_t>(strings[i].size());
        ends.data_ptr<std::int64_t>()[i] = end;
    }
    return ends;
}

[[noreturn]] void refuse_texts(const std::string& stream) {
    throw RunError(kDataError,
                   fmt::format("the stored texts of '{}' are damaged", harmless(stream)));
}

std::vector<std::string> strings_in(const at::Tensor& bytes, const at::Tensor& ends,
                                    const std::string& stream) {
    if (bytes.dim() != 1 || ends.dim() != 1 || bytes.scalar_type() != at::kByte ||
        ends.scalar_type() != at::kLong) {
        refuse_texts(stream);
    }
    const std::string_view all(static_cast<const char*>(bytes.data_ptr()),
                               static_cast<std::size_t>(bytes.numel()));
    std::vector<std::string> strings;
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < ends.numel(); ++i) {
        const std::int64_t end = ends.data_ptr<std::int64_t>()[i];
        if (end < begin || end > bytes.numel()) {
            refuse_texts(stream);
        }
        strings.emplace_back(
            all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        begin = end;
    }
    return strings;
}

ptp_element element_of(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kLong:
            return PTP_INTEGER;
        case at::kBool:
            return PTP_BOOL;
        case at::kByte:
            return PTP_BYTE;
        default:
            return PTP_FLOAT;
    }
}

// Returns "[0, 2]" for an element of a tensor, by its place in memory.
std::string place_of(const at::Tensor& tensor, std::int64_t number) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(tensor.dim()));
    for (std::size_t axis = place.size(); axis-- > 0;) {
        const std::int64_t size = tensor.size(static_cast<std::int64_t>(axis));
        place[axis] = number % size;
        number /= size;
    }
    return "[" + join(place, ", ") + "]";
}

std::optional<std::string> different_strings(const std::vector<std::string>& stored,
                                             const std::vector<std::string>& computed) {
    for (std::size_t i = 0; i < std::min(stored.size(), computed.size()); ++i) {
        if (stored[i] != computed[i]) {
            return fmt::format("differs at [{}]: \"{}\", stored was \"{}\"", i,
                               harmless(computed[i]), harmless(stored[i]));
        }
    }
    return stored.size() == computed.size()
               ? std::nullopt
               : std::optional(
                     fmt::format("has {} texts, stored were {}", computed.size(), stored.size()));
}

// Equal values, also infinite ones, have no distance, and nan has none from nan.
double distance(double one, double other) {
    if (one == other || (std::isnan(one) && std::isnan(other))) {
        return 0;
    }
    const double apart = std::abs(one - other);
    return std::isnan(apart) ? INFINITY : apart;
}

}  // namespace

void store_values(const std::string& side, const ValuesByStream& values, TensorsByName& tensors) {
    const auto add = [&](const char* part, const std::string& stream, at::Tensor tensor) {
        tensors.emplace_back(fmt::format("{}/{}/{}", side, part, stream), std::move(tensor));
    };
    for (const auto& [stream, value] : values) {
        if (value.element == PTP_STRING) {
            add(kBytes, stream, bytes_of(value.strings));
            add(kEnds, stream, ends_of(value.strings));
        } else {
            add(kTensors, stream, value.tensor);
        }
    }
}

ValuesByStream stored_values(const std::string& side, const TensorsByName& tensors) {
    const TensorsByName mine = tensors_below(tensors, side);
    ValuesByStream values;
    for (const auto& [stream, tensor] : tensors_below(mine, kTensors)) {
        values[stream] = {.element = element_of(tensor), .tensor = tensor};
    }
    const TensorsByName ends = tensors_below(mine, kEnds);
    for (const auto& [stream, bytes] : tensors_below(mine, kBytes)) {
        const auto own = std::ranges::find(ends, stream, &TensorsByName::value_type::first);
        if (own == ends.end()) {
            refuse_texts(stream);
        }
        values[stream] = {.element = PTP_STRING, .strings = strings_in(bytes, own->second, stream)};
    }
    return values;
}

std::optional<std::string> difference_from_stored(const KeptValue& stored,
                                                  const KeptValue& computed, double tolerance) {
    if (stored.element != computed.element) {
        return "has values of another type than what was stored";
    }
    if (stored.element == PTP_STRING) {
        return different_strings(stored.strings, computed.strings);
    }
    if (stored.tensor.sizes() != computed.tensor.sizes()) {
        return fmt::format("has the shape [{}], stored was [{}]",
                           join(computed.tensor.sizes(), ", "), join(stored.tensor.sizes(), ", "));
    }
    const at::Tensor before = stored.tensor.to(at::kCPU, at::kDouble).contiguous();
    const at::Tensor now = computed.tensor.to(at::kCPU, at::kDouble).contiguous();
    const auto* const expected = before.data_ptr<double>();
    const auto* const actual = now.data_ptr<double>();
    double scale = 1;
    double farthest = 0;
    std::int64_t place = 0;
    for (std::int64_t i = 0; i < before.numel(); ++i) {
        scale = std::isfinite(expected[i]) ? std::max(scale, std::abs(expected[i])) : scale;
        if (const double apart = distance(expected[i], actual[i]); apart > farthest) {
            farthest = apart;
            place = i;
        }
    }
    const bool is_exact = stored.element != PTP_FLOAT;
    if (farthest <= (is_exact ? 0 : tolerance * scale)) {
        return std::nullopt;
    }
    return fmt::format("differs by up to {:.3g} at {}: {:.7g}, stored was {:.7g}", farthest,
                       place_of(before, place), actual[place], expected[place]);
}

}  // namespace ptp::engine
