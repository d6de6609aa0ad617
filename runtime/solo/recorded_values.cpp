// Reads and compares the values of recorded calls, and makes the plan for a build of a recorded
// component from the facts of the recording.

#include "solo/recorded_values.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/sizes.hpp"
#include "run/keys.hpp"

#include <ATen/ops/empty_strided.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ptp::solo {

namespace {

bool is_text_element(ptp_element element) {
    return element == PTP_STRING || element == PTP_TOKENS;
}

std::vector<std::string> strings_of(const ptp_text& text) {
    std::vector<std::string> strings;
    for (std::uint64_t i = 0; i < text.string_count; ++i) {
        strings.emplace_back(text.bytes + text.offsets[i], text.bytes + text.offsets[i + 1]);
    }
    return strings;
}

std::vector<std::string> rows_of(const ptp_text& text) {
    std::vector<std::string> numbers;
    for (std::uint64_t i = 0; text.rows != nullptr && i <= text.row_count; ++i) {
        numbers.push_back(std::to_string(text.rows[i]));
    }
    return numbers;
}

[[noreturn]] void refuse_plugin(const Recording& recording, const plugin::CatalogEntry& plugin,
                                const std::string& problem) {
    throw RunError(kPluginError, fmt::format("{}: cannot replay {}: {}", plugin.path.string(),
                                             recording.record.text_at("type"), problem));
}

const plugin::Component& component_of(const Recording& recording,
                                      const plugin::CatalogEntry& plugin) {
    const std::string type = recording.record.text_at("type");
    std::vector<std::string> known;
    for (const plugin::Component& component : plugin.manifest.components) {
        if (component.name != type) {
            known.push_back(component.name);
            continue;
        }
        if (static_cast<std::int64_t>(component.kind) !=
            recording.record.find("kind")->as_integer()) {
            refuse_plugin(recording, plugin, "it was recorded as a component of another kind");
        }
        return component;
    }
    refuse_plugin(recording, plugin,
                  fmt::format("the plugin '{}' has no component of this type{}",
                              plugin.manifest.name, hint(type, known)));
}

// Returns "B, 3, *", as a port declares it.
std::string shape_text_of(const Value& shape) {
    std::vector<std::string> dimensions;
    for (const Value& size : shape.items()) {
        if (!size.is_integer()) {
            dimensions.emplace_back("B");
        } else if (size.as_integer() < 0) {
            dimensions.emplace_back("*");
        } else {
            dimensions.push_back(std::to_string(size.as_integer()));
        }
    }
    return join(dimensions, ", ");
}

plugin::Element element_of(const Value& stream) {
    const std::int64_t element = run::integer_in(stream, "element");
    if (element < PTP_FLOAT || element > PTP_TENSOR_LIST) {
        throw RecordingError(
            fmt::format("has a stream of the type {}, which does not exist", element));
    }
    return static_cast<plugin::Element>(element);
}

Feeder recorded_feeder(const Value& record) {
    Feeder feeder;
    std::set<std::string> written = {"indices"};
    for (const Value& input : record.find("inputs")->items()) {
        const std::string stream = input.text_at("stream");
        const plugin::Element element = element_of(input);
        const Value* const shape = input.find("shape");
        if (written.insert(stream).second) {
            feeder.write(stream, element, shape == nullptr ? "..." : shape_text_of(*shape));
        }
    }
    for (const Member& published : record.find("globals")->members()) {
        feeder.publish(published.key, published.value.is_integer()
                                          ? std::to_string(published.value.as_integer())
                                          : "");
    }
    return feeder;
}

experiment::Names recorded_names(const Value& record, const plugin::Component& component) {
    experiment::Names names;
    for (const char* list : {"inputs", "outputs"}) {
        for (const Value& port : record.find(list)->items()) {
            const std::string from = port.text_at("port");
            const std::string to = port.text_at("stream");
            if (port.is_true_at("is_named") && from != to) {
                names.streams.push_back({from, {}, to, {}});
            }
        }
    }
    for (const Member& name : record.find("global_names")->members()) {
        const auto declared = std::ranges::find(component.globals, name.key, &plugin::Global::name);
        const bool is_only_if_named =
            declared != component.globals.end() && declared->is_only_if_named();
        if (name.value.is_string() && (name.value.as_string() != name.key || is_only_if_named)) {
            names.globals.push_back({name.key, {}, name.value.as_string(), {}});
        }
    }
    for (const Member& constant : record.find("constants")->members()) {
        names.globals.push_back({constant.key, {}, "", {}, constant.value});
    }
    return names;
}

}  // namespace

