// A plugin that is built anew just when a run begins: after the experiment was checked, and after
// the plugin was loaded.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace plugin_changes_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

using Environment = std::map<std::string, std::string>;

bool can_preload() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: with a sanitizer no other library can stand before the program's own");
    return false;
#else
    return true;
#endif
}

// The installed plugin becomes a copy of this file at that moment.
Environment replaced(const ExperimentFolder& folder, const fs::path& by, const std::string& at) {
    const fs::path next = folder.path() / "next.so";
    fs::copy_file(by, next, fs::copy_options::overwrite_existing);
    return {{"LD_PRELOAD", (build_dir() / "tests/replace_once.so").string()},
            {"PTP_TEST_REPLACE", (folder.path() / "installed/recurrent.so").string()},
            {"PTP_TEST_REPLACE_BY", next.string()},
            {"PTP_TEST_REPLACE_AT", at},
            {"OMP_NUM_THREADS", "1"}};
}

// The file changes when the run's folder is made: the experiment was checked before.
ProcessResult run_changed(const ExperimentFolder& folder, const std::string& name,
                          const fs::path& by) {
    return ptp::test::run_program(
        "ptprun",
        with_installed(folder, {(folder.path() / "experiment.toml").string(), "--run-dir",
                                folder.run_folder(name), "--quiet"}),
        replaced(folder, by, "mkdir"));
}

// For the programs that are started as long as it lives.
class ForChildren {
public:
    explicit ForChildren(const Environment& variables) : variables_(variables) {
        for (const auto& [name, value] : variables_) {
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~ForChildren() {
        for (const auto& [name, value] : variables_) {
            unsetenv(name.c_str());
        }
    }
    ForChildren(const ForChildren&) = delete;
    ForChildren& operator=(const ForChildren&) = delete;

private:
    Environment variables_;
};

}  // namespace

TEST_CASE("plugin changes: a run begins with the build that has come since the check") {
    if (!can_preload()) {
        return;
    }
    const ExperimentFolder folder(with_recurrent(2));
    const fs::path file = install(folder);
    const ProcessResult result = run_changed(folder, "run", recurrent_build("residual"));
    CHECK(ptp::test::without_warnings(result.errors, "has changed since it was found") == "");
    REQUIRE(result.status == 0);
    CHECK(
        without_folder(log_of(folder, "run"), folder.path())
            .find("FOLDER/installed/recurrent.so: has changed since it was found; the run has the "
                  "newer build\n") != std::string::npos);
    const std::string lock = folder.read("run/plugins.lock");
    CHECK(lock.find("[[plugins.recurrent]]\ngeneration = 1\nversion = \"2.0.0\"\n") !=
          std::string::npos);
    CHECK(lock.find("source = \"" + file.string() + "\"\n") != std::string::npos);

    install(folder, "residual");
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    check_same_bits(folder, "plain", "run");
    check_replayed(folder);
}

TEST_CASE("plugin changes: one that the experiment does not fit any more is refused") {
    if (!can_preload()) {
        return;
    }
    const ExperimentFolder folder(with_recurrent(2));
    install(folder);
    const ProcessResult result =
        run_changed(folder, "run", build_dir() / "tests/runs/builds/shy/shy_1.so");
    const std::string errors =
        ptp::test::without_excerpts(without_folder(result.errors, folder.path()));
    CHECK(
        errors.starts_with("ptprun: error: FOLDER/installed/recurrent.so: has changed since it was "
                           "found, and the experiment does not fit it any more\n"));
    CHECK(errors.find("no plugin has such a component") != std::string::npos);
    CHECK(result.status == 2);
    CHECK_FALSE(folder.has("run/experiment.toml"));
}

TEST_CASE(
    "watch: a build that comes between the loading of its plugin and the watch is not missed") {
    if (!can_preload()) {
        return;
    }
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    const ForChildren preloaded(replaced(folder, recurrent_build("residual"), "listen"));
    LiveRun run(folder, "run", {"--watch"});
    REQUIRE(run.wait_for_log("swapped in recurrent 2.0.0 before episode 0"));
    run.finish();
    CHECK(without_folder(log_of(folder, "run"), folder.path())
              .find("FOLDER/installed/recurrent.so: other builds than the run has copied\n") !=
          std::string::npos);
}

TEST_CASE(
    "watch: a run that continues takes the build that came while it rested, and no older one") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run", {"--watch"});
        run.go_on_for(8);
        REQUIRE(run.end_with(SIGTERM) == 128 + SIGTERM);
    }
    SUBCASE("a newer build of the file") {
        install(folder, "residual");
        LiveRun run = LiveRun::resume(folder, "run", {"--watch"});
        CHECK(run.wait_for_log("swapped in recurrent 2.0.0 before episode 8"));
        run.finish();
    }
    SUBCASE("the file is as the run has copied it, and the active build is from elsewhere") {
        {
            LiveRun run = LiveRun::resume(folder, "run");
            REQUIRE(run.swap({recurrent_build("residual").string()}).status == 0);
            run.go_on_for(2);
            REQUIRE(run.end_with(SIGTERM) == 128 + SIGTERM);
        }
        LiveRun run = LiveRun::resume(folder, "run", {"--watch"});
        run.go_on_for(2);
        run.finish();
        CHECK(log_of(folder, "run").find("other builds than the run has copied") ==
              std::string::npos);
        CHECK(log_of(folder, "run").find("swapped in recurrent 1.0.0") == std::string::npos);
    }
    check_replayed(folder);
}

TEST_CASE("watch: --plugins of a resume names the files that are watched") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    {
        LiveRun run(folder, "run");
        run.go_on_for(8);
        REQUIRE(run.end_with(SIGTERM) == 128 + SIGTERM);
    }
    const fs::path other = folder.path() / "other";
    fs::create_directory(other);
    fs::copy_file(recurrent_build("first"), other / "recurrent.so");
    LiveRun run = LiveRun::resume(folder, "run", {"--watch", "--plugins", other.string()});
    fs::copy_file(recurrent_build("residual"), other / "recurrent.so",
                  fs::copy_options::overwrite_existing);
    CHECK(run.wait_for_log("swapped in recurrent 2.0.0 before episode 8"));
    run.finish();
}

}  // namespace plugin_changes_test
