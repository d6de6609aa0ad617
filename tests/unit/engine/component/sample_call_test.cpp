// Transforms that are tried in turn: readers of numbers of one sign, which refuse the others.

#include "engine/component/sample_call.hpp"

#include "base/error.hpp"
#include "engine/component/call.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/component/sample_parts.hpp"
#include "engine/component/tried_log.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/samples.h>
#include <ptp/ext/task.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sample_call_test {

using namespace ptp::engine;
using ptp::plugin::Element;
using ptp::plugin::Kind;
using ptp::test::tensor_in;

namespace {

constexpr std::int64_t kSamples = 20;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

// The numbers 0, -1, 2, -3 and so on; 7, which would be negative, is 0.5.
ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    at::Tensor numbers = at::empty({static_cast<std::int64_t>(wanted->count)});
    for (std::uint64_t i = 0; i < wanted->count; ++i) {
        const auto index = static_cast<float>(wanted->indices[i]);
        const bool is_odd = wanted->indices[i] % 2 == 1;
        numbers[static_cast<std::int64_t>(i)] =
            wanted->indices[i] == 7 ? 0.5F : (is_odd ? -index : index);
    }
    tensor_in(outputs[0]) = numbers;
    return PTP_OK;
}

// What a reader makes of a number, and which it refuses.
enum class Reader { kPositive, kNegative, kSmall, kWide, kBroken, kShort };

template <Reader kReader>
ptp_status read(void*, const ptp_samples* samples, const ptp_value* const* inputs,
                ptp_value* const* outputs) {
    const at::Tensor& numbers = tensor_in(inputs[0]);
    for (std::uint64_t i = 0; i < samples->count; ++i) {
        const auto number = numbers[static_cast<std::int64_t>(i)].item<float>();
        const bool is_refused = kReader == Reader::kPositive   ? number < 0 || number == 0.5F
                                : kReader == Reader::kNegative ? number >= 0
                                : kReader == Reader::kSmall    ? number > 3
                                                               : number >= 0;
        if (is_refused) {
            Call::current()->fail("sample " + std::to_string(samples->indices[i]) + ": " +
                                      std::to_string(static_cast<int>(number)) + " is refused",
                                  ErrorOrigin::kComponent);
            return kReader == Reader::kBroken ? PTP_ERROR_INTERNAL : PTP_ERROR_DATA;
        }
    }
    const at::Tensor made = kReader == Reader::kPositive ? numbers + 100 : -numbers + 1000;
    tensor_in(outputs[0]) = kReader == Reader::kWide    ? made.unsqueeze(1)
                            : kReader == Reader::kShort ? made.narrow(0, 0, 0)
                                                        : made;
    return PTP_OK;
}

template <Reader kReader>
const void* extension(const char* id) {
    static const ptp_sample_transform table = {sizeof(ptp_sample_transform), read<kReader>};
    return std::string_view(id) == PTP_EXTENSION_SAMPLES ? &table : nullptr;
}

const void* task_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), PTP_TASK_CONCURRENT, size, fetch};
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

template <Reader kReader>
ptp_component_info reader() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = extension<kReader>;
    return info;
}

// "numbers" -> "first" or "second" -> "read".
struct Pair {
    Pair(const ptp_component_info& first, const ptp_component_info& second) {
        plan.add_stream("numbers", Element::kFloating, {-1});
        plan.add_stream("read", Element::kFloating, {-1});
        ptp_component_info task = ptp::test::idle_component();
        task.extension = task_extension;
        plan.add_task(task, {{"numbers", 0}});
        plan.add_node("first", Kind::kTransform, first, {{"inputs", 0}}, {{"outputs", 1}})
            .tried_in = "number";
        ptp::pipeline::Node& last =
            plan.add_node("second", Kind::kTransform, second, {{"inputs", 0}}, {{"outputs", 1}});
        last.tried_in = "number";
        last.turn = 1;
        last.tries = {"first", "second"};
        components = plan.create();
    }

