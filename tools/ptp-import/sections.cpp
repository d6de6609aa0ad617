// Converts the sections of an experiment, and the flags of vocabularies.

#include "conversions.hpp"
#include "renames.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace ptp::importer {

namespace {

constexpr std::array<std::string_view, 3> kSections = {"training", "validation", "test"};

// The table of the other sections, which only `ptprun process` uses.
constexpr const char* kProcessed = "process";

bool is_section(std::string_view name) {
    return std::ranges::find(kSections, name) != kSections.end();
}

// Returns the table name in a pattern: "*.sampler" is the table `sampler` of any section.
std::string_view table_name(std::string_view pattern) {
    return pattern.size() > 2 ? pattern.substr(2) : std::string_view();
}

void rename_keys(Value& section, const std::string& path, Report& report) {
    for (const SectionKey& key : kSectionKeys) {
        const std::string_view name = table_name(key.table);
        Value* const table = name.empty() ? &section : section.find(name);
        if (table == nullptr || !table->is_table()) {
            continue;
        }
        const SourceLocation place = key_place(*table, key.from);
        if (rename_key(*table, key.from, key.to)) {
            const std::string in = path + (name.empty() ? "" : ".") + std::string(name);
            report.note(place, fmt::format("{}.{}", in, key.from),
                        fmt::format("is called {}", key.to));
        }
    }
}

// Returns whether PyTorchPipe's files of sample weights come from this task.
bool states_weights(const Value* task) {
    return task != nullptr && (task->find("export_sample_weights") != nullptr ||
                               text_at(task, "type", "").ends_with("VQAMED2019"));
}

// Converts a sampler. A fold of a cross-validation becomes one run; weights are the task's own.
void import_sampler(Value& section, const std::string& path, Report& report) {
    Value* const sampler = section.find("sampler");
    if (sampler == nullptr || !sampler->is_table()) {
        return;
    }
    const Value* const type = sampler->find("type");
    const bool has_folds =
        type != nullptr && type->is_string() && type->as_string().starts_with("kFold");
    if (has_folds && sampler->find("fold") == nullptr) {
        sampler->set("fold", Value(0).at(sampler->place()));
    }
    const Value* const weights = sampler->find("weights");
    if (weights != nullptr && weights->is_string() && states_weights(section.find("task"))) {
        report.note(key_place(*sampler, "weights"), path + ".sampler.weights",
                    "is \"task\": the task states the weights that PyTorchPipe writes to a file");
        sampler->set("weights", Value("task").at(weights->place()), key_place(*sampler, "weights"));
    }
}

// Converts limits that mean none to -1.
bool has_no_epoch_limit(Value& training) {
    Value* const conditions = training.find("terminal_conditions");
    const Value* const limit = conditions == nullptr ? nullptr : conditions->find("epoch_limit");
    if (limit == nullptr || !limit->is_integer() || limit->as_integer() > 0) {
        return false;
    }
    conditions->set("epoch_limit", Value(-1).at(limit->place()),
                    key_place(*conditions, "epoch_limit"));
    return true;
}

// Sets PyTorchPipe's default of 10 validations without a lower loss, unless its file has another
// number.
void keep_patience(Value& training, Report& report) {
    Value* conditions = training.find("terminal_conditions");
    if (conditions == nullptr) {
        training.set("terminal_conditions", Value::table({}));
        conditions = training.find("terminal_conditions");
    }
    if (conditions->is_table() && conditions->find("early_stop_validations") == nullptr) {
        conditions->set("early_stop_validations", Value(10));
        const char* const kWhy =
            "is 10, which PyTorchPipe takes where its file has none; 0: the training does not end "
            "early";
        report.note(key_place(training, "terminal_conditions"),
                    "training.terminal_conditions.early_stop_validations", kWhy);
        report.remarks += fmt::format("# early_stop_validations {}.\n", kWhy);
    }
}

void choose_worker(Value& training, const std::string& worker, Report& report) {
    const bool is_unlimited = has_no_epoch_limit(training);
    if (!worker.empty()) {
        training.set("worker", Value(worker).at(training.place()));
    } else if (is_unlimited) {
        training.set("worker", Value("online").at(training.place()));
        report.note(key_place(*training.find("terminal_conditions"), "epoch_limit"),
                    "training.terminal_conditions.epoch_limit",
                    "there is none, which only the online worker takes: worker = \"online\"");
    }
}

// Uses the seed of torch as the experiment's. Others beside it are left out: one seed is for all.
void take_seed(Value& section, Value& experiment, Report& report) {
    for (const char* key : {"seed_torch", "seed_numpy"}) {
        const Value* const seed = section.find(key);
        const Value* const taken = experiment.find("seed");
        if (seed == nullptr || (taken == nullptr && key == std::string_view("seed_numpy"))) {
            continue;
        }
        const SourceLocation place = key_place(section, key);
        if (taken == nullptr) {
            experiment.set("seed", *seed, place);
        }
        report.note(place, key,
                    taken == nullptr ? "is the seed of the experiment"
                                     : "left out: the experiment has one seed, for all that is "
                                       "random");
        section.erase(key);
    }
}

// Returns why a table of the document is not part of the experiment; nullopt for a section.
std::optional<std::string> refusal_of(const Member& member) {
    if (!member.value.is_table() ||
        (member.value.find("task") == nullptr && member.value.find("problem") == nullptr)) {
        return "is no section: it counts only where an alias names its anchor";
    }
    return std::nullopt;
}

// Adds a section under its own name or to those that are processed.
void import_section(const Member& member, Value& experiment, Value& processed, Report& report) {
    const std::string name = member.key == "testing" ? "test" : member.key;
    if (name != member.key) {
        report.note(member.key_place, member.key, "is called test");
    }
    const auto refusal = refusal_of(member);
    if (refusal && !is_section(name)) {
        report.note(member.key_place, member.key, *refusal);
        return;
    }
    const std::string path = is_section(name) ? name : kProcessed + ("." + name);
    Value section = member.value;
    if (section.is_table()) {
        rename_keys(section, path, report);
        take_seed(section, experiment, report);
        import_sampler(section, path, report);
    }
    if (is_section(name)) {
        experiment.set(name, std::move(section), member.key_place);
    } else {
        processed.set(name, std::move(section), member.key_place);
        report.note(member.key_place, name,
                    fmt::format("is [{}]: ptprun process RUN --section {}", path, name));
    }
}

constexpr const char* kImport = "import_word_mappings_from_globals";
constexpr const char* kExport = "export_word_mappings_to_globals";
constexpr const char* kExportPadding = "export_pad_index_to_globals";
constexpr std::array<std::string_view, 3> kNames = {"word_mappings", "vocabulary_size",
                                                    "pad_index"};

// The values of the flags, which are removed from the table.
struct Flags {
    bool is_imported = false;
    bool is_exported = false;
    bool is_padding_exported = false;
};

Flags take_flags(Value& table, const std::string& path, Report& report) {
    const Flags flags{table.is_true_at(kImport), table.is_true_at(kExport),
                      table.is_true_at(kExportPadding)};
    for (const auto& [key, text] :
         {std::pair(kImport, "the global that word_mappings names is read"),
          std::pair(kExport,
                    "the globals that published_word_mappings and vocabulary_size name "
                    "are written"),
          std::pair(kExportPadding, "the global that pad_index names is written")}) {
        if (table.is_true_at(key)) {
            report.note(key_place(table, key), fmt::format("{}.{}", path, key), text);
        }
        table.erase(key);
    }
    return flags;
}

bool is_vocabulary_key(std::string_view key) {
    return std::ranges::find(kNames, key) != kNames.end();
}

// Adds the names of a component's globals: those that it reads, or those of its vocabulary.
void add_globals(const Value& component, bool of_vocabulary, std::set<std::string>& names) {
    const Value* const globals = component.find("globals");
    if (globals == nullptr || !globals->is_table()) {
        return;
    }
    for (const Member& member : globals->members()) {
        if (member.value.is_string() && is_vocabulary_key(member.key) == of_vocabulary) {
            names.insert(member.value.as_string());
        }
    }
}

// Removes the files of a vocabulary that comes from a global.
void erase_files(Value& table) {
    for (const char* key : {"source_vocabulary_files", "word_mappings_file", "regenerate"}) {
        table.erase(key);
    }
}

}  // namespace

