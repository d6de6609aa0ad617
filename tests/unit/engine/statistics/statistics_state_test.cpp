#include "base/error.hpp"
#include "engine/statistics/statistics.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/statistics.h>

#include <ATen/ops/scalar_tensor.h>
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace statistics_state_test {

using ptp::RunError;
using namespace ptp::engine;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double numbers_to_give[2] = {};  // a functions' table cannot carry anything along

const void* extension(const char* id) {
    static const ptp_statistics statistics = {
        sizeof(ptp_statistics), [](void*, std::uint64_t) -> ptp_status { return PTP_OK; },
        [](void*, std::uint64_t, double* values) -> ptp_status {
            values[0] = numbers_to_give[0];
            values[1] = numbers_to_give[1];
            return PTP_OK;
        },
        [](void*, std::uint64_t, double*) -> ptp_status { return PTP_OK; }};
    return std::string_view(id) == PTP_EXTENSION_STATISTICS ? &statistics : nullptr;
}

struct Batch {
    double loss = 0;
    double share = 0;  // of the `support` samples that count
    double support = 0;
    std::uint64_t samples = 0;
};

// Numbers that do not add up exactly, in an order that matters; a batch in which nothing counts.
constexpr Batch kBatches[] = {{0.1, 1.0 / 3, 3, 4},   {1e9 / 7, 0.7, 10, 16}, {-0.3, kNan, 0, 16},
                              {1e-9 / 3, 0.2, 5, 16}, {0.7, 2.0 / 7, 7, 16},  {5.0 / 11, 1, 1, 3}};

ptp::plugin::Statistic statistic(const char* name, ptp::plugin::Aggregation aggregation) {
    ptp::plugin::Statistic made;
    made.name = name;
    made.aggregation = aggregation;
    return made;
}

// A component with the loss `loss`, a mean, and a sum that weighs it.
struct Measurement {
    explicit Measurement(const char* mean_name = "share") {
        plan.add_stream("loss", ptp::plugin::Element::kFloating, {});
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension;
        ptp::pipeline::Node& node =
            plan.add_node("it", ptp::plugin::Kind::kLoss, info, {}, {{"loss", 0, true}});
        ptp::plugin::Statistic mean = statistic(mean_name, ptp::plugin::Aggregation::kMean);
        mean.weight = "support";
        mean.has_spread = true;
        plan.add_statistic(node, mean);
        plan.add_statistic(node, statistic("support", ptp::plugin::Aggregation::kSum));
        components = plan.create();
        statistics.emplace(plan.plan, components);
    }

    void collect(std::span<const Batch> batches) {
        for (const Batch& batch : batches) {
            Frame frame(plan.plan);
            frame[0].tensor = at::scalar_tensor(batch.loss, at::kDouble);
            numbers_to_give[0] = batch.share;
            numbers_to_give[1] = batch.support;
            statistics->read(kTrainingSet, frame, batch.samples);
            statistics->count();
        }
    }

    std::vector<std::uint64_t> bits() {
        std::vector<std::uint64_t> all;
        for (const Aggregate& one : statistics->aggregate(kTrainingSet)) {
            for (const double number : {one.value, one.minimum, one.maximum, one.deviation}) {
                all.push_back(std::bit_cast<std::uint64_t>(number));
            }
        }
        all.push_back(std::bit_cast<std::uint64_t>(statistics->last_loss()));
        all.push_back(std::bit_cast<std::uint64_t>(statistics->mean_loss(kTrainingSet)));
        all.push_back(statistics->batch_count(kTrainingSet));
        return all;
    }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::optional<Statistics> statistics;
};

SavedState saved_halfway() {
    Measurement first_half;
    first_half.collect(std::span(kBatches).first(3));
    return first_half.statistics->save();
}

void check_damaged(const SavedState& saved) {
    Measurement other;
    CHECK_THROWS_WITH_AS(other.statistics->restore(saved),
                         "the saved statistics are incomplete or damaged", RunError);
}

}  // namespace

TEST_CASE(
    "statistics state: half an epoch, saved and restored, ends with the bits of a whole one") {
    Measurement whole;
    whole.collect(kBatches);
    Measurement second_half;
    second_half.statistics->restore(saved_halfway());
    second_half.collect(std::span(kBatches).last(3));
    CHECK(second_half.bits() == whole.bits());
    CHECK(second_half.statistics->batch_count(kTrainingSet) == 6);
}

TEST_CASE("statistics state: a saved state does not follow what is collected later") {
    Measurement measured;
    measured.collect(std::span(kBatches).first(3));
    const SavedState saved = measured.statistics->save();
    const std::vector<std::uint64_t> bits = measured.bits();
    measured.collect(std::span(kBatches).last(3));
    CHECK(measured.bits() != bits);
    measured.statistics->restore(saved);
    CHECK(measured.bits() == bits);
}

TEST_CASE("statistics state: the state of another pipeline is refused") {
    Measurement other("part");
    CHECK_THROWS_WITH_AS(other.statistics->restore(saved_halfway()),
                         "the saved statistics are loss, share, support; this pipeline has loss, "
                         "part, support",
                         RunError);
}

TEST_CASE("statistics state: one that lacks something is refused") {
    SavedState saved = saved_halfway();
    saved.record.erase("columns");
    check_damaged(saved);

    saved = saved_halfway();
    saved.record.set("batches", -1);
    check_damaged(saved);

    saved = saved_halfway();
    saved.tensors.pop_back();
    check_damaged(saved);

    saved = saved_halfway();
    saved.tensors[0].second = saved.tensors[0].second.slice(0, 1);
    check_damaged(saved);
}

}  // namespace statistics_state_test
