// Makes one tree of the files, the overrides and the variables of an experiment.

#include "experiment/load/load.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/fields.hpp"
#include "experiment/load/groups.hpp"
#include "experiment/load/override.hpp"
#include "experiment/load/steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace ptp::experiment {

namespace {

// Returns whether a value is nested at most this deep.
bool is_nested_within(const Value& value, int levels) {
    if (levels < 0) {
        return false;
    }
    if (value.is_table()) {
        return std::ranges::all_of(value.members(), [&](const Member& member) {
            return is_nested_within(member.value, levels - 1);
        });
    }
    return !value.is_list() || std::ranges::all_of(value.items(), [&](const Value& item) {
        return is_nested_within(item, levels - 1);
    });
}

// Reports values that overrides and variables have nested too deep; each file is within the limit.
void refuse_deep(const Value& value, const std::string& path, int level, Diagnostics& problems) {
    if (level > kMaxLevels) {
        problems.error(value, path, "nested more than 32 levels deep");
    } else if (value.is_table()) {
        for (const Member& member : value.members()) {
            refuse_deep(member.value, below(path, member.key), level + 1, problems);
        }
    } else if (value.is_list()) {
        for (std::size_t i = 0; i < value.items().size(); ++i) {
            refuse_deep(value.items()[i], fmt::format("{}[{}]", path, i), level + 1, problems);
        }
    }
}

// Reports an override of a variable that is written without `vars`, as a setting that several
// sections take from it, and makes it one of the variable: nothing follows from it.
void report_variable(const std::string& text, const Value& root, Override& override,
                     Diagnostics& problems) {
    const std::string name = override.path.front();
    const Value* const vars = root.find("vars");
    const Value* const variable = vars == nullptr ? nullptr : vars->find(name);
    if (variable == nullptr || root.find(name) != nullptr || is_declared(name)) {
        return;
    }
    problems.error(
        override.places.front(), name,
        Explanation{fmt::format("unknown key; [vars] has it, at {}", variable->place().text()),
                    "--set " + shell_word("vars." + std::string(trimmed(text)))});
    override.path.insert(override.path.begin(), "vars");
    override.places.insert(override.places.begin(), override.places.front());
}

}  // namespace

std::optional<Value> load_experiment(const LoadRequest& request, Diagnostics& problems,
                                     Layers* layers, GroupUses* uses) {
    // A run writes its paths down as text.
    std::error_code error;
    const std::string path = std::filesystem::absolute(request.file, error).string();
    if (!is_utf8(path)) {
        problems.error(
            SourceLocation(request.file.string(), 0, 0), "",
            fmt::format("its path {} is not UTF-8 text: rename the folder or the file", path));
        return std::nullopt;
    }
    std::optional<Value> root =
        read_with_includes(request.file, request.home, problems, layers, request.text);
    for (const std::filesystem::path& file : request.over) {
        const auto upper = read_with_includes(file, request.home, problems, layers);
        if (root && upper) {
            merge(*root, *upper, "", problems);
        } else {
            root.reset();
        }
    }
    Value nothing;  // takes the overrides when there is no tree: their form is checked all the same
    int number = 0;
    for (const std::string& text : request.overrides) {
        auto override = read_override(text, ++number, problems);
        if (!override) {
            continue;
        }
        if (root) {
            report_variable(text, *root, *override, problems);
        }
        apply_override(*override, root ? *root : nothing, problems);
        if (layers != nullptr) {
            layers->push_back({tree_of(*override), {}});
        }
    }
    if (root) {
        GroupUses found = expand_groups(*root, problems, layers);
        if (uses != nullptr) {
            *uses = std::move(found);
        }
        substitute_vars(*root, problems);
        if (!is_nested_within(*root, kMaxLevels)) {
            refuse_deep(*root, "", 0, problems);
        }
    }
    return root;
}

bool empties(const Layer& layer, const std::vector<std::string>& table) {
    const Value* value = &layer.tree;
    for (const std::string& part : table) {
        if (value = value->find(part); value == nullptr || *value == Value()) {
            break;
        }
    }
    return value != nullptr && *value == Value() && value->place().file() == kCommandLine;
}

std::vector<schema::Key> loading_keys() {
    return {{.name = "include",
             .form = schema::Form::kPath,
             .list_depth = 1,
             .takes_one = true,
             .help = "files that this one is laid over, relative to it; later ones win"},
            {.name = "group",
             .is_map = true,
             .help = "parts of the pipeline that it has several times: [pipeline.NAME] with use = "
                     "\"GROUP\", streams, and parameters, map or share"},
            {.name = "vars",
             .is_map = true,
             .help = "values to use as \"${name}\"; a string that is nothing else becomes the "
                     "value with its type, `$${` is a plain `${`"}};
}

}  // namespace ptp::experiment
