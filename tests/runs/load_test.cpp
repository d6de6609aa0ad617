// Weights of earlier runs: a whole pipeline's, a component's, and what does not fit.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <fstream>

namespace load_test {

using namespace ptp::test;

namespace {

// A run of one epoch in the folder `first`.
void train_first(const ExperimentFolder& folder) {
    folder.write();
    REQUIRE(folder.run("first", {"--set", "training.terminal_conditions.epoch_limit=1"}).status ==
            0);
}

std::string from(const ExperimentFolder& folder, const std::string& rest = "") {
    return "{ from = \"" + folder.run_folder("first") + "\"" + rest + " }";
}

// Two models; one is as in `first`.
const std::string kSecondModel =
    "[pipeline.other]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [3]\ndropout_rate = 0.1\n"
    "streams = { inputs = \"features\", predictions = \"others\" }\n"
    "globals = { prediction_size = \"num_classes\" }\n"
    "[pipeline.second_loss]\ntype = \"NLLLoss\"\n"
    "streams = { predictions = \"others\", loss = \"second_loss\" }\n";

}  // namespace

TEST_CASE("load: a whole pipeline that is loaded and frozen has nothing to train") {
    const ExperimentFolder folder;
    train_first(folder);
    const ProcessResult result = folder.run(
        "second", {"--set", "pipeline.load=" + from(folder), "--set", "pipeline.freeze=true"});
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()).find("there is nothing to train") !=
          std::string::npos);
}

TEST_CASE("load: a whole pipeline begins with the weights of another run") {
    const ExperimentFolder folder;
    train_first(folder);
    // A learning rate of 0 leaves them as they are.
    const ProcessResult result =
        folder.run("second", {"--set", "pipeline.load=\"" + folder.run_folder("first") + "\"",
                              "--set", "training.optimizer.lr=0.0"});
    CHECK(ptp::test::without_warnings(result.errors, "training.optimizer.lr: is 0") == "");
    REQUIRE(result.status == 0);
    CHECK((folder.read("first/checkpoints/best/weights.safetensors") ==
           folder.read("second/checkpoints/last/weights.safetensors")));
}

TEST_CASE("load: weights that are trained with other normalized images are warned of") {
    const ExperimentFolder folder;
    REQUIRE(folder
                .run("first", {"--set", "training.terminal_conditions.epoch_limit=1", "--set",
                               "training.task.normalize={ mean = 0.5, std = 0.25 }", "--set",
                               "validation.task.normalize={ mean = 0.5, std = 0.25 }", "--set",
                               "test.task.normalize={ mean = 0.5, std = 0.25 }"})
                .status == 0);
    const auto warned = [&](const std::string& own, const std::string& load) {
        std::vector<std::string> arguments = {"check", (folder.path() / "experiment.toml").string(),
                                              "--set",
                                              load + "=\"" + folder.run_folder("first") + "\""};
        for (const char* section : {"training", "validation", "test"}) {
            if (!own.empty()) {
                arguments.insert(arguments.end(),
                                 {"--set", std::string(section) + ".task.normalize=" + own});
            }
        }
        const ProcessResult result = run_program("ptprun", arguments);
        CHECK(result.status == 0);
        return without_folder(result.errors, folder.path());
    };
    CHECK(
        warned("", "pipeline.load") ==
        "FOLDER/experiment.toml:6:1: warning: training.task.normalize: not set, but { mean = 0.5, "
        "std = 0.25 } in the training of the weights that pipeline.load takes from FOLDER/first: "
        "they see other inputs than they are trained with\n"
        "    fix: write normalize = { mean = 0.5, std = 0.25 } in training.task\n");
    const std::string other = warned("{ mean = 0.0, std = 1.0 }", "pipeline.net.load");
    CHECK(other.find("--set: warning: training.task.normalize: { mean = 0.0, std = 1.0 }, but { "
                     "mean = 0.5, std = 0.25 } in the training of the weights that "
                     "pipeline.net.load takes from FOLDER/first") != std::string::npos);
    CHECK(warned("{ mean = 0.5, std = 0.25 }", "pipeline.load") == "");
    const auto beside = [&](const std::string& norm) {
        const ProcessResult result =
            run_program("ptprun", {"check", (folder.path() / "experiment.toml").string(), "--set",
                                   "pipeline.load=\"" + folder.run_folder("first") + "\"", "--set",
                                   "pipeline.norm={ type = \"Normalize\", " + norm +
                                       ", streams = { outputs = \"even\" } }"});
        return without_folder(result.errors, folder.path());
    };
    CHECK(
        beside("mean = [0.1], std = [0.9]")
            .find("warning: pipeline.norm: { mean = [0.1], std = [0.9] }, but { mean = 0.5, std = "
                  "0.25 } in the training of the weights that pipeline.load takes from "
                  "FOLDER/first: they see other inputs than they are trained with\n") !=
        std::string::npos);
    CHECK(beside("mean = [0.5], std = [0.25]").find("they see other inputs") == std::string::npos);
}

