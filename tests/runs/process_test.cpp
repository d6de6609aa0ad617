// The processor: one pass over sections with the weights of a run, or those that are loaded.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <sstream>

namespace process_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

using Cells = std::vector<std::string>;
using Epochs = std::vector<std::vector<std::int64_t>>;

constexpr const char* kWitness =
    "[pipeline.seen]\ntype = \"IndexWitness\"\nphases = [\"process\"]\n";

std::vector<Cells> rows(const std::string& csv) {
    std::vector<Cells> made;
    std::istringstream in(csv);
    for (std::string line; std::getline(in, line);) {
        std::istringstream cells(line);
        made.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) {
            made.back().push_back(cell);
        }
    }
    return made;
}

// Without the cells that say where in a training, or in a set, it was measured.
Cells measured(const Cells& row, std::size_t place) {
    return {row.begin() + static_cast<std::ptrdiff_t>(place), row.end()};
}

ProcessResult process(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "process");
    return ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

// A run of three epochs in the folder `run`.
void train(const ExperimentFolder& folder, const std::string& pipeline = "") {
    folder.write({.pipeline = pipeline});
    require_success(folder.run("run", with_witness()));
}

std::vector<std::int64_t> first(std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

}  // namespace

TEST_CASE("process: --verbose prints what was measured once") {
    const ExperimentFolder folder;
    train(folder);
    const ProcessResult result = process({folder.run_folder("run"), "--verbose"});
    REQUIRE(result.status == 0);
    const std::string text = "test  16 samples  loss ";
    const std::size_t at = result.output.find(text);
    REQUIRE(at != std::string::npos);
    CHECK(result.output.find(text, at + 1) == std::string::npos);
}

TEST_CASE("process: the test set of a run gives what its own test gave") {
    const ExperimentFolder folder;
    train(folder);
    const ProcessResult result = process({folder.run_folder("run")});
    require_success(result);
    CHECK(result.output.find("test  16 samples  loss ") != std::string::npos);
    std::vector<fs::path> made;
    for (const auto& entry : fs::directory_iterator(folder.path() / "run/processed")) {
        made.push_back(entry.path());
    }
    REQUIRE(made.size() == 1);
    const fs::path relative = fs::relative(made[0], folder.path());
    const auto trained = rows(folder.read("run/test.csv"));
    const auto processed = rows(folder.read(relative / "test.csv"));
    REQUIRE(processed.size() == 2);
    CHECK(processed[0] == Cells{"batches", "samples", "loss", "loss_min", "loss_max", "loss_std",
                                "accuracy", "accuracy_min", "accuracy_max", "accuracy_std"});
    CHECK(processed[1][0] == "2");
    CHECK(processed[1][1] == "16");
    CHECK(measured(processed[1], 2) == measured(trained[1], 3));
    const auto batches = rows(folder.read(relative / "test_batches.csv"));
    REQUIRE(batches.size() == 3);
    CHECK(batches[0] == Cells{"batch", "samples", "loss", "accuracy"});
    CHECK(measured(batches[2], 0)[0] == "1");
    CHECK(folder.read(relative / "status.json").find("\"state\": \"done\"") != std::string::npos);
    CHECK(folder.has(relative / "experiment.toml"));
    CHECK(folder.has(relative / "process.log"));

    // Once more: beside the first.
    REQUIRE(process({folder.run_folder("run"), "--quiet"}).status == 0);
    CHECK(std::distance(fs::directory_iterator(folder.path() / "run/processed"), {}) == 2);
}

TEST_CASE("process: every sample of every section comes once, in order") {
    const ExperimentFolder folder;
    train(folder, kWitness);
    CHECK(samples_seen(folder.read("run/seen.txt"), "training").empty());
    require_success(process(
        {folder.run_folder("run"), "--run-dir", folder.run_folder("out"), "--section", "training",
         "--section", "test", "--set", "training.task.batch_size=7", "--set",
         "training.dataloader.drop_last=true", "--set", "training.dataloader.num_workers=3"}));
    const std::string seen = folder.read("out/seen.txt");
    CHECK(samples_seen(seen, "training") == Epochs{first(48)});
    CHECK(samples_seen(seen, "test") == Epochs{first(16)});
    CHECK(samples_seen(seen, "validation").empty());
    CHECK(folder.has("out/training.csv"));
    CHECK(folder.has("out/test_batches.csv"));
}

