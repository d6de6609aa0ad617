#include "engine/data/sampler.hpp"

#include "base/error.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace sampler_test {

using ptp::RunError;
using ptp::engine::Sampling;
using namespace ptp::experiment;
using Order = std::vector<std::int64_t>;

namespace {

ptp::experiment::Section section_named(const std::string& name) {
    ptp::experiment::Section section;
    section.name = name;
    section.task.type = "MNIST";
    section.task.path = name + ".task";
    section.task.batch_size = 4;
    return section;
}

template <class Type>
ptp::experiment::Sampler subset(Order indices) {
    Type made;
    made.indices = {std::move(indices), {"x.toml", 3, 9}};
    return {made};
}

}  // namespace

TEST_CASE("sampler: without shuffling samples come in their order") {
    const Sampling sampling(section_named("validation"), 5, 1);
    CHECK(sampling.order(0) == Order{0, 1, 2, 3, 4});
    CHECK(sampling.order(7) == Order{0, 1, 2, 3, 4});
}

TEST_CASE("sampler: other weights or classes of as many samples are another sampling") {
    auto section = section_named("training");
    section.sampler = Sampler{WeightedRandomSampler()};
    section.sampler->get<ptp::experiment::Weights>()->weights = {{}, {"x.toml", 3, 9}, "task"};
    const Sampling weighted(section, 3, 1, {.weights = {1, 2, 3}});
    CHECK(weighted == Sampling(section, 3, 1, {.weights = {1, 2, 3}}));
    CHECK_FALSE(weighted == Sampling(section, 3, 1, {.weights = {1, 3, 2}}));
    section.sampler = Sampler{ClassBalancedSampler()};
    const Sampling balanced(section, 4, 1, {.labels = {0, 0, 1, 1}});
    CHECK(balanced == Sampling(section, 4, 1, {.labels = {0, 0, 1, 1}}));
    CHECK_FALSE(balanced == Sampling(section, 4, 1, {.labels = {0, 1, 0, 1}}));
}

TEST_CASE("sampler: it is known how many different samples the epochs may have") {
    auto section = section_named("training");
    section.dataloader.shuffle = true;
    CHECK(Sampling(section, 10, 1).drawable_count(4) == 10);  // others in each epoch
    section.dataloader.shuffle = false;
    CHECK(Sampling(section, 10, 1).drawable_count(4) == 4);
    section.sampler = subset<SubsetRandomSampler>({5, 6, 6, 7});
    CHECK(Sampling(section, 10, 1).drawable_count(4) == 3);
    section.sampler = subset<SubsetSequentialSampler>({5, 6, 6, 7});
    CHECK(Sampling(section, 10, 1).drawable_count(3) == 2);
    RandomSampler some;
    some.samples = 2;
    section.sampler = Sampler{some};
    CHECK(Sampling(section, 10, 1).drawable_count(2) == 10);
    section.sampler = Sampler{WeightedRandomSampler()};
    section.sampler->get<ptp::experiment::Weights>()->weights = {{}, {"x.toml", 3, 9}, "task"};
    CHECK(Sampling(section, 3, 1, {.weights = {1, 0, 3}}).drawable_count(3) == 2);
}

TEST_CASE("sampler: a shuffled order depends on seed, section and epoch alone") {
    ptp::experiment::Section section = section_named("training");
    section.dataloader.shuffle = true;
    const Sampling sampling(section, 100, 1);
    Order order = sampling.order(3);
    CHECK(order == Sampling(section, 100, 1).order(3));
    CHECK(order != sampling.order(4));
    CHECK(order != Sampling(section, 100, 2).order(3));
    ptp::experiment::Section other = section_named("test");
    other.dataloader.shuffle = true;
    CHECK(order != Sampling(other, 100, 1).order(3));

    std::sort(order.begin(), order.end());
    Order all(100);
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
}

