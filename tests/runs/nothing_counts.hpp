// The table of parts of a training that contribute nothing: each loss, by each way in which a row
// does not count, each statistic, and batch normalization, as one experiment.
#pragma once

#include <array>
#include <string>

namespace ptp::test::nothing {

// A setting of losses and statistics that decides which rows count.
struct Means {
    const char* name;
    const char* settings;
    const char* streams;
    const char* classes;  // the stream of targets that are numbers of classes
    bool needs_classes = false;
};

inline constexpr std::array kMeans{
    Means{"masked", "use_masking = true", "masks = \"masks\", ", "plain"},
    Means{"weighted", "use_sample_weights = true", "sample_weights = \"weights\", ", "plain"},
    Means{"ignored", "", "", "ignored", true},
    Means{"unweighted", "class_weights = [1.0, 2.0, 0.0]", "", "last", true}};

struct Loss {
    const char* name;
    const char* type;
    const char* settings;
    const char* streams;  // nullptr: the targets are numbers of classes
};

inline constexpr std::array kLosses{
    Loss{"nll", "NLLLoss", "", nullptr},
    Loss{"entropy", "CrossEntropyLoss", "", nullptr},
    Loss{"smoothed", "CrossEntropyLoss", "label_smoothing = 0.2", nullptr},
    Loss{"focal", "FocalLoss", "", nullptr},
    Loss{"areas", "DiceLoss", "num_spatial_dims = 1", nullptr},
    Loss{"dice", "DiceLoss", "num_spatial_dims = 1\nmode = \"multilabel\"", "targets = \"areas\""},
    Loss{"bce", "BCEWithLogitsLoss", "positive_weights = [3.0]", "targets = \"shares\""},
    Loss{"sigmoid", "SigmoidFocalLoss", "alpha = 0.25", "targets = \"shares\""},
    Loss{"soft", "SoftCrossEntropyLoss", "label_smoothing = 0.2", "targets = \"mixtures\""},
    Loss{"mse", "MSELoss", "", "targets = \"numbers\""},
    Loss{"l1", "L1Loss", "", "targets = \"numbers\""},
    Loss{"huber", "HuberLoss", "", "targets = \"numbers\""},
    Loss{"triplet", "TripletLoss", "", "positives = \"numbers\", negatives = \"inputs\""}};

// A loss of a plugin of the tests, of rows that all count but by their weights.
inline constexpr Loss kCareless{"careless", "Careless", "", "weights = \"weights\""};
inline constexpr Means kEach{"", "", "", ""};

// A net of its own for a loss, and the loss: `source` is what the net reads.
std::string branch(const Loss& loss, const Means& means, const std::string& name,
                   const std::string& source);

// From images to the stream "NAME_flat", with batch normalization.
std::string convolutions(const std::string& name);

std::string branches(bool is_normalized);
std::string statistics();

// A row that does not count has no words, the weight 0, and targets that say so.
std::string table();

struct Training {
    int batch_size = 6;
    int accumulate = 1;
    bool is_normalized = false;
    std::string clipping = {};
    std::string optimizer = {};
    std::string losses = {};   // in place of all
    std::string sampler = {};  // of the validation
};

std::string experiment(const Training& training);

}  // namespace ptp::test::nothing
