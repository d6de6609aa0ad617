// The loss that is minimized, in one process and in several, and the statistics of a batch that
// several processes share.
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

void add_to(at::Tensor& sum, const at::Tensor& part) {
    sum = sum.defined() ? sum.add(part) : part;
}

}  // namespace

void Statistics::share(const std::vector<bool>& observing, Collective& collective) {
    collective_ = &collective;
    for (Source& source : sources_) {
        const pipeline::Node& node = source.instance->node();
        const auto found = std::ranges::find(plan_.nodes, node.name, &pipeline::Node::name);
        if (observing[static_cast<std::size_t>(found - plan_.nodes.begin())]) {
            continue;
        }
        if (source.asked == Asked::kCount) {
            source.asked = Asked::kShared;
        }
        for (const auto& [declared, column] : source.columns) {
            if (columns_[column].aggregation == PTP_AGGREGATE_COMPUTED) {
                refuse_counted(*source.instance, node.component->statistics[declared].name);
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
        for (const auto& [declared, column] : source.columns) {
            if (source.asked != Asked::kCount && source.in_set[last_set_] &&
                !columns_[column].is_set_only) {
                const bool is_sum =
                    weighs(column) || columns_[column].aggregation == PTP_AGGREGATE_SUM;
                visit(column, is_sum ? Shared::kSum : Shared::kMean);
            }
        }
    }
    for (const Loss& loss : losses_) {
        if (runs_in(loss, last_set_)) {
            visit(loss.column, Shared::kLoss);
        }
    }
}

std::vector<double> Statistics::own_sums() {
    if (own_samples_ > 0) {
        ask(Asked::kShared);
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
    if (total_column_) {
        values_[*total_column_] = last_loss_;
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
            add_to(total, weighted(loss, frame));
        }
    }
    return total;
}

// Returns the losses of training: those together that are means over the same items.
std::vector<std::vector<const Statistics::Loss*>> Statistics::losses_by_weight() const {
    std::vector<std::vector<const Loss*>> groups;
    for (const Loss& loss : losses_) {
        if (!runs_in(loss, kTrainingSet)) {
            continue;
        }
        const auto group = std::ranges::find_if(groups, [&](const auto& other) {
            return columns_[other.front()->column].weight == columns_[loss.column].weight;
        });
        if (group == groups.end()) {
            groups.push_back({&loss});
        } else {
            group->push_back(&loss);
        }
    }
    return groups;
}

std::vector<WeightedLoss> Statistics::weighted_losses(const Frame& frame) const {
    std::vector<WeightedLoss> parts;
    for (const std::vector<const Loss*>& group : losses_by_weight()) {
        WeightedLoss& part = parts.emplace_back();
        part.weight = group.front()->own_weight;
        for (std::size_t i = 0; own_samples_ > 0 && i < group.size(); ++i) {
            add_to(part.loss, weighted(*group[i], frame));
        }
    }
    return parts;
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
    const std::vector<std::vector<const Loss*>> groups = losses_by_weight();
    at::Tensor sum;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const at::Tensor& loss = own[i].loss;
        const double whole = weight_of(groups[i].front()->column);
        if (loss.defined() && (own[i].weight != 0 || loss.requires_grad())) {
            add_to(sum, loss.mul(divisor_of(own[i].weight) / divisor_of(whole)));
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

}  // namespace ptp::engine