std::vector<SectionTable> section_tables(Value& experiment) {
    std::vector<SectionTable> sections;
    for (Member& member : experiment.members()) {
        if (is_section(member.key)) {
            sections.push_back({member.key, &member.value});
        }
    }
    if (Value* const processed = experiment.find(kProcessed); processed != nullptr) {
        for (Member& member : processed->members()) {
            sections.push_back({kProcessed + ("." + member.key), &member.value});
        }
    }
    return sections;
}

Value import_sections(const Value& tree, const std::string& worker, Report& report) {
    Value experiment;
    Value processed;
    for (const Member& member : tree.members()) {
        if (member.key != "pipeline") {
            import_section(member, experiment, processed, report);
        }
    }
    if (!processed.members().empty()) {
        experiment.set(kProcessed, std::move(processed));
    }
    if (Value* training = experiment.find("training");
        training != nullptr && training->is_table()) {
        choose_worker(*training, worker, report);
        if (experiment.find("validation") != nullptr) {
            keep_patience(*training, report);
        }
    }
    return experiment;
}

std::set<std::string> unpublished_sizes(const Value& pipeline, const std::set<std::string>& known) {
    std::set<std::string> sizes;
    std::set<std::string> published = known;
    for (const Member& member : pipeline.members()) {
        if (!member.value.is_table()) {
            continue;
        }
        add_globals(member.value, false, sizes);
        if (member.value.is_true_at(kExport)) {
            add_globals(member.value, true, published);
        }
        if (const Value* const keys = member.value.find("keys"); keys != nullptr) {
            for (std::string& key : texts_of(*keys)) {
                published.insert(std::move(key));
            }
        }
    }
    std::erase_if(sizes, [&](const std::string& name) { return published.contains(name); });
    return sizes;
}

