// How the weights are changed, in whole runs.

#include "experiment/libtorch_version.hpp"
#include "run/events.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace optimization_test {

using namespace ptp::test;

namespace {

constexpr const char* kEpochs = "terminal_conditions = { epoch_limit = 2 }\n";

constexpr const char* kWitness =
    "[pipeline.witness]\ntype = \"Witness\"\nstreams = { inputs = \"features\", outputs = "
    "\"scaled\" }\n";

std::vector<std::vector<std::string>> rows_of(const std::string& text, char separator) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        rows.emplace_back();
        for (std::string word; std::getline(words, word, separator);) {
            rows.back().push_back(word);
        }
    }
    return rows;
}

// What the witness wrote: its lines of one section.
std::vector<std::vector<std::string>> witnessed(const std::string& text,
                                                const std::string& section) {
    auto rows = rows_of(text, ' ');
    std::erase_if(rows, [&](const auto& row) { return row[0] != section; });
    return rows;
}

void train(const ExperimentFolder& folder, const std::string& name, const Lines& lines,
           std::vector<std::string> more = {}) {
    folder.write(lines);
    more.insert(more.end(),
                {"--plugins", (ptp::test::build_dir() / "tests/runs/plugins").string()});
    require_success(folder.run(name, more));
}

}  // namespace

TEST_CASE("optimization: accumulated batches give the same bits with any number of threads") {
    const ExperimentFolder folder;
    const Lines lines = {.training = std::string("optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                                 "accumulate = 4\n"
                                                 "gradient_clipping = { norm = 0.5 }\n") +
                                     kEpochs};
    for (const char* threads : {"0", "1", "2", "4"}) {
        train(folder, threads, lines,
              {"--set", std::string("training.dataloader.num_workers=") + threads});
        for (const char* file : {"training.csv", "checkpoints/last/weights.safetensors"}) {
            CAPTURE(threads);
            CHECK((folder.read(std::filesystem::path(threads) / file) ==
                   folder.read(std::filesystem::path("0") / file)));
        }
    }
}

TEST_CASE("optimization: LBFGS sees the same batch again, with the same draws and buffers") {
    const ExperimentFolder folder;
    train(folder, "run",
          {.training = "optimizer = { type = \"LBFGS\", lr = 0.02, max_iter = 4 }\n"
                       "terminal_conditions = { epoch_limit = 2, loss_stop_threshold = 0.0 }\n",
           .pipeline = kWitness,
           .source = "scaled"});
    // section set is_training episode mode gradients scale count
    const auto rows = witnessed(folder.read("run/witness.txt"), "training");
    std::map<std::string, int> evaluations;
    for (const auto& row : rows) {
        ++evaluations[row[3]];
        CAPTURE(row[3]);
        CHECK(std::stod(row[7]) == std::stod(row[3]) + 1);  // The count of this episode, each time.
    }
    CHECK(evaluations.size() == 12);
    CHECK(rows.size() > 24);
    // Steps on one batch each have curvatures of different functions: whether losses fall depends
    // on how libtorch rounds.
    CHECK(rows_of(folder.read("run/training.csv"), ',').size() == 13);
}

TEST_CASE("optimization: averages are evaluated and saved, and the training does not see them") {
    const ExperimentFolder folder;
    const std::string sgd = std::string("optimizer = { type = \"SGD\", lr = 0.5 }\n") + kEpochs;
    train(folder, "plain", {.training = sgd, .pipeline = kWitness, .source = "scaled"});
    train(folder, "averaged",
          {.training = sgd + "weight_average = { decay = 0.9 }\n",
           .pipeline = kWitness,
           .source = "scaled"});
    const auto section = [&](const std::string& run, const char* name) {
        return witnessed(folder.read(run + "/witness.txt"), name);
    };
    CHECK((section("plain", "training") == section("averaged", "training")));
    CHECK((section("plain", "validation") != section("averaged", "validation")));
    CHECK((section("averaged", "test").front()[6] == section("averaged", "validation").back()[6]));
    CHECK((folder.read("plain/checkpoints/last/weights.safetensors") ==
           folder.read("averaged/checkpoints/last/weights.safetensors")));
    CHECK_FALSE(folder.has("plain/checkpoints/last/averages.safetensors"));

    // The averages are weights like any others.
    train(folder, "again", {.training = sgd, .pipeline = kWitness, .source = "scaled"},
          {"--set", "pipeline.witness.load=\"" + folder.run_folder("averaged") +
                        "/checkpoints/last/averages.safetensors\""});
    CHECK(section("again", "training").front()[6] == section("averaged", "validation").back()[6]);

    // A run, and a checkpoint, are taken with what was evaluated.
    train(folder, "third", {.training = sgd, .pipeline = kWitness, .source = "scaled"},
          {"--set",
           "pipeline.witness.load=\"" + folder.run_folder("averaged") + "/checkpoints/last\""});
    CHECK(section("third", "training").front()[6] == section("averaged", "validation").back()[6]);
}

