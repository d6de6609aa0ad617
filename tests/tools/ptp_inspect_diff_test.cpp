// `ptp-inspect diff`: what a newer build means for experiments, for people, programs and CI.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_inspect_diff_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::run_program;

std::string file(const std::string& build) {
    const std::string name = build == "good" ? "good" : "good_" + build;
    return (ptp::test::build_dir() / "tests/plugins" / build / name).string() + ".so";
}

ProcessResult diff(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "diff");
    return run_program("ptp-inspect", arguments);
}

}  // namespace

TEST_CASE("ptp-inspect diff: a wider range with a larger minor number is fine") {
    const ProcessResult result = diff({file("good"), file("wider")});
    require_success(result);
    CHECK(result.output == "good 1.2.3  " + file("good") + "\ngood 1.3.0  " + file("wider") +
                               "\n\nGoodModel\n"
                               "  widened  setting  dropout  range was [0, 1), is [0,1]\n"
                               "\nwidened: 1 widened, 23 identical\n"
                               "note: license was Apache-2.0, is none\n"
                               "the version 1.3.0 fits: after 1.2.3 it must be 1.3.0 or more\n");
}

TEST_CASE("ptp-inspect diff: a version that is too small for the change has an exit code") {
    const ProcessResult result = diff({file("good"), file("narrower")});
    CHECK(result.status == 4);
    CHECK(result.output.ends_with(
        "\nGoodModel\n"
        "  narrowed  setting  dropout  range was [0, 1), is [0,0.5]\n"
        "\nnarrowed: 1 narrowed, 23 identical\n"
        "note: license was Apache-2.0, is none\n"
        "the version 1.3.0 is too small: after 1.2.3 it must be 2.0.0 or more\n"));
}

TEST_CASE("ptp-inspect diff: what is incompatible and numbered so has another exit code") {
    const ProcessResult result = diff({file("good"), file("next")});
    CHECK(result.status == 1);
    CHECK(
        result.output.ends_with("the version 2.0.0 fits: after 1.2.3 it must be 2.0.0 or more\n"));
}

TEST_CASE("ptp-inspect diff: equal builds, and all that they declare") {
    const ProcessResult result = diff({file("good"), file("good"), "--all"});
    CHECK(result.status == 0);
    CHECK(result.output.find("\nGoodModel\n  identical  component  GoodModel\n") !=
          std::string::npos);
    CHECK(
        result.output.ends_with("\nidentical: 24 identical\n"
                                "the version 1.2.3 fits: after 1.2.3 it must be 1.2.3 or more\n"));
}

TEST_CASE("ptp-inspect diff: an older version after a newer one is too small") {
    const ProcessResult result = diff({file("next"), file("narrower")});
    CHECK(result.status == 4);
    CHECK(result.output.ends_with(
        "\nidentical: 24 identical\n"
        "the version 1.3.0 is too small: after 2.0.0 it must be 2.0.0 or more\n"));
}

TEST_CASE("ptp-inspect diff: a plugin that is installed, and JSON") {
    const std::string folder = (ptp::test::build_dir() / "tests/plugins/good").string();
    const ProcessResult result = diff({"good", file("wider"), "--plugins", folder, "--json"});
    CHECK(result.status == 0);
    const auto json = nlohmann::json::parse(result.output);
    CHECK(json["old"]["path"] == file("good"));
    CHECK(json["new"]["version"] == "1.3.0");
    CHECK(json["change"] == "widened");
    CHECK(json["least_version"] == "1.3.0");
    CHECK(json["is_version_sufficient"] == true);
    CHECK(json["declarations"].size() == 24);
    CHECK(json["declarations"][0] == nlohmann::json({{"component", ""},
                                                     {"kind", "plugin"},
                                                     {"name", "good"},
                                                     {"change", "identical"},
                                                     {"reasons", nlohmann::json::array()}}));
}

TEST_CASE("ptp-inspect diff --run: parameters, buffers and state of both builds") {
    const auto builds = ptp::test::build_dir() / "tests/runs/builds";
    const std::string first = (builds / "first/recurrent.so").string();
    const std::string wide = (builds / "wide/recurrent_wide.so").string();
    const ProcessResult result = diff({first, wide, "--run"});
    CHECK(result.status == 1);
    CHECK(result.errors == "");
    CHECK(
        result.output ==
        "recurrent 1.0.0  " + first + "\nrecurrent 3.0.0  " + wide +
            "\n\nRecurrentNetwork\n"
            "  widened   ability    ptp.migrate/1  is new\n"
            "  breaking  parameter  hidden.weight  was parameter Float [8, 8], is parameter Float "
            "[16, 8]\n"
            "  breaking  parameter  hidden.bias    was parameter Float [8], is parameter Float "
            "[16]\n"
            "  breaking  parameter  output.weight  was parameter Float [4, 8], is parameter Float "
            "[4, 16]\n"
            "\nbreaking: 3 breaking, 1 widened, 17 identical\n"
            "the version 3.0.0 fits: after 1.0.0 it must be 2.0.0 or more\n");
    CHECK(diff({first, wide}).status == 0);  // declared alike
}

