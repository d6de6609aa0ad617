// Explains settings that other programs have, and that are something else here.

#include "pipeline/unknown_setting.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/candidate.hpp"
#include "pipeline/draft.hpp"
#include "plugin/purpose.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns whether the text is the path of a file, and not "DEFAULT" or "ResNet18_Weights.DEFAULT",
// which are names of weights in torchvision.
bool is_path_of_weights(const std::string& text) {
    return text.find('/') != text.npos ||
           (std::filesystem::path(text).has_extension() && text.find("_Weights.") == text.npos);
}

// Returns the name of the document's component of this type; "" if it has none.
std::string component_of_type(const Value* document, const std::string& type) {
    const Value* const pipeline = document == nullptr ? nullptr : document->find("pipeline");
    const bool is_table = pipeline != nullptr && pipeline->is_table();
    for (const Member& one : is_table ? pipeline->members() : std::vector<Member>()) {
        const Value* const its = one.value.is_table() ? one.value.find("type") : nullptr;
        if (its != nullptr && *its == Value(type)) {
            return one.key;
        }
    }
    return "";
}

// Explains names of metrics among the settings of a component, as Keras has them: each is measured
// by a component of its own.
std::optional<Explanation> of_metrics(const Member& unknown, const SettingsSource& source) {
    if (source.catalog == nullptr ||
        experiment::familiar_key(unknown.key).value_or("") != "pipeline.statistics") {
        return std::nullopt;
    }
    const Value& value = unknown.value;
    const schema::UnknownKey here{unknown, source.path, source.document,
                                  &experiment::kFamiliarNames};
    std::string fix;
    std::vector<std::string> added;
    for (const Value& one : value.is_list() ? value.items() : std::vector{value}) {
        const auto types = one.is_string() ? types_meant(*source.catalog, one.as_string(),
                                                         plugin::Kind::kStatistic)
                                           : std::vector<std::string>();
        if (types.empty()) {
            return std::nullopt;
        }
        const std::string& type = types.front();
        if (contains(added, type)) {
            continue;  // it measures several
        }
        added.push_back(type);
        const std::string there = component_of_type(source.document, type);
        std::string one_fix =
            there.empty() ? schema::fix_of_key(here, "pipeline." + folded(one.as_string()),
                                               fmt::format("{{ type = \"{}\" }}", type))
                          : fmt::format("leave it out: pipeline.{} is of the type {}", there, type);
        if (one_fix.starts_with("write ")) {
            one_fix.insert(0, "remove it, and ");
        }
        fix += (fix.empty() ? "" : "\n         ") + one_fix;
    }
    return Explanation{"unknown setting; a statistic is a component of its own", std::move(fix)};
}

}  // namespace

std::optional<Explanation> of_weights(const Member& unknown, const SettingsSource& source) {
    if (!has_word("checkpoint ckpt pretrained pretrained_weights weights weights_path",
                  folded(unknown.key))) {
        return std::nullopt;
    }
    const Value& value = unknown.value;
    if (value.is_string() && is_path_of_weights(value.as_string())) {
        return Explanation{
            "unknown setting; did you mean 'load'?",
            schema::typed_value(unknown.key_place, source.path + ".load", inline_toml(value))};
    }
    return Explanation{
        "unknown setting; load = \"FILE\" takes trained weights, of a run, a bundle or PyTorch",
        value == Value(false) ? "leave it out"
                              : "leave it out, and write load = \"FILE\": " +
                                    std::string(experiment::kPublishedWeights)};
}

std::optional<Explanation> of_activation(const Member& unknown, const SettingsSource& source) {
    if (folded(unknown.key) != "activation" || !unknown.value.is_string() ||
        source.catalog == nullptr || source.component == nullptr) {
        return std::nullopt;
    }
    const std::string wanted = folded(unknown.value.as_string());
    if (!source.path.ends_with(']')) {
        const bool has_it = folded(source.component->summary).find(wanted) != std::string::npos;
        return Explanation{
            fmt::format("unknown setting; the activation of {} {}", source.component->name,
                        has_it ? "is that one" : "cannot be chosen"),
            has_it ? "leave it out" : "put a list of layers in its place: docs/networks.md"};
    }
    for (const plugin::Component* layer : components_of(*source.catalog)) {
        if (folded(layer->name) == wanted) {
            return Explanation{
                "unknown setting; an activation is a layer of its own",
                fmt::format("leave it out, and write \"{}\" behind this layer", layer->name)};
        }
    }
    return std::nullopt;
}

