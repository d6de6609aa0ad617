// Writes the experiment, and its table of rows.

#include "runs/nothing_counts.hpp"

#include <cmath>

namespace ptp::test::nothing {

namespace {

// Batches of six rows, by what counts in them; two follow each other where twelve are one batch. In
// three processes the parts are rows 1 and 2, 3 and 4, 5 and 6, in two the halves.
constexpr std::array kBatches{"111111", "000000", "000111", "111100", "000001",
                              "110000", "000000", "000000", "10"};

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
           stage("mixtures", "numbers", "NonLinearity", "function = \"softmax\"") +
           stage("areas", "shares", "ReshapeTensor", "output_dims = [-1, 3, 1]") +
           stage("image", "inputs", "ReshapeTensor", "output_dims = [-1, 1, 1, 3]") +
           stage("sentences", "texts", "SentenceTokenizer", "") +
           stage("answers", "texts", "SentenceTokenizer", "");
}

}  // namespace

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

// Freezes the biases before batch normalizations. Their gradients are 0 except for rounding, which
// AdamW divides by a number as small: running means would differ in the fourth digit between two
// orders of a sum.
std::string convolutions(const std::string& name) {
    return component(name + "_convolutions", "ConvNetEncoder",
                     "use_batch_norm = true\n"
                     "freeze = [\"conv1.bias\", \"conv2.bias\", \"conv3.bias\"]\n"
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
        "use_tokens = true\nstreams = { targets = \"sentences\", predictions = \"answers\" }";
    const auto of_ignored = [](const std::string& name, const std::string& type,
                               const std::string& names, const std::string& more = "") {
        return component(name + "_ignored", type,
                         more +
                             "streams = { targets = \"ignored\", predictions = "
                             "\"entropy_ignored_scores\" }\nglobals = { ignore_index = -100" +
                             (type == "PrecisionRecallStatistics" ? ", num_classes = 3" : "") +
                             " }\nstatistics = { " + names + " }");
    };
    return of_ignored("accuracy", "AccuracyStatistics", "accuracy = \"accuracy_ignored\"") +
           of_ignored("scores", "PrecisionRecallStatistics",
                      "precision = \"precision_ignored\", recall = \"recall_ignored\", f1score = "
                      "\"f1score_ignored\"") +
           of_ignored("roc", "ROCStatistics", "auc = \"auc_ignored\"", "mode = \"multiclass\"\n") +
           of_ignored("calibration", "CalibrationStatistics",
                      "ece = \"ece_ignored\", ece_equal_mass = \"ece_equal_mass_ignored\", "
                      "max_calibration_error = \"max_calibration_error_ignored\"") +
           component("accuracy", "AccuracyStatistics", of_classes) +
           component("scores", "PrecisionRecallStatistics",
                     of_classes + "globals = { num_classes = 3 }") +
           component("roc", "ROCStatistics", "mode = \"multiclass\"\n" + of_classes) +
           component("perplexity", "PerplexityStatistics", "num_targets_dims = 1\n" + of_classes) +
           component("regression", "RegressionStatistics",
                     "use_masking = true\nnum_targets_dims = 2\nstreams = { targets = \"numbers\", "
                     "predictions = \"mse_masked_scores\" }") +
           component("calibration", "CalibrationStatistics", of_classes) +
           component("several", "MultiLabelStatistics",
                     "use_masking = true\nstreams = { targets = \"shares\", predictions = "
                     "\"bce_masked_scores\" }") +
           component("retrieval", "RetrievalStatistics",
                     "use_masking = true\nstreams = { image_embeddings = \"mse_masked_scores\", "
                     "text_embeddings = \"numbers\" }") +
           component("overlap", "IoUStatistics",
                     "num_spatial_dims = 1\nstreams = { targets = \"ignored_places\", predictions "
                     "= \"areas_ignored_places\" }\nglobals = { ignore_index = -100 }") +
           component("sizes", "BatchSizeStatistics", "") +
           component("bleu", "BLEUStatistics", of_sentences) +
           component("errors", "WordErrorRateStatistics", of_sentences) +
           component("rouge", "ROUGEStatistics", of_sentences);
}

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

}  // namespace ptp::test::nothing
