#include "control/journal.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "base/text_check.hpp"
#include "control/protocol.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::control {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string>& journalled() {
    static const std::vector<std::string> all = {"checkpoint", "validate", "learning_rate", "swap",
                                                 "set"};
    return all;
}

const std::string* text_in(const Value& table, const char* key) {
    const Value* value = table.find(key);
    return value != nullptr && value->is_string() ? &value->as_string() : nullptr;
}

std::optional<SwappedPlugin> plugin_of(const Value& value) {
    const std::string* plugin = text_in(value, "plugin");
    const std::string* sha256 = text_in(value, "sha256");
    const std::string* file = text_in(value, "file");
    if (plugin == nullptr || sha256 == nullptr || file == nullptr || plugin->empty() ||
        !is_sha256(*sha256) || !is_file_name(*file)) {
        return std::nullopt;
    }
    return SwappedPlugin{*plugin, *sha256, *file};
}

// nullopt where the arguments are not those of a swap.
std::optional<std::vector<SwappedPlugin>> plugins_of(const Value& arguments) {
    const Value* list = arguments.find("plugins");
    if (list == nullptr || !list->is_list() || list->items().empty()) {
        return std::nullopt;
    }
    std::vector<SwappedPlugin> plugins;
    for (const Value& item : list->items()) {
        std::optional<SwappedPlugin> plugin = plugin_of(item);
        if (!plugin) {
            return std::nullopt;
        }
        plugins.push_back(std::move(*plugin));
    }
    return plugins;
}

// nullopt where the arguments are not those of a set.
std::optional<std::vector<std::string>> values_of(const Value& arguments) {
    const Value* list = arguments.find("values");
    if (list == nullptr || !list->is_list() || list->items().empty()) {
        return std::nullopt;
    }
    std::vector<std::string> values;
    for (const Value& item : list->items()) {
        if (!item.is_string()) {
            return std::nullopt;
        }
        values.push_back(item.as_string());
    }
    return values;
}

void check_entry(const Entry& entry) {
    if (std::ranges::find(journalled(), entry.command) == journalled().end()) {
        throw ProtocolError(fmt::format("unknown command '{}'{}", entry.command,
                                        hint(entry.command, journalled())));
    }
    if (entry.command == "set") {
        if (!values_of(entry.arguments)) {
            throw ProtocolError("a set must have values, each of them KEY=VALUE");
        }
    } else if (entry.command != "swap") {
        check({entry.command, entry.arguments});
    } else if (!plugins_of(entry.arguments)) {
        throw ProtocolError("a swap must have plugins, each with plugin, sha256 and file");
    }
}

// Throws std::exception.
Entry entry_of(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        throw ProtocolError("is not a JSON object");
    }
    const Value value = value_of(json);
    const Value* episode = value.find("episode");
    const Value* arguments = value.find("arguments");
    const std::string* command = text_in(value, "command");
    const std::string* time = text_in(value, "time");
    const bool is_whole = episode != nullptr && episode->is_integer() &&
                          episode->as_integer() >= 0 && command != nullptr &&
                          arguments != nullptr && arguments->is_table() && time != nullptr;
    if (!is_whole) {
        throw ProtocolError("must have episode, command, arguments and time");
    }
    Entry entry{static_cast<std::uint64_t>(episode->as_integer()), *command, *arguments, *time};
    check_entry(entry);
    return entry;
}

std::string line_of(const Entry& entry) {
    return text_of({{"episode", entry.episode},
                    {"command", entry.command},
                    {"arguments", json_of(entry.arguments)},
                    {"time", entry.time}}) +
           '\n';
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

Content read(const fs::path& file) {
    Content content;
    if (!fs::exists(fs::symlink_status(file))) {
        return content;
    }
    const std::string text = read_text(file);
    std::size_t line = 1;
    for (std::size_t end = 0; (end = text.find('\n', content.size)) != std::string::npos; ++line) {
        try {
            insert(content.entries,
                   entry_of(std::string_view(text).substr(content.size, end - content.size)));
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
    return Value::table({{"plugins", Value::list(std::move(list))}});
}

std::vector<SwappedPlugin> swapped_plugins(const Entry& entry) {
    return plugins_of(entry.arguments).value();
}

Value set_arguments(const std::vector<std::string>& values) {
    return Value::table({{"values", Value::list({values.begin(), values.end()})}});
}

std::vector<std::string> set_values(const Entry& entry) {
    return values_of(entry.arguments).value();
}

std::vector<Entry> read_journal(const fs::path& file) {
    return read(file).entries;
}

Journal::Journal(fs::path file) : file_(std::move(file)) {
    Content content = read(file_);
    entries_ = std::move(content.entries);
    size_ = content.size;
    if (fs::exists(file_)) {
        out_.emplace(OutputFile::append(file_, size_));
    }
}

void Journal::add(Entry entry) {
    check_entry(entry);
    const std::string line = line_of(entry);
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

std::vector<Entry> Journal::entries_from(std::uint64_t episode) const {
    const auto first =
        std::ranges::lower_bound(entries_, episode, std::ranges::less(), &Entry::episode);
    return {first, entries_.end()};
}

}  // namespace ptp::control
