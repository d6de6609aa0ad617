// Plugins as they were built for earlier versions of the ABI, kept as binaries: every later host
// must run them. README.md beside them says how each was built.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace kept_plugin_test {

namespace fs = std::filesystem;
using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;

#ifdef __x86_64__

TEST_CASE("kept plugin: one in plain C, built for ABI 1.2, runs and changes no bit") {
    const fs::path kept = ptp::test::source_dir() / "tests/runs/kept_plugins/abi_1_2";
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("without").status == 0);

    folder.write({.pipeline = "[pipeline.scale]\ntype = \"Scale\"\nfactor = 1.0\n"
                              "streams = { inputs = \"features\", outputs = \"scaled\" }\n",
                  .source = "scaled"});
    const ProcessResult result = folder.run("with", {"--plugins", kept.string()});
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    CHECK(folder.read("with/training.csv") == folder.read("without/training.csv"));
    CHECK(folder.read("with/test.csv") == folder.read("without/test.csv"));
}

#endif

}  // namespace kept_plugin_test
