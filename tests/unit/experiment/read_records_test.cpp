#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace read_records_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// The example with this after it, from line 47 on.
std::string with(const std::string& text) {
    return kExample + text;
}

Records read(const std::string& text) {
    Loader loader(with(text));
    Records records = loader.read().records;
    REQUIRE(loader.problems() == "");
    return records;
}

}  // namespace

TEST_CASE("records: CSV alone without the table, and a table switches its sink on") {
    CHECK_FALSE(read("").get<JsonLines>());
    CHECK_FALSE(read("").get<TensorBoard>());
    const Records both = read("[records.json_lines]\n[records.tensorboard]\n");
    REQUIRE(both.get<JsonLines>());
    CHECK(both.get<JsonLines>()->every_episodes == 1);
    REQUIRE(both.get<TensorBoard>());
    CHECK(both.get<TensorBoard>()->every_episodes == 1);
    CHECK(both.get<TensorBoard>()->histograms_every_episodes == 0);
    CHECK(both.get<TensorBoard>()->images.empty());
    CHECK(both.get<TensorBoard>()->image_count == 4);
}

TEST_CASE("records: the interval of an experiment is that of tables without their own") {
    Loader loader("interval = 20\n" +
                  with("[records.json_lines]\n[records.tensorboard]\nevery_episodes = 5\n"));
    const Experiment experiment = loader.read();
    CHECK(loader.problems() == "");
    CHECK(experiment.records.get<JsonLines>()->every_episodes == 20);
    CHECK(experiment.records.get<TensorBoard>()->every_episodes == 5);
    const Value tree = resolved_tree(experiment);
    CHECK(tree.find("interval")->as_integer() == 20);
    Loader again("interval = 0\n" + with("[records.json_lines]\n"));
    again.read();
    CHECK(again.problems() == "x.toml:1:12: interval = 0: must be in [1, inf)");
}

TEST_CASE("records: everything that is written arrives, and is recorded") {
    const std::string text =
        "[records.json_lines]\nevery_episodes = 3\n[records.tensorboard]\nevery_episodes = 5\n"
        "histograms_every_episodes = 7\nimages = [\"images\", \"maps\"]\nimage_count = 64\n";
    const Records records = read(text);
    CHECK(records.get<JsonLines>()->every_episodes == 3);
    CHECK(records.get<TensorBoard>()->every_episodes == 5);
    CHECK(records.get<TensorBoard>()->histograms_every_episodes == 7);
    CHECK(records.get<TensorBoard>()->images.at(1).value == "maps");
    CHECK(records.get<TensorBoard>()->images.at(1).place.line() == 52);
    CHECK(records.get<TensorBoard>()->image_count == 64);

    Loader loader(with(text));
    const Value expected = Value::table(
        {{"json_lines", Value::table({{"every_episodes", 3}})},
         {"tensorboard", Value::table({{"every_episodes", 5},
                                       {"histograms_every_episodes", 7},
                                       {"image_count", 64},
                                       {"images", Value::list({"images", "maps"})}})}});
    CHECK(*resolved_tree(loader.read()).find("records") == expected);
}

TEST_CASE("records: wrong values are refused") {
    struct Case {
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"[records]\njson_lines = true\n",
         "x.toml:48:14: records.json_lines = true: must be a table, not a boolean\n    fix: write "
         "json_lines = {}"},
        {"[records]\ntensorbord = {}\n",
         "x.toml:48:1: records.tensorbord: unknown key; did you mean 'tensorboard'?"},
        {"[records.json_lines]\nevery_episodes = 0\n",
         "x.toml:48:18: records.json_lines.every_episodes = 0: must be in [1, inf)"},
        {"[records.tensorboard]\nevery_episodes = 0\n",
         "x.toml:48:18: records.tensorboard.every_episodes = 0: must be in [1, inf)"},
        {"[records.tensorboard]\nhistograms_every_episodes = -1\n",
         "x.toml:48:29: records.tensorboard.histograms_every_episodes = -1: must be in [0, inf)"},
        {"[records.tensorboard]\nimages = \"a\"\n",
         "x.toml:48:10: records.tensorboard.images = \"a\": must be a list of strings, not a "
         "string\n    fix: write images = [\"a\"]"},
        {"[records.tensorboard]\nimages = [1]\n",
         "x.toml:48:11: records.tensorboard.images[0] = 1: must be a string, not an integer"},
        {"[records.tensorboard]\nimage_count = 65\n",
         "x.toml:48:15: records.tensorboard.image_count = 65: must be in [1, 64]"},
        {"[records.tensorboard]\nhistograms = 1\n",
         "x.toml:48:1: records.tensorboard.histograms: unknown key; did you mean "
         "'histograms_every_episodes'?"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of(with(c.text)) == c.message);
    }
}

}  // namespace read_records_test
