#include "control/command.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace journal_check_test {

using namespace ptp;
using control::check_entry;
using ptp::test::error_of;

namespace {

std::string refusal(const std::string& command, const Value& arguments) {
    return error_of([&] { check_entry({1, command, arguments, "T"}); });
}

}  // namespace

TEST_CASE("journal check: the requests that change a training can be done again, no others") {
    CHECK(refusal("validate", {}) == "");
    CHECK(refusal("checkpoint", {}) == "");
    CHECK(refusal("learning_rate", Value::table({{"rate", 0.5}})) == "");
    CHECK(refusal("set", {}) == "");  // the journal knows its arguments
    CHECK(refusal("swap", {}) == "");
    CHECK(refusal("valdate", {}) == "unknown command 'valdate'; did you mean 'validate'?");
    CHECK(refusal("pause", {}) ==
          "unknown command 'pause'; known: checkpoint, validate, learning_rate, swap, set");
    CHECK(refusal("learning_rate", Value::table({{"rate", "x"}})) ==
          "learning_rate.rate = \"x\": must be a real in [0, inf), not a string");
}

TEST_CASE("journal check: an entry that it refuses is named by file and line") {
    const ptp::test::TempFolder folder;
    const auto file = folder.write("journal.jsonl",
                                   R"({"episode":1,"command":"valdate","arguments":{},"time":""})"
                                   "\n");
    CHECK(error_of([&] { run::read_journal(file, check_entry); }) ==
          file.string() + ":1: unknown command 'valdate'; did you mean 'validate'?");
}

}  // namespace journal_check_test
