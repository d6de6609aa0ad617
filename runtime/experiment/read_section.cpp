// Reads a section, its task, its loader and its sampler, and the other keys of [training] except
// those of the optimization.

#include "experiment/familiar_names.hpp"
#include "experiment/readers.hpp"
#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ptp::experiment {

namespace {

// Warns of a sample that each epoch has several times.
void warn_of_repeats(const Scope& scope, const Subset& subset) {
    if (scope.is_unread() || !subset.indices || subset.indices->values.size() == 2) {
        return;  // two are a range
    }
    std::vector<std::int64_t> sorted = subset.indices->values;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    const Value* indices = scope.table.find("indices");
    if (twice != sorted.end() && indices != nullptr) {
        scope.problems.warning(indices->place(), scope.key("indices"),
                               fmt::format("has sample {} {} times, so often an epoch has it, too",
                                           *twice, std::ranges::count(sorted, *twice)));
    }
}

std::optional<Sampler> read_sampler(const Scope& scope, bool is_training) {
    const Folds folds = {.part = is_training ? "training" : "validation"};
    const Split split = {.is_measured = !is_training};
    const Lengths lengths = {.shuffle = is_training};
    const auto read = schema::read_one_of<AnySampler>(
        scope, "the kind of sampler", {},
        {KFoldRandomSampler{folds}, KFoldWeightedRandomSampler{folds, {}},
         KFoldStratifiedSampler{folds, {}}, KFoldGroupSampler{folds}, RandomSplitSampler{split},
         StratifiedSplitSampler{split, {}}, LengthGroupedSampler{lengths},
         KFoldLengthGroupedSampler{folds, lengths}, LengthGroupedSplitSampler{split, lengths}});
    if (!read) {
        return std::nullopt;
    }
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.problems(scope.table); }) {
                for (const schema::KeyProblem& problem : one.problems(scope.table)) {
                    report(scope, problem);
                }
            }
        },
        *read);
    Sampler sampler{*read, scope.table.place()};
    if (const Subset* subset = sampler.get<Subset>()) {
        warn_of_repeats(scope, *subset);
    }
    return sampler;
}

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

// Warns of shuffle = false beside a sampler that mixes the samples all the same. The record of a
// run has all keys of the loader.
void warn_of_mixing(const Scope& scope, const Section& section, const Value& shuffle) {
    constexpr std::array kOfRecord = {"mode", "num_workers", "drop_last"};
    const bool is_record = std::ranges::all_of(
        kOfRecord, [&](const char* key) { return scope.table.find(key) != nullptr; });
    if (scope.is_unread() || is_record || !section.sampler || section.sampler->is_in_order()) {
        return;
    }
    const bool is_subset = section.sampler->get<SubsetRandomSampler>() != nullptr;
    scope.problems.warning(
        shuffle.place(), scope.key("shuffle"),
        Explanation{fmt::format("false has no effect: {} draws another order in each epoch",
                                section.sampler->type()),
                    is_subset ? "write type = \"SubsetSequentialSampler\" in the sampler, or "
                                "leave shuffle out"
                              : std::string(kFixBesideSampler)});
}

void read_dataloader(const Scope& scope, Section& section, bool has_sampler) {
    const Value* shuffle = scope.table.find("shuffle");
    if (has_sampler && shuffle != nullptr && !shuffle->is_bool()) {
        scope.problems.error(
            *shuffle, scope.key("shuffle"),
            Explanation{"must be a boolean, and false beside a sampler, which decides the order by "
                        "itself",
                        std::string(kFixBesideSampler)});
        Value others = scope.table;
        others.erase("shuffle");
        read_dataloader({others, scope.path, scope.options, scope.problems}, section, has_sampler);
        return;
    }
    DataLoader& loader = section.dataloader;
    const Kinds kinds = kinds_of(loader);
    if (const auto mode = read_kind(scope, kinds)) {
        loader.mode = kinds.list[*mode].name;
    }
    check_reservoir(scope, section);
    if (!has_sampler || shuffle == nullptr) {
        return;
    }
    if (!section.dataloader.shuffle) {
        warn_of_mixing(scope, section, *shuffle);
        return;
    }
    scope.problems.error(
        *shuffle, scope.key("shuffle"),
        Explanation{"must be false beside a sampler, which decides the order by itself",
                    std::string(kFixBesideSampler)});
}

}  // namespace

