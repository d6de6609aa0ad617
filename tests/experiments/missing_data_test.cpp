// Files and folders that an experiment names and that are not there: `check` finds them, and a run
// ends as the check does.

#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace missing_data_test {

using namespace ptp::test;

namespace {

constexpr const char* kHowTo =
    "install Debian's package dataset-fashion-mnist, or take the four files from "
    "https://github.com/zalandoresearch/fashion-mnist and set data_folder to where they are";

std::string experiment(const std::string& task, const std::string& net = "") {
    return "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n[training.task]\n"
           "batch_size = 8\n" +
           task +
           "\n[pipeline.reshape]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 1, 28, 28]\n"
           "output_dims = [-1, 784]\nstreams = { outputs = \"features\" }\n[pipeline.net]\n"
           "type = \"FeedForwardNetwork\"\nstreams = { inputs = \"features\" }\n"
           "globals = { prediction_size = \"num_classes\" }\n" +
           net + "\n[pipeline.loss]\ntype = \"NLLLoss\"\n";
}

std::string fashion(const std::string& folder) {
    return "type = \"FashionMNIST\"\ndata_folder = \"" + folder + "\"";
}

}  // namespace

TEST_CASE("missing data: a folder that a task reads is looked for") {
    CHECK(problems_of(experiment(fashion("images"))) ==
          std::string("e.toml:6:15: training.task.data_folder: no such file or folder: images; ") +
              kHowTo);
}

TEST_CASE("missing data: a misspelled file or folder is named") {
    const TempFolder folder;
    folder.write("images/fashion/x", "");
    const std::string near = (folder.path() / "images/fashion").string();
    for (const char* name : {"images/fashoin", "imgaes/fashion"}) {
        const std::string wrong = (folder.path() / name).string();
        CHECK(problems_of(experiment(fashion(wrong))) ==
              "e.toml:6:15: training.task.data_folder: no such file or folder: " + wrong +
                  "; did you mean " + near + "?\n    fix: write \"" + near + "\"");
    }
    // As it is typed in a file that is in the same folder or above.
    const std::string file = folder.write("e.toml", experiment(fashion("images/fashoin"))).string();
    CHECK(ptp::test::run_program("ptprun", {"check", file})
              .errors.find("    fix: write \"images/fashion\"\n") != std::string::npos);
}

TEST_CASE("missing data: a default is looked for too, in the home folder") {
    CHECK(
        problems_of(experiment("type = \"MNIST\"")) ==
        "e.toml:3:1: training.task.data_folder: no such file or folder: /home/ada/data/mnist, the default; "
        "take the four files of MNIST from https://ossci-datasets.s3.amazonaws.com/mnist/, and "
        "set data_folder to where they are");
}

