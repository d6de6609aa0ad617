// The names and cells of predicted classes, words and numbers.

#include "engine/predict/prediction_columns.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "pipeline/task_data.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sort.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace ptp::engine {

namespace {

// The maximum number of columns of a readable table.
constexpr std::int64_t kMaxColumns = 100;

// [B] and [B, 1] have one number for each sample.
bool is_one_number(const at::Tensor& tensor) {
    return tensor.dim() == 1 || (tensor.dim() == 2 && tensor.size(1) == 1);
}

bool has_columns(const at::Tensor& tensor) {
    return tensor.dim() == 2 && tensor.size(1) > 1 && tensor.size(1) <= kMaxColumns;
}

Cell text_cell(const TextBuffer& text, std::uint64_t sample) {
    if (text.rows == nullptr) {
        return std::string(text.string(sample));
    }
    Cell list = Cell::array();
    for (std::uint64_t i = text.rows[sample]; i < text.rows[sample + 1]; ++i) {
        list.push_back(std::string(text.string(i)));
    }
    return list;
}

// Returns the double with the digits of the shortest decimal text that reads back as this float.
double shortest(float value) {
    return std::isfinite(value) ? std::strtod(fmt::format("{}", value).c_str(), nullptr) : value;
}

}  // namespace

StreamColumns::StreamColumns(const pipeline::Plan& plan, const Frame& frame, const Globals& globals,
                             const pipeline::PredictedStream& predicted,
                             const ColumnOptions& options, const std::string& prefix)
    : predicted_(predicted), options_(options) {
    const Slot& slot = frame[predicted.stream];
    const std::string& stream = plan.streams[static_cast<std::size_t>(predicted.stream)].name;
    if (predicted.is_class_scores && slot.element == PTP_FLOAT && slot.tensor.dim() == 3) {
        classes_ = class_names(globals.values(), predicted, slot.tensor.size(2), options.classes);
        if (classes_) {
            is_words_ = true;
            names_.push_back(prefix + "predicted");
            return;
        }
    }
    if (predicted.is_yes_or_no && slot.tensor.dim() == 2 && slot.tensor.size(1) == 1) {
        classes_ = class_names(globals.values(), predicted, 2, options.classes);
        is_yes_or_no_ = classes_.has_value();
        is_classes_ = is_yes_or_no_;
    }
    if (slot.element == PTP_FLOAT && slot.tensor.dim() == 2 && slot.tensor.size(1) > 1) {
        classes_ = class_names(globals.values(), predicted, slot.tensor.size(1), options.classes);
        // A softmax of a stream that a loss compares with numbers would be meaningless.
        const bool is_regression = predicted.targets != -1 && !predicted.is_class_scores;
        has_several_classes_ = classes_.has_value() && predicted.has_several_classes;
        is_classes_ = !has_several_classes_ &&
                      (predicted.is_class_scores ||
                       (classes_.has_value() && (!is_regression || options.classes.has_value())));
    }
    if (has_several_classes_) {
        if (options.top_k > 1) {
            throw RunError(
                kConfigurationError,
                fmt::format("--top-k {}: samples of '{}' have several classes; the table "
                            "has the score of each\n    fix: leave out --top-k",
                            options.top_k, stream));
        }
        name_class_lists(prefix);
        return;
    }
    if (!is_classes_) {
        if (!predicted.value_scales.empty()) {
            read_scales(globals.values().find(predicted.value_scales));
        }
        name_values(slot, stream);
        if (predicted.targets >= 0) {
            name_values(frame[predicted.targets], prefix + "target");
        }
        return;
    }
    const std::int64_t class_count = is_yes_or_no_ ? 2 : slot.tensor.size(1);
    if (options.top_k > class_count) {
        throw WithFix<RunError>(kConfigurationError,
                                {fmt::format("--top-k {}: '{}' has the scores of {} classes",
                                             options.top_k, stream, class_count),
                                 fmt::format("--top-k {}", class_count)});
    }
    for (std::int64_t k = 1; k <= options.top_k; ++k) {
        const std::string end = k == 1 ? "" : fmt::format("_{}", k);
        names_.push_back(fmt::format("{}predicted{}", prefix, end));
        names_.push_back(fmt::format("{}score{}", prefix, end));
    }
    if (predicted.targets >= 0) {
        names_.push_back(prefix + "target");
        names_.push_back(prefix + "correct");
    }
}

