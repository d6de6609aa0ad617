// Events that are appended to events.jsonl are read back, also behind a line that a kill cut off.

#include "run/events.hpp"

#include "base/error.hpp"
#include "run/format.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace events_test {

using ptp::RunError;
using ptp::Value;
using ptp::run::EventLog;
using ptp::run::read_events;

namespace {

std::string error_of(const ptp::test::TempFolder& folder, const std::string& text) {
    const auto file = folder.write("events.jsonl", text);
    try {
        read_events(file);
    } catch (const RunError& error) {
        const std::string what = error.what();
        return what.substr(what.find("events.jsonl"));
    }
    return "";
}

constexpr const char* kFirst =
    R"({"format":1,"event":"rollback","episode":17,"epoch":3,"details":{"to_episode":12},"time":"t"})"
    "\n";

}  // namespace

TEST_CASE("events: lines are appended, and read back in their order") {
    const ptp::test::TempFolder folder;
    const auto file = folder.path() / "events.jsonl";
    CHECK(read_events(file).empty());
    EventLog log(file);
    CHECK(log.add({"rollback", 17, 3, Value::table({{"to_episode", 12}}), "t"}).empty());
    CHECK(log.add({"skip", 18, 3, Value::table(), "u"}).empty());
    const std::string text = folder.read("events.jsonl");
    CHECK(text ==
          std::string(kFirst) +
              R"({"format":1,"event":"skip","episode":18,"epoch":3,"details":{},"time":"u"})"
              "\n");
    const auto events = read_events(file);
    REQUIRE(events.size() == 2);
    CHECK(events[0].event == "rollback");
    CHECK(events[0].episode == 17);
    CHECK(events[0].epoch == 3);
    CHECK(events[0].details.find("to_episode")->as_integer() == 12);
    CHECK(events[0].time == "t");
    CHECK(events[1].event == "skip");
}

TEST_CASE("events: a line that a kill has cut off does not count, and is replaced by the next") {
    const ptp::test::TempFolder folder;
    const auto file = folder.write("events.jsonl", std::string(kFirst) + R"({"format":1,"ev)");
    CHECK(read_events(file).size() == 1);
    CHECK(EventLog(file).add({"skip", 18, 3}).empty());
    const auto events = read_events(file);
    REQUIRE(events.size() == 2);
    CHECK(!events[1].time.empty());
    CHECK(folder.read("events.jsonl").starts_with(kFirst));
}

TEST_CASE("events: a file that cannot be written is reported once") {
    const ptp::test::TempFolder folder;
    const auto file = folder.path() / "nowhere" / "events.jsonl";
    EventLog log(file);
    CHECK(log.add({"skip", 18, 3}) ==
          "an event is not recorded, the training continues: cannot write " + file.string() +
              ": No such file or directory");
    CHECK(log.add({"skip", 19, 3}).empty());
}

TEST_CASE("events: damage and a newer format are refused with their line") {
    const ptp::test::TempFolder folder;
    CHECK(error_of(folder, std::string(kFirst) + "{\n") == "events.jsonl:2: is not a JSON object");
    CHECK(error_of(folder, R"({"format":1,"event":"skip","epoch":3,"details":{},"time":""})"
                           "\n") == "events.jsonl:1: 'episode' must be an integer, and is missing");
    CHECK_THROWS_AS(read_events(folder.write("events.jsonl", "{\"format\":2}\n")),
                    ptp::run::NewerFormat);
}

}  // namespace events_test
