// Finds a component by its type, and explains why there is none.

#include "pipeline/draft.hpp"

#include "base/paths.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kMaxNamed = 5;
constexpr std::string_view kMeant = "; did you mean";
constexpr std::string_view kSearched = "\n    searched:";

// Returns the words of a name in CamelCase or snake_case: "mean", "squared" and "error" of
// MeanSquaredError. Words of the glossary are divided by blanks alone.
std::vector<std::string> words_in(std::string_view name, bool is_in_glossary) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        const bool is_upper = std::isupper(static_cast<unsigned char>(c)) != 0;
        const bool divides = c == '_' || c == ' ';
        const bool begins = is_upper && !is_in_glossary && !words.back().empty() &&
                            std::isupper(static_cast<unsigned char>(words.back().back())) == 0;
        if (divides || begins) {
            words.emplace_back();
        }
        words.back() += divides ? "" : std::string(1, c);
    }
    return words;
}

// Returns the name that is nearest, if each of its words is near or begins alike: DiceLoss is not
// meant by HingeLoss.
std::optional<std::string> nearest_type(const std::string& name,
                                        const std::vector<std::string>& known) {
    constexpr std::size_t kBegin = 3;  // Netz, and Network
    const auto near = nearest(name, known);
    const std::vector<std::string> words = words_in(name, false);
    const std::vector<std::string> others = near ? words_in(*near, false) : words;
    const auto are_alike = [&](const std::string& word, const std::string& other) {
        return folded(word).substr(0, kBegin) == folded(other).substr(0, kBegin) ||
               nearest(word, std::vector{other});
    };
    const bool is_near = words.size() < 2 || words.size() != others.size() ||
                         std::ranges::equal(words, others, are_alike);
    return is_near ? near : std::nullopt;
}

// Returns "; did you mean 'Net'?", or names that are alike; "" where none is. `described` are the
// names whose descriptions have this one.
std::string near_text(const std::string& name, const std::vector<std::string>& known,
                      const std::vector<std::string>& described = {}) {
    std::string joint = name;  // snake_case as PascalCase has it
    std::erase(joint, '_');
    auto near = nearest_type(name, known);
    near = near ? near : nearest_type(joint, known);
    const bool is_equal = near && (folded(*near) == folded(name) || folded(*near) == folded(joint));
    const bool is_known = !experiment::words_of_type(name).empty();
    if (!is_equal && !is_known && !experiment::meaning_of_word(name).empty()) {
        return "";  // the fix has it
    }
    if (!is_equal && !described.empty() && is_known) {
        near.reset();  // its meaning is known, however alike another name is
    }
    std::vector<std::string> meant = near ? std::vector{*near} : described;
    for (std::string& one : meant) {
        one = fmt::format("'{}'", one);
    }
    if (!meant.empty()) {
        return fmt::format("; did you mean {}?", joined(meant, "or"));
    }
    auto alike = most_alike(name, known, kMaxNamed);
    alike = alike.empty() ? most_alike(joint, known, kMaxNamed) : alike;
    return alike.empty() ? "" : fmt::format("; most alike: {}", join(alike, ", "));
}

// Returns whether a text has a word, whatever its case: "VGG-16 or ResNet" has "resnet".
bool mentions(std::string_view text, std::string_view word) {
    const std::string all = folded(text);
    const std::string wanted = folded(word);
    const std::size_t at = wanted.empty() ? all.npos : all.find(wanted);
    const auto is_letter = [&](std::size_t place) {
        return place < all.size() && std::isalnum(static_cast<unsigned char>(all[place])) != 0;
    };
    return at != all.npos && !is_letter(at + wanted.size()) && (at == 0 || !is_letter(at - 1));
}

