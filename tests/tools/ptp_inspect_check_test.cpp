// What `ptp-inspect --check` finds out by running components.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;
using ptp::test::build_dir;
using ptp::test::run_program;

constexpr const char* kRule = "continues after an interruption as if there had been none\n";

fs::path build_of(const std::string& name) {
    return build_dir() / "tests/runs/builds" / name;
}

// What is said from this rule on.
std::string judged(const fs::path& plugin, int status) {
    const auto result = run_program("ptp-inspect", {"--check", plugin.string()});
    CHECK(result.status == status);
    CHECK(result.errors == "");
    const auto rule = result.output.find(kRule);
    REQUIRE(rule != std::string::npos);
    return result.output.substr(rule - 6);
}

constexpr const char* kForgets =
    "computes statistics over a whole set and cannot save what it has counted: a training that is "
    "interrupted and resumed would give other values; give it state(), or export_state() and "
    "import_state() (ptp.state/1)";

}  // namespace

TEST_CASE("ptp-inspect --check: a component that keeps a count nowhere is found") {
    CHECK(judged(build_of("forgetful/recurrent_forgetful.so"), 3) ==
          std::string("FAIL  ") + kRule +
              "        RecurrentNetwork: output 'predictions' differs after an interruption: it "
              "keeps something from step to step that is neither a parameter, nor a buffer, nor in "
              "the state that it saves: register it with module(), or name it in state()\n");
    CHECK(judged(build_of("first/recurrent.so"), 0) == std::string("ok    ") + kRule);
}

TEST_CASE("ptp-inspect --check: a component that does not give its state is found") {
    CHECK(judged(build_of("shy/shy_1.so"), 3) ==
          std::string("FAIL  ") + kRule +
              "        Shy: cannot continue after an interruption: 'component' (Shy): is counting; "
              "it gives its state between two epochs\n");
}

TEST_CASE("ptp-inspect --check: what needs files is named in a note") {
    CHECK(judged(build_dir() / "lib/ptp/plugins/vision_tasks.so", 0)
              .find("        note: ImageFolder was not tried: ") != std::string::npos);
}

TEST_CASE("ptp-inspect --check, ptp-manifest: statistics that cannot be saved are refused") {
    const std::string file = (build_dir() / "tests/swap/forgets_counts/mischief.so").string();
    const auto checked = run_program("ptp-inspect", {"--check", file});
    CHECK(checked.status == 3);
    CHECK(checked.output.ends_with("  FAIL  loads, and is what its manifest says\n        Hits: " +
                                   std::string(kForgets) + "\n"));
    const ptp::test::TempFolder temp;
    const auto described = run_program("ptp-manifest", {file, (temp.path() / "x.S").string()});
    CHECK(described.status == 3);
    CHECK(described.errors == file + ": Hits: " + kForgets + "\n");
}
