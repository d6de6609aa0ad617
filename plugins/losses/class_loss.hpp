// The common parts of losses whose targets are numbers of classes.
#pragma once

#include "weighted_mean.hpp"

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace losses {

struct ClassConfig : SampleConfig {
    int64_t num_targets_dims = 1;
    int64_t num_masks_dims = 1;
    bool classes_first = false;
    std::vector<double> class_weights;

    static constexpr auto settings() {
        return std::tuple_cat(
            std::tuple{
                ptp::setting("num_targets_dims", &ClassConfig::num_targets_dims,
                             {.help = "Number of dimensions of the targets, the batch included",
                              .range = "[1, inf)"}),
                ptp::setting("num_masks_dims", &ClassConfig::num_masks_dims,
                             {.help = "Number of dimensions of the masks, which are the first of "
                                      "the targets; 1 is a mask for each sample",
                              .range = "[1, inf)"}),
                ptp::setting("classes_first", &ClassConfig::classes_first,
                             {.help = "Whether the dimension of the classes comes right after the "
                                      "batch, as convolutions return it, instead of last"}),
                ptp::setting("class_weights", &ClassConfig::class_weights,
                             {.help = "How much targets of each class count, one weight for each "
                                      "class; [] is 1 for all",
                              .range = "[0, inf)"})},
            SampleConfig::settings());
    }
};

// The accepted meanings of CrossEntropyLoss and similar losses: a log-softmax does not change
// log-probabilities.
inline constexpr const char* kClassScores = "scores|log_probabilities|values";

constexpr auto class_ports(const char* predictions, const char* meaning) {
    return std::array{
        ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1", "The right classes")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, classes", predictions)
            .when("!classes_first")
            .meaning(meaning),
        ptp::input("predictions", PTP_FLOAT, "B, classes, n^$num_targets_dims-1", predictions)
            .when("classes_first")
            .meaning(meaning),
        kMasks,
        kSampleWeights,
        kLoss};
}

inline constexpr ptp::Global kIgnoreIndex =
    ptp::reads_if_named("ignore_index",
                        "Targets of this value do not count, such as padding; -100 if not named")
        .purpose(PTP_PURPOSE_IGNORED_TARGET);

inline constexpr ptp::Requirement kClassWeights =
    ptp::requirement("length($class_weights) = 0 or length($class_weights) = classes",
                     "must have one weight for each class, or none");
inline constexpr ptp::Requirement kSeveralClasses = ptp::requirement(
    "classes > 1", "compares the scores of classes: with a single one the loss is always 0");

// Returns weights of classes as a tensor, undefined if there are none. Throws ConfigError if all
// are 0, or if their number differs from that of the classes, if that is known.
at::Tensor class_weights(const std::vector<double>& weights, const ptp::Setup& setup);

// Throws ConfigError unless there are as many weights as classes, or none.
void check_class_weights(const at::Tensor& weights, int64_t classes);

// Returns the valid targets other than classes, for messages.
std::string uncounted_text(int64_t ignore_index);

// The inputs of such a loss; null if they do not exist.
struct ClassInputs {
    const at::Tensor& targets;
    const at::Tensor* predictions;        // classes are the last dimension
    const at::Tensor* first_predictions;  // classes are the dimension after the batch
    CountingInputs counting;
    bool spreads_targets = false;  // targets whose own class has weight 0 count too
};

// A batch as N targets, whatever its dimensions were.
struct ClassBatch {
    at::Tensor scores;         // [N, C]; 0 if not counted, or the target's class has weight 0
    at::Tensor targets;        // [N]; ignore_index if not counted
    at::Tensor classes;        // [N]; the same, but 0 if not counted
    at::Tensor factors;        // [N]; 0 if not counted; undefined: all 1
    at::Tensor class_weights;  // [C]; undefined: all 1

    // Returns the sum of factors times `each`, a value for each target that already includes its
    // class's weight, divided by the sum of factors times those weights.
    at::Tensor mean(const at::Tensor& each, Mean& mean) const;
};

class ClassBatches {
public:
    // Throws ConfigError if a setting conflicts with the others, or with the number of classes if
    // known.
    ClassBatches(const ClassConfig& config, const ptp::Setup& setup);

    // Throws DataError if sizes do not fit, or a counted target is not a class.
    ClassBatch of(const ClassInputs& inputs);

    [[nodiscard]] int64_t ignore_index() const { return ignore_index_; }

private:
    ClassBatch selected(const ClassInputs& inputs, const at::Tensor& scores);
    ClassBatch whole(const at::Tensor& scores, const at::Tensor& targets);
    at::Tensor class_weights_for(const at::Tensor& scores);

    bool is_classes_first_;
    int64_t ignore_index_;
    at::Tensor class_weights_;  // undefined: all 1
    bool has_weight_of_0_;
};

}  // namespace losses
