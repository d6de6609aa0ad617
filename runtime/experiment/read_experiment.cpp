// Reads an experiment: its plain keys and each of its tables, and checks what depends on several
// tables.

#include "experiment/familiar_names.hpp"
#include "experiment/readers.hpp"
#include "schema/device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace ptp::experiment {

namespace {

bool is_folder_name(std::string_view text) {
    return !text.empty() && !text.starts_with('.') && std::ranges::none_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f || c == '/';
    });
}

void check_plain_keys(const Scope& scope, Experiment& experiment) {
    const Value* name = scope.table.find("name");
    if (name != nullptr && !is_folder_name(experiment.name)) {
        scope.problems.error(*name, "name",
                             "names folders: must not be empty, start with '.' or contain '/'");
    }
    if (experiment.seed == -1) {
        experiment.seed.reset();
    }
}

// Checks the settings that depend on the presence of a [validation].
void check_worker(const Scope& scope, const Experiment& experiment) {
    if (experiment.training.worker == Worker::kOnline && !experiment.validation) {
        scope.problems.error(*scope.table.find_path("training.worker"), "training.worker",
                             "judges the model by partial validations, but there is no "
                             "[validation]");
    }
}

// Adapts the conditions to an experiment without a validation. The training is then not ended by
// its loss unless the experiment requests it: the threshold applies to the training's own loss.
void adapt_conditions(const Scope& scope, TerminalConditions& conditions) {
    const std::string key = "training.terminal_conditions.early_stop_validations";
    if (const Value* value = scope.table.find_path(key)) {
        scope.problems.error(*value, key,
                             "looks at the validation loss, but there is no [validation]");
    }
    conditions.early_stop_validations = 0;
    if (scope.table.find_path("training.terminal_conditions.loss_stop_threshold") == nullptr) {
        conditions.loss_stop_threshold.reset();
    }
}

// Returns whether the tasks have the same samples, as far as the experiment determines it.
bool have_the_same_data(const TaskEntry& left, const TaskEntry& right) {
    return left.type == right.type && left.settings == right.settings;
}

// Rejects folds in other sections that would measure samples that are trained on.
void check_folds(const Scope& scope, const Sampler& trained_on, const Section& section) {
    const Folds& training = *trained_on.get<Folds>();
    const auto* folds = section.sampler ? section.sampler->get<Folds>() : nullptr;
    if (folds == nullptr) {
        return;
    }
    const auto require = [&](bool is_right, const char* name, const Value& value,
                             const std::string& message) {
        const std::string key = fmt::format("{}.sampler.{}", section.name, name);
        const Value* written = scope.table.find_path(key);
        if (!is_right) {
            scope.problems.error(
                value.at(written != nullptr ? written->place() : section.sampler->place), key,
                message);
        }
    };
    const auto require_equal = [&](const char* name, std::optional<std::int64_t> value,
                                   std::optional<std::int64_t> wanted) {
        if (value && wanted) {  // one that is missing is reported by itself
            require(*value == *wanted, name, *value,
                    fmt::format("must be {} as in [training], or the section has samples that are "
                                "trained on",
                                *wanted));
        }
    };
    const auto cuts_at_random = [](const Sampler& sampler) {
        return sampler.get<KFoldStratifiedSampler>() == nullptr &&
               sampler.get<KFoldGroupSampler>() == nullptr;
    };
    require(section.sampler->type() == trained_on.type() ||
                (cuts_at_random(trained_on) && cuts_at_random(*section.sampler)),
            "type", std::string(section.sampler->type()),
            fmt::format("must be {} as in [training], or the section has samples that are trained "
                        "on",
                        trained_on.type()));
    require_equal("folds", folds->folds, training.folds);
    require_equal("fold", folds->fold, training.fold);
    require_equal("fold_seed", folds->fold_seed, training.fold_seed);
    require(folds->part != training.part, "part", folds->part,
            "must not be the part that [training] has");
}

const Split* split_of(const Section& section) {
    return section.sampler ? section.sampler->get<Split>() : nullptr;
}

