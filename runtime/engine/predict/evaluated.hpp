// The common part of processing and predicting: trained weights in components that only compute,
// and a section whose samples come once.

#pragma once

#include "base/temporary_path.hpp"
#include "engine/checkpoint/mapped_file.hpp"
#include "engine/component/components.hpp"
#include "engine/component/crash.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/plugins.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/output/console.hpp"
#include "experiment/experiment.hpp"

#include <c10/core/GradMode.h>
#include <spdlog/logger.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace ptp::engine {

// While it exists, crashes are reported and signals are handled, unless the process handles its
// signals itself. [main]
struct EvaluatedPipeline {
    struct Parts {
        const experiment::Experiment& experiment;  // with a seed
        pipeline::Plan& plan;
        const std::optional<std::filesystem::path>& checkpoint;  // its folder
        std::filesystem::path folder;  // for plugin copies and components' files
        std::shared_ptr<spdlog::logger> log;
        at::Device device;
        bool handles_signals = true;
    };

    // Loads the weights of the checkpoint; without one, those that the experiment loads. Throws
    // RunError, also for weights that were never trained, whose results would be meaningless, and
    // for those of a bundle that fails its self-test.
    explicit EvaluatedPipeline(const Parts& parts);

    // Throws RunError with kDataError if the file whose memory the weights have was changed since:
    // what was computed last may be of other weights.
    void require_unchanged_weights() const {
        if (mapped_weights != nullptr) {
            mapped_weights->require_unchanged();
        }
    }

    const std::optional<CrashReport> crash;
    Plugins plugins;
    const Signals signals;
    Globals globals;
    const SavedComponents saved;
    ComponentContext context;
    std::shared_ptr<const MappedFile> mapped_weights;  // nullptr: the weights have own memory
    const Components components;
    const c10::AutoGradMode without_gradients;
    Frame frame;
    TriedLog tried;  // of the batches that the executor has run, after the self-test
    Executor executor;
};

// The beginning of an evaluation whose results are no run. A folder that ends with it has the
// copies of plugins and the components' files.
class TrainedEvaluation {
protected:
    // `device` is the name of one; messages go to `out`. The request must outlive it. Throws
    // RunError.
    TrainedEvaluation(const TrainedRequest& request, const std::string& device,
                      const ConsoleStyle& style, std::FILE* out = stderr);

    // Returns what an EvaluatedPipeline is made of.
    [[nodiscard]] EvaluatedPipeline::Parts parts(bool handles_signals = true);

    const std::optional<std::filesystem::path>& checkpoint_;
    const experiment::Experiment experiment_;  // with a seed
    pipeline::Plan plan_;
    const at::Device device_;
    const TemporaryPath folder_;
    Console console_;
    const std::shared_ptr<spdlog::logger> log_;
};

// Calls a component on the values in the frame, for the first task of its plan.
void call(Instance& instance, Frame& frame, const ptp_step& step);

// Calls a component and the others that it tries in turn; does nothing for one that another one
// calls.
void call_with_others(const Components& components, Instance& instance, Frame& frame,
                      const ptp_step& step);

// Copies one string for each sample into a value of text.
void write_strings(const std::vector<std::string>& strings, TextBuffer& to);

// Returns the section, which must exist, with each of its samples once, in order.
experiment::Section each_once(const experiment::Section* found);

// A section of the experiment with each of its samples once, in order.
struct EvaluatedSection {
    // `name` is that of a section; `pipeline` must outlive it. Throws RunError.
    EvaluatedSection(const experiment::Experiment& experiment, const std::string& name,
                     const EvaluatedPipeline& pipeline)
        : EvaluatedSection(experiment, name, pipeline, pipeline.components) {}

    // Does the same with other components, which must outlive it, too: their task is another.
    EvaluatedSection(const experiment::Experiment& experiment, const std::string& name,
                     const EvaluatedPipeline& pipeline, const Components& components);

    const experiment::Section section;
    BatchSource source;
};

}  // namespace ptp::engine
