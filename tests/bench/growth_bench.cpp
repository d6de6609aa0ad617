// What grows with the number of samples and of loader threads, without a model: the order of an
// epoch, and the rate of loading. tests/bench/growth.py calls it, and measures what grows in
// programs.
//
//   ptp-bench-growth samples COUNT     nanoseconds of CPU time for each sample: the source, the
//                                      order of an epoch, the first batch
//   ptp-bench-growth threads COUNT     thousand samples a second by the clock, and microseconds of
//                                      CPU time for each: FashionMNIST through RandomAffine

#include "bench/training_engine.hpp"
#include "bench/zeros_task.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure_samples(std::int64_t count) {
    ptp::bench::zero_samples = {count, 4};
    ptp::experiment::Section section;
    section.name = "training";
    section.task.batch_size = 64;
    section.dataloader.num_workers = 0;
    section.dataloader.shuffle = true;
    ptp::test::EnginePlan plan;
    ptp_component_info info = ptp::test::idle_component();
    info.extension = ptp::bench::zeros_task_extension;
    plan.add_stream("inputs", ptp::plugin::Element::kFloating, {-1, 4});
    plan.add_task(info, {{"inputs", 0}});
    const ptp::engine::Components components = plan.create();
    std::array<double, 4> at{};
    at[0] = cpu_seconds();
    ptp::engine::BatchSource source(section, plan.plan, *components.tasks[0], 1);
    at[1] = cpu_seconds();
    const ptp::engine::PassPlan pass = source.plan_pass(0, true);
    at[2] = cpu_seconds();
    ptp::engine::Batch batch = source.new_batch();
    source.fetch(pass, source.batch_count() - 1, batch);
    at[3] = cpu_seconds();
    const double each = 1e9 / static_cast<double>(count);
    fmt::print("{:.2f} {:.2f} {:.4f}\n", (at[1] - at[0]) * each, (at[2] - at[1]) * each,
               (at[3] - at[2]) * each);
}

constexpr const char* kExperiment = R"(
seed = 1
[training]
optimizer = {{ type = "SGD", lr = 0.001 }}
dataloader = {{ num_workers = {} }}
[training.task]
type = "FashionMNIST"
batch_size = 64
streams = {{ inputs = "raw" }}
[pipeline.moved]
type = "RandomAffine"
degrees = 15
translate = [0.1, 0.1]
scale = [0.8, 1.2]
streams = {{ inputs = "raw", outputs = "inputs" }}
[pipeline.flat]
type = "ReshapeTensor"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
streams = {{ outputs = "flat" }}
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [8]
streams = {{ inputs = "flat" }}
globals = {{ prediction_size = "num_classes" }}
[pipeline.loss]
type = "NLLLoss"
)";

void measure_threads(std::int64_t count) {
    ptp::bench::TrainingEngine engine(fmt::format(kExperiment, count));
    ptp::engine::TrainingSession& session = engine.session();
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    ptp::engine::Pass pass(*session.training, 0, true);
    while (pass.next(session.frame)) {
        session.frame.clear();
    }
    const std::chrono::duration<double> clock = std::chrono::steady_clock::now() - begin;
    const auto samples = static_cast<double>(session.training->sample_count());
    fmt::print("{:.1f} {:.3f}\n", samples / clock.count() / 1000,
               (cpu_seconds() - cpu_begin) / samples * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc == 3 ? argv[1] : "";
    const std::string_view number = argc == 3 ? argv[2] : "";
    std::int64_t count = 0;
    std::from_chars(number.data(), number.data() + number.size(), count);
    if (count < 1 || (what != "samples" && what != "threads")) {
        fmt::print(stderr, "usage: ptp-bench-growth samples|threads COUNT\n");
        return 2;
    }
    if (what == "samples") {
        measure_samples(count);
    } else {
        measure_threads(count);
    }
    return 0;
}
