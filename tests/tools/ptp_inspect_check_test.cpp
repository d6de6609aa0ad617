// What `ptp-inspect --check` finds out by running components.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_inspect_check_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::build_dir;
using ptp::test::ProcessResult;
using ptp::test::run_program;
using ptp::test::TempFolder;

constexpr const char* kRuns = "runs, and does what it declares\n";
constexpr const char* kContinues = "continues after an interruption as if there had been none\n";

fs::path build_of(const std::string& name) {
    return build_dir() / "tests/runs/builds" / name;
}

std::string checked_file() {
    return (build_dir() / "tests/tools/plugins/checked.so").string();
}

// What is said from the first of these rules on.
std::string judged(const fs::path& plugin, int status,
                   const std::vector<std::string>& further = {}) {
    std::vector<std::string> arguments = {"--check", plugin.string()};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const auto result = run_program("ptp-inspect", arguments);
    CHECK(result.status == status);
    CHECK(result.errors == "");
    const auto rule = result.output.find(kRuns);
    REQUIRE(rule != std::string::npos);
    return result.output.substr(rule - 6);
}

const std::string kBareModel =
    "        BareModel: is a model without parameters: register its layers with register_module() "
    "and its tensors with register_parameter() in module(); if it has nothing to learn it is a "
    "PTP_TRANSFORM\n";
const std::string kWrongShape =
    "        WrongShape: plugin 'checked' 0.1.0: 'component' (WrongShape) writes [4, 3] to stream "
    "'outputs', but its port 'outputs' is declared as [B, 4] (B = 4)\n";
const std::string kHandMadeAverage =
    std::string("  FAIL  ") + kContinues +
    "        HandMadeAverage: output 'outputs' differs after an interruption: it keeps something "
    "from step to step that is neither a parameter, nor a buffer, nor in the state that it saves: "
    "register it with module(), or name it in state()\n";

constexpr const char* kForgets =
    "computes statistics over a whole set and cannot save what it has counted: a training that is "
    "interrupted and resumed would produce other values; give it state(), or export_state() and "
    "import_state() (ptp.state/1)";

}  // namespace

TEST_CASE("ptp-inspect --check: a component that keeps a count nowhere is found") {
    CHECK(judged(build_of("forgetful/recurrent_forgetful.so"), 3) ==
          std::string("ok    ") + kRuns + "  FAIL  " + kContinues +
              "        RecurrentNetwork: output 'predictions' differs after an interruption: it "
              "keeps something from step to step that is neither a parameter, nor a buffer, nor in "
              "the state that it saves: register it with module(), or name it in state()\n");
    CHECK(judged(build_of("first/recurrent.so"), 0) ==
          std::string("ok    ") + kRuns + "  ok    " + kContinues);
}

TEST_CASE("ptp-inspect --check: a component that does not give its state is found") {
    CHECK(judged(build_of("shy/shy_1.so"), 3) ==
          std::string("ok    ") + kRuns + "  FAIL  " + kContinues +
              "        Shy: cannot continue after an interruption: 'component' (Shy): is counting; "
              "it gives its state between two epochs\n");
}

TEST_CASE(
    "ptp-inspect --check: layers that are not registered, an output that is not as declared, "
    "state that shows in evaluation, and what to give to what was not tried") {
    CHECK(
        judged(checked_file(), 3) ==
        std::string("FAIL  ") + kRuns + kBareModel + kWrongShape +
            "        note: Locked was not tried: 'component' (Locked): code = 4: is wrong (tried "
            "first with code = 4)\n"
            "            fix: give settings of [Locked] that go together in FILE.toml, and "
            "FILE.toml after --with\n"
            "        note: Numbers was not tried: nothing can be made up for 'file' (write a "
            "number into each line)\n"
            "            fix: give 'file' of [Numbers] in FILE.toml, and FILE.toml after --with\n" +
            kHandMadeAverage);
}

TEST_CASE("ptp-inspect --check --with: components are tried with what is given") {
    const TempFolder temp;
    temp.write("data/numbers.txt", "1\n2\n3\n4\n5\n");
    const auto with = temp.write("with.toml", R"([[Locked]]
code = 1234

[[Locked]]
code = 1234
globals = { offset = 7 }

[Numbers]
file = "data/numbers.txt"
)");
    CHECK(judged(checked_file(), 3, {"--with", with.string()}) ==
          std::string("FAIL  ") + kRuns + kBareModel + kWrongShape + kHandMadeAverage);
}

TEST_CASE("ptp-inspect --check --with: what does not run with settings that are given is wrong") {
    const TempFolder temp;
    const std::string with = temp.write("with.toml", R"([Locked]
code = 3
[Numbers]
file = "nowhere.txt"
)")
                                 .string();
    CHECK(judged(checked_file(), 3, {"--with", with}) ==
          std::string("FAIL  ") + kRuns + kBareModel + "        Locked (" + with + ":1:1): " +
              with + ":2:8: 'component' (Locked): code = 3: is wrong\n        Numbers (" + with +
              ":3:1): " + with +
              ":3:1: the task of [training] (Numbers): " + (temp.path() / "nowhere.txt").string() +
              ": cannot be opened\n" + kWrongShape + kHandMadeAverage);
}

TEST_CASE("ptp-inspect --check --with: mistakes of the file are shown with their places") {
    const TempFolder temp;
    const auto refused = [&](const std::string& text) {
        const std::string with = temp.write("with.toml", text).string();
        const ProcessResult result =
            run_program("ptp-inspect", {"--check", checked_file(), "--with", with});
        CHECK(result.status == 2);
        CHECK(result.output == "");
        const std::string errors = ptp::test::without_excerpts(result.errors);
        REQUIRE(errors.starts_with(with));
        return errors.substr(with.size());
    };
    CHECK(refused("[Loked]\n") ==
          ":1:2: error: Loked: is not a component that is checked; did you "
          "mean 'Locked'?\n");
    CHECK(refused("Locked = 3\n") ==
          ":1:10: error: Locked = 3: must be a table of settings, as in [Locked]\n");
    CHECK(refused("[Locked]\ncdoe = 3\n") ==
          ":2:1: error: Locked.cdoe: unknown setting; did you mean 'code'?\n");
    CHECK(refused("[Locked]\ncode = true\n") ==
          ":2:8: error: Locked.code = true: must be an integer, not a boolean\n");
    CHECK(refused("[Locked]\nglobals = { ofset = 3 }\n") ==
          ":2:13: error: Locked.globals.ofset: Locked has no global of this name; did you mean "
          "'offset'?\n");
    CHECK(
        run_program("ptp-inspect", {"--check", checked_file(), "--with", "nowhere.toml"}).errors ==
        "nowhere.toml: error: cannot be read: No such file or directory\n");
}

TEST_CASE("ptp-inspect --check, ptp-manifest: statistics that cannot be saved are refused") {
    const std::string file = (build_dir() / "tests/swap/forgets_counts/mischief.so").string();
    const auto checked = run_program("ptp-inspect", {"--check", file});
    CHECK(checked.status == 3);
    CHECK(checked.output.ends_with(
        "  FAIL  loads, and matches its manifest\n        Hits: " + std::string(kForgets) + "\n"));
    const TempFolder temp;
    const auto described = run_program("ptp-manifest", {file, (temp.path() / "x.S").string()});
    CHECK(described.status == 3);
    CHECK(described.errors == file + ": Hits: " + kForgets + "\n");
}

}  // namespace ptp_inspect_check_test
