// Finds where a key that is written in a wrong place goes in a document, as its tables are written.

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/fields.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace {

// Forms in which a document has a table: below a line [name], in braces, or by dotted keys alone.
bool is_in_braces(const Member& table) {
    return table.value.place().line() == table.key_place.line() &&
           table.key_place < table.value.place();
}

bool is_below_header(const Member& table) {
    return table.value.is_table() && table.value.place() != table.key_place && !is_in_braces(table);
}

// Returns whether only tables within it have lines [name], as `training` has in [training.task].
bool is_implied(const Member& table) {
    return std::ranges::any_of(table.value.members(), [&](const Member& inner) {
        return inner.value.is_table() && inner.value.place() == table.value.place();
    });
}

// The tables of a document along the path of a key.
struct Way {
    std::string known;               // the path up to which there is something
    const Value* last = nullptr;     // what is there
    std::string header;              // the path of the innermost table with a line of its own
    const Member* below = nullptr;   // that table; nullptr: the document
    const Member* braced = nullptr;  // the outermost table in braces, or a value in place of one
    std::string braced_path = {};
};

Way way_to(const Value& root, const std::string& path) {
    Way way;
    way.last = &root;
    for (std::size_t at = 0; at < path.size() && way.last->is_table();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        const auto& members = way.last->members();
        const auto inner = std::ranges::find(members, path.substr(at, dot - at), &Member::key);
        if (inner == members.end()) {
            break;
        }
        way.known = path.substr(0, dot);
        way.last = &inner->value;
        if (is_below_header(*inner)) {
            way.header = way.known;
            way.below = &*inner;
        } else if (way.braced == nullptr && (is_in_braces(*inner) || !inner->value.is_table())) {
            way.braced = &*inner;
            way.braced_path = way.known;
        }
        at = dot + 1;
    }
    return way;
}

std::string within(const std::string& key, const std::string& table) {
    return table.empty() ? key : key.substr(table.size() + 1);
}

Value with_key(Value table, const std::string& key, const Value& value) {
    const std::size_t dot = key.find('.');
    if (dot == key.npos) {
        table.set(key, value);
        return table;
    }
    const Value* inner = table.find(key.substr(0, dot));
    Value changed = with_key(inner != nullptr ? *inner : Value(), key.substr(dot + 1), value);
    table.set(key.substr(0, dot), std::move(changed));
    return table;
}

// Returns the line that a table in braces, or a name in its place, becomes with the key.
std::string line_of_braced(const schema::UnknownKey& unknown, const Way& way,
                           const std::string& key, const std::string& value) {
    const auto given = read_toml_value(value);
    const Value& old = way.braced->value;
    const auto table =
        old.is_table() ? std::optional(old)
        : old.is_string() && unknown.familiar != nullptr
            ? read_toml_value(unknown.familiar->table(way.braced_path, old.as_string()))
            : std::nullopt;
    return !given || !table
               ? ""
               : fmt::format("write {} = {}, at {}", way.braced->key,
                             inline_toml(with_key(*table, within(key, way.braced_path), *given)),
                             way.braced->key_place.text());
}

// Returns the new name of a table `given`, and of those within it that have lines of their own.
std::string renamed_table(const schema::UnknownKey& given, const std::string& key) {
    const Member& table = given.member;
    const std::string name = below(given.table, table.key);
    if (!is_below_header(table)) {
        const bool is_within = given.table.empty() || key.starts_with(given.table + ".");
        return fmt::format("write {} in place of {}", is_within ? within(key, given.table) : key,
                           table.key);
    }
    std::string text =
        is_implied(table) ? "" : fmt::format("write [{}] in place of [{}]", key, name);
    for (const Member& inner : table.value.members()) {
        if (is_below_header(inner)) {
            text += fmt::format("{0}[{1}.{3}] in place of [{2}.{3}]",
                                text.empty() ? "write " : ", ", key, name, inner.key);
        }
    }
    return text;
}

// A value within a table of another program, and the key that it is here.
struct Moved {
    std::string table;  // where it stands
    const Member* member = nullptr;
    std::string key;         // "": there is none
    std::string value = {};  // as it is written
};

// Returns whether a member of the table keeps its name where that is the table `key`.
bool keeps_name(const Moved& one, const std::string& key) {
    return one.key == below(key, one.member->key);
}

// Returns the members of a table, or of the tables in a list, without the types of these.
std::vector<const Member*> members_in(const Value& value) {
    std::vector<const Member*> members;
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            for (const Member* member :
                 item.is_table() ? members_in(item) : std::vector<const Member*>()) {
                if (member->key != "type") {
                    members.push_back(member);
                }
            }
        }
        return members;
    }
    for (const Member& member : value.members()) {
        members.push_back(&member);
    }
    return members;
}

// Adds the values that a table of another program has, such as [callbacks] or [data], where the
// table `key` has most of them.
void add_moved(const schema::UnknownKey& unknown, const std::string& key,
               std::vector<Moved>& moved) {
    const std::string path = below(unknown.table, unknown.member.key);
    const bool is_component = key.ends_with(".task");  // whose settings are not known here
    for (const Member* const each : members_in(unknown.member.value)) {
        const Member& inner = *each;
        const std::string own = below(key, inner.key);
        if (is_declared(own)) {
            moved.push_back({path, &inner, own, inline_toml(inner.value)});
            continue;
        }
        const schema::UnknownKey one{inner, path, unknown.root, unknown.familiar};
        const auto meant = unknown.familiar->key(one);
        const bool is_known =
            meant && meant->keys.size() == 1 && meant->expected.empty() && meant->fix.empty();
        // A table that is unknown is a setting of the component, such as `split`.
        if (inner.value.is_table() && (is_known || !is_component)) {
            add_moved(one, is_known ? meant->keys.front() : key, moved);
        } else if (is_known) {
            moved.push_back({path, &inner, meant->keys.front(),
                             meant->value.empty() ? inline_toml(inner.value) : meant->value});
        } else {
            moved.push_back({path, &inner, is_component ? own : "", inline_toml(inner.value)});
        }
    }
}

