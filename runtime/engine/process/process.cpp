#include "engine/process/process.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/recorded_globals.hpp"
#include "engine/component/crash.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/component/plugins.hpp"
#include "engine/console/console.hpp"
#include "engine/console/pass_progress.hpp"
#include "engine/console/progress.hpp"
#include "engine/console/run_log.hpp"
#include "engine/process/evaluated.hpp"
#include "engine/process/set_records.hpp"
#include "engine/sinks/sinks.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/record_settings.hpp"
#include "engine/train/run_finisher.hpp"
#include "engine/train/seed.hpp"
#include "engine/train/set_pass.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/status_file.hpp"
#include "run/paths.hpp"
#include "run/run_folder.hpp"

#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace ptp::engine {

namespace {

class Process {
public:
    explicit Process(const ProcessRequest& request);

    // Leaves in the folder how it ended.
    int execute();

private:
    int run();
    bool run_section(const std::string& name, const Components& components, Frame& frame);
    int interrupted();

    const ProcessRequest& request_;
    experiment::Experiment experiment_;
    pipeline::Plan plan_;
    at::Device device_;
    std::filesystem::path folder_;
    StatusFile status_;
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    Sinks no_sinks_;
    RunFinisher ending_;
    Globals globals_;
    ComponentContext component_context_;
    std::optional<Plugins> plugins_;
    std::optional<Executor> executor_;
    std::optional<Statistics> statistics_;
    std::uint64_t batches_done_ = 0;
};

Process::Process(const ProcessRequest& request)
    : request_(request),
      experiment_(with_seed(request.experiment)),
      plan_(request.plan),
      device_(usable_device(experiment_.device)),
      folder_(run::make_folder(request.folder, request.parent, std::chrono::system_clock::now())),
      status_(folder_ / run::kStatusFile),
      console_(stdout, {request.verbosity, request.is_terminal, request.has_color}),
      log_(new_log(folder_ / "process.log", console_, request.verbosity)),
      no_sinks_(*log_),
      ending_(status_, *log_, no_sinks_),
      component_context_{plan_,   globals_,
                         log_,    folder_.string(),
                         device_, static_cast<std::uint64_t>(*experiment_.seed)} {}

int Process::run() {
    replace_file(folder_ / run::kExperimentFile,
                 to_toml(experiment::resolved_tree(with_settings(experiment_, plan_))));
    const CrashReport crash(folder_);
    plugins_.emplace(plan_, folder_ / run::kPluginsFolder);
    const Signals signals;
    at::manual_seed(component_context_.seed);
    publish_recorded(request_.checkpoint, component_context_);
    const Components components = create_components(
        component_context_, [this](const pipeline::Node& node) -> const ptp_component_info& {
            return plugins_->component(node);
        });
    load_evaluated_weights(request_.checkpoint, experiment_, components, *log_);
    components.set_training(false);
    const c10::AutoGradMode without_gradients(false);
    Frame frame(plan_);
    executor_.emplace(plan_, components, frame, device_);
    statistics_.emplace(plan_, components, experiment_.training.loss_weights);
    console_.headline(fmt::format("{}  in {}", experiment_.name, folder_.string()));
    for (const std::string& section : request_.sections) {
        if (!run_section(section, components, frame)) {
            return interrupted();
        }
    }
    return ending_.done("");
}

// False if a signal ended it.
bool Process::run_section(const std::string& name, const Components& components, Frame& frame) {
    const experiment::Section section = each_once(section_named(experiment_, name));
    Instance& task = *components.task(name);
    BatchSource source(section, plan_, task, component_context_.seed,
                       loader_stage(components, task));
    const StatisticSet set = set_named(name);
    statistics_->reset(set);
    SetRecords records(folder_, name, statistics_->columns(), set);
    Episode episode({*executor_, frame, &*statistics_}, {section, set});
    SetPass pass(episode, source, {});
    PassProgress progress(console_, name);
    while (pass.next({batches_done_, 0})) {
        ++batches_done_;
        records.batch(pass.step().batch_index, pass.step().batch_size, statistics_->values());
        progress.batch({pass.samples_done(), pass.sample_count()});
        if (Signals::received() != 0) {
            return false;
        }
    }
    const std::uint64_t samples = pass.samples_done();
    const std::vector<Aggregate> aggregates = statistics_->aggregate(set);
    records.finish(pass.batch_count(), samples, aggregates);
    const std::string text = fmt::format("{}  {} samples  {}", name, samples,
                                         set_text(statistics_->columns(), aggregates));
    console_.announce(text);
    return true;
}

int Process::interrupted() {
    const int signal = Signals::received();
    console_.line(fmt::format("stopped by {}", Signals::name(signal)));
    return ending_.stopped(signal);
}

int Process::execute() {
    return ending_.guard([this] {
        status_.begin();
        return run();
    });
}

}  // namespace

int process(const ProcessRequest& request) {
    keep_freed_memory();
    bind_blas_threads();
    return Process(request).execute();
}

}  // namespace ptp::engine
