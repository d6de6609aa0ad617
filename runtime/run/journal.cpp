// Reads the journal line by line, and appends entries that outlive the process.

#include "run/journal.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
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
Entry entry_of(std::string_view line, const fs::path& file, std::uint64_t number) {
    const std::optional<Json> json = parsed_json(line);
    if (!json || !json->is_object()) {
        throw std::runtime_error("is not a JSON object");
    }
    const Value value = ptp::value_of(*json);
    Entry entry;
    entry.format = format_in(value, file, kJournalFormat);
    try {
        require_keys(value, entry_keys(entry));
    } catch (const RunError&) {
        throw std::runtime_error("must have episode, command, arguments and time");
    }
    check_number(value, entry, number);
    return entry;
}

std::string journal_line(Entry entry, std::uint64_t number) {
    Value line =
        Value::table({{kFormatKey, entry.format}, {kNumber, static_cast<std::int64_t>(number)}});
    add_keys(line, entry_keys(entry));
    return ptp::text_of(json_of(line)) + '\n';
}

void insert(std::vector<Entry>& entries, Entry entry) {
    const auto after =
        std::ranges::upper_bound(entries, entry.episode, std::ranges::less(), &Entry::episode);
    entries.insert(after, std::move(entry));
}

struct Content {
    std::vector<Entry> entries;
    std::uint64_t size = 0;  // of the whole lines
};

Content read(const fs::path& file, EntryCheck check) {
    Content content;
    if (!fs::exists(fs::symlink_status(file))) {
        return content;
    }
    const std::string text = read_text(file);
    std::size_t line = 1;
    for (std::size_t end = 0; (end = text.find('\n', content.size)) != std::string::npos; ++line) {
        try {
            Entry entry = entry_of(std::string_view(text).substr(content.size, end - content.size),
                                   file, line);
            check_form(entry);
            check(entry);
            insert(content.entries, std::move(entry));
        } catch (const NewerFormat&) {
            throw;
        } catch (const std::exception& error) {
            throw RunError(kDataError, fmt::format("{}:{}: {}", file.string(), line, error.what()));
        }
        content.size = end + 1;
    }
    return content;
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
    return read(file, check).entries;
}

Journal::Journal(fs::path file, EntryCheck check) : file_(std::move(file)), check_(check) {
    Content content = read(file_, check_);
    entries_ = std::move(content.entries);
    size_ = content.size;
    if (fs::exists(file_)) {
        out_.emplace(OutputFile::append(file_, size_));
    }
}

void Journal::add(Entry entry) {
    check_form(entry);
    check_(entry);
    const std::string line = journal_line(entry, entries_.size() + 1);
    try {
        write(line);
    } catch (...) {
        out_.reset();  // what has been written of the line is cut off when it is opened again
        throw;
    }
    size_ += line.size();
    insert(entries_, std::move(entry));
}

void Journal::write(const std::string& line) {
    if (!out_ && !fs::exists(file_)) {
        out_.emplace(OutputFile::create(file_));
    } else if (!out_) {
        out_.emplace(OutputFile::append(file_, size_));
    }
    is_on_disk_ = false;
    out_->write(line);
}

void Journal::sync() {
    if (!is_on_disk_ && out_) {
        out_->sync();
        sync_folder(file_.parent_path());
    }
    is_on_disk_ = true;
}

}  // namespace ptp::run
