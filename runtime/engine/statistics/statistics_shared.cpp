// The statistics of a batch that several processes share.
//
// A loss, and each statistic of a component that runs in every process, is a weighted mean, or a
// sum: both follow from sums over the processes, exactly except for rounding. Components that only
// observe are called in the first process only, which shows them the whole batch.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/statistics/statistics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse_counted(const Instance& instance, const std::string& statistic) {
    throw WithFix<RunError>(
        kConfigurationError,
        {fmt::format("{}: computes the statistic '{}' over a whole set, and other components need "
                     "its streams, so that each process would count its own part",
                     instance.title(), statistic),
         "train in one process, or have a component compute it whose streams no model, loss or "
         "transform reads"});
}

}  // namespace

void Statistics::share(const std::vector<bool>& observing, Collective& collective) {
    collective_ = &collective;
    for (Source& source : sources_) {
        const pipeline::Node& node = source.instance->node();
        const auto place = std::ranges::find(plan_.nodes, node.name, &pipeline::Node::name);
        source.observes = observing[static_cast<std::size_t>(place - plan_.nodes.begin())];
        for (std::size_t i = 0; i < source.columns.size() && !source.observes; ++i) {
            const bool is_counted =
                source.columns[i] >= 0 &&
                columns_[static_cast<std::size_t>(source.columns[i])].aggregation ==
                    PTP_AGGREGATE_COMPUTED;
            if (is_counted) {
                refuse_counted(*source.instance, node.component->statistics[i].name);
            }
        }
    }
}

double Statistics::weight_of(std::size_t column) const {
    const int weight = columns_[column].weight;
    return weight < 0 ? static_cast<double>(last_samples_)
                      : values_[static_cast<std::size_t>(weight)];
}

// The ways to compute a column from sums over the processes.
enum class Statistics::Shared {
    kSum,
    kMean,  // (sum of weight * value) / (sum of weight); nothing of a process with weight 0
    kLoss   // the same, but a weight of 0 divides nothing: see divisor_of()
};

// Calls `visit` with each exchanged column. One that weighs others is a sum, regardless of its
// declaration.
template <class Visit>
void Statistics::for_each_shared(Visit visit) {
    const auto weighs = [this](std::size_t column) {
        return std::ranges::count(columns_, static_cast<int>(column), &Column::weight) > 0;
    };
    for (const Source& source : sources_) {
        for (const int column : source.columns) {
            const auto place = static_cast<std::size_t>(column);
            if (column >= 0 && !source.observes && source.in_set[last_set_] &&
                !columns_[place].is_set_only) {
                const bool is_sum =
                    weighs(place) || columns_[place].aggregation == PTP_AGGREGATE_SUM;
                visit(place, is_sum ? Shared::kSum : Shared::kMean);
            }
        }
    }
    for (const Loss& loss : losses_) {
        if (runs_in(loss, last_set_)) {
            visit(loss.column, Shared::kLoss);
        }
    }
}

void Statistics::read_nothing(StatisticSet set) {
    std::ranges::fill(values_, std::numeric_limits<double>::quiet_NaN());
    last_set_ = set;
    last_samples_ = 0;
    last_loss_ = 0;
}

std::vector<double> Statistics::own_sums() {
    own_samples_ = last_samples_;
    for (Source& source : sources_) {
        const bool is_asked_here =
            own_samples_ > 0 && source.in_set[last_set_] && !source.observes && !source.weighs_loss;
        if (is_asked_here) {
            ask(source);
        }
    }
    const auto samples = static_cast<double>(own_samples_);
    std::vector<double> sums = {samples};
    for_each_shared([&](std::size_t column, Shared kind) {
        const double value = own_samples_ == 0 ? 0 : values_[column];
        const double weight = own_samples_ == 0 ? 0 : kind == Shared::kSum ? 1 : weight_of(column);
        const bool is_mean_of_nothing = weight == 0 && kind == Shared::kMean;
        sums.push_back(weight);
        sums.push_back(is_mean_of_nothing ? 0 : divisor_of(weight) * value);
        if (kind == Shared::kMean) {
            sums.push_back(is_mean_of_nothing ? samples * value : 0);
        }
    });
    for (Loss& loss : losses_) {
        loss.own_weight = own_samples_ > 0 ? weight_of(loss.column) : 0;
    }
    return sums;
}

void Statistics::take_sums(std::span<const double> sums) {
    last_samples_ = static_cast<std::uint64_t>(sums.front());
    std::size_t next = 1;
    for_each_shared([&](std::size_t column, Shared kind) {
        const double weight = sums[next++];
        const double sum = sums[next++];
        values_[column] = kind == Shared::kSum ? sum : sum / divisor_of(weight);
        if (kind == Shared::kMean) {
            const double of_nothing = sums[next++];  // from processes in which nothing counts
            values_[column] = weight == 0 ? of_nothing / sums.front() : values_[column];
        }
    });
    sum_up_losses();
}

