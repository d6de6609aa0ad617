// Errors of data that are there: their fixes are what ends them, and not to fetch anything.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "tools/small_mnist.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace ptprun_data_errors_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::replaced;

// A folder with the data and the experiment e.toml, with this change of its text.
class Folder {
public:
    explicit Folder(const std::string& from = "", const std::string& to = "") {
        temp_.write("mnist/train-images-idx3-ubyte", ptp::test::small_mnist::images_of_mnist());
        temp_.write("mnist/train-labels-idx1-ubyte", ptp::test::small_mnist::labels_of_mnist());
        write(from, to);
    }

    void write(const std::string& from, const std::string& to) const {
        const std::string text =
            replaced(ptp::test::small_mnist::kMnistExperiment, "FOLDER", "mnist");
        temp_.write("e.toml", from.empty() ? text : replaced(text, from, to));
    }

    ProcessResult run(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = {(temp_.path() / "e.toml").string()};
        words.insert(words.end(), more.begin(), more.end());
        ProcessResult result = ptp::test::run_program("ptprun", words);
        result.errors =
            replaced(ptp::test::without_excerpts(result.errors), temp_.path().string(), "T");
        return result;
    }

    [[nodiscard]] const ptp::test::TempFolder& temp() const { return temp_; }

private:
    ptp::test::TempFolder temp_;
};

// The rows of the training, and those of the validation.
struct Tables {
    std::string training = "1,p\n2,q\n4,p\n5,q\n";
    std::string validation = training;
};

// Returns what `ptprun check --data` says of two tables; `changes` are of the experiment.
std::string said_of_tables(const std::vector<std::pair<std::string, std::string>>& changes,
                           const Tables& tables = {}) {
    const ptp::test::TempFolder temp;
    temp.write("a.csv", "x,kind\n" + tables.training);
    temp.write("b.csv", "x,kind\n" + tables.validation);
    std::string text = R"(seed = 1
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
dataloader = { drop_last = false }
[training.task]
type = "Table"
batch_size = 2
file = "a.csv"
features = "x"
columns = { x = "number" }
label = "kind"
[validation.task]
type = "Table"
batch_size = 2
file = "b.csv"
training_file = "a.csv"
features = "x"
columns = { x = "number" }
label = "kind"
[pipeline.net]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";
    for (const auto& [from, to] : changes) {
        text = replaced(text, from, to);
    }
    const auto file = temp.write("e.toml", text);
    return replaced(
        ptp::test::without_excerpts(
            ptp::test::run_program("ptprun", {"check", file.string(), "--data"}).errors),
        temp.path().string(), "T");
}

}  // namespace

TEST_CASE(
    "data errors: a validation of copied samples is warned of, and not of natural repetitions") {
    const auto rows = [](int first, int count, int different) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += std::to_string((first + i) % different * 7) + (i % 2 == 0 ? ",p\n" : ",q\n");
        }
        return text;
    };
    const auto warning = [](const char* copies) {
        return "warning: validation: " + std::string(copies) +
               " samples are also in the training, so that what is measured here says little about "
               "new data\n"
               "    fix: read other data, or remove what is there twice before it is divided; "
               "ptprun data shows some\n";
    };
    CHECK(said_of_tables({}, {rows(0, 30, 99), rows(0, 30, 99)}) == warning("30 of 30"));
    CHECK(said_of_tables({}, {rows(0, 40, 99), rows(28, 20, 99)}) == warning("12 of 20"));
    CHECK(said_of_tables({}, {rows(0, 40, 99), rows(30, 20, 99)}) == warning("10 of 20"));
    CHECK(said_of_tables({}, {rows(0, 40, 99), rows(31, 20, 99)}) == "");  // less than a half
    CHECK(said_of_tables({}, {rows(0, 40, 99), rows(35, 6, 99)}) == warning("5 of 6"));
    CHECK(said_of_tables({}, {rows(0, 40, 99), rows(36, 6, 99)}) == "");  // four
    CHECK(said_of_tables({}, {rows(0, 40, 10), rows(0, 20, 10)}) == "");  // ten contents
    // Each row is there twice, and the parts are drawn.
    const std::string split = "split = { shares = [0.8, 0.2] }\n";
    CHECK(
        said_of_tables({{"file = \"b.csv\"\ntraining_file = \"a.csv\"", split + "file = \"a.csv\""},
                        {"batch_size = 2\nfile = \"a.csv\"\nfeatures = \"x\"\ncolumns = { x = "
                         "\"number\" }\nlabel = \"kind\"\n[validation",
                         split + "batch_size = 2\nfile = \"a.csv\"\nfeatures = \"x\"\ncolumns = "
                                 "{ x = \"number\" }\nlabel = \"kind\"\n[validation"}},
                       {rows(0, 198, 99), rows(0, 1, 9)})
            .starts_with("warning: validation: "));
}

