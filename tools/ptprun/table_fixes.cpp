// Puts fixes into the value of the --set that they are about.

#include "table_fixes.hpp"

#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/override.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::ptprun {

namespace {

using experiment::Override;
using Path = std::vector<std::string>;

// Returns a member of a table or an item of a list; nullptr if there is none.
Value* part_of(Value& value, const std::string& name) {
    if (value.is_table()) {
        return value.find(name);
    }
    std::size_t index = 0;
    const char* const end = name.data() + name.size();
    const bool is_item = value.is_list() && std::from_chars(name.data(), end, index).ptr == end;
    return is_item && index < value.items().size() ? &value.items()[index] : nullptr;
}

Value* value_below(Value& root, const Path& path, std::size_t depth) {
    Value* value = &root;
    for (std::size_t i = 0; i < depth && value != nullptr; ++i) {
        value = part_of(*value, path[i]);
    }
    return value;
}

bool begins_with(const Path& path, const Path& begin) {
    return path.size() >= begin.size() && std::equal(begin.begin(), begin.end(), path.begin());
}

// Returns the values of a fix that is options --set alone; empty for another fix.
std::vector<std::string> sets_of(const std::string& fix) {
    const std::vector<std::string> sets = set_options(fix);
    std::string all;
    for (const std::string& set : sets) {
        all += (all.empty() ? "--set " : " --set ") + shell_word(set);
    }
    return all == fix ? sets : std::vector<std::string>();
}

// The value of one --set, in which fixes are made.
class Whole {
public:
    Whole(const Override& override, Path path)
        : path_(std::move(path)),
          tree_(experiment::tree_of(
              {path_, std::vector<SourceLocation>(path_.size()), override.value})) {}

    // Returns whether the fix of a problem could be made.
    bool take(const Problem& problem) {
        constexpr std::string_view kWrite = "write ";
        constexpr std::string_view kLeaveOut = "leave it out";
        const auto key = experiment::read_key_path(problem.key);
        if (!key || key->size() <= path_.size() || !begins_with(*key, path_)) {
            return false;
        }
        Value* const parent = value_below(tree_, *key, key->size() - 1);
        if (parent == nullptr) {
            return false;
        }
        if (const std::vector<std::string> sets = sets_of(problem.fix); !sets.empty()) {
            replace(*parent, *key, sets);
            return true;
        }
        // Other advice would be lost, such as what is to be written elsewhere in place of the key.
        const bool is_left_out =
            problem.fix == kLeaveOut || problem.fix.starts_with(std::string(kLeaveOut) + ":");
        if (parent->is_table() && (is_left_out || insert_behind(*key, problem.fix))) {
            parent->erase(key->back());
            return true;
        }
        // A layer may be its name alone.
        const auto written = problem.fix.starts_with(kWrite)
                                 ? read_toml_value(problem.fix.substr(kWrite.size()))
                                 : std::nullopt;
        Value* const named = key->back() != "type" ? nullptr
                             : parent->is_table()  ? parent->find("type")
                             : parent->is_string() ? parent
                                                   : nullptr;
        if (written && named != nullptr) {
            *named = *written;
        }
        return written && named != nullptr;
    }

    [[nodiscard]] std::string fix() {
        // The last ones first: each moves the items behind it.
        for (auto one = inserted_.rbegin(); one != inserted_.rend(); ++one) {
            auto& items = value_below(tree_, one->list, one->list.size())->items();
            items.insert(items.begin() + static_cast<long>(one->index), one->value);
        }
        inserted_.clear();
        const Value* const value = value_below(tree_, path_, path_.size());
        std::string text = "--set " + shell_word(experiment::override_text(
                                          join(transformed(path_, toml_key), "."), *value));
        for (const std::string& other : others_) {
            text += " --set " + shell_word(other);
        }
        return text;
    }

private:
    // An item that is to be inserted before the one of this index.
    struct Inserted {
        Path list;
        std::size_t index;
        Value value;
    };

