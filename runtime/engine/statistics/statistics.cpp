// The columns of statistics, and their values for batches and sets of one process.

#include "engine/statistics/statistics.hpp"

#include "base/number.hpp"
#include "base/suggest.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/globals.hpp"

#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptp::engine {

namespace {

constexpr int kLossDecimals = 6;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns for each section of the plan whether the node runs there.
std::vector<bool> tasks_of(const pipeline::Plan& plan, const pipeline::Node& node) {
    std::vector<bool> runs;
    for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
        runs.push_back(node.runs_on(task));
    }
    return runs;
}

// Returns in which sets a component runs, by tasks_of(): of several sections with the same set, the
// first decides. Sections missing in the plan are never queried.
std::array<bool, 3> sets_of(const pipeline::Plan& plan, const std::vector<bool>& runs) {
    std::array<bool, 3> sets = {true, true, true};
    for (std::size_t task = plan.tasks.size(); task-- > 0;) {
        sets[set_named(plan.tasks[task].section)] = runs[task];
    }
    return sets;
}

std::string shown_name(const pipeline::Node& node, const std::string& declared) {
    const auto place = node.statistics.find(declared);
    return place == node.statistics.end() ? declared : place->second;
}

Column loss_column(std::string name) {
    Column column;
    column.name = std::move(name);
    column.decimals = kLossDecimals;
    column.has_spread = true;
    column.is_loss = true;
    return column;
}

}  // namespace

StatisticSet set_named(std::string_view section) {
    const std::string_view role = experiment::role_of(section);
    return role == "training" ? kTrainingSet : role == "validation" ? kValidationSet : kTestSet;
}

Statistics::Statistics(const pipeline::Plan& plan, const Components& components,
                       const std::vector<experiment::LossWeight>& weights)
    : plan_(plan) {
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const std::size_t first_loss = losses_.size();
        add_losses(instance->node());
        if (instance->has_statistics()) {
            add_source(*instance, first_loss);
        }
    }
    bool is_weighted = false;
    for (const experiment::LossWeight& weight : weights) {
        for (Loss& loss : losses_) {
            if (stream_of(loss) == weight.loss) {
                loss.factor = weight.weight;
                is_weighted = is_weighted || weight.weight != 1;
            }
        }
    }
    if (losses_.size() > 1 || is_weighted) {
        total_column_ = columns_.size();
        columns_.push_back(loss_column(pipeline::kTotalStatistic));
        for (const StatisticSet set : {kTrainingSet, kValidationSet, kTestSet}) {
            columns_.back().in_set[set] = has_loss(set);
        }
    }
    values_.resize(columns_.size());
    sets_.assign(3, SetAggregate(columns_));
}

void Statistics::rebind(const Components& components) {
    auto source = sources_.begin();
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        if (instance->has_statistics()) {
            (source++)->instance = instance.get();
        }
    }
}

void Statistics::add_learning_rates(const std::vector<std::string>& names) {
    rates_column_ = columns_.size();
    for (const std::string& name : names) {
        Column& column = columns_.emplace_back();
        column.name = name;
        column.is_batch_only = true;
        column.in_set = {true, false, false};
    }
    values_.resize(columns_.size());
    sets_.assign(3, SetAggregate(columns_));
}

void Statistics::add_losses(const pipeline::Node& node) {
    for (const pipeline::Binding& output : node.outputs) {
        const plugin::Port& port = node.port(output);
        if (port.is_loss && output.stream >= 0) {
            const auto named = node.statistics.find(port.name);
            const std::string& stream = plan_.stream(output.stream).name;
            Loss& loss = losses_.emplace_back();
            loss.stream = output.stream;
            loss.column = columns_.size();
            loss.weight_name = port.name + "_weight";
            loss.runs_for = tasks_of(plan_, node);
            columns_.push_back(
                loss_column(named == node.statistics.end() ? stream : named->second));
            columns_.back().in_set = sets_of(plan_, loss.runs_for);
        }
    }
}

