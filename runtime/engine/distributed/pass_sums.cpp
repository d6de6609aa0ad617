// Sums what components of a pass ask for, announces sums to processes that take no part, and finds
// out that the processes are in different places.

#include "engine/distributed/pass_sums.hpp"

#include "base/error.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <vector>

namespace ptp::engine {

namespace {

constexpr const char* kPassSum = "the sums within a pass";
constexpr std::int64_t kMarks = 4;  // numbers that identify the place, after the summed ones

}  // namespace

PassSums::PassSums(Group& group) : group_(group.beside("sums within a pass")) {}

void PassSums::run(bool takes_part, bool all_take_part, c10::function_ref<void()> work) {
    is_announced_ = !all_take_part;
    places_ = 0;
    failure_ = nullptr;
    is_open_ = takes_part;
    try {
        work();
    } catch (...) {
        is_open_ = false;
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        throw;
    }
    is_open_ = false;
    if (is_announced_) {
        follow();
    }
}

void PassSums::refuse(const Explanation& explanation) {
    failure_ = std::make_exception_ptr(WithFix<RunError>(kTrainingError, explanation));
    std::rethrow_exception(failure_);
}

// After the numbers come marks of the place and their squares: the marks are equal in all processes
// if and only if the square of their sum is the sum of the squares times the number of processes.
void PassSums::sum(const at::Tensor& numbers, const Place& at, const Texts& texts) {
    try {
        const auto number = static_cast<double>(at.number);
        const auto place = static_cast<double>(at.place);
        const at::Tensor all =
            at::cat({numbers.cpu(),
                     at::tensor({number, number * number, place, place * place}, at::kDouble)});
        const auto processes =
            static_cast<double>(is_announced_ ? announced_count(all.numel(), at, texts)
                                              : static_cast<std::int64_t>(group_->size()));
        group_->sum(all, kPassSum);
        const at::Tensor marks = all.narrow(0, numbers.numel(), kMarks);
        const auto* const of = marks.data_ptr<double>();
        if (processes * of[1] != of[0] * of[0] || processes * of[3] != of[2] * of[2]) {
            throw WithFix<RunError>(kTrainingError, texts.differing(at, group_->rank()));
        }
        at::Tensor(numbers).copy_(all.narrow(0, 0, numbers.numel()));
    } catch (const RunError&) {
        failure_ = std::current_exception();
        throw;
    }
}

// Returns how many take part. They may be in different parts of the graph: only one of two losses.
std::int64_t PassSums::announced_count(std::int64_t count, const Place& at, const Texts& texts) {
    const at::Tensor told = at::tensor(std::vector<std::int64_t>{1, count, at.place}, at::kLong);
    group_->sum(told, kPassSum);
    const auto* const all = told.data_ptr<std::int64_t>();
    if (all[1] != all[0] * count || all[2] != all[0] * at.place) {
        throw WithFix<RunError>(kTrainingError, texts.differing_announced());
    }
    return all[0];
}

void PassSums::follow() {
    const c10::AutoGradMode without_gradients(false);
    for (;;) {
        const at::Tensor told = at::zeros({3}, at::kLong);
        group_->sum(told, kPassSum);
        const auto* const all = told.data_ptr<std::int64_t>();
        if (all[0] == 0) {
            return;
        }
        group_->sum(at::zeros({all[1] / all[0]}, at::kDouble), kPassSum);
        ++places_;
    }
}

}  // namespace ptp::engine
