// All statistics of a pipeline: the statistics of its components, in the order of the components,
// and the host's own, one for each loss stream, their total, and the learning rates.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/optim/weighted_loss.hpp"
#include "engine/stats/column.hpp"
#include "engine/stats/set_aggregate.hpp"
#include "experiment/optimization.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// That of a section, by its name; all validation sets have the same, one after the other.
StatisticSet set_named(std::string_view section);

// [step] The plan and the components must outlive it.
class Statistics {
public:
    // `weights` are of losses by the names of their streams; a loss that is not named weighs 1.
    Statistics(const pipeline::Plan& plan, const Components& components,
               const std::vector<experiment::LossWeight>& weights = {});

    // Adds columns for the learning rates of the episodes of training. Before anything is read.
    void add_learning_rates(const std::vector<std::string>& names);

    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

    // From now on these components are asked, in place of those with the same statistics.
    void rebind(const Components& components);

    // Forgets what was collected for the set.
    void reset(StatisticSet set);

    // A pass over this section begins: the same, and until the next pass the set has what is
    // measured in this section.
    void begin(StatisticSet set, std::string_view section);

    // The weighted sum of the losses that run in training, which is what is minimized. Reads all of
    // their streams.
    [[nodiscard]] at::Tensor total_loss(const Frame& frame) const;

    // After read(): whether nothing in the batch counts for any of these losses.
    [[nodiscard]] bool is_of_nothing() const;

    // After read(), the same sum in parts: one for the losses that are means over the samples of
    // the batch, and one for each other statistic that is the number of items a loss is a mean
    // over. Such a part has no loss where this process has no sample of a shared batch.
    [[nodiscard]] std::vector<WeightedLoss> weighted_losses(const Frame& frame) const;

    // From now on each batch is shared with other processes: `observing` are the nodes that the
    // first one alone runs (observing_nodes()), and `agree` makes what it has found for a set that
    // of all. Throws RunError (kConfigurationError) for a component that runs in each process and
    // counts for itself what cannot be added up.
    using Agree = std::function<void(std::vector<Aggregate>&)>;
    void share(const std::vector<bool>& observing, bool is_first, Agree agree);

    // Then, after read(): what this process has found, as numbers that are to be added up over all
    // of them; take_sums() makes of these the values of the whole batch. Where this process has no
    // sample of the batch, read_nothing() comes in place of read().
    void read_nothing(StatisticSet set);
    [[nodiscard]] std::vector<double> own_sums();
    void take_sums(std::span<const double> sums);
    // What the whole batch weighs, for each of weighted_losses(), which has the share's.
    [[nodiscard]] std::vector<double> whole_weights() const;

    // A step that has just run: reads its losses, which waits for the device, once, and asks the
    // components whose statistics are the number of items a loss is a mean over. A loss over no
    // items that is not a finite number counts as 0. The step does not count in its set yet.
    void read(StatisticSet set, const Frame& frame, std::uint64_t samples);

    // The learning rates in use in the step that was read last. Those that have no column, because
    // a component got its first parameters in a swap, are left out.
    void note_learning_rates(const std::vector<std::string>& names,
                             const std::vector<double>& rates);

    // The step that was read last counts: asks the other components.
    void count();

    // Both: for steps that count whatever their values are.
    std::span<const double> collect(StatisticSet set, const Frame& frame, std::uint64_t samples);

    // Of the step that was read last, a value for each column; set-only ones have none. nan for
    // what is not measured in this set, and for what is only asked of steps that count.
    [[nodiscard]] std::span<const double> values() const { return values_; }

    // The weighted sum of the losses in the step that was read last, and of their means over the
    // set; nan if nothing was weighted in one of them.
    [[nodiscard]] double last_loss() const { return last_loss_; }
    [[nodiscard]] double mean_loss(StatisticSet set) const;

    // Of the losses that run in the set, those for which nothing in it counted: "'a' and 'b'".
    [[nodiscard]] std::string losses_without_value(StatisticSet set) const;

    // The column with what is minimized: of the only loss, or of the total of several.
    [[nodiscard]] const std::string& loss_name() const;

    // The column of a statistic that each batch of training has; of the first that a component
    // counts for an empty name. nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> batch_statistic(std::string_view name) const;

    // Names and values of the losses in the step that was read last that are not finite numbers.
    [[nodiscard]] std::string bad_losses() const;

    // The number of steps that count in the set.
    [[nodiscard]] std::uint64_t batch_count(StatisticSet set) const { return batch_counts_[set]; }

    // The value of the set for each column.
    std::vector<Aggregate> aggregate(StatisticSet set);

    // What was collected so far for the training set, for a checkpoint within an epoch. What the
    // components keep for themselves is part of their own state. restore() throws RunError with
    // kDataError if it was saved with other columns.
    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

    // Whether a loss runs on the batches of this set.
    [[nodiscard]] bool has_loss(StatisticSet set) const;

private:
    struct Source {  // a component with statistics
        Instance* instance = nullptr;
        std::vector<double> values;  // one for each declared statistic
        std::vector<int> columns;    // the column of each; -1: its `when` does not hold
        std::array<bool, 3> in_set = {};
        std::vector<bool> runs_for;  // by the places of plan.tasks
        bool weighs_loss = false;
        bool observes = false;  // where the batch is shared: the first process alone asks it
    };
    struct Loss {
        int stream = -1;
        std::size_t column = 0;
        std::string weight_name;     // of the hidden statistic that weighs it, if there is one
        double factor = 1;           // in the sum
        double own_weight = 0;       // of the share of this process, where the batch is shared
        bool is_of_nothing = false;  // the mean of nothing in the last batch, and no finite number
        std::vector<bool> runs_for;  // by the places of plan.tasks
    };

    void add_losses(const pipeline::Node& node);
    void add_source(Instance& instance);
    void weigh_losses(const pipeline::Node& node, std::size_t first);
    [[nodiscard]] at::Tensor weighted(const Loss& loss, const Frame& frame) const;
    void read_losses(StatisticSet set, const Frame& frame);
    void ask(bool of_weights);
    void ask(Source& source);
    void ask_observers();
    [[nodiscard]] bool is_asked(const Source& source) const {
        return !source.observes || is_first_;
    }
    enum class Shared;
    template <class Visit>
    void for_each_shared(Visit visit);
    [[nodiscard]] double weight_of(std::size_t column) const;
    void sum_up_losses();
    [[nodiscard]] bool runs_in(const Loss& loss, StatisticSet set) const {
        return columns_[loss.column].in_set[set];
    }

    const pipeline::Plan& plan_;
    std::vector<Column> columns_;
    std::vector<Source> sources_;
    std::vector<Loss> losses_;
    int total_column_ = -1;
    std::size_t rates_column_ = 0;  // the first of those
    std::vector<double> values_;
    double last_loss_ = 0;
    std::uint64_t last_samples_ = 0;
    std::uint64_t own_samples_ = 0;  // of them, where the batch is shared
    StatisticSet last_set_ = kTrainingSet;
    std::vector<SetAggregate> sets_;
    std::array<std::uint64_t, 3> batch_counts_{};
    bool is_sharing_ = false;
    bool is_first_ = true;  // of the processes
    Agree agree_;           // nullptr: there is one process
};

}  // namespace ptp::engine