TEST_CASE("sampler: a random one draws some of the samples, or with replacement") {
    auto section = section_named("training");
    section.sampler = Sampler{RandomSampler{.samples = 3}};
    const Sampling some(section, 8, 1);
    CHECK(some.order(0).size() == 3);
    CHECK(some.order(0) != some.order(1));
    const Order first = some.order(0);
    CHECK(std::set<std::int64_t>(first.begin(), first.end()).size() == 3);

    section.sampler = Sampler{RandomSampler{.replacement = true, .samples = 1000}};
    const Sampling with_replacement(section, 8, 1);
    const Order drawn = with_replacement.order(0);
    REQUIRE(drawn.size() == 1000);
    for (std::int64_t sample = 0; sample < 8; ++sample) {
        const auto times = std::ranges::count(drawn, sample);
        CHECK(times > 125 - 5 * 11);  // the mean, and five deviations of 10.5
        CHECK(times < 125 + 5 * 11);
    }
    CHECK(drawn == Sampling(section, 8, 1).order(0));

    section.sampler = Sampler{RandomSampler{.samples = 9}};
    CHECK_THROWS_WITH_AS(
        Sampling(section, 8, 1),
        "training.sampler.samples = 9: MNIST has only 8 samples; with replacement = true a sample "
        "may come again",
        RunError);
}

TEST_CASE("sampler: more samples than can be put in an order are refused") {
    CHECK_THROWS_WITH_AS(
        Sampling(section_named("training"), 10'000'000'001, 1),
        "training.task: MNIST has 10000000001 samples; an epoch can have 10000000000 at most",
        RunError);
}

TEST_CASE("sampler: subsets keep to their indices") {
    ptp::experiment::Section section = section_named("training");
    section.sampler = subset<SubsetSequentialSampler>({5, 3, 8});
    CHECK(Sampling(section, 9, 1).order(0) == Order{5, 3, 8});
    section.sampler = subset<SubsetRandomSampler>({5, 3, 8});
    Order order = Sampling(section, 9, 1).order(0);
    std::sort(order.begin(), order.end());
    CHECK(order == Order{3, 5, 8});
}

TEST_CASE("sampler: what cannot be sampled is refused") {
    ptp::experiment::Section section = section_named("training");
    section.sampler = subset<SubsetRandomSampler>({5, 9, 1});
    CHECK_THROWS_WITH_AS(
        Sampling(section, 9, 1),
        "x.toml:3:9: training.sampler.indices: there is no sample 9; MNIST has 9, from 0 to 8",
        RunError);
    section.sampler.reset();
    section.task.place = {"x.toml", 5, 1};
    CHECK_THROWS_WITH_AS(Sampling(section, 0, 1),
                         "x.toml:5:1: training.task (MNIST) has no samples", RunError);
}

TEST_CASE("sampler: k-fold trains on the shuffled rest and measures the fold in order") {
    ptp::experiment::Section training = section_named("training");
    const Folds folds{.folds = 4, .fold = 1};
    training.sampler = Sampler{KFoldRandomSampler{folds}};
    ptp::experiment::Section validation = training;
    validation.name = "validation";
    validation.sampler->get<Folds>()->part = "validation";
    const Sampling outside(training, 42, 1);
    const Sampling inside(validation, 42, 1);
    CHECK(outside.size() == 31);
    CHECK(inside.size() == 11);
    CHECK(outside.order(0) != outside.order(1));
    CHECK(inside.order(0) == inside.order(1));
    Order all = outside.order(5);
    const Order held_out = inside.order(5);
    all.insert(all.end(), held_out.begin(), held_out.end());
    std::sort(all.begin(), all.end());
    CHECK(all == Sampling(section_named("test"), 42, 1).order(0));
    // Another seed of the run leaves the folds as they are.
    CHECK(Sampling(validation, 42, 2).order(0) == inside.order(0));

    KFoldWeightedRandomSampler drawn{folds, {}};
    drawn.weights = {std::vector<double>(42, 0.5), {}};
    drawn.samples = 500;
    training.sampler = Sampler{drawn};
    const Sampling weighted(training, 42, 1, {.weights = drawn.weights->values});
    CHECK(weighted.size() == 500);
    CHECK(weighted.order(0).size() == 500);
    for (const std::int64_t index : weighted.order(0)) {
        CHECK(std::find(held_out.begin(), held_out.end(), index) == held_out.end());
    }
    CHECK(weighted.order(0) ==
          Sampling(training, 42, 1, {.weights = drawn.weights->values}).order(0));
    CHECK(weighted.order(0) != weighted.order(1));
}

TEST_CASE("sampler: a balanced one draws as many samples as the task has, or `samples`") {
    ptp::experiment::Section section = section_named("training");
    section.sampler = Sampler{ClassBalancedSampler()};
    const Order labels = {0, 0, 0, 0, 0, 1};
    CHECK(Sampling(section, 6, 1, {.labels = labels}).size() == 6);
    const Order order = Sampling(section, 6, 1, {.labels = labels}).order(0);
    CHECK(std::count(order.begin(), order.end(), 5) == 3);
    section.sampler->get<ClassBalancedSampler>()->samples = 8;
    CHECK(Sampling(section, 6, 1, {.labels = labels}).order(0).size() == 8);
}

TEST_CASE("sampler: every type can return each sample once and in order") {
    ptp::experiment::Section section = section_named("training");
    section.sampler = subset<SubsetRandomSampler>({5, 3, 8});
    section.sampler->is_each_once = true;
    CHECK(Sampling(section, 9, 1).order(2) == Order{5, 3, 8});
    // In training that is a weight.
    section.sampler->get<SubsetRandomSampler>()->indices->values = {5, 3, 5, 8, 3};
    CHECK(Sampling(section, 9, 1).order(2) == Order{5, 3, 8});
    WeightedRandomSampler weighted;
    weighted.weights = {{0, 1, 0}, {}};
    weighted.samples = 7;
    section.sampler->options = weighted;
    CHECK(Sampling(section, 3, 1).order(0) == Order{0, 1, 2});
    section.sampler->options = ClassBalancedSampler();
    CHECK(Sampling(section, 3, 1).order(0) == Order{0, 1, 2});
}

TEST_CASE("sampler: one by length has whole batches of similar lengths, and its rest last") {
    ptp::experiment::Section section = section_named("training");
    section.sampler = Sampler{LengthGroupedSampler{{.pool = 100}}};
    Order lengths(43);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        lengths[i] = static_cast<std::int64_t>(i * 7 % 43);
    }
    const ptp::engine::SampleFacts known = {.lengths = lengths};
    const Sampling sampling(section, 43, 1, known);
    Order order = sampling.order(0);
    CHECK(order == Sampling(section, 43, 1, known).order(0));
    CHECK(order != sampling.order(1));
    CHECK(order != Sampling(section, 43, 2, known).order(0));
    // One pool: of the 43 lengths from 0 to 42, three are in the rest.
    for (std::size_t batch = 0; batch < 10; ++batch) {
        const std::int64_t shortest = lengths[static_cast<std::size_t>(order[batch * 4])];
        const std::int64_t longest = lengths[static_cast<std::size_t>(order[batch * 4 + 3])];
        CHECK(longest - shortest <= 6);
        CHECK(shortest < longest);
    }
    std::sort(order.begin(), order.end());
    CHECK(order == Sampling(section_named("test"), 43, 1).order(0));

    // In another pool are other samples.
    section.sampler->get<LengthGroupedSampler>()->pool = 1;
    CHECK(sampling.order(0) != Sampling(section, 43, 1, known).order(0));

    // Other lengths of as many samples are another sampling.
    CHECK_FALSE(sampling == Sampling(section, 43, 1, known));
    section.sampler->get<LengthGroupedSampler>()->pool = 100;
    CHECK(sampling == Sampling(section, 43, 1, known));
    std::swap(lengths[0], lengths[1]);
    CHECK_FALSE(sampling == Sampling(section, 43, 1, {.lengths = lengths}));
}