    // What "read" has in a pass over the samples, in batches of 6.
    std::vector<float> all(std::int64_t workers) {
        section.name = "training";
        section.task.batch_size = 6;
        section.dataloader.num_workers = workers;
        section.dataloader.shuffle = false;
        const auto stage = loader_stage(components, *components.tasks[0]);
        CHECK(stage.size() == 2);
        BatchSource source(section, plan.plan, *components.tasks[0], 1, {.loaded = stage});
        Frame frame(plan.plan);
        Executor executor(plan.plan, components, frame, at::kCPU);
        executor.count_tried(log);
        Pass pass(source, 0, true);
        std::vector<float> values;
        while (pass.next(frame)) {
            ptp_step step{};
            step.struct_size = sizeof(step);
            step.batch_size = pass.batch_size();
            executor.run(*components.tasks[0], step, pass.batch_index() == 0);
            const at::Tensor& made = frame[1].tensor;
            values.insert(values.end(), made.data_ptr<float>(),
                          made.data_ptr<float>() + made.numel());
            frame.clear();
        }
        return values;
    }

    ptp::test::EnginePlan plan;
    Components components;
    ptp::experiment::Section section;
    TriedLog log{silent_log("tried")};
};

std::vector<float> expected() {
    std::vector<float> values;
    for (std::int64_t i = 0; i < kSamples; ++i) {
        const auto number = static_cast<float>(i);
        values.push_back(i == 7 ? 999.5F : (i % 2 == 1 ? 1000 + number : 100 + number));
    }
    return values;
}

