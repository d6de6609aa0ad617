#include "experiment/optimization_fields.hpp"
#include "experiment/read_optimization.hpp"

#include <utility>

namespace ptp::experiment {

namespace {

Value tree_of_optimizer(const Optimization& optimization) {
    Optimizer optimizer = optimization.optimizer;
    Value table = write_fields(fields_of(optimizer), optimizer.type);
    if (!optimization.groups.empty()) {
        Value groups;
        for (ParameterGroup group : optimization.groups) {
            groups.set(group.component, write_fields(fields_of(group), group.options.type));
        }
        table.set("groups", std::move(groups));
    }
    return table;
}

Value tree_of(Scheduler scheduler) {
    Value table = write_fields(fields_of(scheduler), scheduler.type);
    if (!scheduler.milestones.empty()) {
        table.set("milestones",
                  Value::list({scheduler.milestones.begin(), scheduler.milestones.end()}));
    }
    return table;
}

}  // namespace

void write_optimization(const Optimization& optimization, Value& training) {
    training.set("optimizer", tree_of_optimizer(optimization));
    if (optimization.scheduler) {
        training.set("scheduler", tree_of(*optimization.scheduler));
    }
    if (optimization.warm_up) {
        WarmUp warm_up = *optimization.warm_up;
        training.set("warm_up", write_fields(fields_of(warm_up)));
    }
    if (optimization.gradient_clipping) {
        const auto& [is_by_norm, limit] = *optimization.gradient_clipping;
        training.set("gradient_clipping",
                     is_by_norm ? Value::table({{"norm", limit}}) : Value(limit));
    }
    training.set("accumulate", optimization.accumulate);
    training.set("precision", optimization.precision);
    if (optimization.weight_average) {
        WeightAverage average = *optimization.weight_average;
        training.set("weight_average", write_fields(fields_of(average)));
    }
    if (optimization.bad_loss.looks_at_gradients) {
        BadLoss bad_loss = optimization.bad_loss;
        training.set("on_bad_loss", write_fields(fields_of(bad_loss), bad_loss.action));
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
