#include "experiment/read_section.hpp"

#include "experiment/experiment_fields.hpp"
#include "experiment/read_component.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::experiment {

namespace {

TaskEntry read_task(const Scope& scope) {
    TaskEntry task;
    task.place = scope.table.place();
    task.path = scope.path;
    CommonKeys common;
    std::vector<Field> fields = common.fields("the kind of task");
    fields.push_back({.name = "batch_size",
                      .into = &task.batch_size,
                      .help = "samples in a batch",
                      .range = "[1, inf)",
                      .is_required = true});
    const auto others = read_fields(scope, fields);
    task.type = common.type();
    task.type_place = common.type_place(scope);
    task.names = common.names();
    task.settings = settings_of(scope, others, "a task");
    return task;
}

// Rejects a reservoir outside of training: measurements must not depend on timing.
void check_reservoir(const Scope& scope, const Section& section) {
    const DataLoader& loader = section.dataloader;
    if (!loader.is_reservoir()) {
        return;
    }
    if (section.name != "training") {
        scope.problems.error(*scope.table.find("mode"), scope.key("mode"),
                             "only [training] can have a reservoir: it draws other samples in "
                             "every run");
    }
    if (loader.num_workers == 0) {
        scope.problems.error(*scope.table.find("num_workers"), scope.key("num_workers"),
                             "a reservoir needs a loader thread, 1 at least");
    }
    if (loader.reservoir_exchange > loader.reservoir_size) {
        const Value* exchange = scope.table.find("reservoir_exchange");
        scope.problems.error(
            Value(loader.reservoir_exchange)
                .at(exchange != nullptr ? exchange->place() : scope.table.place()),
            scope.key("reservoir_exchange"),
            fmt::format("must not be above reservoir_size, which is {}", loader.reservoir_size));
    }
}

void read_dataloader(const Scope& scope, Section& section, bool has_sampler) {
    DataLoader& loader = section.dataloader;
    const Kinds kinds = kinds_of(loader);
    if (const auto mode = read_kind(scope, kinds)) {
        loader.mode = kinds.list[*mode].name;
    }
    check_reservoir(scope, section);
    const Value* shuffle = scope.table.find("shuffle");
    if (!has_sampler || shuffle == nullptr || !section.dataloader.shuffle) {
        return;
    }
    scope.problems.error(*shuffle, scope.key("shuffle"),
                         "must be false beside a sampler, which decides the order by itself");
}

}  // namespace

void read_section(const Scope& scope, Section& section, std::vector<Field> more) {
    RawTable task;
    RawTable dataloader;
    RawTable sampler;
    std::vector<Field> fields = {
        {.name = "task",
         .into = &task,
         .help = "provides the samples; all its other keys are its settings",
         .is_required = true},
        {.name = "dataloader", .into = &dataloader, .help = "how samples are loaded"},
        {.name = "sampler",
         .into = &sampler,
         .help = "which samples are drawn, in which order",
         .can_be_none = true},
        {.name = "batch_limit",
         .into = &section.batch_limit,
         .help = "uses only the first N batches of each epoch",
         .range = "[1, inf)"},
    };
    fields.insert(fields.end(), more.begin(), more.end());
    read_all_fields(scope, fields);
    section.name = scope.path;
    section.place = scope.table.place();
    if (task.table != nullptr) {
        section.task = read_task(scope.at(*task.table, "task"));
    }
    if (sampler.table != nullptr) {
        section.sampler =
            read_sampler(scope.at(*sampler.table, "sampler"), section.name == "training");
    }
    section.dataloader.shuffle = section.name == "training" && !section.sampler;
    if (dataloader.table != nullptr) {
        read_dataloader(scope.at(*dataloader.table, "dataloader"), section,
                        sampler.table != nullptr);
    }
}

}  // namespace ptp::experiment
