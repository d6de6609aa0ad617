#include "candidates.hpp"

#include "commands.hpp"
#include "experiment/key_record.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "prepare.hpp"
#include "reference/explain.hpp"
#include "run/resolve.hpp"
#include "run/run.hpp"

#include <boost/program_options/option.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <variant>

namespace ptp::ptprun {

namespace {

using Strings = std::vector<std::string>;

// What an experiment can say, as far as it can be read.
struct Known {
    Value tree;
    experiment::KeyRecord keys;
    plugin::Catalog catalog;
};

std::optional<Known> known_of(const std::string& named) {
    Diagnostics unsaid;
    std::error_code ignored;  // what cannot be looked at is not a run's folder
    const auto resolved = run::resolve(named, run::this_machine());
    const auto* known = std::get_if<std::filesystem::path>(&resolved);
    const std::filesystem::path path = known == nullptr ? std::filesystem::path(named) : *known;
    const std::string file = std::filesystem::is_directory(path, ignored)
                                 ? (path / "experiment.toml").string()
                                 : path.string();
    const auto tree = experiment::load_experiment({.file = file, .home = home_folder()}, unsaid);
    if (!tree) {
        return std::nullopt;
    }
    const experiment::Experiment experiment =
        experiment::read_experiment(*tree, {.default_name = "", .home = home_folder()}, unsaid);
    return Known{*tree, experiment::possible_keys(*tree), find_plugins({file, {}, {}}, experiment)};
}

Strings keys_of(const std::string& file) {
    const auto known = known_of(file);
    if (!known) {
        return {};
    }
    const auto story = reference::explain({}, {}, {known->tree, known->keys, known->catalog});
    Strings keys;
    if (const auto* table = std::get_if<reference::TableProvenance>(&story)) {
        for (const reference::ValueProvenance& value : table->values) {
            keys.push_back(value.key);
        }
    }
    return keys;
}

// "pipeline.net.type=": the types that can follow.
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
            if ((component.kind == plugin::Kind::task) == is_task) {
                types.push_back(component.name);
            }
        }
    }
    return types;
}

// The values of an option; the experiment is that of the command line, or "".
Strings option_values(const std::string& option, const std::string& current,
                      const std::string& experiment) {
    static const std::map<std::string, Strings> kFixed = {
        {"format", {"text", "dot", "svg"}},
        {"color", {"auto", "always", "never"}},
        {"data", {"training", "validation", "test", std::string(kFiles)}},
        {"device", {"cpu", "cuda"}},
        {"worker", {"offline", "online"}},
        {"section", {"training", "validation", "test"}},
        {"checkpoint", {"best", "last", std::string(kFolders)}},
        {"status", run::states()},
        {"sort", {"loss", "epoch", "episodes", "seconds", "began", "run", "state"}},
        {"plugins", {std::string(kFolders)}},
        {"output", {std::string(kFiles)}},
        {"run-dir", {std::string(kFolders)}},
    };
    if (option != "set") {
        const auto fixed = kFixed.find(option);
        return fixed == kFixed.end() ? Strings() : fixed->second;
    }
    const std::size_t equals = current.find('=');
    const std::string key = current.substr(0, equals);
    Strings values = equals == std::string::npos ? keys_of(experiment) : types_of(experiment, key);
    for (std::string& value : values) {
        value = equals == std::string::npos ? value + "=" : key + "=" + value;
    }
    return values;
}

Strings operand_values(Operand operand, const std::string& experiment) {
    switch (operand) {
        case Operand::kExperiment:
            return {std::string(kFiles)};
        case Operand::kKey:
            return keys_of(experiment);
        case Operand::kRun:
        case Operand::kRunFolder:
            return {std::string(kFolders)};
        case Operand::kRequest:
            return control_requests();
        case Operand::kPluginFile:
            return {std::string(kFiles)};
        case Operand::kTag:
            return {};
        case Operand::kShell:
            return {"bash", "zsh", "fish"};
    }
    return {};
}

const boost::program_options::option_description* option_named(const Options& options,
                                                               const std::string& word) {
    if (!word.starts_with("-")) {
        return nullptr;
    }
    const std::string name = word.substr(word.find_first_not_of('-') == 2 ? 2 : 0);
    return options.find_nothrow(name, false);
}

bool takes_value(const boost::program_options::option_description* option) {
    return option != nullptr && option->semantic()->max_tokens() > 0;
}

// The words that are neither options nor their values.
Strings operands_in(const Strings& words, const Options& options) {
    Strings operands;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto* option = option_named(options, words[i]);
        if (takes_value(option)) {
            ++i;
        } else if (!words[i].starts_with("-")) {
            operands.push_back(words[i]);
        }
    }
    return operands;
}

// `words` are those after the command, the last one being completed.
Strings after_command(const Command& command, const Strings& words) {
    const Options options = all_options(command);
    const Strings before(words.begin(), words.end() - 1);
    const Strings operands = operands_in(before, options);
    const std::string experiment = operands.empty() ? "" : operands.front();
    const auto* option = before.empty() ? nullptr : option_named(options, before.back());
    if (takes_value(option)) {
        return option_values(option->long_name(), words.back(), experiment);
    }
    Strings values;
    if (words.back().starts_with("-")) {
        for (const auto& one : options.options()) {
            values.push_back("--" + one->long_name());
        }
        return values;
    }
    if (command.operands.empty()) {
        return values;
    }
    const Operand last = command.operands.back();
    const bool repeats = last == Operand::kRunFolder || last == Operand::kPluginFile;
    if (operands.size() < command.operands.size() || repeats) {
        const std::size_t index = std::min(operands.size(), command.operands.size() - 1);
        values = operand_values(command.operands[index], experiment);
    }
    return values;
}

}  // namespace

std::vector<std::string> candidates(const std::vector<std::string>& words) {
    if (words.empty()) {
        return {};
    }
    const auto all = commands();
    auto command = std::ranges::find(all, words.front(), &Command::name);
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
    std::erase_if(values, [&](const std::string& value) {
        return value.empty() || (!value.starts_with(':') && !value.starts_with(words.back()));
    });
    return values;
}

}  // namespace ptp::ptprun
