#include "ptp-cases/difference.hpp"

#include "base/number.hpp"
#include "base/toml_writer.hpp"
#include "ptp-cases/tensors.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ptp::cases {

namespace {

std::string shape_text(at::IntArrayRef shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_near(double found, double expected, const Tolerance& tolerance) {
    if (std::isnan(expected) || std::isnan(found)) {
        return std::isnan(expected) && std::isnan(found);
    }
    if (std::isinf(expected) || std::isinf(found)) {
        return found == expected;
    }
    return std::abs(found - expected) <=
           tolerance.absolute + tolerance.relative * std::abs(expected);
}

std::string number_text(double found, double expected, const Tolerance& tolerance) {
    std::string text = exact_text(found) + ", expected " + exact_text(expected);
    if (std::isfinite(found) && std::isfinite(expected)) {
        const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
        text += fmt::format(" (differs by {:.3g}, {:.3g} is allowed)", std::abs(found - expected),
                            allowed);
    }
    return text;
}

// Returns "[3, 1]" for element k in row-major order; "" for a scalar.
std::string index_text(int64_t k, at::IntArrayRef shape) {
    Shape index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        index[i] = k % shape[i];
        k /= shape[i];
    }
    return shape.empty() ? "" : shape_text(index);
}

Difference kind_difference(const std::string& name, const at::Tensor& found,
                           const at::Tensor& expected, const TensorSpec& spec) {
    const std::string dtype = dtype_name(found.scalar_type());
    if (!spec.dtype.empty()) {
        return dtype == spec.dtype ? Difference()
                                   : fmt::format("{} is {}, expected {}", name, dtype, spec.dtype);
    }
    const auto kind = [](const at::Tensor& tensor) {
        return tensor.is_floating_point()             ? "reals"
               : tensor.scalar_type() == torch::kBool ? "booleans"
                                                      : "integers";
    };
    if (kind(found) == std::string(kind(expected))) {
        return std::nullopt;
    }
    return fmt::format("{} is {}, expected {}", name, dtype, kind(expected));
}

Difference element_difference(const std::string& name, const at::Tensor& found,
                              const at::Tensor& expected, const Tolerance& tolerance) {
    const bool is_real = found.is_floating_point();
    const auto type = is_real ? torch::kDouble : torch::kLong;
    const at::Tensor left = found.detach().to(torch::kCPU, type).contiguous();
    const at::Tensor right = expected.to(torch::kCPU, type).contiguous();
    for (int64_t k = 0; k < left.numel(); ++k) {
        const std::string element = name + (left.dim() == 0 ? "" : index_text(k, left.sizes()));
        if (is_real) {
            const double a = left.data_ptr<double>()[k];
            const double b = right.data_ptr<double>()[k];
            if (!is_near(a, b, tolerance)) {
                return element + " = " + number_text(a, b, tolerance);
            }
        } else if (left.data_ptr<int64_t>()[k] != right.data_ptr<int64_t>()[k]) {
            return fmt::format("{} = {}, expected {}", element, left.data_ptr<int64_t>()[k],
                               right.data_ptr<int64_t>()[k]);
        }
    }
    return std::nullopt;
}

template <class T, class Text>
Difference list_difference(const std::string& name, const std::vector<T>& found,
                           const std::vector<T>& expected, Text&& text) {
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
        if (found[i] != expected[i]) {
            return fmt::format("{}[{}] = {}, expected {}", name, i, text(found[i]),
                               text(expected[i]));
        }
    }
    if (found.size() != expected.size()) {
        return fmt::format("{} has {} items, expected {}", name, found.size(), expected.size());
    }
    return std::nullopt;
}

}  // namespace