TEST_CASE("load: a run has the names that it has in commands, and the one found is recorded") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("runs/digits/a").status == 0);
    const auto trained = [&](const std::string& run, const std::string& name) {
        std::ofstream(folder.path() / "loads.toml") << "include = \"experiment.toml\"\n"
                                                    << "[pipeline]\nload = \"" << name << "\"\n";
        return ptp::test::run_program(
            "ptprun", {folder.run_folder("loads.toml"), "--run-dir", folder.run_folder(run),
                       "--set", "training.optimizer.lr=0.0"});
    };
    for (const std::string name : {"runs/digits/last", "digits/best", "runs/digits/a"}) {
        CAPTURE(name);
        const std::string run = "of_" + std::to_string(name.size());
        CHECK(trained(run, name).status == 0);
        CHECK((folder.read("runs/digits/a/checkpoints/best/weights.safetensors") ==
               folder.read(run + "/checkpoints/last/weights.safetensors")));
        CHECK(folder.read(run + "/experiment.toml")
                  .find("from = \"" + folder.run_folder("runs/digits/a") + "\"") !=
              std::string::npos);
    }
    std::filesystem::create_directory(folder.path() / "digits");  // data of the same name
    CHECK(trained("beside_data", "digits/best").status == 0);
    CHECK((folder.read("runs/digits/a/checkpoints/best/weights.safetensors") ==
           folder.read("beside_data/checkpoints/last/weights.safetensors")));
    std::filesystem::remove(folder.path() / "digits");
    const ProcessResult misspelled = trained("misspelled", "digist/last");
    CHECK(misspelled.status == 4);
    CHECK(
        without_folder(
            ptp::test::without_warnings(misspelled.errors, "training.optimizer.lr: is 0"),
            folder.path()) ==
        "FOLDER/loads.toml:3:8: error: pipeline.load: no such file or folder: FOLDER/digist/last; "
        "did you mean digits/last?\n    fix: write \"digits/last\"\n");
    std::filesystem::create_directory(folder.path() / "empty");
    const ProcessResult none = trained("none", "empty/last");
    CHECK(none.status == 4);
    CHECK(without_folder(ptp::test::without_warnings(none.errors, "training.optimizer.lr: is 0"),
                         folder.path()) ==
          "FOLDER/loads.toml:3:8: error: pipeline.load: FOLDER/empty/last: no runs in "
          "FOLDER/empty\n");
    CHECK_FALSE(folder.has("none"));
}

TEST_CASE("load: a training states what it has loaded, and what is frozen") {
    const ExperimentFolder folder;
    train_first(folder);
    const ProcessResult result = folder.run(
        "second", {"--set", "pipeline.net.load=" + from(folder, ", except = [\"layers.3\"]"),
                   "--set", "pipeline.net.freeze=[\"layers.0\"]"});
    REQUIRE(result.status == 0);
    const std::string said = without_folder(result.output, folder.path());
    CHECK(said.find("\nnet: 2 of 4 tensors loaded from "
                    "FOLDER/first/checkpoints/best/weights.safetensors, not layers.3.weight and "
                    "layers.3.bias\n"
                    "frozen: 80 of 250 weights, of net (layers.0.weight, layers.0.bias)\n") !=
          std::string::npos);
}

