#include "engine/component/executor.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"
#include "unit/engine/component/recording_device.hpp"

#include <ptp/ext/samples.h>
#include <ptp/ext/task.h>

#include <ATen/ops/full.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dropped_streams_test {

using namespace ptp::engine;
using ptp::plugin::Element;
using ptp::plugin::Kind;

namespace {

constexpr std::int64_t kWidth = 16384;  // 64 KiB for each sample
constexpr int kRaw = 0;
constexpr int kRead = 1;
constexpr int kMade = 2;
constexpr int kResult = 3;

// A row for each sample, of its index.
at::Tensor rows(const ptp_fetch& wanted) {
    at::Tensor tensor = at::full({static_cast<std::int64_t>(wanted.count), kWidth}, 0.0f);
    for (std::uint64_t i = 0; i < wanted.count; ++i) {
        tensor[static_cast<std::int64_t>(i)].fill_(static_cast<float>(wanted.indices[i]));
    }
    return tensor;
}

ptp_component_info two_streams() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_task task = {
            sizeof(ptp_task), PTP_TASK_CONCURRENT,
            [](void*, std::int64_t* out) -> ptp_status {
                *out = 8;
                return PTP_OK;
            },
            [](void*, const ptp_fetch* wanted, ptp_value* const* outputs) -> ptp_status {
                ptp::test::tensor_in(outputs[0]) = rows(*wanted);
                ptp::test::tensor_in(outputs[1]) = rows(*wanted) + 100;
                return PTP_OK;
            }};
        return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
    };
    return info;
}

ptp_component_info doubling() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_sample_transform table = {
            sizeof(ptp_sample_transform),
            [](void*, const ptp_samples*, const ptp_value* const* inputs,
               ptp_value* const* outputs) -> ptp_status {
                ptp::test::tensor_in(outputs[0]) = ptp::test::tensor_in(inputs[0]) * 2;
                return PTP_OK;
            }};
        return std::string_view(id) == PTP_EXTENSION_SAMPLES ? &table : nullptr;
    };
    return info;
}

ptp_component_info sum_of_both() {
    ptp_component_info info = ptp::test::idle_component();
    info.forward = [](void*, const ptp_step*, const ptp_value* const* inputs,
                      ptp_value* const* outputs) -> ptp_status {
        ptp::test::tensor_in(outputs[0]) =
            ptp::test::tensor_in(inputs[0]) + ptp::test::tensor_in(inputs[1]);
        return PTP_OK;
    };
    return info;
}

// "raw" -> doubled in the loader stage -> "made"; a model reads "made" and "read".
struct Pipeline {
    Pipeline() {
        for (const char* name : {"raw", "read", "made", "result"}) {
            plan.add_stream(name, Element::kFloating, {-1, kWidth});
        }
        plan.add_task(two_streams(), {{"raw", kRaw}, {"read", kRead}});
        plan.add_node("doubled", Kind::kTransform, doubling(), {{"inputs", kRaw}},
                      {{"outputs", kMade}});
        plan.add_node("sum", Kind::kModel, sum_of_both(), {{"left", kMade}, {"right", kRead}},
                      {{"outputs", kResult}});
    }

    void create(std::int64_t workers) {
        components = plan.create();
        section.name = "training";
        section.task.batch_size = 2;
        section.dataloader.num_workers = workers;
        task = components.tasks[0].get();
        source.emplace(section, plan.plan, *task, 1,
                       ptp::engine::BatchTransforms{.loaded = loader_stage(components, *task)});
    }

    [[nodiscard]] std::vector<int> unread() const { return unread_streams(components, *task); }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    ptp::engine::Instance* task = nullptr;
    ptp::experiment::Section section;
    std::optional<BatchSource> source;
};

ptp_step step_of(const Pass& pass) {
    ptp_step step{};
    step.struct_size = sizeof(step);
    step.batch_size = pass.batch_size();
    return step;
}

}  // namespace