// Checks that two shares of one split are disjoint. For different splits this is unknown.
void check_split(const Scope& scope, const Section& first, const Section& second) {
    const Split* left = split_of(first);
    const Split* right = split_of(second);
    if (left == nullptr || right == nullptr || !have_the_same_data(first.task, second.task)) {
        return;
    }
    // A rejected split has its default value, which is not in the experiment.
    const auto is_refused = [&](const Problem& problem) {
        return problem.severity == Severity::kError &&
               (problem.key.starts_with(first.name + ".sampler") ||
                problem.key.starts_with(second.name + ".sampler"));
    };
    if (std::ranges::any_of(scope.problems.sorted(), is_refused)) {
        return;
    }
    const std::string type(first.sampler->type());
    const std::string other_type(second.sampler->type());
    const auto refuse = [&](const char* name, const Value& value, const std::string& message) {
        const std::string key = fmt::format("{}.sampler.{}", second.name, name);
        const Value* written = scope.table.find_path(key);
        scope.problems.error(
            value.at(written != nullptr ? written->place() : second.sampler->place), key, message);
    };
    const auto is_stratified = [](const Section& section) {
        return section.sampler->get<Classes>() != nullptr;
    };
    if (is_stratified(first) != is_stratified(second)) {
        refuse("type", other_type,
               fmt::format("must be {} as in [{}], or the sections have samples in common", type,
                           first.name));
    } else if (left->seed != right->seed) {
        refuse("seed", right->seed,
               fmt::format("must be {} as in [{}], or the sections have samples in common",
                           left->seed, first.name));
    } else if (left->share[0] < right->share[1] && right->share[0] < left->share[1]) {
        refuse("share", Value::list({right->share[0], right->share[1]}),
               fmt::format("has samples of [{}], whose share is [{}, {}]", first.name,
                           left->share[0], left->share[1]));
    }
}

void check_splits(const Scope& scope, const Experiment& experiment) {
    const std::vector<const Section*> sections = run_sections(experiment);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (role_of(sections[k]->name) != role_of(sections[i]->name)) {
                check_split(scope, *sections[k], *sections[i]);
            }
        }
    }
}

void check_folds(const Scope& scope, const Experiment& experiment) {
    const std::optional<Sampler>& sampler = experiment.training.sampler;
    const auto* folds = sampler ? sampler->get<Folds>() : nullptr;
    if (folds == nullptr) {
        return;
    }
    for (const Section* section : run_sections(experiment)) {
        if (section != &experiment.training) {
            check_folds(scope, *sampler, *section);
        }
    }
}

// The tables of an experiment, which are read in a second pass.
struct RawExperiment {
    RawTable plugins;
    RawTable training;
    RawTable validation;
    RawTable test;
    Map<RawTable> processed;
    RawTable records;
    RawTable report;
    RawTable pipeline;
    RawTable checkpoint;
    RawTable swap;
    RawTable distributed;
    RawTable search;
    std::optional<std::int64_t> interval;

    // Returns all keys, including those with plain values.
    std::vector<Field> fields(Experiment& experiment) {
        return {
            {.name = "name",
             .into = &experiment.name,
             .help = "of the run's folder; by default the file's name"},
            {.name = "seed",
             .into = &experiment.seed,
             .help = "of all that is random; -1 or nothing: one is drawn and recorded",
             .range = "[-1, inf)"},
            {.name = "device",
             .into = &experiment.device,
             .help = "where the tensors are",
             .pattern = schema::kDevicePattern,
             .expected = "cpu, cuda or cuda:N"},
            {.name = "deterministic",
             .into = &experiment.is_deterministic,
             .help = "on a CUDA device: the same bits each time; false: faster algorithms as well"},
            {.name = "interval",
             .into = &interval,
             .help = "episodes of training from one showing to the next, of all components with "
                     "a setting `interval`, such as viewers, and of all records, where they have "
                     "none of their own",
             .range = "[1, inf)"},
            {.name = "plugins", .into = &plugins, .help = "where plugins are looked for"},
            {.name = "training",
             .into = &training,
             .help = "what is trained on, and how",
             .is_required = true},
            {.name = "validation",
             .into = &validation,
             .help = "runs over its whole set after every epoch"},
            {.name = "test", .into = &test, .help = "runs once at the end, with the best weights"},
            {.name = "process",
             .into = &processed,
             .help = "sections that only `ptprun process` evaluates, each by its name"},
            {.name = "records",
             .into = &records,
             .help = "what is written of the statistics besides CSV"},
            {.name = "report",
             .into = &report,
             .help = "a report of the run, as of `ptprun report`, which the training writes"},
            {.name = "checkpoint",
             .into = &checkpoint,
             .help = "when a run saves what it needs to continue"},
            {.name = "swap",
             .into = &swap,
             .help = "what may be exchanged for newer builds while the training runs"},
            {.name = "distributed",
             .into = &distributed,
             .help = "how several processes train together"},
            {.name = "search",
             .into = &search,
             .help = "which values `ptprun search` tries, and how often"},
            {.name = "pipeline",
             .into = &pipeline,
             .help = "the components, each a table",
             .is_required = true}};
    }

