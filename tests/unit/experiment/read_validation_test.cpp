// Validation sets and processed sections with names of their own, and which set judges.

#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

namespace read_validation_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

constexpr const char* kOneSet = "[validation.task]\ntype = \"FashionMNIST\"\nbatch_size = 100\n";

// The example with these lines in place of its validation, and this judge below [training].
std::string with_sets(const std::string& sets, const std::string& judge = "") {
    const std::string text = replaced(kExample, kOneSet, sets);
    return judge.empty() ? text : replaced(text, "gradient_clipping = 0.5", "judge = " + judge);
}

const std::string kTwoSets =
    "[validation.easy.task]\ntype = 'MNIST'\nbatch_size = 10\n"
    "[validation.hard]\nbatch_limit = 3\n[validation.hard.task]\ntype = 'MNIST'\n"
    "batch_size = 20\n";

std::vector<std::string> names_of(const std::vector<const Section*>& sections) {
    std::vector<std::string> names;
    for (const Section* section : sections) {
        names.push_back(section->name);
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("validation sets: the one that judges comes first, the others as they are written") {
    const Experiment experiment = read_valid(with_sets(kTwoSets, "'hard'"));
    CHECK(experiment.validation->name == "validation.hard");
    CHECK(experiment.validation->batch_limit == 3);
    CHECK(experiment.validation->task.batch_size == 20);
    CHECK(experiment.validation->task.path == "validation.hard.task");
    REQUIRE(experiment.other_validations.size() == 1);
    CHECK(experiment.other_validations[0].name == "validation.easy");
    CHECK_FALSE(experiment.training.judge);
    CHECK(names_of(run_sections(experiment)) ==
          Names{"training", "validation.hard", "validation.easy"});
    CHECK(find_section(experiment, "validation.easy") == &experiment.other_validations[0]);
    CHECK(find_section(experiment, "validation") == nullptr);
}

TEST_CASE("validation sets: a statistic names the set that judges by it") {
    const Experiment experiment =
        read_valid(with_sets(kTwoSets, "{ statistic = 'hard.accuracy.top', better = 'larger' }"));
    CHECK(experiment.validation->name == "validation.hard");
    REQUIRE(experiment.training.judge);
    CHECK(experiment.training.judge->statistic == "accuracy.top");
    CHECK(experiment.training.judging_set == "hard");
}

TEST_CASE("validation sets: one alone judges, whether it has a name or not") {
    const std::string one = "[validation.hard.task]\ntype = 'MNIST'\nbatch_size = 20\n";
    CHECK(read_valid(with_sets(one)).validation->name == "validation.hard");
    for (const char* statistic : {"accuracy", "hard.accuracy"}) {
        const Experiment experiment = read_valid(
            with_sets(one, fmt::format("{{ statistic = '{}', better = 'larger' }}", statistic)));
        CHECK(experiment.training.judge->statistic == "accuracy");
    }
    CHECK(read_valid(kExample).validation->name == "validation");
    CHECK(read_valid(kExample).other_validations.empty());
}

TEST_CASE("validation sets: which one judges must be given, and be known") {
    struct Case {
        const char* judge;
        std::string message;
    };
    const Case cases[] = {
        {"",
         "x.toml:31:1: training.judge: must be given: there are 2 validation sets, easy and hard, "
         "and one of them judges which weights are the best\n"
         "    fix: write judge = \"easy\" below [training], to go by the loss of "
         "[validation.easy], or judge = { statistic = \"easy.NAME\", better = \"larger\" }"},
        {"'hrad'",
         "x.toml:9:9: training.judge = \"hrad\": unknown validation set; did you mean 'hard'?"},
        {"'other'",
         "x.toml:9:9: training.judge = \"other\": unknown validation set; known: easy, hard"},
        {"'hard.accuracy'",
         "x.toml:9:9: training.judge = \"hard.accuracy\": is a statistic, and which values are "
         "better is not given\n    fix: write judge = { statistic = \"hard.accuracy\", better = "
         "\"larger\" }"},
        {"'hard.hits'",
         "x.toml:9:9: training.judge = \"hard.hits\": is a statistic, and which values are better is "
         "not given\n    fix: write judge = { statistic = \"hard.hits\", better = \"larger\" }, or "
         "better = \"smaller\""},
        {"{ statistic = 'accuracy', better = 'larger' }",
         "x.toml:9:23: training.judge.statistic = \"accuracy\": must begin with the name of a "
         "validation set, easy or hard\n    fix: write \"easy.accuracy\""},
        {"{ statistic = 'hrad.accuracy', better = 'larger' }",
         "x.toml:9:23: training.judge.statistic = \"hrad.accuracy\": must begin with the name of a "
         "validation set; did you mean 'hard'?\n    fix: write \"hard.accuracy\""},
        {"''",
         "x.toml:9:9: training.judge = \"\": must be the name of a validation set, or a table "
         "with statistic and better, not empty\n"
         "x.toml:31:1: training.judge: must be given: there are 2 validation sets, easy and hard, "
         "and one of them judges which weights are the best\n"
         "    fix: write judge = \"easy\" below [training], to go by the loss of "
         "[validation.easy], or judge = { statistic = \"easy.NAME\", better = \"larger\" }"}};
    for (const Case& c : cases) {
        CHECK_MESSAGE(problems_of(with_sets(kTwoSets, c.judge)) == c.message, c.judge);
    }
}

TEST_CASE("validation sets: wrong ones are refused") {
    struct Case {
        std::string sets;
        std::string message;
    };
    const Case cases[] = {
        {std::string(kOneSet) + kTwoSets,
         "x.toml:34:13: validation.easy: [validation] is a set itself, with a task of its own\n"
         "    fix: give that set a name too: [validation.NAME.task]\n"
         "x.toml:37:13: validation.hard: [validation] is a set itself, with a task of its own\n"
         "    fix: give that set a name too: [validation.NAME.task]"},
        {"[validation]\nbatch_limit = 2\n[validation.a.task]\ntype = 'MNIST'\nbatch_size = 1\n",
         "x.toml:32:1: validation.batch_limit: belongs to one set, and [validation] has several\n"
         "    fix: write it as validation.NAME.batch_limit"},
        {"[validation]\nshare = 2\n[validation.a.task]\ntype = 'MNIST'\nbatch_size = 1\n",
         "x.toml:32:9: validation.share = 2: unknown key; a validation set must be a table, not an "
         "integer"},
        {"[validation.A.task]\ntype = 'MNIST'\nbatch_size = 1\n[validation.b.task]\ntype = "
         "'MNIST'\nbatch_size = 1\n",
         "x.toml:31:13: validation.A: the name of a section must be in snake_case, as "
         "hard_samples"},
        {"[validation.a_batches.task]\ntype = 'MNIST'\nbatch_size = 1\n[validation.b.task]\n"
         "type = 'MNIST'\nbatch_size = 1\n",
         "x.toml:31:13: validation.a_batches: the name of a section cannot end in _batches: "
         "a_batches.csv is the table with the batches of a section 'a'\n"
         "    fix: give it another name, such as a_samples"},
        {"[validation.a]\nbatch_limit = 1\n[validation.b.task]\ntype = 'MNIST'\nbatch_size = 1\n",
         "x.toml:31:1: validation.a.task: required, but missing: a table (provides the samples; "
         "all its other keys are its settings)"}};
    for (const Case& c : cases) {
        const std::string judge = c.sets.find("[validation.a]") == 0 ? "'b'" : "";
        CHECK_MESSAGE(problems_of(with_sets(c.sets, judge)) == c.message, c.sets);
    }
}

TEST_CASE("processed sections: each has a name, and no run works with them") {
    const std::string sections =
        "[process.test_easy]\nbatch_limit = 2\n[process.test_easy.task]\ntype = 'MNIST'\n"
        "batch_size = 10\n";
    const Experiment experiment = read_valid(kExample + sections);
    REQUIRE(experiment.processed.size() == 1);
    CHECK(experiment.processed[0].name == "process.test_easy");
    CHECK(experiment.processed[0].batch_limit == 2);
    CHECK(names_of(run_sections(experiment)) == Names{"training", "validation"});
    CHECK(names_of(all_sections(experiment)) ==
          Names{"training", "validation", "process.test_easy"});
}

TEST_CASE("processed sections: wrong ones are refused") {
    const std::string task = ".task]\ntype = 'MNIST'\nbatch_size = 10\n";
    CHECK(problems_of(kExample + ("[process.test" + task)) ==
          "x.toml:47:10: process.test: is the name of the table [test]; give it another");
    CHECK(problems_of(kExample + ("[process.Test" + task)) ==
          "x.toml:47:10: process.Test: the name of a section must be in snake_case, as "
          "hard_samples");
    CHECK(problems_of(kExample + ("[process.easy_batches" + task)) ==
          "x.toml:47:10: process.easy_batches: the name of a section cannot end in _batches: "
          "easy_batches.csv is the table with the batches of a section 'easy'\n"
          "    fix: give it another name, such as easy_samples");
    CHECK(problems_of(std::string(kExample) + "[process]\neasy = 1\n") ==
          "x.toml:48:8: process.easy = 1: must be a table, not an integer");
    CHECK(problems_of(kExample + ("[process.easy" + task +
                                  "[process.easy.dataloader]\nmode = 'reservoir'\n")) ==
          "x.toml:51:8: process.easy.dataloader.mode = \"reservoir\": only [training] can have a "
          "reservoir: it draws other samples in every run");
}

TEST_CASE("sections: what their samples are for") {
    CHECK(role_of("training") == "training");
    CHECK(role_of("validation") == "validation");
    CHECK(role_of("validation.hard") == "validation");
    CHECK(role_of("test") == "test");
    CHECK(role_of("process.training") == "test");
}

TEST_CASE("record: sections with names read back to the same record") {
    const std::string sets = kTwoSets + "[process.more.task]\ntype = 'MNIST'\nbatch_size = 7\n";
    for (const char* judge : {"'hard'", "{ statistic = 'hard.a', better = 'larger' }"}) {
        const std::string text = replaced(with_sets(sets, judge), "[validation.easy.task]",
                                          "[validation]\npartial_validation_interval = 5\n"
                                          "[validation.easy.task]");
        const Value record = resolved_tree(read_valid(text));
        CAPTURE(to_toml(record));
        CHECK(resolved_tree(read_valid(to_toml(record))) == record);
        CHECK(*record.find_path("validation.partial_validation_interval") == Value(5));
        CHECK(*record.find_path("validation.hard.batch_limit") == Value(3));
        CHECK(*record.find_path("validation.easy.task.batch_size") == Value(10));
        CHECK(*record.find_path("process.more.task.batch_size") == Value(7));
    }
    const Value named = resolved_tree(read_valid(with_sets(sets, "'hard'")));
    CHECK(*named.find_path("training.judge") == Value("hard"));
}

TEST_CASE("validation sets: short runs take the place of the one that judges") {
    Experiment fast = read_valid(with_sets(kTwoSets, "'hard'"));
    make_fast_dev_run(fast);
    CHECK(fast.validation->batch_limit == 1);
    CHECK(fast.other_validations[0].batch_limit == 1);

    Diagnostics problems;
    Experiment overfit = read_valid(with_sets(kTwoSets, "'hard'"));
    make_overfit(overfit, 2, problems);
    CHECK(overfit.validation->name == "validation");
    CHECK(overfit.other_validations.empty());
    CHECK(overfit.training.judging_set.empty());
}

}  // namespace read_validation_test
