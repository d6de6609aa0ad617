#include "engine/data/reservoir.hpp"

#include "base/error.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"
#include "unit/engine/component/recording_device.hpp"

#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <semaphore>
#include <set>
#include <string_view>
#include <vector>

namespace reservoir_test {

using ptp::RunError;
using namespace ptp::engine;

namespace {

constexpr std::int64_t kSamples = 40;  // 20 batches of 2

// A functions' table cannot carry anything along.
std::counting_semaphore<1000>* allowed = nullptr;  // a batch is loaded for each
std::atomic<bool> is_failing = false;
const ptp_host* host = nullptr;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    allowed->acquire();
    if (is_failing) {
        host->fail(host->context, PTP_ERROR_DATA, "the disk is gone");
        return PTP_ERROR_DATA;
    }
    at::Tensor numbers =
        at::empty({static_cast<std::int64_t>(wanted->count)}, at::TensorOptions(at::kLong));
    std::copy_n(wanted->indices, wanted->count, numbers.data_ptr<std::int64_t>());
    ptp::test::tensor_in(outputs[0]) = numbers;
    return PTP_OK;
}

const void* extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), PTP_TASK_CONCURRENT, size, fetch};
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

struct Loading {
    Loading(std::int64_t held, std::int64_t exchange, std::ptrdiff_t batches) : gate(batches) {
        allowed = &gate;
        is_failing = false;
        section.name = "training";
        section.task.batch_size = 2;
        section.dataloader.num_workers = 1;
        section.dataloader.mode = "reservoir";
        section.dataloader.reservoir_size = held;
        section.dataloader.reservoir_exchange = exchange;
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension;
        info.create = [](const ptp_host* given, const ptp_setup*, void** out) -> ptp_status {
            host = given;
            *out = &host;
            return PTP_OK;
        };
        plan.add_stream("numbers", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("indices", ptp::plugin::Element::kInteger, {-1});
        plan.add_task(info, {{"numbers", 0}}).indices_stream = 1;
        components = plan.create();
        source.emplace(section, plan.plan, *components.tasks[0], 1);
    }
    // A loader that waits for leave gets it, or it could not end.
    ~Loading() { gate.release(500); }
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;

    // The batches that `count` calls give, each by its first sample.
    std::vector<std::int64_t> take(Pass& pass, int count) {
        std::vector<std::int64_t> taken;
        Frame frame(plan.plan);
        for (int i = 0; i < count; ++i) {
            REQUIRE(pass.next(frame));
            CHECK(pass.batch_size() == 2);
            CHECK(frame[1].tensor.equal(frame[0].tensor));
            taken.push_back(frame[0].tensor.data_ptr<std::int64_t>()[0]);
        }
        return taken;
    }

    std::counting_semaphore<1000> gate;
    ptp::experiment::Section section;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::optional<BatchSource> source;
};

std::set<std::int64_t> distinct(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("reservoir: training continues with what is there while nothing new comes") {
    Loading loading(4, 2, 4);  // four batches, and then the loaders hang
    CHECK_FALSE(loading.source->is_reproducible());
    Pass pass(*loading.source, 0, true);
    const std::vector<std::int64_t> taken = loading.take(pass, 16);
    // Four rounds, each of all four held batches.
    for (std::size_t round = 0; round < 4; ++round) {
        const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(round) * 4;
        CHECK(std::set<std::int64_t>(begin, begin + 4) == std::set<std::int64_t>{0, 2, 4, 6});
    }
}

TEST_CASE("reservoir: a pass has as many batches as the set, and the reservoir outlives it") {
    Loading loading(4, 2, 4);
    Frame frame(loading.plan.plan);
    {
        Pass pass(*loading.source, 0, true);
        loading.take(pass, 20);
        CHECK_FALSE(pass.next(frame));
    }
    Pass second(*loading.source, 1, true, 18);
    CHECK(distinct(loading.take(second, 2)).size() == 2);
    CHECK_FALSE(second.next(frame));
}

TEST_CASE("reservoir: after a round what was loaded meanwhile replaces the oldest") {
    Loading loading(4, 2, 4);
    Pass pass(*loading.source, 0, true);
    CHECK(distinct(loading.take(pass, 4)) == std::set<std::int64_t>{0, 2, 4, 6});
    loading.gate.release(2);
    // When both have come depends on the loader; at the latest then, the two oldest are gone.
    std::set<std::int64_t> round;
    for (int epoch = 1; round != std::set<std::int64_t>{4, 6, 8, 10}; ++epoch) {
        Pass next(*loading.source, 0, true);
        for (int i = 0; i < 5; ++i) {
            round = distinct(loading.take(next, 4));
            CHECK(round.size() == 4);
        }
    }
}

TEST_CASE("reservoir: an error of a loader arrives with its text") {
    Loading loading(4, 2, 1);
    is_failing = true;
    Pass pass(*loading.source, 0, true);
    Frame frame(loading.plan.plan);
    CHECK_THROWS_WITH_AS(pass.next(frame), "the task of [training] (Idle): the disk is gone",
                         RunError);
}

TEST_CASE("reservoir: only passes of training are shuffled") {
    Loading loading(4, 2, 20);
    Pass pass(*loading.source, 0, false);
    const std::vector<std::int64_t> taken = loading.take(pass, 20);
    CHECK(std::is_sorted(taken.begin(), taken.end()));
    CHECK(distinct(taken).size() == 20);
}

TEST_CASE(
    "reservoir: on a device the next batch of a round is copied behind the one that is shown") {
    ptp::test::Copies copies;
    Loading loading(3, 1, 3);
    loading.source->copy_ahead(std::make_unique<ptp::test::Copies::Ahead>(copies));
    Pass pass(*loading.source, 0, true);
    Frame frame(loading.plan.plan);
    const auto copied = [&] { return std::ranges::count(copies.calls.take(), "copy"); };
    for (int round = 0; round < 2; ++round) {
        CAPTURE(round);
        REQUIRE(pass.next(frame));
        CHECK(copied() == 2);  // its own, and the next one's
        for (int batch = 1; batch < 3; ++batch) {
            CAPTURE(batch);
            REQUIRE(frame.samples().sent != nullptr);
            REQUIRE(frame[0].ahead.size() == 1);
            CHECK(frame[0].ahead[0].equal(frame[0].tensor));
            REQUIRE(pass.next(frame));
            CHECK(copied() == (batch == 1 ? 1 : 0));  // the round ends with the third
        }
    }
    CHECK(copies.pinned >= 3);
}

}  // namespace reservoir_test
