// Optimizes as [training] specifies, from gradients to weights; the header lists the parts.

#include "engine/optimizer/optimization.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "pipeline/globals.hpp"

#include <ATen/ops/scalar_tensor.h>
#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kBadGradients = "the gradients are not all finite";

bool all_have_own_options(const std::vector<ParameterGroup>& groups) {
    return groups.size() > 1 && !groups.front().name.empty();  // the first one, "", has the rest
}

std::vector<std::string> names_of_rates(const std::vector<ParameterGroup>& groups) {
    std::vector<std::string> names;
    if (all_have_own_options(groups)) {
        names.emplace_back(pipeline::kRateStatistic);
    }
    for (const ParameterGroup& group : groups) {
        const bool is_plain = groups.size() == 1 || group.name.empty();
        names.push_back(is_plain ? pipeline::kRateStatistic
                                 : fmt::format("{}.{}", pipeline::kRateStatistic, group.name));
    }
    return names;
}

// Unscales and clips the gradients of a step. Returns false if they must be finite and are not.
bool prepare_gradients(const std::vector<at::Tensor>& gradients,
                       const experiment::Training& training, LossScale* loss_scale) {
    if (loss_scale != nullptr) {
        loss_scale->unscale(gradients);
    }
    const bool are_checked = training.bad_loss.looks_at_gradients || loss_scale != nullptr;
    if (are_checked && !are_finite(gradients)) {
        return false;
    }
    if (training.gradient_clipping) {
        clip(gradients, *training.gradient_clipping);
    }
    return true;
}

}  // namespace

Optimization::Optimization(const Dependencies& dependencies, std::vector<ParameterGroup> groups,
                           std::uint64_t episodes_per_epoch)
    : training_(dependencies.training),
      log_(dependencies.log),
      collective_(dependencies.collective),
      rate_names_(names_of_rates(groups)),
      plain_rate_(all_have_own_options(groups)
                      ? std::optional(optimizer::lr_of(training_.optimizer))
                      : std::nullopt),
      optimizer_(make_optimizer(std::move(groups))),
      learning_rate_(training_, episodes_per_epoch) {
    if (training_.accumulate > 1) {
        sums_ = std::make_unique<GradientSums>(optimizer_->parameters(), collective_);
    }
    buckets_ = gradient_buckets(
        collective_, transformed(optimizer_->parameters(), &NamedParameter::tensor),
        {.is_rounded = dependencies.rounds_gradients, .profiler = dependencies.profiler});
    if (dependencies.is_sharded) {
        shards_ = std::make_unique<OptimizerShards>(optimizer_->parameters(), *collective_.group());
    }
    if (training_.weight_average) {
        average_ =
            std::make_unique<WeightAverage>(*training_.weight_average, optimizer_->parameters());
    }
    if (training_.precision == "fp16") {
        loss_scale_.emplace();
    }
}

void Optimization::begin(const TrainingPosition& position) {
    position_ = position;
    if (!learning_rate_.is_constant()) {
        optimizer_->set_learning_rates(
            [&](double base) { return learning_rate_.at(base, position); });
    }
    if (const std::optional<double> momentum = learning_rate_.momentum(position)) {
        optimizer_->set_momentum(*momentum);
    }
    optimizer_->forget_gradients();
}

// Scaled gradients are checked when they are complete: in step().
StepOutcome Optimization::backward(std::span<const WeightedLoss> losses) {
    std::vector<WeightedLoss> scaled;
    if (loss_scale_) {
        for (const WeightedLoss& each : losses) {
            scaled.push_back(
                {each.loss.defined() ? loss_scale_->scaled(each.loss) : each.loss, each.weight});
        }
        losses = scaled;
    }
    if (!sums_) {
        if (buckets_) {
            buckets_->begin();
        }
        collective_.backward_pass(!losses.empty(), [&losses] {
            if (!losses.empty()) {
                losses.front().loss.backward();
            }
        });
    } else if (loss_scale_ || !looks_at_gradients()) {
        sums_->add(losses);
    } else if (!sums_->add_finite(losses)) {
        return refuse(kBadGradients);
    }
    return StepOutcome::kApplied;
}

std::vector<double> Optimization::learning_rates() const {
    std::vector<double> rates = optimizer_->learning_rates();
    if (plain_rate_) {
        rates.insert(rates.begin(), learning_rate_.at(*plain_rate_, position_));
    }
    return rates;
}

bool Optimization::is_step_due(bool is_last) const {
    return !sums_ || sums_->batch_count() == training_.accumulate ||
           (is_last && sums_->batch_count() > 0);
}

