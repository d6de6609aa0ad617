// Collects the files of components.

#include "ptp-bundle/contents.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <system_error>

namespace ptp::bundling {

namespace fs = std::filesystem;

namespace {

// Returns the name with '_' for what a path in a package may not have.
std::string packable_name(const fs::path& file) {
    constexpr std::size_t kMaxName = 60;
    std::string name = file.filename().string();
    for (char& c : name) {
        const bool is_plain =
            is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
        c = is_plain ? c : '_';
    }
    name = name.size() > kMaxName ? name.substr(name.size() - kMaxName) : name;
    while (name.ends_with('.')) {
        name.back() = '_';
    }
    return name;
}

}  // namespace

void ComponentFiles::add(const pipeline::Node& node) {
    Value* const pipeline = experiment_.find("pipeline");
    Value* const table = pipeline != nullptr ? pipeline->find(node.name) : nullptr;
    if (table == nullptr || !table->is_table()) {
        return;
    }
    for (const plugin::Setting& setting : node.component->settings) {
        Value* const value = table->find(setting.name);
        if (value != nullptr && setting.type == plugin::SettingType::kPath &&
            !setting.is_output_file) {
            replace(*value);
        }
    }
}

void ComponentFiles::replace(Value& value) {
    if (value.is_list()) {
        for (Value& item : value.items()) {
            replace(item);
        }
        return;
    }
    std::error_code ignored;  // what cannot be looked at is not there
    if (!value.is_string() || !fs::is_regular_file(value.as_string(), ignored)) {
        return;
    }
    const fs::path file = value.as_string();
    const auto known = places_.find(file);
    const std::string path =
        known != places_.end()
            ? known->second
            : fmt::format("{}/{}_{}", bundle::kFilesFolder, places_.size(), packable_name(file));
    places_.emplace(file, path);
    files_.insert_or_assign(path, bundle::Content{.text = {}, .file = file});
    value = Value(path);
}

}  // namespace ptp::bundling