TEST_CASE("missing data: initial weights are looked for") {
    const TempFolder folder;
    const std::string task = fashion(folder.path().string());
    CHECK(
        problems_of(experiment(task, "load = \"runs/x\"")) ==
        "e.toml:16:8: pipeline.net.load: no such file or folder: runs/x; name a run's folder, a checkpoint's "
        "folder or a file of weights");
    // A folder that has none in it.
    CHECK(
        problems_of(experiment(task, "load = \"" + folder.path().string() + "\"")) ==
        "e.toml:16:8: pipeline.net.load: no such file or folder: " + folder.path().string() +
            "/checkpoints/best/weights.safetensors; name a run's folder, a checkpoint's folder or "
            "a file of weights");
    folder.write("checkpoints/best/weights.safetensors", std::string("\2\0\0\0\0\0\0\0{}", 10));
    CHECK(problems_of(experiment(task, "load = \"" + folder.path().string() + "\"")) == "");
    // A file that is something else, such as a page that says that there is no such file.
    const std::string page = folder.write("resnet.pth", "<!DOCTYPE html>").string();
    CHECK(problems_of(experiment(task, "load = \"" + page + "\"")) ==
          "e.toml:16:8: pipeline.net.load: " + page +
              " is not a file of weights: neither safetensors nor what torch.save() writes (.pth, "
              ".pt)");
    // A near name is proposed where it has weights.
    const std::string run = folder.path().string();
    const std::string near = problems_of(experiment(task, "load = \"" + run + "_\""));
    CHECK(near.ends_with("; did you mean " + run + "?\n    fix: write \"" + run + "\""));
    CHECK(problems_of(experiment(task, "load = \"" + page + "s\"")) ==
          "e.toml:16:8: pipeline.net.load: no such file or folder: " + page +
              "s; name a run's folder, a checkpoint's folder or a file of weights");
    // Runs are listed where no name is near.
    folder.write("runs/pretrain/20260101_120000/checkpoints/best/weights.safetensors",
                 std::string("\2\0\0\0\0\0\0\0{}", 10));
    const std::string wrong = ": no such file or folder: " + run;
    const auto file = folder.write("e.toml", experiment(task, "load = \"foo/last\"")).string();
    CHECK(
        ptp::test::run_program("ptprun", {"check", file})
            .errors.find(
                "pipeline.net.load" + wrong +
                "/foo/last; name a run's folder, a checkpoint's folder or a file of weights; known: "
                "pretrain/last\n") != std::string::npos);
    const auto typed = [&](const std::string& name) {
        return "pipeline.net.load=" + run + "/runs/" + name + "/last";
    };
    CHECK(ptp::test::run_program("ptprun", {"check", file, "--set", typed("pretrian")})
              .errors.find("did you mean " + run + "/runs/pretrain/last?\n") != std::string::npos);
    // What is left out of the pipeline needs nothing.
    CHECK(problems_of(experiment(task, "load = \"runs/x\"\nenabled = false")).find("load") ==
          std::string::npos);
}

TEST_CASE("missing data: is said beside what is wrong with the experiment") {
    const std::string said = problems_of(experiment(fashion("images"), "dropout_rate = 2"));
    CHECK(said ==
          std::string("e.toml:6:15: training.task.data_folder: no such file or folder: images; ") +
              kHowTo + "\ne.toml:16:16: pipeline.net.dropout_rate = 2: must be in [0, 1)");
}

TEST_CASE("missing data: a check and a run end with 4 and say the same") {
    const TempFolder folder;
    const std::string file = folder.write("e.toml", experiment(fashion("images"))).string();
    const std::string run = (folder.path() / "run").string();
    const auto checked = ptp::test::run_program("ptprun", {"check", file});
    const auto ran = ptp::test::run_program("ptprun", {file, "--run-dir", run});
    CHECK(checked.status == 4);
    CHECK(without_excerpts(checked.errors) ==
          file + ":6:15: error: training.task.data_folder: no such file or folder: " +
              folder.path().string() + "/images; " + kHowTo + "\n    fix: ptprun fetch " + file +
              "\n");
    CHECK(ran.status == 4);
    CHECK(ran.errors == checked.errors);
    CHECK_FALSE(std::filesystem::exists(run));
    const auto wrong = ptp::test::run_program("ptprun", {"check", file, "--set", "seed=one"});
    CHECK(wrong.status == 2);
}

TEST_CASE("missing data: a pipeline can be drawn without it") {
    const TempFolder folder;
    const std::string file = folder.write("e.toml", experiment(fashion("images"))).string();
    require_success(ptp::test::run_program("ptprun", {"draw", file}));
}