// The losses from `first_loss` on belong to the same component.
void Statistics::add_source(Instance& instance, std::size_t first_loss) {
    const pipeline::Node& node = instance.node();
    const std::vector<plugin::Statistic>& declared = node.component->statistics;
    Source& source = sources_.emplace_back();
    source.instance = &instance;
    source.runs_for = tasks_of(plan_, node);
    source.in_set = sets_of(plan_, source.runs_for);
    source.values.resize(declared.size());
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (!node.has_statistic[i]) {
            continue;
        }
        source.columns.emplace_back(i, columns_.size());
        Column column;
        column.name = shown_name(node, declared[i].name);
        column.aggregation = static_cast<ptp_aggregation>(declared[i].aggregation);
        column.decimals = declared[i].is_integer ? 0 : declared[i].decimals;
        column.is_shown = !declared[i].is_hidden;
        column.is_set_only = declared[i].is_set_only;
        column.has_spread = declared[i].has_spread;
        column.in_set = source.in_set;
        columns_.push_back(std::move(column));
    }
    for (const auto& [i, weight] : source.columns) {
        for (const auto& [other, column] : source.columns) {
            if (declared[other].weight == declared[i].name) {
                columns_[column].weight = static_cast<int>(weight);
            }
        }
        for (std::size_t loss = first_loss; loss < losses_.size(); ++loss) {
            if (declared[i].name == losses_[loss].weight_name && declared[i].is_hidden &&
                !declared[i].is_set_only) {
                columns_[losses_[loss].column].weight = static_cast<int>(weight);
                source.asked = Asked::kRead;
            }
        }
    }
}

const std::string& Statistics::loss_name() const {
    static const std::string none;
    if (total_column_) {
        return columns_[*total_column_].name;
    }
    return losses_.empty() ? none : columns_[losses_.front().column].name;
}

std::optional<std::size_t> Statistics::batch_statistic(std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool is_counted = std::ranges::any_of(sources_, [i](const Source& source) {
            return std::ranges::any_of(source.columns,
                                       [i](const auto& place) { return place.second == i; });
        });
        if (is_in_batches(columns_[i], kTrainingSet) &&
            (name.empty() ? is_counted : columns_[i].name == name)) {
            return i;
        }
    }
    return std::nullopt;
}

void Statistics::reset(StatisticSet set) {
    sets_[set].reset();
    batch_counts_[set] = 0;
    for (const Source& source : sources_) {
        source.instance->reset_statistics(set);
    }
}

void Statistics::begin(StatisticSet set, std::string_view section) {
    const auto found = std::ranges::find(plan_.tasks, section, &pipeline::Node::section);
    if (found != plan_.tasks.end()) {
        const auto task = static_cast<std::size_t>(found - plan_.tasks.begin());
        for (const Loss& loss : losses_) {
            columns_[loss.column].in_set[set] = loss.runs_for[task];
        }
        for (Source& source : sources_) {
            source.in_set[set] = source.runs_for[task];
            for (const auto& [declared, column] : source.columns) {
                columns_[column].in_set[set] = source.runs_for[task];
            }
        }
        if (total_column_) {
            columns_[*total_column_].in_set[set] = has_loss(set);
        }
    }
    reset(set);
}

void Statistics::read_losses(StatisticSet set, const Frame& frame) {
    std::vector<Loss*> read;
    for (Loss& loss : losses_) {
        if (runs_in(loss, set)) {
            read.push_back(&loss);
        }
    }
    if (read.size() == 1) {
        values_[read[0]->column] = frame[read[0]->stream].tensor.item<double>();
    } else if (!read.empty()) {
        std::vector<at::Tensor> scalars;
        for (const Loss* loss : read) {
            scalars.push_back(frame[loss->stream].tensor.detach().reshape({}).to(at::kDouble));
        }
        const at::Tensor all = at::stack(scalars).cpu();
        for (std::size_t i = 0; i < read.size(); ++i) {
            values_[read[i]->column] = all.data_ptr<double>()[i];
        }
    }
    for (Loss* loss : read) {
        double& value = values_[loss->column];
        loss->is_of_nothing = !std::isfinite(value) && weight_of(loss->column) == 0;
        value = loss->is_of_nothing ? 0 : value;
    }
    sum_up_losses();
}