StepOutcome Optimization::step() {
    if (sums_) {
        sums_->take();
    }
    if (buckets_) {
        buckets_->finish();
    }
    const bool are_read =
        training_.bad_loss.looks_at_gradients || loss_scale_ || training_.gradient_clipping;
    if (are_read && !prepare_gradients(gradients_of(optimizer_->parameters()), training_,
                                       loss_scale_ ? &*loss_scale_ : nullptr)) {
        return loss_scale_ ? leave_out() : refuse(kBadGradients);
    }
    take_step();
    if (loss_scale_) {
        loss_scale_->has_stepped();
    }
    if (average_) {
        average_->update(position_.episode);
    }
    return StepOutcome::kApplied;
}

// Makes a step. Watches until weights change, but not at a rate of 0, as first in a warm-up.
void Optimization::take_step(const Optimizer::Closure& closure) {
    const bool is_watched =
        !watch_.is_done() &&
        std::ranges::any_of(learning_rates(), [](double rate) { return rate > 0; });
    if (is_watched) {
        watch_.begin_step(optimizer_->parameters());
    }
    const std::vector<at::Tensor> others =
        shards_ && !closure ? shards_->keep_own_gradients() : std::vector<at::Tensor>();
    optimizer_->step(closure);
    if (shards_ && !closure) {
        shards_->exchange(others);
    }
    if (is_watched) {
        watch_.end_step(optimizer_->parameters());
        warn_of_standstill(false);
    }
}

void Optimization::warn_of_standstill(bool is_end) {
    const std::string problem = watch_.problem(is_end);
    if (!problem.empty()) {
        log_.warn(problem);
    }
}

// Skips a step with gradients that are not finite, unless the loss scale is at its lowest already.
StepOutcome Optimization::leave_out() {
    if (loss_scale_->is_lowest()) {
        return refuse(kBadGradients);
    }
    loss_scale_->has_overflowed();
    log_.info(fmt::format(
        "the gradients overflow in float16 in episode {} (epoch {}): no step, and the loss is "
        "scaled by {:g} from now on ({} left out so far)",
        position_.episode, position_.epoch + 1, loss_scale_->value(),
        loss_scale_->overflow_count()));
    return StepOutcome::kApplied;
}

void Optimization::step_with_closure(const Optimizer::Closure& closure) {
    take_step([&] {
        optimizer_->forget_gradients();
        return buckets_ ? sum_of_shares(closure) : closure();
    });
    if (average_) {
        average_->update(position_.episode);
    }
}

// Computes gradients and loss of the whole batch.
at::Tensor Optimization::sum_of_shares(const Optimizer::Closure& closure) {
    buckets_->begin();
    const at::Tensor own = closure();
    buckets_->finish();
    std::vector<double> loss = {own.defined() ? own.item<double>() : 0};
    collective_.sum(loss, "the sum of the loss");
    // All processes use one type: those without samples have no loss of their own, and the
    // optimizer's decisions by the loss must be the same in each.
    return at::scalar_tensor(loss.front(), at::kDouble);
}

StepOutcome Optimization::refuse(const std::string& what) {
    const experiment::BadLoss& rule = training_.bad_loss;
    const std::string where =
        fmt::format("{} in episode {} (epoch {})", what, position_.episode, position_.epoch + 1);
    if (rule.action == "stop" && position_.episode == 0) {
        throw RunError(kTrainingError, where +
                                           ", before any weight was changed: look at the data, "
                                           "and at the weights that the training began with");
    }
    if (rule.action == "stop") {
        throw RunError(kDiverged,
                       where + ": the training has diverged; a lower learning rate may help");
    }
    if (bad_count_ == rule.limit) {
        throw RunError(kDiverged,
                       fmt::format("{}, after {} that {}: this is the limit of "
                                   "training.on_bad_loss; a lower learning rate may help",
                                   where, bad_count_,
                                   rule.action == "skip" ? "were skipped" : "were rolled back"));
    }
    ++bad_count_;
    if (rule.action == "skip") {
        log_.warn(fmt::format("{}: the episode is skipped ({} of at most {})", where, bad_count_,
                              rule.limit));
        return StepOutcome::kSkipped;
    }
    learning_rate_.lower(rule.lr_factor);
    log_.warn(fmt::format(
        "{}: back to the last checkpoint, with {:g} of the learning rate ({} of at most {})", where,
        learning_rate_.lowered(), bad_count_, rule.limit));
    return StepOutcome::kRollback;
}

std::string Optimization::summary() const {
    const std::int64_t left_out = loss_scale_ ? loss_scale_->overflow_count() : 0;
    std::string text;
    if (left_out > 0) {
        text = fmt::format(
            "{} step{} left out because gradients overflowed in float16; the loss is "
            "scaled by {:g}{}",
            left_out, left_out == 1 ? " was" : "s were", loss_scale_->value(),
            bad_count_ == 0 ? "" : "\n");
    }
    if (bad_count_ == 0) {
        return text;
    }
    const bool is_skip = training_.bad_loss.action == "skip";
    return text +
           fmt::format(
               "{} {} because a loss or a gradient was not a finite number{}", bad_count_,
               bad_count_ == 1
                   ? (is_skip ? "episode was skipped" : "time the training was rolled back")
                   : (is_skip ? "episodes were skipped" : "times the training was rolled back"),
               is_skip ? ""
                       : fmt::format("; learning rates are {:g} of what they were",
                                     learning_rate_.lowered()));
}

