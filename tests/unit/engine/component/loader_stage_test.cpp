#include "engine/component/loader_stage.hpp"

#include "engine/component/executor.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

namespace loader_stage_test {

using namespace ptp::engine;
using ptp::plugin::Element;
using ptp::plugin::Kind;

namespace {

constexpr std::int64_t kSamples = 50;

// A functions' table cannot carry anything along.
std::atomic<int> transformed = 0;
std::atomic<int> forwarded = 0;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

// One number for each sample: its index.
ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    at::Tensor indices =
        at::empty({static_cast<std::int64_t>(wanted->count)}, at::TensorOptions(at::kLong));
    std::copy_n(wanted->indices, wanted->count, indices.data_ptr<std::int64_t>());
    ptp::test::tensor_in(outputs[0]) = indices;
    return PTP_OK;
}

// Adds what only this sample, this epoch and this instance have; half of it outside of training.
ptp_status transform(void*, const ptp_samples* samples, const ptp_value* const* inputs,
                     ptp_value* const* outputs) {
    at::Tensor numbers = ptp::test::tensor_in(inputs[0]).clone();
    for (std::uint64_t i = 0; i < samples->count; ++i) {
        const auto drawn = static_cast<std::int64_t>(samples->seeds[i] >> 8U);
        numbers.data_ptr<std::int64_t>()[i] += samples->is_training != 0 ? drawn : drawn / 2;
    }
    ptp::test::tensor_in(outputs[0]) = numbers;
    ++transformed;
    return PTP_OK;
}

ptp_status forward(void*, const ptp_step*, const ptp_value* const* inputs,
                   ptp_value* const* outputs) {
    ptp::test::tensor_in(outputs[0]) = ptp::test::tensor_in(inputs[0]);
    ++forwarded;
    return PTP_OK;
}

const void* task_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), PTP_TASK_CONCURRENT, size, fetch};
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

template <bool kHasState>
const void* transform_extension(const char* id) {
    static const ptp_sample_transform table = {sizeof(ptp_sample_transform), transform};
    static const ptp_state state = {sizeof(ptp_state), 1, nullptr, nullptr};
    if (std::string_view(id) == PTP_EXTENSION_SAMPLES) {
        return &table;
    }
    return kHasState && std::string_view(id) == PTP_EXTENSION_STATE ? &state : nullptr;
}

ptp_component_info task_info() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = task_extension;
    return info;
}

ptp_component_info plain_info() {
    ptp_component_info info = ptp::test::idle_component();
    info.forward = forward;
    return info;
}

template <bool kHasState = false>
ptp_component_info samplewise_info() {
    ptp_component_info info = plain_info();
    info.extension = transform_extension<kHasState>;
    return info;
}

// "task" -> "first" -> "second", each a stream.
struct Chain {
    Chain(const ptp_component_info& first, const ptp_component_info& second,
          Kind kind = Kind::kTransform) {
        for (const char* name : {"task", "first", "second"}) {
            plan.add_stream(name, Element::kInteger, {-1});
        }
        plan.add_task(task_info(), {{"indices", 0}});
        plan.add_node("first", kind, first, {{"inputs", 0}}, {{"outputs", 1}});
        plan.add_node("second", kind, second, {{"inputs", 1}}, {{"outputs", 2}});
        components = plan.create();
    }

    std::vector<ptp::engine::Instance*> stage() {
        return ptp::engine::loader_stage(components, *components.tasks[0]);
    }

