// Parts of a training that contribute nothing: the share of a process, an accumulated batch, a
// masked sample, a class of weight 0, a sentence without words. Whatever the part is, losses,
// statistics, batch normalization, clipping and steps are those of one process with whole batches.

#include "runs/ranks.hpp"
#include "runs/together.hpp"
#include "support/some_of.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nothing_counts_test {

using ptp::test::ProcessResult;
using ptp::test::TempFolder;

namespace {

// Batches of six rows, by what counts in them; two follow each other where twelve are one batch. In
// three processes the parts are rows 1 and 2, 3 and 4, 5 and 6, in two the halves.
constexpr std::array kBatches{"111111", "000000", "000111", "111100", "000001",
                              "110000", "000000", "000000", "10"};

// What makes a row count or not.
struct Means {
    const char* name;
    const char* settings;
    const char* streams;
    const char* classes;  // the stream of targets that are numbers of classes
    bool needs_classes = false;
};

constexpr std::array kMeans{
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

constexpr std::array kLosses{
    Loss{"nll", "NLLLoss", "", nullptr},
    Loss{"entropy", "CrossEntropyLoss", "", nullptr},
    Loss{"smoothed", "CrossEntropyLoss", "label_smoothing = 0.2", nullptr},
    Loss{"focal", "FocalLoss", "", nullptr},
    Loss{"areas", "DiceLoss", "num_spatial_dims = 1", nullptr},
    Loss{"dice", "DiceLoss", "num_spatial_dims = 1\nmode = \"multilabel\"", "targets = \"areas\""},
    Loss{"bce", "BCEWithLogitsLoss", "positive_weights = [3.0]", "targets = \"shares\""},
    Loss{"sigmoid", "SigmoidFocalLoss", "alpha = 0.25", "targets = \"shares\""},
    Loss{"mse", "MSELoss", "", "targets = \"numbers\""},
    Loss{"l1", "L1Loss", "", "targets = \"numbers\""},
    Loss{"huber", "HuberLoss", "", "targets = \"numbers\""},
    Loss{"triplet", "TripletLoss", "", "positives = \"numbers\", negatives = \"inputs\""}};

// A loss of a plugin of the tests, of rows that all count but by their weights.
constexpr Loss kCareless{"careless", "Careless", "", "weights = \"weights\""};
constexpr Means kEach{"", "", "", ""};

std::string component(const std::string& name, const std::string& type, const std::string& lines) {
    return "[pipeline." + name + "]\ntype = \"" + type + "\"\n" + lines + "\n";
}

// From the stream `from` to one of this name.
std::string stage(const std::string& name, const std::string& from, const std::string& type,
                  const std::string& lines) {
    const bool has_size = type == "ReshapeTensor" || type == "Flatten";
    return component(name, type,
                     lines + "\nstreams = { inputs = \"" + from + "\", outputs = \"" + name +
                         "\" }" +
                         (has_size ? "\nglobals = { output_size = \"" + name + "_size\" }" : ""));
}

std::string streams() {
    std::string text = component("words", "GlobalVariablePublisher",
                                 "keys = [\"counting\"]\nvalues = [{ yes = 0 }]") +
                       component("masks", "StringToMask",
                                 "streams = { strings = \"labels\", masks = \"masks\" }\n"
                                 "globals = { word_mappings = \"counting\" }");
    int index = 0;
    for (const char* name : {"plain", "ignored", "last"}) {
        text += stage(name, "integers", "SliceTensor",
                      "input_type = \"integer\"\nindex = " + std::to_string(index++));
        text += stage(std::string(name) + "_places", name, "ReshapeTensor",
                      "input_type = \"integer\"\noutput_dims = [-1, 1]");
    }
    return text + stage("numbers", "values", "SliceTensor", "end = 3") +
           stage("weights", "values", "SliceTensor", "index = 3") +
           stage("shares", "numbers", "NonLinearity", "function = \"sigmoid\"") +
           stage("areas", "shares", "ReshapeTensor", "output_dims = [-1, 3, 1]") +
           stage("image", "inputs", "ReshapeTensor", "output_dims = [-1, 1, 1, 3]") +
           stage("sentences", "texts", "SentenceTokenizer", "");
}

// A net of its own for a loss, and the loss: `source` is what the net reads.
std::string branch(const Loss& loss, const Means& means, const std::string& name,
                   const std::string& source) {
    const std::string type = loss.type;
    const std::string scores = name + "_scores";
    std::string text = component(
        name + "_net", "FeedForwardNetwork",
        std::string("hidden_sizes = []\nuse_logsoftmax = ") +
            (type == "NLLLoss" ? "true" : "false") + "\nstreams = { inputs = \"" + source +
            "\", predictions = \"" + scores + "\" }\nglobals = { prediction_size = 3" +
            (source == "inputs" ? "" : ", input_size = \"" + source + "_size\"") + " }");
    const bool has_places = type == "DiceLoss";
    if (has_places) {
        text += stage(name + "_places", scores, "ReshapeTensor", "output_dims = [-1, 3, 1]");
    }
    const std::string predictions = has_places ? name + "_places" : scores;
    const std::string targets =
        loss.streams != nullptr
            ? loss.streams
            : "targets = \"" + std::string(means.classes) + (has_places ? "_places\"" : "\"");
    return text + component(name, type,
                            std::string(loss.settings) + "\n" + means.settings + "\nstreams = { " +
                                means.streams + targets + ", " +
                                (type == "TripletLoss" ? "anchors" : "predictions") + " = \"" +
                                predictions + "\", loss = \"" + name + "\" }");
}

// From images to the stream "NAME_flat", with batch normalization.
std::string convolutions(const std::string& name) {
    return component(name + "_convolutions", "ConvNetEncoder",
                     "use_batch_norm = true\n"
                     "conv1 = { out_channels = 2, kernel_size = 1 }\n"
                     "conv2 = { out_channels = 2, kernel_size = 1 }\n"
                     "conv3 = { out_channels = 2, kernel_size = 1 }\n"
                     "maxpool1 = { kernel_size = 1 }\nmaxpool2 = { kernel_size = 1 }\n"
                     "maxpool3 = { kernel_size = 1 }\n"
                     "streams = { inputs = \"image\", feature_maps = \"" +
                         name + "_maps\" }\nglobals = { feature_map_depth = \"" + name +
                         "_depth\", feature_map_height = \"" + name +
                         "_height\", feature_map_width = \"" + name + "_width\" }") +
           stage(name + "_flat", name + "_maps", "Flatten", "");
}

std::string branches(bool is_normalized) {
    std::string text;
    for (const Means& means : kMeans) {
        for (const Loss& loss : kLosses) {
            if (!means.needs_classes || loss.streams == nullptr) {
                text += branch(loss, means, std::string(loss.name) + "_" + means.name, "inputs");
            }
        }
        if (is_normalized) {
            const std::string name = std::string("normalized_") + means.name;
            text += convolutions(name) + branch(kLosses[0], means, name, name + "_flat");
        }
    }
    return text;
}

std::string statistics() {
    const std::string of_classes =
        "use_masking = true\nstreams = { targets = \"plain\", predictions = "
        "\"entropy_masked_scores\" }\n";
    const std::string of_sentences =
        "use_tokens = true\nstreams = { targets = \"sentences\", predictions = \"sentences\" }";
    return component("accuracy", "AccuracyStatistics", of_classes) +
           component("scores", "PrecisionRecallStatistics",
                     of_classes + "globals = { num_classes = 3 }") +
           component("roc", "ROCStatistics", "mode = \"multiclass\"\n" + of_classes) +
           component("perplexity", "PerplexityStatistics", "num_targets_dims = 1\n" + of_classes) +
           component("regression", "RegressionStatistics",
                     "use_masking = true\nnum_targets_dims = 2\nstreams = { targets = \"numbers\", "
                     "predictions = \"mse_masked_scores\" }") +
           component("bleu", "BLEUStatistics", of_sentences) +
           component("errors", "WordErrorRateStatistics", of_sentences) +
           component("rouge", "ROUGEStatistics", of_sentences);
}

// A row that does not count has no words, the weight 0, and targets that say so.
std::string table() {
    std::string rows = "x0,x1,x2,plain,ignored,last,y0,y1,y2,weight,text,label\n";
    int number = 0;
    for (const std::string batch : kBatches) {
        for (const char counts : batch) {
            const auto wave = [&](double step) { return std::to_string(std::sin(step * number)); };
            const std::string target = std::to_string(number++ % 2);
            rows += wave(1.0) + "," + wave(0.7) + "," + wave(1.9) + "," + target + ",";
            rows += counts == '1' ? target + "," + target : std::string("-100,2");
            rows += "," + wave(0.3) + "," + wave(2.3) + "," + wave(1.3) + ",";
            rows += counts == '1' ? "1.5,the " + target + ",yes\n" : "0,,no\n";
        }
    }
    return rows;
}

struct Training {
    int batch_size = 6;
    int accumulate = 1;
    bool is_normalized = false;
    std::string clipping = {};
    std::string optimizer = {};
    std::string losses = {};   // in place of all
    std::string sampler = {};  // of the validation
};

std::string experiment(const Training& training) {
    const auto task = [](int batch_size) {
        return "task = { type = \"CsvTable\", batch_size = " + std::to_string(batch_size) +
               ", file = \"rows.csv\", features = [\"x0\", \"x1\", \"x2\"], integers = [\"plain\", "
               "\"ignored\", \"last\"], values = [\"y0\", \"y1\", \"y2\", \"weight\"], text = "
               "\"text\", label = \"label\" }\n";
    };
    return "seed = 1\ndistributed = { buffers = \"synchronized\" }\n[training]\noptimizer = { " +
           training.optimizer + " }\naccumulate = " + std::to_string(training.accumulate) + "\n" +
           (training.clipping.empty() ? "" : "gradient_clipping = " + training.clipping + "\n") +
           "dataloader = { shuffle = false }\nterminal_conditions = { epoch_limit = 3, "
           "loss_stop_threshold = 0 }\n" +
           task(training.batch_size) + "[validation]\n" + training.sampler + task(5) + streams() +
           (training.losses.empty() ? branches(training.is_normalized) + statistics()
                                    : training.losses);
}

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& text) {
    std::vector<Row> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        Row& row = rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) {
            row.push_back(cell);
        }
    }
    return rows;
}

