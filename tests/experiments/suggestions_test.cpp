// What is suggested is followed here: afterwards nothing may be wrong.

#include "experiments/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace suggestions_test {

namespace {

struct Override {
    std::string key;
    std::string value;
};

struct Answer {
    int code = -1;
    std::string errors;
};

Answer check(const Override& given) {
    const ptp::test::TempFolder folder;
    folder.write("good.toml", ptp::test::good_experiment());
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string command = "cd '" + folder.path().string() + "' && '" + program +
                                "' check good.toml --set '" + given.key + "=" + given.value +
                                "' >out 2>err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("err")};
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t begin = text.find(from);
    if (begin == std::string::npos) {
        return "";
    }
    const std::size_t start = begin + from.size();
    return text.substr(start, text.find(to, start) - start);
}

// A name without its table stands in the table of the refused key.
std::string full_key(const std::string& name, const std::string& refused) {
    const std::size_t dot = refused.rfind('.');
    const bool is_full = name.find('.') != std::string::npos || dot == std::string::npos;
    return is_full ? name : refused.substr(0, dot + 1) + name;
}

// Returns the override that an error suggests: "fix: --set KEY=VALUE", "did you mean 'KEY'?" or
// "fix: write KEY = VALUE". The key is "" where nothing is suggested.
Override followed(const Override& given, const std::string& errors) {
    std::string option = between(errors, "fix: --set ", "\n");
    std::erase(option, '\'');  // of the shell
    if (const std::size_t equals = option.find('='); equals != std::string::npos) {
        const std::string value = option.substr(equals + 1);
        return {option.substr(0, equals), value.substr(0, value.find(", or "))};
    }
    if (const std::string meant = between(errors, "did you mean '", "'?"); !meant.empty()) {
        return {full_key(meant, given.key), given.value};
    }
    const std::string written = between(errors, "fix: write ", "\n");
    const std::size_t equals = written.find(" = ");
    if (equals == std::string::npos) {
        return {};
    }
    const std::string value = written.substr(equals + 3);
    return {full_key(written.substr(0, equals), given.key), value.substr(0, value.find(", or "))};
}

}  // namespace

TEST_CASE("suggestions: after following one nothing is wrong") {
    struct Case {
        Override given;
        const char* key;  // that is suggested
    };
    const Case cases[] = {
        {{"training.epoch_limit", "3"}, "training.terminal_conditions.epoch_limit"},
        {{"validation.epoch_limit", "3"}, "training.terminal_conditions.epoch_limit"},
        {{"training.max_epochs", "3"}, "training.terminal_conditions.epoch_limit"},
        {{"epochs", "3"}, "training.terminal_conditions.epoch_limit"},
        {{"training.patience", "5"}, "training.terminal_conditions.early_stop_validations"},
        {{"training.lr", "0.1"}, "training.optimizer.lr"},
        {{"training.optimizer.learning_rate", "0.1"}, "training.optimizer.lr"},
        {{"validation.batch_size", "32"}, "validation.task.batch_size"},
        {{"checkpoint.every_episode", "5"}, "checkpoint.every_episodes"},
        {{"training.gradient_clip_val", "1.0"}, "training.gradient_clipping"},
        {{"training.max_grad_norm", "2"}, "training.gradient_clipping"},
        {{"training.warmup", "20"}, "training.warm_up"},
        {{"training.ema", "0.99"}, "training.weight_average"},
        {{"training.bacth_limit", "3"}, "training.batch_limit"},
        {{"training.scheduler", "\"cosine\""}, "training.scheduler"},
        {{"training.lr_scheduler", "\"cosine\""}, "training.scheduler"},
        {{"training.precision", "16"}, "training.precision"},
        {{"precision", "\"fp16\""}, "training.precision"},
        {{"precision", "\"float16\""}, "training.precision"},
        {{"training.precision", "\"16-mixed\""}, "training.precision"},
        {{"training.precision", "\"bf16-mixed\""}, "training.precision"},
        {{"training.precision", "\"32-true\""}, "training.precision"},
        {{"training.mixed_precision", "\"bf16\""}, "training.precision"},
        {{"pipeline.reshape.shape", "[-1, 784]"}, "pipeline.reshape.output_dims"},
        {{"pipeline.classifier.dropout", "0.1"}, "pipeline.classifier.dropout_rate"},
        {{"pipeline.classifier.hidden_layers", "[32]"}, "pipeline.classifier.hidden_sizes"},
        {{"pipeline.classifier.hiden_sizes", "[32]"}, "pipeline.classifier.hidden_sizes"},
        {{"pipeline.classifier.prediction_size", "10"},
         "pipeline.classifier.globals.prediction_size"},
        {{"pipeline.classifier.prediction_size", "\"num_classes\""},
         "pipeline.classifier.globals.prediction_size"},
        {{"pipeline.classifier.inputs", "\"features\""}, "pipeline.classifier.streams.inputs"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.given.key);
        CAPTURE(c.given.value);
        const Answer refused = check(c.given);
        CAPTURE(refused.errors);
        CHECK(refused.code == 2);
        const Override next = followed(c.given, refused.errors);
        CHECK(next.key == c.key);
        const Answer after = check(next);
        CAPTURE(next.value);
        CAPTURE(after.errors);
        CHECK(after.code == 0);
    }
}

