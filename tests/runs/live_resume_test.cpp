// A run that was changed while it ran, and was killed, continues with all that was done to it.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace live_resume_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

// Learning rates, a validation and two exchanges, at several episodes; the last of them after the
// last checkpoint. Then the process is killed.
void change_and_kill(const ExperimentFolder& folder, const std::string& name) {
    folder.write(with_recurrent(20));
    install(folder);
    LiveRun run(folder, name);
    run.go_on_for(7);
    run.done({"learning-rate", "0.03"});
    REQUIRE(run.swap({recurrent_build("residual").string()}).status == 0);
    run.go_on_for(8);
    run.done({"validate"});
    REQUIRE(run.swap({recurrent_build("wide").string()}).status == 0);
    run.done({"learning-rate", "0.002", "--group", "net"});
    run.go_on_for(2);
    REQUIRE(run.end_with(SIGKILL) == 128 + SIGKILL);
}

ProcessResult resume(const ExperimentFolder& folder, const std::string& name,
                     std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"resume", folder.run_folder(name)});
    return ptprun(options);
}

fs::path copy_of(const ExperimentFolder& folder, const std::string& name,
                 const std::string& plugin) {
    for (const auto& entry : fs::directory_iterator(folder.path() / name / "plugins")) {
        if (entry.path().filename().string().starts_with(plugin + ".")) {
            return entry.path();
        }
    }
    return {};
}

}  // namespace

TEST_CASE("resume: a killed run does again what was done to it since its last checkpoint") {
    const ExperimentFolder folder;
    change_and_kill(folder, "run");
    const ProcessResult resumed = resume(folder, "run");
    CHECK(resumed.status == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 20 reached (0)");
    check_replayed(folder);
}

TEST_CASE("resume: a killed run without a checkpoint does again what was done to it") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run");
        run.go_on_for(3);  // of the 6 before the first checkpoint
        run.done({"learning-rate", "0.03"});
        REQUIRE(run.swap({recurrent_build("residual").string()}).status == 0);
        REQUIRE(run.end_with(SIGKILL) == 128 + SIGKILL);
    }
    REQUIRE(resume(folder, "run").status == 0);
    check_replayed(folder);
}

TEST_CASE("resume: a copy of a plugin that was changed or removed is refused") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run");
        run.go_on_for(8);
        REQUIRE(run.end_with(SIGTERM) == 128 + SIGTERM);
    }
    const fs::path copy = copy_of(folder, "run", "recurrent");
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(copy, std::ios::app) << "more";
    const ProcessResult refused = resume(folder, "run");
    CHECK(refused.output == "");
    CHECK(without_hashes(refused.errors, folder.path()) ==
          "FOLDER/run/plugins/recurrent.3.HASH.so: error: has changed since the run used it: its "
          "SHA-256 "
          "begins with HASH, plugins.lock has HASH; --plugins continues with another build\n");
    CHECK(refused.status == 3);

    fs::remove(copy);
    const ProcessResult missing = resume(folder, "run");
    CHECK(missing.output == "");
    CHECK(without_hashes(missing.errors, folder.path()) ==
          "ptprun: error: FOLDER/run/plugins: recurrent.3.HASH.so is missing: it is the build that "
          "the run has used\n    fix: --plugins FOLDER/installed\n");
    CHECK(missing.status == 3);
    CHECK(resume(folder, "run", with_installed(folder)).status == 0);
}

TEST_CASE("resume: a changed copy of a plugin that the journal swaps in is refused") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run");
        run.go_on_for(3);  // of the 6 before the first checkpoint
        REQUIRE(run.swap({recurrent_build("residual").string()}).status == 0);
        REQUIRE(run.end_with(SIGKILL) == 128 + SIGKILL);
    }
    const fs::path copy = copy_of(folder, "run", "recurrent_residual");
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(copy, std::ios::app) << "more";
    const ProcessResult refused = resume(folder, "run");
    CHECK(
        without_hashes(refused.errors, folder.path()) ==
        "warning: the run has no checkpoint: it begins again with its first episode, and its tables are replaced\n"
        "ptprun: error: the swap of the journal cannot be done again: "
        "FOLDER/run/plugins/recurrent_residual.1.HASH.so: cannot be swapped in (stage): has "
        "changed since the run used it: its "
        "SHA-256 begins with HASH, the journal has HASH\n    fix: put the file back that the run used\n");
    CHECK(refused.status == 3);
}

TEST_CASE("resume: --plugins continues with another build") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run");
        run.go_on_for(8);
        REQUIRE(run.end_with(SIGTERM) == 128 + SIGTERM);
    }
    install(folder, "forgetful");
    require_success(resume(folder, "run", with_installed(folder)));
    const std::string lock = without_numbers(folder.read("run/plugins.lock"));
    CHECK(lock.find("version = \"N\"") != std::string::npos);
    CHECK(folder.read("run/plugins.lock").find("version = \"1.0.1\"") != std::string::npos);
    CHECK(folder.read("run/checkpoints/last/checkpoint.toml")
              .find("name = \"recurrent\"\nversion = \"1.0.1\"") != std::string::npos);
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    CHECK(losses(folder, "run").back() != losses(folder, "plain").back());
}

}  // namespace live_resume_test