bool are_equal(const std::string& left, const std::string& right) {
    return left == right ||
           std::abs(std::stod(left) - std::stod(right)) <= 2e-5 * (1 + std::abs(std::stod(right)));
}

// The cells of two tables that are not equal, by names of columns and numbers of rows. Of a set
// that was cut into other batches, what is about its batches is left out.
std::string differences(const std::string& found, const std::string& expected, bool has_batches) {
    const std::vector<Row> left = rows_of(found);
    const std::vector<Row> right = rows_of(expected);
    if (left.size() != right.size() || left.size() < 2 || left[0] != right[0]) {
        return "the tables have other columns or rows";
    }
    std::string text;
    for (std::size_t column = 0; column < left[0].size(); ++column) {
        const std::string& name = left[0][column];
        const bool is_of_batches =
            name.ends_with("_min") || name.ends_with("_max") || name.ends_with("_std");
        const bool is_left_out = name.starts_with("episode") || (is_of_batches && !has_batches);
        for (std::size_t row = 1; row < left.size() && !is_left_out; ++row) {
            const std::string& one = left[row].at(column);
            const std::string& other = right[row].at(column);
            if (!are_equal(one, other)) {
                text +=
                    name + "[" + std::to_string(row) + "]: " + one + " in place of " + other + "\n";
            }
        }
    }
    return text;
}

