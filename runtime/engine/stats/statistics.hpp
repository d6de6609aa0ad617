// All statistics of a pipeline: those of its components, in the order of the components, and the
// host's own, one for each loss stream and their total.

#pragma once

#include "config/optimization.hpp"
#include "engine/checkpoint/saved_state.hpp"
#include "engine/optim/weighed_loss.hpp"
#include "engine/stats/column.hpp"
#include "engine/stats/set_aggregate.hpp"
#include "engine/step/components.hpp"
#include "engine/stream/frame.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// The number ptp_step.set of each section.
enum StatisticSet : std::uint64_t { kTrainingSet = 0, kValidationSet = 1, kTestSet = 2 };

// That of a section, by its name.
StatisticSet set_named(std::string_view section);

// [step] The plan and the components must outlive it.
class Statistics {
public:
    // `weights` are of losses by the names of their streams; a loss that is not named weighs 1.
    Statistics(const pipeline::Plan& plan, const Components& components,
               const std::vector<config::LossWeight>& weights = {});

    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

    // From now on these components are asked, in place of those with the same statistics.
    void take_over(const Components& components);

    // Forgets what was collected for the set.
    void reset(StatisticSet set);

    // The weighted sum of the losses that run in training, which is what is minimised. Reads all of
    // their streams.
    [[nodiscard]] at::Tensor total_loss(const Frame& frame) const;

    // After collect(), the same sum in parts: one for the losses that are means over the samples of
    // the batch, and one for each other statistic that says what losses are means over.
    [[nodiscard]] std::vector<WeighedLoss> weighed_losses(const Frame& frame) const;

    // A step with a loss that is no finite number does not count in its set. What the components
    // keep for themselves has seen it.
    void leave_out_bad_losses() { leaves_out_bad_losses_ = true; }

    // Collects from a step that has just run and gives a value for each column, until the next
    // call; set-only ones have none, and nan stands for what is not measured in this set. Reading
    // the losses waits for the device, once.
    std::span<const double> collect(StatisticSet set, const Frame& frame, std::uint64_t samples);

    // The weighted sum of the losses in the step collected last, and of their means over the set; nan if
    // nothing was weighed in one of them.
    [[nodiscard]] double last_loss() const { return last_loss_; }
    [[nodiscard]] double mean_loss(StatisticSet set) const;

    // Names and values of the losses in the step collected last that are no finite numbers.
    [[nodiscard]] std::string bad_losses() const;

    // The number of steps collected for the set.
    [[nodiscard]] std::uint64_t batch_count(StatisticSet set) const { return batch_counts_[set]; }

    // What the set gives for each column.
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
    };
    struct Loss {
        int stream = -1;
        std::size_t column = 0;
        std::string weight_name;  // of the hidden statistic that weighs it, if there is one
        double factor = 1;        // in the sum
    };

    void add_losses(const pipeline::Node& node);
    void add_source(Instance& instance);
    void weigh_losses(const pipeline::Node& node, std::size_t first);
    [[nodiscard]] at::Tensor weighted(const Loss& loss, const Frame& frame) const;
    void read_losses(StatisticSet set, const Frame& frame);
    [[nodiscard]] bool runs_in(const Loss& loss, StatisticSet set) const {
        return columns_[loss.column].in_set[set];
    }

    const pipeline::Plan& plan_;
    std::vector<Column> columns_;
    std::vector<Source> sources_;
    std::vector<Loss> losses_;
    int total_column_ = -1;
    std::vector<double> values_;
    double last_loss_ = 0;
    double last_samples_ = 0;
    bool leaves_out_bad_losses_ = false;
    StatisticSet last_set_ = kTrainingSet;
    std::vector<SetAggregate> sets_;
    std::array<std::uint64_t, 3> batch_counts_{};
};

}  // namespace ptp::engine
