// Reads the history of a model from run.json, from its checkpoint, and from bundles.

#include "bundle/history.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "experiment/weights_file.hpp"
#include "run/checkpoint_record.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"
#include "run/training_record.hpp"

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

std::string text_at(const Value& table, const char* key) {
    const Value* const value = table.is_table() ? table.find(key) : nullptr;
    return value != nullptr && value->is_string() ? value->as_string() : "";
}

// Returns the sections of data in the state of a training.
std::vector<BundledData> data_of(const Value& training) {
    std::vector<BundledData> all;
    for (const Member& section : members_of(training.find(run::kDataPart))) {
        const Value* const samples = section.value.find("samples");
        const Value* const files = section.value.find("files");
        BundledData data;
        data.section = section.key;
        data.samples = samples != nullptr && samples->is_integer() ? samples->as_integer() : 0;
        if (!members_of(files).empty()) {
            data.sha256 = sha256(to_toml(*files));
        }
        all.push_back(std::move(data));
    }
    return all;
}

// Returns the history in the metadata of an exported file; empty where there is none: a file from
// elsewhere may state anything.
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
    const auto stated =
        text.is_string() ? parsed_json(text.get<std::string>(), kMaxLevels) : std::nullopt;
    if (!stated || !stated->is_object()) {
        return {};
    }
    const Value table = ptp::value_of(*stated);
    Diagnostics problems;
    const schema::ReadOptions options;
    const schema::Scope scope{table, "", options, problems};
    History history;
    history.read(scope);
    if (problems.ok()) {
        check_lineage(history.lineage, history.ancestors, scope);
    }
    return problems.ok() ? history : History();
}

// Returns the history of the model that a file of weights is of; empty where it is of none.
History history_of_file(const fs::path& file) {
    if (experiment::is_bundle(file)) {
        const BundleManifest manifest = BundleFile(file).manifest();
        return {manifest.lineage, manifest.data, manifest.ancestors};
    }
    const fs::path checkpoint = file.parent_path();
    const fs::path run = checkpoint.parent_path().parent_path();
    std::error_code ignored;  // a folder that cannot be looked at has none
    return fs::exists(checkpoint / run::kCheckpointFile, ignored) &&
                   fs::exists(run / run::kRecordFile, ignored)
               ? history_of(run, checkpoint)
               : exported_history(file);
}

// Adds a model, and its ancestors.
void add_parent(const experiment::Load& load, const std::string& component, History& history) {
    const fs::path file = experiment::weights_file(load.from);
    Ancestor parent;
    parent.weights_sha256 = hash_of_weights(load.from);
    parent.bundle_sha256 = experiment::is_bundle(file) ? sha256_of_file(file) : "";
    History before = history_of_file(file);
    parent.training = std::move(before.lineage);
    parent.data = std::move(before.data);
    std::error_code ignored;
    const bool is_of_run = fs::exists(file.parent_path() / run::kCheckpointFile, ignored) &&
                           !parent.training.run.empty();
    parent.name = is_of_run ? parent.training.run : file.filename().string();
    history.lineage.parents.push_back({parent.weights_sha256, component});
    history.ancestors.push_back(std::move(parent));
    std::ranges::move(before.ancestors, std::back_inserter(history.ancestors));
}

}  // namespace

void History::read(const schema::Scope& scope) {
    schema::Raw parents = nullptr;
    schema::Raw data_tables = nullptr;
    schema::Raw ancestor_tables = nullptr;
    std::vector<schema::Field> all = lineage.fields();
    all.push_back({.name = kParentTables, .into = &parents});
    all.push_back({.name = kAncestorData, .into = &data_tables});
    all.push_back({.name = kAncestorTables, .into = &ancestor_tables});
    schema::read_all_fields(scope, all);
    read_tables(scope, parents, kParentTables, lineage.parents);
    read_tables(scope, data_tables, kAncestorData, data);
    read_tables(scope, ancestor_tables, kAncestorTables, ancestors);
}

std::string text_of(const History& history) {
    Value table = value_of(history.lineage);
    table.set(kAncestorData, tables_of(history.data));
    table.set(kAncestorTables, Value::list(transformed(history.ancestors, [](const Ancestor& one) {
                  return value_of(one);
              })));
    return ptp::text_of(json_of(table));
}

std::string hash_of_weights(const fs::path& named) {
    const fs::path file = experiment::weights_file(named);
    if (experiment::is_bundle(file)) {
        return BundleFile(file).manifest().files.back().sha256;  // the weights are the last
    }
    const std::string listed = run::listed_hash(file);
    return is_sha256(listed) ? listed : sha256_of_file(file);
}

Value beginning_of(const experiment::Experiment& experiment) {
    History history;
    const auto add = [&](const std::optional<experiment::Load>& load,
                         const std::string& component) {
        try {
            if (load) {
                add_parent(*load, component, history);
            }
        } catch (const RunError&) {
            return;
        } catch (const FileError&) {
            return;
        }
    };
    add(experiment.pipeline.load, "");
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled) {
            add(entry.load, entry.path);
        }
    }
    Value table = Value::table();
    if (!history.lineage.parents.empty()) {
        table.set(kParentTables, tables_of(history.lineage.parents));
        table.set(kAncestorTables,
                  Value::list(transformed(in_order(std::move(history.ancestors)),
                                          [](const Ancestor& one) { return value_of(one); })));
    }
    return table;
}

void add_beginning(const Value& table, const std::string& name, History& history) {
    Diagnostics problems;
    const schema::ReadOptions options;
    const schema::Scope scope{table, "lineage", options, problems};
    schema::Raw parents = nullptr;
    schema::Raw ancestors = nullptr;
    schema::read_all_fields(scope, {{.name = kParentTables, .into = &parents},
                                    {.name = kAncestorTables, .into = &ancestors}});
    read_tables(scope, parents, kParentTables, history.lineage.parents);
    read_tables(scope, ancestors, kAncestorTables, history.ancestors);
    if (problems.ok()) {
        check_lineage(history.lineage, history.ancestors, scope);
    }
    if (!problems.ok()) {
        throw RunError(kDataError, name + ": " + problems.reasons());
    }
}

History history_of(const fs::path& run, const fs::path& checkpoint) {
    const run::Record record = run::read_record(run / run::kRecordFile);
    const run::CheckpointRecord weights = run::read_checkpoint_record(checkpoint);
    const Value* const clean = record.git.is_table() ? record.git.find("clean") : nullptr;
    History history;
    Lineage& lineage = history.lineage;
    lineage.run = fs::weakly_canonical(run).filename().string();
    lineage.experiment_sha256 = record.experiment_sha256;
    lineage.commit = text_at(record.git, "commit");
    lineage.is_clean = clean == nullptr || (clean->is_bool() && clean->as_bool());
    lineage.seed = weights.seed;
    lineage.epoch = weights.measured.epoch;
    lineage.episode = weights.measured.episode;
    history.data = data_of(run::read_training(checkpoint));
    add_beginning(record.lineage, (run / run::kRecordFile).string(), history);
    return history;
}

}  // namespace ptp::bundle
