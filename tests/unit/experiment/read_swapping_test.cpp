#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace read_swapping_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// The example with this after it, from line 47 on.
std::string with(const std::string& text) {
    return kExample + ("[swap]\n" + text);
}

std::string on_cpu(std::string text) {
    const std::string device = "device = \"cuda:1\"";
    return text.replace(text.find(device), device.size(), "device = \"cpu\"");
}

Swapping read(const std::string& text) {
    Loader loader(text);
    Swapping swapping = loader.read().swap;
    REQUIRE(loader.problems() == "");
    return swapping;
}

}  // namespace

TEST_CASE("swapping: without a table all may be swapped, after a rehearsal in a thread") {
    for (const std::string& text : {std::string(kExample), with("")}) {
        const Swapping swapping = read(text);
        CHECK_FALSE(swapping.components);
        CHECK(swapping.allows("lenet5"));
        CHECK(swapping.allows("training"));
        CHECK_FALSE(swapping.must_keep_numbers);
        CHECK(swapping.rehearsal == Rehearsal::kThread);
        CHECK(swapping.time_limit.seconds == 30);
    }
}

TEST_CASE("swapping: only what is named may be swapped") {
    const Swapping some = read(with("components = [\"lenet5\", \"validation\"]\n"));
    CHECK(some.allows("lenet5"));
    CHECK(some.allows("validation"));
    CHECK_FALSE(some.allows("training"));
    CHECK_FALSE(some.allows("loss"));
    CHECK_FALSE(read(with("components = []\n")).allows("lenet5"));
}

TEST_CASE("swapping: everything that is written arrives, and is recorded") {
    const std::string text =
        "components = [\"training\"]\nnumbers = \"same\"\nrehearse = \"process\"\n"
        "time_limit = \"1m30s\"\n";
    const Swapping swapping = read(on_cpu(with(text)));
    CHECK(swapping.components == std::vector<std::string>{"training"});
    CHECK(swapping.must_keep_numbers);
    CHECK(swapping.rehearsal == Rehearsal::kProcess);
    CHECK(swapping.time_limit.seconds == 90);

    Loader loader(on_cpu(with(text)));
    CHECK(*resolved_tree(loader.read()).find("swap") ==
          Value::table({{"components", Value::list({"training"})},
                        {"numbers", "same"},
                        {"rehearse", "process"},
                        {"time_limit", "1m30s"}}));
    Loader without(kExample);
    CHECK(*resolved_tree(without.read()).find("swap") ==
          Value::table({{"numbers", "may_change"}, {"rehearse", "thread"}, {"time_limit", "30s"}}));
    CHECK(read(with("rehearse = \"off\"\n")).rehearsal == Rehearsal::kOff);
}

TEST_CASE("swapping: wrong values are refused") {
    struct Case {
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"component = []\n",
         "x.toml:48:1: swap.component: unknown key; did you mean 'components'?"},
        {"components = \"lenet5\"\n",
         "x.toml:48:14: swap.components = \"lenet5\": must be a list of strings, not a string\n"
         "    fix: write components = [\"lenet5\"]"},
        {"components = \"*\"\n",
         "x.toml:48:14: swap.components = \"*\": must be a list of strings, not a string\n"
         "    fix: list them by their names"},
        {"components = [1]\n",
         "x.toml:48:15: swap.components[0] = 1: must be a string, not an integer"},
        {"components = [\"lenet5\", \"lenet\"]\n",
         "x.toml:48:25: swap.components[1] = \"lenet\": unknown component or section; did you mean "
         "'lenet5'?"},
        {"components = [\"test\"]\n",
         "x.toml:48:15: swap.components[0] = \"test\": unknown component or section; known: "
         "lenet5, loss, training, validation"},
        {"components = [\"lenet5\", \"lenet5\"]\n",
         "x.toml:48:25: swap.components[1] = \"lenet5\": is there twice"},
        {"numbers = \"equal\"\n",
         "x.toml:48:11: swap.numbers = \"equal\": must be one of may_change, same"},
        {"numbers = true\n",
         "x.toml:48:11: swap.numbers = true: must be a string, one of may_change, same, not a boolean"},
        {"rehearse = \"proces\"\n",
         "x.toml:48:12: swap.rehearse = \"proces\": must be one of off, thread, process; did you mean 'process'?"},
        {"rehearse = false\n",
         "x.toml:48:12: swap.rehearse = false: must be a string, one of off, thread, process, not a boolean"},
        {"rehearse = \"process\"\n",
         "x.toml:48:12: swap.rehearse = \"process\": a process that is forked for a rehearsal cannot "
         "use a CUDA device\n"
         "    fix: rehearse = \"thread\""},
        {"time_limit = \"0s\"\n",
         "x.toml:48:14: swap.time_limit = \"0s\": must be a span of time such as \"90m\" or "
         "\"1h30m\" (d, h, m, s)"},
        {"time_limit = 30\n",
         "x.toml:48:14: swap.time_limit = 30: must be a span of time such as \"90m\" or \"1h30m\" "
         "(d, h, m, s), not an integer\n"
         "    fix: write \"30s\", \"30m\" or \"30h\" for seconds, minutes or hours"},
        {"numbers = \"same\"\nrehearse = \"off\"\n",
         "x.toml:48:11: swap.numbers = \"same\": numbers are compared in the rehearsal, which is "
         "\"off\": must be \"may_change\", or rehearse must be \"thread\" or \"process\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of(with(c.text)) == c.message);
    }
}

}  // namespace read_swapping_test
