// `ptprun record`: trains as usual, and keeps what flows through one component.

#include "runs/recorded.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace record_test {

namespace fs = std::filesystem;
using namespace ptp::test;

namespace {

std::string plugin_file(const std::string& name) {
    return (ptp::test::build_dir() / "lib/ptp/plugins" / (name + ".so")).string();
}

// The errors of a `ptprun record` that is refused.
std::string refusal(const ExperimentFolder& folder, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"record", (folder.path() / "experiment.toml").string(),
                                      "--run-dir", folder.run_folder("refused")};
    words.insert(words.end(), options.begin(), options.end());
    const ProcessResult result = run_program("ptprun", words);
    CHECK(result.status == 2);
    CHECK_FALSE(folder.has("refused"));
    return without_folder(result.errors, folder.path());
}

constexpr const char* kUsage = "\n    help: ptprun help record\n";

}  // namespace

TEST_CASE("record: recording changes no bit of a training, whatever is recorded") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("plain").status == 0);
    for (const std::string component :
         {"net", "nll", "accuracy", "reshape", "training.task", "validation.task"}) {
        CAPTURE(component);
        require_success(record(folder, component, 20));
        for (const char* file :
             {"training.csv", "validation.csv", "test.csv", "checkpoints/last/weights.safetensors",
              "checkpoints/last/training.safetensors", "checkpoints/best/weights.safetensors"}) {
            CAPTURE(file);
            REQUIRE(folder.has(fs::path("plain") / file));
            CHECK(folder.read(fs::path("record_" + component) / file) ==
                  folder.read(fs::path("plain") / file));
        }
    }
}

TEST_CASE("record: a training is recorded and replayed with each way to change the weights") {
    const ExperimentFolder folder;
    for (const char* lines :
         {"optimizer = { type = \"Adam\", lr = 0.01 }\nprecision = \"bf16\"\n",
          "optimizer = { type = \"SGD\", lr = 0.1, momentum = 0.9 }\naccumulate = 2\n",
          "optimizer = { type = \"LBFGS\", lr = 0.05 }\n",
          "optimizer = { type = \"Adam\", lr = 0.01 }\ngradient_clipping = { norm = 0.1 }\n"}) {
        CAPTURE(lines);
        folder.write(
            {.training = std::string(lines) + "terminal_conditions = { epoch_limit = 2 }\n"});
        const ProcessResult result = record(folder, "net", 7);
        REQUIRE_MESSAGE(result.status == 0, result.errors);
        const ProcessResult replayed = replay(folder, "net", plugin_file("general_models"));
        CHECK_MESSAGE(replayed.status == 0, (replayed.output + replayed.errors));
        fs::remove_all(folder.path() / "record_net");
    }
}

TEST_CASE("record: it states how many batches there are, and that there were no more") {
    const ExperimentFolder folder;
    const std::string file = (folder.path() / "net.ptprec").string();
    CHECK(record(folder, "net", 3)
              .output.ends_with("recorded 3 batches of pipeline.net in " + file + "\n"));
    fs::remove_all(folder.path() / "record_net");
    // Three epochs of 6 + 2 batches, and the test set of 2.
    CHECK(record(folder, "net", 1000)
              .output.find(" batches of pipeline.net in " + file +
                           ": 1000 were asked for, the training had no more\n") !=
          std::string::npos);
}

TEST_CASE("record: of a run folder it trains the experiment again, with the run's plugins") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("first").status == 0);
    require_success(ptprun({"record", folder.run_folder("first"), "--component", "net", "-o",
                            (folder.path() / "net.ptprec").string(), "--run-dir",
                            folder.run_folder("second")}));
    CHECK(folder.read("second/training.csv") == folder.read("first/training.csv"));
    CHECK(replay(folder, "net", plugin_file("general_models")).status == 0);
}

