// Whole runs of ptprun, as a person starts them.

#include "runs/support.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace run_test {

using namespace ptp::test;

TEST_CASE("run: constants of the experiment are published under the names that a setting gives") {
    const ExperimentFolder folder(
        {.pipeline = "[pipeline.constants]\ntype = \"GlobalVariablePublisher\"\n"
                     "keys = [\"ignored_class\", \"other\"]\nvalues = [3, \"text\"]\n"});
    require_success(folder.run("run"));
}

TEST_CASE("run: in a pipe each epoch of a short training has a line") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    std::vector<std::string> epochs;
    for (const std::string& line : lines_of(result.output)) {
        if (line.starts_with("epoch ") && line.find("/3  ") != std::string::npos) {
            epochs.push_back(line.substr(0, line.find("  loss")));
            CHECK(line.find("  validation  loss ") != std::string::npos);
        }
    }
    CHECK(epochs == std::vector<std::string>{"epoch 1/3  training", "epoch 2/3  training",
                                             "epoch 3/3  training"});
}

TEST_CASE("run: --verbose prints every line, and none twice; nor is one twice in the log") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run", {"--verbose"});
    REQUIRE(result.status == 0);
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    };
    for (const char* part : {"epoch 1/3  training    loss ", "epoch 2/3  validation  loss ",
                             "epoch 3/3  validation  loss ", "epoch limit of 3 reached",
                             "test set, best weights  loss "}) {
        CAPTURE(part);
        CHECK(count(result.output, part) == 1);
        CHECK(count(folder.read("run/run.log"), part) == 1);
    }
    CHECK(count(result.output, "epoch 2/3  training  [") == 6);
}

TEST_CASE("run: an unknown statistic to show is refused, with the one that was meant") {
    const ExperimentFolder folder;
    CHECK(folder.run("good", {"--show", "accuracy"}).status == 0);
    const ProcessResult result = folder.run("run", {"--show", "acuracy"});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptprun: error: --show acuracy: the batches of training have no such statistic; did you "
          "mean 'accuracy'?\n");
}

TEST_CASE("run: an experiment trains, validates, tests, and leaves its folder") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run");
    require_success(result);
    CHECK(result.output.find("epoch limit of 3 reached") != std::string::npos);
    CHECK(result.output.find("test set, best weights  loss ") != std::string::npos);

    // 48 samples in batches of 8 are 6 episodes in each of 3 epochs.
    const auto training = lines_of(folder.read("run/training.csv"));
    REQUIRE(training.size() == 19);
    CHECK(training[0] == "episode,epoch,loss,accuracy,learning_rate");
    CHECK(training[1].starts_with("0,1,"));
    CHECK(training[18].starts_with("17,3,"));
    const auto validation = lines_of(folder.read("run/validation.csv"));
    REQUIRE(validation.size() == 4);
    CHECK(
        validation[0] ==
        "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std,accuracy,accuracy_min,accuracy_max,accuracy_std");
    CHECK(validation[1].starts_with("5,2,1,"));
    const auto epochs = lines_of(folder.read("run/training_epochs.csv"));
    REQUIRE(epochs.size() == 4);
    CHECK(epochs[0] == validation[0]);
    CHECK(epochs[2].starts_with("11,6,2,"));
    CHECK(lines_of(folder.read("run/test.csv")).size() == 2);
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 3 reached (0)");
    const std::string record = folder.read("run/checkpoints/last/checkpoint.toml");
    CHECK(record.find("set = \"validation\"\n") != std::string::npos);
    for (const char* file :
         {"run.log", "experiment.toml", "checkpoints/last/weights.safetensors",
          "checkpoints/last/checkpoint.toml", "checkpoints/best/weights.safetensors"}) {
        CAPTURE(file);
        CHECK(folder.has(std::filesystem::path("run") / file));
    }
}