void Statistics::read(StatisticSet set, const Frame& frame, std::uint64_t samples) {
    std::ranges::fill(values_, kNone);
    last_set_ = set;
    last_samples_ = samples;
    own_samples_ = samples;
    last_loss_ = 0;
    if (samples > 0) {
        ask(Asked::kRead);
        read_losses(set, frame);
    }
    for (Loss& loss : losses_) {
        loss.own_weight = samples > 0 ? weight_of(loss.column) : 0;
    }
}

void Statistics::note_learning_rates(const std::vector<std::string>& names,
                                     const std::vector<double>& rates) {
    for (std::size_t column = rates_column_; column < columns_.size(); ++column) {
        const auto name = std::ranges::find(names, columns_[column].name);
        if (name != names.end()) {
            values_[column] = rates[static_cast<std::size_t>(name - names.begin())];
        }
    }
}

// Collects the statistics of the components that are called now.
void Statistics::ask(Asked asked) {
    for (Source& source : sources_) {
        if (!source.in_set[last_set_] || source.asked != asked) {
            continue;
        }
        source.instance->collect_statistics(last_set_, source.values.data());
        for (const auto& [declared, column] : source.columns) {
            values_[column] = source.values[declared];
        }
    }
}

void Statistics::count() {
    collective_->on_first([this] { ask(Asked::kCount); });
    sets_[last_set_].add(columns_, values_, last_samples_);
    ++batch_counts_[last_set_];
}

double Statistics::mean_loss(StatisticSet set) const {
    double sum = 0;
    for (const Loss& loss : losses_) {
        if (!runs_in(loss, set)) {
            continue;
        }
        sum += loss.factor * sets_[set].of(columns_[loss.column], loss.column).value;
    }
    return sum;
}

std::string Statistics::losses_without_value(StatisticSet set) const {
    std::vector<std::string> names;
    for (const Loss& loss : losses_) {
        const bool has_value = !std::isnan(sets_[set].of(columns_[loss.column], loss.column).value);
        if (runs_in(loss, set) && !has_value) {
            names.push_back(fmt::format("'{}'", stream_of(loss)));
        }
    }
    return joined(names);
}

std::string Statistics::bad_losses() const {
    std::string text;
    for (const Loss& loss : losses_) {
        const double value = values_[loss.column];
        if (runs_in(loss, last_set_) && !std::isfinite(value)) {
            text += fmt::format("{}'{}' is {}", text.empty() ? "" : ", ", stream_of(loss),
                                exact_text(value));
        }
    }
    return text;
}

bool Statistics::has_loss(StatisticSet set) const {
    return std::ranges::any_of(losses_, [&](const Loss& loss) { return runs_in(loss, set); });
}

std::vector<Aggregate> Statistics::aggregate(StatisticSet set) {
    std::vector<Aggregate> made;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        made.push_back(sets_[set].of(columns_[i], i));
        made.back().is_absent = columns_[i].is_batch_only || !columns_[i].in_set[set];
    }
    if (total_column_) {
        made[*total_column_].value = mean_loss(set);
    }
    for (Source& source : sources_) {
        const auto compute = [&] {
            source.instance->aggregate_statistics(set, source.values.data());
            for (const auto& [declared, column] : source.columns) {
                if (columns_[column].aggregation == PTP_AGGREGATE_COMPUTED) {
                    made[column].value = source.values[declared];
                }
            }
        };
        if (source.in_set[set]) {
            source.asked == Asked::kCount ? collective_->on_first(compute) : compute();
        }
    }
    agree(made);
    return made;
}

}  // namespace ptp::engine