TEST_CASE("sampler: without shuffling, one by length sorts all, equal ones in their order") {
    ptp::experiment::Section section = section_named("validation");
    section.sampler = Sampler{LengthGroupedSampler{{.shuffle = false}}};
    const ptp::engine::SampleFacts known = {.lengths = {4, 2, 4, 1, 2}};
    CHECK(Sampling(section, 5, 1, known).order(0) == Order{3, 1, 4, 0, 2});
    CHECK(Sampling(section, 5, 1, known).order(3) == Order{3, 1, 4, 0, 2});
    section.sampler->is_each_once = true;
    CHECK(Sampling(section, 5, 1).order(0) == Order{0, 1, 2, 3, 4});
}

TEST_CASE("sampler: one by length of a fold or a share has the samples of the random one") {
    ptp::engine::SampleFacts known;
    for (std::int64_t i = 0; i < 42; ++i) {
        known.lengths.push_back(41 - i);
    }
    ptp::experiment::Section section = section_named("training");
    const auto sorted_order = [&](const ptp::experiment::AnySampler& options) {
        section.sampler = Sampler{options};
        Order order = Sampling(section, 42, 1, known).order(0);
        std::sort(order.begin(), order.end());
        return order;
    };
    for (const char* part : {"training", "validation"}) {
        const Folds folds{.folds = 4, .fold = 1, .part = part};
        CHECK(sorted_order(KFoldLengthGroupedSampler{folds, {}}) ==
              sorted_order(KFoldRandomSampler{folds}));
    }
    const ptp::experiment::Split split{.share = {0.25, 0.75}, .seed = 3};
    CHECK(sorted_order(LengthGroupedSplitSampler{split, {}}) ==
          sorted_order(ptp::experiment::RandomSplitSampler{split}));
    // A fold that is measured: the lengths fall with the number.
    section.sampler = Sampler{KFoldLengthGroupedSampler{
        {.folds = 4, .fold = 1, .part = "validation"}, {.shuffle = false}}};
    const Order fold = Sampling(section, 42, 1, known).order(0);
    CHECK(fold.size() == 11);
    CHECK(std::is_sorted(fold.rbegin(), fold.rend()));
}