TEST_CASE("suggestions: none is made where the value does not fit") {
    CHECK(check({"pipeline.classifier.prediction_size", "10"}).errors ==
          "--set: error: pipeline.classifier.prediction_size: is a global, not a setting\n"
          "      | pipeline.classifier.prediction_size=10\n"
          "      |                     ^~~~~~~~~~~~~~~\n"
          "    fix: --set pipeline.classifier.globals.prediction_size=10\n");
    const Override cases[] = {
        {"pipeline.reshape.shape", "{}"},
        {"training.bacth_limit", "\"all\""},
        {"pipeline.classifier.hiden_sizes", "{}"},
        {"training.epoch_batch", "3"},
    };
    for (const Override& given : cases) {
        CAPTURE(given.key);
        const Answer refused = check(given);
        CAPTURE(refused.errors);
        CHECK(refused.code == 2);
        CHECK(followed(given, refused.errors).key == "");
    }
    CHECK(check({"training.patience", "\"many\""})
              .errors.find("unknown key; here it is "
                           "'training.terminal_conditions.early_stop_validations', which must be "
                           "an integer") != std::string::npos);
}

namespace {

// Without the data, which are not there.
std::string wiring_problems(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

constexpr const char* kDigits = R"(seed = 1
[training]
optimizer = { type = "Adam" }
task = { type = "FashionMNIST", batch_size = 64 }
[pipeline.classifier]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.flatten]
type = "Flatten"
[pipeline.loss]
type = "NLLLoss"
)";

constexpr const char* kTable = R"(seed = 1
[training]
optimizer = { type = "Adam" }
task = { type = "CsvTable", file = "t.csv", features = ["a"], batch_size = 16 }
[pipeline.classifier]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

constexpr const char* kTexts = R"(seed = 1
[training]
optimizer = { type = "Adam" }
task = { type = "TextFolder", data_folder = "texts", vocabulary = true, batch_size = 2, globals = { word_mappings = "word_mappings" } }
[pipeline.words]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.vectors]
type = "SentenceEmbeddings"
embeddings_size = 20
output_lengths = true
streams = { inputs = "words", outputs = "vectors" }
globals = { word_mappings = "word_mappings" }
[pipeline.lstm]
type = "RecurrentNeuralNetwork"
cell_type = "LSTM"
use_lengths = true
hidden_size = 32
streams = { inputs = "vectors" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

}  // namespace

TEST_CASE("suggestions: a Flatten that is there is wired, and no second one is inserted") {
    CHECK(
        wiring_problems(kDigits) ==
        "e.toml:5:1: pipeline.classifier: takes 2 dimensions as 'inputs', but stream 'inputs' has "
        "4\n"
        "    the task of [training] (FashionMNIST) writes [B, 1, image_height = 28, image_width = "
        "28] as 'inputs'\n"
        "    'classifier' (FeedForwardNetwork) reads [B, input_size] as 'inputs'\n"
        "    fix: read what 'flatten' (Flatten) writes: streams = { inputs = \"outputs\" } in "
        "pipeline.classifier");
    std::string fixed = kDigits;
    fixed.insert(fixed.find("globals"), "streams = { inputs = \"outputs\" }\n");
    CHECK(wiring_problems(fixed) == "");
}

TEST_CASE("suggestions: a network of sequences for a loss over sentences needs its last step") {
    const std::string problems = wiring_problems(kTexts);
    CHECK(problems.ends_with("fix: set pipeline.lstm.prediction_mode = \"Last\""));
    CHECK(problems.find("Flatten") == std::string::npos);
    std::string fixed = kTexts;
    fixed.insert(fixed.find("hidden_size"), "prediction_mode = \"Last\"\n");
    CHECK(wiring_problems(fixed) == "");
}

TEST_CASE("suggestions: a label that was forgotten is named for all that lacks it") {
    CHECK(
        wiring_problems(kTable) ==
        "e.toml:5:1: pipeline.classifier: reads global 'num_classes', which nothing publishes\n"
        "    fix: set label in training.task: CsvTable has 'num_classes' only then\n"
        "e.toml:8:1: pipeline.loss: input 'targets' reads stream 'targets', which nothing writes\n"
        "    fix: set label in training.task: CsvTable has 'targets' only then");
    std::string fixed = kTable;
    fixed.insert(fixed.find("batch_size"), "label = \"b\", ");
    CHECK(wiring_problems(fixed) == "");
}

