// What `ptp-inspect --check` reports where ptp itself cannot try all rules: without its engine.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_inspect_incomplete_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

std::string kit(const std::string& way) {
    return (build_dir() / "tests/hostile/kit" / ("kit_" + way + ".so")).string();
}

// ptp-inspect alone, in a folder without the engine.
class Alone {
public:
    Alone() {
        fs::create_directories(folder_.path() / "bin");
        fs::copy_file(build_dir() / "bin/ptp-inspect", program());
    }

    [[nodiscard]] ProcessResult check(const std::vector<std::string>& arguments) const {
        std::vector<std::string> words = {"--check"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return run_program(program().string(), words);
    }

private:
    [[nodiscard]] fs::path program() const { return folder_.path() / "bin/ptp-inspect"; }

    TempFolder folder_;
};

const std::string kFix =
    "repair the installation of ptp and check again; without its engine and libtorch these rules "
    "cannot be tried";

}  // namespace

TEST_CASE("ptp-inspect --check: a verdict without the engine is incomplete, and names the reason") {
    const Alone alone;
    const ProcessResult result = alone.check({kit("plain"), "--only", "203,204,215"});
    CHECK(result.status == 4);
    CHECK(result.errors == "");
    const std::string before = kit("plain") +
                               "\n  203  abilities                 passed\n"
                               "  204  runs                      not tried: the engine cannot be "
                               "opened: ";
    const std::string after =
        "\n  215  wrong-shapes              not tried: for the reason of rule 204 (runs)\n"
        "  incomplete: 1 passed, 2 not tried\n"
        "         fix: " +
        kFix + "\n";
    REQUIRE(result.output.size() > before.size() + after.size());
    CHECK(result.output.starts_with(before));
    CHECK(result.output.ends_with(after));
    const std::string reason =
        result.output.substr(before.size(), result.output.size() - before.size() - after.size());
    CHECK(reason.find("libptp-engine.so: cannot open shared object file") != std::string::npos);
    CHECK(reason.find('\n') == std::string::npos);
}

TEST_CASE("ptp-inspect --check --json: what was not tried is neither accepted nor complete") {
    const Alone alone;
    const ProcessResult result = alone.check({kit("plain"), "--json"});
    CHECK(result.status == 4);
    const auto report = nlohmann::json::parse(result.output)["plugins"].at(0);
    CHECK(report["is_accepted"] == false);
    CHECK(report["is_complete"] == false);
    for (const auto& rule : report["rules"]) {
        CAPTURE(rule["number"]);
        const bool is_run = rule["number"].get<int>() >= 204;
        CHECK(rule["outcome"] == (is_run ? "not tried" : "passed"));
        if (is_run) {
            CHECK(rule["findings"].at(0)["outcome"] == "not tried");
            CHECK(rule["findings"].at(0)["fix"] == kFix);
        }
    }
}

TEST_CASE("ptp-inspect --check: a plugin that a rule refuses is refused, whatever was not tried") {
    const Alone alone;
    const ProcessResult refused = alone.check({kit("exports_more"), "--only", "102,204"});
    CHECK(refused.status == 3);
    CHECK(
        refused.output.ends_with("  refused: 1 failed, 1 not tried\n         fix: " + kFix + "\n"));
    CHECK(alone.check({kit("exports_more"), kit("plain"), "--only", "102,204"}).status == 3);
}

TEST_CASE("ptp-inspect --check: a plugin for which libtorch is missing is not tried, not refused") {
    const Alone alone;
    const ProcessResult result =
        alone.check({kit("missing_libtorch"), "--only", "108,201,203,204"});
    CHECK(result.status == 4);
    CHECK(result.output.starts_with(kit("missing_libtorch") +
                                    "\n  108  needed-libraries          passed\n"
                                    "  201  loads                     not tried: the engine cannot "
                                    "be opened: "));
    CHECK(result.output.ends_with(
        "\n  203  abilities                 not tried: for the reason of rule 201 (loads)\n"
        "  204  runs                      not tried: for the reason of rule 201 (loads)\n"
        "  incomplete: 1 passed, 3 not tried\n"
        "         fix: " +
        kFix + "\n"));
    CHECK(alone.check({kit("missing_library"), "--only", "201"}).status == 3);
    const ProcessResult refused =
        run_program((build_dir() / "bin/ptp-inspect").string(),
                    {"--check", kit("missing_libtorch"), "--only", "201"});
    CHECK(refused.status == 3);
    CHECK(refused.output.find("libtorch-of-nowhere.so: cannot open shared object file") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect --check: where there is no room for a copy of a plugin it is not blamed") {
    const ProcessResult result =
        run_program((build_dir() / "bin/ptp-inspect").string(),
                    {"--check", kit("plain"), "--only", "108,201,204"}, {}, {{RLIMIT_FSIZE, 1000}});
    CHECK(result.status == 4);
    CHECK(result.output.starts_with(kit("plain") +
                                    "\n  108  needed-libraries          passed\n"
                                    "  201  loads                     not tried: its copy "));
    CHECK(result.output.ends_with(
        ".so cannot be written: File too large\n"
        "  204  runs                      not tried: for the reason of rule 201 (loads)\n"
        "  incomplete: 1 passed, 2 not tried\n"
        "         fix: raise the limit of the size of a file (ulimit -f)\n"));
}

TEST_CASE("ptp-inspect --check: what needs no engine is complete without it") {
    const Alone alone;
    const ProcessResult result = alone.check({kit("plain"), "--only", "102,203"});
    CHECK(result.status == 0);
    CHECK(result.output.ends_with("  accepted: 2 passed\n"));
}

}  // namespace ptp_inspect_incomplete_test
