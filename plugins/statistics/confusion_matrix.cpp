// Computes precision, recall, F1 score and their means from the counts of a matrix.

#include "confusion_matrix.hpp"

#include "class_statistics.hpp"
#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace measures {

namespace {

double ratio(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
}

Scores scores(std::int64_t right, std::int64_t predicted, std::int64_t support) {
    const auto hits = static_cast<double>(right);
    return {.precision = ratio(hits, static_cast<double>(predicted)),
            .recall = ratio(hits, static_cast<double>(support)),
            .f1score = ratio(2 * hits, static_cast<double>(predicted + support)),
            .support = support};
}

void add_weighted(Scores& sum, const Scores& more, double weight) {
    sum.precision += weight * more.precision;
    sum.recall += weight * more.recall;
    sum.f1score += weight * more.f1score;
}

void divide(Scores& sum, double by) {
    sum = {ratio(sum.precision, by), ratio(sum.recall, by), ratio(sum.f1score, by), sum.support};
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t classes)
    : classes_(classes), counts_(static_cast<std::size_t>((classes + 1) * (classes + 1))) {}

bool ConfusionMatrix::add(const at::Tensor& targets, const at::Tensor& predicted,
                          const at::Tensor& counted) {
    const std::int64_t side = classes_ + 1;
    const std::int64_t cells = side * side;
    const auto place = [&](const at::Tensor& numbers) {
        return numbers.to(at::kLong).masked_fill(numbers.eq(kNoClass), classes_);
    };
    const auto is_out = [&](const at::Tensor& numbers) {
        return ptp::support::are_outside(numbers, 0, classes_).logical_and(numbers.ne(kNoClass));
    };
    // Two more cells follow: one for what does not count, and one for invalid classes.
    const at::Tensor cell =
        (place(targets) * side + place(predicted))
            .masked_fill(is_out(targets).logical_or(is_out(predicted)), cells + 1)
            .masked_fill(counted.logical_not(), cells)
            .flatten();
    const at::Tensor found =
        at::zeros({cells + 2}, cell.options()).scatter_add_(0, cell, at::ones_like(cell)).cpu();
    const auto* counts = found.data_ptr<std::int64_t>();
    if (counts[cells + 1] > 0) {
        return false;
    }
    std::transform(counts_.begin(), counts_.end(), counts, counts_.begin(), std::plus());
    return true;
}

void ConfusionMatrix::add(const ConfusionMatrix& other) {
    std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
}

std::int64_t ConfusionMatrix::count(std::int64_t target, std::int64_t predicted) const {
    return counts_[static_cast<std::size_t>(target * (classes_ + 1) + predicted)];
}

std::int64_t ConfusionMatrix::row_sum(std::int64_t target) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i <= classes_; ++i) {
        sum += count(target, i);
    }
    return sum;
}

std::int64_t ConfusionMatrix::column_sum(std::int64_t predicted) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i <= classes_; ++i) {
        sum += count(i, predicted);
    }
    return sum;
}

bool ConfusionMatrix::has_no_class() const {
    return classes_ > 0 && (row_sum(classes_) > 0 || column_sum(classes_) > 0);
}

std::int64_t ConfusionMatrix::total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

Scores ConfusionMatrix::of_class(std::int64_t number) const {
    return scores(count(number, number), column_sum(number), row_sum(number));
}

Averages ConfusionMatrix::averages() const {
    Averages result;
    std::int64_t right = 0;
    std::int64_t predicted = 0;
    std::int64_t support = 0;
    double present = 0;
    for (std::int64_t i = 0; i < classes_; ++i) {
        const Scores each = of_class(i);
        const std::int64_t column = column_sum(i);
        add_weighted(result.weighted, each, static_cast<double>(each.support));
        if (each.support > 0 || column > 0) {
            add_weighted(result.macro, each, 1);
            present += 1;
        }
        right += count(i, i);
        predicted += column;
        support += each.support;
    }
    result.micro = scores(right, predicted, support);
    result.weighted.support = result.macro.support = support;
    divide(result.weighted, static_cast<double>(support));
    divide(result.macro, present);
    return result;
}

ptp::Data ConfusionMatrix::save() const {
    return ptp::Data::List{classes_, counts_};
}

ConfusionMatrix ConfusionMatrix::restored(const ptp::Data& saved) {
    const ptp::Data::List& parts = saved.as_list();
    if (parts.size() != 2) {
        throw ptp::ConfigError("a confusion matrix has two parts, not ", parts.size());
    }
    ConfusionMatrix result;
    result.classes_ = parts[0].as_integer();
    for (const ptp::Data& count : parts[1].as_list()) {
        result.counts_.push_back(count.as_integer());
    }
    const auto side = static_cast<std::size_t>(result.classes_ + 1);
    if (result.classes_ < 0 || result.counts_.size() != (result.classes_ == 0 ? 0 : side * side)) {
        throw ptp::ConfigError("a confusion matrix of ", result.classes_, " classes does not have ",
                               result.counts_.size(), " counts");
    }
    return result;
}

}  // namespace measures