template <class Function>
std::string error_of(Function function) {
    try {
        function();
    } catch (const ptp::RunError& error) {
        return std::to_string(error.code()) + ": " + error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("tried: each sample is what the first component makes of it that takes it") {
    Pair pair(reader<Reader::kPositive>(), reader<Reader::kSmall>());
    for (const std::int64_t workers : {0, 1, 3}) {
        CAPTURE(workers);
        CHECK(pair.all(workers) == expected());
    }
}

TEST_CASE("tried: a whole batch that the first takes, or refuses, is one call") {
    Pair positive(reader<Reader::kSmall>(), reader<Reader::kBroken>());
    BatchSamples samples;
    samples.indices = at::empty({2}, at::TensorOptions(at::kLong)).fill_(4);
    samples.seeds = {1, 2};
    at::Tensor numbers = at::empty({2}).fill_(-1);
    at::Tensor made;
    const SampleCall call = call_of(*positive.components.nodes[1], positive.components.nodes);
    const auto* in = reinterpret_cast<const ptp_value*>(&numbers);
    auto* out = reinterpret_cast<ptp_value*>(&made);
    call.run(samples, &in, &out);
    CHECK(made[0].item<float>() == 1001);
    REQUIRE(samples.tried.size() == 1);
    CHECK(samples.tried[0].component == "first");
    CHECK(samples.tried[0].taken == 2);
    CHECK(samples.tried[0].refused == 0);
}

TEST_CASE("tried: a sample that all refuse is named with the reason of each") {
    Pair pair(reader<Reader::kPositive>(), reader<Reader::kNegative>());
    const std::string text = error_of([&] { pair.all(0); });
    CAPTURE(text);
    CHECK(text.find("4: 'number' (try): no component takes sample 7\n    ") == 0);
    CHECK(text.find("'first' (Idle): sample 7: 0 is refused\n    ") != std::string::npos);
    CHECK(text.find("'second' (Idle): sample 7: 0 is refused\n    fix: correct the sample, or "
                    "add a component that takes it to `try`") != std::string::npos);
}

TEST_CASE("tried: an error that is not about data ends the run, and tries nothing else") {
    Pair pair(reader<Reader::kBroken>(), reader<Reader::kPositive>());
    const std::string text = error_of([&] { pair.all(0); });
    CAPTURE(text);
    CHECK(text.find("'first' (Idle)") != std::string::npos);
    CHECK(text.find("failed: sample 0: 0 is refused") != std::string::npos);
    CHECK(text.find("no component takes") == std::string::npos);
}

TEST_CASE("tried: values of one batch have one type and size") {
    Pair pair(reader<Reader::kPositive>(), reader<Reader::kWide>());
    const std::string text = error_of([&] { pair.all(0); });
    CAPTURE(text);
    CHECK(
        text ==
        "2: 'number' (try): output 'outputs' of one batch is Float [1] by 'first' (Idle) for "
        "sample 0, and Float [3, 1] by 'second' (Idle) for sample 1\n"
        "    fix: settings with which all write one type and size; where a batch is padded to its "
        "longest sample, try what comes before that; or batch_size = 1");
}

TEST_CASE("tried: a component that writes fewer samples than it gets is to blame") {
    Pair pair(reader<Reader::kPositive>(), reader<Reader::kShort>());
    CHECK(error_of([&] {
              pair.all(0);
          }).find("'second' (Idle): output 'outputs': has 0 samples for 3") != std::string::npos);
}

TEST_CASE("tried: what was tried on a batch is forgotten when its step ends by an error") {
    Pair pair(reader<Reader::kPositive>(), reader<Reader::kNegative>());
    Frame frame(pair.plan.plan);
    Executor executor(pair.plan.plan, pair.components, frame, at::kCPU);
    BatchSamples& samples = frame.samples();
    samples.indices = at::empty({1}, at::TensorOptions(at::kLong)).fill_(7);
    samples.seeds = {1};
    frame[0].tensor = at::empty({1}).fill_(0.5);  // which both refuse
    ptp_step step{};
    step.struct_size = sizeof(step);
    step.batch_size = 1;
    CHECK(error_of([&] {
              (void)executor.run_fed(step, {0});
          }).find("no component takes sample 7") != std::string::npos);
    CHECK(samples.tried.empty());
    samples.tried.emplace_back().component = "first";
    CHECK(error_of([&] { executor.run(*pair.components.tasks[0], step, true); }) != "");
    CHECK(samples.tried.empty());
}

namespace {

// The places 2 and 0 of a tensor for three samples, of a port with this shape.
at::Tensor taken(const at::Tensor& tensor, const std::vector<ptp::pipeline::Dimension>& shape) {
    ptp::pipeline::Binding binding;
    binding.shape = shape;
    Slot slot;
    slot.element = PTP_FLOAT;
    take_samples(reinterpret_cast<const ptp_value*>(&tensor), binding, {2, 0}, 3, slot);
    return slot.tensor;
}

}  // namespace

TEST_CASE("tried: an input is divided by the samples, which not each shape has") {
    using ptp::pipeline::Dimension;
    const at::Tensor numbers = at::arange(9, at::kFloat).view({3, 3});
    const Dimension batch{.symbol = ptp::pipeline::kBatchSymbol};
    const Dimension three{.size = 3};
    CHECK(taken(numbers, {batch, three}).equal(numbers.index_select(0, at::tensor({2, 0}))));
    CHECK(taken(numbers, {three, batch}).equal(numbers.index_select(1, at::tensor({2, 0}))));
    CHECK(taken(numbers, {three, three}).equal(numbers));
    CHECK(taken(numbers, {Dimension{}, three})  // "*, 3"
              .equal(numbers.index_select(0, at::tensor({2, 0}))));
}

TEST_CASE("tried: parts of images with channels last have them last") {
    using ptp::pipeline::Dimension;
    const at::Tensor images = at::arange(3 * 2 * 4 * 4, at::kFloat)
                                  .view({3, 2, 4, 4})
                                  .contiguous(at::MemoryFormat::ChannelsLast);
    const Dimension batch{.symbol = ptp::pipeline::kBatchSymbol};
    const at::Tensor part = taken(images, {batch, {.size = 2}, {.size = 4}, {.size = 4}});
    CHECK(part.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(part[1].equal(images[0]));
}

}  // namespace sample_call_test
