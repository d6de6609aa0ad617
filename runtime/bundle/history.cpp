// Reads the history of a model from run.json, from its checkpoint, and from bundles.

#include "bundle/history.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "bundle/packed_file.hpp"
#include "experiment/weights_file.hpp"
#include "run/checkpoint_record.hpp"
#include "run/format.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::bundle {

namespace fs = std::filesystem;

namespace {

// Returns the members of a table; none of anything else.
std::vector<Member> members_of(const Value* table) {
    return table != nullptr && table->is_table() ? table->members() : std::vector<Member>();
}

// Sets the hash of the files that a task names, each with its hash, or with its size where that is
// too large to be hashed.
void set_hash(const Value* files, BundledData& data) {
    const std::vector<Member> named = members_of(files);
    const auto is_hashed = [](const Member& file) {
        return file.value.is_string() && is_sha256(file.value.as_string());
    };
    if (named.empty()) {
        data.no_sha256 = "its task names no file";
    } else if (!std::ranges::all_of(named, is_hashed)) {
        data.no_sha256 = "the files of its task are too large to be hashed when a run begins";
    } else {
        data.sha256 = named.size() == 1 ? named.front().value.as_string() : sha256(to_toml(*files));
    }
}

// Returns the sections of data in the state of a training. That of an older ptp has no number of
// samples that were drawn.
std::vector<BundledData> data_of(const Value& training) {
    std::vector<BundledData> all;
    for (const Member& section : members_of(training.find(run::kDataPart))) {
        const auto number = [&](const char* key) {
            const Value* const value = section.value.is_table() ? section.value.find(key) : nullptr;
            return value != nullptr && value->is_integer() ? std::optional(value->as_integer())
                                                           : std::nullopt;
        };
        const std::int64_t of_task = number("samples").value_or(0);
        BundledData data;
        data.section = lineage_text(section.key);
        data.samples = number(run::kDrawableSamples).value_or(of_task);
        if (data.samples != of_task) {
            data.task_samples = of_task;
        }
        if (const auto of_epoch = number(run::kEpochSamples); of_epoch != data.samples) {
            data.epoch_samples = of_epoch;
        }
        set_hash(section.value.is_table() ? section.value.find("files") : nullptr, data);
        all.push_back(std::move(data));
    }
    return all;
}

Value table_of(const History& history) {
    Value table = value_of(history.lineage);
    table.set(run::kFormatKey, Value(format_of(history.data, history.ancestors)));
    table.set(kAncestorData, tables_of(history.data));
    table.set(kAncestorTables, tables_of(history.ancestors));
    return table;
}

// Returns why a bundle may not have this history; "" if it may.
std::string problem_of(const History& history) {
    constexpr std::size_t kMaxBytes = std::size_t{2} << 20U;  // half of what a manifest may have
    Diagnostics problems;
    const Value table = table_of(history);
    const schema::ReadOptions options;
    const schema::Scope scope{table, "", options, problems};
    History().read(scope);  // numbers out of their ranges
    check_lineage(history.lineage, history.data, history.ancestors, scope);
    return !problems.ok()                        ? problems.reasons()
           : text_of(history).size() > kMaxBytes ? "it is larger than 2 MiB"
                                                 : "";
}

void require_right(const History& history, const std::string& name) {
    if (const std::string problem = problem_of(history); !problem.empty()) {
        throw RunError(kDataError, name + ": " + problem);
    }
}

// Reads a table by `read`. Throws RunError.
template <class Read>
History history_in(const Value& table, const std::string& name, const Read& read) {
    Diagnostics problems;
    const schema::ReadOptions options;
    History history;
    read(schema::Scope{table, "", options, problems}, history);
    if (!problems.ok()) {
        throw RunError(kDataError, name + ": " + problems.reasons());
    }
    return history;
}

// Returns the history in the metadata of an exported file; empty where there is none. Throws
// RunError for anything else: a file from elsewhere may state anything.
History exported_history(const fs::path& file) {
    constexpr std::uint64_t kLength = 8;  // bytes of the header's length, the lowest first
    constexpr std::uint64_t kMaxHeader = std::uint64_t{64} << 20U;
    if (experiment::weights_form(file) != experiment::WeightsForm::kSafetensors) {
        return {};
    }
    const InputFile bytes(file);
    std::uint64_t length = 0;
    const std::string digits = bytes.read(0, kLength);
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        length = (length << 8U) + static_cast<unsigned char>(*digit);
    }
    const auto header =
        length <= kMaxHeader ? parsed_json(bytes.read(kLength, length), kMaxLevels) : std::nullopt;
    const Json metadata =
        header && header->is_object() ? header->value("__metadata__", Json()) : Json();
    const Json text = metadata.is_object() ? metadata.value(kLineageText, Json()) : Json();
    if (!text.is_string()) {
        return {};
    }
    const fs::path place = file / kLineageText;
    const Value table = run::read_json_table(text.get<std::string>(), place, kLineageFormat);
    History history = history_in(
        table, place.string(), [](const schema::Scope& scope, History& read) { read.read(scope); });
    require_right(history, place.string());
    return history;
}

// Reads what beginning_of() has made.
void read_beginning(const schema::Scope& scope, History& history) {
    read_with_tables(scope, {}, Tables{kParentTables, history.lineage.parents},
                     Tables{kAncestorTables, history.ancestors});
}

// Returns the name of the folder of a run.
std::string run_name(const fs::path& run) {
    return lineage_text(fs::weakly_canonical(run).filename().string());
}

// Returns the run in whose checkpoint a file is.
std::optional<fs::path> run_of(const fs::path& file) {
    const fs::path checkpoint = file.parent_path();
    const fs::path run = checkpoint.parent_path().parent_path();
    std::error_code ignored;  // a folder that cannot be looked at has none
    return fs::exists(checkpoint / run::kCheckpointFile, ignored) &&
                   fs::exists(run / run::kRecordFile, ignored)
               ? std::optional(run)
               : std::nullopt;
}

