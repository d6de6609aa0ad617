// Builds the message of a failed component call from the status that the component returned, its
// own message, and the arguments of the call.

#include "engine/component/component_error.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

#include <c10/core/ScalarType.h>
#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxShownSamples = 3;

// libtorch's error of a batch normalization that has one sample, which has no deviation.
constexpr std::string_view kSingleValue = "Expected more than 1 value per channel when training";
constexpr std::string_view kSingleValueFix =
    "training.dataloader.drop_last = true leaves out a last batch of one sample, or set another "
    "batch_size; where several processes share a batch, distributed.buffers = \"synchronized\" "
    "gives none a single sample";

// Returns the number of the declared setting that a call blames.
std::optional<std::size_t> blamed_setting(const pipeline::Node& node, const Call& call) {
    const auto& declared = node.component->settings;
    const auto found = std::ranges::find(declared, call.facts().setting, &plugin::Setting::name);
    const auto number = static_cast<std::size_t>(found - declared.begin());
    return number < node.settings.size() ? std::optional(number) : std::nullopt;
}

// Returns the member of a table of a file that an option has set and the message begins with, as in
// "'floor': ..."; nullptr if there is none.
const Member* blamed_member(const Value& table, const std::string& message) {
    if (!table.is_table() || table.place().file() == kCommandLine) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(table.members(), [&](const Member& member) {
        return member.value.place().file() == kCommandLine &&
               message.starts_with("'" + member.key + "'");
    });
    return found == table.members().end() ? nullptr : &*found;
}

std::string configuration_text(const pipeline::Node& node, const Call& call) {
    const auto blamed = blamed_setting(node, call);
    if (!blamed) {
        const std::string& setting = call.facts().setting;
        return fmt::format("{}{}: {}{}", place_text(node.place), pipeline::node_text(node),
                           setting.empty() ? "" : fmt::format("setting '{}': ", setting),
                           call.message());
    }
    const std::optional<Value>& value = node.settings[*blamed];
    const bool has_place = value && !value->place().text().empty();
    if (const Member* member = value ? blamed_member(*value, call.message()) : nullptr) {
        return fmt::format("{}{}.{}.{} = {}: {}", place_text(member->value.place()), node.path,
                           node.component->settings[*blamed].name, toml_key(member->key),
                           short_text(member->value), call.message());
    }
    return fmt::format("{}{}.{}{}: {}", place_text(has_place ? value->place() : node.place),
                       node.path, node.component->settings[*blamed].name,
                       value ? " = " + short_text(*value) : "", call.message());
}

// Returns " of samples 3, 17, 22 and 61 more", or nothing if the message names a sample.
std::string samples_text(const Call& call) {
    const auto samples = call.values().samples;
    if (samples.empty() || call.message().starts_with("sample ")) {
        return "";
    }
    const std::size_t shown = std::min(samples.size(), kMaxShownSamples);
    const std::size_t others = samples.size() - shown;
    return fmt::format(" of sample{} {}{}", samples.size() == 1 ? "" : "s",
                       join(samples.first(shown), ", "),
                       others == 0 ? "" : fmt::format(" and {} more", others));
}

std::string value_text(const ptp_value* value, ptp_element element) {
    if (is_tensor(element)) {
        const at::Tensor& tensor = as_tensor(value);
        return tensor.defined() ? type_and_sizes(tensor) : "undefined";
    }
    switch (element) {
        case PTP_STRING:
            return "strings";
        case PTP_TOKENS:
            return "lists of strings";
        default:
            return "a list of tensors";
    }
}

// Returns "\n    inputs: images Float [64, 1, 28, 28], targets Long [64]", or nothing.
std::string inputs_text(const pipeline::Node& node, const CallValues& values) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < values.inputs.size() && i < node.inputs.size(); ++i) {
        if (values.inputs[i] != nullptr) {
            parts.push_back(fmt::format("{} {}", node.inputs[i].name,
                                        value_text(values.inputs[i], values.input_elements[i])));
        }
    }
    return parts.empty() ? "" : fmt::format("\n    inputs: {}", join(parts, ", "));
}

