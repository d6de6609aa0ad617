// The walk-through of docs/hot-swap.md: its code is taken out of the text, built, and swapped.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace walk_through_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

// That of the text, but for the data.
std::string experiment(const fs::path& data) {
    return R"(
name = "small_net"
seed = 1

[training]
optimizer = { type = "Adam", lr = 0.0005 }
terminal_conditions = { epoch_limit = 12 }

[training.task]
type = "FashionMNIST"
batch_size = 8
resize_image = [28, 28]
data_folder = ")" +
           data.string() + R"("

[pipeline.net]
type = "SmallNet"

[pipeline.loss]
type = "NLLLoss"
)";
}

fs::path small_net(const std::string& build) {
    return build_dir() / "tests/runs/builds" / build / ("small_net_" + build + ".so");
}

void build(const ExperimentFolder& folder, const std::string& build) {
    fs::create_directories(folder.path() / "installed");
    fs::copy_file(small_net(build), folder.path() / "installed" / "small_net.so",
                  fs::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("walk-through: its three builds are taken up as its text says") {
    const ExperimentFolder folder;
    std::ofstream(folder.path() / "experiment.toml") << experiment(folder.path() / "data");
    build(folder, "first");
    LiveRun run(folder, "run", {"--watch"});
    run.go_on_for(7);
    build(folder, "residual");
    REQUIRE(run.wait_for_log("swapped in small_net 1.1.0"));
    run.go_on_for(7);
    build(folder, "wide");
    REQUIRE(run.wait_for_log("swapped in small_net 2.0.0"));
    run.finish();
    const std::string log = without_numbers(log_of(folder, "run"));
    CHECK(log.find("swapped in small_net N before episode N: inspect N ms, load N ms, rehearse N "
                   "ms, create N ms, migrate N ms, commit N ms\n"
                   "  'net' (SmallNet): 'branch.weight' [N, N] is new\n"
                   "  'net' (SmallNet): 'branch.bias' [N] is new\n") != std::string::npos);
    CHECK(log.find("  'net' (SmallNet): 'first.weight' was [N, N], is [N, N]\n"
                   "  'net' (SmallNet): 'first.bias' was [N], is [N]\n"
                   "  'net' (SmallNet): 'second.weight' was [N, N], is [N, N]\n"
                   "  'net' (SmallNet): 'branch.weight' was [N, N], is [N, N]\n"
                   "  'net' (SmallNet): 'branch.bias' was [N], is [N]\n") != std::string::npos);
}

}  // namespace walk_through_test