TEST_CASE("dropped streams: those are unread that only the loader stage reads") {
    Pipeline pipeline;
    pipeline.create(0);
    CHECK(pipeline.unread() == std::vector<int>{kRaw});
    pipeline.plan.plan.nodes[1].inputs[1].stream = kRaw;
    CHECK(pipeline.unread() == std::vector<int>{kRead});
    pipeline.plan.plan.nodes[1].runs_for = {false};
    CHECK(pipeline.unread() == std::vector<int>{kRaw, kRead, kMade});
}

TEST_CASE("dropped streams: what is read has the same bits, and the rest takes no memory") {
    for (const std::int64_t workers : {0, 2}) {
        CAPTURE(workers);
        Pipeline pipeline;
        pipeline.create(workers);
        pipeline.source->drop(pipeline.unread());
        CHECK(pipeline.source->dropped() == std::vector<int>{kRaw});
        Frame frame(pipeline.plan.plan);
        Executor executor(pipeline.plan.plan, pipeline.components, frame, at::kCPU);
        Pass pass(*pipeline.source, 0, true);
        int batches = 0;
        while (pass.next(frame)) {
            executor.run(*pipeline.task, step_of(pass), true);  // compares sizes and types
            const at::Tensor indices = frame.samples().indices.to(at::kFloat).unsqueeze(1);
            CHECK(frame[kResult].tensor.equal((3 * indices + 100).expand({2, kWidth})));
            CHECK(frame[kRaw].is_dropped);
            CHECK(frame[kRaw].tensor.storage().nbytes() == sizeof(float));
            CHECK(frame[kRaw].tensor.isnan().all().item<bool>());
            CHECK(!frame[kRead].is_dropped);
            frame.clear();
            CHECK(!frame[kRaw].is_dropped);
            ++batches;
        }
        CHECK(batches == 4);
    }
}

TEST_CASE("dropped streams: a batch that is fetched and not trained on has them") {
    Pipeline pipeline;
    pipeline.create(0);
    pipeline.source->drop(pipeline.unread());
    ptp::engine::Batch batch = pipeline.source->new_batch();
    pipeline.source->fetch(pipeline.source->plan_pass(0, true), 0, batch);
    CHECK(batch.slots[0].tensor.equal(batch.slots[2].tensor / 2));
    pipeline.source->make_ready(batch);
    CHECK(batch.slots[0].is_dropped);
}

TEST_CASE("dropped streams: they are neither pinned nor copied to a device") {
    ptp::test::Copies copies;
    Pipeline pipeline;
    pipeline.create(0);
    pipeline.source->copy_ahead(std::make_unique<ptp::test::Copies::Ahead>(copies));
    pipeline.source->drop(pipeline.unread());
    Frame frame(pipeline.plan.plan);
    Pass pass(*pipeline.source, 0, true);
    REQUIRE(pass.next(frame));
    CHECK(copies.pinned == 2);
    CHECK(frame[kRaw].ahead.empty());
    CHECK(frame[kRead].ahead.size() == 1);
}

TEST_CASE("dropped streams: small tensors stay as they are, and so does text") {
    Slot small;
    small.tensor = at::full({4}, 3.0f);
    small.drop();
    CHECK(!small.is_dropped);
    CHECK(small.tensor.equal(at::full({4}, 3.0f)));
    Slot text;
    text.element = PTP_STRING;
    text.drop();
    CHECK(!text.is_dropped);
}

TEST_CASE("dropped streams: large tensors of a list keep their types and sizes") {
    Slot slot;
    slot.element = PTP_TENSOR_LIST;
    slot.list.resize(1);
    slot.list.tensors()[0] = at::full({3, kWidth}, 7, at::kLong);
    slot.drop();
    CHECK(slot.is_dropped);
    CHECK(slot.list.tensors()[0].sizes() == at::IntArrayRef({3, kWidth}));
    CHECK((slot.list.tensors()[0].scalar_type() == at::kLong));
    CHECK(slot.list.is_written());
}

}  // namespace dropped_streams_test