    // Takes the fix of a key of an item, "leave it out, and write "ReLU" behind this layer".
    bool insert_behind(const Path& key, std::string_view fix) {
        constexpr std::string_view kBegin = "leave it out, and write ";
        constexpr std::string_view kEnd = " behind this layer";
        if (!fix.starts_with(kBegin) || !fix.ends_with(kEnd) || key.size() < path_.size() + 2) {
            return false;
        }
        fix.remove_prefix(kBegin.size());
        fix.remove_suffix(kEnd.size());
        const auto written = read_toml_value(std::string(fix));
        const Path list(key.begin(), key.end() - 2);
        const Value* const items = value_below(tree_, list, list.size());
        const std::string& item = key[key.size() - 2];
        std::size_t index = 0;
        if (!written || items == nullptr || !items->is_list() ||
            std::from_chars(item.data(), item.data() + item.size(), index).ec != std::errc()) {
            return false;
        }
        inserted_.push_back({list, index + 1, *written});
        return true;
    }

    // Erases what a whole table, which is written in the place of one, does not have.
    static void keep_members_of(Value& table, const Value& whole) {
        if (table.is_table() && whole.is_table()) {
            std::erase_if(table.members(),
                          [&](const Member& member) { return whole.find(member.key) == nullptr; });
        }
    }

    // Sets the values in place of the key, which stays where they change a member that is there,
    // such as the type that has no such key.
    void replace(Value& parent, const Path& key, const std::vector<std::string>& sets) {
        Diagnostics unused;
        std::vector<Override> own;
        bool is_replaced = parent.is_table();
        for (const std::string& set : sets) {
            auto override = experiment::read_override(set, 1, unused);
            if (!override || !begins_with(override->path, path_)) {
                others_.push_back(set);
                continue;
            }
            const bool is_around =
                override->path.size() < key.size() && begins_with(key, override->path);
            Value* const there = value_below(tree_, override->path, override->path.size());
            // Another key may have set it: beta_1, and then beta_2.
            is_replaced =
                is_replaced && (is_around || there == nullptr || *there == override->value);
            if (is_around && there != nullptr) {
                keep_members_of(*there, override->value);
            }
            own.push_back(std::move(*override));
        }
        if (is_replaced) {
            parent.erase(key.back());
        }
        for (const Override& override : own) {
            experiment::apply_override(override, tree_, unused);
        }
    }

    Path path_;
    Value tree_;
    std::vector<Inserted> inserted_;   // in the order of the text
    std::vector<std::string> others_;  // of other tables
};

// Returns the whole path of the override that a key is in, whose first parts may be left out.
std::optional<Path> whole_path(const Path& typed, const std::string& key) {
    const auto parts = experiment::read_key_path(key);
    for (std::size_t i = 0; parts && i + typed.size() < parts->size(); ++i) {
        if (std::equal(typed.begin(), typed.end(), parts->begin() + static_cast<long>(i))) {
            return Path(parts->begin(), parts->begin() + static_cast<long>(i + typed.size()));
        }
    }
    return std::nullopt;
}

void take_fixes(const std::string& text, int number, std::vector<Problem>& problems) {
    Diagnostics unused;
    const auto override = experiment::read_override(text, number, unused);
    if (!override || (!override->value.is_table() && !override->value.is_list())) {
        return;
    }
    std::optional<Whole> whole;
    Problem* last = nullptr;
    for (Problem& problem : problems) {
        const bool is_in_it =
            problem.place.file() == kCommandLine && problem.place.line() == number;
        const auto path = is_in_it ? whole_path(override->path, problem.key) : std::nullopt;
        if (path && !whole) {
            whole.emplace(*override, *path);
        }
        if (path && whole->take(problem)) {
            if (last != nullptr) {
                last->fix.clear();
            }
            last = &problem;
        }
    }
    if (last != nullptr) {
        last->fix = whole->fix();
    }
}

}  // namespace

std::vector<Problem> with_whole_values(const Diagnostics& problems,
                                       const std::vector<std::string>& overrides) {
    std::vector<Problem> sorted = problems.sorted();
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        take_fixes(overrides[i], static_cast<int>(i + 1), sorted);
    }
    return sorted;
}

}  // namespace ptp::ptprun