// Returns the history of the model that a file of weights is of; empty where it is of none.
History history_of_file(const fs::path& file) {
    if (experiment::is_bundle(file)) {
        const BundleManifest manifest = BundleFile(file).manifest();
        return {manifest.lineage, manifest.data, manifest.ancestors};
    }
    const std::optional<fs::path> run = run_of(file);
    return run ? history_of(*run, file.parent_path()) : exported_history(file);
}

// Adds a model by the hash and the name of its weights, and what is known of it. Returns why
// nothing is; "" where that could be read.
std::string add_parent(const std::string& component, const experiment::Load& load,
                       History& history) {
    const fs::path file = experiment::weights_file(load.from);
    const std::optional<fs::path> run = run_of(file);
    Ancestor parent;
    parent.weights_sha256 = hash_of_weights(load.from);
    parent.name = run ? run_name(*run) : lineage_text(file.filename().string());
    parent.bundle_sha256 = experiment::is_bundle(file) ? sha256_of_file(file) : "";
    History before;
    std::string why_not;
    try {
        before = history_of_file(file);
    } catch (const RunError& error) {
        why_not = explanation_of(error).reason;
    } catch (const FileError& error) {
        why_not = error.what();
    }
    parent.training = std::move(before.lineage);
    parent.data = std::move(before.data);
    history.lineage.parents.push_back({parent.weights_sha256, lineage_text(component)});
    history.ancestors.push_back(std::move(parent));
    std::ranges::move(before.ancestors, std::back_inserter(history.ancestors));
    return why_not;
}

// Keeps the hash and the name of each parent alone, and no earlier ancestor.
void forget_generations(History& history) {
    std::erase_if(history.ancestors, [&](const Ancestor& one) {
        return std::ranges::find(history.lineage.parents, one.weights_sha256,
                                 &Parent::weights_sha256) == history.lineage.parents.end();
    });
    for (Ancestor& parent : history.ancestors) {
        parent.training = {};
        parent.data = {};
    }
}

// Calls `use` with the path of what is loaded, "" for the pipeline, and from where.
template <class Use>
void for_each_load(const experiment::Experiment& experiment, const Use& use) {
    if (experiment.pipeline.load) {
        use(std::string(), *experiment.pipeline.load);
    }
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled && entry.load) {
            use(entry.path, *entry.load);
        }
    }
}

}  // namespace

void History::read(const schema::Scope& scope) {
    std::int64_t format = 0;
    std::vector<schema::Field> all = lineage.fields();
    all.push_back(format_field(format));
    read_with_tables(scope, std::move(all), Tables{kParentTables, lineage.parents},
                     Tables{kAncestorData, data}, Tables{kAncestorTables, ancestors});
}

std::string text_of(const History& history) {
    return ptp::text_of(json_of(table_of(history)));
}

std::string hash_of_weights(const fs::path& named) {
    const fs::path file = experiment::weights_file(named);
    if (experiment::is_bundle(file)) {
        return BundleFile(file).manifest().files.back().sha256;  // the weights are the last
    }
    const std::string listed = run::listed_hash(file);
    return is_sha256(listed) ? listed : sha256_of_file(file);
}

bool begins_with_others(const experiment::Experiment& experiment) {
    bool is_so = false;
    for_each_load(experiment, [&](const auto&...) { is_so = true; });
    return is_so;
}

Beginning beginning_of(const experiment::Experiment& experiment) {
    Beginning beginning;
    History history;
    for_each_load(experiment, [&](const std::string& component, const experiment::Load& load) {
        std::string why_not;
        try {
            if (history.lineage.parents.size() < kMaxListed) {
                why_not = add_parent(component, load, history);
            }
        } catch (const RunError&) {
            return;
        } catch (const FileError&) {
            return;
        }
        if (!why_not.empty()) {
            beginning.warnings.push_back(
                fmt::format("of '{}', with whose weights the training begins, hash and name are "
                            "recorded, and no history: {}",
                            history.ancestors.back().name, why_not));
        }
    });
    history.ancestors = in_order(std::move(history.ancestors));
    if (const std::string problem = problem_of(history); !problem.empty()) {
        forget_generations(history);
        beginning.warnings.push_back(
            "of the models with whose weights the training begins, hashes and names are recorded, "
            "and no history: a bundle may not have all of it: " +
            problem);
    }
    if (!history.lineage.parents.empty()) {
        beginning.table.set(kParentTables, tables_of(history.lineage.parents));
        beginning.table.set(kAncestorTables, tables_of(history.ancestors));
    }
    return beginning;
}

History history_of(const fs::path& run, const fs::path& checkpoint) {
    const run::Record record = run::read_record(run / run::kRecordFile);
    const run::CheckpointRecord weights = run::read_checkpoint_record(checkpoint);
    const Value* const clean = record.git.is_table() ? record.git.find("clean") : nullptr;
    const std::string name = (run / run::kRecordFile).string();
    History history = history_in(record.lineage, name, read_beginning);
    Lineage& lineage = history.lineage;
    lineage.run = run_name(run);
    lineage.experiment_sha256 = record.experiment_sha256;
    lineage.commit = record.git.text_at("commit");
    lineage.is_clean = clean == nullptr || (clean->is_bool() && clean->as_bool());
    lineage.seed = weights.seed;
    lineage.epoch = weights.measured.epoch;
    lineage.episode = weights.measured.episode;
    history.data = data_of(run::read_training(checkpoint));
    require_right(history, name);
    return history;
}

}  // namespace ptp::bundle
