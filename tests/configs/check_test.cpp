// Each experiment is listed, says what a reader wants to know first, and is right.

#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace check_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::configs_dir;
using ptp::test::content_of;
using ptp::test::experiments;

// The paths that stand in parentheses after a name in brackets.
std::vector<std::string> linked_experiments() {
    std::vector<std::string> names;
    for (const std::string& line : ptp::test::lines_of(content_of(configs_dir() / "README.md"))) {
        const auto begin = line.find("](");
        const auto end = line.find(".toml)");
        if (line.starts_with("| [") && begin < end && end != std::string::npos) {
            names.push_back(line.substr(begin + 2, end + 5 - begin - 2));
        }
    }
    std::ranges::sort(names);
    return names;
}

std::string lines(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += name + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("configs: the README lists all experiments, and no other") {
    CHECK(lines(linked_experiments()) == lines(experiments()));
}

TEST_CASE("configs: each says what it needs, how to run it, how long it takes and what to expect") {
    for (const std::string& name : experiments()) {
        CAPTURE(name);
        const std::string text = content_of(configs_dir() / name);
        for (const char* word : {"#   needs     ", "#   takes     ", "#   expect    "}) {
            CAPTURE(word);
            CHECK(text.find(word) != std::string::npos);
        }
        const std::string command =
            text.find("\n[search]\n") == std::string::npos ? "ptprun" : "ptprun search";
        CHECK(text.find("#   run       " + command + " configs/" + name) != std::string::npos);
    }
}

TEST_CASE("configs: each is right, with data that are there") {
    for (const std::string& name : experiments()) {
        CAPTURE(name);
        const ptp::test::TempFolder folder;
        std::vector<std::string> arguments{"check", (configs_dir() / name).string()};
        const auto options = ptp::test::write_data_for(name, folder.path());
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto result = ptp::test::run_program("ptprun", arguments);
        if (result.status == 4 && options.empty()) {
            MESSAGE(name << ": its data are not there");
            continue;
        }
        CHECK(result.errors == "");
        CHECK(result.status == 0);
    }
}

TEST_CASE("configs: without data each says how to get them") {
    for (const std::string& name : experiments()) {
        CAPTURE(name);
        const ptp::test::TempFolder folder;
        if (ptp::test::write_data_for(name, folder.path()).empty()) {
            continue;
        }
        const auto result = ptp::test::run_program(
            "ptprun",
            {"check", (configs_dir() / name).string(), "--set", "vars.data_folder=\"/nowhere\""});
        CHECK(result.status == 4);
        for (const std::string& line :
             ptp::test::lines_of(ptp::test::without_excerpts(result.errors))) {
            CAPTURE(line);
            if (line.ends_with(" errors")) {
                continue;
            }
            const bool names_data =
                line.find(": no such file or folder: /nowhere") != std::string::npos;
            const bool names_run =
                line.find(".load: no such file or folder: ") != std::string::npos;
            const bool offers_data = line.starts_with("    fix: ptprun fetch ");
            CHECK((names_data || names_run || offers_data));
        }
    }
}

TEST_CASE("configs: of two nets with a mask each has scores for the digits of its mask alone") {
    for (const std::string name :
         {"mnist/vf_2lenet5_2losses.toml", "mnist/vf_shared_convnet_2softmaxes_2losses.toml"}) {
        CAPTURE(name);
        const ptp::test::TempFolder folder;
        std::vector<std::string> arguments{"draw", (configs_dir() / name).string(), "--format",
                                           "dot"};
        const auto options = ptp::test::write_data_for(name, folder.path());
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto drawn = ptp::test::run_program("ptprun", arguments);
        CHECK(drawn.errors == "");
        REQUIRE(drawn.status == 0);
        for (const char* part : {"[B, prediction_size = 3]", "[B, prediction_size = 7]",
                                 "> low_targets\\n", "> high_targets\\n"}) {
            CAPTURE(part);
            CHECK(drawn.output.find(part) != std::string::npos);
        }
    }
}

}  // namespace check_test
