// The content of a file decides whether it is another build.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

namespace swap_once_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kSwapped = "swapped in recurrent 1.0.0";

// Beyond what is loaded.
void append(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::app) << text;
}

auto swaps_in(const std::string& journal) {
    return std::ranges::count(journal, '\n');
}

}  // namespace

TEST_CASE("swap: one build that is asked for several times at once is swapped in once") {
    const ExperimentFolder folder(with_recurrent(20));
    const fs::path build = folder.path() / "recurrent.so";
    fs::copy_file(install(folder), build);
    append(build, "another build");
    LiveRun run(folder, "run");
    run.go_on_for(3);
    std::vector<std::future<ptp::test::ProcessResult>> asked;
    for (int i = 0; i < 4; ++i) {
        asked.push_back(std::async(std::launch::async, [&] { return run.swap({build.string()}); }));
    }
    std::vector<std::string> replies;
    for (auto& reply : asked) {
        const ptp::test::ProcessResult result = reply.get();
        require_success(result);
        replies.push_back(result.output);
    }
    CHECK(std::ranges::count_if(
              replies, [](const std::string& reply) { return reply.starts_with(kSwapped); }) == 1);
    CHECK(std::ranges::count(replies, "unchanged: what is active was built from the same file\n") ==
          3);
    run.finish();
    CHECK(swaps_in(folder.read("run/journal.jsonl")) == 1);
}

TEST_CASE("swap: the facts of the model are written again for the new build") {
    const ExperimentFolder folder(with_recurrent(20));
    const fs::path build = folder.path() / "recurrent.so";
    fs::copy_file(install(folder), build);
    append(build, "another build");
    LiveRun run(folder, "run");
    run.go_on_for(3);
    REQUIRE(fs::remove(folder.path() / "run/model.json"));
    run.go_on_for(1);
    CHECK(!folder.has("run/model.json"));
    CHECK(run.swap({build.string()}).status == 0);
    run.finish();
    CHECK(folder.has("run/model.json"));
}

TEST_CASE(
    "watch: a file that is touched is no other build, one that goes back to older content is") {
    const ExperimentFolder folder(with_recurrent(100000));
    const fs::path file = install(folder);
    LiveRun run(folder, "run", {"--watch"});
    run.done({"continue"});
    append(file, "another build");
    REQUIRE(run.wait_for_log(kSwapped));
    fs::last_write_time(file, fs::file_time_type::clock::now());
    const std::uint64_t touched = run.episode();
    while (run.episode() < touched + 200) {
    }
    install(folder);
    REQUIRE(run.wait_for_log(kSwapped, 2));
    const std::uint64_t episode = run.episode();
    while (run.episode() < episode + 20) {
    }
    CHECK(run.end_with(SIGTERM) == 128 + SIGTERM);
    CHECK(swaps_in(folder.read("run/journal.jsonl")) == 2);
}

}  // namespace swap_once_test
