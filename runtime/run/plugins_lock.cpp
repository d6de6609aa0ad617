// Reads and writes plugins.lock.

#include "run/plugins_lock.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/fields.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ptp::run {

namespace {

constexpr const char* kPluginsTable = "plugins";
constexpr std::string_view kFormatComment = "# format ";

// Returns the number in the first line; 1 if there is none.
std::int64_t format_of(std::string_view text) {
    std::int64_t format = 1;
    if (text.starts_with(kFormatComment)) {
        text.remove_prefix(kFormatComment.size());
        std::from_chars(text.data(), text.data() + text.size(), format);
    }
    return format;
}

// Returns the keys for reading and writing; episodes are signed in TOML.
std::vector<experiment::Field> fields_of(LockedGeneration& generation, std::int64_t& from_episode) {
    return {
        {.name = "generation",
         .into = &generation.number,
         .range = "[1, inf)",
         .is_required = true},
        {.name = "version", .into = &generation.version, .is_required = true},
        {.name = "sha256", .into = &generation.sha256, .is_required = true},
        {.name = "file", .into = &generation.file, .is_required = true},
        {.name = "source", .into = &generation.source, .is_required = true},
        {.name = "from_episode", .into = &from_episode, .range = "[0, inf)", .is_required = true}};
}

LockedGeneration read_generation(const experiment::Scope& scope) {
    LockedGeneration generation;
    std::int64_t from_episode = 0;
    experiment::read_all_fields(scope, fields_of(generation, from_episode));
    generation.from_episode = static_cast<std::uint64_t>(from_episode);
    const Value* sha256 = scope.table.find("sha256");
    if (sha256 != nullptr && sha256->is_string() && !is_sha256(generation.sha256)) {
        scope.problems.error(*sha256, scope.key("sha256"), "must be 64 hexadecimal digits");
    }
    const Value* file = scope.table.find("file");
    if (file != nullptr && file->is_string() && !is_file_name(generation.file)) {
        scope.problems.error(*file, scope.key("file"),
                             "must be the name of a file, without a folder");
    }
    return generation;
}

LockedPlugin read_plugin(const experiment::Scope& plugins, const Member& member) {
    LockedPlugin plugin{member.key, {}};
    const std::string key = plugins.key(member.key);
    if (!member.value.is_list()) {
        plugins.problems.error(member.value, key, "must be a list of generations");
        return plugin;
    }
    for (const Value& item : member.value.items()) {
        if (!item.is_table()) {
            plugins.problems.error(item, key, "must be a list of generations");
            continue;
        }
        plugin.generations.push_back(read_generation(plugins.at(item, member.key)));
        const std::size_t count = plugin.generations.size();
        const bool is_after =
            count < 2 || plugin.generations[count - 2].number < plugin.generations.back().number;
        if (!is_after) {
            plugins.problems.error(item.place(), key + ".generation",
                                   "must be greater than the one before");
        }
    }
    return plugin;
}

void read_root(const Value& root, PluginsLock& lock, Diagnostics& problems) {
    const schema::ReadOptions unused;
    const experiment::Scope scope{root, "", unused, problems};
    experiment::RawTable plugins;
    experiment::read_all_fields(scope,
                                {{.name = kPluginsTable, .into = &plugins, .is_required = true}});
    if (plugins.table == nullptr) {
        return;
    }
    const experiment::Scope below = scope.at(*plugins.table, kPluginsTable);
    for (const Member& member : plugins.table->members()) {
        lock.plugins.push_back(read_plugin(below, member));
    }
}

Value lock_value(const LockedPlugin& plugin) {
    std::vector<Value> list;
    for (LockedGeneration generation : plugin.generations) {
        auto from_episode = static_cast<std::int64_t>(generation.from_episode);
        list.push_back(experiment::write_fields(fields_of(generation, from_episode)));
    }
    return Value::list(std::move(list));
}

}  // namespace

std::int64_t PluginsLock::add(const std::string& plugin, LockedGeneration generation) {
    auto found = std::ranges::find(plugins, plugin, &LockedPlugin::name);
    if (found == plugins.end()) {
        found = plugins.insert(found, {plugin, {}});
    }
    generation.number = found->generations.empty() ? 1 : found->generations.back().number + 1;
    found->generations.push_back(std::move(generation));
    return found->generations.back().number;
}

const LockedGeneration* PluginsLock::active(std::string_view plugin, std::uint64_t episode) const {
    const auto found = std::ranges::find(plugins, plugin, &LockedPlugin::name);
    if (found == plugins.end()) {
        return nullptr;
    }
    const LockedGeneration* latest = nullptr;
    for (const LockedGeneration& generation : found->generations) {
        const bool is_later = latest == nullptr || generation.from_episode >= latest->from_episode;
        if (generation.from_episode <= episode && is_later) {
            latest = &generation;
        }
    }
    return latest;
}

PluginsLock read_plugins_lock(const std::filesystem::path& file) {
    Diagnostics problems;
    PluginsLock lock;
    const std::string text = read_text(file);
    check_format(file, format_of(text), kPluginsLockFormat);
    if (const auto root = read_toml(text, file.string(), problems)) {
        read_root(*root, lock, problems);
    }
    if (!problems.ok()) {
        throw RunError(kDataError, problems.text());
    }
    return lock;
}

std::string change_of_build(std::string_view found, std::string_view wanted,
                            std::string_view where) {
    constexpr std::size_t kShownDigits = 16;
    return found == wanted
               ? ""
               : fmt::format(
                     "has changed since the run used it: its SHA-256 begins with {}, {} has {}",
                     found.substr(0, kShownDigits), where, wanted.substr(0, kShownDigits));
}

void write_plugins_lock(const std::filesystem::path& file, const PluginsLock& lock) {
    Value plugins;
    for (const LockedPlugin& plugin : lock.plugins) {
        plugins.set(plugin.name, lock_value(plugin));
    }
    const Value root = Value::table({{kPluginsTable, std::move(plugins)}});
    replace_file(
        file,
        fmt::format("{}{}: which plugins were active from which episode; written by ptprun\n\n{}",
                    kFormatComment, kPluginsLockFormat, to_toml(root)));
}

}  // namespace ptp::run
