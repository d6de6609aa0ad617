// What a process leaves that is killed while it records.

#include "runs/recorded.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace unfinished_test {

namespace fs = std::filesystem;
using namespace ptp::test;

namespace {

std::string model_file() {
    return (ptp::test::build_dir() / "lib/ptp/plugins/general_models.so").string();
}

// With the statistic that kills the process in episode 3, or without it.
void write_killed(const ExperimentFolder& folder, const std::string& more,
                  const std::string& hidden_sizes = "[]") {
    std::ofstream(folder.path() / "experiment.toml")
        << "seed = 2\n[training]\noptimizer = { type = \"SGD\", lr = 0.001 }\n"
           "terminal_conditions = { episode_limit = 6 }\n"
           "task = { type = \"Flows\", batch_size = 4 }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
        << "hidden_sizes = " << hidden_sizes
        << "\n"
           "globals = { prediction_size = \"num_classes\" }\n[pipeline.nll]\ntype = \"NLLLoss\"\n"
        << more;
}

std::string flows_folder() {
    return (ptp::test::build_dir() / "tests/runs/builds/flows_first").string();
}

ProcessResult record_flows(const ExperimentFolder& folder, int batches = 100) {
    return record(folder, "net", batches, {"--plugins", flows_folder()});
}

// More than a megabyte of gradients in each batch.
constexpr const char* kWide = "[60000]";

}  // namespace

TEST_CASE("unfinished: what was complete before a kill -9 is there, and is replayed") {
    const ExperimentFolder folder;
    write_killed(folder, "[pipeline.ends]\ntype = \"Ends\"\n");
    CHECK(record_flows(folder).status != 0);
    REQUIRE_FALSE(folder.has("net.ptprec"));
    REQUIRE(folder.has("net.ptprec.unfinished"));

    const ProcessResult finished = replay(folder, "net", model_file());
    CHECK(finished.status == 4);
    CHECK(without_folder(finished.errors, folder.path()) ==
          "ptp-inspect: error: FOLDER/net.ptprec: is not there: its recording was not finished\n"
          "    fix: replay FOLDER/net.ptprec.unfinished, which has the batches that were "
          "complete\n");

    fs::copy(folder.path() / "net.ptprec.unfinished", folder.path() / "left.ptprec");
    const ProcessResult left = replay(folder, "left", model_file());
    require_success(left);
    // Of each batch the output and the gradients of weight and bias.
    CHECK(left.output.ends_with(
        "\nunfinished: the process that recorded it ended when 3 of 100 batches were complete; of "
        "the one that had begun its inputs are there\nequal: 9 values, bit for bit\n"));
    const auto json =
        nlohmann::json::parse(replay(folder, "left", model_file(), {"--json"}).output);
    CHECK(json["batches"] == 3);
    CHECK(json["unfinished"] ==
          "the process that recorded it ended when 3 of 100 batches were complete; of the one that "
          "had begun its inputs are there");

    write_killed(folder, "");
    fs::remove_all(folder.path() / "record_net");
    CHECK(record_flows(folder).status == 0);
    CHECK(folder.has("net.ptprec"));
    CHECK_FALSE(folder.has("net.ptprec.unfinished"));
}

TEST_CASE("unfinished: where it cannot be written the training continues, and is warned of") {
    const ExperimentFolder folder;
    write_killed(folder, "");
    fs::create_directories(folder.path() / "net.ptprec.unfinished/full");
    const ProcessResult result = record_flows(folder);
    CHECK(result.status == 0);
    CHECK(without_folder(folder.read("record_net/run.log"), folder.path())
              .find("if this process ends early, what it has recorded is lost: cannot write "
                    "FOLDER/net.ptprec.unfinished: File exists\n") != std::string::npos);
    CHECK(replay(folder, "net", model_file()).status == 0);
}

TEST_CASE("unfinished: when the recording is there, which other programs read, it is removed") {
    const ExperimentFolder folder;
    write_killed(folder, "", kWide);
    require_success(record_flows(folder, 6));
    CHECK_FALSE(folder.has("net.ptprec.unfinished"));
    const ProcessResult replayed = replay(folder, "net", model_file());
    CHECK(replayed.errors == "");
    CHECK(replayed.output.ends_with("\nequal: 30 values, bit for bit\n"));
    const std::string script =
        (ptp::test::source_dir() / "tests/runs/read_safetensors.py").string();
    if (std::system("python3 -c 'print(1)' >/dev/null 2>&1") != 0) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const std::string file = (folder.path() / "net.ptprec").string();
    CHECK(std::system(("python3 " + script + " " + file + " >" + file + ".txt").c_str()) == 0);
    CHECK(
        folder.read("net.ptprec.txt").find("5/gradient/parameter/layers.0.weight F32 [60000, 2]") !=
        std::string::npos);
}

TEST_CASE("unfinished: a recording that has no room on the disk names the file that is left") {
    const ExperimentFolder folder;
    write_killed(folder, "", kWide);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("the limit is not tried with a sanitizer: the copy of a plugin is larger");
    return;
#endif
    constexpr std::uint64_t kLimit = std::uint64_t{4} << 20U;  // a plugin's copy has less
    const ProcessResult result = ptp::test::run_program(
        "ptprun",
        {"record", (folder.path() / "experiment.toml").string(), "--component", "net", "-o",
         (folder.path() / "net.ptprec").string(), "--episodes", "6", "--run-dir",
         folder.run_folder("limited"), "--plugins", flows_folder()},
        {{"OMP_NUM_THREADS", "1"}}, {{RLIMIT_FSIZE, kLimit}});
    CHECK(result.status == 5);
    CHECK(without_folder(result.errors, folder.path()) ==
          "warning: if this process ends early, what it records from here on is lost: cannot write "
          "FOLDER/net.ptprec.unfinished: File too large\n"
          "ptprun: error: cannot write FOLDER/net.ptprec.part: File too large\n"
          "    fix: make room and record again; FOLDER/net.ptprec.unfinished has the batches that "
          "were written before, and ptp-inspect replay reads it\n");
    CHECK_FALSE(folder.has("net.ptprec"));
    CHECK_FALSE(folder.has("net.ptprec.part"));
    fs::copy(folder.path() / "net.ptprec.unfinished", folder.path() / "left.ptprec");
    const ProcessResult left = replay(folder, "left", model_file());
    require_success(left);
    CHECK(left.output.find("batches were complete") != std::string::npos);
}

}  // namespace unfinished_test
