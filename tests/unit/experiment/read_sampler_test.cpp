// The table `sampler` of a section: what it may hold, and every mistake in it.

#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace read_sampler_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

constexpr const char* kSubset = "type = \"SubsetRandomSampler\"\nindices = [0, 55000]";

struct Case {
    const char* what;  // a part of the example ...
    const char* by;    // ... and what stands there instead
    std::string message;
};

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        CAPTURE(c.by);
        CHECK(problems_of(replaced(kExample, c.what, c.by)) == c.message);
    }
}

Sampler sampler(const std::string& text) {
    Loader loader(replaced(kExample, kSubset, text));
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    return *experiment.training.sampler;
}

// Both sections with these tables.
std::string folds(const std::string& training, const std::string& validation) {
    return replaced(kExample, kSubset, "type = 'kFoldRandomSampler'\n" + training) +
           "[validation.sampler]\ntype = 'kFoldRandomSampler'\n" + validation;
}

}  // namespace

TEST_CASE("sampler: its type says how an epoch is made") {
    CHECK_FALSE(sampler("type = 'RandomSampler'").is_in_order());
    CHECK(sampler("type = 'SequentialSampler'").is_in_order());
    CHECK_FALSE(sampler(kSubset).is_in_order());
    CHECK(sampler("type = 'SubsetSequentialSampler'\nindices = [1]").is_in_order());
    CHECK_FALSE(sampler("type = 'WeightedRandomSampler'\nweights = [1, 0.5]").is_in_order());
    CHECK_FALSE(sampler("type = 'ClassBalancedSampler'").is_in_order());
    CHECK(sampler("type = 'ClassBalancedSampler'").needs_labels());
    const std::string folds = "type = 'kFoldRandomSampler'\nfolds = 5\nfold = 4\n";
    CHECK_FALSE(sampler(folds).is_in_order());
    CHECK(sampler(folds + "part = 'validation'").is_in_order());
    const std::string weighted =
        "type = 'kFoldWeightedRandomSampler'\nfolds = 2\nfold = 0\nweights = '0,1e1'\n";
    CHECK_FALSE(sampler(weighted).is_in_order());
    CHECK(sampler(weighted).get<Weights>()->weights->values == std::vector<double>{0, 10});
    CHECK(sampler(weighted + "part = 'validation'").is_in_order());
}

TEST_CASE("sampler: one by length shuffles in training, and sorts what is measured") {
    const Sampler grouped = sampler("type = 'LengthGroupedSampler'");
    CHECK(grouped.needs_lengths());
    CHECK_FALSE(grouped.is_in_order());
    CHECK(grouped.get<Lengths>()->length_stream == "lengths");
    CHECK(grouped.get<Lengths>()->pool == 50);
    CHECK(grouped.get<Lengths>()->shuffle);
    const Sampler given =
        sampler("type = 'LengthGroupedSampler'\nlength_stream = 'n'\npool = 1\nshuffle = false");
    CHECK(given.get<Lengths>()->length_stream == "n");
    CHECK(given.get<Lengths>()->pool == 1);
    CHECK_FALSE(given.get<Lengths>()->shuffle);
    const Sampler fold = sampler("type = 'kFoldLengthGroupedSampler'\nfolds = 5\nfold = 4");
    CHECK(fold.get<Folds>()->fold == 4);
    CHECK(fold.needs_lengths());
    CHECK_FALSE(fold.needs_labels());
    CHECK(sampler("type = 'LengthGroupedSplitSampler'\nshare = [0, 0.5]").get<Split>()->share[1] ==
          0.5);
    Loader loader(std::string(kExample) + "[validation.sampler]\ntype = 'LengthGroupedSampler'\n");
    CHECK_FALSE(loader.read().validation->sampler->get<Lengths>()->shuffle);
    check({
        {kSubset, "type = 'LengthGroupedSampler'\npool = 0",
         "x.toml:22:8: training.sampler.pool = 0: must be in [1, inf)"},
        {kSubset, "type = 'LengthGroupedSampler'\nfolds = 5",
         "x.toml:22:1: training.sampler.folds: LengthGroupedSampler has no option 'folds' "
         "(kFoldRandomSampler, kFoldWeightedRandomSampler, kFoldStratifiedSampler, "
         "kFoldGroupSampler and kFoldLengthGroupedSampler have)"},
        {kSubset, "type = 'BucketIterator'",
         "x.toml:21:8: training.sampler.type = \"BucketIterator\": unknown type\n"
         "    fix: write type = \"LengthGroupedSampler\""},
    });
}

