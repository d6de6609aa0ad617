#include "experiment/readers.hpp"

#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace read_searching_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// From line 8 on.
std::string with(const std::string& text) {
    return std::string(kSmallest) + "[search]\n" + text;
}

}  // namespace

TEST_CASE("searching: everything that is written arrives, and is recorded") {
    Loader loader(
        with("trials = 9\nhalving = 0\nmin_budget = 2\n[search.space]\n"
             "\"a.uniform\" = { uniform = [0, 1] }\n"
             "\"a.log\" = { log_uniform = [1e-4, 0.1] }\n"
             "\"a.integer\" = { integer = [-1, 3] }\n"
             "\"a.log_integer\" = { log_integer = [1, 64] }\n"
             "\"a.choice\" = { choice = [\"SGD\", { type = \"Adam\" }] }\n"));
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    const Searching& search = experiment.search;
    CHECK(search.trials == 9);
    CHECK(search.halving == 0);
    CHECK(search.min_budget == 2);
    REQUIRE(search.space.size() == 5);
    CHECK(search.space[0].key == "a.uniform");
    CHECK(search.space[0].values == std::vector<Value>{0.0, 1.0});
    CHECK(search.space[4].distribution == Distribution::kChoice);
    const Value record = resolved_tree(experiment);
    const Value* recorded = record.find("search");
    REQUIRE(recorded != nullptr);
    CHECK(to_toml(*recorded) == R"(trials = 9
halving = 0
min_budget = 2

[space."a.uniform"]
uniform = [0.0, 1.0]

[space."a.log"]
log_uniform = [0.0001, 0.1]

[space."a.integer"]
integer = [-1, 3]

[space."a.log_integer"]
log_integer = [1, 64]

[space."a.choice"]
choice = ["SGD", { type = "Adam" }]
)");
}

TEST_CASE("searching: keys that are alike in their text alone are searched together") {
    CHECK(problems_of(
              with("space = { \"a.b\" = { choice = [1] }, \"a.bc\" = { choice = [2] } }\n")) == "");
}

TEST_CASE("searching: what is missing has its default, and is not in the record") {
    Loader loader(with(""));
    const Experiment experiment = loader.read();
    CHECK(loader.problems() == "");
    CHECK(experiment.search.trials == 20);
    CHECK(experiment.search.halving == 3);
    CHECK_FALSE(experiment.search.min_budget);
    CHECK(resolved_tree(experiment).find("search") == nullptr);
}

TEST_CASE("searching: what is wrong is refused where it is") {
    struct Case {
        const char* text;
        const char* problems;
    };
    const Case cases[] = {
        {"trials = 0\n", "x.toml:9:10: search.trials = 0: must be in [1, 10000]"},
        {"halving = 1\n", "x.toml:9:11: search.halving = 1: must be 0 for none, or at least 2"},
        {"min_budget = 0\n", "x.toml:9:14: search.min_budget = 0: must be in [1, inf)"},
        {"space = { \"a b c\" = { integer = [1, 2] } }\n",
         "x.toml:9:11: search.space.\"a b c\": is not a key, such as \"training.optimizer.lr\""},
        {"space = { \"search.trials\" = { integer = [1, 2] } }\n",
         "x.toml:9:11: search.space.\"search.trials\": cannot be searched: trials would not be of "
         "one search"},
        {"space.training.optimizer.lr = { log_uniform = [1, 2] }\n",
         "x.toml:9:7: search.space.training: is not a range: a key of the space is in quotes\n"
         "    fix: \"training.optimizer.lr\" = ..."},
        {"space = { \"a.b\" = { log_uniform = [0.0, 1.0] } }\n",
         "x.toml:9:36: search.space.\"a.b\".log_uniform[0] = 0.0: must be in (0, inf)"},
        {"space = { \"a.b\" = { log_integer = [0, 1] } }\n",
         "x.toml:9:36: search.space.\"a.b\".log_integer[0] = 0: must be in [1, inf)"},
        {"space = { \"a.b\" = { uniform = [1.0, 0.0] } }\n",
         "x.toml:9:31: search.space.\"a.b\".uniform = [1.0, 0.0]: the first must be below the "
         "second"},
        {"space = { \"a.b\" = { uniform = [1.0, inf] } }\n",
         "x.toml:9:37: search.space.\"a.b\".uniform[1] = inf: must be in (-inf, inf)"},
        {"space = { \"a.b\" = { integer = [1] } }\n",
         "x.toml:9:31: search.space.\"a.b\".integer = [1]: must have 2 items, has 1"},
        {"space = { \"a.b\" = { choice = 1 } }\n",
         "x.toml:9:30: search.space.\"a.b\".choice = 1: must be a list of values"},
        {"space = { \"a.b\" = { choice = [] } }\n",
         "x.toml:9:30: search.space.\"a.b\".choice = []: must have at least 1 item, has 0"},
        {"space = { \"a.b.c\" = { integer = [1, 2] }, \"a.b\" = { choice = [1] } }\n",
         "x.toml:9:43: search.space.\"a.b\": contains a.b.c, which is searched too\n"
         "    fix: search one of the two"},
        {"space = { \"a.b\" = { choice = [1] }, \"a.b.c\" = { integer = [1, 2] } }\n",
         "x.toml:9:37: search.space.\"a.b.c\": is within a.b, which is searched too\n"
         "    fix: search one of the two"},
        {"space = { \"a.b\" = { choice = [1] }, \"a.'b'\" = { choice = [2] } }\n",
         "x.toml:9:37: search.space.\"a.'b'\": is the same key as a.b, which is searched too\n"
         "    fix: search one of the two"},
        {"space = { \"a.b\" = { log_unifrom = [1, 2] } }\n",
         "x.toml:9:19: search.space.\"a.b\" = { log_unifrom = [1, 2] }: must have either a uniform, a log_uniform, an integer, "
         "a log_integer or a choice\n"
         "x.toml:9:21: search.space.\"a.b\".log_unifrom: unknown key; did you mean 'log_uniform'?"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of(with(c.text)) == std::string(c.problems));
    }
}

}  // namespace read_searching_test
