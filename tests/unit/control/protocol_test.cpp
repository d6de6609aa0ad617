#include "control/protocol.hpp"

#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

namespace protocol_test {

using namespace ptp;
using namespace ptp::control;
using ptp::Value;
using ptp::test::error_of;

TEST_CASE("protocol: each command is read with its arguments") {
    for (const char* name : {"status", "pause", "continue", "checkpoint", "validate"}) {
        CAPTURE(name);
        const Request request{name, {}};
        CHECK(line_of(request) == std::string(R"({"command":")") + name + R"(","arguments":{}})");
        CHECK(read_request(line_of(request)).command == name);
        CHECK(read_request(std::string(R"({"command":")") + name + R"("})").arguments == Value());
    }
    const Request rate{"learning_rate", Value::table({{"rate", 0.01}, {"group", "lenet5"}})};
    CHECK(read_request(line_of(rate)).arguments == rate.arguments);
    CHECK_NOTHROW(read_request(R"({"command":"learning_rate","arguments":{"rate":0}})"));
    const Request swap{"swap",
                       Value::table({{"files", Value::list({"/a.so"})}, {"dry_run", true}})};
    CHECK(read_request(line_of(swap)).arguments == swap.arguments);
}

TEST_CASE("protocol: what is not a request is refused in full") {
    const struct {
        const char* line;
        const char* message;
    } kCases[] = {
        {"", "the request is not JSON"},
        {"{", "the request is not JSON"},
        {"[1]", "the request is not a JSON object"},
        {"{}", "the request has no 'command', or one that is not a string"},
        {R"({"command":1})", "the request has no 'command', or one that is not a string"},
        {R"({"comand":"pause"})", "unknown key 'comand'; did you mean 'command'?"},
        {R"({"command":"puase"})", "unknown command 'puase'; did you mean 'pause'?"},
        {R"({"command":"kill"})",
         "unknown command 'kill'; known: status, pause, continue, stop, checkpoint, validate, "
         "learning_rate, swap"},
        {R"({"command":"pause","arguments":[]})", "'arguments' must be an object"},
        {R"({"command":"pause","arguments":{"for":1}})", "pause.for: unknown key"},
        {R"({"command":"continue","arguments":{"episodes":0}})",
         "continue.episodes = 0: must be in [1, inf)"},
        {R"({"command":"learning_rate"})",
         "learning_rate.rate: required, but missing: a real in [0, inf) (the new learning rate)"},
        {R"({"command":"learning_rate","arguments":{"rate":-1}})",
         "learning_rate.rate = -1: must be in [0, inf)"},
        {R"({"command":"learning_rate","arguments":{"rate":null}})",
         "learning_rate.rate = nan: must be in [0, inf)"},
        {R"({"command":"learning_rate","arguments":{"rate":"fast","gruop":"a"}})",
         "learning_rate.rate = \"fast\": must be a real in [0, inf), not a string\n"
         "learning_rate.gruop: unknown key; did you mean 'group'?"},
        {R"({"command":"learning_rate","arguments":{"rate":1,"group":2}})",
         "learning_rate.group = 2: must be a string, not an integer"},
        {R"({"command":"swap","arguments":{}})",
         "swap.files: required, but missing: a value (absolute paths of the newer builds)"},
        {R"({"command":"swap","arguments":{"files":[]}})",
         "swap.files = []: must be a list of absolute paths, at least one"},
        {R"({"command":"swap","arguments":{"files":["a.so"]}})",
         "swap.files = [\"a.so\"]: must be a list of absolute paths, at least one"},
        {R"({"command":"swap","arguments":{"files":["/a\u0000.so"]}})",
         "swap.files = [\"/a\\u0000.so\"]: must be a list of absolute paths, at least one"},
        {R"({"command":"swap","arguments":{"files":["/a.so"],"dry_run":1}})",
         "swap.dry_run = 1: must be a boolean, not an integer\n    fix: write true"},
    };
    for (const auto& one : kCases) {
        CAPTURE(one.line);
        CHECK(error_of([&] { read_request(one.line); }) == one.message);
    }
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    CHECK(error_of([&] {
              read_request(R"({"command":"pause","arguments":{"a":)" + deep + "}}");
          }) == "'arguments': values lie deeper than 32 levels");
}

TEST_CASE("protocol: replies come back, with the code to end with") {
    const Reply good{true, "done", Value::table({{"episode", 3}})};
    const Reply read = read_reply(line_of(good));
    CHECK(read.is_ok);
    CHECK(read.message == "done");
    CHECK(read.result == good.result);
    CHECK(read.exit_code() == 0);
    const Reply bad = Reply::failure("no", ptp::kPluginError);
    CHECK(line_of(bad) == R"({"ok":false,"message":"no","result":{"exit_code":3}})");
    CHECK(read_reply(line_of(bad)).exit_code() == 3);
    CHECK(Reply{false, "no", {}}.exit_code() == 2);
    CHECK(Reply{false, "no", Value::table({{"exit_code", 256}})}.exit_code() == 2);
    CHECK(Reply{false, "no", Value::table({{"exit_code", 0}})}.exit_code() == 2);
}

TEST_CASE("protocol: what is not a reply is refused") {
    CHECK(error_of([] { read_reply("ok"); }) == "the reply is not JSON");
    CHECK(error_of([] { read_reply("{}"); }) == "the reply has no 'ok' or no 'message'");
    CHECK(error_of([] { read_reply(R"({"ok":true,"message":"","result":1})"); }) ==
          "'result' must be an object");
}

}  // namespace protocol_test