TEST_CASE("run: the same seed gives the same bits, whatever the number of loader threads") {
    const ExperimentFolder folder;
    const std::vector<std::vector<std::string>> choices = {
        {},
        {},
        {"--set", "training.dataloader.num_workers=0"},
        {"--set", "training.dataloader.num_workers=2", "--set",
         "validation.dataloader.num_workers=0"},
        {"--set", "training.dataloader.num_workers=4", "--set",
         "validation.dataloader.num_workers=4", "--set", "test.dataloader.num_workers=2"}};
    for (std::size_t i = 0; i < choices.size(); ++i) {
        REQUIRE(folder.run("run" + std::to_string(i), choices[i]).status == 0);
    }
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "training_epochs.csv",
          "checkpoints/last/weights.safetensors", "checkpoints/last/checkpoint.toml"}) {
        const std::string first = folder.read(std::filesystem::path("run0") / file);
        for (std::size_t i = 1; i < choices.size(); ++i) {
            CAPTURE(file);
            CAPTURE(i);
            CHECK((folder.read(std::filesystem::path("run" + std::to_string(i)) / file) == first));
        }
    }
    REQUIRE(folder.run("other", {"--seed", "8"}).status == 0);
    CHECK((folder.read("other/training.csv") != folder.read("run0/training.csv")));
}

TEST_CASE("run: the record of a run trains again to the same bits") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.1, momentum = 0.9 }\n"
                     "gradient_clipping = 0.25\nterminal_conditions = { epoch_limit = 1 }\n"});
    REQUIRE(folder.run("first").status == 0);
    // A default that the experiment does not say stands in its record.
    CHECK(folder.read("first/experiment.toml").find("use_logsoftmax = true") != std::string::npos);
    require_success(ptp::test::ptprun({folder.run_folder("first") + "/experiment.toml", "--run-dir",
                                       folder.run_folder("second")}));
    CHECK((folder.read("first/training.csv") == folder.read("second/training.csv")));
}

TEST_CASE("run: without validation and test the training's loss decides") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"RMSprop\", lr = 0.01 }\n"
                     "terminal_conditions = { epoch_limit = 2, episode_limit = 8 }\n",
         .has_validation = false,
         .has_test = false});
    const ProcessResult result = folder.run("run", {"--quiet"});
    CHECK(result.errors == "");
    CHECK(result.output == "");
    REQUIRE(result.status == 0);
    CHECK(lines_of(folder.read("run/training.csv")).size() == 9);
    CHECK(folder.read("run/checkpoints/last/checkpoint.toml").find("set = \"training\"\n") !=
          std::string::npos);
    CHECK_FALSE(folder.has("run/validation.csv"));
    CHECK_FALSE(folder.has("run/test.csv"));
    CHECK(ptp::test::status_in(folder.path() / "run").find("episode limit of 8 reached") !=
          std::string::npos);
    CHECK(folder.has("run/checkpoints/best/weights.safetensors"));
}

TEST_CASE("run: terminal conditions end a training, with their names") {
    struct Case {
        std::string rate;
        const char* conditions;
        const char* reason;
        const char* status;
    };
    const Case cases[] = {
        {"0.1", "epoch_limit = 50, loss_stop_threshold = 2.0", "converged: the loss fell below 2",
         "converged"},
        // So large a rate makes every validation worse than the first.
        {"30.0", "epoch_limit = 50, early_stop_validations = 2",
         "stopped early: 2 validations without a lower loss", "early_stopping"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.conditions);
        const ExperimentFolder folder({.training = "optimizer = { type = \"SGD\", lr = " + c.rate +
                                                   " }\nterminal_conditions = { " + c.conditions +
                                                   " }\n",
                                       .has_test = false});
        REQUIRE(folder.run("run").status == 0);
        CHECK(ptp::test::status_in(folder.path() / "run").find(c.reason) != std::string::npos);
        CHECK(folder.read("run/checkpoints/last/checkpoint.toml")
                  .find(std::string("status = \"") + c.status + "\"") != std::string::npos);
    }
}

TEST_CASE("run: a component can begin with saved weights and keep them") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("first").status == 0);
    const std::string load = "pipeline.net.load=\"" + folder.run_folder("first") + "\"";

    // Frozen, with a second model to train: its tensors are in the file bit for bit.
    folder.write({.pipeline = "[pipeline.other]\ntype = \"FeedForwardNetwork\"\n"
                              "streams = { inputs = \"features\", predictions = \"others\" }\n"
                              "globals = { prediction_size = \"num_classes\" }\n"
                              "[pipeline.second_loss]\ntype = \"NLLLoss\"\n"
                              "streams = { predictions = \"others\", loss = \"second_loss\" }\n"});
    require_success(folder.run("second", {"--set", load, "--set", "pipeline.net.freeze=true"}));
    const auto header = lines_of(folder.read("second/training.csv"))[0];
    CHECK(header.find("second_loss") != std::string::npos);
    CHECK(header.ends_with(",total_loss,learning_rate"));
    const std::string before = folder.read("first/checkpoints/best/weights.safetensors");
    const std::string after = folder.read("second/checkpoints/last/weights.safetensors");
    const std::string tensors = before.substr(before.size() - 400);
    CHECK(after.find(tensors) != std::string::npos);

    // Another size: all that differs is said at once.
    folder.write();
    const ProcessResult refused =
        folder.run("third", {"--set", load, "--set", "pipeline.net.hidden_sizes=[8]"});
    CHECK(refused.status == 4);
    CHECK(without_folder(refused.errors, folder.path()) ==
          "--set: error: pipeline.net.load: FOLDER/first/checkpoints/best/weights.safetensors: the "
          "tensors of 'net' do not fit 'net' (FeedForwardNetwork):\n"
          "    layers.0.weight: is Float [16, 4] in the file, must be Float [8, 4]\n"
          "    layers.0.bias: is Float [16] in the file, must be Float [8]\n"
          "    layers.3.weight: is Float [10, 16] in the file, must be Float [10, 8]\n"
          "    fix: leave out load and train anew, or set the sizes of the file: each layer has "
          "another one there\n");
}

