// What a person reads when a run cannot be, and with which exit code it ends.

#include "runs/support.hpp"

#include <doctest/doctest.h>

namespace failure_test {

using namespace ptp::test;

TEST_CASE("failure: a missing data file ends the run with code 4, and there is no folder") {
    const ExperimentFolder folder;
    const std::filesystem::path labels = folder.path() / "data" / "train-labels-idx1-ubyte";
    std::filesystem::rename(labels, folder.path() / "away");
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 4);
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/experiment.toml:6:1: error: the task of [training] (FashionMNIST): "
          "FOLDER/data/train-labels-idx1-ubyte: no such file, nor "
          "train-labels-idx1-ubyte.gz; install Debian's package dataset-fashion-mnist, or take the "
          "four files from https://github.com/zalandoresearch/fashion-mnist and set data_folder to "
          "where they are\n    fix: ptprun fetch FOLDER/experiment.toml\n");
    CHECK_FALSE(folder.has("run"));
    // So that the corrected command needs no other folder.
    std::filesystem::rename(folder.path() / "away", labels);
    CHECK(folder.run("run").status == 0);
}

TEST_CASE("failure: a run that fails before its records begin says why, and leaves none") {
    const ExperimentFolder folder;
    std::filesystem::remove(folder.path() / "data" / "t10k-labels-idx1-ubyte");
    const ProcessResult result = folder.run(
        "run", {"--set", "records.json_lines.every_episodes=1", "--set", "records.tensorboard={}"});
    CHECK(result.status == 4);
    CHECK(without_folder(result.errors, folder.path())
              .find("FOLDER/data/t10k-labels-idx1-ubyte: no such file") != std::string::npos);
    CHECK(result.errors.find("given up") == std::string::npos);
    CHECK_FALSE(folder.has("run"));
}

TEST_CASE("failure: wrong words on the command line end with code 2") {
    struct Case {
        std::vector<std::string> arguments;
        const char* error;
    };
    const Case cases[] = {
        {{"x.toml", "--faster"},
         "ptprun: error: unknown option '--faster'\n    help: ptprun help run\n"},
        {{"x.toml", "--quiet", "--verbose"},
         "ptprun: error: --quiet and --verbose exclude each other\n    help: ptprun help run\n"},
        {{"x.toml", "--seed", "one"},
         "ptprun: error: --seed one: must be an integer\n    help: ptprun help run\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.error);
        const ProcessResult result = ptp::test::run_program("ptprun", c.arguments);
        CHECK(result.status == 2);
        CHECK(result.errors == c.error);
    }
}

TEST_CASE("failure: what only the engine can see in an experiment ends with code 2") {
    struct Case {
        std::string set;
        const char* error;
    };
    const Case cases[] = {
        {"training.sampler={type=\"SubsetRandomSampler\",indices=[0,100]}",
         "--set: error: training.sampler.indices: there is no sample 99; FashionMNIST has 48, from "
         "0 to 47\n"},
        {"pipeline.net.freeze=true",
         "--set: error: pipeline.net.freeze: there is nothing to train: no model has a "
         "parameter that is not frozen\n    fix: set pipeline.net.freeze = false, or that of another "
         "model; { except = [LAYERS] } in its place trains some layers, which ptprun summary FILE --set "
         "pipeline.net.freeze=false lists\n"},
    };
    const ExperimentFolder folder;
    for (const Case& c : cases) {
        CAPTURE(c.set);
        const ProcessResult result =
            folder.run("run-" + std::to_string(&c - cases), {"--set", c.set});
        CHECK(result.status == 2);
        CHECK(without_folder(result.errors, folder.path()) == c.error);
    }
}

TEST_CASE("failure: a CUDA device that is not there ends with code 2") {
    if (std::filesystem::exists("/dev/nvidiactl")) {
        MESSAGE("skipped: this machine may have a CUDA device");
        return;
    }
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run", {"--device", "cuda"});
    CHECK(result.status == 2);
    CHECK(
        result.errors ==
        "ptprun: error: device = \"cuda\": libtorch finds no CUDA device here; use --device cpu\n");
}

TEST_CASE("failure: a loss that is not a number any more ends the training with code 6") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 1e30 }\n", .has_test = false});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 6);
    CHECK(result.errors.starts_with("ptprun: error: the loss 'loss' is "));
    CHECK(result.errors.ends_with("the training has diverged; a lower learning rate may help\n"));

    // The row of that episode is the last one.
    const std::string table = folder.read("run/training.csv");
    const std::size_t last_row = table.rfind('\n', table.size() - 2) + 1;
    const std::string episode = table.substr(last_row, table.find(',', last_row) - last_row);
    CHECK(result.errors.find(" in episode " + episode + " ") != std::string::npos);
}

TEST_CASE(
    "failure: a loss that is not a number from the first episode on is not for want of a rate") {
    const ExperimentFolder folder;
    const ProcessResult result =
        folder.run("run", {"--set", "training.task.normalize={mean=0,std=1e-45}", "--set",
                           "validation.task.normalize={mean=0,std=1e-45}", "--set",
                           "test.task.normalize={mean=0,std=1e-45}"});
    CHECK(result.status == 5);
    CHECK(result.errors ==
          "ptprun: error: the loss 'loss' is nan in episode 0 (epoch 1), before any weight was "
          "changed: look at the data, and at the weights that the training began with\n");
}

TEST_CASE("failure: a set in which the loss counts nothing ends the training with code 4") {
    const ExperimentFolder folder;
    // The images' depth is 1, and image 1, alone, is of class 1.
    const ProcessResult result =
        folder.run("run", {"--set", "pipeline.nll.globals={ignore_index=\"image_depth\"}", "--set",
                           "validation.sampler={type=\"SubsetRandomSampler\",indices=[1]}"});
    CHECK(result.status == 4);
    CHECK(result.errors ==
          "ptprun: error: [validation] has nothing that counts for the loss 'loss', which has no "
          "value there; look at masks, weights and ignored targets\n");
}

TEST_CASE("failure: of several losses those are named for which a set has nothing that counts") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run(
        "run",
        {"--set",
         "pipeline.second={type=\"NLLLoss\",streams={loss=\"second\"},globals={ignore_index=\"image_depth\"}}",
         "--set", "validation.sampler={type=\"SubsetRandomSampler\",indices=[1]}"});
    CHECK(result.status == 4);
    CHECK(result.errors ==
          "ptprun: error: [validation] has nothing that counts for the loss 'second', which has no "
          "value there; look at masks, weights and ignored targets\n");
}

}  // namespace failure_test