TEST_CASE("sampler: training has the samples outside the fold, other sections those inside") {
    Loader loader(
        folds("folds = 5\nfold = 1\nfold_seed = 3", "folds = 5\nfold = 1\nfold_seed = 3"));
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    CHECK(experiment.training.sampler->get<Folds>()->part == "training");
    CHECK(experiment.validation->sampler->get<Folds>()->part == "validation");
    CHECK(experiment.validation->sampler->get<Folds>()->fold_seed == 3);
}

TEST_CASE("sampler: wrong kinds and indices are refused") {
    check({
        {"\"SubsetRandomSampler\"", "'SubsetRandomSample'",
         "x.toml:21:8: training.sampler.type = \"SubsetRandomSample\": unknown type; did you mean "
         "'SubsetRandomSampler'?"},
        {"\"SubsetRandomSampler\"", "'kFoldSampler'",
         "x.toml:21:8: training.sampler.type = \"kFoldSampler\": unknown type; did you mean "
         "'kFoldGroupSampler'?"},
        {"\"SubsetRandomSampler\"", "'RandomSampler'",
         "x.toml:22:1: training.sampler.indices: RandomSampler has no option 'indices' "
         "(SubsetRandomSampler and SubsetSequentialSampler have)"},
        {"[0, 55000]", "5",
         "x.toml:22:11: training.sampler.indices = 5: must be a list of integers, a string of "
         "them, or the name of a file, not an integer"},
        {"[0, 55000]", "[]", "x.toml:22:11: training.sampler.indices = []: must not be empty"},
        {"[0, 55000]", "' '", "x.toml:22:11: training.sampler.indices = \" \": must not be empty"},
        {"[0, 55000]", "[9, 9]",
         "x.toml:22:11: training.sampler.indices = [9, 9]: two numbers are the range [begin, end), "
         "so begin must be below end"},
        {"[0, 55000]", "'9,1'",
         "x.toml:22:11: training.sampler.indices = \"9,1\": two numbers are the range [begin, "
         "end), so begin must be below end"},
        {"[0, 55000]", "[1, -2, 3, 'a']",
         "x.toml:22:15: training.sampler.indices[1] = -2: must be in [0, inf)\n"
         "x.toml:22:22: training.sampler.indices[3] = \"a\": must be an integer in [0, inf), not a "
         "string"},
        {"[0, 55000]", "'1,,2'",
         "x.toml:22:11: training.sampler.indices = \"1,,2\": item 2 is '', not an integer in [0, "
         "inf)"},
        {"[0, 55000]", "'1,-2'",
         "x.toml:22:11: training.sampler.indices = \"1,-2\": item 2 is '-2', not an integer in [0, "
         "inf)"},
        {"[0, 55000]", "'none.txt'",
         "x.toml:22:11: training.sampler.indices = \"none.txt\": none.txt: no such file"},
        {"[0, 55000]", "'0:5'",
         "x.toml:22:11: training.sampler.indices = \"0:5\": 0:5: no such file\n    fix: write indices "
         "= [0, 5]"},
        {"[0, 55000]", "[4, 0, 1, 4, 4]",
         "x.toml:22:11: training.sampler.indices: warning: has sample 4 3 times, so often an epoch "
         "has it, too"},
        {"[0, 55000]", "'.'",
         "x.toml:22:11: training.sampler.indices = \".\": : is not a regular file of at most 64 "
         "MiB"},
        {"[0, 55000]", "'~you/a'",
         "x.toml:22:11: training.sampler.indices = \"~you/a\": '~' is not known here: use an "
         "absolute path"},
    });
}

TEST_CASE("sampler: a byte order mark before a file of numbers is no part of it") {
    Loader loader(replaced(kExample, kSubset, "type = 'SubsetRandomSampler'\nindices = 'set.txt'"));
    loader.write("set.txt",
                 "\xEF\xBB\xBF"
                 "4\r\n2\r\n1\r\n");
    const Experiment experiment = loader.read();
    CHECK(loader.problems() == "");
    CHECK(experiment.training.sampler->get<SubsetRandomSampler>()->indices->values ==
          std::vector<std::int64_t>{4, 2, 1});
}

