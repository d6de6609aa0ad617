// Reads, writes and checks what [training] specifies for gradients and the learning rate; the types
// of optimizers and schedules are read in read_optimizer.cpp.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "experiment/experiment.hpp"
#include "experiment/libtorch_version.hpp"
#include "experiment/readers.hpp"
#include "schema/check_value.hpp"
#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ptp::experiment {

namespace {

std::vector<Field> optimization_fields(WarmUp& warm_up) {
    return {{.name = "episodes",
             .into = &warm_up.episodes,
             .help = "in which the learning rate grows",
             .range = "[1, inf)",
             .is_required = true},
            {.name = "start_factor",
             .into = &warm_up.start_factor,
             .help = "of the learning rate in the first episode",
             .range = "(0, 1]"}};
}

std::vector<Field> optimization_fields(WeightAverage& average) {
    return {{.name = "decay",
             .into = &average.decay,
             .help = "share of the average that each step keeps",
             .range = "[0, 1)",
             .is_required = true},
            {.name = "start_episode",
             .into = &average.start_episode,
             .help = "the first whose weights are averaged",
             .range = "[0, inf)"}};
}

// The names of the actions, in the order of the list.
constexpr std::array<std::string_view, 3> kBadLossActions = {"stop", "skip", "rollback"};

std::size_t index_of(std::string_view action) {
    return static_cast<std::size_t>(std::ranges::find(kBadLossActions, action) -
                                    kBadLossActions.begin());
}

struct BadLossKinds {
    std::array<BadLoss, 3> defaults = {BadLoss{"stop"}, BadLoss{"skip"}, BadLoss{"rollback", 3}};

    Kinds kinds() {
        const auto limit = [](BadLoss& one) {
            return Field{.name = "limit",
                         .into = &one.limit,
                         .help = "how often, in a run",
                         .range = "[1, inf)"};
        };
        return {.list = {{.name = kBadLossActions[0], .help = "the run fails"},
                         {.name = kBadLossActions[1],
                          .help = "the episode changes no weight",
                          .fields = {limit(defaults[1])}},
                         {.name = kBadLossActions[2],
                          .help = "the training goes back to its last checkpoint",
                          .fields = {limit(defaults[2]),
                                     {.name = "lr_factor",
                                      .into = &defaults[2].lr_factor,
                                      .help = "of the learning rate from then on",
                                      .range = "(0, 1]"}}}},
                .key = "action",
                .help = "what follows"};
    }
};

// Reads the clipping: a number is a limit for each value; a table names the kind of limit.
GradientClipping read_clipping(const Scope& training, const Value& table) {
    std::optional<double> by_value;
    std::optional<double> by_norm;
    read_all_fields(training.at(table, "gradient_clipping"),
                    {{.name = "value",
                      .into = &by_value,
                      .help = "largest element of a gradient",
                      .range = "(0, inf)",
                      .is_alternative = true},
                     {.name = "norm",
                      .into = &by_norm,
                      .help = "largest Euclidean norm of all gradients together",
                      .range = "(0, inf)",
                      .is_alternative = true}});
    return {.is_by_norm = by_norm.has_value(), .limit = by_norm ? *by_norm : by_value.value_or(0)};
}

BadLoss read_bad_loss(const Scope& training, const RawOptimization& raw) {
    BadLossKinds all;
    std::optional<std::size_t> chosen;
    if (raw.bad_loss.table != nullptr) {
        chosen = read_kind(training.at(*raw.bad_loss.table, "on_bad_loss"), all.kinds());
    } else {
        chosen = index_of(raw.bad_loss_action);
    }
    BadLoss bad_loss = all.defaults.at(chosen.value_or(0));
    bad_loss.looks_at_gradients = true;
    return bad_loss;
}

// Checks an optimizer that evaluates each batch several times and compares the losses.
void check_closure(const Scope& scope, const Optimization& optimization) {
    if (!optimizer::uses_closure(optimization.optimizer)) {
        return;
    }
    const auto refuse = [&](const char* key, bool is_used, const char* before, const char* after) {
        if (is_used) {
            scope.problems.error(*scope.table.find(key), scope.key(key),
                                 fmt::format("{} with {}, which {}", before,
                                             name_of(optimization.optimizer), after));
        }
    };
    refuse("accumulate", optimization.accumulate > 1, "must be 1",
           "evaluates one batch several times");
    refuse("gradient_clipping", optimization.gradient_clipping.has_value(), "not",
           "needs the gradients of the loss that it sees");
    refuse("precision", optimization.precision != "float32", "must be \"float32\"",
           "compares losses that differ little");
    refuse("on_bad_loss", optimization.bad_loss.action == "skip", "not \"skip\"",
           "has changed the weights when it meets one");
}

template <class Table>
Value optimization_tree(Table table) {
    return write_fields(optimization_fields(table));
}

constexpr const char* kPrecisionKey = "training.precision";

void check_precision(const Scope& root, const Experiment& experiment) {
    if (experiment.training.precision == "fp16" && experiment.device == "cpu" &&
        !is_from(libtorch_version(), kFirstWithFloat16)) {
        const Value& given = *root.table.find_path(kPrecisionKey);
        root.problems.error(
            given, kPrecisionKey,
            Explanation{
                fmt::format("not on the CPU, where libtorch {} does not compute in float16 (from "
                            "{}.{} on it does)",
                            libtorch_version(), kFirstWithFloat16[0], kFirstWithFloat16[1]),
                schema::typed_value(given.place(), kPrecisionKey, R"("bf16")") +
                    " (or give --device cuda)"});
    }
}

void refuse_fused(const Scope& root, const std::string& optimizer, const optimizer::Any& options) {
    const std::string key = fmt::format("{}.{}", optimizer, optimizer::kFusedKey);
    const Value* const value = root.table.find_path(key);
    if (value != nullptr && fused_of(options).value_or(false)) {
        root.problems.error(
            *value, key,
            Explanation{
                fmt::format("libtorch {} has no fused steps (from {}.{} on it does)",
                            libtorch_version(), kFirstWithFusedSteps[0], kFirstWithFusedSteps[1]),
                schema::typed_value(value->place(), key, "false")});
    }
}

void check_fused(const Scope& root, const Experiment& experiment) {
    if (is_from(libtorch_version(), kFirstWithFusedSteps)) {
        return;
    }
    refuse_fused(root, "training.optimizer", experiment.training.optimizer);
    for (const ParameterGroup& group : experiment.training.groups) {
        refuse_fused(root, "training.optimizer.groups." + group.component, group.options);
    }
}

}  // namespace