TEST_CASE("optimization: a cycle that ends before the training is warned of") {
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                       "scheduler = { type = \"OneCycleLR\", total_episodes = 5 }\n"
                                       "terminal_conditions = { epoch_limit = 1 }\n"});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    CHECK(result.errors.find(
              "warning: training.scheduler.total_episodes: the schedule has 5 episodes, but the "
              "training may have 6: after the schedule the learning rate stays at its lowest\n") !=
          std::string::npos);
}

TEST_CASE(
    "optimization: a rollback continues from the last checkpoint, and no row is there twice") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                     "scheduler = { type = \"ExponentialLR\", gamma = 1e30 }\n"
                     "on_bad_loss = { action = \"rollback\", lr_factor = 1e-30 }\n"
                     "terminal_conditions = { epoch_limit = 2 }\n"});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    CHECK(
        result.output.find("1 time the training was rolled back because a loss or a gradient "
                           "was not a finite number; learning rates are 1e-30 of what they were") !=
        std::string::npos);
    const auto rows = rows_of(folder.read("run/training.csv"), ',');
    REQUIRE(rows.size() == 13);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        CHECK(rows[i][0] == std::to_string(i - 1));
    }
    const auto events = ptp::run::read_events(folder.path() / "run/events.jsonl");
    REQUIRE(events.size() == 1);
    CHECK(events[0].event == "rollback");
    CHECK(events[0].episode == 7);  // the first loss of the weights that episode 6 has ruined
    CHECK(events[0].epoch == 2);
    CHECK(events[0].details.find("to_episode")->as_integer() == 6);
    CHECK(!folder.has("run/journal.jsonl"));  // nothing was done to it from outside
}

// 1e38 is lowered to 0.05: from the first weights it trains as if that had been asked for.
TEST_CASE("optimization: a rollback before the first epoch ends goes back to the start") {
    const ExperimentFolder folder(
        {.training = std::string("optimizer = { type = \"SGD\", lr = 1e38 }\n"
                                 "on_bad_loss = { action = \"rollback\", lr_factor = 5e-40 }\n") +
                     kEpochs});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    train(folder, "plain",
          {.training = std::string("optimizer = { type = \"SGD\", lr = 0.05 }\n") + kEpochs});
    const auto rolled = rows_of(folder.read("run/training.csv"), ',');
    const auto plain = rows_of(folder.read("plain/training.csv"), ',');
    REQUIRE(rolled.size() == 13);
    CHECK(rolled[1][2] == plain[1][2]);
    for (std::size_t i = 1; i < rolled.size(); ++i) {
        CHECK(rolled[i][0] == plain[i][0]);
        CHECK(std::stod(rolled[i][2]) == doctest::Approx(std::stod(plain[i][2])).epsilon(1e-6));
        CHECK(std::stod(rolled[i].back()) == doctest::Approx(0.05).epsilon(1e-12));
    }
}

