// `--color` of ptprun and ptp-inspect. The output of these programs goes to a pipe.

#include "support/process.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace ptprun_color_test {

namespace {

using ptp::test::ProcessResult;

ProcessResult run(const char* program, const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& environment = {}) {
    return ptp::test::run_program(program, arguments, environment);
}

constexpr const char* kPlain = "nowhere/e.toml: error: no such file; there is no folder nowhere\n";
constexpr const char* kColored =
    "\x1b[1mnowhere/e.toml\x1b[0m: \x1b[1;31merror:\x1b[0m \x1b[1mno such file; there is no "
    "folder nowhere\x1b[0m\n";

}  // namespace

TEST_CASE("color: always and never decide, at any place on the command line") {
    CHECK(run("ptprun", {"check", "nowhere/e.toml"}).errors == kPlain);
    CHECK(run("ptprun", {"check", "nowhere/e.toml", "--color", "auto"}).errors == kPlain);
    CHECK(run("ptprun", {"check", "nowhere/e.toml", "--color", "always"}).errors == kColored);
    CHECK(run("ptprun", {"--color=always", "check", "nowhere/e.toml"}).errors == kColored);
    CHECK(run("ptprun", {"check", "--color=always", "nowhere/e.toml", "--color", "never"}).errors ==
          kPlain);
}

TEST_CASE("color: the option comes before the environment, and PTP_COLOR before NO_COLOR") {
    CHECK(run("ptprun", {"check", "nowhere/e.toml"}, {{"PTP_COLOR", "always"}}).errors == kColored);
    CHECK(run("ptprun", {"check", "nowhere/e.toml"}, {{"PTP_COLOR", "always"}, {"NO_COLOR", "1"}})
              .errors == kColored);
    CHECK(run("ptprun", {"check", "nowhere/e.toml", "--color", "never"}, {{"PTP_COLOR", "always"}})
              .errors == kPlain);
    CHECK(run("ptprun", {"check", "nowhere/e.toml", "--color", "always"}, {{"NO_COLOR", "1"}})
              .errors == kColored);
    CHECK(run("ptprun", {"check", "nowhere/e.toml"}, {{"PTP_COLOR", "blue"}}).errors == kPlain);
}

TEST_CASE("color: ptp-inspect has the option too") {
    CHECK(run("ptp-inspect", {"Nothing", "--color", "always"}).errors.find("\x1b[1;31merror:") !=
          std::string::npos);
    CHECK(run("ptp-inspect", {"Nothing", "--color", "never"}).errors.find('\x1b') ==
          std::string::npos);
}

TEST_CASE("color: an unknown value is refused, and a missing one too") {
    struct Case {
        std::vector<std::string> arguments;
        std::string errors;
    };
    const Case cases[] = {
        {{"check", "x.toml", "--color", "blue"}, "--color blue: must be auto, always or never"},
        {{"check", "x.toml", "--color="}, "--color : must be auto, always or never"},
        {{"check", "x.toml", "--color"}, "--color needs a value: auto, always or never"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.errors);
        const ProcessResult said = run("ptprun", c.arguments);
        CHECK(said.status == 2);
        CHECK(said.errors == "ptprun: error: " + c.errors + "\n    help: ptprun help run\n");
    }
    const ProcessResult inspect = run("ptp-inspect", {"--color", "blue"});
    CHECK(inspect.status == 2);
    CHECK(inspect.errors ==
          "ptp-inspect: error: --color blue: must be auto, always or never\n    help: ptp-inspect "
          "--help\n");
}

TEST_CASE("color: the help of every command has the option, and the shell completes it") {
    CHECK(run("ptprun", {"help", "runs"}).output.find("--color WHEN") != std::string::npos);
    CHECK(run("ptprun", {"completion", "--words", "check", "--col"}).output == "--color\n");
    CHECK(run("ptprun", {"completion", "--words", "check", "--color", "a"}).output ==
          "auto\nalways\n");
    CHECK(run("ptp-inspect", {"--help"}).output.find("--color WHEN") != std::string::npos);
}

}  // namespace ptprun_color_test