// The classes of a sample, the probability of each class, and the right classes.
void StreamColumns::name_class_lists(const std::string& prefix) {
    names_.push_back(prefix + "predicted");
    for (const std::string& one : *classes_) {
        names_.push_back(fmt::format("{}score_{}", prefix, one));
    }
    if (predicted_.targets >= 0) {
        names_.push_back(prefix + "target");
        names_.push_back(prefix + "correct");
    }
}

void StreamColumns::name_values(const Slot& slot, const std::string& name) {
    if (!is_tensor(slot.element) || !has_columns(slot.tensor)) {
        names_.push_back(name);
        return;
    }
    for (std::int64_t i = 0; i < slot.tensor.size(1); ++i) {
        names_.push_back(fmt::format("{}_{}", name, i));
    }
}

std::vector<std::vector<Cell>> StreamColumns::rows(const Frame& frame, std::uint64_t samples) {
    std::vector<std::vector<Cell>> made(samples);
    if (is_words_) {
        add_words(frame[predicted_.stream].tensor, made);
        return made;
    }
    if (is_classes_) {
        add_classes(frame, made);
        return made;
    }
    if (has_several_classes_) {
        add_class_lists(frame, made);
        return made;
    }
    add_values(frame[predicted_.stream], made);
    if (predicted_.targets >= 0) {
        add_values(frame[predicted_.targets], made);
    }
    return made;
}

Cell StreamColumns::class_cell(std::int64_t number) const {
    if (!classes_) {
        return number;
    }
    const auto place = static_cast<std::size_t>(number);
    return number >= 0 && place < classes_->size() ? Cell((*classes_)[place]) : Cell(number);
}

// Adds the most likely word at each step, for scores [B, T, C].
void StreamColumns::add_words(const at::Tensor& scores,
                              std::vector<std::vector<Cell>>& rows) const {
    const at::Tensor numbers = scores.argmax(2).to(at::kCPU, at::kLong).contiguous();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t* row =
            numbers.data_ptr<std::int64_t>() + static_cast<std::int64_t>(i) * numbers.size(1);
        std::string words;
        for (std::int64_t step = 0; step < numbers.size(1); ++step) {
            words += step == 0 ? "" : " ";
            words += (*classes_)[static_cast<std::size_t>(row[step])];
        }
        rows[i].emplace_back(std::move(words));
    }
}

// Adds the classes with the highest scores; of equal scores, the first class comes first.
// Log-probabilities and logits result in the same probabilities by a softmax, which would change
// probabilities.
void StreamColumns::add_classes(const Frame& frame, std::vector<std::vector<Cell>>& rows) {
    at::Tensor scores = frame[predicted_.stream].tensor.to(at::kCPU, at::kDouble);
    if (is_yes_or_no_) {
        const at::Tensor yes = predicted_.are_probabilities ? scores : at::sigmoid(scores);
        scores = at::cat({1 - yes, yes}, 1);  // [B, 1] -> [B, 2]
    } else if (!predicted_.are_probabilities) {
        scores = at::softmax(scores, 1);
    }
    const auto [sorted, order] = at::sort(scores, /*stable=*/true, 1, /*descending=*/true);
    const auto score = sorted.accessor<double, 2>();
    const auto number = order.accessor<std::int64_t, 2>();
    at::Tensor targets;
    if (predicted_.targets >= 0) {
        targets = frame[predicted_.targets].tensor.to(at::kCPU, at::kLong).contiguous();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        const bool is_nan = score[sample][0] != score[sample][0];
        for (std::int64_t k = 0; k < options_.top_k; ++k) {
            rows[i].push_back(is_nan ? Cell() : class_cell(number[sample][k]));
            rows[i].push_back(real_cell(score[sample][k]));
        }
        if (!targets.defined()) {
            continue;
        }
        const std::int64_t target = targets.data_ptr<std::int64_t>()[i];
        if (target < 0 || target >= scores.size(1)) {  // ignored, such as -100
            rows[i].insert(rows[i].end(), 2, Cell());
            continue;
        }
        const bool is_right = !is_nan && number[sample][0] == target;
        rows[i].push_back(class_cell(target));
        rows[i].emplace_back(is_right);
        ++judged_;
        right_ += is_right ? 1 : 0;
    }
}

