#include "engine/predict/cells.hpp"

#include "base/number.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>

namespace ptp::engine {

namespace {

// Returns the double with the digits of the shortest decimal text that reads back as this float.
double shortest(float value) {
    return std::isfinite(value) ? std::strtod(fmt::format("{}", value).c_str(), nullptr) : value;
}

}  // namespace

Cell real_cell(double value) {
    return std::isfinite(value) ? Cell(value) : Cell(exact_text(value));
}

Cell number_cell(const at::Tensor& tensor) {
    if (tensor.scalar_type() == at::kBool) {
        return tensor.item<bool>();
    }
    if (!tensor.is_floating_point()) {
        return tensor.item<std::int64_t>();
    }
    return real_cell(tensor.scalar_type() == at::kDouble ? tensor.item<double>()
                                                         : shortest(tensor.item<float>()));
}

Cell tensor_cell(const at::Tensor& tensor) {
    if (tensor.dim() == 0) {
        return number_cell(tensor);
    }
    Cell list = Cell::array();
    for (std::int64_t i = 0; i < tensor.size(0); ++i) {
        list.push_back(tensor_cell(tensor[i]));
    }
    return list;
}

}  // namespace ptp::engine
