// `ptp-inspect replay`: builds of components are fed with what was recorded of another build. The
// builds that do one thing wrong are those of the failing swaps.

#include "runs/recorded.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace replay_test {

namespace fs = std::filesystem;
using namespace ptp::test;

namespace {

constexpr const char* kNet =
    "pipeline.model (Net): 3 batches recorded with mischief 0.1.0, replayed with mischief 0.1.0\n";
constexpr const char* kFirst = "episode 0 (training, epoch 1, batch 0): ";

std::string build_of_mischief(const std::string& name) {
    return (ptp::test::build_dir() / "tests/swap" / name / "mischief.so").string();
}

std::string build_of_drawn(const std::string& name) {
    return (ptp::test::build_dir() / "tests/runs/builds/drawn" / ("drawn_" + name + ".so"))
        .string();
}

void write_experiment(const ExperimentFolder& folder, const std::string& task,
                      const std::string& pipeline) {
    const auto section = [&](const std::string& name) {
        return "[" + name + ".task]\ntype = \"" + task + "\"\nbatch_size = 8\n";
    };
    std::ofstream(folder.path() / "experiment.toml")
        << "seed = 3\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\nbatch_limit = 5\n"
           "dataloader = { shuffle = false }\nterminal_conditions = { epoch_limit = 2 }\n"
        << section("training") << "[validation]\nbatch_limit = 2\n"
        << section("validation") << pipeline;
}

// A recording of the model of the build that does nothing wrong.
class RecordedNet {
public:
    RecordedNet() {
        write_experiment(folder_, "Points",
                         "[pipeline.model]\ntype = \"Net\"\n[pipeline.loss]\ntype = \"Loss\"\n"
                         "[pipeline.hits]\ntype = \"Hits\"\n");
        keep("model", 3);
    }

    void keep(const std::string& component, int batches) const {
        require_success(
            record(folder_, component, batches,
                   {"--plugins", fs::path(build_of_mischief("none")).parent_path().string()}));
    }

    [[nodiscard]] ProcessResult feed(const std::string& build,
                                     const std::vector<std::string>& more = {}) const {
        return replay(folder_, "model", build_of_mischief(build), more);
    }

    // What a replay prints that ends with exit code 3.
    [[nodiscard]] std::string refusal(const std::string& build,
                                      const std::vector<std::string>& more = {}) const {
        const ProcessResult result = feed(build, more);
        CHECK(result.output == "");
        CHECK(result.status == 3);
        return result.errors;
    }

    [[nodiscard]] const ExperimentFolder& folder() const { return folder_; }

private:
    ExperimentFolder folder_;
};

}  // namespace

TEST_CASE("replay: the same build is equal bit for bit: a task, a model, a loss, a statistic") {
    const RecordedNet recorded;
    const ProcessResult model = recorded.feed("none");
    CHECK(model.errors == "");
    // 3 outputs; 6 gradients and 3 buffers of the batch normalization for each; the state.
    CHECK(model.output == std::string(kNet) + "equal: 31 values, bit for bit\n");
    CHECK(model.status == 0);
    for (const std::string component : {"loss", "hits", "training.task", "validation.task"}) {
        CAPTURE(component);
        recorded.keep(component, 12);
        const ProcessResult other = replay(recorded.folder(), component, build_of_mischief("none"));
        CHECK_MESSAGE(other.status == 0, (other.output + other.errors));
        CHECK(other.output.find("\nequal: ") != std::string::npos);
    }
}

TEST_CASE("replay: of a component that writes nothing nothing is compared, and not called equal") {
    const ExperimentFolder folder;
    write_experiment(folder, "Points",
                     "[pipeline.model]\ntype = \"Net\"\n[pipeline.loss]\ntype = \"Loss\"\n"
                     "[pipeline.viewer]\ntype = \"StreamViewer\"\ninput_streams = [\"targets\"]\n");
    const ProcessResult made =
        record(folder, "viewer", 2,
               {"--plugins", fs::path(build_of_mischief("none")).parent_path().string()});
    REQUIRE_MESSAGE(made.status == 0, made.errors);
    const std::string viewers = (ptp::test::build_dir() / "lib/ptp/plugins/viewers.so").string();
    const ProcessResult result = replay(folder, "viewer", viewers);
    require_success(result);
    CHECK(result.output.ends_with(
        "\nnothing was compared: the recording has no output, gradient, buffer, number or picture "
        "of a complete batch; all calls have returned\n"));
    const auto json = nlohmann::json::parse(replay(folder, "viewer", viewers, {"--json"}).output);
    CHECK(json["compared"] == 0);
    CHECK_FALSE(json.contains("is_equal"));
}

