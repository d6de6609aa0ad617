// Reads and writes checkpoint.toml.

#include "run/checkpoint_record.hpp"

#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"

#include <system_error>
#include <utility>

namespace ptp::run {

namespace {

constexpr const char* kMeasured = "measured";
constexpr const char* kPlugins = "plugins";

std::vector<Key> record_keys(CheckpointRecord& record) {
    return {{"experiment", &record.experiment},
            {"seed", &record.seed},
            {"is_reproducible", &record.is_reproducible},
            {"globals", &record.globals},
            {"status", &record.status}};
}

std::vector<Key> plugin_keys(ActivePlugin& plugin) {
    return {{"name", &plugin.name}, {"version", &plugin.version}, {"sha256", &plugin.sha256}};
}

std::vector<Key> generation_keys(ActivePlugin& plugin) {
    return {{"generation", &plugin.generation}, {"from_episode", &plugin.from_episode}};
}

Value plugin_value(ActivePlugin plugin) {
    Value table = write_keys(plugin_keys(plugin));
    if (plugin.generation > 0) {
        add_keys(table, generation_keys(plugin));
    }
    return table;
}

std::vector<ActivePlugin> plugins_in(const Value& table) {
    std::vector<ActivePlugin> plugins;
    for (const Value& item : items_in(table, kPlugins)) {
        ActivePlugin plugin;
        read_keys(item, plugin_keys(plugin));
        read_keys(item, generation_keys(plugin));
        if (!plugin.name.empty() && !plugin.sha256.empty()) {
            plugins.push_back(std::move(plugin));
        }
    }
    return plugins;
}

}  // namespace

CheckpointRecord read_checkpoint_record(const std::filesystem::path& checkpoint) {
    const std::filesystem::path file = checkpoint / kCheckpointFile;
    return checkpoint_record_from(read_text(file), file);
}

CheckpointRecord checkpoint_record_from(std::string_view text, const std::filesystem::path& file) {
    const Value table = toml_table_from(text, file, kCheckpointFormat);
    CheckpointRecord record;
    read_keys(table, record_keys(record));
    if (!record.globals.is_table()) {
        record.globals = {};
    }
    record.plugins = plugins_in(table);
    // The measurement's keys are in the same table as the others.
    record.measured = measurement_in(Value::table({{kMeasured, table}}), kMeasured).value();
    return record;
}

void write_checkpoint_record(const std::filesystem::path& checkpoint,
                             const CheckpointRecord& record) {
    CheckpointRecord copy = record;
    Value table = write_keys(record_keys(copy));
    const Value measured = value_of(record.measured);
    for (const Member& member : measured.members()) {
        table.set(member.key, member.value);
    }
    table.set(kPlugins, Value::list(transformed(record.plugins, plugin_value)));
    write_toml_table(checkpoint / kCheckpointFile, kCheckpointFormat, table);
}

std::map<std::string, std::string> recorded_plugins(const std::filesystem::path& checkpoint) {
    std::map<std::string, std::string> hashes;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(checkpoint / kCheckpointFile, ignored)) {
        return hashes;
    }
    try {
        for (const ActivePlugin& plugin : read_checkpoint_record(checkpoint).plugins) {
            hashes.emplace(plugin.name, plugin.sha256);
        }
    } catch (const NewerFormat&) {
        throw;
    } catch (const RunError& error) {  // reported when the checkpoint itself is read
        if (error.code() == kTrainingError) {
            throw;
        }
    }
    return hashes;
}

std::optional<std::int64_t> unsaved_best_epoch(const Run& run) {
    return run.state == "died" ? newer_best_epoch(run) : std::nullopt;
}

std::optional<std::int64_t> newer_best_epoch(const Run& run) {
    if ((run.state != "died" && run.state != "running") || !run.best) {
        return std::nullopt;
    }
    std::int64_t saved = -1;
    try {
        saved = read_checkpoint_record(run.folder / kCheckpointsFolder / kBestCheckpoint)
                    .measured.episode;
    } catch (const RunError&) {  // there is none that could be read
    }
    return saved < run.best->episode ? std::optional(run.best->epoch) : std::nullopt;
}

}  // namespace ptp::run
