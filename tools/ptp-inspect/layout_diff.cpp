// Compares parameters, buffers and state of two builds, each created in a process of its own.

#include "layout_diff.hpp"
#include "base/ranges.hpp"

#include "base/child_process.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/temporary_path.hpp"
#include "engine/solo_requests.hpp"
#include "host/open_engine.hpp"
#include "options.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

namespace ptp::inspect {

namespace {

using engine::ComponentLayout;
using engine::TensorLayout;
using plugin::Change;
using plugin::Compared;
using Attempts = std::map<std::string, std::string>;

Json layout_json(const ComponentLayout& layout) {
    Json tensors = Json::array();
    for (const TensorLayout& tensor : layout.tensors) {
        tensors.push_back({tensor.name, tensor.form});
    }
    return {{"component", layout.component},
            {"attempt", layout.attempt},
            {"tensors", tensors},
            {"state", layout.state_version ? Json(*layout.state_version) : Json()},
            {"problem", layout.problem}};
}

ComponentLayout layout_from(const Json& json) {
    ComponentLayout layout{.component = json.at("component").get<std::string>(),
                           .attempt = json.at("attempt").get<std::string>()};
    for (const Json& tensor : json.at("tensors")) {
        layout.tensors.push_back(
            {tensor.at(0).get<std::string>(), tensor.at(1).get<std::string>()});
    }
    if (!json.at("state").is_null()) {
        layout.state_version = json.at("state").get<std::int64_t>();
    }
    layout.problem = json.at("problem").get<std::string>();
    return layout;
}

std::string ask_for_layouts(engine::LayoutFunction find, const engine::LayoutRequest& request) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would hide the signal
    engine::LayoutResult result;
    find(request, result);
    Json out = {{"error", result.error}, {"components", Json::array()}};
    for (const ComponentLayout& layout : result.components) {
        out["components"].push_back(layout_json(layout));
    }
    return ptp::text_of(out);
}

std::string child_failure(const ChildEnd& end) {
    if (end.has_timed_out) {
        return "took too long";
    }
    return WIFSIGNALED(end.status) ? fmt::format("ended by signal {} ({})", WTERMSIG(end.status),
                                                 ::strsignal(WTERMSIG(end.status)))
                                   : "ended the process";
}

// Throws std::runtime_error, whose text is a sentence without the file.
std::vector<ComponentLayout> layouts_of(const plugin::CatalogEntry& entry, Attempts attempts,
                                        std::chrono::seconds limit) {
    const auto find =
        reinterpret_cast<engine::LayoutFunction>(host::engine_symbol(engine::kLayoutSymbol));
    const TemporaryPath folder = TemporaryPath::new_folder();
    const engine::LayoutRequest request{.plugin = entry,
                                        .folder = folder.path(),
                                        .home = home_folder(),
                                        .time_limit_s = static_cast<int>(limit.count()),
                                        .attempts = std::move(attempts)};
    constexpr std::chrono::seconds kGrace(30);  // the engine itself ends each component
    const auto tries = static_cast<int>(entry.manifest.components.size()) + 1;
    const ChildEnd end =
        run_in_child([&] { return ask_for_layouts(find, request); }, tries * (limit + kGrace));
    const auto json = parsed_json(end.output);
    if (!json) {
        throw std::runtime_error(child_failure(end));
    }
    if (const std::string error = json->at("error").get<std::string>(); !error.empty()) {
        throw std::runtime_error(error);
    }
    return transformed(json->at("components"),
                       [](const Json& component) { return layout_from(component); });
}

std::string kind_of(const std::string& form) {
    return form.substr(0, form.find(' '));
}

// Compares tensors by their names, as checkpoints have them.
void compare_tensors(const ComponentLayout& older, const ComponentLayout& newer,
                     std::vector<Compared>& compared) {
    const auto in = [](const ComponentLayout& layout, const std::string& name) {
        return find_named(layout.tensors, name);
    };
    const auto add = [&](const TensorLayout& tensor, Change change,
                         std::vector<std::string> reasons) {
        compared.push_back(
            {older.component, kind_of(tensor.form), tensor.name, change, std::move(reasons)});
    };
    for (const TensorLayout& tensor : older.tensors) {
        const TensorLayout* const now = in(newer, tensor.name);
        if (now == nullptr) {
            add(tensor, Change::kBreaking, {"is gone: checkpoints of before have it"});
        } else if (now->form != tensor.form) {
            add(tensor, Change::kBreaking, {fmt::format("was {}, is {}", tensor.form, now->form)});
        } else {
            add(tensor, Change::kIdentical, {});
        }
    }
    for (const TensorLayout& tensor : newer.tensors) {
        if (in(older, tensor.name) == nullptr) {
            add(tensor, Change::kBreaking, {"is new: checkpoints of before do not have it"});
        }
    }
}

// Compares states: an instance can import the state of one of the same version or an older one.
void compare_state(const ComponentLayout& older, const ComponentLayout& newer,
                   std::vector<Compared>& compared) {
    if (!older.state_version && !newer.state_version) {
        return;
    }
    Compared state{older.component, "state", "ptp.state/1", Change::kIdentical};
    if (!newer.state_version) {
        state.change = Change::kBreaking;
        state.reasons = {"is gone: checkpoints of before have it"};
    } else if (!older.state_version) {
        state.change = Change::kNarrowed;
        state.reasons = {"is new: checkpoints of before do not have it"};
    } else if (*newer.state_version != *older.state_version) {
        state.change =
            *newer.state_version > *older.state_version ? Change::kWidened : Change::kBreaking;
        state.reasons = {
            fmt::format("version was {}, is {}", *older.state_version, *newer.state_version)};
    }
    compared.push_back(std::move(state));
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Returns an entry for a creation that fails only in the newer build. Without a component: that of
// the whole plugin.
Compared no_creation(const std::string& component, const std::string& name,
                     const std::string& problem) {
    return {component,
            "creation",
            name,
            Change::kBreaking,
            {"was possible, is not: " + first_line(problem)}};
}

// Returns the settings and sizes with which components were created.
Attempts attempts_of(const std::vector<ComponentLayout>& layouts) {
    Attempts attempts;
    for (const ComponentLayout& layout : layouts) {
        if (layout.problem.empty()) {
            attempts.emplace(layout.component, layout.attempt);
        }
    }
    return attempts;
}

void compare_layout(const ComponentLayout& older, const ComponentLayout& newer, LayoutDiff& diff) {
    if (!older.problem.empty()) {
        diff.notes.push_back(fmt::format("parameters and state of {} were not compared: {}",
                                         older.component, first_line(older.problem)));
    } else if (!newer.problem.empty()) {
        diff.compared.push_back(no_creation(older.component, older.component, newer.problem));
    } else {
        compare_tensors(older, newer, diff.compared);
        compare_state(older, newer, diff.compared);
    }
}

}  // namespace

LayoutDiff compare_layouts(const plugin::CatalogEntry& older, const plugin::CatalogEntry& newer,
                           std::chrono::seconds limit) {
    LayoutDiff diff;
    std::vector<ComponentLayout> before;
    std::vector<ComponentLayout> now;
    try {
        before = layouts_of(older, {}, limit);
    } catch (const std::runtime_error& error) {
        diff.notes.push_back(fmt::format("parameters and state were not compared: {} {}",
                                         older.path.string(), error.what()));
        return diff;
    }
    try {
        now = layouts_of(newer, attempts_of(before), limit);
    } catch (const std::runtime_error& error) {
        diff.compared.push_back(no_creation("", newer.manifest.name, error.what()));
        return diff;
    }
    for (const ComponentLayout& one : before) {
        const auto other = std::ranges::find(now, one.component, &ComponentLayout::component);
        if (other != now.end()) {  // otherwise the component is missing
            compare_layout(one, *other, diff);
        }
    }
    return diff;
}

}  // namespace ptp::inspect