TEST_CASE("ptp-inspect diff --run: what cannot be created is noted and not compared") {
    const ProcessResult result = diff({file("good"), file("good"), "--run"});
    CHECK(result.status == 0);
    CHECK(result.output.find("note: parameters and state of GoodTask were not compared: ") !=
          std::string::npos);
    const std::string crash = (ptp::test::build_dir() / "tests/hostile/crash/hostile.so").string();
    const ProcessResult crashed = diff({crash, crash, "--run"});
    CHECK(crashed.status == 0);
    CHECK(crashed.output.find("\nnote: parameters and state were not compared: " + crash +
                              " ended by signal 11 (Segmentation fault)\n") != std::string::npos);
}

TEST_CASE("ptp-inspect diff --run: data below the home folder is looked for there") {
    const ptp::test::TempFolder home;
    const std::string tasks = (ptp::test::build_dir() / "lib/ptp/plugins/text_tasks.so").string();
    const ProcessResult result = run_program("ptp-inspect", {"diff", tasks, tasks, "--run"},
                                             {{"HOME", home.path().string()}});
    CHECK(result.status == 0);
    CHECK(result.output.find(
              "\nnote: parameters and state of WiLYLanguageIdentification were not compared: the "
              "task of [training] (WiLYLanguageIdentification): " +
              home.path().string() +
              "/data/language_identification/wily/x_train.txt: no such file; take ") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect diff --run: what only the older build can create is breaking") {
    const auto mischief = [](const std::string& name) {
        return (ptp::test::build_dir() / "tests/swap" / name / "mischief.so").string();
    };
    const struct {
        std::string name;
        std::string problem;
    } cases[] = {
        {"throws",
         "'component' (Net) of plugin 'mischief' 0.1.0: create() failed: std::runtime_error: there "
         "is no more room in the attic"},
        {"crashes_in_create",
         "plugin 'mischief' 0.1.0: 'component' (Net): create() crashed (SIGSEGV)"},
        {"hangs_in_create",
         "plugin 'mischief' 0.1.0: 'component' (Net): create() is not done after 5 s"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const ProcessResult result =
            diff({mischief("none"), mischief(c.name), "--run", "--time-limit", "5"});
        CHECK(result.status == 4);
        CHECK(result.output.ends_with(
            "\n\nNet\n  breaking  creation  Net  was possible, is not: " + c.problem +
            "\n\nbreaking: 1 breaking, 25 identical\n"
            "the version 0.1.0 is too small: after 0.1.0 it must be 0.2.0 or more\n"));
    }
}

TEST_CASE("ptp-inspect diff --run: a newer build that crashes as a whole is breaking") {
    const auto hostile = [](const std::string& name) {
        return (ptp::test::build_dir() / "tests/hostile" / name / "hostile.so").string();
    };
    const ProcessResult result = diff({hostile("plain"), hostile("crash"), "--run"});
    CHECK(result.status == 4);
    CHECK(result.output ==
          "hostile 0.1.0  " + hostile("plain") + "\nhostile 0.1.0  " + hostile("crash") +
              "\n\n  breaking  creation  hostile  was possible, is not: ended by signal 11 "
              "(Segmentation fault)\n"
              "\nbreaking: 1 breaking, 6 identical\n"
              "the version 0.1.0 is too small: after 0.1.0 it must be 0.2.0 or more\n");
}

TEST_CASE("ptp-inspect diff: each plugin that comes with ptp is identical to itself") {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(ptp::test::build_dir() / "lib/ptp/plugins")) {
        const std::string plugin = entry.path().string();
        if (!plugin.ends_with(".so")) {
            continue;
        }
        CAPTURE(plugin);
        const ProcessResult result = diff({plugin, plugin});
        CHECK(result.status == 0);
        CHECK(result.output.find("\nidentical: ") != std::string::npos);
        ++count;
    }
    CHECK(count > 10);
}

TEST_CASE("ptp-inspect diff: what is not there, and wrong command lines") {
    const struct {
        std::vector<std::string> arguments;
        int status;
        std::string expected;
    } cases[] = {
        {{"/nowhere/x.so", file("good")},
         3,
         "/nowhere/x.so: cannot be opened: No such file or directory\n"},
        {{file("good")}, 2, "the older build and the newer build are needed"},
        {{file("good"), file("good"), "--all", "--json"}, 2, "--all and --json exclude each other"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expected);
        const ProcessResult result = diff(c.arguments);
        CHECK(result.status == c.status);
        CHECK(result.errors.find(c.expected) != std::string::npos);
    }
    CHECK(run_program("ptp-inspect", {"diff", "--help"})
              .output.starts_with("usage: ptp-inspect diff OLD NEW [OPTION]...\n"));
    const ptp::test::TempFolder temp;
    const std::string text = temp.write("x.so", "hello world").string();
    CHECK(diff({text, file("good")}).errors ==
          "ptp-inspect: error: " + text + ": is not an ELF file: it begins with 'hello w'\n");
    CHECK(diff({"glod", file("good")})
              .errors.starts_with("ptp-inspect: error: unknown plugin 'glod'"));
}

}  // namespace ptp_inspect_diff_test
