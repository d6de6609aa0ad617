// All statistics of a pipeline: the statistics of its components, in the order of the components,
// and the host's own, one for each loss stream, their total, and the learning rates.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/optimizer/gradients.hpp"
#include "engine/statistics/set_aggregate.hpp"
#include "experiment/optimization.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::engine {

// Returns the set of a section, by its name; all validation sets share one, one after the other.
StatisticSet set_named(std::string_view section);

// [step] The plan and the components must outlive it.
//
// A batch passes through it in three steps: read() takes the losses of this process's share;
// Collective::exchange() makes them those of the whole batch, by own_sums() and take_sums(), if
// several processes share it; count() adds the batch to its set.
class Statistics final : public SharedValues {
public:
    // `weights` are of losses by the names of their streams; other losses have the weight 1.
    Statistics(const pipeline::Plan& plan, const Components& components,
               const std::vector<experiment::LossWeight>& weights = {});

    // Adds columns for the learning rates of training episodes. Called before any value is read.
    void add_learning_rates(const std::vector<std::string>& names);

    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

    // Replaces components with the same statistics by these.
    void rebind(const Components& components);

    // Shares each batch with the other processes from now on: `observing` are the nodes that only
    // the first one runs (observing_nodes()), whose results for a set all then have. Throws
    // RunError (kConfigurationError) for a component that runs in each process and has counts of
    // its own that cannot be summed. The collective must outlive this.
    void share(const std::vector<bool>& observing, Collective& collective);

    // Clears the values collected for the set.
    void reset(StatisticSet set);

    // Begins a pass over this section: clears the set, which until the next pass has the columns
    // measured in this section.
    void begin(StatisticSet set, std::string_view section);

    // After a step: reads its losses, which waits for the device once, and calls the components
    // whose statistics are the number of items over which a loss is a mean. A loss over no items
    // that is not finite becomes 0. Reads nothing if this process has no sample of a shared batch.
    void read(StatisticSet set, const Frame& frame, std::uint64_t samples);

    // SharedValues: between read() and count().
    [[nodiscard]] std::vector<double> own_sums() override;
    void take_sums(std::span<const double> sums) override;
    [[nodiscard]] at::Tensor whole_loss(const Frame& frame) const override;
    [[nodiscard]] at::Tensor loss_of_share(const Frame& frame) const override;
    [[nodiscard]] bool lacks_loss(const Frame& frame) const override;

    // Counts the batch in its set: calls the other components.
    void count();

    // Sets the learning rates of the last step. Those without a column, because a component got its
    // first parameters in a swap, are ignored.
    void note_learning_rates(const std::vector<std::string>& names,
                             const std::vector<double>& rates);

    // Returns the minimized value: the weighted sum of the losses that run in training. Reads all
    // of their streams.
    [[nodiscard]] at::Tensor total_loss(const Frame& frame) const;

    // After read(): returns whether nothing in the batch counts for any of these losses.
    [[nodiscard]] bool is_of_nothing() const;

    // After read(): returns the same sum in parts: one for the losses that are means over the
    // samples of the batch, and one for each other statistic that is the number of items over which
    // a loss is a mean. Weights are those of this process's share; without a sample in it, a part
    // has no loss.
    [[nodiscard]] std::vector<WeightedLoss> weighted_losses(const Frame& frame) const;

    // Returns the values of the last step, one for each column; set-only ones have none. NaN for
    // columns that are not measured in this set, or only in steps that count.
    [[nodiscard]] std::span<const double> values() const { return values_; }

    // Return the weighted sum of the losses in the last step, and of their means over the set; NaN
    // if the total weight of one of them is 0.
    [[nodiscard]] double last_loss() const { return last_loss_; }
    [[nodiscard]] double mean_loss(StatisticSet set) const;

    // Returns the losses that run in the set and for which nothing in it counted: "'a' and 'b'".
    [[nodiscard]] std::string losses_without_value(StatisticSet set) const;

    // Returns the column of the minimized value: of the only loss, or of the total of several.
    [[nodiscard]] const std::string& loss_name() const;

    // Returns the column of a statistic that each batch of training has; for an empty name, the
    // first that a component counts. Returns nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> batch_statistic(std::string_view name) const;

    // Returns names and values of the losses in the last step that are not finite.
    [[nodiscard]] std::string bad_losses() const;

    // Returns the number of steps that count in the set.
    [[nodiscard]] std::uint64_t batch_count(StatisticSet set) const { return batch_counts_[set]; }

    // Returns the value of the set for each column.
    std::vector<Aggregate> aggregate(StatisticSet set);

    // Saves the values collected for the training set, for a checkpoint within an epoch. The
    // components' own values are part of their state. restore() throws RunError with kDataError if
    // it was saved with other columns.
    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

    // Returns whether a loss runs on the batches of this set.
    [[nodiscard]] bool has_loss(StatisticSet set) const;

private:
    // When a component is called, once for each batch.
    enum class Asked {
        kRead,    // its statistics weigh a loss
        kShared,  // it sees this process's share of a shared batch
        kCount    // it sees the whole batch: in the first process
    };
    struct Source {  // a component with statistics
        Instance* instance = nullptr;
        std::vector<double> values;  // one for each declared statistic
        // The declared statistics whose `when` holds, and their columns.
        std::vector<std::pair<std::size_t, std::size_t>> columns;
        std::array<bool, 3> in_set = {};
        std::vector<bool> runs_for;  // by place in plan.tasks
        Asked asked = Asked::kCount;
    };
    struct Loss {
        int stream = -1;
        std::size_t column = 0;
        std::string weight_name;     // the hidden statistic that weighs it, if any
        double factor = 1;           // in the sum
        double own_weight = 0;       // of this process's share of the last batch
        bool is_of_nothing = false;  // a mean of nothing in the last batch, and not finite
        std::vector<bool> runs_for;  // by place in plan.tasks
    };

    void add_losses(const pipeline::Node& node);
    void add_source(Instance& instance, std::size_t first_loss);
    [[nodiscard]] std::vector<std::vector<const Loss*>> losses_by_weight() const;
    [[nodiscard]] at::Tensor weighted(const Loss& loss, const Frame& frame) const;
    void read_losses(StatisticSet set, const Frame& frame);
    void ask(Asked asked);
    void agree(std::vector<Aggregate>& aggregates) const;
    enum class Shared;
    template <class Visit>
    void for_each_shared(Visit visit);
    [[nodiscard]] double weight_of(std::size_t column) const;
    void sum_up_losses();
    [[nodiscard]] const std::string& stream_of(const Loss& loss) const {
        return plan_.stream(loss.stream).name;
    }
    [[nodiscard]] bool runs_in(const Loss& loss, StatisticSet set) const {
        return columns_[loss.column].in_set[set];
    }

    const pipeline::Plan& plan_;
    std::vector<Column> columns_;
    std::vector<Source> sources_;
    std::vector<Loss> losses_;
    std::optional<std::size_t> total_column_;
    std::size_t rates_column_ = 0;  // the first of these
    std::vector<double> values_;
    double last_loss_ = 0;
    std::uint64_t last_samples_ = 0;
    std::uint64_t own_samples_ = 0;  // this process's
    StatisticSet last_set_ = kTrainingSet;
    std::vector<SetAggregate> sets_;
    std::array<std::uint64_t, 3> batch_counts_{};
    Collective alone_;
    Collective* collective_ = &alone_;  // the processes that share each batch
};

}  // namespace ptp::engine