    void read_into(Experiment& experiment, const Scope& scope) const;
};

void RawExperiment::read_into(Experiment& experiment, const Scope& scope) const {
    if (plugins.table != nullptr) {
        read_all_fields(scope.at(*plugins.table, "plugins"),
                        {{.name = "path",
                          .into = &experiment.plugin_path,
                          .help = "folders with plugins, after --plugins and PTP_PLUGIN_PATH",
                          .is_filled = true}});
    }
    if (training.table != nullptr) {
        read_training(scope.at(*training.table, "training"), experiment.training);
    }
    if (validation.table != nullptr) {
        read_validation(scope.at(*validation.table, "validation"), experiment);
    }
    if (test.table != nullptr) {
        read_section(scope.at(*test.table, "test"), experiment.test.emplace());
    }
    if (const Value* process = scope.table.find("process"); !processed.empty()) {
        read_processed(scope.at(*process, "process"), experiment);
    }
    if (records.table != nullptr) {
        read_records(scope.at(*records.table, "records"), interval, experiment);
    }
    if (report.table != nullptr) {
        read_reporting(scope.at(*report.table, "report"), experiment, experiment.report.emplace());
    }
    experiment.pipeline.name = experiment.name;
    if (interval) {
        experiment.pipeline.interval = Value(*interval).at(scope.table.find("interval")->place());
    }
    if (pipeline.table != nullptr) {
        read_pipeline(scope.at(*pipeline.table, "pipeline"), experiment.pipeline);
    }
    if (checkpoint.table != nullptr) {
        read_all_fields(scope.at(*checkpoint.table, "checkpoint"),
                        fields_of(experiment.checkpoint));
    }
    if (swap.table != nullptr) {
        read_swapping(scope.at(*swap.table, "swap"), experiment, experiment.swap);
    }
    if (distributed.table != nullptr) {
        read_distributing(scope.at(*distributed.table, "distributed"), experiment.distributed);
    }
    if (search.table != nullptr) {
        read_searching(scope.at(*search.table, "search"), experiment.search);
    }
}

}  // namespace

Experiment read_experiment(const Value& root, const ReadOptions& options, Diagnostics& problems) {
    Experiment experiment;
    experiment.name = options.default_name;
    const schema::ReadOptions reading{options.home, options.keys, &kFamiliarNames, &root,
                                      options.section};
    const Scope scope{root, "", reading, problems};
    RawExperiment raw;
    read_all_fields(scope, raw.fields(experiment), {"include", "vars"});
    check_plain_keys(scope, experiment);
    raw.read_into(experiment, scope);
    choose_judge(scope, experiment);
    if (root.find("validation") == nullptr) {
        adapt_conditions(scope, experiment.training.terminal_conditions);
        check_worker(scope, experiment);
    }
    check_folds(scope, experiment);
    check_splits(scope, experiment);
    check_optimization(scope, experiment);
    experiment.document = std::make_shared<const Value>(root);
    return experiment;
}

}  // namespace ptp::experiment