TEST_CASE("suggestions: values that are predicted are read by losses, and no label is asked for") {
    std::string text = kTable;
    text.replace(text.find("batch_size"), 0, "values = [\"c\", \"d\"], ");
    text.replace(text.find("NLLLoss"), 7, "MSELoss");
    text.insert(text.find("[pipeline.loss]"), "use_logsoftmax = false\n");
    CHECK(wiring_problems(text) ==
          "e.toml:5:1: pipeline.classifier: reads global 'num_classes', which nothing publishes\n"
          "    fix: write globals = { prediction_size = 2 }, as 'values' has 2 numbers for each "
          "sample\n"
          "e.toml:9:1: pipeline.loss: input 'targets' reads stream 'targets', which nothing "
          "writes\n"
          "    fix: write streams = { targets = \"values\" } in pipeline.loss");
    text.replace(text.find("\"num_classes\""), 13, "2");
    text += "streams = { targets = \"values\" }\n";
    CHECK(wiring_problems(text) == "");
}

TEST_CASE("suggestions: a loss of classes beside numbers to be predicted may be one of numbers") {
    std::string text = kTable;
    text.replace(text.find("\"num_classes\""), 13, "1");
    text.insert(text.find("batch_size"), "values = [\"c\"], ");
    text.insert(text.find("[pipeline.loss]"), "use_logsoftmax = false\n");
    CHECK(
        wiring_problems(text) ==
        "e.toml:9:1: pipeline.loss: input 'targets' reads stream 'targets', which nothing writes\n"
        "    fix: to predict numbers, set pipeline.loss.type = \"HuberLoss\", and write streams = "
        "{ targets = \"values\" } in pipeline.loss; to predict classes, set label in "
        "training.task: CsvTable has 'targets' only then\n"
        "e.toml:9:1: pipeline.loss: stream 'predictions' carries raw scores, which NLLLoss does not "
        "take\n    'classifier' (FeedForwardNetwork) writes raw scores as 'predictions'\n"
        "    'loss' (NLLLoss) takes log-probabilities as 'predictions'\n"
        "    fix: set pipeline.classifier.use_logsoftmax = true");
    text.replace(text.find("NLLLoss"), 7, "HuberLoss");
    text += "streams = { targets = \"values\" }\n";
    CHECK(wiring_problems(text) == "");
}

TEST_CASE("suggestions: a loss or a statistic of classes that reads numbers gets either of them") {
    std::string text = kTable;
    text.replace(text.find("\"num_classes\""), 13, "3");
    text += "streams = { targets = \"values\" }\n";
    text.insert(text.find("batch_size"), "values = [\"c\"], ");
    CHECK(
        wiring_problems(text) ==
        "e.toml:10:23: pipeline.loss: input 'targets' takes integers, but stream 'values' carries "
        "floating numbers (written by the task of [training] (CsvTable))\n"
        "    fix: to compare classes, if 'c' has them, write label = \"c\" in place of values in "
        "training.task, and leave 'targets' out of its streams in pipeline.loss; to compare "
        "numbers, set pipeline.loss.type = \"HuberLoss\" (or L1Loss or MSELoss)");
    std::string classes = kTable;
    classes.insert(classes.find("batch_size"), "values = [\"c\"], label = \"b\", ");
    CHECK(wiring_problems(classes) ==
          "e.toml:4:72: training.task.values: warning: nothing reads 'values', so that it has no "
          "effect\n"
          "    fix: name the stream in a component that should read it, or leave values out of "
          "training.task");
    text.replace(text.find("NLLLoss"), 7, "HuberLoss");
    text.replace(text.find("prediction_size = 3 }"), 21,
                 "prediction_size = 1 }\nuse_logsoftmax = false");
    CHECK(wiring_problems(text) == "");
    text.insert(text.find("batch_size"), "label = \"b\", ");
    text +=
        "[pipeline.accuracy]\ntype = \"AccuracyStatistics\"\n"
        "streams = { targets = \"values\" }\n";
    CHECK(wiring_problems(text) ==
          "e.toml:14:23: pipeline.accuracy: input 'targets' takes integers, but stream 'values' "
          "carries floating numbers (written by the task of [training] (CsvTable)); streams of "
          "integers: targets\n"
          "    fix: to compare classes, leave 'targets' out of its streams in pipeline.accuracy; "
          "to compare numbers, set pipeline.accuracy.type = \"RegressionStatistics\"");
}

