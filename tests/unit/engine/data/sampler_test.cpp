#include "engine/data/sampler.hpp"

#include "engine/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using ptp::engine::RunError;
using ptp::engine::Sampling;
using Order = std::vector<std::int64_t>;

namespace {

ptp::config::Section section_named(const std::string& name) {
    ptp::config::Section section;
    section.name = name;
    section.task.type = "MNIST";
    section.task.path = name + ".task";
    section.task.batch_size = 4;
    return section;
}

ptp::config::Sampler sampler(const std::string& type, Order indices) {
    ptp::config::Sampler made{type, ptp::config::Indices{}};
    made.indices->values = std::move(indices);
    made.indices->place = {"x.toml", 3, 9};
    return made;
}

}  // namespace

TEST_CASE("sampler: without shuffling samples come in their order") {
    const Sampling sampling(section_named("validation"), 5, 1);
    CHECK(sampling.order(0) == Order{0, 1, 2, 3, 4});
    CHECK(sampling.order(7) == Order{0, 1, 2, 3, 4});
}

TEST_CASE("sampler: a shuffled order depends on seed, section and epoch alone") {
    ptp::config::Section section = section_named("training");
    section.dataloader.shuffle = true;
    const Sampling sampling(section, 100, 1);
    Order order = sampling.order(3);
    CHECK(order == Sampling(section, 100, 1).order(3));
    CHECK(order != sampling.order(4));
    CHECK(order != Sampling(section, 100, 2).order(3));
    ptp::config::Section other = section_named("test");
    other.dataloader.shuffle = true;
    CHECK(order != Sampling(other, 100, 1).order(3));

    std::sort(order.begin(), order.end());
    Order all(100);
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
}

TEST_CASE("sampler: subsets keep to their indices") {
    ptp::config::Section section = section_named("training");
    section.sampler = sampler("SubsetSequentialSampler", {5, 3, 8});
    CHECK(Sampling(section, 9, 1).order(0) == Order{5, 3, 8});
    section.sampler = sampler("SubsetRandomSampler", {5, 3, 8});
    Order order = Sampling(section, 9, 1).order(0);
    std::sort(order.begin(), order.end());
    CHECK(order == Order{3, 5, 8});
}

TEST_CASE("sampler: what cannot be sampled is refused") {
    ptp::config::Section section = section_named("training");
    section.sampler = sampler("SubsetRandomSampler", {5, 9});
    CHECK_THROWS_WITH_AS(
        Sampling(section, 9, 1),
        "x.toml:3:9: training.sampler.indices: there is no sample 9; MNIST has 9, from 0 to 8",
        RunError);
    section.sampler.reset();
    section.task.place = {"x.toml", 5, 1};
    CHECK_THROWS_WITH_AS(Sampling(section, 0, 1),
                         "x.toml:5:1: training.task (MNIST) has no samples", RunError);
}

TEST_CASE("sampler: a sample's seed depends on epoch and index") {
    const Sampling sampling(section_named("training"), 5, 1);
    CHECK(sampling.sample_seed(0, 1) != sampling.sample_seed(0, 2));
    CHECK(sampling.sample_seed(0, 1) != sampling.sample_seed(1, 1));
    CHECK(sampling.sample_seed(2, 3) ==
          Sampling(section_named("training"), 5, 1).sample_seed(2, 3));
}
