// A swap in a training in several processes is made by all of them, before the same episode, or by
// none; whatever is killed, and when.

#include "runs/live_run.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/write_failures.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>

namespace ranks_swap_test {

using namespace ptp::test;

namespace {

constexpr const char* kSwapped = "swapped in recurrent 2.0.0 before episode 7: ";

ProcessResult resume_in_two(const ExperimentFolder& folder) {
    return ptprun({"resume", folder.run_folder("run"), "--nproc", "2"});
}

// The process of rank 0 is killed when it puts a swap into the journal, "before" or "after" that:
// all have agreed to it, and none has made it. The folder has the journal afterwards.
void kill_between_phases(const ExperimentFolder& folder, const std::string& when) {
    folder.write(with_recurrent(3));
    install(folder);
    std::map<std::string, std::string> environment =
        ptp::test::refusing({.files = "*/journal.jsonl"});
    environment["PTP_TEST_KILL"] = when;
    LiveRun run(folder, "run", {"--nproc", "2"}, environment);
    run.go_on_for(7);
    CHECK(run.swap({recurrent_build("residual").string()}).status != 0);
    CHECK(run.end_with(0) == 137);
    CHECK_FALSE(has(folder.read("run/ranks/1.log"), kSwapped));
}

}  // namespace

TEST_CASE("ranks: a swap is made by all processes, with the same bits, and each draws its own") {
    const ExperimentFolder folder(with_recurrent(3));
    install(folder);
    for (const char* const name : {"run", "again"}) {
        LiveRun run(folder, name, {"--nproc", "2"});
        run.go_on_for(7);
        CHECK(run.swap({recurrent_build("residual").string(), "--dry-run"}).status == 0);
        CHECK(run.swap({recurrent_build("residual").string()}).status == 0);
        run.finish();
        CHECK(has(folder.read(std::string(name) + "/run.log"), kSwapped));
        CHECK(has(folder.read(std::string(name) + "/ranks/1.log"), kSwapped));
    }
    check_same_bits(folder, "run", "again");
    const std::string state = folder.read("run/checkpoints/last/training.safetensors");
    CHECK(tensor_in(state, "generators/encoder/0") !=
          tensor_in(state, "ranks/1/generators/encoder/0"));
}

TEST_CASE("ranks: where one process cannot swap none does, and the training continues") {
    const ExperimentFolder folder(ptp::test::with_ranked(""));
    std::filesystem::create_directories(folder.path() / "installed");
    std::filesystem::copy_file(ptp::test::ranked_build("plain"),
                               folder.path() / "installed" / "ranked.so");
    LiveRun run(folder, "run", {"--nproc", "2"});
    run.go_on_for(5);
    const std::string build = ptp::test::ranked_build("objecting").string();
    const ProcessResult refused = run.swap({build});
    CHECK(refused.status == 3);
    CHECK(ptp::test::comparable(folder, refused.errors) ==
          "ptprun: error: " + build +
              ": cannot be swapped in (commit): rank 1 of 2 on HOST refuses it (create): "
              "FOLDER/experiment.toml:28:1: 'ranked' (Ranked): not in rank 1\n"
              "    the training continues with the running build\n");
    run.finish();
    CHECK_FALSE(folder.has("run/journal.jsonl"));
}

TEST_CASE("ranks: killed before the journal has it, a swap is in no process after a restart") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    kill_between_phases(folder, "before");
    CHECK(resume_in_two(folder).status == 0);
    CHECK_FALSE(has(folder.read("run/run.log"), kSwapped));
    CHECK_FALSE(has(folder.read("run/ranks/1.log"), kSwapped));
}

TEST_CASE("ranks: killed after the journal has it, a swap is in all processes after a restart") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    kill_between_phases(folder, "after");
    CHECK(resume_in_two(folder).status == 0);
    CHECK(has(folder.read("run/run.log"), kSwapped));
    CHECK(has(folder.read("run/ranks/1.log"), kSwapped));
}

// The process that puts the swap into the journal is alive, so that it is there in both cases, and
// may even be made and reported before the loss of the other one is noticed.
TEST_CASE("ranks: where another process is killed in a swap, all have it after a restart") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    for (const char* const when : {"before", "after"}) {
        CAPTURE(when);
        const ExperimentFolder folder(with_recurrent(3));
        install(folder);
        std::map<std::string, std::string> environment =
            ptp::test::refusing({.files = "*/journal.jsonl"});
        environment["PTP_TEST_KILL"] = when;
        environment["PTP_TEST_KILL_RANK"] = "1";
        LiveRun run(folder, "run", {"--nproc", "2"}, environment);
        run.go_on_for(7);
        static_cast<void>(run.swap({recurrent_build("residual").string()}));
        CHECK(run.end_with(0) == 137);
        CHECK_FALSE(has(folder.read("run/ranks/1.log"), kSwapped));
        CHECK(resume_in_two(folder).status == 0);
        CHECK(has(folder.read("run/run.log"), kSwapped));
        CHECK(has(folder.read("run/ranks/1.log"), kSwapped));
    }
}

}  // namespace ranks_swap_test