    // What the stream "second" has in an epoch from a batch on, however it is computed.
    std::vector<std::int64_t> all(std::int64_t workers, std::uint64_t epoch,
                                  std::uint64_t first_batch = 0, bool is_training = true) {
        section.name = "training";
        section.task.batch_size = 8;
        section.dataloader.num_workers = workers;
        section.dataloader.shuffle = true;
        BatchSource source(section, plan.plan, *components.tasks[0], 1, {.loaded = stage()});
        Frame frame(plan.plan);
        Executor executor(plan.plan, components, frame, at::kCPU);
        Pass pass(source, epoch, is_training, first_batch);
        std::vector<std::int64_t> values;
        while (pass.next(frame)) {
            ptp_step step{};
            step.struct_size = sizeof(step);
            step.batch_size = pass.batch_size();
            executor.run(*components.tasks[0], step, pass.batch_index() == 0);
            const at::Tensor& made = frame[2].tensor;
            values.insert(values.end(), made.data_ptr<std::int64_t>(),
                          made.data_ptr<std::int64_t>() + made.numel());
            frame.clear();
        }
        return values;
    }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    ptp::experiment::Section section;
};

}  // namespace

TEST_CASE("loader stage: what comes out does not depend on the number of threads") {
    Chain chain(samplewise_info(), samplewise_info());
    CHECK(chain.stage().size() == 2);
    const auto expected = chain.all(0, 3);
    CHECK(expected.size() == kSamples);
    for (const std::int64_t workers : {1, 2, 4}) {
        CAPTURE(workers);
        CHECK(chain.all(workers, 3) == expected);
    }
    CHECK(chain.all(0, 4) != expected);
}

TEST_CASE("loader stage: a pass that begins in the middle gives the same from there") {
    Chain chain(samplewise_info(), samplewise_info());
    const auto whole = chain.all(0, 3);
    CHECK(chain.all(2, 3, 4) ==
          std::vector<std::int64_t>(whole.begin() + std::ptrdiff_t{4} * 8, whole.end()));
}

TEST_CASE("loader stage: among the other components a transform gives the same bits") {
    Chain loaded(samplewise_info(), samplewise_info());
    Chain first_here(samplewise_info<true>(), samplewise_info());
    CHECK(first_here.stage().empty());
    CHECK(first_here.all(2, 3) == loaded.all(2, 3));
}

TEST_CASE("loader stage: each is run once for a batch, and never by forward()") {
    Chain chain(samplewise_info(), samplewise_info());
    transformed = 0;
    forwarded = 0;
    chain.all(2, 0);
    CHECK(transformed == 2 * 7);  // 50 samples in batches of 8
    CHECK(forwarded == 0);
}

TEST_CASE("loader stage: what waits for another component is not in it") {
    Chain behind(plain_info(), samplewise_info());
    CHECK(behind.stage().empty());
    Chain before(samplewise_info(), plain_info());
    REQUIRE(before.stage().size() == 1);
    CHECK(before.stage()[0]->node().name == "first");
    forwarded = 0;
    before.all(1, 0);
    CHECK(forwarded == 7);
}

TEST_CASE("loader stage: only transforms are in it") {
    CHECK(Chain(samplewise_info(), samplewise_info(), Kind::kModel).stage().empty());
}

TEST_CASE("loader stage: one that is inactive in the section is not in it") {
    Chain chain(samplewise_info(), samplewise_info());
    chain.plan.plan.nodes[1].runs_for = {false};
    CHECK(chain.stage().size() == 1);
}

TEST_CASE("loader stage: a transform learns whether samples are trained on") {
    Chain chain(samplewise_info(), samplewise_info());
    CHECK(chain.all(1, 0, 0, false) != chain.all(1, 0, 0, true));
}

TEST_CASE("loader stage: the exchange of what is or may come to be in it is known") {
    Chain chain(plain_info(), samplewise_info());
    CHECK(ptp::engine::may_change_loader_stages(chain.components, {true, false}));
    CHECK(ptp::engine::may_change_loader_stages(chain.components, {false, true}));
    CHECK(!ptp::engine::may_change_loader_stages(chain.components, {false, false}));
    Chain models(plain_info(), plain_info(), Kind::kModel);
    CHECK(!ptp::engine::may_change_loader_stages(models.components, {true, true}));
}

}  // namespace loader_stage_test