TEST_CASE("process: a sampler selects the samples but does not draw them") {
    const ExperimentFolder folder;
    train(folder, kWitness);
    struct Case {
        const char* sampler;
        std::vector<std::int64_t> samples;
    };
    const Case cases[] = {
        {"{ type = \"SubsetRandomSampler\", indices = [4, 9] }", {4, 5, 6, 7, 8}},
        {"{ type = \"SubsetRandomSampler\", indices = [5, 3, 8] }", {5, 3, 8}},
        {"{ type = \"ClassBalancedSampler\", samples = 3 }", first(48)},
        {"{ type = \"RandomSampler\" }", first(48)},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        CAPTURE(cases[i].sampler);
        const std::string out = "out" + std::to_string(i);
        REQUIRE(process({folder.run_folder("run"), "--run-dir", folder.run_folder(out), "--section",
                         "training", "--set", std::string("training.sampler=") + cases[i].sampler,
                         "--set", "training.dataloader.shuffle=false"})
                    .status == 0);
        CHECK(samples_seen(folder.read(fs::path(out) / "seen.txt"), "training") ==
              Epochs{cases[i].samples});
    }
}

TEST_CASE("process: an experiment is processed with the weights that it loads") {
    const ExperimentFolder folder;
    train(folder);
    const std::string experiment = (folder.path() / "experiment.toml").string();
    require_success(process({experiment, "--run-dir", folder.run_folder("out"), "--set",
                             "pipeline.load=\"" + folder.run_folder("run") + "\""}));
    CHECK(measured(rows(folder.read("out/test.csv"))[1], 2) ==
          measured(rows(folder.read("run/test.csv"))[1], 3));

    require_success(
        process({experiment, "--run-dir", folder.run_folder("last"), "--section", "validation",
                 "--checkpoint", folder.run_folder("run") + "/checkpoints/last"}));
    const auto validations = rows(folder.read("run/validation.csv"));
    CHECK(measured(rows(folder.read("last/validation.csv"))[1], 2) ==
          measured(validations.back(), 3));
}

TEST_CASE("process: a run may get components of plugins that it did not have") {
    const ExperimentFolder folder;
    train(folder);
    require_success(process(
        {folder.run_folder("run"), "--run-dir", folder.run_folder("out"), "--set",
         "pipeline.answers={ type = \"StreamFileExporter\", input_streams = [\"indices\"] }"}));
    CHECK(rows(folder.read("out/exports/answers.csv")).size() == 1 + 16);
}

TEST_CASE("process: what a checkpoint and the sections lack is said before anything begins") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const auto refused = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {run, "--run-dir", folder.run_folder("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProcessResult result = process(arguments);
        CHECK(result.status == 4);
        CHECK_FALSE(folder.has("out"));
        return without_folder(result.errors, folder.path());
    };
    CHECK(refused({"--set",
                   "pipeline.second={ type = \"FeedForwardNetwork\", streams = { inputs = "
                   "\"features\", predictions = \"others\" }, globals = { prediction_size "
                   "= \"num_classes\" } }"}) ==
          "--set: error: pipeline.second: the run of FOLDER/run/checkpoints/best has no component "
          "of this name, and no weights for it; known: reshape, net, nll, accuracy\n");
    CHECK(
        refused({"--set", "test.task.data_folder=\"" + run + "/none\""})
            .starts_with(
                "--set: error: test.task.data_folder: no such file or folder: FOLDER/run/none; "));
    // Data of sections that are not processed is not needed.
    fs::rename(folder.path() / "data", folder.path() / "moved");
    CHECK(process({run, "--run-dir", folder.run_folder("other"), "--set",
                   "test.task.data_folder=\"" + (folder.path() / "moved").string() + "\"",
                   "--section", "test"})
              .status == 0);
    fs::rename(folder.path() / "moved", folder.path() / "data");
    fs::remove(folder.path() / "run/checkpoints/best/weights.safetensors");
    fs::remove(folder.path() / "run/checkpoints/best/SHA256SUMS");
    CHECK(refused({}) ==
          "FOLDER/run/checkpoints/best: error: is not a complete checkpoint: it has no "
          "weights.safetensors\n"
          "FOLDER/run/checkpoints/best: error: is not a complete checkpoint: it has no SHA256SUMS\n"
          "2 errors\n");
}

