// Reads samples of a section and stores them with their outputs, those that come out again.

#include "engine/predict/record_samples.hpp"

#include "base/error.hpp"
#include "base/temporary_path.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/output/console.hpp"
#include "engine/predict/computed_samples.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/prediction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

class Recording {
public:
    explicit Recording(const SamplesRequest& request)
        : request_(request),
          experiment_(with_seed(request.experiment)),
          plan_(request.plan),
          checkpoint_(request.checkpoint),
          console_(stderr, {.verbosity = Verbosity::kQuiet}),
          log_(new_log(folder_.path() / "bundle.log", console_, Verbosity::kQuiet)),
          pipeline_({experiment_, plan_, checkpoint_, folder_.path(), log_,
                     usable_device("cpu", experiment_.is_deterministic), false}) {}

    std::int64_t write() {
        fetch();
        std::vector<std::string> outputs;
        for (const pipeline::PredictedStream& one : request_.prediction.streams) {
            outputs.push_back(plan_.stream(one.stream).name);
        }
        ValuesByStream values = computed(pipeline_, batch_, outputs);
        const ValuesByStream again = computed(pipeline_, batch_, outputs);
        pipeline_.require_unchanged_weights();
        std::erase_if(values, [&](const auto& one) {
            const auto& [name, value] = one;
            return !is_storable(value) || difference_from_stored(value, again.at(name), 0);
        });
        if (values.empty()) {
            throw RunError(kConfigurationError,
                           "no output is a tensor or a text that is the same each time");
        }
        TensorsByName tensors;
        store_values(kInputSide, batch_.inputs, tensors);
        store_values(kOutputSide, values, tensors);
        write_safetensors(request_.file, tensors, {});
        return static_cast<std::int64_t>(batch_.count);
    }

private:
    static bool is_storable(const KeptValue& value) {
        return value.element == PTP_STRING || value.tensor.defined();
    }

    // Reads the first samples as the task delivers them, without the transforms in its threads.
    void fetch() {
        experiment::Section section =
            each_once(experiment::find_section(experiment_, request_.section));
        section.task.batch_size = request_.count;
        BatchSource source(section, plan_, *pipeline_.components.task(request_.section),
                           pipeline_.context.seed);
        PassPlan pass = source.plan_pass(0, false);
        const auto count =
            std::min<std::size_t>(pass.order.size(), static_cast<std::size_t>(request_.count));
        pass.order.resize(count);
        batch_ = {.section = request_.section, .count = count};
        Batch fetched = source.new_batch();
        source.fetch(pass, 0, fetched);
        pipeline_.frame.clear();
        source.exchange(fetched, pipeline_.frame);
        std::set<int> wanted;
        for (const pipeline::PredictedStream& one : request_.prediction.streams) {
            wanted.insert(one.stream);
        }
        for (const int stream : pipeline::needed_streams(plan_, wanted)) {
            if (plan_.stream(stream).producer < 0) {
                keep_input(stream);
            }
        }
    }

    void keep_input(int stream) {
        KeptValue value = kept(pipeline_.frame[stream]);
        const std::string& name = plan_.stream(stream).name;
        if (!is_storable(value)) {
            throw RunError(
                kConfigurationError,
                fmt::format("the stream '{}' is a list, and only tensors and texts are stored",
                            name));
        }
        value.tensor = value.tensor.defined() ? value.tensor.clone() : value.tensor;
        batch_.inputs.emplace(name, std::move(value));
    }

    const SamplesRequest& request_;
    const experiment::Experiment experiment_;
    pipeline::Plan plan_;
    const std::optional<fs::path> checkpoint_;
    TemporaryPath folder_ = TemporaryPath::new_folder();
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    EvaluatedPipeline pipeline_;
    SampleBatch batch_;
};

}  // namespace

std::int64_t record_samples(const SamplesRequest& request) {
    set_up_process();
    return Recording(request).write();
}

}  // namespace ptp::engine
