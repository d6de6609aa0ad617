// A loss that compares each sample of a batch with all others: several processes train as one does.

#include "runs/ranks.hpp"
#include "runs/together.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace whole_batch_test {

using namespace ptp::test;

namespace {

// 23 rows in batches of 5: the last one has 3, so that of four processes one has none. Nothing
// counts in the second batch, and in the third only the last two rows.
std::string table() {
    std::string rows = "x0,x1,x2,y0,y1,label\n";
    for (int row = 0; row < 23; ++row) {
        for (const double step : {1.0, 0.7, 1.9, 1.1, 2.3}) {
            rows += std::to_string(std::sin(step * row)) + ",";
        }
        rows += row >= 5 && row < 13 ? "no\n" : "yes\n";
    }
    return rows;
}

std::string tower(const std::string& name, const std::string& from, bool is_normalized) {
    return "[pipeline." + name +
           "]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 8 }" +
           (is_normalized ? ", \"BatchNorm1d\"" : "") +
           ", \"ReLU\", { type = \"Linear\", out = 4 }]\nstreams = { inputs = \"" + from +
           "\", outputs = \"" + name + "\" }\n";
}

// Masks rows that do not count, and synchronizes batch normalization before the loss.
constexpr const char* kMasks =
    "[pipeline.words]\ntype = \"GlobalVariablePublisher\"\nkeys = [\"counting\"]\n"
    "values = [{ yes = 0 }]\n[pipeline.masks]\ntype = \"StringToMask\"\n"
    "streams = { strings = \"labels\" }\nglobals = { word_mappings = \"counting\" }\n"
    "[distributed]\nbuffers = \"synchronized\"\n";

struct Training {
    const char* optimizer;
    int accumulate;
    int epochs;
    bool is_masked;
    std::vector<int> processes;
};

std::string experiment(const Training& training) {
    const std::string task =
        "task = { type = \"CsvTable\", batch_size = 5, file = \"rows.csv\", features = [\"x0\", "
        "\"x1\", \"x2\"], values = [\"y0\", \"y1\"], label = \"label\" }\n";
    return "seed = 1\n[training]\noptimizer = { " + std::string(training.optimizer) +
           " }\naccumulate = " + std::to_string(training.accumulate) +
           "\nterminal_conditions = { loss_stop_threshold = 0, epoch_limit = " +
           std::to_string(training.epochs) + " }\ndataloader = { shuffle = false }\n" + task +
           "[validation]\n" + task + tower("image_encodings", "inputs", training.is_masked) +
           tower("text_encodings", "values", training.is_masked) +
           "[pipeline.head]\ntype = \"ContrastiveProjection\"\nprojection_size = 6\n"
           "[pipeline.loss]\ntype = \"ContrastiveLoss\"\n" +
           (training.is_masked ? std::string("use_masking = true\n") + kMasks : "") +
           "[pipeline.retrieval]\ntype = \"RetrievalStatistics\"\npool_size = 10\n";
}

}  // namespace

TEST_CASE("whole batch: one to four processes train a dual encoder alike") {
    // LBFGS magnifies rounding.
    for (const Training& training :
         {Training{"type = \"SGD\", lr = 0.1, momentum = 0.5", 1, 4, false, {2, 4}},
          Training{"type = \"SGD\", lr = 0.1", 2, 4, true, {2, 3}},
          Training{"type = \"LBFGS\", lr = 0.5, max_iter = 3", 1, 2, false, {2}}}) {
        CAPTURE(training.optimizer);
        const TempFolder folder;
        folder.write("rows.csv", table());
        const auto file = folder.write("net.toml", experiment(training));
        const auto train = [&](int processes) {
            const std::string run = (folder.path() / std::to_string(processes)).string();
            for (const ProcessResult& rank :
                 ptp::test::run_together(processes, {file.string(), "--run-dir", run})) {
                CAPTURE(rank.errors);
                REQUIRE(rank.status == 0);
            }
        };
        train(1);
        const std::string steps = folder.read("1/training.csv");
        const std::string sets = folder.read("1/validation.csv");
        REQUIRE(column_of(steps, "loss").size() == 5U * training.epochs);
        CHECK(column_of(steps, "scale").front() == doctest::Approx(1 / 0.07));
        CHECK(column_of(steps, "scale").back() != doctest::Approx(1 / 0.07));
        for (const int processes : training.processes) {
            CAPTURE(processes);
            train(processes);
            const std::string run = std::to_string(processes);
            const std::string found = folder.read(run + "/training.csv");
            CHECK(largest_difference(column_of(found, "loss"), column_of(steps, "loss")) < 1e-5);
            CHECK(largest_difference(column_of(found, "scale"), column_of(steps, "scale")) < 1e-5);
            const std::string validated = folder.read(run + "/validation.csv");
            CHECK(largest_difference(column_of(validated, "loss"), column_of(sets, "loss")) < 1e-5);
            for (const char* recall : {"image_to_text_recall_at_1", "text_to_image_recall_at_5"}) {
                CHECK(column_of(validated, recall) == column_of(sets, recall));
            }
        }
    }
}