TEST_CASE("sampler: numbers that do not fit the task are refused") {
    const auto problem = [](const ptp::experiment::AnySampler& options) -> std::string {
        ptp::experiment::Section section = section_named("training");
        section.sampler = Sampler{options, {"x.toml", 3, 9}};
        return ptp::test::error_of<RunError>([&] {
            const auto* drawn = section.sampler->get<ptp::experiment::Weights>();
            const Sampling sampling(
                section, 4, 1,
                {.weights = drawn != nullptr ? drawn->weights->values : std::vector<double>()});
        });
    };
    WeightedRandomSampler weighted;
    weighted.weights = {{1, 2, 3}, {"x.toml", 4, 1}};
    CHECK(
        problem(weighted) ==
        "x.toml:4:1: training.sampler.weights: has 3 numbers, but MNIST has 4 samples; there must "
        "be one for each");
    CHECK(problem(KFoldRandomSampler{{.folds = 5}}) ==
          "x.toml:3:9: training.sampler.folds = 5: MNIST has only 4 samples\n"
          "    fix: set folds = 4, or fewer");
    KFoldWeightedRandomSampler made{{.folds = 4, .fold = 0}, {}};
    made.weights = {{0, 0, 0, 0}, {"x.toml", 4, 1}};
    KFoldWeightedRandomSampler held_out = made;
    held_out.part = "validation";
    ptp::experiment::Section section = section_named("validation");
    section.sampler = Sampler{held_out};
    made.weights->values[static_cast<std::size_t>(Sampling(section, 4, 1).order(0)[0])] = 1;
    CHECK(problem(made) ==
          "x.toml:4:1: training.sampler.weights: all samples outside the fold have a weight of 0");
    ClassBalancedSampler balanced;
    balanced.labels = {{1}, {"x.toml", 4, 1}};
    CHECK(problem(balanced) ==
          "x.toml:4:1: training.sampler.labels: has 1 number, but MNIST has 4 samples; there must "
          "be one for each");
}

TEST_CASE("sampler: stratified folds need as many samples of a class as there are folds") {
    // As in scikit-learn: refused beyond the largest class, warned of beyond the smallest.
    const auto said = [](std::int64_t folds) -> std::string {
        ptp::experiment::Section section = section_named("training");
        section.sampler =
            Sampler{ptp::experiment::KFoldStratifiedSampler{{.folds = folds, .fold = 0}, {}}};
        try {
            return Sampling(section, 9, 1, {.labels = {0, 0, 0, 0, 0, 0, 1, 1, 1}}).warning();
        } catch (const RunError& error) {
            return std::string("refused: ") + error.what();
        }
    };
    CHECK(said(3) == "");
    CHECK(said(4) ==
          "training.sampler.folds = 4: the smallest class has 3 samples, so that 1 of 4 folds "
          "have none of it\n    fix: set folds = 3, or fewer");
    CHECK(said(7) ==
          "refused: training.sampler.folds = 7: no class has a sample for each fold; the largest "
          "has 6 samples\n    fix: set folds = 3, or fewer");
}

TEST_CASE("sampler: a sample's seed depends on epoch and index") {
    const Sampling sampling(section_named("training"), 5, 1);
    CHECK(sampling.sample_seed(0, 1) != sampling.sample_seed(0, 2));
    CHECK(sampling.sample_seed(0, 1) != sampling.sample_seed(1, 1));
    CHECK(sampling.sample_seed(2, 3) ==
          Sampling(section_named("training"), 5, 1).sample_seed(2, 3));
}

}  // namespace sampler_test
