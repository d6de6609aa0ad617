#include "control/command.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace command_test {

using namespace ptp;
using namespace ptp::control;
using ptp::test::error_of;

TEST_CASE("request: the list says of each its name, its arguments and whether it is journalled") {
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
    REQUIRE(request_list().size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i].name);
        const RequestInfo& info = request_list()[i];
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

TEST_CASE("request: it is read with its arguments") {
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

TEST_CASE("request: `ptprun control` can say each but the swap, and no two have one option") {
    using schema::Form;
    // The first argument of a request is an operand, the others are options, as in
    // tools/ptprun/control_command.cpp.
    std::set<std::string> options;
    for (const RequestInfo& info : request_list()) {
        if (info.name == Swap::kName) {  // a command of its own, with files
            continue;
        }
        for (const schema::Key& key : info.arguments) {
            CAPTURE(key.name);
            CHECK(key.list_depth == 0);
            const bool is_number = key.form == Form::kInteger || key.form == Form::kReal;
            CHECK((is_number || key.form == Form::kString));
            CHECK((&key == &info.arguments.front() || options.insert(key.name).second));
        }
    }
}

TEST_CASE("request: an unknown one is refused by naming the nearest") {
    CHECK(error_of([] {
              parse({"statsu", {}});
          }) == "unknown command 'statsu'; did you mean 'status'?");
}

}  // namespace command_test