std::vector<Field> RawOptimization::fields(Optimization& optimization) {
    return {
        {.name = "optimizer",
         .into = &optimizer,
         .help = "how the weights are changed",
         .is_required = true},
        {.name = "scheduler",
         .into = &scheduler,
         .help = "how the learning rate changes",
         .can_be_none = true},
        {.name = "warm_up",
         .into = &warm_up,
         .help = "linear warm-up of the learning rate",
         .can_be_none = true},
        {.name = "gradient_clipping",
         .into = &clipping,
         .help =
             "clips gradients: a number clips each element (clip_grad_value_), { norm = 1.0 } the norm of all of them (clip_grad_norm_)",
         .range = "(0, inf)",
         .can_be_none = true,
         .or_into = {&clipping_table}},
        {.name = "accumulate",
         .into = &optimization.accumulate,
         .help = "accumulates gradients over this many batches before each optimizer step",
         .range = "[1, inf)"},
        {.name = "precision",
         .into = &optimization.precision,
         .help = "of the numbers with which components compute in training",
         .choices = {"float32", "bf16", "fp16"}},
        {.name = "weight_average",
         .into = &weight_average,
         .help = "evaluates an exponential moving average of the weights"},
        {.name = "on_bad_loss",
         .into = &bad_loss_action,
         .help = "what follows a loss or a gradient that is not finite",
         .choices = {kBadLossActions.begin(), kBadLossActions.end()},
         .or_into = {&bad_loss}},
        {.name = "loss_weights",
         .into = &loss_weights,
         .help = "weights of losses in what is minimized, by the names of their streams",
         .range = "[0, inf)"}};
}

