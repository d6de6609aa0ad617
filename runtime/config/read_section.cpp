#include "config/read_section.hpp"

#include "config/experiment_fields.hpp"
#include "config/read_component.hpp"

#include <utility>

namespace ptp::config {

namespace {

TaskEntry read_task(const Scope& scope) {
    TaskEntry task;
    task.place = scope.table.place();
    task.path = scope.path;
    CommonKeys common;
    std::vector<Field> fields = common.fields();
    fields.push_back(
        {.name = "batch_size", .into = &task.batch_size, .range = "[1, inf)", .is_required = true});
    const auto others = read_fields(scope, fields);
    task.type = common.type(scope);
    task.type_place = common.type_place();
    task.names = common.names(scope);
    task.settings = settings_of(scope, others, "a task");
    return task;
}

void read_dataloader(const Scope& scope, Section& section) {
    read_all_fields(scope, fields_of(section.dataloader));
    const Value* shuffle = scope.table.find("shuffle");
    if (!section.sampler || shuffle == nullptr || !section.dataloader.shuffle)
        return;
    scope.problems.error(*shuffle, scope.key("shuffle"),
                         "must be false beside a sampler, which decides the order by itself");
}

}  // namespace

void read_section(const Scope& scope, Section& section, std::vector<Field> more) {
    RawTable task;
    RawTable dataloader;
    RawTable sampler;
    std::vector<Field> fields = {
        {.name = "task", .into = &task, .is_required = true},
        {.name = "dataloader", .into = &dataloader},
        {.name = "sampler", .into = &sampler},
    };
    fields.insert(fields.end(), more.begin(), more.end());
    read_all_fields(scope, fields);
    section.name = scope.path;
    section.place = scope.table.place();
    if (task.table != nullptr)
        section.task = read_task(scope.at(*task.table, "task"));
    if (sampler.table != nullptr)
        section.sampler =
            read_sampler(scope.at(*sampler.table, "sampler"), section.name == "training");
    section.dataloader.shuffle = section.name == "training" && !section.sampler;
    if (dataloader.table != nullptr) {
        read_dataloader(scope.at(*dataloader.table, "dataloader"), section);
    }
}

}  // namespace ptp::config