std::vector<ProcessResult> run(const TempFolder& folder, const std::string& name,
                               const Training& training, int processes) {
    const auto file = folder.write(name + ".toml", experiment(training));
    return ptp::test::run_together(
        processes, {file.string(), "--run-dir", (folder.path() / name).string(), "--plugins",
                    ptp::test::ranked_build("plain").parent_path().string()});
}

void train(const TempFolder& folder, const std::string& name, const Training& training,
           int processes) {
    for (const ProcessResult& rank : run(folder, name, training, processes)) {
        CAPTURE(rank.errors);  // Warnings, too: of the table that is read twice.
        REQUIRE(rank.status == 0);
    }
}

// Trains as one process with `whole` does, and compares all tables.
void compare(const TempFolder& folder, const Training& training, int processes,
             const Training& whole) {
    const std::string name = std::to_string(processes) + "_" + std::to_string(training.accumulate);
    CAPTURE(name);
    train(folder, name, training, processes);
    const bool has_batches = training.batch_size == whole.batch_size;
    for (const char* table : {"training.csv", "training_epochs.csv", "validation.csv"}) {
        if (has_batches || table != std::string("training.csv")) {
            CAPTURE(table);
            CHECK(differences(folder.read(name + "/" + table),
                              folder.read(std::string("whole/") + table),
                              has_batches || table == std::string("validation.csv")) == "");
        }
    }
}