void read_optimization(const Scope& training, const RawOptimization& raw,
                       Optimization& optimization) {
    if (raw.optimizer.table != nullptr) {
        read_optimizer(training.at(*raw.optimizer.table, "optimizer"), optimization);
    }
    if (raw.scheduler.table != nullptr) {
        read_scheduler(training.at(*raw.scheduler.table, "scheduler"), optimization);
    }
    if (raw.warm_up.table != nullptr) {
        read_all_fields(training.at(*raw.warm_up.table, "warm_up"),
                        optimization_fields(optimization.warm_up.emplace()));
        if (optimization.scheduler && schedule::warms_up(*optimization.scheduler)) {
            training.problems.error(
                *raw.warm_up.table, training.key("warm_up"),
                fmt::format("not beside {}, which begins with a warm-up of its own",
                            name_of(*optimization.scheduler)));
        }
    }
    if (raw.weight_average.table != nullptr) {
        read_all_fields(training.at(*raw.weight_average.table, "weight_average"),
                        optimization_fields(optimization.weight_average.emplace()));
    }
    if (raw.clipping_table.table != nullptr) {
        optimization.gradient_clipping = read_clipping(training, *raw.clipping_table.table);
    } else if (raw.clipping) {
        optimization.gradient_clipping = {.is_by_norm = false, .limit = *raw.clipping};
    }
    if (raw.bad_loss.table != nullptr || !raw.bad_loss_action.empty()) {
        optimization.bad_loss = read_bad_loss(training, raw);
    }
    for (const auto& entry : raw.loss_weights) {
        optimization.loss_weights.push_back({entry.key, entry.key_place, entry.value});
    }
    check_closure(training, optimization);
    warn_of_unused_options(training, optimization);
}

void check_optimization(const Scope& root, const Experiment& experiment) {
    const std::vector<std::string> names =
        transformed(experiment.pipeline.components, &ComponentEntry::name);
    for (const ParameterGroup& group : experiment.training.groups) {
        const std::string key = "training.optimizer.groups." + group.component;
        const auto entry = std::ranges::find(experiment.pipeline.components, group.component,
                                             &ComponentEntry::name);
        if (entry == experiment.pipeline.components.end()) {
            root.problems.error(group.place, key,
                                "unknown component" + hint(group.component, names));
        } else if (!entry->is_enabled) {
            root.problems.error(group.place, key, "the component is disabled");
        } else if (!entry->share.empty()) {
            root.problems.error(group.place, key,
                                fmt::format("its parameters are those of '{0}'; write "
                                            "training.optimizer.groups.{0}",
                                            entry->share));
        } else if (entry->is_frozen && !entry->frozen_until) {
            root.problems.error(group.place, key,
                                "the component is frozen by its own `freeze`, so that nothing of "
                                "it is trained");
        } else if (entry->frozen_until && group.is_frozen) {
            root.problems.error(group.place, key + ".frozen",
                                "not beside the component's own `freeze`, which ends with an "
                                "epoch");
        }
    }
    for (const auto& [key, advice] : schedule_advice(experiment.training)) {
        const Value* const written = root.table.find_path(key);
        if (written != nullptr && root.options.section.empty()) {
            root.problems.warning(written->place(), key, advice);
        }
    }
    check_precision(root, experiment);
    check_fused(root, experiment);
    const auto& scheduler = experiment.training.scheduler;
    if (scheduler && schedule::needs_validation(*scheduler) && !experiment.validation) {
        const std::string key = "training.scheduler.type";
        root.problems.error(*root.table.find_path(key), key,
                            "looks at the validation loss, but there is no [validation]");
    }
}

void write_optimization(const Optimization& optimization, Value& training) {
    training.set("optimizer", write_optimizer(optimization));
    if (optimization.scheduler) {
        training.set("scheduler", schema::write_one_of(*optimization.scheduler));
    }
    if (optimization.warm_up) {
        training.set("warm_up", optimization_tree(*optimization.warm_up));
    }
    if (optimization.gradient_clipping) {
        const auto& [is_by_norm, limit] = *optimization.gradient_clipping;
        training.set("gradient_clipping",
                     is_by_norm ? Value::table({{"norm", limit}}) : Value(limit));
    }
    training.set("accumulate", optimization.accumulate);
    training.set("precision", optimization.precision);
    if (optimization.weight_average) {
        training.set("weight_average", optimization_tree(*optimization.weight_average));
    }
    if (optimization.bad_loss.looks_at_gradients) {
        BadLossKinds all;
        const std::size_t chosen = index_of(optimization.bad_loss.action);
        all.defaults.at(chosen) = optimization.bad_loss;
        training.set("on_bad_loss", write_kind(all.kinds(), chosen));
    }
    if (!optimization.loss_weights.empty()) {
        Value weights;
        for (const LossWeight& weight : optimization.loss_weights) {
            weights.set(weight.loss, weight.weight);
        }
        training.set("loss_weights", std::move(weights));
    }
}

}  // namespace ptp::experiment