// Returns the components whose names or summaries have all words of a name of another program, or
// those that the glossary has for it.
std::vector<std::string> types_of_words(const plugin::Catalog& catalog, std::string_view name,
                                        bool is_task = false) {
    constexpr std::size_t kMinLetters = 4;       // of all words; shorter ones are in anything
    constexpr std::size_t kMinLettersOfOne = 6;  // of a single word that the glossary lacks
    const auto meanings = experiment::words_of_type(name);
    std::vector<std::vector<std::string>> wanted;
    for (const std::string_view meaning : meanings) {
        wanted.push_back(words_in(meaning, true));
    }
    if (const auto words = words_in(name, false);
        meanings.empty() && name.size() >= (words.size() < 2 ? kMinLettersOfOne : kMinLetters)) {
        wanted.push_back(words);
    }
    std::vector<std::string> types;
    for (const plugin::Component* component : components_of(catalog)) {
        const std::string text = folded(component->name + " " + component->summary);
        const auto has_all = [&](const std::vector<std::string>& words) {
            return std::ranges::all_of(words, [&](const std::string& word) {
                return text.find(folded(word)) != std::string::npos;
            });
        };
        if ((component->kind == plugin::Kind::kTask) == is_task &&
            std::ranges::any_of(wanted, has_all)) {
            types.push_back(component->name);
        }
    }
    std::ranges::sort(types);
    const auto repeated = std::ranges::unique(types);
    types.erase(repeated.begin(), repeated.end());
    // SparseCategoricalCrossentropy is nearer to CrossEntropyLoss than to BCEWithLogitsLoss.
    std::ranges::stable_partition(types, [&](const std::string& type) {
        const std::string stem = folded(type.substr(0, type.rfind("Loss")));
        return folded(name).find(stem) != std::string::npos;
    });
    return types;
}

// Returns the components of the right kind by their names; with a word, those whose summary has it.
std::vector<std::string> types_of_kind(const plugin::Catalog& catalog, bool is_task,
                                       std::string_view word = {}) {
    std::vector<std::string> types;
    for (const plugin::Component* component : components_of(catalog)) {
        if ((component->kind == plugin::Kind::kTask) == is_task &&
            (word.empty() || mentions(component->summary, word))) {
            types.push_back(component->name);
        }
    }
    std::ranges::sort(types);
    const auto repeated = std::ranges::unique(types);
    types.erase(repeated.begin(), repeated.end());
    return types;
}

// The files that were refused are named, because one of them may be the plugin that is missing.
// (Not if a plugin of the file's name was found elsewhere: then it was only hidden.)
std::string refused_text(const plugin::Catalog& catalog) {
    std::string text;
    for (const plugin::RejectedFile& file : catalog.rejected) {
        if (std::ranges::none_of(catalog.plugins, [&](const plugin::CatalogEntry& entry) {
                return entry.manifest.name == file.path.stem().string();
            })) {
            text += fmt::format("\n    not usable: {}: {}", shown_path(file.path), file.reason);
        }
    }
    return text;
}

// Returns the components of the right kind whose descriptions have the name, or its words. A name
// that the glossary knows has the meaning there: "L1" is none of the L in ROUGE-L.
std::vector<std::string> described_by(const plugin::Catalog& catalog, bool is_task,
                                      const std::string& name) {
    const bool is_known = !experiment::words_of_type(name).empty();
    auto described = is_known ? types_of_words(catalog, name, is_task) : std::vector<std::string>();
    described = described.empty() ? types_of_kind(catalog, is_task, name) : described;
    if (described.empty()) {  // "resnet18" is described as ResNet
        const std::string family = name.substr(0, name.find_last_not_of("0123456789") + 1);
        described = family.size() < 2 ? described : types_of_kind(catalog, is_task, family);
    }
    return described.empty() && !is_task ? types_of_words(catalog, name) : described;
}

// Returns the sentence about a plugin, or a component of the right kind, that does not exist.
std::string missing_text(const plugin::Catalog& catalog, const TypeRequest& request) {
    if (catalog.plugins.empty()) {
        return "no plugins found";
    }
    const auto slash = request.type.find('/');
    if (slash != std::string::npos) {
        const std::string wanted = request.type.substr(0, slash);
        const std::vector<std::string> names =
            transformed(catalog.plugins, [](const auto& entry) { return entry.manifest.name; });
        if (!contains(names, wanted)) {
            return fmt::format("unknown plugin '{}'{}", wanted, near_text(wanted, names));
        }
    }
    const std::string type =
        slash == std::string::npos ? request.type : request.type.substr(slash + 1);
    auto described = described_by(catalog, request.is_task, type);
    described.resize(std::min(described.size(), kMaxNamed));
    return fmt::format("no plugin has such a {}{}", request.is_task ? "task" : "component",
                       near_text(type, types_of_kind(catalog, request.is_task), described));
}