TEST_CASE("load: weights that changed since they were written are refused") {
    const ExperimentFolder folder;
    train_first(folder);
    const std::filesystem::path file =
        folder.path() / "first" / "checkpoints" / "best" / "weights.safetensors";
    std::string bytes = folder.read("first/checkpoints/best/weights.safetensors");
    bytes.back() = static_cast<char>(~bytes.back());
    std::ofstream(file, std::ios::binary) << bytes;
    const ProcessResult whole = folder.run("second", {"--set", "pipeline.load=" + from(folder)});
    CHECK(whole.status == 4);
    CHECK(without_folder(whole.errors, folder.path()) ==
          "--set: error: pipeline.load: FOLDER/first/checkpoints/best: the checkpoint is damaged:\n"
          "  weights.safetensors: has changed since it was written\n");
    const ProcessResult one =
        folder.run("third", {"--set", "pipeline.net.load=\"" + file.string() + "\""});
    CHECK(one.status == 4);
    CHECK(without_folder(one.errors, folder.path()) ==
          "--set: error: pipeline.net.load: FOLDER/first/checkpoints/best/weights.safetensors: has "
          "changed since it was written: its hash is not the one in "
          "FOLDER/first/checkpoints/best/SHA256SUMS\n");
}

TEST_CASE("load: all that does not fit a pipeline is said at once, for all its components") {
    const ExperimentFolder folder;
    train_first(folder);
    folder.write({.pipeline = kSecondModel});
    const ProcessResult result = folder.run("second", {"--set", "pipeline.load=" + from(folder),
                                                       "--set", "pipeline.net.hidden_sizes=[8]"});
    CHECK(result.status == 4);
    CHECK(without_folder(result.errors, folder.path()) ==
          "--set: error: pipeline.load: FOLDER/first/checkpoints/best/weights.safetensors: the "
          "tensors do not fit the pipeline:\n"
          "    other.layers.0.weight: is missing, Float [3, 4]\n"
          "    other.layers.0.bias: is missing, Float [3]\n"
          "    other.layers.3.weight: is missing, Float [10, 3]\n"
          "    other.layers.3.bias: is missing, Float [10]\n"
          "    net.layers.0.weight: is Float [16, 4] in the file, must be Float [8, 4]\n"
          "    net.layers.0.bias: is Float [16] in the file, must be Float [8]\n"
          "    net.layers.3.weight: is Float [10, 16] in the file, must be Float [10, 8]\n");
}

TEST_CASE("load: several loads that do not fit are all said") {
    const ExperimentFolder folder;
    train_first(folder);
    folder.write({.pipeline = kSecondModel});
    const ProcessResult result = folder.run(
        "second",
        {"--set", "pipeline.other.load=" + from(folder, ", component = \"nett\""), "--set",
         "pipeline.net.load=" + from(folder), "--set", "pipeline.net.hidden_sizes=[16, 16]"});
    CHECK(result.status == 4);
    CHECK(without_folder(result.errors, folder.path()) ==
          "--set: error: pipeline.other.load: FOLDER/first/checkpoints/best/weights.safetensors: "
          "has no tensors of 'nett'; did you mean 'net'?\n"
          "--set: error: pipeline.net.load: FOLDER/first/checkpoints/best/weights.safetensors: the "
          "tensors of 'net' do not fit 'net' (FeedForwardNetwork):\n"
          "    layers.3.weight: is Float [10, 16] in the file, must be Float [16, 16]\n"
          "    layers.3.bias: is Float [10] in the file, must be Float [16]\n"
          "    layers.6.weight: is missing, Float [10, 16]\n"
          "    layers.6.bias: is missing, Float [10]\n"
          "2 errors\n");
}

