// `ptprun completion`: the scripts for shells, and the completions that they ask for.

#include "base/paths.hpp"
#include "commands.hpp"
#include "common/completion.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "host/prepare.hpp"
#include "host/section_names.hpp"
#include "reference/explain.hpp"
#include "report.hpp"
#include "run/paths.hpp"
#include "run/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::ptprun {

namespace {

// The possible keys of an experiment, as far as it can be read.
struct Known {
    Value tree;
    schema::KeyRecord keys;
    plugin::Catalog catalog;
};

// Returns the experiment file of a file or of a run.
std::string file_of(const std::string& named) {
    std::error_code ignored;  // an inaccessible folder is not a run's
    const auto resolved = run::resolve(named, run::this_machine());
    const auto* known = std::get_if<std::filesystem::path>(&resolved);
    const std::filesystem::path path = known == nullptr ? std::filesystem::path(named) : *known;
    return std::filesystem::is_directory(path, ignored) ? (path / run::kExperimentFile).string()
                                                        : path.string();
}

std::optional<Value> tree_of(const std::string& file) {
    Diagnostics unsaid;
    return experiment::load_experiment({.file = file, .home = home_folder()}, unsaid);
}

experiment::Experiment experiment_from(const Value& tree) {
    Diagnostics unsaid;
    return experiment::read_experiment(tree, {.default_name = "", .home = home_folder()}, unsaid);
}

std::optional<Known> known_of(const std::string& named) {
    const std::string file = file_of(named);
    const auto tree = tree_of(file);
    if (!tree) {
        return std::nullopt;
    }
    return Known{*tree, experiment::possible_keys(*tree),
                 host::find_plugins({file, {}, {}}, experiment_from(*tree))};
}

// Returns the sections, or the usual ones if the experiment cannot be read.
Strings sections_of_file(const std::string& named) {
    const auto tree = tree_of(file_of(named));
    return tree ? host::section_names(experiment_from(*tree))
                : Strings{"training", "validation", "test"};
}

Strings keys_of(const std::string& file) {
    const auto known = known_of(file);
    if (!known) {
        return {};
    }
    const auto provenance = reference::explain({}, {}, {known->tree, known->keys, known->catalog});
    Strings keys;
    if (const auto* table = std::get_if<reference::TableProvenance>(&provenance)) {
        for (const reference::ValueProvenance& value : table->values) {
            keys.push_back(value.key);
        }
    }
    return keys;
}

// Returns the types that can follow "pipeline.net.type=".
Strings types_of(const std::string& file, const std::string& key) {
    const auto known = known_of(file);
    const auto path = experiment::read_key_path(key);
    if (!known || !path || path->back() != "type") {
        return {};
    }
    if (const auto* own = known->keys.find(key.substr(0, key.rfind('.')), "type");
        own != nullptr && !own->choices.empty()) {
        return own->choices;
    }
    const bool is_task = path->front() != "pipeline";
    Strings types;
    for (const plugin::CatalogEntry& entry : known->catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            if ((component.kind == plugin::Kind::kTask) == is_task) {
                types.push_back(component.name);
            }
        }
    }
    return types;
}

// Returns "training.optimizer.lr=", or the types after "pipeline.net.type=".
Strings settings_of(const std::string& file, const std::string& current) {
    const std::size_t equals = current.find('=');
    const std::string key = current.substr(0, equals);
    Strings values = equals == std::string::npos ? keys_of(file) : types_of(file, key);
    for (std::string& value : values) {
        value = equals == std::string::npos ? fmt::format("{}=", value)
                                            : fmt::format("{}={}", key, value);
    }
    return values;
}

// Returns the completions of the last word after a command; the keys of the experiment among the
// words replace their placeholders.
Strings after_command(const Command& command, const Strings& words) {
    const tools::Completions found = tools::completions_of(command, words);
    Strings values;
    for (const std::string& one : found.values) {
        const Strings some = one == kKeys       ? keys_of(found.first)
                             : one == kSettings ? settings_of(found.first, words.back())
                             : one == kSections ? sections_of_file(found.first)
                                                : Strings{one};
        values.insert(values.end(), some.begin(), some.end());
    }
    return values;
}

// Returns what may be the last word; the words are those after the program's name. Reads
// the experiment among them, if there is one, for its keys. Errors are ignored.
std::vector<std::string> candidates(const std::vector<std::string>& words) {
    if (words.empty()) {
        return {};
    }
    const std::vector<Command>& all = commands();
    const auto command = std::ranges::find(all, words.front(), &Command::name);
    Strings values;
    if (words.size() == 1) {
        for (const Command& one : all) {
            values.emplace_back(one.name);
        }
        std::ranges::move(after_command(all.front(), words), std::back_inserter(values));
    } else if (command != all.end() && !words.front().empty()) {
        values = after_command(*command, Strings(words.begin() + 1, words.end()));
    } else {
        values = after_command(all.front(), words);
    }
    return values;
}

int run_completion(const Given& given) {
    return tools::complete(kProgram, candidates, given);
}

}  // namespace

Command completion_command() {
    return tools::completion_command(kProgram, run_completion);
}

}  // namespace ptp::ptprun