TEST_CASE("record: a link stays one, and the recording is where it leads to") {
    const ExperimentFolder folder;
    fs::create_directory(folder.path() / "there");
    std::ofstream(folder.path() / "there/old.ptprec") << "of before";
    const fs::path link = folder.path() / "net.ptprec";
    for (const char* target : {"there/old.ptprec", "there/new.ptprec"}) {
        CAPTURE(target);
        fs::remove(link);
        fs::create_symlink(target, link);
        const ProcessResult result = record(folder, "net", 3);
        REQUIRE_MESSAGE(result.status == 0, result.errors);
        CHECK(result.output.ends_with("recorded 3 batches of pipeline.net in " +
                                      (folder.path() / target).string() + "\n"));
        CHECK(fs::read_symlink(link) == target);
        CHECK(replay(folder, "net", plugin_file("general_models")).status == 0);
        fs::remove_all(folder.path() / "record_net");
    }
    CHECK(std::distance(fs::directory_iterator(folder.path() / "there"), {}) == 2);
}

TEST_CASE("record: a folder that cannot be written is refused before anything runs") {
    if (!ptp::test::can_mount()) {
        return;
    }
    const ExperimentFolder folder;
    CHECK(ptp::test::run_on_disk(folder, "-o ro",
                                 "\"$1\" record \"$2/experiment.toml\" --component net "
                                 "-o /mnt/x --run-dir \"$2/refused\"") == 2);
    CHECK(folder.read("said") ==
          std::string("ptprun: error: -o /mnt/x: cannot write into the folder /mnt: Read-only file "
                      "system") +
              kUsage);
    CHECK_FALSE(folder.has("refused"));
}

TEST_CASE("record: what cannot be recorded is refused before anything runs") {
    const ExperimentFolder folder;
    const std::string file = (folder.path() / "net.ptprec").string();
    CHECK(refusal(folder, {"--component", "nett", "-o", file}) ==
          std::string("ptprun: error: --component nett: the experiment has no component of this "
                      "name; did you mean 'net'?") +
              kUsage);
    CHECK(
        refusal(folder, {"--component", "training", "-o", file}) ==
        std::string("ptprun: error: --component training: the experiment has no component of this "
                    "name; did you mean 'training.task'?") +
            kUsage);
    CHECK(refusal(folder, {"--component", "net", "-o", folder.path().string()}) ==
          std::string("ptprun: error: -o FOLDER: is a folder; name a file") + kUsage);
    const fs::path pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(refusal(folder, {"--component", "net", "-o", pipe.string()}) ==
          std::string("ptprun: error: -o FOLDER/pipe: is not a regular file; name another one") +
              kUsage);
    CHECK(fs::is_fifo(pipe));
    CHECK(refusal(folder, {"--component", "net", "-o", file + "/x"}) ==
          std::string("ptprun: error: -o FOLDER/net.ptprec/x: no such folder: FOLDER/net.ptprec") +
              kUsage);
    CHECK(refusal(folder,
                  {"--component", "net", "-o", file, "--set", "training.optimizer.lr=0.1,0.2"}) ==
          std::string("ptprun: error: ptprun record trains once: give each --set one value") +
              kUsage);
    CHECK(refusal(folder, {"--component", "net", "-o", file, "--episodes", "0"}) ==
          std::string("ptprun: error: --episodes 0: must be in [1, 1000000]") + kUsage);
    CHECK(refusal(folder, {"-o", file}) ==
          std::string("ptprun: error: --component is needed: the component to record: its name, or "
                      "the table of a task, such as training.task") +
              kUsage);
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("record: a component that shares a model is refused, and names the one to record") {
    const ExperimentFolder folder(
        {.pipeline = "[pipeline.twin]\nshare = \"net\"\n"
                     "streams = { inputs = \"features\", predictions = \"others\" }\n"
                     "[pipeline.second]\ntype = \"NLLLoss\"\n"
                     "streams = { predictions = \"others\", loss = \"second_loss\" }\n"});
    CHECK(
        refusal(folder, {"--component", "twin", "-o", (folder.path() / "x").string()}) ==
        std::string("ptprun: error: --component twin: it has the model of 'net'; record that one: "
                    "--component net") +
            kUsage);
    CHECK(record(folder, "net", 4).status == 0);
    CHECK(replay(folder, "net", plugin_file("general_models")).status == 0);
}

}  // namespace record_test