void Statistics::sum_up_losses() {
    last_loss_ = 0;
    for (const Loss& loss : losses_) {
        if (runs_in(loss, last_set_)) {
            last_loss_ += loss.factor * values_[loss.column];
        }
    }
    if (total_column_ >= 0) {
        values_[static_cast<std::size_t>(total_column_)] = last_loss_;
    }
}

at::Tensor Statistics::weighted(const Loss& loss, const Frame& frame) const {
    const at::Tensor& tensor = frame[loss.stream].tensor;
    if (loss.is_of_nothing) {
        return at::zeros_like(tensor.detach());
    }
    return loss.factor == 1 ? tensor : tensor.mul(loss.factor);
}

at::Tensor Statistics::total_loss(const Frame& frame) const {
    at::Tensor total;
    for (const Loss& loss : losses_) {
        if (runs_in(loss, kTrainingSet)) {
            const at::Tensor part = weighted(loss, frame);
            total = total.defined() ? total.add(part) : part;
        }
    }
    return total;
}

std::vector<WeightedLoss> Statistics::weighted_losses(const Frame& frame) const {
    std::vector<WeightedLoss> parts;
    std::vector<int> columns;  // the weights of each part
    const bool is_sharing = collective_ != nullptr;
    const bool is_empty = is_sharing && own_samples_ == 0;
    for (const Loss& loss : losses_) {
        if (!runs_in(loss, kTrainingSet)) {
            continue;
        }
        const int column = columns_[loss.column].weight;
        const auto part =
            static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
        if (part == parts.size()) {
            columns.push_back(column);
            parts.push_back({is_empty ? at::Tensor() : weighted(loss, frame),
                             is_sharing ? loss.own_weight : weight_of(loss.column)});
        } else if (!is_empty) {
            parts[part].loss = parts[part].loss.add(weighted(loss, frame));
        }
    }
    return parts;
}

std::vector<double> Statistics::whole_weights() const {
    std::vector<double> weights;
    std::vector<int> columns;
    for (const Loss& loss : losses_) {
        const int column = columns_[loss.column].weight;
        if (runs_in(loss, kTrainingSet) && std::ranges::count(columns, column) == 0) {
            columns.push_back(column);
            weights.push_back(weight_of(loss.column));
        }
    }
    return weights;
}

bool Statistics::is_of_nothing() const {
    return std::ranges::all_of(losses_, [this](const Loss& loss) {
        return !runs_in(loss, kTrainingSet) || weight_of(loss.column) == 0;
    });
}

at::Tensor Statistics::whole_loss(const Frame& frame) const {
    const at::Tensor loss = total_loss(frame);
    return !loss.requires_grad() && is_of_nothing() ? at::Tensor() : loss;
}

// A loss that is not constant has a backward pass even if nothing in the share counts: its gradient
// is 0, but not that of layers that see other shares.
at::Tensor Statistics::loss_of_share(const Frame& frame) const {
    const std::vector<WeightedLoss> own = weighted_losses(frame);
    const std::vector<double> whole = whole_weights();
    at::Tensor sum;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const at::Tensor& loss = own[i].loss;
        if (loss.defined() && (own[i].weight != 0 || loss.requires_grad())) {
            const at::Tensor part = loss.mul(divisor_of(own[i].weight) / divisor_of(whole[i]));
            sum = sum.defined() ? sum.add(part) : part;
        }
    }
    return sum;
}

bool Statistics::lacks_loss(const Frame& frame) const {
    return std::ranges::any_of(weighted_losses(frame), [](const WeightedLoss& each) {
        return !each.loss.defined() || !each.loss.requires_grad();
    });
}

// Sets the aggregates to the first process's, which alone has those of components that observe.
void Statistics::agree(std::vector<Aggregate>& aggregates) const {
    if (collective_ == nullptr) {
        return;
    }
    std::vector<double> numbers;
    for (const Aggregate& each : aggregates) {
        numbers.insert(numbers.end(), {each.value, each.minimum, each.maximum, each.deviation});
    }
    collective_->broadcast(numbers, "the broadcast of statistics");
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
        const double* const of = numbers.data() + 4 * i;
        aggregates[i] = {of[0], of[1], of[2], of[3], aggregates[i].is_absent};
    }
}

void Statistics::ask_observers() {
    for (Source& source : sources_) {
        if (source.observes && is_first() && source.in_set[last_set_]) {
            ask(source);
        }
    }
}

}  // namespace ptp::engine
