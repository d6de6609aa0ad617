// Sweeps whose runs several ptprun share.

#include "run/process.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace shared_sweep_test {

namespace {

using namespace ptp::test;

constexpr const char* kShort =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 1 }\n";

std::string claim_of(const ptp::run::ProcessNote& process) {
    return nlohmann::json{{"format", 1},
                          {"pid", process.pid},
                          {"host", process.host},
                          {"boot", process.boot},
                          {"process_began", *process.began}}
        .dump();
}

// As of a process that has been there.
ptp::run::ProcessNote gone_process() {
    ptp::run::ProcessNote process = ptp::run::this_process();
    process.pid = fork();
    if (process.pid == 0) {
        _exit(0);
    }
    waitpid(static_cast<pid_t>(process.pid), nullptr, 0);
    return process;
}

std::string state_in(const ExperimentFolder& folder, const std::string& run) {
    return ptp::test::status_in(folder.path() / run);
}

constexpr const char* kDone = "done: epoch limit of 1 reached (0)";

}  // namespace

TEST_CASE("shared sweep: two with one command line train each run once") {
    const ExperimentFolder folder;
    const std::string file =
        folder.write({.training = kShort, .has_validation = false, .has_test = false}).string();
    const std::vector<std::string> words = {file,        "--set",     "seed=1,2,3",
                                            "--share",   "--run-dir", folder.run_folder("sweep"),
                                            "--verbose", "--tag",     "shared"};
    TrainingProcess first(words);
    TrainingProcess second(words);
    CHECK(first.end_with(0) == 0);
    CHECK(second.end_with(0) == 0);
    for (const char* run : {"sweep/1_seed=1", "sweep/2_seed=2", "sweep/3_seed=3"}) {
        CAPTURE(run);
        CHECK(state_in(folder, run) == kDone);
        CHECK(folder.has(std::string(run) + ".claim"));
        CHECK_FALSE(folder.has(std::string(run) + ".claim.2"));
        const auto record = nlohmann::json::parse(folder.read(std::string(run) + "/run.json"));
        CHECK(record["processes"].size() == 1);
    }
}

TEST_CASE("shared sweep: what a process that is gone has claimed is trained, and no other's") {
    const ExperimentFolder folder({.training = kShort, .has_validation = false, .has_test = false});
    const std::vector<std::string> options = {"--set", "seed=1,2", "--share"};
    REQUIRE(folder.run("before", options).status == 0);
    const std::string description = folder.read("before/sweep.json");
    const auto write = [&](const char* name, const std::string& text) {
        std::filesystem::create_directories(folder.path() / "sweep");
        std::ofstream(folder.path() / "sweep" / name) << text;
    };
    write("sweep.json", description);
    write("1_seed=1.claim", claim_of(gone_process()));
    write("2_seed=2.claim", claim_of(ptp::run::this_process()));
    const ProcessResult said = folder.run("sweep", options);
    require_success(said);
    CHECK(said.output.find("[1/2] seed=1: begins\n") != std::string::npos);
    CHECK(said.output.ends_with("1 of 2 runs are with other processes\n"));
    CHECK(folder.has("sweep/1_seed=1.claim.2"));
    CHECK(state_in(folder, "sweep/1_seed=1") == kDone);
    CHECK_FALSE(folder.has("sweep/2_seed=2"));
}

TEST_CASE("shared sweep: the same command again keeps what is done, and resumes what is not") {
    const ExperimentFolder folder({.training = kShort, .has_validation = false, .has_test = false});
    const std::vector<std::string> options = {"--set", "seed=1,2", "--share"};
    REQUIRE(folder.run("sweep", options).status == 0);
    auto status = nlohmann::json::parse(folder.read("sweep/2_seed=2/status.json"));
    status["state"] = "stopped";
    std::ofstream(folder.path() / "sweep/2_seed=2/status.json") << status;
    const ProcessResult said = folder.run("sweep", options);
    require_success(said);
    CHECK(said.output.find("[1/2]") == std::string::npos);
    CHECK(said.output.find("[2/2] seed=2: done") != std::string::npos);
    const auto record = nlohmann::json::parse(folder.read("sweep/2_seed=2/run.json"));
    REQUIRE(record["processes"].size() == 2);
    CHECK(record["processes"][1]["command_line"][1] == "resume");
}

}  // namespace shared_sweep_test