TEST_CASE("suggestions: a loss of numbers that reads a column as classes gets either of them") {
    std::string text = kTable;
    text.insert(text.find("batch_size"), "label = \"b\", ");
    text.replace(text.find("NLLLoss"), 7, "MSELoss");
    text.replace(text.find("\"num_classes\" }"), 15, "1 }\nuse_logsoftmax = false");
    CHECK(
        wiring_problems(text) ==
        "e.toml:9:1: pipeline.loss: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (CsvTable)); streams of floating numbers: inputs and predictions\n"
        "    fix: to compare classes, set pipeline.loss.type = \"CrossEntropyLoss\" (or "
        "FocalLoss or NLLLoss); to compare numbers, if 'b' has them, write values = [\"b\"] in "
        "place of label in training.task, and write streams = { targets = \"values\" } in pipeline.loss");
    text.replace(text.find("label = \"b\""), 11, "values = [\"b\"]");
    text += "streams = { targets = \"values\" }\n";
    CHECK(wiring_problems(text) == "");
}

TEST_CASE("suggestions: a loss over the words of sentences has as many dimensions as they have") {
    std::string text = kTexts;
    text.insert(text.find("[pipeline.loss]"),
                "[pipeline.indices]\ntype = \"SentenceIndexer\"\n"
                "streams = { inputs = \"words\", outputs = \"indices_of_words\" }\n"
                "globals = { word_mappings = \"word_mappings\", vocabulary_size = \"count\" }\n");
    text += "streams = { targets = \"indices_of_words\" }\n";
    const std::string problems = wiring_problems(text);
    CAPTURE(problems);
    CHECK(problems.find("fix: set pipeline.loss.num_targets_dims = 2\n") != std::string::npos);
    CHECK(problems.ends_with("fix: set pipeline.loss.num_targets_dims = 2"));
    CHECK(problems.find("\"indices\"") == std::string::npos);
    CHECK(wiring_problems(text + "num_targets_dims = 2\n") == "");
}

TEST_CASE("suggestions: sections whose tables have the features in another order are warned of") {
    std::string text = kTable;
    text.replace(text.find("[\"a\"]"), 5, "[\"a\", \"b\"], label = \"c\"");
    const std::string validation =
        "[validation]\ntask = { type = \"CsvTable\", file = \"v.csv\", features = FEATURES, label "
        "= \"c\", batch_size = 16 }\n";
    const auto with = [&](const char* features) {
        std::string section = validation;
        section.replace(section.find("FEATURES"), 8, features);
        std::string all = text;
        return wiring_problems(all.insert(all.find("[pipeline"), section));
    };
    CHECK(with("[\"a\", \"b\"]") == "");
    CHECK(with("[\"b\", \"a\"]") ==
          "e.toml:6:8: validation.task.features: warning: [\"b\", \"a\"], but [\"a\", \"b\"] in "
          "[training]: the model sees other inputs than it is trained with\n"
          "    fix: write features = [\"a\", \"b\"] in validation.task");
}

TEST_CASE("suggestions: a share that is refused blames no other section") {
    std::string text = kTable;
    text.insert(text.find("batch_size"), "label = \"b\", ");
    text.insert(
        text.find("[pipeline"),
        "sampler = { type = \"RandomSplitSampler\", share = 0.8 }\n[validation]\ntask = { type = "
        "\"CsvTable\", file = \"t.csv\", features = [\"a\"], label = \"b\", batch_size = 16 }\n"
        "sampler = { type = \"RandomSplitSampler\", share = [0.8, 1.0] }\n");
    CHECK(wiring_problems(text) ==
          "e.toml:5:50: training.sampler.share = 0.8: must be a list of 2 reals in [0, 1], not a "
          "real\n    fix: write share = [0.0, 0.8]");
}

TEST_CASE("suggestions: a loss that has its targets reads what a model writes") {
    std::string text = kTable;
    text.replace(text.find("batch_size"), 0, "values = [\"c\"], ");
    text.replace(text.find("FeedForwardNetwork"), 18, "LayerStack");
    text.replace(text.find("globals = "), std::string::npos,
                 "layers = [{ type = \"Linear\", out_features = 1 }]\n[pipeline.loss]\ntype = "
                 "\"MSELoss\"\nstreams = { targets = \"values\" }\n");
    CHECK(
        wiring_problems(text).ends_with("fix: write streams = { targets = \"values\", predictions "
                                        "= \"outputs\" } in pipeline.loss"));
    text.replace(text.find("\"values\" }"), 10, "\"values\", predictions = \"outputs\" }");
    CHECK(wiring_problems(text) == "");
}

}  // namespace suggestions_test