TEST_CASE("process: paths of its sections begin at the experiment, and their streams may be read") {
    const ptp::test::TempFolder folder;
    const std::string run = (folder.path() / "run").string();
    folder.write("a.csv", "x,y,c\n1,2,a\n2,1,b\n0,1,a\n");
    folder.write("n.csv", "x,y,c,note\n1,2,a,one\n2,1,b,two\n");
    const fs::path experiment = folder.write("e.toml", R"(seed = 1
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
task = { type = "CsvTable", batch_size = 2, file = "a.csv", features = ["x", "y"], label = "c" }
[process.audit.task]
type = "CsvTable"
batch_size = 2
file = "n.csv"
features = ["x", "y"]
label = "c"
text = "note"
[pipeline.net]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
[pipeline.export]
type = "StreamFileExporter"
input_streams = ["texts", "predictions"]
phases = ["process"]
)");
    const auto ptprun = [](const std::vector<std::string>& arguments) {
        return ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
    };
    require_success(ptprun({experiment.string(), "--quiet", "--run-dir", run}));
    CHECK(folder.read("run/experiment.toml")
              .find("file = \"" + (folder.path() / "n.csv").string() + "\"") != std::string::npos);
    require_success(process(
        {run, "--section", "audit", "--run-dir", (folder.path() / "out").string(), "--quiet"}));
    const auto exported = rows(folder.read("out/exports/export.csv"));
    REQUIRE(exported.size() == 3);
    CHECK(std::ranges::count(exported[2], "two") == 1);

    // The training has none of the exporter's plugin, and needs none to continue.
    require_success(
        ptprun({"resume", run, "--quiet", "--set", "training.terminal_conditions.epoch_limit=2"}));

    // What no section writes is refused still, and a setting that is missing too.
    const ProcessResult misspelt =
        ptprun({"check", experiment.string(), "--set",
                "pipeline.export.input_streams=[\"text\", \"predictions\"]"});
    CHECK(misspelt.status == 2);
    CHECK(misspelt.errors.find("reads stream 'text', which nothing writes") != std::string::npos);
    const ProcessResult unset =
        ptprun({"check", experiment.string(), "--set", "process.audit.task.file=\"none.csv\""});
    CHECK(unset.status == 0);  // data of such a section are not needed yet
}

TEST_CASE("process: an experiment whose load leaves out some weights is refused") {
    const ExperimentFolder folder;
    train(folder);
    const std::string load = "pipeline.net.load={ from = \"" + folder.run_folder("run") +
                             "\", except = [\"layers.3\"] }";
    const ProcessResult result = process({(folder.path() / "experiment.toml").string(), "--set",
                                          load, "--run-dir", folder.run_folder("out")});
    CHECK(result.status == 2);
    const std::string errors = without_folder(result.errors, folder.path());
    CHECK(errors.substr(0, errors.find("\n    fix: ")) ==
          "ptprun: error: no trained weights for layers.3.weight, layers.3.bias of 'net' "
          "(FeedForwardNetwork): this is an experiment, not a run");
}

