// Weights of a run whose data had classes or columns in another order.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace loaded_order_test {

using namespace ptp::test;

TEST_CASE("load: classes and columns in another order than in the training are warned of") {
    const ExperimentFolder folder;
    std::string rows = "x,y,k\n";
    for (int i = 0; i < 12; ++i) {
        rows += std::to_string(i) + "," + std::to_string(30 - i) + (i < 6 ? ",down\n" : ",up\n");
    }
    std::ofstream(folder.path() / "t.csv") << rows;
    const auto write = [&](const std::string& task, int hidden = 4) {
        std::string text =
            "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
            "terminal_conditions = { epoch_limit = 1 }\n";
        for (const char* const section : {"training", "test"}) {
            text +=
                "[" + std::string(section) +
                ".task]\ntype = \"Table\"\nbatch_size = 4\nlabel = \"k\"\nfile = \"t.csv\"\nsplit = "
                "{ shares = [0.5, 0.1, 0.4] }\n" +
                task + "\n";
        }
        std::ofstream(folder.path() / "t.toml")
            << "seed = 1\n" + text +
                   "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [" +
                   std::to_string(hidden) +
                   "]\nglobals = { prediction_size = \"num_classes\" }\n"
                   "[pipeline.loss]\ntype = \"NLLLoss\"\n";
    };
    const std::string file = folder.run_folder("t.toml");
    write("features = \"*\"");
    REQUIRE(run_program("ptprun", {file, "--run-dir", folder.run_folder("base")}).status == 0);
    int count = 0;
    const auto said = [&](const std::string& key, const std::string& value) {
        const std::string run = folder.run_folder("made" + std::to_string(++count));
        const std::string set = key + "=" + value;
        const ProcessResult trained = run_program("ptprun", {file, "--run-dir", run, "--set", set});
        CHECK(trained.status == 0);
        return without_folder(trained.errors, folder.path());
    };
    const auto from_base = [&](const std::string& more = "") {
        return said("pipeline.load",
                    "{ from = \"" + folder.run_folder("base") + "\"" + more + " }");
    };
    const std::string where =
        "warning: --set: pipeline.load: FOLDER/base/checkpoints/best/weights.safetensors: ";
    CHECK(from_base() == "");
    write("features = \"*\"\nclasses = [\"up\", \"down\"]");
    const std::string classes =
        where +
        "class 0 is 'up', and 'down' in the training of these weights: each "
        "is taken for another\n"
        "    fix: set classes = [\"down\", \"up\"] in the task of each section\n";
    CHECK(from_base() == classes);
    const ProcessResult processed =
        run_program("ptprun", {"process", file, "--run-dir", folder.run_folder("processed"),
                               "--set", "pipeline.load=\"" + folder.run_folder("base") + "\""});
    CHECK(without_folder(processed.errors, folder.path()) == classes);
    for (std::size_t at = rows.find(",down"); at != std::string::npos; at = rows.find(",down")) {
        rows.replace(at, 5, ",left");
    }
    std::ofstream(folder.path() / "t.csv") << rows;
    write("features = \"*\"");
    const std::string others = where +
                               "class 0 is 'left', which the training of these weights did not "
                               "have: there it is 'down'\n    fix: ";
    CHECK(
        from_base() ==
        others +
            "write load = { from = \"FOLDER/base\", except = [\"layers.2\"] } in pipeline.net, in "
            "place of pipeline.load, so that the output layer begins untrained\n");
    const ProcessResult foreign =
        run_program("ptprun", {"process", file, "--run-dir", folder.run_folder("foreign"), "--set",
                               "pipeline.load=\"" + folder.run_folder("base") + "\""});
    CHECK(without_folder(foreign.errors, folder.path()) ==
          others +
              "prepare the data as that training does, or name its run in place of the "
              "experiment, to process them\n");
    CHECK(said("pipeline.net.load",
               "{ from = \"" + folder.run_folder("base") + "\", except = [\"layers.2\"] }") == "");
    for (std::size_t at = rows.find(",left"); at != std::string::npos; at = rows.find(",left")) {
        rows.replace(at, 5, ",down");
    }
    std::ofstream(folder.path() / "t.csv") << rows;
    write("features = \"*\"\nclasses = [\"up\", \"down\"]");
    // A new output layer is for other classes.
    CHECK(said("pipeline.net.load",
               "{ from = \"" + folder.run_folder("base") + "\", except = [\"layers.2\"] }") == "");
    // Nor are layers of two inputs for two classes, where the new one has another number of scores.
    const ProcessResult other =
        run_program("ptprun", {"check", file, "--data", "--set",
                               "pipeline.net.load={ from = \"" + folder.run_folder("base") +
                                   "\", except = [\"layers.2\"] }",
                               "--set", "pipeline.net.globals.prediction_size=5"});
    CHECK(
        without_folder(other.errors, folder.path()) ==
        "--set: warning: pipeline.net.globals.prediction_size: 5 is more than the 2 classes of the "
        "targets of 'loss' (NLLLoss): num_classes is 2, published by the task of [training] "
        "(Table)\n"
        "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.net\n");
    write("features = [\"y\", \"x\"]");
    CHECK(from_base() ==
          where +
              "number 0 of the features is 'y', and 'x' in the training of these "
              "weights: each is taken for another\n"
              "    fix: set features = [\"x\", \"y\"] in the task of each section\n");
    write("features = \"*\"\ncolumns = { y = { standardize = false } }");
    CHECK(from_base() == where +
                             "'y' of the features is not standardized, and is in the training of "
                             "these weights: they see other inputs than they are trained with\n"
                             "    fix: prepare the data as that training does, or name its run in "
                             "place of the experiment, to process them\n");
}

