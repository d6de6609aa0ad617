// Reads and writes the tables on how a run behaves: [records], [report], [checkpoint], [swap],
// [distributed].

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "experiment/readers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

namespace {

template <class Sink>
void read_sink(const Scope& scope, const RawTable& raw, std::optional<std::int64_t> interval,
               std::optional<Sink>& sink) {
    if (raw.table != nullptr) {
        sink.emplace();
        if constexpr (requires { sink->every_episodes; }) {
            sink->every_episodes = interval.value_or(sink->every_episodes);
        }
        read_all_fields(scope.at(*raw.table, Sink::kName), sink->fields());
    }
}

template <class... Sinks>
void read_sinks(const Scope& scope, std::optional<std::int64_t> interval,
                RecordsOf<Sinks...>& records) {
    std::array<RawTable, sizeof...(Sinks)> tables;
    std::vector<Field> fields;
    (fields.push_back(
         {.name = Sinks::kName, .into = &tables.at(fields.size()), .help = Sinks::kHelp}),
     ...);
    read_all_fields(scope, fields);
    std::size_t i = 0;
    (read_sink(scope, tables.at(i++), interval, records.template get<Sinks>()), ...);
}

constexpr const char* kSame = "same";
constexpr const char* kMayChange = "may_change";
constexpr std::array<const char*, 3> kRehearsals = {"off", "thread", "process"};  // by their number

// The keys as written.
struct SwapWords {
    std::string numbers;
    std::string rehearse;
    Duration time_limit;

    explicit SwapWords(const Swapping& swapping)
        : numbers(swapping.must_keep_numbers ? kSame : kMayChange),
          rehearse(kRehearsals.at(static_cast<std::size_t>(swapping.rehearsal))),
          time_limit(swapping.time_limit) {}

    std::vector<Field> fields(Swapping& swapping) {
        return {{.name = "components",
                 .into = &swapping.components,
                 .help = "that may be swapped, and sections whose tasks may; by default all of "
                         "them, none with []",
                 .is_unique = true},
                {.name = "numbers",
                 .into = &numbers,
                 .help = "same: refuses a swap that changes a bit of the rehearsal's loss or "
                         "gradients",
                 .choices = {kMayChange, kSame}},
                {.name = "rehearse",
                 .into = &rehearse,
                 .help = "one batch before it counts: off, thread, or a process of its own, which "
                         "survives a crash",
                 .choices = {kRehearsals.begin(), kRehearsals.end()}},
                {.name = "time_limit",
                 .into = &time_limit,
                 .help = "for loading a build; for a rehearsal in a process, too"}};
    }

    void put_into(Swapping& swapping) const {
        const auto* const found = std::ranges::find(kRehearsals, rehearse);
        swapping.must_keep_numbers = numbers == kSame;
        swapping.rehearsal = static_cast<Rehearsal>(found - kRehearsals.begin());
        swapping.time_limit = time_limit;
    }
};

// Returns the names for which a swap can be allowed.
std::vector<std::string> names_in(const Experiment& experiment) {
    std::vector<std::string> names =
        transformed(experiment.pipeline.components, &ComponentEntry::name);
    for (const Section* section : run_sections(experiment)) {
        names.push_back(section->name);
    }
    return names;
}

void check_components(const Scope& scope, const Experiment& experiment, const Swapping& swapping) {
    const std::vector<std::string> known = names_in(experiment);
    for (std::size_t i = 0; swapping.components && i < swapping.components->size(); ++i) {
        const Value& item = scope.table.find("components")->items()[i];
        if (std::ranges::find(known, item.as_string()) == known.end()) {
            scope.problems.error(item, fmt::format("{}[{}]", scope.key("components"), i),
                                 "unknown component or section" + hint(item.as_string(), known));
        }
    }
}

constexpr std::array<const char*, 4> kBuffers = {"first", "mean", "own",
                                                 "synchronized"};  // indexed by the enum

constexpr const char* kUncompressed = "none";
constexpr const char* kBfloat16 = "bf16";

// The keys as written.
struct DistributedWords {
    std::string buffers;
    std::string compression;

    explicit DistributedWords(const Distributing& distributing)
        : buffers(kBuffers.at(static_cast<std::size_t>(distributing.buffers))),
          compression(distributing.is_compressed ? kBfloat16 : kUncompressed) {}

    std::vector<Field> fields(Distributing& distributing) {
        return {
            {.name = "buffers",
             .into = &buffers,
             .help = "of components, such as the means of batch normalization: those of the "
                     "first process, their mean over the samples, or each its own; synchronized: "
                     "batch normalization is over the samples of all processes",
             .choices = {kBuffers.begin(), kBuffers.end()}},
            {.name = "compression",
             .into = &compression,
             .help = "of gradients on their way to other processes: bf16 halves their bytes, and "
                     "rounds them",
             .choices = {kUncompressed, kBfloat16}},
            {.name = "sharded_optimizer",
             .into = &distributing.has_sharded_optimizer,
             .help = "each process keeps the optimizer's state of some parameters, not of all"},
            {.name = "timeout",
             .into = &distributing.timeout,
             .help =
                 "after which a process that does not answer counts as lost; to connect, at least 60 s"}};
    }

