// Builds the message of a failed component call from the status that the component returned, its
// own message, and the arguments of the call.

#include "engine/component/component_error.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

#include <c10/core/ScalarType.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxShownSamples = 3;

// A setting that a message begins with, and the rest of the message.
struct Blame {
    std::size_t setting = 0;
    std::string_view rest;  // "must be at most 2"; empty if the message itself has its value
};

std::optional<Blame> find_blame(const pipeline::Node& node, std::string_view message) {
    const auto& declared = node.component->settings;
    for (std::size_t i = 0; i < declared.size() && i < node.settings.size(); ++i) {
        const std::string quoted = fmt::format("setting '{}': ", declared[i].name);
        if (message.starts_with(quoted)) {
            return Blame{i, message.substr(quoted.size())};
        }
        if (message.starts_with(declared[i].name + " = ")) {
            return Blame{i, {}};
        }
    }
    return std::nullopt;
}

std::string configuration_text(const pipeline::Node& node, const std::string& message) {
    const auto blame = find_blame(node, message);
    const Value* value = nullptr;
    if (blame && node.settings[blame->setting]) {
        value = &*node.settings[blame->setting];
    }
    const bool has_place = value != nullptr && !value->place().text().empty();
    const std::string place = place_text(has_place ? value->place() : node.place);
    if (!blame || blame->rest.empty()) {
        return fmt::format("{}{}: {}", place, pipeline::node_text(node), message);
    }
    const std::string shown = value == nullptr ? "" : " = " + short_text(*value);
    return fmt::format("{}{}.{}{}: {}", place, node.path,
                       node.component->settings[blame->setting].name, shown, blame->rest);
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
        return tensor.defined() ? fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                                              join(tensor.sizes(), ", "))
                                : "undefined";
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

// Returns the fix if the system refused to write a file, in which case the message ends with the
// system's reason; empty for any other message.
std::string_view fix_of_refused_write(std::string_view message) {
    struct Reason {
        int number;
        const char* fix;
    };
    constexpr const char* kRoom = "make room there";
    constexpr const char* kPermission = "make it writable";
    constexpr const char* kDescriptors = "raise the limit of open files (ulimit -n)";
    constexpr std::array kReasons = {
        Reason{ENOSPC, kRoom},
        Reason{EDQUOT, kRoom},
        Reason{EACCES, kPermission},
        Reason{EPERM, kPermission},
        Reason{EROFS, kPermission},
        Reason{EMFILE, kDescriptors},
        Reason{ENFILE, kDescriptors},
        Reason{EFBIG, "raise the limit of the size of a file (ulimit -f)"}};
    if (!message.starts_with("cannot write ")) {
        return "";
    }
    const auto* const found = std::ranges::find_if(kReasons, [message](const Reason& reason) {
        return message.ends_with(": " + std::generic_category().message(reason.number));
    });
    return found == kReasons.end() ? "" : found->fix;
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

bool is_about_refused_write(std::string_view message) {
    return !fix_of_refused_write(message).empty();
}

bool is_about_setting(const pipeline::Node& node, std::string_view message) {
    return find_blame(node, message).has_value();
}

WithFix<RunError> component_error(const pipeline::Node& node, ptp_status status, const Call& call,
                                  bool is_creating) {
    assert(status == PTP_ERROR_CONFIG || status == PTP_ERROR_DATA || status == PTP_ERROR_INTERNAL);
    switch (status) {
        case PTP_ERROR_CONFIG:
            return {kConfigurationError, {configuration_text(node, call.message())}};
        case PTP_ERROR_DATA:
            return {kDataError, {message_text(node, call)}};
        default:
            if (const auto fix = fix_of_refused_write(call.message()); !fix.empty()) {
                return {kTrainingError, {message_text(node, call), std::string(fix)}};
            }
            return {is_creating && !is_about_memory(call.message()) ? kPluginError : kTrainingError,
                    internal_error(node, call, is_creating)};
    }
}

}  // namespace ptp::engine