TEST_CASE("data errors: a table that cannot be read has no further errors of other sections") {
    CHECK(said_of_tables({}) == "");
    const std::pair<std::string, std::string> alone = {"training_file = \"a.csv\"\n", ""};
    const std::pair<std::string, std::string> other = {"file = \"a.csv\"\nfeatures",
                                                       "file = \"a.csv\"\nseparator = "
                                                       "\"semicolon\"\nfeatures"};
    CHECK(said_of_tables({alone}) == "");
    CHECK(
        said_of_tables({alone, other}) ==
        "T/e.toml:11:12: error: training.task.features = [\"x\"]: 'x' is not a column of T/a.csv, "
        "whose first line, 'x,kind', has no semicolon\n    fix: set separator = \"comma\"\n");
    CHECK(said_of_tables(
              {alone,
               {"label = \"kind\"\n[validation.task]", "label = \"kinds\"\n[validation.task]"}}) ==
          "T/e.toml:12:9: error: training.task.label = \"kinds\": 'kinds' is not a column of "
          "T/a.csv, which has 'x', 'kind'\n    fix: write label = \"kind\"\n");
}

TEST_CASE("data errors: a batch of more samples than there are is said before the training") {
    const std::pair<std::string, std::string> large = {"batch_size = 2\nfile = \"a.csv\"",
                                                       "batch_size = 8\nfile = \"a.csv\""};
    CHECK(
        said_of_tables({large}) ==
        "warning: training.task.batch_size = 8: an epoch has 4 samples, so that it is one batch and "
        "one step of the optimizer\n");
    const std::pair<std::string, std::string> dropped = {"drop_last = false", "drop_last = true"};
    CHECK(
        said_of_tables({large, dropped}) ==
        "T/e.toml:6:1: error: training.task.batch_size = 8: with drop_last there is no batch, the "
        "section has 4 samples\n    fix: set training.task.batch_size = 4 or less, or "
        "training.dataloader.drop_last = false\n");
    CHECK(said_of_tables({dropped}) == "");
}

TEST_CASE("data errors: a class without a score has the fix of the number of scores") {
    const std::string wrong =
        "terminal_conditions = { epoch_limit = 1 }\nsampler = { type = "
        "\"SubsetSequentialSampler\", indices = [0, 2] }\n";
    const Folder folder("terminal_conditions = { epoch_limit = 1 }\n", wrong);
    const std::string text = folder.temp().read("e.toml");
    folder.temp().write("e.toml", replaced(text, "\"num_classes\"", "4"));
    const std::string run = (folder.temp().path() / "run").string();
    const std::string fix =
        "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.net\n";
    const ProcessResult failed = folder.run({"--run-dir", run});
    CHECK(
        failed.errors ==
        "T/e.toml:18:31: warning: pipeline.net.globals.prediction_size: 4 is less than the 10 "
        "classes of the targets of 'loss' (NLLLoss): num_classes is 10, published by the task of "
        "[training] (MNIST)\n" +
            fix +
            "warning: training.task.batch_size = 8: an epoch has 2 samples, so that it is one batch "
            "and one step of the optimizer\n"
            "T/e.toml:19:1: error: 'loss' (NLLLoss): targets[1] = 9: must be in [0, 4), or -100, "
            "which does not count\n    sample: 1\n" +
            fix);
    CHECK(failed.status == 4);
    folder.temp().write("e.toml", text);
    CHECK(folder.run({"--run-dir", run + "2"}).status == 0);
}

TEST_CASE("data errors: weights of another network have no component that would not fit") {
    const Folder folder;
    const std::string run = (folder.temp().path() / "run").string();
    REQUIRE(folder.run({"--run-dir", run}).status == 0);
    folder.write("[pipeline.net]\ntype = \"FeedForwardNetwork\"\n",
                 "[pipeline.cnn]\nload = \"run\"\ntype = \"FeedForwardNetwork\"\n"
                 "hidden_sizes = [7]\n");
    CHECK(folder.run({"--run-dir", (folder.temp().path() / "other").string()}).errors ==
          "T/e.toml:15:8: error: pipeline.cnn.load: "
          "T/run/checkpoints/best/weights.safetensors: has no tensors of 'cnn'; known: net\n");
}

TEST_CASE("data errors: `ptprun data` is the program, beside a folder of data of this name") {
    const Folder folder;
    folder.temp().write("here/data/x", "");
    const std::string here = (folder.temp().path() / "here").string();
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    CHECK(ptp::test::run_program(
              "/bin/sh", {"-c", "cd '" + here + "' && '" + program + "' data ../e.toml --json"})
              .errors == "");
}

}  // namespace ptprun_data_errors_test