TEST_CASE("load: a layer of another size is refused with the exception that leaves it out") {
    const ExperimentFolder folder;
    train_first(folder);
    const auto load = [&](const std::string& name, const std::string& rest) {
        return folder.run(name, {"--set", "pipeline.net.load=" + from(folder, rest), "--set",
                                 "pipeline.net.globals.prediction_size=12"});
    };
    const ProcessResult result = load("second", "");
    CHECK(result.status == 4);
    CHECK(
        without_folder(result.errors, folder.path()) ==
        "--set: warning: pipeline.net.globals.prediction_size: 12 is more than the 10 classes of "
        "the targets of 'nll' (NLLLoss): num_classes is 10, published by the task of [training] "
        "(FashionMNIST)\n"
        "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.net\n"
        "--set: error: pipeline.net.load: FOLDER/first/checkpoints/best/weights.safetensors: the "
        "tensors of 'net' do not fit 'net' (FeedForwardNetwork):\n"
        "    layers.3.weight: is Float [10, 16] in the file, must be Float [12, 16]\n"
        "    layers.3.bias: is Float [10] in the file, must be Float [12]\n"
        "    fix: load = { from = \"FOLDER/first\", except = [\"layers.3\"] } leaves out what has "
        "another size, which then begins untrained\n");
    // Names that do not exist are not in it, everything else is.
    const std::string errors =
        load("fourth", ", component = \"net\", only = [\"layers\"], except = [\"layers.5\"]")
            .errors;
    CHECK(
        without_folder(errors, folder.path())
            .ends_with("    except: unknown name 'layers.5'; known: layers.0, layers.3\n"
                       "    fix: load = { from = \"FOLDER/first\", except = [\"layers.3\"], only = "
                       "[\"layers\"] } leaves out what has another size, which then begins "
                       "untrained\n"));
    // A check does not create the component, and says so.
    const ProcessResult checked =
        ptp::test::run_program("ptprun", {"check", folder.run_folder("experiment.toml"), "--set",
                                          "pipeline.net.load=" + from(folder)});
    CHECK(checked.output.find("  not fitted  pipeline.net.load, before components are created: "
                              "ptprun check " +
                              folder.run_folder("experiment.toml") + " --data\n") !=
          std::string::npos);
    CHECK(load("third", ", except = [\"layers.3\"]").status == 0);
}

TEST_CASE("load: a pipeline whose last layer has another size is refused with the load of it") {
    const ExperimentFolder folder;
    train_first(folder);
    const std::vector<std::string> wider = {"--set", "pipeline.net.globals.prediction_size=12",
                                            "--set"};
    const auto load = [&](const std::string& name, const std::string& setting) {
        std::vector<std::string> arguments = wider;
        arguments.push_back(setting);
        return folder.run(name, arguments);
    };
    const ProcessResult result =
        load("second", "pipeline.load=\"" + folder.run_folder("first") + "\"");
    CHECK(result.status == 4);
    const std::string errors = without_folder(result.errors, folder.path());
    CHECK(errors.ends_with(
        "the tensors do not fit the pipeline:\n"
        "    net.layers.3.weight: is Float [10, 16] in the file, must be Float [12, 16]\n"
        "    net.layers.3.bias: is Float [10] in the file, must be Float [12]\n"
        "    fix: [pipeline.net] load = { from = \"FOLDER/first\", except = [\"layers.3\"] } in "
        "place of pipeline.load leaves out what has another size, which then begins untrained\n"));
    CHECK(load("third", "pipeline.net.load=" + from(folder, ", except = [\"layers.3\"]")).status ==
          0);
}

TEST_CASE("load: if one layer of a pipeline has another size, the rest is loaded as before") {
    const ExperimentFolder folder({.pipeline = kSecondModel});
    REQUIRE(folder.run("first").status == 0);
    const auto load = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {
            "--set", "pipeline.load=\"" + folder.run_folder("first") + "\"", "--set",
            "pipeline.net.globals.prediction_size=12"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder.run(name, arguments);
    };
    const ProcessResult result = load("second", {});
    CHECK(result.status == 4);
    const std::string errors = without_folder(result.errors, folder.path());
    CHECK(errors.ends_with(
        "    fix: [pipeline.net] load = { from = \"FOLDER/first\", except = [\"layers.3\"] } leaves "
        "out what has another size, which then begins untrained; the rest is loaded as before\n"));
    CHECK(load("third", {"--set", "pipeline.net.load=" + from(folder, ", except = [\"layers.3\"]")})
              .status == 0);
}