TEST_CASE("sampler: wrong files of numbers are refused, with the line") {
    struct File {
        const char* sampler;
        const char* content;
        const char* message;
    };
    const File files[] = {
        {"type = 'SubsetRandomSampler'\nindices = 'set.txt'", "1, 2, 3\n5\n6, x3, 4\n",
         "x.toml:22:11: training.sampler.indices = \"set.txt\": set.txt:3: item 2 is 'x3', not an "
         "integer in [0, inf)"},
        {"type = 'SubsetRandomSampler'\nindices = 'set.txt'", "1,,2\n-5\n",
         "x.toml:22:11: training.sampler.indices = \"set.txt\": set.txt:1: item 2 is '', not an "
         "integer in [0, inf) (and 1 more)"},
        {"type = 'WeightedRandomSampler'\nweights = 'set.txt'", "0.5,1e-3\nnan,inf\n",
         "x.toml:22:11: training.sampler.weights = \"set.txt\": set.txt:2: item 1 is 'nan', not a "
         "number in [0, inf) (and 1 more)"},
        {"type = 'ClassBalancedSampler'\nlabels = 'set.txt'", "\n\n",
         "x.toml:22:10: training.sampler.labels = \"set.txt\": must not be empty"},
    };
    for (const File& file : files) {
        CAPTURE(file.content);
        Loader loader(replaced(kExample, kSubset, file.sampler));
        loader.write("set.txt", file.content);
        loader.read();
        CHECK(loader.problems() == file.message);
    }
}

TEST_CASE("sampler: wrong weights, labels and folds are refused") {
    const auto type = [](const std::string& text) { return "type = '" + text; };
    const std::string weighted = type("WeightedRandomSampler'\n");
    const std::string folded = type("kFoldRandomSampler'\n");
    const std::string balanced = type("ClassBalancedSampler'\n");
    const std::vector<std::pair<std::string, std::string>> cases = {
        {weighted,
         "x.toml:20:1: training.sampler.weights: required, but missing: a list of numbers, a "
         "string of them, the name of a file, or \"task\" (a number for each sample of the task, or "
         "\"task\": those that the task states, else 1 divided by the size of the sample's class)\n"
         "    fix: write weights = \"task\""},
        {weighted + "weights = 1",
         "x.toml:22:11: training.sampler.weights = 1: must be a list of numbers, a string of them, "
         "the name of a file, or \"task\", not an integer"},
        {weighted + "weights = [1, -0.5, 'a']",
         "x.toml:22:15: training.sampler.weights[1] = -0.5: must be in [0, inf)\n"
         "x.toml:22:21: training.sampler.weights[2] = \"a\": must be a real in [0, inf), not a "
         "string"},
        {weighted + "weights = [0, 0.0]",
         "x.toml:22:11: training.sampler.weights = [0, 0.0]: at least one weight must be above 0"},
        {weighted + "weights = [1, 1e308]",
         "x.toml:22:15: training.sampler.weights[1] = 1e+308: must be at most 3.4028235e+38 in "
         "size, the largest number of 32 bits, with which components compute"},
        {weighted + "weights = [1]\nsamples = 0",
         "x.toml:23:11: training.sampler.samples = 0: must be in [1, 10000000000]"},
        {folded + "folds = 1\nfold = 0",
         "x.toml:22:9: training.sampler.folds = 1: must be in [2, inf)"},
        {folded + "folds = 5\nfold = 5",
         "x.toml:23:8: training.sampler.fold = 5: must be below the number of folds, which is 5"},
        {folded + "folds = 5\nfold = 4\npart = 'test'",
         "x.toml:24:8: training.sampler.part = \"test\": must be one of training, validation"},
        {folded + "folds = 5\nfold = 4\nsamples = 9",
         "x.toml:24:1: training.sampler.samples: "
         "kFoldRandomSampler has no option 'samples' (RandomSampler, WeightedRandomSampler, "
         "kFoldWeightedRandomSampler and ClassBalancedSampler have)"},
        {balanced + "labels = [1, 2]\nlabel_stream = 'targets'",
         "x.toml:23:16: training.sampler.label_stream = \"targets\": is not used beside 'labels'; "
         "give one of them"},
        {balanced + "labels = [0.5]",
         "x.toml:22:11: training.sampler.labels[0] = 0.5: must be an integer in [0, inf), not a "
         "real"},
    };
    for (const auto& [text, message] : cases) {
        CAPTURE(text);
        CHECK(problems_of(replaced(kExample, kSubset, text)) == message);
    }
}

