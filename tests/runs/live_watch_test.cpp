// --watch: whatever happens to the file of a plugin, the run takes up what is whole, and ends well.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace live_watch_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kResidual = "swapped in recurrent 2.0.0";
constexpr const char* kWide = "swapped in recurrent 3.0.0";

// A training that is watching continues until the test ends it.
class Watched {
public:
    Watched() {
        folder_.write(with_recurrent(100000));
        plugin_ = install(folder_);
        run_.emplace(folder_, "run", std::vector<std::string>{"--watch"});
        REQUIRE(run_->wait_for_log("watching for newer builds of its plugins"));
        run_->done({"continue"});
    }

    // The training continues, and ends as it is told.
    void check_end() {
        const std::uint64_t episode = run_->episode();
        while (run_->episode() < episode + 20) {
        }
        CHECK(run_->end_with(SIGTERM) == 128 + SIGTERM);
        CHECK(status_in(folder_.path() / "run") == "stopped: SIGTERM (143)");
    }

    [[nodiscard]] const fs::path& plugin() const { return plugin_; }
    [[nodiscard]] LiveRun& run() { return *run_; }
    [[nodiscard]] const ExperimentFolder& folder() const { return folder_; }

private:
    ExperimentFolder folder_;
    fs::path plugin_;
    std::optional<LiveRun> run_;
};

}  // namespace

TEST_CASE("watch: a file that is overwritten in place is swapped in, and one after it") {
    Watched watched;
    install(watched.folder(), "residual");
    CHECK(watched.run().wait_for_log(kResidual));
    // The old build again cannot take its place, and the training continues.
    install(watched.folder(), "first");
    CHECK(watched.run().wait_for_log("cannot be swapped in (migrate)"));
    // A second copy of the build is not reported again.
    const fs::path beside = watched.plugin().string() + ".new";
    fs::copy_file(recurrent_build("first"), beside);
    fs::rename(beside, watched.plugin());
    CHECK(watched.run().wait_for_log("the build that was refused, with the same content"));
    watched.check_end();
    const std::string log = content_of(watched.folder().path() / "run" / "run.log");
    const std::size_t first = log.find("cannot be swapped in");
    CHECK(log.find("cannot be swapped in", first + 1) == std::string::npos);
}

TEST_CASE("watch: a file that is replaced is swapped in") {
    Watched watched;
    const fs::path beside = watched.plugin().string() + ".new";
    fs::copy_file(recurrent_build("wide"), beside);
    fs::rename(beside, watched.plugin());
    CHECK(watched.run().wait_for_log(kWide));
    watched.check_end();
}

TEST_CASE(
    "watch: a file that is removed, and made again in pieces, is swapped in when it is whole") {
    Watched watched;
    fs::remove(watched.plugin());
    const std::string bytes = content_of(recurrent_build("residual"));
    const std::uint64_t episode = watched.run().episode();
    while (watched.run().episode() < episode + 20) {
    }
    {
        std::ofstream out(watched.plugin(), std::ios::binary);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size() / 2));
        out.flush();
        const std::uint64_t halfway = watched.run().episode();
        while (watched.run().episode() < halfway + 20) {
        }
        CHECK(content_of(watched.folder().path() / "run" / "run.log").find(kResidual) ==
              std::string::npos);
        out.write(bytes.data() + bytes.size() / 2,
                  static_cast<std::streamsize>(bytes.size() - bytes.size() / 2));
    }
    CHECK(watched.run().wait_for_log(kResidual));
    watched.check_end();
}

TEST_CASE("watch: a file that is replaced while the training is paused is swapped in") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run", {"--watch"});
    install(folder, "residual");
    CHECK(run.wait_for_log(kResidual));
    CHECK(run.episode() == 0);
    run.finish();
}

TEST_CASE("watch: the same build once more is not swapped, and nothing is disturbed") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run", {"--watch"});
    install(folder);
    run.go_on_for(20);
    run.finish();
    CHECK_FALSE(folder.has("run/journal.jsonl"));
    check_replayed(folder);
}

}  // namespace live_watch_test