TEST_CASE("replay: the first difference has episode, stream, element, both values and a count") {
    const ExperimentFolder folder;
    write_experiment(folder, "Drawn",
                     "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
                     "globals = { prediction_size = \"num_classes\" }\n"
                     "[pipeline.nll]\ntype = \"NLLLoss\"\n");
    fs::create_directories(folder.path() / "plugins");
    fs::copy_file(build_of_drawn("first"), folder.path() / "plugins/drawn.so");
    const ProcessResult made =
        record(folder, "training.task", 2, {"--plugins", (folder.path() / "plugins").string()});
    REQUIRE_MESSAGE(made.status == 0, made.errors);
    // Sample i is 1 in the place i % 4 of its 4 numbers; in the other build it is 2.
    const ProcessResult result = replay(folder, "training.task", build_of_drawn("bright"));
    CHECK(result.errors == "");
    CHECK(result.output ==
          "training.task (Drawn): 2 batches recorded with drawn 1.1.0, replayed with drawn 2.1.0\n"
          "differs: batch 0 of the recording (epoch 1): the stream 'inputs' at [0, 0]: recorded 1, "
          "now 2; 8 of 32 elements differ, by 1 at most\n"
          "differs: batch 1 of the recording (epoch 1): the stream 'inputs' at [0, 0]: recorded 1, "
          "now 2; 8 of 32 elements differ, by 1 at most\n"
          "2 of 5 values differ\n");
    CHECK(result.status == 1);

    const ProcessResult near = replay(folder, "training.task", build_of_drawn("bright"),
                                      {"--tolerance", "relative=0.5,absolute=0.5"});
    CHECK(near.output.ends_with("equal: 5 values, within relative=0.5,absolute=0.5\n"));
    CHECK(near.status == 0);
    CHECK(replay(folder, "training.task", build_of_drawn("bright"), {"--tolerance", "absolute=0.9"})
              .status == 1);

    const auto json = nlohmann::json::parse(
        replay(folder, "training.task", build_of_drawn("bright"), {"--json"}).output);
    CHECK(json["is_equal"] == false);
    CHECK(json["compared"] == 5);
    CHECK(json["differing"] == 2);
    const nlohmann::json second = json["differences"][1];
    CHECK(second["repeat"] == 1);
    CHECK(second["where"] == "batch 1 of the recording (epoch 1)");
    CHECK(second["what"] == "the stream 'inputs'");
    CHECK(second["element"] == nlohmann::json({0, 0}));
    CHECK(second["recorded"] == "1");
    CHECK(second["now"] == "2");
    CHECK(second["differing"] == 8);
    CHECK(second["elements"] == 32);
    CHECK(second["largest"] == 1.0);
}

TEST_CASE("replay: a model that computes something else differs, gradients and buffers too") {
    const RecordedNet recorded;
    const ProcessResult scaled = recorded.feed("is_scaled");
    CHECK(scaled.status == 1);
    CHECK(scaled.output.starts_with(std::string(kNet) + "differs: " + kFirst +
                                    "the stream 'predictions' at [0, 0]: recorded "));
    CHECK(scaled.output.find("differs: " + std::string(kFirst) +
                             "the gradient of its parameter 'first.weight' at [0, 0]") !=
          std::string::npos);
    CHECK(recorded.feed("is_scaled", {"--tolerance", "relative=0.01,absolute=0.001"}).status == 0);

    const ProcessResult rounded = recorded.feed("rounds_in_forward");
    CHECK(rounded.status == 3);
    CHECK(rounded.errors.find("forward() changes how the host calculates (numbers are rounded in "
                              "another direction) and does not put it back") != std::string::npos);
    const ProcessResult detached = recorded.feed("is_detached");
    CHECK(detached.output ==
          std::string(kNet) + "differs: " + kFirst +
              "the gradient of the stream 'predictions': recorded Float [8, 3], now none flows "
              "through it\n"
              "differs: episode 1 (training, epoch 1, batch 1): the gradient of the stream "
              "'predictions': recorded Float [8, 3], now none flows through it\n"
              "differs: episode 2 (training, epoch 1, batch 2): the gradient of the stream "
              "'predictions': recorded Float [8, 3], now none flows through it\n"
              "3 of 13 values differ\n");
    CHECK(recorded.feed("is_nan").output.find(", now nan; 24 of 24 elements differ\n") !=
          std::string::npos);
}

TEST_CASE("replay: a build that fails or crashes does so in its own process, and names the call") {
    const RecordedNet recorded;
    const std::string error = "ptp-inspect: error: ";
    CHECK(recorded.refusal("crashes_in_forward") ==
          error + kFirst + "plugin 'mischief' 0.1.0: 'model' (Net): forward() crashed (SIGSEGV)\n");
    CHECK(recorded.refusal("crashes_in_create") ==
          error + "create(): plugin 'mischief' 0.1.0: 'model' (Net): create() crashed (SIGSEGV)\n");
    CHECK(recorded.refusal("throws_in_forward") ==
          error + kFirst +
              "'model' (Net) of plugin 'mischief' 0.1.0: forward() failed: std::runtime_error: the "
              "attic is empty\n"
              "    inputs: inputs Float [8, 4]\n"
              "    fix: check that its inputs are what it expects; if they are, report this to the "
              "author of the plugin\n");
    CHECK(recorded.refusal("hangs_in_forward", {"--time-limit", "1"}) ==
          error + kFirst +
              "plugin 'mischief' 0.1.0: 'model' (Net): forward() is not done after 1 s\n"
              "    fix: give it more time with --time-limit\n");
    CHECK(
        recorded.refusal("has_wrong_shape") ==
        error + kFirst +
            "plugin 'mischief' 0.1.0: 'model' (Net) writes [8, 2] to stream 'predictions', but its "
            "port 'predictions' is declared as [B, 3] (B = 8)\n");
}

