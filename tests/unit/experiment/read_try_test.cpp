// Sections that try components in turn: their keys, the mistakes in them, and the record.

#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace read_try_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

constexpr const char* kTries = R"([pipeline.day]
try = ['iso', 'german']
phases = ['training']
streams = { outputs = 'day' }
[pipeline.iso]
type = 'Day'
order = 'ymd'
[pipeline.german]
type = 'Day'
order = 'dmy'
)";

std::string with_tries(const std::string& what = "", const std::string& by = "") {
    return kSmallest + (what.empty() ? std::string(kTries) : replaced(kTries, what, by));
}

}  // namespace

TEST_CASE("try: the components get their turns, and nothing of the section is written in them") {
    Loader loader(with_tries());
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    const Pipeline& pipeline = experiment.pipeline;
    REQUIRE(pipeline.tries.size() == 1);
    CHECK(pipeline.tries[0].name == "day");
    REQUIRE(pipeline.components.size() == 3);  // with the net
    CHECK(pipeline.components[1].tried_in == "day");
    CHECK(pipeline.components[1].turn == 0);
    CHECK(pipeline.components[2].turn == 1);
    const Value record = resolved_tree(experiment);
    CHECK(to_toml(*record.find_path("pipeline.day")) ==
          "try = [\"iso\", \"german\"]\nphases = [\"training\"]\n\n[streams]\noutputs = \"day\"\n");
    CHECK(to_toml(*record.find_path("pipeline.iso")) == "type = \"Day\"\norder = \"ymd\"\n");
    Loader again(to_toml(record));
    CHECK((resolved_tree(again.read()) == record));
}

TEST_CASE("try: one that is disabled has no turn, and a disabled section disables all") {
    Loader one(with_tries("order = 'ymd'", "enabled = false"));
    const Experiment experiment = one.read();
    REQUIRE(one.problems() == "");
    CHECK(experiment.pipeline.components[2].turn == 0);
    Loader all(with_tries() + "[pipeline]\ndisable = ['day']\n");
    const Experiment without = all.read();
    REQUIRE(all.problems() == "");
    CHECK_FALSE(without.pipeline.components[1].is_enabled);
    CHECK_FALSE(without.pipeline.components[2].is_enabled);
    CHECK_FALSE(without.pipeline.tries[0].is_enabled);
}

TEST_CASE("try: wrong names and keys are refused, with what is meant") {
    CHECK(problems_of(with_tries("'german']", "'germn']")) ==
          "x.toml:9:7: pipeline.day.try[1] = \"germn\": unknown component; did you mean 'german'?");
    CHECK(problems_of(with_tries("'german']", "'iso']")) ==
          "x.toml:9:7: pipeline.day.try[1] = \"iso\": is tried in 'day' already");
    CHECK(problems_of(with_tries("'german']", "'day']")) ==
          "x.toml:9:7: pipeline.day.try[1] = \"day\": tries components itself; name these");
    CHECK(problems_of(with_tries("phases = ['training']", "order = 'ymd'")) ==
          "x.toml:10:1: pipeline.day.order: has no meaning beside try: it is written where each "
          "component that is tried is");
    CHECK(
        problems_of(with_tries("order = 'dmy'", "phases = ['test']")) ==
        "x.toml:17:10: pipeline.german.phases = [\"test\"]: has no meaning in a component that 'day' tries\n"
        "    fix: write it in [pipeline.day]");
    CHECK(problems_of(with_tries("try = ['iso', 'german']", "try = []")).find("pipeline.day.try") !=
          std::string::npos);
}

TEST_CASE("try: pass_through has a meaning beside phases alone") {
    CHECK(
        problems_of(std::string(kSmallest) + "pass_through = true\n") ==
        "x.toml:8:16: pipeline.net.pass_through = true: has no meaning without phases: it runs in all\n"
        "    fix: phases = [\"training\"]");
}

TEST_CASE("try: in a group it tries the components of each use") {
    const std::string text = std::string(kSmallest) + R"([group.reader]
streams = ['texts', 'day']
[group.reader.either]
try = ['one', 'two']
streams = { inputs = 'texts', outputs = 'day' }
[group.reader.one]
type = 'Day'
[group.reader.two]
type = 'Day'
order = 'dmy'
[pipeline.left]
use = 'reader'
phases = ['training']
streams = { texts = 'a', day = 'b' }
)";
    Loader loader(text);
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    REQUIRE(experiment.pipeline.tries.size() == 1);
    const TryEntry& entry = experiment.pipeline.tries[0];
    CHECK(entry.name == "left_either");
    CHECK(entry.components == std::vector<std::string>{"left_one", "left_two"});
    CHECK(entry.phases == std::vector<std::string>{"training"});
    CHECK(entry.names.streams[0].to == "a");
    CHECK(experiment.pipeline.components[1].phases.empty());
}

}  // namespace read_try_test