// Returns "\n    step: episode 12 (epoch 2), 64 samples of [training]", or nothing.
std::string step_text(const ptp_step* step) {
    return step == nullptr ? ""
                           : fmt::format("\n    step: episode {} (epoch {}), {} sample{} of [{}]",
                                         step->episode, step->epoch + 1, step->batch_size,
                                         step->batch_size == 1 ? "" : "s", step->section);
}

// Returns the fix for what the system refused a component that writes a file; empty if it refused
// nothing of the kind.
std::string_view fix_of_refused_write(const Call& call) {
    switch (call.facts().system) {
        case ENOSPC:
        case EDQUOT:
            return "make room there";
        case EACCES:
        case EPERM:
        case EROFS:
            return "make it writable";
        case EMFILE:
        case ENFILE:
            return "raise the limit of open files (ulimit -n)";
        case EFBIG:
            return "raise the limit of the size of a file (ulimit -f)";
        default:
            return "";
    }
}

// Returns "report this to the author of the plugin (Jane Doe, https://example.org)".
std::string report_text(const plugin::Manifest& manifest) {
    std::vector<std::string> contacts;
    for (const std::string& contact : {manifest.author, manifest.homepage}) {
        if (!contact.empty()) {
            contacts.push_back(contact);
        }
    }
    const std::string text = "report this to the author of the plugin";
    return contacts.empty() ? text : fmt::format("{} ({})", text, join(contacts, ", "));
}

std::string fix_text(const pipeline::Node& node, const Call& call, bool is_creating) {
    if (is_about_memory(call.message())) {
        return std::string(kMemoryFix);
    }
    if (call.message().find(kSingleValue) != std::string::npos) {
        return std::string(kSingleValueFix);
    }
    const std::string report = report_text(node.plugin->manifest);
    if (is_creating) {
        return "check its settings and the files that they name; if they are right, " + report;
    }
    if (!call.values().samples.empty()) {
        return "check the data of what it was reading; if they are right, " + report;
    }
    if (!call.values().inputs.empty()) {
        return "check that its inputs are what it expects; if they are, " + report;
    }
    return report;
}

Explanation internal_error(const pipeline::Node& node, const Call& call, bool is_creating) {
    const plugin::Manifest& manifest = node.plugin->manifest;
    const std::string step =
        is_about_memory(call.message()) ? step_text(call.values().step) : std::string();
    return {
        fmt::format("{}{} of plugin '{}' {}: {}{} failed: {}{}{}", place_text(node.place),
                    pipeline::node_text(node), manifest.name, manifest.version, call.name().work,
                    samples_text(call), call.message(), inputs_text(node, call.values()), step),
        fix_text(node, call, is_creating)};
}

std::string message_text(const pipeline::Node& node, const Call& call) {
    return fmt::format("{}{}: {}", place_text(node.place), pipeline::node_text(node),
                       call.message());
}

}  // namespace

std::string place_text(const SourceLocation& place) {
    return place.text().empty() ? "" : place.text() + ": ";
}

bool is_about_memory(std::string_view message) {
    return message.find("std::bad_alloc") != std::string_view::npos ||
           message.find("can't allocate memory") != std::string_view::npos ||
           message.find("out of memory") != std::string_view::npos ||
           message.find("OutOfMemoryError") != std::string_view::npos;
}

bool is_about_refused_write(const Call& call) {
    return !fix_of_refused_write(call).empty();
}

bool is_about_setting(const pipeline::Node& node, const Call& call) {
    return blamed_setting(node, call).has_value();
}

WithFix<RunError> component_error(const pipeline::Node& node, ptp_status status, const Call& call,
                                  bool is_creating) {
    assert(status == PTP_ERROR_CONFIG || status == PTP_ERROR_DATA || status == PTP_ERROR_INTERNAL);
    switch (status) {
        case PTP_ERROR_CONFIG:
            return {kConfigurationError, {configuration_text(node, call)}};
        case PTP_ERROR_DATA:
            return {kDataError,
                    {message_text(node, call),
                     is_creating ? pipeline::fix_of_folder(node, call.message()) : ""}};
        default:
            if (const auto fix = fix_of_refused_write(call); !fix.empty()) {
                return {kTrainingError, {message_text(node, call), std::string(fix)}};
            }
            return {is_creating && !is_about_memory(call.message()) ? kPluginError : kTrainingError,
                    internal_error(node, call, is_creating)};
    }
}

}  // namespace ptp::engine
