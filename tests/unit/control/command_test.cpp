#include "control/command.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace command_test {

using namespace ptp;
using namespace ptp::control;
using control::test::error_of;

TEST_CASE("command: the list says of each its name, its arguments and whether it is journalled") {
    struct Row {
        std::string name;
        bool is_journalled;
        std::vector<std::string> arguments;
    };
    const std::vector<Row> rows = {
        {"status", false, {}},
        {"pause", false, {}},
        {"continue", false, {"episodes: an integer in [1, inf)"}},
        {"stop", false, {}},
        {"checkpoint", true, {}},
        {"validate", true, {}},
        {"learning_rate", true, {"rate: a real in [0, inf)", "group: a string"}},
        {"swap", true, {"files: ", "dry_run: a boolean"}},
    };
    REQUIRE(command_list().size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i].name);
        const CommandInfo& info = command_list()[i];
        CHECK(info.name == rows[i].name);
        CHECK(info.is_journalled == rows[i].is_journalled);
        CHECK(!info.help.empty());
        std::vector<std::string> arguments;
        for (const schema::Key& key : info.arguments) {
            CHECK(!key.help.empty());
            const bool has_reader = key.form == schema::Form::kAny;
            arguments.push_back(key.name + ": " + (has_reader ? "" : expected_text(key)));
        }
        CHECK(arguments == rows[i].arguments);
    }
}

TEST_CASE("command: a request becomes the command with its arguments") {
    const auto episodes = [](Value arguments) {
        return std::get<Continue>(parse({"continue", std::move(arguments)})).episodes;
    };
    CHECK(!episodes({}));
    CHECK(episodes(Value::table({{"episodes", 3}})) == 3);
    const auto rate = std::get<LearningRate>(
        parse({"learning_rate", Value::table({{"rate", 0.5}, {"group", "net"}})}));
    CHECK(rate.rate == 0.5);
    CHECK(rate.group == "net");
    const auto swap = std::get<Swap>(parse(
        {"swap", Value::table({{"files", Value::list({"/a.so", "/b.so"})}, {"dry_run", true}})}));
    CHECK(swap.files == std::vector<std::filesystem::path>{"/a.so", "/b.so"});
    CHECK(swap.is_dry_run);
    CHECK(std::holds_alternative<Status>(parse({"status", {}})));
}

TEST_CASE("command: an unknown one is refused by naming the nearest") {
    CHECK(error_of([] {
              parse({"statsu", {}});
          }) == "unknown command 'statsu'; did you mean 'status'?");
}

}  // namespace command_test