TEST_CASE("missing data: folders of parts that are taken for classes are named as what they are") {
    const TempFolder folder;
    const auto problems = [&](const std::string& more) {
        const std::string task =
            "task = { type = \"ImageFolder\", batch_size = 2, resize_image = "
            "[28, 28], data_folder = \"" +
            (folder.path() / "all").string() + "\"" + more + " }\n";
        return problems_of("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n" + task +
                           "[validation]\n" + task +
                           "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [\"Flatten\", { type = "
                           "\"Linear\", out = \"num_classes\" }]\nstreams = { outputs = "
                           "\"predictions\" }\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    };
    const std::string warning =
        "e.toml:5:8: warning: validation.task: has the samples of [training], which are all "
        "trained on, so that what is measured here says little about new data\n    fix: ";
    const std::string general =
        "read other data, or give [training] and [validation] a RandomSplitSampler with shares "
        "that do not overlap";
    const std::string all = (folder.path() / "all").string();
    for (const char* part : {"test", "train", "valid"}) {
        std::filesystem::create_directories(folder.path() / "all" / part / "ant");
    }
    CHECK(problems("") ==
          warning +
              "the folders there are parts of the data, and not classes: set data_folder = "
              "\"" +
              all + "/train\" in training.task and data_folder = \"" + all +
              "/valid\" in validation.task");
    CHECK(problems(", classes = [\"test\", \"train\"]") == warning + general);
    std::filesystem::create_directories(folder.path() / "all/other");
    CHECK(problems("") == warning + general);
}

TEST_CASE("missing data: the rows of a table that two sections read are divided by its split") {
    const TempFolder folder;
    for (const char* name : {"a.csv", "b.csv"}) {
        folder.write(name, "x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n");
    }
    const auto problems = [&](const std::string& split, const std::string& tests) {
        const auto task = [&](const std::string& file, const std::string& more) {
            return "task = { type = \"Table\", batch_size = 2, features = [\"x\"], label = \"y\", "
                   "file = \"" +
                   (folder.path() / file).string() + "\"" + more + " }\n";
        };
        return problems_of("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n" +
                           task("a.csv", split) + "[validation]\n" + task("a.csv", split) +
                           (tests.empty() ? "" : "[test]\n" + task(tests, "")) +
                           "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", "
                           "out = \"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n"
                           "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    };
    const std::string warning =
        ": has the samples of [training], which are all trained on, so that what is measured here "
        "says little about new data\n    fix: write split = { shares = ";
    const std::string of_validation = "e.toml:5:8: warning: validation.task" + warning;
    CHECK(problems("", "") == of_validation + "[0.8, 0.2], seed = 1 } in the task of each section");
    CHECK(problems("", "b.csv") ==
          of_validation + "[0.8, 0.2], seed = 1 } in training.task and validation.task");
    const std::string three = "[0.6, 0.2, 0.2], seed = 1 } in the task of each section";
    CHECK(problems("", "a.csv") ==
          of_validation + three + "\ne.toml:7:8: warning: test.task" + warning + three);
    CHECK(problems(", split = { shares = [0.8, 0.2], seed = 1 }", "b.csv").empty());
}

TEST_CASE("missing data: a test by the samples of the validation is warned of once") {
    const TempFolder folder;
    const auto problems = [&](const std::string& sampler, const char* validation,
                              const char* test) {
        const auto task = [&](const char* name) {
            return "task = { type = \"ImageFolder\", batch_size = 2, resize_image = [28, 28], "
                   "data_folder = \"" +
                   (folder.path() / name).string() + "\" }\n";
        };
        return problems_of("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n" + task("a") +
                           "[validation]\n" + sampler + task(validation) + "[test]\n" + task(test) +
                           "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [\"Flatten\", { type = "
                           "\"Linear\", out = \"num_classes\" }]\nstreams = { outputs = "
                           "\"predictions\" }\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    };
    for (const char* part : {"a/ant", "b/ant", "c/ant"}) {
        std::filesystem::create_directories(folder.path() / part);
    }
    CHECK(problems("", "b", "c") == "");
    CHECK(problems("", "b", "b") ==
          "e.toml:7:8: warning: test.task: has the samples of [validation], which choose the best "
          "weights, so that what is measured here says little about new data\n"
          "    fix: read other data, or give [validation] and [test] a RandomSplitSampler with "
          "shares that do not overlap");
    CHECK(problems("sampler = { type = \"SubsetSequentialSampler\", indices = [0, 9] }\n", "b",
                   "b") ==
          "e.toml:8:8: warning: test.task: has the samples that [validation] chooses the best "
          "weights by, so that what is measured here says little about new data\n"
          "    fix: read other data, or give [test] a sampler with samples that [validation] "
          "leaves out");
    // Samples of the training are warned of already.
    CHECK(problems("", "a", "a").find("of [validation]") == std::string::npos);
}

}  // namespace missing_data_test
