#include "engine/statistics/statistics.hpp"

#include "support/engine_plan.hpp"

#include <ptp/ext/statistics.h>

#include <ATen/ops/scalar_tensor.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace statistics_test {

using namespace ptp::engine;

namespace {

class SecondProcess : public ptp::engine::Collective {
    [[nodiscard]] std::uint64_t rank() const override { return 1; }
};

double weight_to_give = 0;  // a functions' table cannot carry anything along

const void* extension(const char* id) {
    static const ptp_statistics statistics = {
        sizeof(ptp_statistics), [](void*, std::uint64_t) -> ptp_status { return PTP_OK; },
        [](void*, std::uint64_t, double* values) -> ptp_status {
            values[0] = weight_to_give;
            return PTP_OK;
        },
        [](void*, std::uint64_t, double*) -> ptp_status { return PTP_OK; }};
    return std::string_view(id) == PTP_EXTENSION_STATISTICS ? &statistics : nullptr;
}

struct Loss {
    double value = 0;
    double weight = 0;
};

// A component with the loss `loss` and the hidden statistic of this name, and one with the plain
// loss `other`, which is always 1.
struct TwoLosses {
    explicit TwoLosses(const char* statistic_name) {
        plan.add_stream("loss", ptp::plugin::Element::kFloating, {});
        plan.add_stream("other", ptp::plugin::Element::kFloating, {});
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension;
        ptp::plugin::Statistic statistic;
        statistic.name = statistic_name;
        statistic.aggregation = ptp::plugin::Aggregation::kSum;
        statistic.is_hidden = true;
        plan.add_statistic(
            plan.add_node("first", ptp::plugin::Kind::kLoss, info, {}, {{"loss", 0, true}}),
            statistic);
        plan.add_node("second", ptp::plugin::Kind::kLoss, ptp::test::idle_component(), {},
                      {{"other", 1, true}});
        components = plan.create();
        statistics.emplace(plan.plan, components);
    }

    void collect(const Loss& loss, std::uint64_t samples) {
        Frame frame(plan.plan);
        frame[0].tensor = at::scalar_tensor(loss.value);
        frame[1].tensor = at::scalar_tensor(1.0);
        weight_to_give = loss.weight;
        statistics->read(kTrainingSet, frame, samples);
        statistics->count();
    }

    // The loss of a batch whose shares have these, as each process finds it.
    double of_shares(const std::vector<Loss>& shares) const {
        ptp::engine::Collective first;
        SecondProcess second;
        std::vector<std::unique_ptr<Statistics>> processes;
        std::vector<double> sums;
        for (const Loss& loss : shares) {
            Statistics& own =
                *processes.emplace_back(std::make_unique<Statistics>(plan.plan, components));
            own.share({false, false}, processes.size() == 1 ? first : second);
            Frame frame(plan.plan);
            frame[0].tensor = at::scalar_tensor(loss.value);
            frame[1].tensor = at::scalar_tensor(1.0);
            weight_to_give = loss.weight;
            own.read(kTrainingSet, frame, 2);
            const std::vector<double> found = own.own_sums();
            sums.resize(found.size());
            std::ranges::transform(sums, found, sums.begin(), std::plus());
        }
        for (const std::unique_ptr<Statistics>& own : processes) {
            own->take_sums(sums);
        }
        return processes.back()->values()[0];
    }

    // What the set gives for the column of this name.
    Aggregate of(const std::string& name) {
        const std::vector<Aggregate> all = statistics->aggregate(kTrainingSet);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (statistics->columns()[i].name == name) {
                return all[i];
            }
        }
        throw std::logic_error("there is no column " + name);
    }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::optional<Statistics> statistics;
};

}  // namespace

TEST_CASE("statistics: a set's loss is weighted by the hidden statistic <port>_weight") {
    TwoLosses losses("loss_weight");
    losses.collect({.value = 2, .weight = 1}, 4);
    losses.collect({.value = 6, .weight = 3}, 4);
    losses.collect({.value = 0, .weight = 0}, 4);
    CHECK(losses.of("loss").value == 5.0);  // (1 * 2 + 3 * 6) / 4
    CHECK(losses.of("loss").minimum == 2.0);
    CHECK(losses.of("other").value == 1.0);
    CHECK(losses.of("total_loss").value == 6.0);  // the sum of both, which is what decides
    CHECK(losses.statistics->mean_loss(kTrainingSet) == 6.0);
    CHECK(losses.statistics->batch_count(kTrainingSet) == 3);
    losses.statistics->reset(kTrainingSet);
    CHECK(losses.statistics->batch_count(kTrainingSet) == 0);
}

TEST_CASE("statistics: without such a statistic a set's loss is weighted by samples") {
    TwoLosses losses("weight");
    losses.collect({.value = 2, .weight = 9}, 3);
    losses.collect({.value = 6, .weight = 9}, 1);
    CHECK(losses.of("loss").value == 3.0);  // (3 * 2 + 1 * 6) / 4
}

TEST_CASE("statistics: the mean of nothing is 0 where it is not a finite number") {
    TwoLosses losses("loss_weight");
    losses.collect({.value = NAN, .weight = 0}, 4);
    CHECK(losses.statistics->last_loss() == 1.0);  // of the other loss
    CHECK(losses.statistics->bad_losses() == "");
    CHECK_FALSE(losses.statistics->is_of_nothing());  // the other loss counts
    losses.collect({.value = 2, .weight = 1}, 4);
    CHECK(losses.of("loss").value == 2.0);
    losses.collect({.value = NAN, .weight = 1}, 4);
    CHECK(losses.statistics->bad_losses() == "'loss' is nan");
}

TEST_CASE("statistics: a loss whose weight is 0 is its sum, in a set and in shares") {
    TwoLosses losses("loss_weight");
    losses.collect({.value = 2, .weight = 3}, 4);
    losses.collect({.value = 6, .weight = 0}, 4);
    CHECK(losses.of("loss").value == 4.0);  // (3 * 2 + 6) / 3
    // A batch of two processes, and then one in which neither has a weight.
    CHECK(losses.of_shares({{.value = 2, .weight = 3}, {.value = 6, .weight = 0}}) == 4.0);
    CHECK(losses.of_shares({{.value = 2, .weight = 0}, {.value = 6, .weight = 0}}) == 8.0);
    CHECK(losses.of_shares({{.value = 0, .weight = 0}, {.value = 0, .weight = 0}}) == 0.0);
    CHECK(losses.of_shares({{.value = NAN, .weight = 0}, {.value = 5, .weight = 1}}) == 5.0);
    CHECK(std::isnan(losses.of_shares({{.value = NAN, .weight = 1}, {.value = 5, .weight = 1}})));
}

TEST_CASE("statistics: a set in which nothing counts has no loss") {
    TwoLosses losses("loss_weight");
    losses.collect({.value = 0, .weight = 0}, 4);
    CHECK(std::isnan(losses.statistics->mean_loss(kTrainingSet)));
}

}  // namespace statistics_test
