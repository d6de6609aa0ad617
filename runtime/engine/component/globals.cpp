// The globals of a pipeline, and advice where two tasks publish different ones.

#include "engine/component/globals.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace ptp::engine {

namespace {

struct Published {
    const Value& value;
    const std::string& publisher;
};

// Returns names of one table that the other lacks, at most five: "'rose', 'tulip'".
std::string lacking_text(const Value& has, const Value& lacks) {
    constexpr std::size_t kMaxNamed = 5;
    std::vector<std::string> names;
    for (const Member& member : has.members()) {
        if (lacks.find(member.key) == nullptr) {
            names.push_back(fmt::format("'{}'", member.key));
        }
    }
    const std::size_t count = names.size();
    names.resize(std::min(count, kMaxNamed));
    return join(names, ", ") +
           (count > kMaxNamed ? fmt::format(" and {} more", count - kMaxNamed) : "");
}

// Describes how two tables differ, such as the classes of two sections.
std::string difference_text(const std::string& name, const Published& first,
                            const Published& second) {
    std::string text = fmt::format("the global '{}' of {} differs from that of {}:", name,
                                   second.publisher, first.publisher);
    const std::string only_first = lacking_text(first.value, second.value);
    const std::string only_second = lacking_text(second.value, first.value);
    if (!only_first.empty()) {
        text += fmt::format("\n    only {} has {}", first.publisher, only_first);
    }
    if (!only_second.empty()) {
        text += fmt::format("\n    only {} has {}", second.publisher, only_second);
    }
    for (const Member& member : second.value.members()) {
        const Value* other = first.value.find(member.key);
        if (other != nullptr && *other != member.value) {
            return text + fmt::format("\n    '{}' is {} in {} and {} in {}", member.key,
                                      short_text(*other), first.publisher, short_text(member.value),
                                      second.publisher);
        }
    }
    return text;
}

bool marks_missing(std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) {
        return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr std::array<std::string_view, 8> kMarks{"",     "na",   "n/a", "nan",
                                                     "null", "none", "?",   "-"};
    return std::ranges::find(kMarks, name) != kMarks.end();
}

// The names of the classes of two sections.
struct ClassNamesOfTwo {
    std::set<std::string> all;  // without the marks that only one section has
    std::string marks;          // of missing values, in only one of the two: "'NA', 'nan'"
    bool have_common = false;
};

ClassNamesOfTwo names_of_two(const Value& first, const Value& second) {
    ClassNamesOfTwo names;
    for (const auto& [table, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
        for (const Member& member : table->members()) {
            const bool is_common = other->find(member.key) != nullptr;
            names.have_common = names.have_common || is_common;
            if (!is_common && marks_missing(member.key)) {
                names.marks += (names.marks.empty() ? "'" : ", '") + member.key + "'";
            } else {
                names.all.insert(member.key);
            }
        }
    }
    return names;
}

// A setting of a task for a purpose, and its value; nullptr where there is none.
struct Given {
    Given(const pipeline::Node& task, plugin::Purpose purpose)
        : setting(plugin::find_purpose(task.component->settings, purpose)),
          value(setting == nullptr ? nullptr
                                   : pipeline::checked_settings(task).find(setting->name)) {}

    const plugin::Setting* setting;
    const Value* value;
};

bool is_listed(const Given& classes) {
    return classes.value != nullptr && !classes.value->items().empty();
}

// Returns the list of these classes: in the order that the training's task states, or else the
// other one, and then the rest by their names.
Value in_written_order(std::set<std::string> classes, const Given& training, const Given& other) {
    const Given& given = is_listed(training) ? training : other;
    std::vector<Value> list;
    if (is_listed(given)) {
        for (const Value& one : given.value->items()) {
            if (classes.erase(one.as_string()) > 0) {
                list.push_back(one);
            }
        }
    }
    list.insert(list.end(), classes.begin(), classes.end());
    return Value::list(std::move(list));
}

// Returns a folder of classes of the training that lies, beside others, in the folder which a task
// takes for that of the classes: the parent folder was named. The one that is named as the section
// is taken before the others. "" if there is none.
std::string folder_of_part(const pipeline::Node& task, const Value& classes, const Value& training,
                           const Given& folder, const Given& folder_of_training) {
    namespace fs = std::filesystem;
    std::string found;
    for (const Member& part : classes.members()) {
        const fs::path inner = fs::path(folder.value->as_string()) / part.key;
        const bool has_classes = std::ranges::any_of(training.members(), [&](const Member& one) {
            std::error_code ignored;
            return fs::is_directory(inner / one.key, ignored);
        });
        std::error_code ignored;
        const bool is_trained_on =
            fs::equivalent(inner, folder_of_training.value->as_string(), ignored);
        const bool is_named =
            pipeline::part_of_data(part.key) == task.section.substr(0, task.section.find('.'));
        if (has_classes && !is_trained_on && (found.empty() || is_named)) {
            found = inner.string();
        }
    }
    return found;
}

// Returns the names in the first table that the second lacks.
std::vector<std::string> names_beside(const Value& one, const Value& other) {
    std::vector<std::string> names;
    for (const Member& member : one.members()) {
        if (other.find(member.key) == nullptr) {
            names.push_back(member.key);
        }
    }
    return names;
}

// Returns how classes are renamed whose names are those of the training but for capitals, or, with
// `of_slips`, but for few letters; "" where there are none.
std::string fix_of_names(const Value& classes, const Value& training, const Given& folder,
                         bool of_slips) {
    namespace fs = std::filesystem;
    std::string fix;
    std::vector<std::string> lacking = names_beside(training, classes);
    for (const std::string& own : names_beside(classes, training)) {
        const auto near = of_slips ? nearest(own, lacking) : std::nullopt;
        for (const std::string& trained : std::vector(lacking)) {
            if (near ? trained != *near : folded(own) != folded(trained)) {
                continue;
            }
            std::erase(lacking, trained);
            const fs::path root = folder.value == nullptr ? "" : folder.value->as_string();
            std::error_code ignored;
            const bool is_folder = folder.value != nullptr && fs::is_directory(root / own, ignored);
            fix += fix.empty() ? "" : is_folder ? " && " : ", ";
            fix += is_folder ? fmt::format("mv {} {}", shell_word((root / own).string()),
                                           shell_word((root / trained).string()))
                             : fmt::format("write '{}' in place of '{}'", trained, own);
        }
    }
    return fix;
}

}  // namespace

std::string fix_of_classes(const pipeline::Node& training, const pipeline::Node& other,
                           const Value& first, const Value& second) {
    using plugin::Purpose;
    const Given folder(training, Purpose::kDataFolder);
    const Given classes(training, Purpose::kClassNames);
    const Given missing(training, Purpose::kMissingClasses);  // their folders
    assert(classes.setting != nullptr);
    const ClassNamesOfTwo names = names_of_two(first, second);
    std::string fix =
        pipeline::fix_of_number_classes(training, {names.all.begin(), names.all.end()});
    if (!fix.empty()) {
        return fix;
    }
    for (const Member& part : first.members()) {
        if (folder.value != nullptr && !names.have_common &&
            pipeline::part_of_data(part.key) == "training") {
            return fmt::format("set {} = \"{}/{}\" in {}", folder.setting->name,
                               folder.value->as_string(), part.key, training.path);
        }
    }
    const Given other_folder(other, Purpose::kDataFolder);
    if (fix = fix_of_names(second, first, other_folder, false); !fix.empty()) {
        return fix;
    }
    const std::string part =
        folder.value == nullptr || other_folder.value == nullptr || names.have_common
            ? ""
            : folder_of_part(other, second, first, other_folder, folder);
    if (!part.empty()) {
        return fmt::format("set {} = \"{}\" in {}", other_folder.setting->name, part, other.path);
    }
    const bool is_enough =
        !names.marks.empty() && std::ranges::all_of(names.all, [&](const std::string& one) {
            return first.find(one) != nullptr && second.find(one) != nullptr;
        });
    const Given other_classes(other, Purpose::kClassNames);
    // Folders of other classes are left out, which other tasks refuse.
    if (missing.setting != nullptr && is_listed(classes) && !is_listed(other_classes) &&
        second.members().size() > first.members().size() && names_beside(first, second).empty()) {
        return fmt::format("write {} = {} in {}", classes.setting->name,
                           inline_toml(*classes.value), other.path);
    }
    const bool is_same = names.marks.empty() && first.members().size() == names.all.size() &&
                         second.members().size() == names.all.size();
    const std::string slips =
        names.marks.empty() ? fix_of_names(second, first, other_folder, true) : "";
    return (slips.empty() ? "" : slips + ", if that is the same class; else ") +
           (names.marks.empty()
                ? ""
                : fmt::format("remove the samples whose class is {}, a mark of a missing value{}",
                              names.marks, is_enough ? "" : ", and ")) +
           (is_enough
                ? ""
                : fmt::format("write {} = {}{} in the task of each section", classes.setting->name,
                              inline_toml(in_written_order(names.all, classes, other_classes)),
                              missing.setting == nullptr || is_same
                                  ? ""
                                  : fmt::format(" and {} = true", missing.setting->name)));
}

std::vector<std::string> published_classes(const pipeline::Node& node, const Globals& globals) {
    const std::string name = node.global_for(plugin::Purpose::kClassNames);
    const ptp_data* table = name.empty() ? nullptr : globals.find(name);
    std::vector<std::string> names;
    if (table == nullptr || table->type != PTP_DATA_TABLE) {
        return names;
    }
    for (std::size_t i = 0; i < table->item_count; ++i) {
        const ptp_data& item = table->items[i];
        if (item.type != PTP_DATA_INTEGER || item.integer < 0 ||
            item.integer >= static_cast<std::int64_t>(table->item_count)) {
            return {};
        }
        names.resize(table->item_count);
        names[static_cast<std::size_t>(item.integer)] = item.key;
    }
    return names;
}

std::optional<std::string> Globals::publish(const std::string& name, const Value& value,
                                            const std::string& publisher) {
    const auto [found, is_new] = entries_.try_emplace(name, value, publisher);
    const Entry& entry = found->second;
    if (is_new || entry.value == value) {
        return std::nullopt;
    }
    if (entry.value.is_table() && value.is_table()) {
        return difference_text(name, {entry.value, entry.publisher}, {value, publisher});
    }
    return fmt::format("the global '{}' has one value: {} publishes {}, and {} publishes {}", name,
                       entry.publisher, short_text(entry.value), publisher, short_text(value));
}

void Globals::copy_to(Globals& other) const {
    assert(other.entries_.empty());
    for (const auto& [name, entry] : entries_) {
        other.entries_.try_emplace(name, entry.value, entry.publisher);
    }
}

Value Globals::values() const {
    Value table;
    for (const auto& [name, entry] : entries_) {
        table.set(name, entry.value);
    }
    return table;
}

const std::string* Globals::publisher(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second.publisher;
}

const ptp_data* Globals::find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second.data.root();
}

}  // namespace ptp::engine
