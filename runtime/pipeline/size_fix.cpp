// Finds the change of a setting that makes sizes agree.

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace ptp::pipeline {

namespace {

bool is_one_setting(const std::vector<WantedSize>& sizes) {
    return std::ranges::all_of(sizes, [&](const WantedSize& size) {
        return size.source.draft == sizes.front().source.draft && !size.source.setting.empty() &&
               size.source.setting == sizes.front().source.setting;
    });
}

// Numbers of a list setting, by their index.
using Elements = std::map<std::size_t, std::int64_t>;

void add_elements(const std::vector<PlainDimension>& dimensions, const std::string& setting,
                  Elements& elements) {
    for (const PlainDimension& one : dimensions) {
        if (one.setting == setting && one.index && one.number) {
            elements[*one.index] = *one.number;
        }
    }
}

// The elements of a list setting that was not given, as the other expressions of the declaration
// assume them: from "$resize_image[1]|28" the second is 28.
Elements assumed_elements(const Draft& draft, const std::string& setting) {
    Elements elements;
    const Settings settings = checked_settings(draft.node);
    for (const plugin::Global& global : draft.node.component->globals) {
        if (!global.value.empty() && !global.name.starts_with('$')) {
            add_elements(expand(parse_value(global.value), settings), setting, elements);
        }
    }
    for (const plugin::Port& port : draft.node.component->ports) {
        if (const Shape shape = shape_of(port, settings)) {
            add_elements(*shape, setting, elements);
        }
    }
    return elements;
}

// Returns the value that the setting should have; nullopt if some element of a list is not known.
std::optional<Value> new_value(const std::vector<WantedSize>& sizes) {
    const SizeSource& source = sizes.front().source;
    if (!source.index) {
        return Value(sizes.front().wanted);
    }
    const Settings settings = checked_settings(source.draft->node);
    if (const Value* given = settings.find(source.setting)) {
        Value changed = *given;
        for (const WantedSize& size : sizes) {
            changed.items()[*size.source.index] = Value(size.wanted);
        }
        return changed;
    }
    auto elements = assumed_elements(*source.draft, source.setting);
    for (const WantedSize& size : sizes) {
        elements[*size.source.index] = size.wanted;
    }
    std::vector<Value> items;
    for (const auto& [index, number] : elements) {
        if (index != items.size()) {
            return std::nullopt;
        }
        items.emplace_back(number);
    }
    return Value::list(std::move(items));
}

// Returns whether all inputs whose number of dimensions changes with the settings then have as many
// as their streams. Lists of words have two once they are indices.
bool fit_with(const Assembly& assembly, const Draft& draft, const Settings& changed) {
    return std::ranges::all_of(draft.node.inputs, [&](const Binding& input) {
        const Shape now = shape_of(draft.port(input), checked_settings(draft.node));
        const Shape then = shape_of(draft.port(input), changed);
        if (input.stream < 0 || !now || now->size() == then->size()) {
            return true;
        }
        const WiredStream& stream = assembly.stream(input.stream);
        const bool becomes_indices = stream.element == plugin::Element::kTokens &&
                                     draft.port(input).element == plugin::Element::kInteger;
        return !stream.has_shape || stream.shape.size() + (becomes_indices ? 1 : 0) == then->size();
    });
}

// The values of a sample in a shape.
struct Values {
    std::int64_t known = 1;    // the product of the sizes that are known
    std::size_t unknown = 0;   // how many are not
    std::size_t decided = 0;   // how many of the known ones a setting has
    PlainDimension last = {};  // of these
};

Values values_in(const std::vector<PlainDimension>& shape) {
    Values values;
    for (const PlainDimension& one : shape) {
        if (!one.number) {
            ++values.unknown;
        } else if (__builtin_mul_overflow(values.known, *one.number, &values.known)) {
            return {.known = 0};
        } else if (one.is_from_setting && one.index) {
            ++values.decided;
            values.last = one;
        }
    }
    return values;
}

// Returns what else to set so that outputs with the values of the first input hold as many as it
// has once `setting` is `value`: " and pipeline.flatten.output_dims = [-1, 512]"; "" where nothing
// or more than one size would change.
std::string reshaped_fix(const Draft& draft, const std::string& setting, const Value& value) {
    const plugin::Component& component = *draft.node.component;
    std::vector<std::optional<Value>> values = draft.node.settings;
    const auto* const changed = find_named(component.settings, setting);
    if (changed == nullptr || draft.node.inputs.empty()) {
        return "";
    }
    values[static_cast<std::size_t>(changed - component.settings.data())] = value;
    const Settings settings{component, values};
    const Shape input = shape_of(draft.port(draft.node.inputs.front()), settings);
    for (const Binding& binding : draft.node.outputs) {
        const Shape output = draft.port(binding).is_reshaped
                                 ? shape_of(draft.port(binding), settings)
                                 : std::nullopt;
        if (!input || !output) {
            continue;
        }
        const Values before = values_in(*input);
        const Values after = values_in(*output);
        const Value* const list = settings.find(after.last.setting);
        const bool has_one = before.known > 0 && after.decided == 1 && list != nullptr &&
                             before.unknown == after.unknown && after.known == after.last.number;
        if (has_one && before.known != after.known && after.last.setting != setting) {
            Value fitting = *list;
            fitting.items()[*after.last.index] = Value(before.known);
            return fmt::format(" and {}.{} = {}", draft.node.path, after.last.setting,
                               inline_toml(fitting));
        }
    }
    return "";
}

}  // namespace

std::string count_fix(const Assembly& assembly, const Draft& draft, const Binding& input,
                      std::size_t count) {
    const plugin::Component& component = *draft.node.component;
    for (const DimensionExpression& dimension : parse_shape(draft.port(input).shape).dimensions) {
        const auto* const setting =
            find_named(component.settings, dimension.repetition.value_or(Repetition()).setting);
        const Shape now = shape_of(draft.port(input), checked_settings(draft.node));
        if (!now || setting == nullptr) {
            continue;
        }
        std::vector<std::optional<Value>> values = draft.node.settings;
        auto& value = values[static_cast<std::size_t>(setting - component.settings.data())];
        if (!value || !value->is_integer()) {
            continue;
        }
        value = Value(value->as_integer() + static_cast<std::int64_t>(count) - std::ssize(*now));
        if (value->as_integer() > 0 && fit_with(assembly, draft, {component, values})) {
            return fmt::format("set {}.{} = {}", draft.node.path, setting->name,
                               value->as_integer());
        }
    }
    return "";
}

std::string setting_fix(const Assembly& assembly, const std::vector<WantedSize>& sizes) {
    if (sizes.empty() || !is_one_setting(sizes)) {
        return "";
    }
    const auto value = new_value(sizes);
    if (!value) {
        return "";
    }
    const Draft& draft = *sizes.front().source.draft;
    std::vector<std::string> others;  // sections with the same task need the same change
    for (const Draft& task : assembly.tasks) {
        if (!draft.node.section.empty() && &task != &draft &&
            task.node.component == draft.node.component) {
            others.push_back(task.node.path);
        }
    }
    const std::string& setting = sizes.front().source.setting;
    return fmt::format("set {}.{} = {}{}{}", draft.node.path, setting, inline_toml(*value),
                       reshaped_fix(draft, setting, *value),
                       others.empty() ? "" : kSameIn + joined(others));
}

}  // namespace ptp::pipeline