TEST_CASE("optimization: what is skipped leaves no trace in the statistics of the epoch") {
    const ExperimentFolder folder;
    // Episodes 2 and 9 have a bad loss, 4 has a bad gradient.
    const auto lines = [](const char* more) {
        return Lines{.training = std::string("optimizer = { type = \"SGD\", lr = 0.05 }\n"
                                             "on_bad_loss = \"skip\"\n") +
                                 more + kEpochs,
                     .pipeline =
                         "[pipeline.spoiler]\ntype = \"Spoiler\"\n"
                         "streams = { inputs = \"features\", outputs = \"spoilt\" }\n"
                         "bad_losses = [2, 9]\nbad_gradients = [4]\n"
                         "[pipeline.sizes]\ntype = \"BatchSizeStatistics\"\n",
                     .source = "spoilt"};
    };
    for (const char* more : {"", "accumulate = 3\n"}) {
        CAPTURE(more);
        const std::string run = *more == 0 ? "alone" : "accumulated";
        folder.write(lines(more));
        const ProcessResult result = folder.run(
            run, {"--plugins", (ptp::test::build_dir() / "tests/runs/plugins").string()});
        CHECK(ptp::test::without_warnings(result.errors, "the episode is skipped") == "");
        REQUIRE(result.status == 0);
        std::vector<std::uint64_t> skipped;
        for (const auto& event : ptp::run::read_events(folder.path() / run / "events.jsonl")) {
            CHECK(event.event == "skip");
            skipped.push_back(event.episode);
        }
        CHECK(skipped == std::vector<std::uint64_t>{2, 4, 9});
        CHECK(result.output.find("3 episodes were skipped because a loss or a gradient was not a "
                                 "finite number") != std::string::npos);
        const auto epochs = rows_of(folder.read(run + "/training_epochs.csv"), ',');
        const auto of = [&](std::size_t row, const char* name) {
            const auto column = std::ranges::find(epochs[0], name) - epochs[0].begin();
            return epochs.at(row).at(static_cast<std::size_t>(column));
        };
        CHECK(of(1, "episodes_aggregated") == "4");
        CHECK(of(1, "samples_aggregated") == "32");
        CHECK(of(2, "episodes_aggregated") == "5");
        CHECK(of(2, "samples_aggregated") == "40");
        // Accuracies are whole numbers of samples that counted.
        const double hits = std::stod(of(1, "accuracy")) * 32;
        CHECK(hits == doctest::Approx(std::round(hits)).epsilon(1e-9));
        const auto rows = rows_of(folder.read(run + "/training.csv"), ',');
        REQUIRE(rows.size() == 13);
        CHECK(rows[3][2] == "nan");
        // Its component's buffer is as if they had not been: it would spoil the test.
        CHECK(folder.read(run + "/test.csv").find("nan") == std::string::npos);
    }
}

TEST_CASE("optimization: every episode's row has the learning rate of each group") {
    const ExperimentFolder folder;
    train(folder, "run",
          {.training = std::string("optimizer = { type = \"SGD\", lr = 0.5, groups.witness.lr = "
                                   "0.25 }\n"
                                   "scheduler = { type = \"StepLR\", step_size = 1, gamma = 0.5 "
                                   "}\n") +
                       kEpochs,
           .pipeline = kWitness,
           .source = "scaled"});
    const auto rows = rows_of(folder.read("run/training.csv"), ',');
    REQUIRE(rows.size() == 13);
    CHECK(rows[0][rows[0].size() - 2] == "learning_rate");
    CHECK(rows[0].back() == "learning_rate.witness");
    for (std::size_t i = 1; i < rows.size(); ++i) {
        CHECK(rows[i][rows[i].size() - 2] == (i <= 6 ? "0.5" : "0.25"));
        CHECK(rows[i].back() == (i <= 6 ? "0.25" : "0.125"));
    }
    CHECK(folder.read("run/training_epochs.csv").find("learning_rate") == std::string::npos);
}

TEST_CASE("optimization: skipping ends at its limit") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"SGD\", lr = 1e38 }\n"
                                               "on_bad_loss = { action = \"skip\", limit = 2 }\n"});
    const ProcessResult result = folder.run("run");
    CHECK(result.status != 0);
    CHECK(result.errors.find(", after 2 that were skipped: this is the limit of "
                             "training.on_bad_loss; a lower learning rate may help\n") !=
          std::string::npos);
}