std::optional<Explanation> of_habit(const Member& unknown, const SettingsSource& source) {
    if (auto metrics = of_metrics(unknown, source)) {
        return metrics;
    }
    const bool is_loss =
        source.component != nullptr && source.component->kind == plugin::Kind::kLoss;
    if (is_loss && folded(unknown.key) == "reduction") {
        return Explanation{"unknown setting; a loss is the mean over what counts in the batch",
                           unknown.value == Value("mean") ? "leave it out" : ""};
    }
    const bool is_model =
        source.path.ends_with(']') ||  // or a layer
        (source.component != nullptr && source.component->kind == plugin::Kind::kModel);
    if (std::string fix = is_model ? experiment::surplus_of_models(unknown.key) : "";
        !fix.empty()) {
        return Explanation{"unknown setting", std::move(fix)};
    }
    const bool is_task = !source.path.starts_with("pipeline.");
    if (is_task && source.component != nullptr && unknown.value.is_bool() &&
        has_word("normalize_features scale_features standard_scaler standardize "
                 "standardize_features",
                 folded(unknown.key)) &&
        plugin::find_purpose(source.component->globals, plugin::Purpose::kValueColumns) !=
            nullptr) {
        return Explanation{"unknown setting; " + experiment::meaning_of_word("standardize"),
                           "leave it out"};
    }
    if (is_task && folded(unknown.key) == "download" && unknown.value.is_bool()) {
        return Explanation{"unknown setting; nothing is downloaded but by a command",
                           unknown.value.as_bool()
                               ? "leave it out; ptprun fetch EXPERIMENT gets what is missing"
                               : "leave it out"};
    }
    const bool has_format =
        is_task && source.component != nullptr &&
        plugin::find_purpose(source.component->settings, plugin::Purpose::kSeparator) != nullptr;
    if (has_format && has_word("has_header header", folded(unknown.key))) {
        return Explanation{
            "unknown setting; the first line of a table has the names of its columns",
            unknown.value == Value(true) || unknown.value == Value(0)
                ? "leave it out"
                : "leave it out, and write these names above the rows"};
    }
    return std::nullopt;
}

std::optional<Explanation> of_pixels(const schema::Key& key, const Value& given,
                                     const std::string& path) {
    constexpr double kBytes = 255;
    constexpr double kSteps = 10000;  // of the numbers that are written
    if (key.form != schema::Form::kTable || !given.is_table() ||
        key.help.find("pixel") == std::string::npos) {
        return std::nullopt;
    }
    const Member* const only = given.members().size() == 1 ? &given.members().front() : nullptr;
    if (only != nullptr && find_named(key.members, only->key) == nullptr) {
        const auto meant = read_toml_value(experiment::familiar_value(path, only->value));
        return meant && schema::accepts(key, *meant)
                   ? std::optional(Explanation{
                         fmt::format("has no '{}' here, but {}", only->key,
                                     joined(transformed(key.members, &schema::Key::name), "and")),
                         schema::typed_value(given.place(), path, inline_toml(*meant))})
                   : std::nullopt;
    }
    const auto is_above_one = [](const Value& one) { return one.is_number() && one.as_real() > 1; };
    Value shares = given;
    bool is_any = false;
    for (Member& member : shares.members()) {
        std::vector<Value> numbers =
            member.value.is_list() ? member.value.items() : std::vector{member.value};
        if (std::ranges::none_of(numbers, is_above_one)) {
            continue;
        }
        is_any = true;
        for (Value& number : numbers) {
            const double share = number.is_number() ? number.as_real() / kBytes : 0;
            number = Value(std::round(share * kSteps) / kSteps);
        }
        member.value = member.value.is_list() ? Value::list(std::move(numbers)) : numbers.front();
    }
    return is_any && schema::accepts(key, shares)
               ? std::optional(Explanation{
                     "has numbers of pixels from 0 to 255, and pixels are from 0 to 1 here",
                     schema::typed_value(given.place(), path, inline_toml(shares))})
               : std::nullopt;
}

std::string column_compared(const SettingsSource& source) {
    const Value* const pipeline =
        source.document == nullptr ? nullptr : source.document->find("pipeline");
    if (pipeline == nullptr || !pipeline->is_table() || source.component == nullptr ||
        source.catalog == nullptr) {
        return "";
    }
    for (const Member& entry : pipeline->members()) {
        const Value* const type = entry.value.is_table() ? entry.value.find("type") : nullptr;
        for (const plugin::Component* component : components_of(*source.catalog)) {
            if (type == nullptr || component->kind != plugin::Kind::kLoss ||
                *type != Value(component->name)) {
                continue;
            }
            const auto inputs = Candidate(*component).ports(plugin::Direction::kInput);
            const auto* const setting = plugin::find_purpose(source.component->settings,
                                                             compared(inputs) == Compared::kNumbers
                                                                 ? plugin::Purpose::kValueColumns
                                                                 : plugin::Purpose::kLabelColumn);
            return setting == nullptr ? "" : setting->name;
        }
    }
    return "";
}

}  // namespace ptp::pipeline