struct Steps {
    const char* optimizer;
    const char* clipping;
};

constexpr const char* kDescent = "type = \"SGD\", lr = 0.05, momentum = 0.5, weight_decay = 0.01";
const std::vector<Steps> kSteps{{kDescent, ""},
                                {kDescent, "{ value = 0.02 }"},
                                {"type = \"AdamW\", lr = 0.01, eps = 1e-3", ""},
                                {kDescent, "{ norm = 0.3 }"}};

}  // namespace

TEST_CASE("nothing counts: in a process's part, a batch or a row, two and three train as one") {
    std::vector<Training> trainings;
    for (const Steps& steps : kSteps) {
        for (const int accumulate : {1, 2}) {
            trainings.push_back({6, accumulate, true, steps.clipping, steps.optimizer});
        }
    }
    for (const Training& training : ptp::test::some_of(trainings, trainings.size())) {
        CAPTURE(training.clipping);
        CAPTURE(training.accumulate);
        const TempFolder folder;
        folder.write("rows.csv", table());
        train(folder, "whole", training, 1);
        compare(folder, training, 2, training);
        compare(folder, training, 3, training);
    }
}

TEST_CASE("nothing counts: batches that are accumulated are one, in one, two and three processes") {
    for (const Steps& steps : ptp::test::is_all_wanted() ? kSteps : std::vector{kSteps[1]}) {
        CAPTURE(steps.clipping);
        const TempFolder folder;
        folder.write("rows.csv", table());
        const Training training{
            .accumulate = 2, .clipping = steps.clipping, .optimizer = steps.optimizer};
        Training whole = training;
        whole.batch_size = 12;
        whole.accumulate = 1;
        train(folder, "whole", whole, 1);
        for (const int processes : {1, 2, 3}) {
            compare(folder, training, processes, whole);
        }
    }
}

TEST_CASE("nothing counts: a loss that is nan there, by its weight of 0, trains alike, too") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    const Training training{.optimizer = kDescent,
                            .losses = branch(kCareless, kEach, "careless", "inputs")};
    train(folder, "whole", training, 1);
    compare(folder, training, 3, training);
}

TEST_CASE("nothing counts: a loss that is nan there is refused before a shared normalization") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    const Training training{.optimizer = kDescent,
                            .losses = convolutions("normalized") +
                                      branch(kCareless, kEach, "careless", "normalized_flat")};
    train(folder, "whole", training, 1);
    const std::vector<ProcessResult> ranks = run(folder, "two", training, 2);
    CHECK(ranks[0].status == 5);
    const std::string refusal =
        "ptprun: error: distributed.buffers = \"synchronized\": in this process's part of the batch "
        "no loss depends on the weights, so that the gradients of layers before a batch "
        "normalization would be wrong\n"
        "    fix: let a loss for which nothing counts be computed from the predictions all the "
        "same, as their sum times 0, or take buffers = \"first\"\n";
    CHECK(ranks[0].errors.ends_with(refusal));
    CHECK(ranks[1].status == 7);
}

TEST_CASE("nothing counts: in a whole validation, with label smoothing it has no value, too") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    Training training{.optimizer = kDescent,
                      .losses = branch(kLosses[2], kMeans[3], "smoothed", "inputs")};
    training.sampler = "sampler = { type = \"SubsetSequentialSampler\", indices = [6, 7] }\n";
    for (const int processes : {1, 2, 3}) {
        const ProcessResult first = run(folder, std::to_string(processes), training, processes)[0];
        CHECK(first.status == 4);
        CHECK(first.errors.ends_with(
            "[validation] has nothing that counts for the loss 'smoothed', which has no value "
            "there; look at masks, weights and ignored targets\n"));
    }
}

}  // namespace nothing_counts_test