// Returns whether the value may take the place of another one of its kind.
bool may_be_in_place(const Value& value, const Value& of) {
    return !of.is_table() && value != of &&
           (value.type() == of.type() || (value.is_number() && of.is_number()));
}

// Returns the options that set the values of such a table; "" if one has no key.
std::string set_members(const std::vector<Moved>& moved) {
    std::string text;
    for (const Moved& one : moved) {
        if (one.key.empty()) {
            return "";
        }
        text += (text.empty() ? "" : " ") +
                schema::typed_value(one.member->value.place(), one.key, one.value);
    }
    return text;
}

// Returns where the values of such a table go, each by itself.
std::string moved_members(const schema::UnknownKey& unknown, const std::vector<Moved>& moved) {
    std::string text =
        fmt::format("remove {}", is_below_header(unknown.member)
                                     ? fmt::format("[{}]", below(unknown.table, unknown.member.key))
                                     : unknown.member.key);
    for (const Moved& one : moved) {
        const Value* there = one.key.empty() ? nullptr : unknown.root->find_path(one.key);
        const auto value = there == nullptr ? std::nullopt : read_toml_value(one.value);
        if (value && may_be_in_place(*value, *there)) {
            text +=
                fmt::format(", and write {} = {} at {}", one.key, one.value, there->place().text());
        } else if (there != nullptr) {
            text += fmt::format("; {} is at {}", one.key, there->place().text());
        } else if (!one.key.empty()) {
            text += "; " + fix_in_document({*one.member, one.table, unknown.root, unknown.familiar},
                                           one.key, one.value);
        }
    }
    return text;
}

}  // namespace

std::string fix_in_document(const schema::UnknownKey& unknown, const std::string& key,
                            const std::string& value) {
    const Member& given = unknown.member;
    if (unknown.root == nullptr) {
        return "";
    }
    if (unknown.table.ends_with(']') && given.key_place.file() != kCommandLine) {
        // A layer in a list stands in braces, where its place in the list is not written.
        return fmt::format("write {} = {} in place of {}", within(key, unknown.table), value,
                           given.key);
    }
    const Way way = way_to(*unknown.root, key);
    const bool is_there = way.known == key;
    const bool are_tables = is_there && way.last->is_table() && given.value.is_table();
    const bool has_none_of_it =
        are_tables && is_implied(given) &&
        std::ranges::all_of(given.value.members(), [&](const Member& one) {
            return way.last->find(one.key) == nullptr && is_declared(below(key, one.key));
        });
    const bool is_free =
        has_none_of_it || (are_tables && way.header == key && is_implied(*way.below));
    std::vector<Moved> moved;
    const bool has_members =
        given.value.is_table() || (given.value.is_list() && !members_in(given.value).empty());
    if (has_members && !key.starts_with("pipeline") && unknown.familiar != nullptr) {
        add_moved(unknown, key, moved);
    }
    if (given.key_place.file() == kCommandLine) {
        const std::string options = set_members(moved);
        return options.empty() ? schema::typed_value(given.key_place, key, value) : options;
    }
    const auto changes = [&](const Moved& one) { return !keeps_name(one, key); };
    const bool is_known =
        std::ranges::any_of(moved, [](const Moved& one) { return !one.key.empty(); });
    if (is_known && (are_tables || std::ranges::any_of(moved, changes)) && !is_free) {
        return moved_members(unknown, moved);
    }
    const auto read = read_toml_value(value);
    if (is_there && !are_tables && read && may_be_in_place(*read, *way.last)) {
        return way.last->place().file() == kCommandLine
                   ? "remove it, and " + schema::typed_value(way.last->place(), key, value)
                   : fmt::format("remove it, and write {} = {} at {}", key, value,
                                 way.last->place().text());
    }
    if (is_there && !is_free) {
        return fmt::format("{} {} {}at {}",
                           are_tables ? "move what is in it to the table" : "remove it:", key,
                           are_tables ? "" : "is ", way.last->place().text());
    }
    const bool is_beside = way.known == unknown.table;
    if (is_free || (given.value.is_table() && (is_beside || is_below_header(given)))) {
        return renamed_table(unknown, key);
    }
    if (way.braced != nullptr && !is_beside) {
        return line_of_braced(unknown, way, key, value);
    }
    if (way.below != nullptr && is_implied(*way.below)) {
        const std::size_t dot = key.rfind('.');
        return fmt::format("write {} = {} below a new line [{}]", key.substr(dot + 1), value,
                           key.substr(0, dot));
    }
    const Way own = way_to(*unknown.root, unknown.table);
    const std::string base = is_beside && own.braced != nullptr ? unknown.table : way.header;
    const std::string line = fmt::format("write {} = {}", within(key, base), value);
    const bool is_same = way.header == own.header && own.braced == nullptr;
    return is_beside || is_same   ? line
           : way.below == nullptr ? line + " at the top of the file, above its first [table]"
                                  : fmt::format("{} in the table {}, at {}", line, base,
                                                way.below->value.place().text());
}

}  // namespace ptp::experiment