void Optimization::check_group(const std::string& group) const {
    const auto& groups = optimizer_->groups();
    if (!group.empty() && std::ranges::count(groups, group) == 0) {
        std::vector<std::string> known = groups;
        std::erase(known, "");
        throw WithFix<RunError>(
            kConfigurationError,
            known.empty()
                ? Explanation{fmt::format("unknown parameter group '{}': the training has none, as "
                                          "training.optimizer.groups makes them",
                                          group),
                              "leave out --group: the rate is that of all parameters"}
                : Explanation{fmt::format("unknown parameter group '{}'; known: {}", group,
                                          join(known, ", ")),
                              "--group " + join(known, std::string(kNextFix) + "--group ")});
    }
}

void Optimization::set_learning_rate(double rate, const std::string& group) {
    assert(group.empty() || std::ranges::count(optimizer_->groups(), group) > 0);
    optimizer_->set_base_rate(rate, group.empty() ? std::nullopt : std::optional(group));
    if (plain_rate_ && group.empty()) {
        plain_rate_ = rate;
    }
    optimizer_->set_learning_rates([&](double base) { return learning_rate_.at(base, position_); });
}

void Optimization::follow_experiment() {
    learning_rate_.follow(training_);
    optimizer_->set_fused("", optimizer::fused_of(training_.optimizer));
    for (const experiment::ParameterGroup& group : training_.groups) {
        optimizer_->set_fused(group.component, optimizer::fused_of(group.options));
    }
}

void Optimization::change_from(const experiment::Training& before, const Changed& changed) {
    if (changed.has_schedule) {
        learning_rate_.begin_schedule(changed.begin);
        optimizer_->reset_momentum();  // the schedule may have changed it
    }
    if (changed.has_warm_up) {
        learning_rate_.begin_warm_up(changed.begin);
    }
    position_ = changed.here;
    const double rate = optimizer::lr_of(training_.optimizer);
    if (optimizer::lr_of(before.optimizer) != rate) {
        optimizer_->set_base_rate(rate, "");
        if (plain_rate_) {
            plain_rate_ = rate;
        }
    }
    for (const experiment::ParameterGroup& group : training_.groups) {
        const auto old = std::ranges::find(before.groups, group.component,
                                           &experiment::ParameterGroup::component);
        const double own_rate = optimizer::lr_of(group.options);
        if (old == before.groups.end() || optimizer::lr_of(old->options) != own_rate) {
            optimizer_->set_base_rate(own_rate, group.component);
        }
    }
    optimizer_->set_learning_rates([&](double base) { return learning_rate_.at(base, position_); });
}

Optimization::RollbackState Optimization::rollback_state() const {
    return {bad_count_, learning_rate_.lowered()};
}

void Optimization::set_rollback_state(const RollbackState& state) {
    bad_count_ = state.bad_count;
    learning_rate_.set_lowered(state.lowered);
}

SavedState Optimization::save() const {
    SavedState saved;
    saved.record.set("bad_count", bad_count_);
    saved.record.set("base_rates", optimizer_->base_rates());
    if (plain_rate_) {
        saved.record.set("plain_rate", *plain_rate_);
    }
    add_part(saved, "optimizer",
             shards_ ? shards_->gathered(optimizer_->save()) : optimizer_->save());
    add_part(saved, "learning_rate", learning_rate_.save());
    if (sums_) {
        add_part(saved, "sums", sums_->save());
    }
    if (average_) {
        add_part(saved, "average", average_->save());
    }
    if (loss_scale_) {
        add_part(saved, "loss_scale", loss_scale_->save());
    }
    return saved;
}

void Optimization::restore(const SavedState& saved) {
    SavedState optimizer = part_of(saved, "optimizer");
    optimizer_->restore(shards_ ? shards_->own_part(std::move(optimizer)) : optimizer);
    if (const Value* rates = saved.record.find("base_rates")) {
        optimizer_->set_base_rates(*rates);
    }
    if (plain_rate_ && saved.record.find("plain_rate") != nullptr) {
        plain_rate_ = real_in(saved.record, "plain_rate");
    }
    learning_rate_.restore(part_of(saved, "learning_rate"));
    if (sums_) {
        sums_->restore(part_of(saved, "sums"));
    }
    if (average_) {
        average_->restore(part_of(saved, "average"));
    }
    if (loss_scale_) {
        loss_scale_->restore(part_of(saved, "loss_scale"));
    }
    bad_count_ = integer_in(saved.record, "bad_count");
}

}  // namespace ptp::engine