TEST_CASE("sampler: sections that could see one another's folds are refused") {
    CHECK(
        problems_of(folds("folds = 5\nfold = 1", "folds = 5\nfold = 2")) ==
        "x.toml:51:8: validation.sampler.fold = 2: must be 1 as in [training], or the section has "
        "samples that are trained on");
    CHECK(problems_of(folds("folds = 5\nfold = 1\nfold_seed = 4", "folds = 4\nfold = 1")) ==
          "x.toml:49:1: validation.sampler.fold_seed = 0: must be 4 as in [training], or the "
          "section has samples that are trained on\n"
          "x.toml:51:9: validation.sampler.folds = 4: must be 5 as in [training], or the section "
          "has samples that are trained on");
    CHECK(problems_of(folds("folds = 5\nfold = 1", "folds = 5\nfold = 1\npart = 'training'")) ==
          "x.toml:52:8: validation.sampler.part = \"training\": must not be the part that "
          "[training] has");
    const std::string stratified = "type = 'kFoldStratifiedSampler'\nfolds = 5\nfold = 1\n";
    CHECK(problems_of(replaced(kExample, kSubset, stratified) +
                      "[validation.sampler]\ntype = 'kFoldRandomSampler'\nfolds = 5\nfold = 1") ==
          "x.toml:50:8: validation.sampler.type = \"kFoldRandomSampler\": must be "
          "kFoldStratifiedSampler as in [training], or the section has samples that are trained "
          "on");
    CHECK(problems_of(replaced(kExample, kSubset, stratified + "labels = [0, 1]") +
                      "[validation.sampler]\n" + stratified) == "");
}

TEST_CASE("sampler: shares of a split") {
    const Sampler split =
        sampler("type = 'StratifiedSplitSampler'\nshare = [0.25, 1]\nseed = 7\nlabels = [0, 1]");
    REQUIRE(split.get<Split>() != nullptr);
    CHECK(split.get<Split>()->share == std::array<double, 2>{0.25, 1});
    CHECK(split.get<Split>()->seed == 7);
    CHECK(split.needs_labels());
    CHECK_FALSE(split.is_in_order());
    CHECK_FALSE(sampler("type = 'RandomSplitSampler'\nshare = [0, 0.5]").needs_labels());
    const std::string type = "type = 'RandomSplitSampler'\n";
    check({
        {kSubset, "type = 'RandomSplitSampler'",
         "x.toml:20:1: training.sampler.share: required, but missing: a list of 2 reals in [0, 1] "
         "([begin, end) of the samples in the split's order, as parts of 1)"},
        {kSubset, "type = 'RandomSplitSampler'\nshare = [0.5, 0.5]",
         "x.toml:22:9: training.sampler.share = [0.5, 0.5]: must be [begin, end] with begin below "
         "end, such as [0.0, 0.8]"},
        {kSubset, "type = 'RandomSplitSampler'\nshare = [0, 2]",
         "x.toml:22:13: training.sampler.share[1] = 2: must be in [0, 1]"},
    });
}

TEST_CASE("sampler: shares of one task's samples that overlap are refused") {
    const auto splits = [](const std::string& training, const std::string& validation) {
        return problems_of(replaced(kExample, kSubset, "type = 'RandomSplitSampler'\n" + training) +
                               "[validation.sampler]\n" + validation,
                           {"validation.task.resize_image=[32, 32]"});
    };
    const std::string type = "type = 'RandomSplitSampler'\n";
    CHECK(splits("share = [0, 0.8]", type + "share = [0.8, 1]") == "");
    CHECK(splits("share = [0, 0.8]", type + "share = [0.7, 1]") ==
          "x.toml:49:9: validation.sampler.share = [0.7, 1.0]: has samples of [training], whose "
          "share is [0, 0.8]");
    CHECK(splits("share = [0, 0.8]\nseed = 3", type + "share = [0.8, 1]") ==
          "x.toml:48:1: validation.sampler.seed = 0: must be 3 as in [training], or the sections "
          "have samples in common");
    CHECK(splits("share = [0, 0.8]", "type = 'StratifiedSplitSampler'\nshare = [0.8, 1]") ==
          "x.toml:48:8: validation.sampler.type = \"StratifiedSplitSampler\": must be "
          "RandomSplitSampler as in [training], or the sections have samples in common");
    // One split, whatever the order.
    CHECK(splits("share = [0, 0.8]", "type = 'LengthGroupedSplitSampler'\nshare = [0.8, 1]") == "");
    CHECK(splits("share = [0, 0.8]", "type = 'LengthGroupedSplitSampler'\nshare = [0.7, 1]") ==
          "x.toml:49:9: validation.sampler.share = [0.7, 1.0]: has samples of [training], whose "
          "share is [0, 0.8]");
    // Other data.
    CHECK(problems_of(replaced(kExample, kSubset, type + "share = [0, 0.8]") +
                      "[validation.sampler]\n" + type + "share = [0.7, 1]") == "");
}

}  // namespace read_sampler_test