Kinds kinds_of(DataLoader& loader) {
    return {
        .list =
            {{.name = "ordered",
              .help = "batches come in the order of the samples",
              .fields =
                  {{.name = "prefetch",
                    .into = &loader.prefetch,
                    .help =
                        "number of batches loaded ahead (small batches: up to 32, at most 1 MB in all)",
                    .range = "[1, 1024]"}}},
             {.name = "reservoir",
              .help = "training continues while loaders refill",
              .fields = {{.name = "reservoir_size",
                          .into = &loader.reservoir_size,
                          .help = "batches that the reservoir holds",
                          .range = "[1, 65536]"},
                         {.name = "reservoir_exchange",
                          .into = &loader.reservoir_exchange,
                          .help = "batches replaced between two rounds, at most",
                          .range = "[1, 65536]"}}}},
        .common = {{.name = "num_workers",
                    .into = &loader.num_workers,
                    .help = "threads that load; 0 loads in the thread that trains",
                    .range = "[0, 1024]"},
                   {.name = "shuffle",
                    .into = &loader.shuffle,
                    .help = "a new order in every epoch; by default in training without a sampler"},
                   {.name = "drop_last",
                    .into = &loader.drop_last,
                    .help = "leaves out a last batch that is not full"}},
        .key = "mode",
        .help = "ordered, or reservoir: training continues while loaders refill",
        .default_name = "ordered"};
}

Value sampler_tree(const Sampler& sampler) {
    Value table = schema::write_one_of(sampler.options);
    if (table.find("labels") != nullptr) {
        table.erase("label_stream");
    }
    return table;
}

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

namespace {

// Returns the worker, which is read before the other keys, because their defaults depend on it;
// errors are reported later.
Worker worker_in(const Value& table) {
    const Value* worker = table.find("worker");
    const bool is_online =
        worker != nullptr && worker->is_string() && worker->as_string() == "online";
    return is_online ? Worker::kOnline : Worker::kOffline;
}

std::string_view needed_limit(Worker worker) {
    return worker == Worker::kOffline ? "epoch_limit" : "episode_limit";
}

TerminalConditions default_conditions(Worker worker) {
    TerminalConditions conditions;
    if (worker == Worker::kOnline) {
        conditions.epoch_limit = -1;
        conditions.episode_limit = 100'000;
    }
    return conditions;
}

// Refuses -1 for none of a limit that the worker needs, and 0.
void check_limit(const Scope& scope, Worker worker) {
    const std::string_view name = needed_limit(worker);
    const Value* value = scope.table.find(name);
    if (value == nullptr || (*value != Value(0) && *value != Value(-1))) {
        return;
    }
    const std::string reason =
        worker == Worker::kOffline
            ? "no limit is for the online worker: the offline worker counts its training in epochs"
            : "no limit is for the offline worker: the online worker counts its training in episodes";
    const auto fix = fmt::format(
        "write a large number, such as {} = 1000000: other conditions, "
        "such as wall_time, end the training before",
        name);
    scope.problems.error(*value, scope.key(name),
                         Explanation{*value == Value(0) ? "must be in [1, inf)" : reason, fix});
}

// A wrong number is refused with the range of the worker, which may be without -1.
void read_conditions(const Scope& scope, Worker worker, TerminalConditions& conditions) {
    std::vector<Field> fields = fields_of(conditions);
    for (Field& field : fields) {
        const Value* value = scope.table.find(field.name);
        if (field.name == needed_limit(worker) && value != nullptr && value->is_integer() &&
            value->as_integer() != -1) {
            field.range = *value == Value(0) ? "[0, inf)" : "[1, inf)";
        }
    }
    read_all_fields(scope, fields);
    check_limit(scope, worker);
}

// Reads { statistic = "accuracy", better = "larger" }.
Judge read_judge(const Scope& scope) {
    Judge judge;
    std::string better;
    const std::size_t errors_before = scope.problems.error_count();
    read_all_fields(scope, {{.name = "statistic",
                             .into = &judge.statistic,
                             .help = "its name in the records; of several validation sets "
                                     "with that of one: \"hard.accuracy\"",
                             .is_filled = true,
                             .is_required = true},
                            {.name = "better",
                             .into = &better,
                             .help = "which values are better; required: the statistic's plugin "
                                     "may state them, and an error then names them",
                             .choices = {"smaller", "larger"}}});
    // A wrong word, or another key, is an error already; no second one follows from it.
    const std::string known = better.empty() ? usual_direction(judge.statistic) : better;
    judge.is_larger_better = known == "larger";
    const Value* given = scope.table.find("better");
    judge.better_place = given != nullptr ? given->place() : SourceLocation();
    judge.has_direction = given != nullptr || scope.problems.error_count() > errors_before;
    const Value* statistic = scope.table.find("statistic");
    judge.place = (statistic != nullptr ? *statistic : scope.table).place();
    return judge;
}

}  // namespace

