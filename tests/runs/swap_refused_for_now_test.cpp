// A swap that cannot be done now, but when the epoch has ended.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace swap_refused_for_now_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr int kEpisodesPerEpoch = 6;

// The plugin's file, which is this build of it now.
std::string install_shy(const ExperimentFolder& folder, const std::string& version) {
    const fs::path file = folder.path() / "installed" / "shy.so";
    fs::create_directories(file.parent_path());
    fs::copy_file(ptp::test::build_dir() / "tests/runs/builds/shy" / ("shy_" + version + ".so"),
                  file, fs::copy_options::overwrite_existing);
    return file.string();
}

void write_experiment(const ExperimentFolder& folder) {
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = 4 }\n",
                  .pipeline = "[pipeline.shy]\ntype = \"Shy\"\n",
                  .has_validation = false});
}

const std::string kRefusal =
    "FOLDER/installed/shy.so: cannot be swapped in now (migrate): FOLDER/experiment.toml:25:1: "
    "'shy' (Shy): is counting; it gives its state between two epochs\n    the training continues "
    "with the running build, and this one is ";

}  // namespace

TEST_CASE("watch: a build that is refused for now is swapped in when the epoch has ended") {
    const ExperimentFolder folder;
    write_experiment(folder);
    install_shy(folder, "1");
    LiveRun run(folder, "run", {"--watch"});
    run.go_on_for(kEpisodesPerEpoch + 2);
    install_shy(folder, "2");
    REQUIRE(run.wait_for_log("cannot be swapped in now"));
    run.finish();

    const std::string log = without_folder(log_of(folder, "run"), folder.path());
    CHECK(log.find(kRefusal + "tried again at the end of the epoch\n") != std::string::npos);
    const auto again = log.find("FOLDER/installed/shy.so: tried again\n");
    const auto swapped = log.find("swapped in shy 2.0.0 before episode 12: ");
    CHECK(again != std::string::npos);
    CHECK(swapped != std::string::npos);
    CHECK(again < swapped);
    const auto entry = nlohmann::json::parse(folder.read("run/journal.jsonl"));
    CHECK(entry["command"] == "swap");
    CHECK(entry["episode"] == 2 * kEpisodesPerEpoch);

    check_replayed(folder);
}

TEST_CASE("watch: a kill after a build was tried again leaves the bits of the run that went on") {
    const ExperimentFolder folder;
    write_experiment(folder);
    const auto refused_run = [&](const std::string& name) {
        install_shy(folder, "1");
        auto run = std::make_unique<LiveRun>(folder, name, std::vector<std::string>{"--watch"});
        run->go_on_for(kEpisodesPerEpoch + 2);
        install_shy(folder, "2");
        REQUIRE(run->wait_for_log("cannot be swapped in now"));
        return run;
    };
    {
        const auto whole = refused_run("whole");
        whole->done({"continue"});
        REQUIRE(whole->end_with(0) == 0);
    }
    const auto run = refused_run("run");
    SUBCASE("it is in the journal, and is done again") {
        run->go_on_for(kEpisodesPerEpoch);  // 2 after the swap, and no checkpoint since
        REQUIRE(run->end_with(SIGKILL) == 128 + SIGKILL);
        REQUIRE(log_of(folder, "run").find("swapped in shy 2.0.0 before episode 12: ") !=
                std::string::npos);
        REQUIRE(ptp::test::ptprun({"resume", folder.run_folder("run")}).status == 0);
        check_same_bits(folder, "whole", "run");
    }
    SUBCASE("between the refusal and the next epoch it is not, and a watch takes it up again") {
        REQUIRE(run->end_with(SIGKILL) == 128 + SIGKILL);
        REQUIRE_FALSE(folder.has("run/journal.jsonl"));
        LiveRun resumed = LiveRun::resume(folder, "run", {"--watch"});
        REQUIRE(resumed.wait_for_log("swapped in shy 2.0.0 before episode 6: "));
        resumed.finish();
    }
    SUBCASE("and without a watch the run continues with the build that it has") {
        REQUIRE(run->end_with(SIGKILL) == 128 + SIGKILL);
        REQUIRE(ptp::test::ptprun({"resume", folder.run_folder("run")}).status == 0);
        CHECK_FALSE(folder.has("run/journal.jsonl"));
    }
    check_replayed(folder);
}

TEST_CASE("swap: the reply to a swap that is refused for now advises to ask again") {
    const ExperimentFolder folder;
    write_experiment(folder);
    install_shy(folder, "1");
    LiveRun run(folder, "run");
    run.go_on_for(2);
    const std::string file = install_shy(folder, "2");
    const auto refused = run.swap({file});
    CHECK(refused.status == 3);
    CHECK(without_folder(refused.errors, folder.path()) ==
          "ptprun: error: " + kRefusal +
              "not tried again by itself\n    fix: ask again at the end of the epoch\n");
    run.go_on_for(kEpisodesPerEpoch - 2);
    const auto swapped = run.swap({file});
    CHECK(swapped.errors == "");
    CHECK(without_numbers(swapped.output).starts_with("swapped in shy N before episode N: "));
    run.finish();
}

}  // namespace swap_refused_for_now_test
