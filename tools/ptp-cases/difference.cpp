// Creates the tensors of a case file, and compares what a component returns with them.

#include "ptp-cases/difference.hpp"

#include "base/number.hpp"
#include "base/ranges.hpp"
#include "base/toml_writer.hpp"

#include <c10/util/accumulate.h>
#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <ptp/testing/tensors.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ptp::cases {

namespace {

std::string shape_text(at::IntArrayRef shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_near(double found, double expected, const Tolerance& tolerance) {
    if (!std::isfinite(expected) || !std::isfinite(found)) {
        return found == expected || (std::isnan(expected) && std::isnan(found));
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
    const auto kind = [](const at::Tensor& tensor) -> std::string {
        return tensor.is_floating_point()             ? "reals"
               : tensor.scalar_type() == torch::kBool ? "booleans"
                                                      : "integers";
    };
    const std::string dtype = dtype_name(found.scalar_type());
    const bool is_same = spec.dtype.empty() ? kind(found) == kind(expected) : dtype == spec.dtype;
    return is_same ? Difference()
                   : fmt::format("{} is {}, expected {}", name, dtype,
                                 spec.dtype.empty() ? kind(expected) : spec.dtype);
}

Difference element_difference(const std::string& name, const at::Tensor& found,
                              const at::Tensor& expected, const Tolerance& tolerance) {
    const bool is_real = found.is_floating_point();
    const auto type = is_real ? torch::kDouble : torch::kLong;
    const at::Tensor left = found.detach().to(torch::kCPU, type).contiguous();
    const at::Tensor right = expected.to(torch::kCPU, type).contiguous();
    const auto text_at = [&](int64_t k, const std::string& text) {
        return fmt::format("{}{} = {}", name, index_text(k, left.sizes()), text);
    };
    for (int64_t k = 0; k < left.numel(); ++k) {
        if (is_real) {
            const double a = left.data_ptr<double>()[k];
            const double b = right.data_ptr<double>()[k];
            if (!is_near(a, b, tolerance)) {
                return text_at(k, number_text(a, b, tolerance));
            }
        } else if (left.data_ptr<int64_t>()[k] != right.data_ptr<int64_t>()[k]) {
            return text_at(k, fmt::format("{}, expected {}", left.data_ptr<int64_t>()[k],
                                          right.data_ptr<int64_t>()[k]));
        }
    }
    return std::nullopt;
}

Difference tensor_difference(const std::string& name, const at::Tensor& found,
                             const TensorSpec& expected, const Tolerance& tolerance) {
    if (!found.defined()) {
        return name + " is missing";
    }
    const at::Tensor numbers =
        expected.formula.empty() ? tensor_of(expected) : tensor_of(expected, found.sizes());
    if (Difference shape = difference(name, found.sizes(), numbers.sizes().vec())) {
        return shape;
    }
    if (Difference kind = kind_difference(name, found, numbers, expected)) {
        return kind;
    }
    return element_difference(name, found, numbers, tolerance);
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

constexpr std::pair<const char*, at::ScalarType> kDtypes[] = {
    {"float32", at::kFloat}, {"float64", at::kDouble}, {"bfloat16", at::kBFloat16},
    {"int64", at::kLong},    {"int16", at::kShort},    {"int8", at::kChar},
    {"uint8", at::kByte},    {"bool", at::kBool}};

// Returns the elements of a formula, as in the table of docs/testing-components.md.
at::Tensor formula_of(const TensorSpec& spec, int64_t count) {
    const testing::Wave wave = {.phase = spec.phase, .step = spec.step, .type = at::kDouble};
    if (spec.formula == "sines") {
        return testing::sines({count}, wave);
    }
    if (spec.formula == "waves") {
        return testing::waves({count}, wave);
    }
    if (spec.formula == "range") {
        return testing::range({count}, at::kDouble);
    }
    if (spec.formula == "squares") {
        return testing::squares({count}, spec.count);
    }
    if (spec.formula == "stairs") {
        return testing::stairs({count}, spec.count);
    }
    if (spec.formula == "masks") {
        return testing::masks({count});
    }
    if (spec.formula == "weights") {
        return testing::weights({count}, at::kDouble);
    }
    return testing::filled({count}, spec.value, at::kDouble);
}

bool has_reals(const std::vector<Value>& numbers) {
    return numbers.empty() || std::ranges::any_of(numbers, &Value::is_real);
}

at::Tensor literal_of(const std::vector<Value>& numbers) {
    if (has_reals(numbers)) {
        const std::vector<double> reals = transformed(numbers, &Value::as_real);
        return torch::tensor(reals, torch::kDouble);
    }
    const bool is_bool = numbers.front().is_bool();
    std::vector<std::int64_t> integers;
    for (const Value& number : numbers) {
        integers.push_back(is_bool ? number.as_bool() : number.as_integer());
    }
    return torch::tensor(integers, torch::kLong).to(is_bool ? torch::kBool : torch::kLong);
}

void replace(at::Tensor& tensor, const Replacement& one) {
    if (one.every > 0) {
        at::Tensor flat = tensor.view({-1});
        flat.slice(0, one.from, flat.numel(), one.every).fill_(one.value);
        return;
    }
    at::Tensor part = tensor;
    for (const int64_t index : one.at) {
        if (part.dim() == 0 || index >= part.size(0)) {
            throw std::runtime_error(fmt::format("{}: at = [{}]: the tensor has no such element",
                                                 one.place.text(), fmt::join(one.at, ", ")));
        }
        part = part.select(0, index);
    }
    part.fill_(one.value);
}

at::Tensor changed(at::Tensor tensor, const TensorSpec& spec) {
    if (spec.one_hot > 0) {
        tensor = torch::one_hot(tensor, spec.one_hot);
    }
    if (spec.scale != 1 || spec.offset != 0) {
        tensor = tensor.to(torch::kDouble) * spec.scale + spec.offset;
    }
    if (spec.then == "round") {
        tensor = tensor.round();
    } else if (spec.then == "softmax") {
        tensor = tensor.softmax(-1);
    } else if (spec.then == "log_softmax") {
        tensor = tensor.log_softmax(-1);
    }
    for (const TensorSpec& other : spec.plus) {
        tensor = tensor + tensor_of(other, tensor.sizes());
    }
    for (const auto& [name, type] : kDtypes) {
        tensor = spec.dtype == name ? tensor.to(type) : tensor;
    }
    tensor = tensor.contiguous();
    for (const Replacement& one : spec.replaced) {
        replace(tensor, one);
    }
    if (!spec.rows.empty()) {
        tensor = tensor.slice(0, spec.rows[0], spec.rows[1]);
    }
    if (!spec.transposed.empty()) {
        return tensor.transpose(spec.transposed[0], spec.transposed[1]);
    }
    return tensor;
}

at::Tensor input_of(const TensorSpec& spec) {
    const bool is_float = spec.formula.empty() && has_reals(spec.numbers) && spec.dtype.empty();
    const at::Tensor tensor = tensor_of(spec);
    return is_float ? tensor.to(torch::kFloat) : tensor;
}

}  // namespace

Difference difference(const std::string& name, const testing::Slot& found,
                      const StreamSpec& expected, const Tolerance& tolerance) {
    if (const auto* tensor = std::get_if<TensorSpec>(&expected)) {
        return found.is_tensor() ? tensor_difference(name, found.tensor(), *tensor, tolerance)
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
        if (Difference one = tensor_difference(fmt::format("{}[{}]", name, i), found.tensors()[i],
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
    return found == at::IntArrayRef(expected)
               ? Difference()
               : fmt::format("{} has the shape {}, expected {}", name, shape_text(found),
                             shape_text(expected));
}

Difference difference(const std::string& name, const Strings& found, const Strings& expected) {
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

at::Tensor tensor_of(const TensorSpec& spec, at::OptionalIntArrayRef shape) {
    if (!spec.shape && !shape) {
        throw std::runtime_error(
            fmt::format("{}: the formula needs a shape here", spec.place.text()));
    }
    at::IntArrayRef sizes = spec.shape ? at::IntArrayRef(*spec.shape) : *shape;
    const int64_t count = c10::multiply_integers(sizes);
    const at::Tensor flat =
        spec.formula.empty() ? literal_of(spec.numbers) : formula_of(spec, count);
    if (flat.numel() != count) {
        throw std::runtime_error(fmt::format("{}: {} numbers do not make the shape [{}]",
                                             spec.place.text(), flat.numel(),
                                             fmt::join(sizes, ", ")));
    }
    if (shape && spec.shape && sizes.size() == 1 && c10::multiply_integers(*shape) == count) {
        sizes = *shape;
    }
    return changed(flat.reshape(sizes), spec);
}

testing::Slot slot_of(const StreamSpec& spec) {
    if (const auto* strings = std::get_if<Strings>(&spec)) {
        return *strings;
    }
    if (const auto* tokens = std::get_if<Tokens>(&spec)) {
        return *tokens;
    }
    if (const auto* list = std::get_if<TensorList>(&spec)) {
        return transformed(*list, input_of);
    }
    return input_of(std::get<TensorSpec>(spec));
}

std::string dtype_name(at::ScalarType type) {
    for (const auto& [name, known] : kDtypes) {
        if (known == type) {
            return name;
        }
    }
    return at::toString(type);
}

}  // namespace ptp::cases