TensorsByName RecordedValues::tensors(const std::string& group) const {
    TensorsByName found;
    const std::string begin = prefix_ + group;
    for (auto it = recording_.tensors.lower_bound(begin);
         it != recording_.tensors.end() && it->first.starts_with(begin); ++it) {
        found.emplace_back(it->first.substr(begin.size()), it->second);
    }
    return found;
}

std::int64_t RecordedValues::integer(const char* name) const {
    return run::integer_in(facts_, name);
}

const std::string& RecordedValues::text(const char* name) const {
    return run::value_in(facts_, name, ValueType::kString).as_string();
}

std::vector<Value> RecordedValues::items(const char* name) const {
    const Value* const list = facts_.find(name);
    return list != nullptr && list->is_list() ? list->items() : std::vector<Value>();
}

std::vector<std::string> RecordedValues::texts(const char* name) const {
    return transformed(items(name),
                       [](const Value& text) { return text.is_string() ? text.as_string() : ""; });
}

bool RecordedValues::is_listed(const char* list, const std::string& name) const {
    return std::ranges::count(texts(list), name) > 0;
}

const Value* RecordedValues::fact_of(const char* table, const std::string& name) const {
    const Value* const facts = facts_.find(table);
    return facts == nullptr ? nullptr : facts->find(name);
}

const at::Tensor& RecordedValues::required(const std::string& name, at::ScalarType type) const {
    const at::Tensor* const found = tensor(name);
    if (found == nullptr || found->scalar_type() != type || found->dim() != 1 ||
        (type == at::kLong && found->numel() == 0)) {
        throw RecordingError(fmt::format("lacks '{}{}'", prefix_, name));
    }
    return *found;
}

at::Tensor RecordedValues::filled(const std::string& name, at::Device device) const {
    const at::Tensor* const recorded = tensor(name);
    if (recorded == nullptr) {
        return {};
    }
    at::Tensor made = recorded->clone().to(device);
    if (const Value* const strides = fact_of("strides", name);
        strides != nullptr && strides->is_list()) {
        std::vector<std::int64_t> steps;
        for (const Value& step : strides->items()) {
            steps.push_back(step.is_integer() ? step.as_integer() : 1);
        }
        if (std::ssize(steps) != made.dim() ||
            std::ranges::any_of(steps, [](std::int64_t step) { return step < 0; })) {
            throw RecordingError(fmt::format("has wrong strides of '{}{}'", prefix_, name));
        }
        made = at::empty_strided(made.sizes(), steps, made.options()).copy_(made);
    }
    if (is_listed("with_gradient", name)) {
        made.set_requires_grad(true);
    }
    return made;
}

void RecordedValues::fill_text(const std::string& name, Slot& slot) const {
    if (is_listed("absent", name)) {
        return;
    }
    const at::Tensor& bytes = required(name + "/bytes", at::kByte);
    const at::Tensor& offsets = required(name + "/offsets", at::kLong);
    ptp_text text{};
    text.bytes = static_cast<const char*>(bytes.data_ptr());
    text.offsets = static_cast<const std::uint64_t*>(offsets.data_ptr());
    text.string_count = static_cast<std::uint64_t>(offsets.numel() - 1);
    if (text.offsets[text.string_count] != static_cast<std::uint64_t>(bytes.numel())) {
        throw RecordingError(fmt::format("has wrong offsets of '{}{}'", prefix_, name));
    }
    if (tensor(name + "/rows") != nullptr) {
        const at::Tensor& rows = required(name + "/rows", at::kLong);
        text.rows = static_cast<const std::uint64_t*>(rows.data_ptr());
        text.row_count = static_cast<std::uint64_t>(rows.numel() - 1);
    }
    try {
        slot.text.assign(text);
    } catch (const std::invalid_argument& error) {
        throw RecordingError(fmt::format("'{}{}' {}", prefix_, name, error.what()));
    }
}

