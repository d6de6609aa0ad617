// Checks all elements in one operation, and looks for the wrong one only if there is one.

#include "tensor_checks.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace ptp::support {

void require_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes,
                   const char* like) {
    if (tensor.sizes() != sizes) {
        throw DataError(name, " has the sizes ", tensor.sizes(), ", must have ", sizes, ", ", like);
    }
}

void require_declared_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes) {
    const auto fits = [](std::int64_t size, std::int64_t wanted) {
        return wanted == kAnySize || size == wanted;
    };
    if (std::equal(tensor.sizes().begin(), tensor.sizes().end(), sizes.begin(), sizes.end(),
                   fits)) {
        return;
    }
    std::string wanted;
    for (const std::int64_t size : sizes) {
        wanted += wanted.empty() ? "" : ", ";
        wanted += size == kAnySize ? "any" : std::to_string(size);
    }
    throw DataError(name, " has the sizes ", tensor.sizes(), ", must have [", wanted,
                    "], as its port declares");
}

void require_none(const at::Tensor& is_wrong, const char* name, const at::Tensor& tensor,
                  const std::string& rule) {
    if (!is_wrong.any().item<bool>()) {
        return;
    }
    const at::Tensor place = is_wrong.nonzero()[0].cpu();
    at::Tensor element = tensor.detach();
    std::string where;
    for (std::int64_t i = 0; i < place.size(0); ++i) {
        const auto index = place[i].item<std::int64_t>();
        element = element[index];
        where += (i == 0 ? "[" : ", ") + std::to_string(index);
    }
    where += where.empty() ? "" : "]";
    if (element.is_floating_point()) {
        const double number = element.item<double>();
        throw DataError(name, where, " = ", std::isnan(number) ? std::abs(number) : number,
                        ": must ", rule);  // without the sign of nan
    }
    throw DataError(name, where, " = ", element.item<std::int64_t>(), ": must ", rule);
}

at::Tensor are_outside(const at::Tensor& integers, std::int64_t first, std::int64_t end) {
    const at::Tensor numbers = widened(integers);
    return numbers.lt(first).logical_or(numbers.ge(end));
}

bool are_classes(const at::Tensor& numbers, std::int64_t classes) {
    if (numbers.numel() == 0) {
        return true;
    }
    if (numbers.is_cpu() && numbers.scalar_type() == at::kLong && numbers.is_contiguous()) {
        const auto* first = numbers.data_ptr<std::int64_t>();
        return std::all_of(first, first + numbers.numel(), [classes](std::int64_t number) {
            return 0 <= number && number < classes;
        });
    }
    const auto [least, most] = at::aminmax(numbers);
    const at::Tensor ends = at::stack({least, most}).to(at::kCPU, at::kLong);
    return ends.data_ptr<std::int64_t>()[0] >= 0 && ends.data_ptr<std::int64_t>()[1] < classes;
}

void require_classes(const ClassTargets& of) {
    if (are_classes(of.targets, of.classes)) {
        return;
    }
    const at::Tensor is_no_class = are_outside(of.targets, 0, of.classes);
    require_none(is_no_class.logical_and(of.counted), of.name, of.targets,
                 detail::join("be in [0, ", of.classes, ")", of.others));
}

}  // namespace ptp::support