TEST_CASE("load: a head of other classes begins untrained, although some have the same names") {
    const ExperimentFolder folder;
    const std::string file = folder.run_folder("t.toml");
    const auto write = [&](const std::vector<std::string>& classes, const std::string& load,
                           const std::string& of_features = "") {
        std::string rows = "x,y,k\n";
        for (int i = 0; i < 12; ++i) {
            rows += std::to_string(i) + "," + std::to_string(30 - i) + "," +
                    classes[static_cast<std::size_t>(i) % 3] + "\n";
        }
        std::ofstream(folder.path() / "t.csv") << rows;
        std::ofstream(file)
            << "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
               "terminal_conditions = { epoch_limit = 1 }\ntask = { type = \"Table\", batch_size = "
               "4, label = \"k\", file = \"t.csv\", features = \"*\" }\n[pipeline]\n" +
                   load +
                   "[pipeline.features]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", "
                   "out = 4 }, \"ReLU\"]\nstreams = { outputs = \"vectors\" }\n" +
                   of_features +
                   "[pipeline.head]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
                   "\"num_classes\" }]\nstreams = { inputs = \"vectors\", outputs = "
                   "\"predictions\" }\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n";
    };
    const auto check = [&] {
        const ProcessResult checked = run_program("ptprun", {"check", "--data", file});
        CHECK(checked.status == 0);
        return without_folder(checked.errors, folder.path());
    };
    const std::string base = folder.run_folder("base");
    write({"cross", "ring", "square"}, "");
    REQUIRE(run_program("ptprun", {file, "--run-dir", base}).status == 0);
    const std::string load = "load = \"" + base + "\"\n";
    write({"circle", "square", "triangle"}, load);
    const std::string warning =
        "FOLDER/base/checkpoints/best/weights.safetensors: class 0 is 'circle', which the training "
        "of these weights did not have: there it is 'cross'\n    fix: ";
    CHECK(check() == "warning: FOLDER/t.toml:7:8: pipeline.load: " + warning +
                         "write load = \"FOLDER/base\" in pipeline.features, in place of "
                         "pipeline.load, so that the output layer begins untrained\n");
    write({"circle", "square", "triangle"}, "", load);
    CHECK(check() == "");
    write({"circle", "square", "triangle"}, load, load);
    CHECK(check() == "warning: FOLDER/t.toml:12:8: pipeline.features.load: " + warning +
                         "leave out pipeline.load, so that the output layer begins untrained\n");
}

}  // namespace loaded_order_test