std::vector<Field> fields_of(TerminalConditions& conditions) {
    return {
        {.name = "loss_stop_threshold",
         .into = &conditions.loss_stop_threshold,
         .help = "stops when the validation loss is below this; without [validation] the training "
                 "loss, and only if it is set"},
        {.name = "early_stop_validations",
         .into = &conditions.early_stop_validations,
         .help = "patience: stops after this many validations without improvement; 0: no early "
                 "stopping"},
        {.name = "epoch_limit",
         .into = &conditions.epoch_limit,
         .help = "epochs; -1: no limit, only with the online worker, where it is the default",
         .range = "-1 or [1, inf)"},
        {.name = "episode_limit",
         .into = &conditions.episode_limit,
         .help =
             "episodes; -1: no limit, only with the offline worker, where it is the default; 100000 by "
             "default with the online worker",
         .range = "-1 or [1, inf)"},
        {.name = "wall_time",
         .into = &conditions.wall_time,
         .help = "time, all parts of an interrupted run together, without pauses"},
        {.name = "divergence_factor",
         .into = &conditions.divergence_factor,
         .help = "a loss above this multiple of the first one has diverged; 0: none has",
         .range = "[0, inf)"},
    };
}

void read_training(const Scope& scope, Training& training) {
    RawOptimization optimization;
    RawTable conditions;
    RawTable judge;
    std::string worker = "offline";
    training.worker = worker_in(scope.table);
    training.terminal_conditions = default_conditions(training.worker);
    std::vector<Field> fields = optimization.fields(training);
    fields.insert(
        fields.begin(),
        {.name = "worker",
         .into = &worker,
         .help = "offline judges the model after epochs, online after episodes; so does --worker",
         .choices = {"offline", "online"}});
    fields.push_back(
        {.name = "terminal_conditions",
         .into = &conditions,
         .help = "stopping criteria; the training stops at the first one that is met"});
    fields.push_back({.name = "judge",
                      .into = &training.judging_set,
                      .help =
                          "the metric to monitor for the best checkpoint, early stopping and "
                          "ReduceLROnPlateau: the loss of the validation set with this name, or "
                          "a statistic",
                      .is_filled = true,
                      .can_be_none = true,
                      .expected = "the name of a validation set, or a table with statistic and "
                                  "better",
                      .or_into = {&judge}});
    read_section(scope, training, std::move(fields));
    read_optimization(scope, optimization, training);
    if (const Value* written = scope.table.find("judge")) {
        training.judging_place = written->place();
    }
    if (judge.table != nullptr) {
        training.judge = read_judge(scope.at(*judge.table, "judge"));
    }
    if (conditions.table != nullptr) {
        read_conditions(scope.at(*conditions.table, "terminal_conditions"), training.worker,
                        training.terminal_conditions);
    }
}

}  // namespace ptp::experiment