// Returns the component with nearly this name, if the message names it alone.
std::string near_type(const plugin::Catalog& catalog, const TypeRequest& request) {
    const std::string meant = missing_text(catalog, request);
    const auto near = nearest_type(request.type, types_of_kind(catalog, request.is_task));
    return near && meant.ends_with(fmt::format("{} '{}'?", kMeant, *near)) ? *near : "";
}

// Returns how to list what there is, and how to have another folder searched: the one of a file
// that was named in place of its folder, or where a project of ptp-new builds its plugin, if it is
// beside the experiment.
std::string advice(const plugin::Catalog& catalog, const SourceLocation& place) {
    std::error_code error;
    for (const std::filesystem::path& folder : catalog.searched) {
        if (std::filesystem::is_regular_file(folder, error)) {  // the file of a plugin
            return fmt::format("--plugins {}", shell_word(shown_path(folder.parent_path())));
        }
    }
    const auto built = path_from(std::string("build/") + plugin::kBelowPrefix, place, {});
    const bool is_built = built && std::filesystem::is_directory(*built, error) &&
                          !contains(catalog.searched, std::filesystem::canonical(*built, error));
    return fmt::format(
        "list all components: ptp-inspect\n         or have another folder searched: --plugins {}",
        is_built ? shell_word(shown_path(*built)) : "DIR");
}

Explanation unknown_text(const plugin::Catalog& catalog, const TypeRequest& request) {
    const std::string missing = missing_text(catalog, request);
    const std::string refused = refused_text(catalog);
    // A slip is no reason to look for plugins; a name with more differences may be another one.
    if (missing.find(kMeant) != std::string::npos && refused.empty()) {
        const std::string near = near_type(catalog, request);
        const bool is_slip = near.empty() || edit_distance(folded(request.type), folded(near)) < 2;
        return {missing, is_slip ? ""
                                 : fmt::format("write type = \"{}\"; or, if {} is in a plugin of "
                                               "yours, give its folder by --plugins DIR or "
                                               "PTP_PLUGIN_PATH",
                                               near, request.type)};
    }
    if (const std::string meaning = experiment::meaning_of_word(request.type);
        !meaning.empty() && refused.empty()) {
        return {missing, "here it is " + meaning};
    }
    const std::vector<std::string> folders =
        transformed(catalog.searched, [](const auto& folder) { return shown_path(folder); });
    const std::string searched =
        folders.empty() ? "nowhere, no plugin folder was given" : joined(folders);
    return {fmt::format("{}{} {}{}", missing, kSearched, searched, refused),
            advice(catalog, request.place)};
}

// The folders that were searched, and how to search others, are reported once.
bool is_reported(const Diagnostics& problems) {
    return std::ranges::any_of(problems.reported(), [](const Problem& problem) {
        return problem.message.find(kSearched) != std::string::npos;
    });
}

std::string ambiguous_text(const std::vector<plugin::Found>& found) {
    std::vector<std::string> plugins;
    std::vector<std::string> choices;
    for (const plugin::Found& one : found) {
        plugins.push_back(fmt::format("'{}'", one.plugin->manifest.name));
        choices.push_back(fmt::format("\"{}/{}\"", one.plugin->manifest.name, one.component->name));
    }
    return fmt::format("the plugins {} have a component of this name: write {}", joined(plugins),
                       joined(choices, "or"));
}

}  // namespace

std::optional<plugin::Found> find_type(const plugin::Catalog& catalog, const TypeRequest& request,
                                       Diagnostics& problems) {
    const auto refuse = [&](auto message) {  // a text or an Explanation
        problems.error(Value(request.type).at(request.place), request.path + ".type",
                       std::move(message));
        return std::nullopt;
    };
    const std::vector<plugin::Found> found = catalog.find(request.type);
    if (found.empty()) {
        return refuse(is_reported(problems) ? Explanation{missing_text(catalog, request)}
                                            : unknown_text(catalog, request));
    }
    if (found.size() > 1) {
        return refuse(ambiguous_text(found));
    }

    const plugin::Kind kind = found.front().component->kind;
    if ((kind == plugin::Kind::kTask) == request.is_task) {
        return found.front();
    }
    if (request.is_task) {
        return refuse(fmt::format("is a {}, not a task", plugin::to_string(kind)));
    }
    return refuse("is a task, which belongs in [training.task], [validation.task] or [test.task]");
}

