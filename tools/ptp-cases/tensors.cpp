#include "ptp-cases/tensors.hpp"

#include <ptp/testing/tensors.hpp>

#include <c10/util/accumulate.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace ptp::cases {

namespace {

constexpr std::pair<const char*, at::ScalarType> kDtypes[] = {
    {"float32", at::kFloat}, {"float64", at::kDouble}, {"bfloat16", at::kBFloat16},
    {"int64", at::kLong},    {"int16", at::kShort},    {"int8", at::kChar},
    {"uint8", at::kByte},    {"bool", at::kBool}};

at::ScalarType dtype_of(const std::string& name) {
    for (const auto& [known, type] : kDtypes) {
        if (known == name) {
            return type;
        }
    }
    throw std::logic_error("a dtype that the reader has accepted");
}

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

at::Tensor literal_of(const TensorSpec& spec) {
    if (spec.literal == Literal::kReals) {
        return torch::tensor(spec.reals, torch::kDouble);
    }
    const at::Tensor integers = torch::tensor(spec.integers, torch::kLong);
    return spec.literal == Literal::kBools ? integers.to(torch::kBool) : integers;
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
    if (!spec.dtype.empty()) {
        tensor = tensor.to(dtype_of(spec.dtype));
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
    const at::Tensor tensor = tensor_of(spec);
    const bool is_float = spec.literal == Literal::kReals && spec.dtype.empty();
    return is_float ? tensor.to(torch::kFloat) : tensor;
}

}  // namespace

at::Tensor tensor_of(const TensorSpec& spec, at::OptionalIntArrayRef shape) {
    at::IntArrayRef sizes;
    if (spec.shape) {
        sizes = *spec.shape;
    } else if (shape) {
        sizes = *shape;
    } else {
        throw std::runtime_error(
            fmt::format("{}: the formula needs a shape here", spec.place.text()));
    }
    const int64_t count = c10::multiply_integers(sizes);
    at::Tensor flat = spec.literal == Literal::kNone ? formula_of(spec, count) : literal_of(spec);
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
        std::vector<at::Tensor> tensors;
        for (const TensorSpec& one : *list) {
            tensors.push_back(input_of(one));
        }
        return tensors;
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
