#include "engine/conformance/lone_pipeline.hpp"

#include "base/toml_writer.hpp"
#include "engine/check_request.hpp"
#include "engine/conformance/made_up_task.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/draft.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kSection = "training";

experiment::Experiment experiment_with(const CheckedComponent& candidate) {
    const experiment::ComponentEntry& entry = candidate.entry;
    experiment::Experiment experiment;
    experiment.name = "check";
    experiment.seed = 1;
    experiment.training.name = kSection;
    experiment::TaskEntry& task = experiment.training.task;
    task.batch_size = kMadeUpBatch;
    if (candidate.component.kind == plugin::Kind::kTask) {
        task.place = entry.place;
        task.path = entry.path;
        task.type = candidate.component.name;
        task.names = entry.names;
        task.settings = entry.settings;
        return experiment;
    }
    task.path = "training.task";
    task.type = kMadeUpTask;
    experiment.pipeline.components.push_back(entry);
    return experiment;
}

pipeline::Plan assembled(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                         const std::filesystem::path& home) {
    Diagnostics problems;
    auto plan = pipeline::assemble(experiment, catalog, home, problems,
                                   pipeline::NeededFiles::kIgnored, {.processed = {kSection}});
    if (!plan) {
        throw NoPipeline(problems);
    }
    return std::move(*plan);
}

// The optional inputs that are not to be wired. Their streams get their usual names, which nothing
// writes.
std::set<std::string> take_unwired(experiment::Experiment& experiment) {
    std::set<std::string> ports;
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        std::erase_if(entry.names.streams, [&](const experiment::Renaming& one) {
            return one.to == kUnwired && ports.insert(one.from).second;
        });
    }
    return ports;
}

}  // namespace

LonePipeline::LonePipeline(const CheckedComponent& candidate, const Guess& guess_in)
    : guess(guess_in) {
    catalog.plugins.push_back(candidate.plugin);
    experiment::Experiment experiment = experiment_with(candidate);
    const std::set<std::string> unwired = take_unwired(experiment);
    if (candidate.component.kind == plugin::Kind::kTask) {
        plan = assembled(experiment, catalog, candidate.home);
        return;
    }
    Diagnostics problems;
    const auto draft =
        pipeline::draft_component(experiment.pipeline.components.front(), experiment.pipeline,
                                  {catalog, candidate.home, problems});
    if (!draft || !problems.ok()) {
        throw NoPipeline(problems);
    }
    const std::set<std::string> names = read_globals(draft->node);
    catalog.plugins.push_back(made_up_task(*draft, guess, nullptr, unwired));
    const pipeline::Plan of_any_size = assembled(experiment, catalog, candidate.home);
    catalog.plugins.back() = made_up_task(*draft, guess, &of_any_size, unwired);
    plan = assembled(experiment, catalog, candidate.home);
    std::size_t constants = 0;
    for (const std::string& name : names) {
        const auto symbol = plan.global_symbols.find(name);
        if (symbol == plan.global_symbols.end()) {
            globals.push_back({name, {}, constant_of(guess, constants++)});
        } else if (const auto size = plan.symbols[static_cast<std::size_t>(symbol->second)].size) {
            globals.push_back({name, {}, Value(*size)});
        }
    }
}

std::string LonePipeline::text() const {
    std::string text;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Port& port : entry.manifest.components.front().ports) {
            text += entry.manifest.components.front().name == kMadeUpTask ? port.shape + ";" : "";
        }
    }
    for (const Member& global : globals) {
        text += fmt::format("{} = {};", global.key, inline_toml(global.value));
    }
    return text;
}

}  // namespace ptp::engine