TEST_CASE("optimization: losses have weights, and their weighted sum a column") {
    const ExperimentFolder folder;
    train(folder, "run",
          {.training = std::string("optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                   "loss_weights = { loss = 0.5, second_loss = 2 }\n") +
                       kEpochs,
           .pipeline = "[pipeline.other]\ntype = \"FeedForwardNetwork\"\n"
                       "streams = { inputs = \"features\", predictions = \"others\" }\n"
                       "globals = { prediction_size = \"num_classes\" }\n"
                       "[pipeline.second]\ntype = \"NLLLoss\"\n"
                       "streams = { predictions = \"others\", loss = \"second_loss\" }\n"});
    for (const char* file : {"run/training.csv", "run/validation.csv"}) {
        const auto rows = rows_of(folder.read(file), ',');
        std::map<std::string, double> last;
        for (std::size_t i = 0; i < rows[0].size(); ++i) {
            last[rows[0][i]] = std::stod(rows.back()[i]);
        }
        CHECK(last.at("total_loss") ==
              doctest::Approx(0.5 * last.at("loss") + 2 * last.at("second_loss")).epsilon(1e-12));
    }
}

TEST_CASE("optimization: a group that is frozen keeps its weights, and buffers continue") {
    const ExperimentFolder folder;
    train(folder, "run",
          {.training = std::string("optimizer = { type = \"SGD\", lr = 0.5, groups.witness.frozen "
                                   "= true }\n") +
                       kEpochs,
           .pipeline = kWitness,
           .source = "scaled"});
    const auto rows = witnessed(folder.read("run/witness.txt"), "training");
    CHECK(std::stod(rows.back()[6]) == 1.0);
    CHECK(std::stod(rows.back()[7]) == 12.0);
}

TEST_CASE("optimization: bfloat16 is for training alone, and learns too") {
    const ExperimentFolder folder;
    const std::string adam = std::string("optimizer = { type = \"Adam\", lr = 0.05 }\n") + kEpochs;
    train(folder, "float32", {.training = adam});
    train(folder, "bf16", {.training = adam + "precision = \"bf16\"\n"});
    const auto exact = rows_of(folder.read("float32/training.csv"), ',');
    const auto rough = rows_of(folder.read("bf16/training.csv"), ',');
    CHECK(exact[1][2] != rough[1][2]);
    CHECK(std::stod(rough[1][2]) == doctest::Approx(std::stod(exact[1][2])).epsilon(0.02));
    CHECK(std::stod(rough[12][2]) < 0.7 * std::stod(rough[1][2]));
}

TEST_CASE(
    "optimization: the optimizer's rate is recorded where all have options of their own too") {
    const ExperimentFolder folder;
    train(
        folder, "run",
        {.training = std::string("optimizer = { type = \"SGD\", lr = 0.1, groups = { net = { lr = "
                                 "0.2 }, other = { lr = 0.3 } } }\n") +
                     kEpochs,
         .pipeline = "[pipeline.other]\ntype = \"FeedForwardNetwork\"\n"
                     "streams = { inputs = \"features\", predictions = \"others\" }\n"
                     "globals = { prediction_size = \"num_classes\" }\n"
                     "[pipeline.second_loss]\ntype = \"NLLLoss\"\n"
                     "streams = { predictions = \"others\", loss = \"second_loss\" }\n"});
    const std::string table = folder.read("run/training.csv");
    CHECK(ptp::test::last_value(table, "learning_rate") == "0.1");
    CHECK(ptp::test::last_value(table, "learning_rate.net") == "0.2");
    CHECK(ptp::test::last_value(table, "learning_rate.other") == "0.3");
}

TEST_CASE("optimization: a run with fused steps that is resumed, or replayed, has the same bits") {
    const ExperimentFolder folder;
    const auto adam = [](bool fused, int epochs) {
        return Lines{.training = std::string("optimizer = { type = \"Adam\", lr = 0.05, fused = ") +
                                 (fused ? "true" : "false") +
                                 " }\nterminal_conditions = { epoch_limit = " +
                                 std::to_string(epochs) + " }\n"};
    };
    const auto weights = [&](const std::string& run) {
        return folder.read(run + "/checkpoints/last/weights.safetensors");
    };
    const auto resume = [&](const std::string& run, std::vector<std::string> values) {
        values.insert(values.begin(), {"resume", folder.run_folder(run), "--set",
                                       "training.terminal_conditions.epoch_limit=4"});
        REQUIRE(ptp::test::run_program("ptprun", values).status == 0);
    };
    using namespace ptp::experiment;
    if (!is_from(libtorch_version(), kFirstWithFusedSteps)) {
        folder.write(adam(true, 4));
        const ProcessResult result = folder.run("refused");
        CHECK(result.status == 2);
        CHECK(without_folder(result.errors, folder.path()) ==
              "FOLDER/experiment.toml:4:49: error: training.optimizer.fused = true: libtorch " +
                  libtorch_version() +
                  " has no fused steps (from 2.4 on it does)\n    fix: write fused = false\n");
        MESSAGE("skipped: this libtorch has no fused steps; from 2.4 on it does");
        return;
    }
    train(folder, "single", adam(false, 4));
    train(folder, "fused", adam(true, 4));
    train(folder, "resumed", adam(true, 2));
    resume("resumed", {});
    CHECK((weights("resumed") == weights("fused")));
    CHECK((weights("single") != weights("fused")));
    const double loss =
        std::stod(ptp::test::last_value(folder.read("single/training.csv"), "loss"));
    CHECK(std::stod(ptp::test::last_value(folder.read("fused/training.csv"), "loss")) ==
          doctest::Approx(loss).epsilon(1e-4));

    train(folder, "changed", adam(false, 2));
    resume("changed", {"--set", "training.optimizer.fused=true"});
    CHECK((weights("changed") != weights("fused")));
    CHECK((weights("changed") != weights("single")));
    REQUIRE(ptp::test::run_program("ptprun", {"replay", folder.run_folder("changed"), "--run-dir",
                                              folder.run_folder("again")})
                .status == 0);
    CHECK((weights("again") == weights("changed")));
}

}  // namespace optimization_test
