// Reads the journal line by line, and appends entries that outlive the process.

#include "run/journal.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPluginsArgument = "plugins";
constexpr const char* kValues = "values";

std::vector<Key> entry_keys(SwappedPlugin& plugin) {
    return {{"plugin", &plugin.plugin}, {"sha256", &plugin.sha256}, {"file", &plugin.file}};
}

constexpr const char* kNumber = "number";

std::vector<Key> entry_keys(Entry& entry) {
    return {{"episode", &entry.episode},
            {"command", &entry.command},
            {"arguments", &entry.arguments},
            {"time", &entry.time}};
}

// Throws std::exception for arguments that do not fit the command.
void check_form(const Entry& entry) {
    if (entry.command == "set") {
        static_cast<void>(set_values(entry));
    }
    if (entry.command == "swap") {
        static_cast<void>(swapped_plugins(entry));
    }
}

// Checks the number of a line; lines of format 1 have none.
void check_number(const Value& line, const Entry& entry, std::uint64_t expected) {
    const Value* number = line.find(kNumber);
    if (number == nullptr && entry.format == 1) {
        return;
    }
    if (number == nullptr || !number->is_integer()) {
        throw std::runtime_error("must have a number");
    }
    if (number->as_integer() != static_cast<std::int64_t>(expected)) {
        throw std::runtime_error(
            fmt::format("is entry {}, where entry {} must be: lines were removed or moved",
                        number->as_integer(), expected));
    }
}

// Throws std::exception.
Entry entry_of(const Value& line, const fs::path& file, std::uint64_t number) {
    Entry entry;
    entry.format = format_in(line, file, kJournalFormat);
    try {
        require_keys(line, entry_keys(entry));
    } catch (const RunError&) {
        throw std::runtime_error("must have episode, command, arguments and time");
    }
    check_number(line, entry, number);
    return entry;
}

void insert(std::vector<Entry>& entries, Entry entry) {
    const auto after =
        std::ranges::upper_bound(entries, entry.episode, std::ranges::less(), &Entry::episode);
    entries.insert(after, std::move(entry));
}

}  // namespace

Value swap_arguments(const std::vector<SwappedPlugin>& plugins) {
    std::vector<Value> list;
    for (const SwappedPlugin& one : plugins) {
        list.push_back(
            Value::table({{"plugin", one.plugin}, {"sha256", one.sha256}, {"file", one.file}}));
    }
    return Value::table({{kPluginsArgument, Value::list(std::move(list))}});
}

std::vector<SwappedPlugin> swapped_plugins(const Entry& entry) {
    std::vector<SwappedPlugin> plugins;
    for (const Value& item : items_in(entry.arguments, kPluginsArgument)) {
        SwappedPlugin& plugin = plugins.emplace_back();
        read_keys(item, entry_keys(plugin));
    }
    const auto is_whole = [](const SwappedPlugin& plugin) {
        return !plugin.plugin.empty() && is_sha256(plugin.sha256) && is_file_name(plugin.file);
    };
    if (plugins.empty() || !std::ranges::all_of(plugins, is_whole)) {
        throw std::runtime_error("a swap must have plugins, each with plugin, sha256 and file");
    }
    return plugins;
}

Value set_arguments(const std::vector<std::string>& values) {
    return Value::table({{kValues, Value::list({values.begin(), values.end()})}});
}

std::vector<std::string> set_values(const Entry& entry) {
    const std::vector<Value>& items = items_in(entry.arguments, kValues);
    if (items.empty() || !std::ranges::all_of(items, &Value::is_string)) {
        throw std::runtime_error("a set must have values, each of them KEY=VALUE");
    }
    std::vector<std::string> values;
    std::ranges::transform(items, std::back_inserter(values),
                           [](const Value& item) { return item.as_string(); });
    return values;
}

std::vector<Entry> read_journal(const fs::path& file, EntryCheck check) {
    std::vector<Entry> entries;
    for_each_line(file, [&](const Value& line, std::uint64_t number) {
        Entry entry = entry_of(line, file, number);
        check_form(entry);
        check(entry);
        insert(entries, std::move(entry));
    });
    return entries;
}

std::vector<RateChange> rate_changes(const std::filesystem::path& run) {
    std::vector<RateChange> changes;
    try {
        for (const Entry& entry : read_journal(run / kJournalFile, [](const Entry&) {})) {
            const Value* const rate = entry.arguments.find("rate");
            const Value* const group = entry.arguments.find("group");
            if (entry.command == "learning_rate" && rate != nullptr && rate->is_number()) {
                const bool is_named = group != nullptr && group->is_string();
                changes.push_back(
                    {entry.episode, rate->as_real(), is_named ? group->as_string() : ""});
            }
        }
    } catch (const std::exception&) {
        changes.clear();
    }
    return changes;
}

std::string text_of(const RateChange& change) {
    return fmt::format("the learning rate{} was set to {:g} after {}, by ptprun control",
                       change.group.empty() ? "" : fmt::format(" of '{}'", plain(change.group)),
                       change.rate, counted(static_cast<std::int64_t>(change.episode), "episode"));
}

namespace {

Value line_of(Entry entry, std::size_t number) {
    Value line =
        Value::table({{kFormatKey, entry.format}, {kNumber, static_cast<std::int64_t>(number)}});
    add_keys(line, entry_keys(entry));
    return line;
}

}  // namespace

Journal::Journal(const fs::path& file, EntryCheck check)
    : file_(file), check_(check), entries_(read_journal(file, check)), lines_(file) {}

void Journal::add(Entry entry) {
    check_form(entry);
    check_(entry);
    lines_.append(line_of(entry, entries_.size() + 1));
    insert(entries_, std::move(entry));
}

void Journal::drop_after(std::uint64_t episode) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.episode > episode; });
    std::string text;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        text += ptp::text_of(json_of(line_of(entries_[i], i + 1))) + '\n';
    }
    replace_file(file_, text);
    lines_ = LineFile(file_);
}

}  // namespace ptp::run