// Returns the names of the classes that a sample has, "red;round".
Cell StreamColumns::class_list(const at::Tensor& has_class) const {
    std::string list;
    for (std::int64_t i = 0; i < has_class.size(0); ++i) {
        if (has_class[i].item<bool>()) {
            list += (list.empty() ? "" : ";") + (*classes_)[static_cast<std::size_t>(i)];
        }
    }
    return list;
}

// Adds the classes with a probability above one half.
void StreamColumns::add_class_lists(const Frame& frame, std::vector<std::vector<Cell>>& rows) {
    const at::Tensor scores = frame[predicted_.stream].tensor.to(at::kCPU, at::kDouble);
    const at::Tensor shares = predicted_.are_logits ? at::sigmoid(scores) : scores;
    const at::Tensor has_class = shares.gt(0.5);
    at::Tensor targets;
    if (predicted_.targets >= 0) {
        targets = frame[predicted_.targets].tensor.to(at::kCPU).ne(0);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        rows[i].push_back(class_list(has_class[sample]));
        for (std::int64_t k = 0; k < shares.size(1); ++k) {
            rows[i].push_back(real_cell(shares[sample][k].item<double>()));
        }
        if (targets.defined()) {
            const bool is_right = targets[sample].equal(has_class[sample]);
            rows[i].push_back(class_list(targets[sample]));
            rows[i].emplace_back(is_right);
            ++judged_;
            right_ += is_right ? 1 : 0;
        }
    }
}

void StreamColumns::read_scales(const Value* scales) {
    const auto numbers = [&](const char* name) {
        const Value* const list = scales != nullptr ? scales->find(name) : nullptr;
        if (list == nullptr) {
            return at::empty({0}, at::kDouble);
        }
        if (!list->is_list() || !std::ranges::all_of(list->items(), &Value::is_number)) {
            throw RunError(kDataError,
                           fmt::format("the checkpoint's global '{}' is damaged: its '{}' is no "
                                       "list of numbers",
                                       predicted_.value_scales, name));
        }
        std::vector<double> read;
        std::ranges::transform(list->items(), std::back_inserter(read), &Value::as_real);
        return at::tensor(read, at::kDouble);
    };
    means_ = numbers("means");
    deviations_ = numbers("deviations");
}

// Returns standardized numbers, [B, n] or [B] where n is 1, as the task has read them; others
// unchanged.
at::Tensor StreamColumns::in_its_unit(const at::Tensor& numbers) const {
    const bool is_scaled = means_.defined() && numbers.is_floating_point() &&
                           means_.size(0) == deviations_.size(0) &&
                           ((numbers.dim() == 2 && numbers.size(1) == means_.size(0)) ||
                            (numbers.dim() == 1 && means_.size(0) == 1));
    return is_scaled ? (numbers.to(at::kDouble) * deviations_ + means_).to(numbers.scalar_type())
                     : numbers;
}

void StreamColumns::add_values(const Slot& slot, std::vector<std::vector<Cell>>& rows) const {
    const at::Tensor tensor =
        is_tensor(slot.element) ? in_its_unit(slot.tensor.to(at::kCPU)) : at::Tensor();
    const bool has_samples = tensor.defined() && tensor.dim() > 0 &&
                             static_cast<std::size_t>(tensor.size(0)) == rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        if (slot.element == PTP_TENSOR_LIST) {
            rows[i].push_back(tensor_cell(slot.list.tensors()[i].to(at::kCPU)));
        } else if (!tensor.defined()) {
            rows[i].push_back(text_cell(slot.text, i));
        } else if (!has_samples) {
            rows[i].push_back(tensor_cell(tensor));
        } else if (is_one_number(tensor)) {
            rows[i].push_back(number_cell(tensor[sample]));
        } else if (has_columns(tensor)) {
            for (std::int64_t k = 0; k < tensor.size(1); ++k) {
                rows[i].push_back(number_cell(tensor[sample][k]));
            }
        } else {
            rows[i].push_back(tensor_cell(tensor[sample]));
        }
    }
}

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
