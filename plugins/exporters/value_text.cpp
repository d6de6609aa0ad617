// Formats the numbers and strings of one sample as JSON or as plain text.

#include "value_text.hpp"

#include "missing_stream.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace {

template <class Number>
void add_number(std::string& text, Number number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
}

template <class Real>
void add_real(std::string& text, Real number) {
    if (std::isfinite(number)) {
        add_number(text, number);
    } else {
        text += std::isnan(number) ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"";
    }
}

// Writes the numbers from `next` on, in row-major order.
template <class T>
void add_numbers(std::string& text, at::IntArrayRef sizes, const T*& next) {
    if (!sizes.empty()) {
        text += '[';
        for (int64_t i = 0; i < sizes[0]; ++i) {
            text += i == 0 ? "" : ",";
            add_numbers(text, sizes.slice(1), next);
        }
        text += ']';
    } else if constexpr (std::is_same_v<T, bool>) {  // NOLINT: not a clone of the next branch
        text += *next++ ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
        add_real(text, *next++);
    } else {
        add_number(text, *next++);
    }
}

template <class T>
void add_tensor(std::string& text, const at::Tensor& tensor, at::ScalarType type) {
    const at::Tensor numbers = tensor.detach().to(at::kCPU, type).contiguous();
    const T* next = numbers.data_ptr<T>();
    add_numbers(text, numbers.sizes(), next);
}

void add_tensor(std::string& text, const at::Tensor& tensor) {
    if (tensor.scalar_type() == at::kBool) {
        add_tensor<bool>(text, tensor, at::kBool);
    } else if (tensor.scalar_type() == at::kDouble) {
        add_tensor<double>(text, tensor, at::kDouble);
    } else if (tensor.is_floating_point()) {
        add_tensor<float>(text, tensor, at::kFloat);
    } else {
        add_tensor<int64_t>(text, tensor, at::kLong);
    }
}

}  // namespace

BatchText::BatchText(const ptp::Value& value, uint64_t batch_size)
    : value_(value), is_missing_(batch_size > 0 && ptp::support::is_missing(value)) {
    if (value.is_tensor() && !is_missing_) {
        tensor_ = value.tensor().detach().to(at::kCPU);
        has_samples_ = tensor_.dim() > 0 && static_cast<uint64_t>(tensor_.size(0)) == batch_size;
    }
}

std::string BatchText::json(uint64_t sample) const {
    std::string text;
    if (is_missing_) {
        return "null";
    }
    if (value_.element() == PTP_STRING) {
        return json_text(value_.strings()[sample]);
    }
    if (value_.element() == PTP_TOKENS) {
        const auto tokens = value_.token_lists()[sample];
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            text += (i == 0 ? "" : ",") + json_text(tokens[i]);
        }
        return "[" + text + "]";
    }
    if (value_.element() == PTP_TENSOR_LIST) {
        add_tensor(text, value_.tensor_list()[sample]);
    } else {
        add_tensor(text, has_samples_ ? tensor_[static_cast<int64_t>(sample)] : tensor_);
    }
    return text;
}

std::string BatchText::plain(uint64_t sample) const {
    if (is_missing_) {
        return "";
    }
    if (value_.element() == PTP_STRING) {
        return std::string(value_.strings()[sample]);
    }
    return json(sample);
}

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