void import_vocabulary(Value& table, const std::string& path, Vocabularies& vocabularies,
                       Report& report) {
    Flags flags = take_flags(table, path, report);
    const SourceLocation place = table.place();
    Value& globals = table_in(table, "globals");
    const std::string mappings = text_at(&globals, kNames[0], kNames[0]);
    const std::string size = text_at(&globals, kNames[1], kNames[1]);
    const std::string padding = text_at(&globals, kNames[2], kNames[2]);
    if (!flags.is_imported && !flags.is_exported && globals.find(kNames[1]) != nullptr &&
        vocabularies.unpublished.contains(size)) {
        flags.is_exported = vocabularies.unpublished.erase(size) > 0;
        report.problems.warning(
            key_place(globals, kNames[1]), fmt::format("{}.globals.{}", path, kNames[1]),
            fmt::format("{} is published here, because other components read it; PyTorchPipe ends "
                        "there without {}",
                        size, kExport));
    }
    if (!flags.is_imported && !flags.is_exported && globals.find(kNames[0]) != nullptr) {
        report.problems.warning(
            key_place(globals, kNames[0]), fmt::format("{}.globals.{}", path, kNames[0]),
            Explanation{fmt::format("left out: PyTorchPipe reads the words from a file unless {} "
                                    "is true",
                                    kImport),
                        fmt::format("to read the global, write globals = {{ word_mappings = "
                                    "\"{}\" }} in place of word_mappings_file",
                                    mappings)});
    }
    for (const std::string_view name : kNames) {
        globals.erase(name);
    }
    if (flags.is_imported) {
        globals.set("word_mappings", Value(mappings).at(place));
        erase_files(table);
    } else if (table.find("word_mappings_file") == nullptr &&
               table.find("source_vocabulary_files") == nullptr) {
        table.set("word_mappings_file", Value("word_mappings.csv").at(place));
    }
    Value& written = *table.find("globals");
    if (flags.is_exported && vocabularies.published.insert(mappings).second) {
        written.set("published_word_mappings", Value(mappings).at(place));
        written.set("vocabulary_size", Value(size).at(place));
    }
    if (flags.is_padding_exported) {
        written.set("pad_index", Value(padding).at(place));
    }
    erase_if_empty(table, "globals");
}

}  // namespace ptp::importer
