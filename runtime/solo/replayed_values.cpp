// Reads and compares the values of a recorded call.

#include "solo/replayed_component.hpp"

#include "base/error.hpp"
#include "run/keys.hpp"

#include <ATen/ops/empty_strided.h>
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace ptp::solo {

namespace {

bool is_text_element(ptp_element element) {
    return element == PTP_STRING || element == PTP_TOKENS;
}

std::vector<std::string> strings_of(const ptp_text& text) {
    std::vector<std::string> strings;
    for (std::uint64_t i = 0; i < text.string_count; ++i) {
        strings.emplace_back(text.bytes + text.offsets[i], text.bytes + text.offsets[i + 1]);
    }
    return strings;
}

}  // namespace

TensorsByName RecordedValues::tensors(const std::string& group) const {
    TensorsByName found;
    const std::string begin = prefix_ + group;
    for (auto it = recording_.tensors.lower_bound(begin);
         it != recording_.tensors.end() && it->first.starts_with(begin); ++it) {
        found.emplace_back(it->first.substr(begin.size()), it->second);
    }
    return found;
}

std::int64_t RecordedValues::integer(const char* name) const {
    return run::integer_in(*facts_, name);
}

bool RecordedValues::is_set(const char* name) const {
    const Value* const value = facts_->find(name);
    return value != nullptr && value->is_bool() && value->as_bool();
}

std::vector<std::uint64_t> RecordedValues::seeds() const {
    std::vector<std::uint64_t> seeds;
    for (const Value& seed : run::value_in(*facts_, "seeds", ValueType::kList).items()) {
        seeds.push_back(seed.is_integer() ? static_cast<std::uint64_t>(seed.as_integer()) : 0);
    }
    return seeds;
}

std::vector<std::string> RecordedValues::texts(const char* name) const {
    std::vector<std::string> texts;
    const Value* const list = facts_->find(name);
    if (list == nullptr || !list->is_list()) {
        return texts;
    }
    for (const Value& text : list->items()) {
        texts.push_back(text.is_string() ? text.as_string() : "");
    }
    return texts;
}

bool RecordedValues::is_listed(const char* list, const std::string& name) const {
    const std::vector<std::string> names = texts(list);
    return std::ranges::find(names, name) != names.end();
}

std::int64_t RecordedValues::count_of(const std::string& name) const {
    const Value* const counts = facts_->find("counts");
    const Value* const count = counts == nullptr ? nullptr : counts->find(name);
    return count != nullptr && count->is_integer() ? count->as_integer() : -1;
}

const at::Tensor& RecordedValues::required(const std::string& name, at::ScalarType type) const {
    const at::Tensor* const found = tensor(name);
    if (found == nullptr || found->scalar_type() != type || found->dim() != 1 ||
        (type == at::kLong && found->numel() == 0)) {
        throw RecordingError(fmt::format("lacks '{}{}'", prefix_, name));
    }
    return *found;
}

at::Tensor RecordedValues::filled(const std::string& name, at::Device device) const {
    const at::Tensor* const recorded = tensor(name);
    if (recorded == nullptr) {
        return {};
    }
    at::Tensor made = recorded->clone().to(device);
    const Value* const strides = facts_->find("strides");
    const Value* const own = strides == nullptr ? nullptr : strides->find(name);
    if (own != nullptr && own->is_list()) {
        std::vector<std::int64_t> steps;
        for (const Value& step : own->items()) {
            steps.push_back(step.is_integer() ? step.as_integer() : 1);
        }
        if (static_cast<std::int64_t>(steps.size()) != made.dim() ||
            std::ranges::any_of(steps, [](std::int64_t step) { return step < 0; })) {
            throw RecordingError(fmt::format("has wrong strides of '{}{}'", prefix_, name));
        }
        made = at::empty_strided(made.sizes(), steps, made.options()).copy_(made);
    }
    if (is_listed("with_gradient", name)) {
        made.set_requires_grad(true);
    }
    return made;
}

void RecordedValues::fill_text(const std::string& name, Slot& slot) const {
    if (is_listed("absent", name)) {
        return;
    }
    const at::Tensor& bytes = required(name + "/bytes", at::kByte);
    const at::Tensor& offsets = required(name + "/offsets", at::kLong);
    const bool has_rows = tensor(name + "/rows") != nullptr;
    const auto numbers = [](const at::Tensor& tensor) {
        return static_cast<const std::uint64_t*>(tensor.data_ptr());
    };
    const std::uint64_t last = numbers(offsets)[offsets.numel() - 1];
    if (last != static_cast<std::uint64_t>(bytes.numel())) {
        throw RecordingError(fmt::format("has wrong offsets of '{}{}'", prefix_, name));
    }
    ptp_text text{};
    text.bytes = static_cast<const char*>(bytes.data_ptr());
    text.offsets = numbers(offsets);
    text.string_count = static_cast<std::uint64_t>(offsets.numel() - 1);
    if (has_rows) {
        const at::Tensor& rows = required(name + "/rows", at::kLong);
        text.rows = numbers(rows);
        text.row_count = static_cast<std::uint64_t>(rows.numel() - 1);
    }
    try {
        slot.text.assign(text);
    } catch (const std::invalid_argument& error) {
        throw RecordingError(fmt::format("'{}{}' {}", prefix_, name, error.what()));
    }
}

void RecordedValues::fill(const std::string& name, at::Device device, Slot& slot) const {
    if (is_text_element(slot.element)) {
        fill_text(name, slot);
        return;
    }
    if (slot.element == PTP_TENSOR_LIST) {
        const std::int64_t count = std::max<std::int64_t>(count_of(name), 0);
        slot.list.resize(static_cast<std::uint64_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            slot.list.tensors()[static_cast<std::size_t>(i)] =
                filled(fmt::format("{}/{}", name, i), device);
        }
        return;
    }
    slot.tensor = filled(name, device);
}

bool RecordedValues::has(const std::string& name, ptp_element element) const {
    return is_listed("absent", name) ||
           (is_text_element(element)     ? tensor(name + "/offsets") != nullptr
            : element == PTP_TENSOR_LIST ? count_of(name) >= 0
                                         : tensor(name) != nullptr);
}

void RecordedValues::compare(const std::string& name, const std::string& what, const Slot& slot,
                             ReplayReport& report) const {
    if (is_text_element(slot.element)) {
        Slot recorded;
        recorded.element = slot.element;
        fill_text(name, recorded);
        report.compare(what, strings_of(recorded.text), strings_of(slot.text));
        if (recorded.text.row_count > 0) {
            const auto rows = [](const ptp_text& text) {
                std::vector<std::string> numbers;
                for (std::uint64_t i = 0; text.rows != nullptr && i <= text.row_count; ++i) {
                    numbers.push_back(std::to_string(text.rows[i]));
                }
                return numbers;
            };
            report.compare("the rows of " + what, rows(recorded.text), rows(slot.text));
        }
        return;
    }
    if (slot.element == PTP_TENSOR_LIST) {
        const std::int64_t count = count_of(name);
        if (count != static_cast<std::int64_t>(slot.list.count)) {
            report.compare("the number of tensors of " + what, Value(count),
                           Value(slot.list.count));
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const at::Tensor* const recorded = tensor(fmt::format("{}/{}", name, i));
            const at::Tensor& now = slot.list.tensors()[static_cast<std::size_t>(i)];
            report.compare(fmt::format("tensor {} of {}", i, what),
                           recorded == nullptr ? at::Tensor() : *recorded, now.detach().cpu());
        }
        return;
    }
    const at::Tensor* const recorded = tensor(name);
    const at::Tensor now = slot.tensor.defined() ? slot.tensor.detach().cpu() : slot.tensor;
    report.compare(what, recorded == nullptr ? at::Tensor() : *recorded, now);
}

}  // namespace ptp::solo