TEST_CASE("process: what cannot be processed is refused") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const std::string experiment = (folder.path() / "experiment.toml").string();
    struct Case {
        std::vector<std::string> arguments;
        int status;
        const char* error;
    };
    const Case cases[] = {
        {{run, "--section", "test", "--section", "test"},
         2,
         "--section: error: test: is asked for more than once\n"},
        {{run, "--section", "tests"},
         2,
         "--section: error: tests: the experiment has no such section; did you mean 'test'?\n"},
        {{run, "--run-dir", run},
         2,
         "ptprun: error: the run folder FOLDER/run is there already and not empty; name another "
         "one, or none to get a new one\n"},
        {{run, "--checkpoint", "bests"},
         2,
         "ptprun: error: --checkpoint bests: no such folder: bests; did you mean 'best'?\n    help: ptprun help "
         "process\n"},
        {{experiment, "--checkpoint", "last"},
         2,
         "ptprun: error: --checkpoint last: only a run has one of this name; give the folder of a "
         "checkpoint\n    help: ptprun help process\n"},
        {{(folder.path() / "data").string()},
         2,
         "ptprun: error: FOLDER/data is not a run folder: it has no experiment.toml\n    help: "
         "ptprun help process\n"},
        {{experiment, "--run-dir", folder.run_folder("out")},
         2,
         "ptprun: error: no trained weights for 'net' (FeedForwardNetwork): this is an experiment, "
         "not a run\n"
         "    fix: name the folder of a run in place of the experiment; or of a checkpoint with weights: "
         "ptprun process FOLDER/experiment.toml --run-dir FOLDER/out --checkpoint FOLDER\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.error);
        const ProcessResult result = process(c.arguments);
        CHECK(result.status == c.status);
        CHECK(without_folder(result.errors, folder.path()) == c.error);
    }
    CHECK(folder.read("out/status.json").find("\"state\": \"failed\"") != std::string::npos);
}

TEST_CASE("process: data of the training that are named for another section are warned of") {
    const TempFolder folder;
    const std::string rows = "x,kind\n1,a\n2,b\n3,a\n4,b\n";
    const std::string table = folder.write("t.csv", rows).string();
    const std::string other = folder.write("v.csv", "x,kind\n5,a\n6,b\n").string();
    const auto task = [](const std::string& file) {
        return "task = { type = \"CsvTable\", batch_size = 2, file = \"" + file +
               "\", features = [\"x\"], label = \"kind\" }\n";
    };
    const auto file = folder.write(
        "e.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "terminal_conditions = { epoch_limit = 1 }\n" +
            task(table) + "[validation]\n" + task(other) +
            "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
            "\"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n"
            "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    const std::string run = (folder.path() / "run").string();
    require_success(run_program("ptprun", {file.string(), "--run-dir", run, "--quiet"}));
    CHECK(process({run}).errors == "");
    const ProcessResult said = process({run, "--set", "validation.task.file=" + table});
    CHECK(said.status == 0);
    CHECK(without_excerpts(said.errors) ==
          "--set: warning: validation.task.file: is data of the training, which drew each of its "
          "samples: what is measured on these says little about new data\n");
}

TEST_CASE("process: a file of the training that has changed since is warned of") {
    const TempFolder folder;
    std::string rows = "x,kind\n";
    for (int i = 0; i < 20; ++i) {
        rows += std::to_string(i) + (i % 3 == 0 ? ",a\n" : ",b\n");
    }
    const std::string table = folder.write("t.csv", rows).string();
    const std::string task =
        "task = { type = \"Table\", batch_size = 4, file = \"" + table +
        "\", features = [\"x\"], label = \"kind\", split = { shares = [0.6, 0.4], seed = 1 } }\n";
    const auto file = folder.write(
        "e.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "terminal_conditions = { epoch_limit = 1 }\n" +
            task + "[validation]\n" + task +
            "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
            "\"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n"
            "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    const std::string run = (folder.path() / "run").string();
    require_success(run_program("ptprun", {file.string(), "--run-dir", run, "--quiet"}));
    CHECK(process({run}).errors == "");
    folder.write("t.csv", rows.substr(0, rows.size() - 5));
    const std::string warning =
        "warning: validation.task.file: the file of the training has another content now, so that "
        "[validation] may have samples that were trained on\n"
        "    fix: restore the file, or name new data that no training has seen\n";
    CHECK(process({run}).errors == warning);
    const ProcessResult predicted =
        run_program("ptprun", {"predict", run, "--data", "validation", "--quiet"});
    CHECK(predicted.errors.find(warning) != std::string::npos);
}

}  // namespace process_test