TEST_CASE("run: how gradients are clipped is stated at the start") {
    const ExperimentFolder folder;
    const auto output = [&](const std::string& name, const std::string& clipping) {
        folder.write({.training = std::string("optimizer = { type = \"SGD\", lr = 0.1 }\n") +
                                  "gradient_clipping = " + clipping +
                                  "\nterminal_conditions = { epoch_limit = 1 }\n"});
        const ProcessResult result = folder.run(name);
        REQUIRE(result.status == 0);
        return result.output;
    };
    CHECK(output("elements", "0.5")
              .find("\neach element of a gradient is cut to [-0.5, 0.5]; "
                    "{ norm = 0.5 } limits the norm of all\n") != std::string::npos);
    CHECK(output("norm", "{ norm = 0.5 }")
              .find("\ngradients with a norm above 0.5 are scaled to 0.5\n") != std::string::npos);
}

TEST_CASE("run: a run folder is never written over") {
    const ExperimentFolder folder;
    std::filesystem::create_directory(folder.path() / "empty");
    CHECK(folder.run("empty", {"--set", "training.terminal_conditions.epoch_limit=1"}).status == 0);
    const ProcessResult result = folder.run("empty");
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "ptprun: error: the run folder FOLDER/empty is there already and not empty; name another "
          "one, or none to get a new one\n");
}

TEST_CASE("run: its record names libtorch as plugins do") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run", {"--fast-dev-run"}).status == 0);
    const auto record = nlohmann::json::parse(folder.read("run/run.json"));
    const auto listing =
        nlohmann::json::parse(ptp::test::run_program("ptp-inspect", {"--json", "losses"}).output);
    CHECK(record["machine"]["libtorch"] == listing["plugins"][0]["build"]["libtorch"]);
}

TEST_CASE("run: the classes are named at the start, and what cannot train is warned of") {
    const ptp::test::TempFolder folder;
    folder.write("shapes.csv", "x,y,shape\n1,2,square\n3,4,circle\n5,6,circle\n");
    const auto file = folder.write("shapes.toml", R"(seed = 1
[training]
optimizer = { type = "SGD", lr = 1e-30 }
terminal_conditions = { epoch_limit = 3 }
[training.task]
type = "CsvTable"
file = "shapes.csv"
features = ["x", "y"]
label = "shape"
batch_size = 64
[pipeline.net]
type = "FeedForwardNetwork"
globals = { prediction_size = 5 }
[pipeline.loss]
type = "NLLLoss"
)");
    const auto result = ptp::test::run_program(
        "ptprun", {file.string(), "--run-dir", (folder.path() / "run").string()});
    REQUIRE(result.status == 0);
    CHECK_MESSAGE(result.output.find("\n2 classes: circle, square\n") != std::string::npos,
                  result.output);
    for (
        const char* warning :
        {"'loss' (NLLLoss) gets 5 scores for the 2 classes of its targets: num_classes is 2\n",
         "training.task.batch_size = 64: an epoch has 3 samples, so that it is one batch and one "
         "step of the optimizer\n",
         "no weight has moved in 3 steps of the optimizer\n"
         "    fix: set a higher training.optimizer.lr: the steps are too small for the weights\n"}) {
        CHECK_MESSAGE((result.errors + result.output).find(warning) != std::string::npos,
                      result.output);
    }
    CHECK(folder.read("run/run.log").find("no weight has moved in 3 steps") != std::string::npos);
}

}  // namespace run_test