Difference difference(const std::string& name, const at::Tensor& found, const TensorSpec& expected,
                      const Tolerance& tolerance) {
    if (!found.defined()) {
        return name + " is missing";
    }
    const bool is_formula = expected.literal == Literal::kNone;
    const at::Tensor numbers =
        is_formula ? tensor_of(expected, found.sizes()) : tensor_of(expected);
    if (found.sizes() != numbers.sizes()) {
        return fmt::format("{} has the shape {}, expected {}", name, shape_text(found.sizes()),
                           shape_text(numbers.sizes()));
    }
    if (const Difference kind = kind_difference(name, found, numbers, expected)) {
        return kind;
    }
    return element_difference(name, found, numbers, tolerance);
}

Difference difference(const std::string& name, const testing::Slot& found,
                      const StreamSpec& expected, const Tolerance& tolerance) {
    if (const auto* tensor = std::get_if<TensorSpec>(&expected)) {
        return found.is_tensor() ? difference(name, found.tensor(), *tensor, tolerance)
                                 : name + " is not a tensor";
    }
    if (const auto* strings = std::get_if<Strings>(&expected)) {
        return found.element() == PTP_STRING ? difference(name, found.strings(), *strings)
                                             : name + " is not strings";
    }
    if (const auto* tokens = std::get_if<Tokens>(&expected)) {
        return found.element() == PTP_TOKENS
                   ? list_difference(name, found.tokens(), *tokens,
                                     [](const Strings& row) {
                                         return fmt::format("[{}]", fmt::join(row, ", "));
                                     })
                   : name + " is not lists of tokens";
    }
    const auto& list = std::get<TensorList>(expected);
    if (found.element() != PTP_TENSOR_LIST || found.tensors().size() != list.size()) {
        return fmt::format("{} is not a list of {} tensors", name, list.size());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (const Difference one = difference(fmt::format("{}[{}]", name, i), found.tensors()[i],
                                              list[i], tolerance)) {
            return one;
        }
    }
    return std::nullopt;
}

Difference difference(const std::string& name, const std::map<std::string, double>& found,
                      const Map<double>& expected, const Tolerance& tolerance) {
    for (const auto& entry : expected) {
        const auto one = found.find(entry.key);
        if (one == found.end()) {
            return name + "." + entry.key + " is missing";
        }
        const bool is_negative_nan = std::isnan(one->second) && std::signbit(one->second);
        if (!is_near(one->second, entry.value, tolerance) || is_negative_nan) {
            return fmt::format("{}.{} = {}{}", name, entry.key, is_negative_nan ? "-" : "",
                               number_text(one->second, entry.value, tolerance));
        }
    }
    for (const auto& [key, value] : found) {
        if (!std::ranges::any_of(expected, [&](const auto& entry) { return entry.key == key; })) {
            return fmt::format("{}.{} = {}, expected nothing", name, key, exact_text(value));
        }
    }
    return std::nullopt;
}

Difference difference(const std::string& name, at::IntArrayRef found, const Shape& expected) {
    if (found == at::IntArrayRef(expected)) {
        return std::nullopt;
    }
    return fmt::format("{} has the shape {}, expected {}", name, shape_text(found),
                       shape_text(expected));
}

Difference difference(const std::string& name, const std::vector<std::string>& found,
                      const std::vector<std::string>& expected) {
    return list_difference(name, found, expected,
                           [](const std::string& text) { return inline_toml(text); });
}

Difference difference(const std::string& name, const at::Tensor& found,
                      const at::Tensor& expected) {
    if (found.defined() != expected.defined()) {
        return name + (found.defined() ? " is there, expected none" : " is missing");
    }
    if (!found.defined()) {
        return std::nullopt;
    }
    if (found.sizes() != expected.sizes() || found.scalar_type() != expected.scalar_type()) {
        return fmt::format("{} is {}{}, expected {}{}", name, dtype_name(found.scalar_type()),
                           shape_text(found.sizes()), dtype_name(expected.scalar_type()),
                           shape_text(expected.sizes()));
    }
    return element_difference(name, found, expected, {});
}

}  // namespace ptp::cases