std::vector<std::string> types_meant(const plugin::Catalog& catalog, const std::string& given,
                                     std::optional<plugin::Kind> kind) {
    const std::string called = given.substr(0, given.find('('));  // as in Python: nn.MSELoss()
    const std::string name = called.substr(called.rfind('.') + 1);
    if (!catalog.find(name).empty()) {
        return {name};
    }
    std::vector<std::string> names;
    for (const plugin::Component* component : components_of(catalog)) {
        if (kind ? component->kind == *kind : component->kind != plugin::Kind::kTask) {
            names.push_back(component->name);
        }
    }
    std::string joint = name;
    std::erase(joint, '_');
    std::vector<std::string> begun;  // "accuracy" begins AccuracyStatistics alone
    std::ranges::copy_if(names, std::back_inserter(begun), [&](const std::string& one) {
        return folded(one).starts_with(folded(joint));
    });
    if (begun.size() == 1) {
        return begun;
    }
    std::vector<std::string> described = described_by(catalog, false, name);
    std::erase_if(described, [&](const std::string& one) { return !contains(names, one); });
    const auto near = nearest_type(joint, names);
    const bool has_words = !experiment::words_of_type(name).empty();
    const bool is_equal = near && folded(*near) == folded(joint);
    if (near && (is_equal || described.empty() || !has_words)) {
        return {*near};
    }
    described.resize(std::min(described.size(), kMaxNamed));
    return described.empty() ? most_alike(joint, names, kMaxNamed) : described;
}

std::vector<const plugin::Component*> components_of(const plugin::Catalog& catalog) {
    std::vector<const plugin::Component*> components;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            components.push_back(&component);
        }
    }
    return components;
}

bool is_meant_by(const plugin::Component& component, std::string_view type) {
    const std::string text = folded(component.name + " " + component.summary);
    const auto has_all = [&](std::string_view words) {
        return std::ranges::all_of(words_in(words, true), [&](const std::string& word) {
            return text.find(folded(word)) != std::string::npos;
        });
    };
    return std::ranges::any_of(experiment::words_of_type(type), has_all);
}

Explanation unknown_layer(const std::string& type, const std::vector<std::string>& names,
                          const plugin::Component* described) {
    const std::string called = type.substr(0, type.find('('));  // as in Python
    const std::string bare = called.substr(called.rfind('.') + 1);
    const bool has_arguments = called != type && !type.ends_with("()");
    const bool is_bare = std::ranges::find(names, bare) != names.end();
    if (is_bare && has_arguments) {
        return {fmt::format("is not the name of a layer, but a call of {}", bare),
                fmt::format("write a table, {{ type = \"{0}\", ... }}: ptp-inspect {0} lists its "
                            "settings",
                            bare)};
    }
    constexpr std::string_view kUnknownLayer = "there is no layer of this name";
    if (is_bare) {
        return {fmt::format("{}; did you mean '{}'?", kUnknownLayer, bare),
                fmt::format("write \"{}\"", bare)};
    }
    const bool is_known = !experiment::words_of_type(bare).empty();  // however alike others are
    const bool is_described = described != nullptr && (is_known || !nearest(type, names));
    const bool is_whole =
        is_described && std::ranges::none_of(described->settings, &plugin::Setting::is_required);
    const auto same = std::ranges::find(names, folded(type), folded);  // but for its case
    return {std::string(kUnknownLayer) + (same == names.end() && is_described
                                              ? fmt::format("; did you mean '{}'?", described->name)
                                          : same == names.end() && is_known
                                              ? "; known: " + join(names, ", ")
                                              : hint(type, names, "ptp-inspect lists all")),
            same != names.end() ? fmt::format("write \"{}\"", *same)
            : is_whole          ? fmt::format("write \"{}\"", described->name)
                                : ""};
}

}  // namespace ptp::pipeline