TEST_CASE("whole batch: one to three processes mix the same images with the same shares") {
    const TempFolder folder;
    const std::string task =
        "task = { type = \"Shapes\", image_size = 32, batch_size = 5, size = 23 }\n";
    const auto file = folder.write(
        "net.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "terminal_conditions = { epoch_limit = 2 }\n" +
            task +
            "[pipeline.mixup]\ntype = \"MixUp\"\nprobability = 0.5\n"
            "streams = { outputs = \"blended\", soft_targets = \"blended_targets\" }\n"
            "[pipeline.cutmix]\ntype = \"CutMix\"\nuse_soft_targets = true\nstreams = { inputs = "
            "\"blended\", targets = \"blended_targets\", outputs = \"mixed\" }\n"
            "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [\"Flatten\", { type = \"Linear\", "
            "out = \"num_classes\" }]\nstreams = { inputs = \"mixed\" }\n"
            "[pipeline.loss]\ntype = \"SoftCrossEntropyLoss\"\n"
            "streams = { targets = \"soft_targets\", predictions = \"outputs\" }\n");
    std::string alone;
    for (const int processes : {1, 2, 3}) {
        CAPTURE(processes);
        const std::string run = std::to_string(processes);
        for (const ProcessResult& rank : ptp::test::run_together(
                 processes, {file.string(), "--run-dir", (folder.path() / run).string()})) {
            CAPTURE(rank.errors);
            REQUIRE(rank.status == 0);
        }
        const std::string found = folder.read(run + "/training.csv");
        alone = processes == 1 ? found : alone;
        CHECK(column_of(found, "loss").size() == 10);
        CHECK(largest_difference(column_of(found, "loss"), column_of(alone, "loss")) < 1e-5);
    }
}

TEST_CASE("whole batch: a loss that is a constant in a part is refused behind a component of all") {
    const TempFolder folder;
    std::string rows = "x0,x1,weight,label\n";
    for (int row = 0; row < 10; ++row) {  // in two processes the first has rows 5 to 7
        rows += std::to_string(std::sin(row)) + "," + std::to_string(std::cos(row)) +
                (row >= 5 && row < 8 ? ",0,no\n" : ",1,yes\n");
    }
    folder.write("rows.csv", rows);
    const auto file = folder.write(
        "net.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "terminal_conditions = { epoch_limit = 2 }\ndataloader = { shuffle = false }\n"
        "task = { type = \"CsvTable\", batch_size = 5, file = \"rows.csv\", features = [\"x0\", "
        "\"x1\"], values = [\"weight\"], label = \"label\" }\n"
        "[pipeline.weights]\ntype = \"SliceTensor\"\nindex = 0\n"
        "streams = { inputs = \"values\", outputs = \"weights\" }\n"
        "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 3 }]\n"
        "streams = { outputs = \"scores\" }\n"
        "[pipeline.centered]\ntype = \"Centered\"\n"
        "streams = { inputs = \"scores\", outputs = \"predictions\" }\n"
        "[pipeline.loss]\ntype = \"Careless\"\n");
    const auto train = [&](int processes) {
        return ptp::test::run_together(
            processes,
            {file.string(), "--run-dir", (folder.path() / std::to_string(processes)).string(),
             "--plugins", ptp::test::ranked_build("plain").parent_path().string()});
    };
    CHECK(train(1)[0].status == 0);
    const std::vector<ProcessResult> ranks = train(2);
    CHECK(ranks[0].status == 5);
    const std::string refusal =
        "ptprun: error: in this process's part of the batch no loss depends on the weights, so that "
        "the gradients of what is compared with the samples of other processes would be wrong\n"
        "    fix: let a loss for which nothing counts be computed from the predictions all the "
        "same, as their sum times 0, or train in one process\n";
    CAPTURE(ranks[0].errors);
    CHECK(ranks[0].errors.ends_with(refusal));
    CHECK(ranks[1].status == 7);
}

}  // namespace whole_batch_test