    void put_into(Distributing& distributing) const {
        const auto* const found = std::ranges::find(kBuffers, buffers);
        distributing.buffers = static_cast<SharedBuffers>(found - kBuffers.begin());
        distributing.is_compressed = compression == kBfloat16;
    }
};

// Checks the key `section` of a table.
void check_section(const Scope& table, const std::string& section, const Experiment& experiment) {
    const std::vector<std::string> known = transformed(run_sections(experiment), &Section::name);
    const Value* const given = table.table.find("section");
    if (given != nullptr && !contains(known, section)) {
        table.problems.error(*given, table.key("section"),
                             "unknown section" + hint(section, known));
    }
}

constexpr const char* kExplanations = "explanations";

std::vector<Field> report_fields(Reporting& reporting) {
    return {
        {.name = "every_epochs",
         .into = &reporting.every_epochs,
         .help = "epochs from one report of the running training to the next; 0: only at its end",
         .range = "[0, inf)"},
        {.name = "max_share",
         .into = &reporting.max_share,
         .help = "the share of the training's time that its reports may take, that of the end "
                 "included: one before the end that would take more is left out; 1: none is",
         .range = "(0, 1]"},
        {.name = "options",
         .into = &reporting.options,
         .help = "of `ptprun report`, such as [\"--max-size\", \"5\"]",
         .is_filled = true},
        {.name = "time_limit",
         .into = &reporting.time_limit,
         .help = "for which the end of the training waits for its report"},
    };
}

std::vector<Field> explanation_fields(Explanations& explanations) {
    std::vector<Field> fields = explanations.fields();
    fields.insert(fields.begin(), {.name = "section",
                                   .into = &explanations.section,
                                   .help = "whose samples are explained; by default validation, "
                                           "else training"});
    return fields;
}

}  // namespace

void read_records(const Scope& scope, std::optional<std::int64_t> interval,
                  Experiment& experiment) {
    read_sinks(scope, interval, experiment.records);
    const auto& probe = experiment.records.get<Probe>();
    if (!probe || probe->section.empty()) {
        return;
    }
    check_section(scope.at(*scope.table.find(Probe::kName), Probe::kName), probe->section,
                  experiment);
}

Value tree_of(const Records& records) {
    Value table;
    records.for_each(
        [&](auto sink) { table.set(std::string(sink.kName), write_fields(sink.fields())); });
    return table;
}

void read_reporting(const Scope& scope, const Experiment& experiment, Reporting& reporting) {
    RawTable raw;
    std::vector<Field> fields = report_fields(reporting);
    fields.push_back({.name = kExplanations,
                      .into = &raw,
                      .help = "which pixels speak for a class, and what is attended to, in the "
                              "report; as of `ptprun explain-prediction`"});
    read_all_fields(scope, fields);
    if (raw.table == nullptr) {
        return;
    }
    const Scope table = scope.at(*raw.table, kExplanations);
    Explanations& explanations = reporting.explanations.emplace();
    explanations.section = experiment.validation ? "validation" : "training";
    read_all_fields(table, explanation_fields(explanations));
    explanations.order_methods();
    check_section(table, explanations.section, experiment);
}

Value tree_of(const Reporting& reporting) {
    Reporting copy = reporting;
    Value tree = write_fields(report_fields(copy));
    if (copy.explanations) {
        tree.set(kExplanations, write_fields(explanation_fields(*copy.explanations)));
    }
    return tree;
}

std::vector<Field> fields_of(Checkpointing& checkpointing) {
    return {
        {.name = "every_epochs",
         .into = &checkpointing.every_epochs,
         .help = "epochs from one to the next, 0: none; by default the first epoch ends with a "
                 "checkpoint, and a later one if the last checkpoint is at least 30 s old",
         .range = "[0, inf)"},
        {.name = "every_episodes",
         .into = &checkpointing.every_episodes,
         .help = "episodes from one to the next, in addition to every_epochs; 0: none",
         .range = "[0, inf)"},
        {.name = "every",
         .into = &checkpointing.every,
         .help = "time from one to the next, in addition to every_epochs"},
        {.name = "keep",
         .into = &checkpointing.keep,
         .help = "how many are kept besides last and best",
         .range = "[0, inf)"},
    };
}

void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping) {
    SwapWords words(swapping);
    read_all_fields(scope, words.fields(swapping));
    words.put_into(swapping);
    check_components(scope, experiment, swapping);
    if (swapping.rehearsal == Rehearsal::kProcess && experiment.device != "cpu") {
        scope.problems.error(
            *scope.table.find("rehearse"), scope.key("rehearse"),
            Explanation{"a process that is forked for a rehearsal cannot use a CUDA device",
                        "rehearse = \"thread\""});
    }
    if (swapping.must_keep_numbers && swapping.rehearsal == Rehearsal::kOff) {
        scope.problems.error(*scope.table.find("numbers"), scope.key("numbers"),
                             "numbers are compared in the rehearsal, which is \"off\": must be "
                             "\"may_change\", or rehearse must be \"thread\" or \"process\"");
    }
}

Value tree_of(const Swapping& swapping) {
    Swapping copy = swapping;
    return write_fields(SwapWords(swapping).fields(copy));
}

void read_distributing(const Scope& scope, Distributing& distributing) {
    DistributedWords words(distributing);
    read_all_fields(scope, words.fields(distributing));
    words.put_into(distributing);
}

Value tree_of(const Distributing& distributing) {
    Distributing copy = distributing;
    return write_fields(DistributedWords(distributing).fields(copy));
}

}  // namespace ptp::experiment
