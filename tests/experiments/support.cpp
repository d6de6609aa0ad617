#include "experiments/support.hpp"

#include "base/paths.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/load.hpp"
#include "plugin/catalog.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

namespace ptp::test {

namespace {

constexpr const char* kGoodExperiment = R"(name = "wrong"
seed = 1

[vars]
classes = "num_classes"

[training]
optimizer = { type = "Adam", lr = 0.001 }
terminal_conditions = { epoch_limit = 2 }
dataloader = { num_workers = 2 }

[training.task]
type = "SortOfCLEVR"
batch_size = 64
size = 1000

[validation.task]
type = "SortOfCLEVR"
batch_size = 64
size = 100

[pipeline.encoder]
type = "ConvNetEncoder"
conv1 = { kernel_size = 5 }

[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 16, 7, 7]
output_dims = [-1, 784]
streams = { inputs = "feature_maps", outputs = "features" }

[pipeline.classifier]
type = "FeedForwardNetwork"
hidden_sizes = [128]
dropout_rate = 0.5
streams = { inputs = "features" }
globals = { prediction_size = "${classes}" }

[pipeline.nll_loss]
type = "NLLLoss"

[pipeline.accuracy]
type = "AccuracyStatistics"
)";

std::filesystem::path plugin_folder() {
    return build_dir() / "lib/ptp/plugins";
}

// All plugins of the build, and one more with a LeNet5 of its own.
plugin::Catalog catalog() {
    plugin::Catalog catalog = plugin::scan({plugin_folder()});
    for (const plugin::Found& found : catalog.find("LeNet5")) {
        plugin::CatalogEntry rival{.path = "/rival.so", .manifest = found.plugin->manifest};
        rival.manifest.name = "rival_models";
        rival.manifest.components = {*found.component};
        catalog.plugins.push_back(std::move(rival));
        break;
    }
    return catalog;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

}  // namespace

std::string good_experiment() {
    return kGoodExperiment;
}

std::string experiment_of_layers(const std::string& layers) {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Shapes", batch_size = 4 }
[validation]
task = { type = "Shapes", batch_size = 4 }
[pipeline.net]
type = "LayerStack"
streams = { outputs = "predictions" }
)" + layers +
           "\n";
}

std::string problems_of(const std::string& text, pipeline::NeededFiles files) {
    const TempFolder folder;
    const auto file = folder.write("e.toml", text);
    const std::filesystem::path home = "/home/ada";
    Diagnostics problems;
    const plugin::Catalog plugins = catalog();
    const auto tree =
        experiment::load_experiment({.file = file, .overrides = {}, .home = home}, problems);
    if (tree) {
        const auto experiment =
            experiment::read_experiment(*tree, {.default_name = "e", .home = home}, problems);
        const auto plan = pipeline::assemble(experiment, plugins, home, problems, files);
        CHECK(plan.has_value() == problems.ok());
    }
    std::string said = problems.text();
    replace_all(said, folder.path().string() + "/", "");
    replace_all(said, shown_path(plugin_folder()), "$PLUGINS");
    replace_all(said,
                "list all components: ptp-inspect\n         or have another folder searched: "
                "--plugins DIR",
                "$FIND_PLUGINS");
    return said;
}

void check_all(std::span<const WrongExperiment> experiments) {
    for (const WrongExperiment& experiment : experiments) {
        const std::string what = experiment.what;
        CAPTURE(what);
        const std::string from = experiment.from;
        std::string text = good_experiment();
        if (from.empty()) {
            text = experiment.to;
        } else {
            const std::size_t at = text.find(from);
            REQUIRE(at != std::string::npos);
            REQUIRE(text.find(from, at + 1) == std::string::npos);
            text.replace(at, from.size(), experiment.to);
        }
        CHECK(problems_of(text) == std::string(experiment.problems));
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

void check_typed(const Mistake& mistake) {
    const std::string what = mistake.what;
    CAPTURE(what);
    const std::string text = replaced(good_experiment(), mistake.from, mistake.to);
    CHECK(problems_of(text) == std::string(mistake.problems));
    CHECK(problems_of(replaced(text, mistake.wrong, mistake.typed)) == "");
}

Said ptprun(const std::string& arguments) {
    const TempFolder folder;
    std::string wrong = good_experiment();
    wrong.replace(wrong.find("seed"), 4, "sead");
    folder.write("good.toml", good_experiment());
    folder.write("wrong.toml", wrong);
    folder.write("small.toml",
                 "[training.terminal_conditions]\nepisode_limit = 1\n"
                 "[pipeline.classifier]\nhidden_sizes = [8]\n");
    folder.write("judged.toml",
                 "[training]\njudge = { statistic = \"accuracy\", better = \"larger\" }\n");
    folder.write("smaller.toml", "[pipeline.classifier]\nhidden_sizes = [4]\n");
    const std::string program = (build_dir() / "bin/ptprun").string();
    const std::string command =
        "cd '" + folder.path().string() + "' && '" + program + "' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

}  // namespace ptp::test