void RecordedValues::fill(const std::string& name, at::Device device, Slot& slot) const {
    if (is_text_element(slot.element)) {
        fill_text(name, slot);
    } else if (slot.element == PTP_TENSOR_LIST) {
        const Value* const count = fact_of("counts", name);
        const bool has_some = count != nullptr && count->is_integer() && count->as_integer() > 0;
        slot.list.resize(has_some ? static_cast<std::uint64_t>(count->as_integer()) : 0);
        for (std::size_t i = 0; i < slot.list.tensors().size(); ++i) {
            slot.list.tensors()[i] = filled(fmt::format("{}/{}", name, i), device);
        }
    } else {
        slot.tensor = filled(name, device);
    }
}

void RecordedValues::compare(const std::string& name, const std::string& what, const Slot& slot,
                             ReplayReport& report) const {
    const bool has_text = is_text_element(slot.element);
    const bool has_list = slot.element == PTP_TENSOR_LIST;
    const Value* const count = fact_of("counts", name);
    const bool is_there = has_list ? count != nullptr
                                   : is_listed("absent", name) ||
                                         tensor(has_text ? name + "/offsets" : name) != nullptr;
    if (!is_there) {
        report.differ(what, {.recorded = "nothing", .now = "a value"});
    } else if (has_text) {
        Slot recorded;
        fill_text(name, recorded);
        report.compare(what, strings_of(recorded.text), strings_of(slot.text));
        if (recorded.text.row_count > 0) {
            report.compare("the rows of " + what, rows_of(recorded.text), rows_of(slot.text));
        }
    } else if (!has_list) {
        report.compare(what, value(name), slot.tensor);
    } else if (*count != Value(slot.list.count)) {
        report.compare("the number of tensors of " + what, *count, Value(slot.list.count));
    } else {
        for (std::size_t i = 0; i < slot.list.tensors().size(); ++i) {
            report.compare(fmt::format("tensor {} of {}", i, what),
                           value(fmt::format("{}/{}", name, i)), slot.list.tensors()[i]);
        }
    }
}

std::unique_ptr<LonePlan> recorded_plan(const Recording& recording,
                                        const plugin::CatalogEntry& plugin,
                                        const std::filesystem::path& home) {
    const Value& record = recording.record;
    LoneEntry lone{plugin, component_of(recording, plugin), {}, home};
    lone.entry.name = record.text_at("name");
    lone.entry.path = record.text_at("path");
    lone.entry.type = lone.component.name;
    lone.entry.names = recorded_names(record, lone.component);
    lone.entry.settings = *record.find("settings");
    const std::string section = record.text_at("section");
    auto made = std::make_unique<LonePlan>(
        lone, LonePlan::Options{.section = section.empty() ? "training" : section,
                                .seed = record.find("seed")->as_integer()});
    made->globals = record.find("globals")->members();
    try {
        made->assemble(recorded_feeder(record));
    } catch (const NoPlan& error) {
        refuse_plugin(recording, plugin,
                      std::string("it does not fit the recording:\n") + error.what());
    }
    pipeline::Plan& plan = made->plan;
    for (const Member& size : record.find("sizes")->members()) {
        const auto symbol = made->node().symbols.find(size.key);
        if (symbol == made->node().symbols.end() || !size.value.is_integer()) {
            continue;
        }
        const auto& known = plan.symbols[static_cast<std::size_t>(symbol->second)].size;
        const std::int64_t recorded = size.value.as_integer();
        if (known && *known != recorded) {
            refuse_plugin(
                recording, plugin,
                fmt::format("its size '{}' was {}, and is {}", size.key, recorded, *known));
        }
        static_cast<void>(pipeline::learn_size(plan, symbol->second, recorded, "recorded"));
    }
    return made;
}

}  // namespace ptp::solo