TEST_CASE("replay: a build that the recording does not fit is refused") {
    const RecordedNet recorded;
    const std::string error = "ptp-inspect: error: ";
    const std::string fit = "it does not fit the recording: ";
    CHECK(recorded.refusal("is_wider") ==
          error + kFirst + fit + "its tensor 'first.bias' is Float [9], and was Float [8]\n");
    CHECK(recorded.refusal("loses_parameter") ==
          error + kFirst + fit + "it has no tensor 'second.bias'\n");
    CHECK(recorded.refusal("has_no_state") ==
          error +
              "before the first batch: 'model' (Net): its saved state has version 2, the component "
              "has no state\n");
    const ProcessResult other = replay(recorded.folder(), "model", build_of_drawn("first"));
    CHECK(other.status == 3);
    CHECK(other.errors == error + build_of_drawn("first") +
                              ": cannot replay Net: the plugin 'drawn' has no component of this "
                              "type; known: Drawn\n");
}

TEST_CASE("replay: files that are not what they should be are refused, with exit codes") {
    const RecordedNet recorded;
    const ExperimentFolder& folder = recorded.folder();
    const auto fed = [&](const std::string& name) {
        return replay(folder, name, build_of_mischief("none"));
    };
    const ProcessResult missing = fed("missing");
    CHECK(missing.status == 4);
    CHECK(
        without_folder(missing.errors, folder.path()) ==
        "ptp-inspect: error: FOLDER/missing.ptprec: cannot be opened: No such file or directory\n");
    std::filesystem::create_directory(folder.path() / "folder.ptprec");
    CHECK(without_folder(fed("folder").errors, folder.path()) ==
          "ptp-inspect: error: FOLDER/folder.ptprec: is a folder, not a file\n");
    std::ofstream(folder.path() / "text.ptprec") << "[training]\n";
    CHECK(
        without_folder(fed("text").errors, folder.path()) ==
        "ptp-inspect: error: FOLDER/text.ptprec: is not a recording; `ptprun record` makes one\n");
    const std::filesystem::path pipe = folder.path() / "pipe.ptprec";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(without_folder(fed("pipe").errors, folder.path()) ==
          "ptp-inspect: error: FOLDER/pipe.ptprec: is not a regular file\n");

    std::ofstream(folder.path() / "cut.ptprec", std::ios::binary)
        << folder.read("model.ptprec").substr(0, 3000);
    const ProcessResult cut = fed("cut");
    CHECK(cut.status == 4);
    const std::string cut_errors = without_folder(cut.errors, folder.path());
    CHECK(cut_errors.starts_with(
        "ptp-inspect: error: FOLDER/cut.ptprec: is cut off: its header alone has "));
    CHECK(cut_errors.ends_with(
        " bytes, the file has 3000\n    fix: copy it again, or record again\n"));

    std::string bytes = folder.read("model.ptprec");
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    std::ofstream(folder.path() / "damaged.ptprec", std::ios::binary) << bytes;
    const ProcessResult damaged = fed("damaged");
    CHECK(damaged.status == 4);
    CHECK(damaged.errors.find("damaged.ptprec: is damaged: the bytes of '") != std::string::npos);

    const ProcessResult no_plugin = replay(folder, "model", folder.run_folder("no.so"));
    CHECK(no_plugin.status == 3);
    CHECK(without_folder(no_plugin.errors, folder.path()) ==
          "ptp-inspect: error: FOLDER/no.so: cannot be opened: No such file or directory\n");
}

TEST_CASE("replay: repetitions are timed, and a difference names its repetition") {
    const RecordedNet recorded;
    const ProcessResult result = recorded.feed("none", {"--repeat", "3"});
    CHECK(result.status == 0);
    CHECK(result.output.find("equal: 93 values, bit for bit\n") != std::string::npos);
    CHECK(result.output.find("\nbackward: ") != std::string::npos);
    CHECK(result.output.find(" ms, the median of 9 calls (") != std::string::npos);
    CHECK(recorded.feed("is_nan", {"--repeat", "2"})
              .output.find("differs: repetition 1, " + std::string(kFirst)) != std::string::npos);
}

TEST_CASE("replay: a tolerance that is not one is refused") {
    const ExperimentFolder folder;
    for (const std::string text : {"1e-5", "relative=", "relative=x", "relative=-1", "absolute=nan",
                                   "absolute=1,absolute=2", "relative=1,", "largest=1"}) {
        const ProcessResult result =
            replay(folder, "model", build_of_mischief("none"), {"--tolerance", text});
        CHECK(result.status == 2);
        CHECK(result.errors ==
              "ptp-inspect: error: --tolerance " + text +
                  ": must be relative=R, absolute=A or both, such as relative=1e-5,absolute=1e-8, "
                  "with numbers from 0\n    help: ptp-inspect replay --help\n");
    }
}

}  // namespace replay_test
