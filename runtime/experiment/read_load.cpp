#include "experiment/read_load.hpp"

#include "base/paths.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::experiment {

namespace {

std::optional<Load> load_from(const Value& from, const Scope& scope, const std::string& key) {
    if (!from.is_string()) {
        scope.problems.error(from, key,
                             fmt::format("must be a string, not {}", type_name(from.type())));
        return std::nullopt;
    }
    const auto path = path_from(from.as_string(), from.place(), scope.options.home);
    if (from.as_string().empty() || !path) {
        scope.problems.error(from, key,
                             path ? "must be the name of a run, a checkpoint or a file, not empty"
                                  : "the home folder '~' is not known");
        return std::nullopt;
    }
    return Load{.place = from.place(), .from = *path};
}

std::vector<std::string> read_names(const Scope& scope, const char* key, Raw given) {
    std::vector<std::string> names;
    if (given == nullptr) {
        return names;
    }
    const Value& list = *given;
    const auto is_name = [](const Value& item) {
        return item.is_string() && !item.as_string().empty();
    };
    if (!list.is_list() || !std::ranges::all_of(list.items(), is_name)) {
        scope.problems.error(list, scope.key(key),
                             "must be a list of names of tensors or layers, such as [\"fc\"]");
        return names;
    }
    for (const Value& item : list.items()) {
        names.push_back(item.as_string());
    }
    return names;
}

// What names begin with in the file, and what they are to begin with.
std::vector<Rename> read_renames(const Scope& scope, Raw given) {
    std::vector<Rename> renames;
    if (given == nullptr) {
        return renames;
    }
    const auto is_text = [](const Member& member) { return member.value.is_string(); };
    if (!given->is_table() || !std::ranges::all_of(given->members(), is_text)) {
        scope.problems.error(*given, scope.key("rename"),
                             "must be a table from what names begin with in the file to what they "
                             "are to begin with, such as { \"0.\" = \"layers.0.\" }");
        return renames;
    }
    for (const Member& member : given->members()) {
        renames.push_back({member.key, member.value.as_string(), member.key_place});
    }
    return renames;
}

// { from = "...", component = "...", strict = false, except = ["..."], rename = { "a." = "b." } }
std::optional<Load> load_table(const Scope& scope, std::optional<std::string> component) {
    Raw from = nullptr;
    Raw except = nullptr;
    Raw only = nullptr;
    Raw rename = nullptr;
    bool is_strict = true;
    std::vector<Field> fields = {{.name = "from", .into = &from, .is_required = true},
                                 {.name = "strict", .into = &is_strict},
                                 {.name = "rename", .into = &rename}};
    if (component) {
        fields.push_back({.name = "component", .into = &*component});
        fields.push_back({.name = "except", .into = &except});
        fields.push_back({.name = "only", .into = &only});
    }
    read_all_fields(scope, fields);
    if (from == nullptr) {
        return std::nullopt;
    }
    auto load = load_from(*from, scope, scope.key("from"));
    if (load) {
        load->component = std::move(component);
        load->is_strict = is_strict;
        load->except = read_names(scope, "except", except);
        load->only = read_names(scope, "only", only);
        load->renames = read_renames(scope, rename);
    }
    return load;
}

}  // namespace

std::optional<Load> read_load(const Scope& scope, Raw load,
                              const std::optional<std::string>& component) {
    if (load == nullptr) {
        return std::nullopt;
    }
    if (load->is_table()) {
        return load_table(scope.at(*load, "load"), component);
    }
    auto read = load_from(*load, scope, scope.key("load"));
    if (read) {
        read->component = component;
    }
    return read;
}

Value tree_of(const Load& load) {
    Value table = Value::table({{"from", absolute_text(load.from)}});
    if (load.component) {
        table.set("component", *load.component);
    }
    if (!load.is_strict) {
        table.set("strict", false);
    }
    if (!load.except.empty()) {
        table.set("except", Value::list({load.except.begin(), load.except.end()}));
    }
    if (!load.only.empty()) {
        table.set("only", Value::list({load.only.begin(), load.only.end()}));
    }
    if (!load.renames.empty()) {
        Value& renames = table.set("rename", Value());
        for (const Rename& rename : load.renames) {
            renames.set(rename.from, rename.to);
        }
    }
    return table;
}

}  // namespace ptp::experiment