TEST_CASE("load: where each layer has another size, the advice is to leave it out") {
    const ExperimentFolder folder;
    train_first(folder);
    const auto load = [&](const std::string& name, const std::string& setting) {
        return without_folder(
            folder
                .run(name, {"--set", "pipeline.net.hidden_sizes=[8]", "--set",
                            "pipeline.net.globals.prediction_size=12", "--set", setting})
                .errors,
            folder.path());
    };
    CHECK(load("second", "pipeline.load=\"" + folder.run_folder("first") + "\"")
              .ends_with("    fix: leave out pipeline.load and train anew, or set the sizes of the "
                         "file: each layer has another one there\n"));
    CHECK(load("third", "pipeline.net.load=" + from(folder, ""))
              .ends_with("    fix: leave out load and train anew, or set the sizes of the file: "
                         "each layer has another one there\n"));
}

TEST_CASE("load: one that is not strict logs what it leaves out") {
    const ExperimentFolder folder;
    train_first(folder);
    folder.write({.pipeline = kSecondModel});
    const ProcessResult result =
        folder.run("second", {"--set", "pipeline.load=" + from(folder, ", strict = false")});
    CHECK(result.status == 0);
    const std::string log = folder.read("second/run.log");
    for (const char* name : {"other.layers.0.weight", "other.layers.0.bias",
                             "other.layers.3.weight", "other.layers.3.bias"}) {
        CAPTURE(name);
        CHECK(log.find(std::string("not loaded: ") + name + ": is missing") != std::string::npos);
    }
    CHECK(log.find("not loaded: net") == std::string::npos);

    const ProcessResult nothing = folder.run(
        "third", {"--set", "pipeline.other.hidden_sizes=[]", "--set",
                  "pipeline.other.load=" + from(folder, ", component = \"net\", strict = false")});
    CHECK(nothing.status == 4);
    CHECK(without_folder(nothing.errors, folder.path()) ==
          "--set: error: pipeline.other.load: FOLDER/first/checkpoints/best/weights.safetensors: "
          "nothing in it fits\n");
}

TEST_CASE("load: a component can have another one's weights") {
    const ExperimentFolder folder;
    train_first(folder);
    folder.write({.pipeline = kSecondModel});
    require_success(folder.run(
        "second", {"--set", "pipeline.other.load=" + from(folder, ", component = \"net\""), "--set",
                   "pipeline.other.hidden_sizes=[16]", "--set", "pipeline.other.freeze=true"}));
}

TEST_CASE("load: a component that keeps a load of its own is named, also by a training anew") {
    const ExperimentFolder folder;
    train_first(folder);
    std::string other = kSecondModel;
    other.replace(other.find("hidden_sizes = [3]"), 18,
                  "hidden_sizes = [16]\nload = " + from(folder, ", component = \"net\""));
    folder.write({.pipeline = other});
    require_success(folder.run("second"));
    const auto load_of = [&](const std::string& table) {
        return table + ".load=\"" + folder.run_folder("second/checkpoints/best") + "\"";
    };
    const ProcessResult kept = folder.run("third", {"--set", load_of("pipeline")});
    CHECK(
        without_folder(without_excerpts(kept.errors), folder.path())
            .starts_with("--set: warning: pipeline.load: does not reach pipeline.other, which has "
                         "a load of its own, of FOLDER/first\n"
                         "    fix: --set 'pipeline.other.load="
                         "\"FOLDER/second/checkpoints/best\"'\n"));
    const std::vector<std::string> both = {"--set", load_of("pipeline"), "--set",
                                           load_of("pipeline.other")};
    CHECK(folder.run("fourth", both).errors.find("does not reach") == std::string::npos);
    const ProcessResult refused = ptp::test::run_program(
        "ptprun", {"resume", folder.run_folder("second"), "--set", "training.task.batch_size=4"});
    CHECK(without_folder(refused.errors, folder.path())
              .ends_with("    fix: ptprun FOLDER/second/experiment.toml --set "
                         "'pipeline.load=\"FOLDER/second/checkpoints/best\"' --set "
                         "'pipeline.other.load=\"FOLDER/second/checkpoints/best\"' --set "
                         "training.task.batch_size=4\n"));
}

}  // namespace load_test
