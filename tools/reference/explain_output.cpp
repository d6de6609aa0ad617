// Writes explanations as text for a person and as JSON for a program.

#include "reference/explain.hpp"

#include "base/toml_writer.hpp"
#include "schema/json_schema.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::reference {

namespace {

constexpr std::size_t kMaxValueLength = 40;

std::string place_text(const Origin& origin) {
    std::string text = origin.value.place().text();
    for (const SourceLocation& place : origin.included_at) {
        text += fmt::format(", included at {}", place.text());
    }
    return text;
}

std::string line(const std::string& word, const std::string& text) {
    return fmt::format("  {:<12}{}\n", word, text);
}

// Returns the text of a layer if it differs from the resulting value.
std::string as_written(const Origin& origin, const ValueProvenance& provenance) {
    const bool is_same = provenance.value && origin.value == *provenance.value;
    const std::string subject = origin.table.empty() ? "" : fmt::format(" for {}", origin.table);
    const std::string value = is_same ? "" : fmt::format(" as {}", short_text(origin.value));
    return place_text(origin) + value + subject;
}

std::string default_words(const Declared& declared) {
    return fmt::format("nowhere: the default of {}", declared.by);
}

std::string origin_lines(const ValueProvenance& provenance) {
    if (provenance.origins.empty()) {
        return line("set at", provenance.declared && provenance.value
                                  ? default_words(*provenance.declared)
                                  : "nowhere, and it has no default");
    }
    std::string text = line("set at", as_written(provenance.origins.front(), provenance));
    for (const VariableUse& use : provenance.variables) {
        if (use.origins.empty()) {
            text += line("variable", fmt::format("{} is not set", use.name));
            continue;
        }
        text += line("variable", fmt::format("{} = {}, set at {}", use.name,
                                             short_text(use.origins.front().value),
                                             place_text(use.origins.front())));
        for (std::size_t i = 1; i < use.origins.size(); ++i) {
            text +=
                line("", fmt::format("  instead of {}, set at {}", short_text(use.origins[i].value),
                                     place_text(use.origins[i])));
        }
    }
    for (std::size_t i = 1; i < provenance.origins.size(); ++i) {
        text +=
            line("instead of", fmt::format("{}, set at {}", short_text(provenance.origins[i].value),
                                           place_text(provenance.origins[i])));
    }
    return text;
}

// Returns the default that only the help of a key states, as "...; by default this"; "" if it does
// not.
std::string_view default_in_help(const schema::Key& key) {
    constexpr std::string_view kBefore = "; by default ";
    const std::string_view help = key.help;
    const std::size_t at = help.find(kBefore);
    const std::string_view rest =
        at == std::string_view::npos ? "" : help.substr(at + kBefore.size());
    return rest.substr(0, rest.find(';'));
}

std::string where(const ValueProvenance& provenance) {
    if (!provenance.origins.empty()) {
        std::string text = place_text(provenance.origins.front());
        for (const VariableUse& use : provenance.variables) {
            text += fmt::format(", ${{{}}}", use.name);
        }
        return text;
    }
    if (provenance.value) {
        return fmt::format("default of {}", provenance.declared ? provenance.declared->by : "ptp");
    }
    if (!provenance.declared || provenance.declared->key.is_required) {
        return provenance.declared ? "missing" : "not set";
    }
    const std::string_view usual = default_in_help(provenance.declared->key);
    return usual.empty() ? "not set" : fmt::format("not set: {}", usual);
}

std::string value_words(const ValueProvenance& provenance) {
    return provenance.value ? short_text(*provenance.value, kMaxValueLength) : "-";
}

using schema::Json;

Json value_json(const Value& value) {
    std::optional<Json> json = schema::json_if_finite(value);
    return json ? std::move(*json) : Json(inline_toml(value));
}

Json value_json(const std::optional<Value>& value) {
    return value ? value_json(*value) : Json(nullptr);
}

Json origins_json(const std::vector<Origin>& origins) {
    Json list = Json::array();
    for (const Origin& origin : origins) {
        Json included_at = Json::array();
        for (const SourceLocation& place : origin.included_at) {
            included_at.push_back(place.text());
        }
        list.push_back({{"place", origin.value.place().text()},
                        {"value", value_json(origin.value)},
                        {"table", origin.table.empty() ? Json(nullptr) : Json(origin.table)},
                        {"included_at", std::move(included_at)}});
    }
    return list;
}

Json declared_json(const std::optional<Declared>& declared) {
    if (!declared) {
        return nullptr;
    }
    const schema::Key& key = declared->key;
    return {{"by", declared->by},
            {"expected", expected_text(key)},
            {"help", key.help},
            {"default", value_json(key.default_value)},
            {"is_required", key.is_required}};
}

}  // namespace

std::string provenance_text(const ValueProvenance& provenance) {
    std::string text = fmt::format("{} = {}\n", provenance.key,
                                   provenance.value ? inline_toml(*provenance.value) : "nothing");
    text += origin_lines(provenance);
    if (!provenance.declared) {
        return text;
    }
    const Declared& declared = *provenance.declared;
    const schema::Key& key = declared.key;
    text += line("must be", expected_text(key));
    if (key.is_required) {
        text += line("default", "none: it is required");
    } else if (key.default_value) {
        text += line("default", inline_toml(*key.default_value));
    }
    if (!key.help.empty()) {
        text += line("means", key.help);
    }
    return text + line("declared by", declared.by);
}

std::string provenance_text(const TableProvenance& provenance) {
    std::size_t key_width = 0;
    std::size_t value_width = 0;
    for (const ValueProvenance& value : provenance.values) {
        key_width = std::max(key_width, value.key.size());
        value_width = std::max(value_width, value_words(value).size());
    }
    std::string text;
    for (const ValueProvenance& value : provenance.values) {
        text += fmt::format("{:<{}}  {:<{}}  {}\n", value.key, key_width, value_words(value),
                            value_width, where(value));
    }
    return text;
}

Json provenance_json(const ValueProvenance& provenance) {
    Json variables = Json::array();
    for (const VariableUse& use : provenance.variables) {
        variables.push_back({{"name", use.name}, {"origins", origins_json(use.origins)}});
    }
    return {{"key", provenance.key},
            {"value", value_json(provenance.value)},
            {"origins", origins_json(provenance.origins)},
            {"variables", std::move(variables)},
            {"declared", declared_json(provenance.declared)}};
}

Json provenance_json(const TableProvenance& provenance) {
    Json values = Json::array();
    for (const ValueProvenance& value : provenance.values) {
        values.push_back(provenance_json(value));
    }
    return {{"key", provenance.key}, {"values", std::move(values)}};
}

}  // namespace ptp::reference
