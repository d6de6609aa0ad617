// Names the statistics that a section shows, and checks that their columns have one name each.

#include "pipeline/globals.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

// A loss whose stream was refused has no name yet; hidden statistics have no column.
bool is_shown(const Node& node, const std::string& declared) {
    if (const auto* const statistic = find_named(node.component->statistics, declared)) {
        return !statistic->is_hidden;
    }
    const Binding* const output = find_named(node.outputs, declared);
    return output != nullptr && output->stream >= 0;
}

// The other columns of tables of statistics and of `ptprun runs`.
constexpr std::string_view kOwnColumns[] = {
    "batch",   "batches",    "began", "episode", "episodes", "episodes_aggregated",
    "epoch",   "experiment", "note",  "problem", "reason",   "run",
    "samples", "seconds",    "state", "tags",    "time",     "trial"};

// The columns of a statistic in tables with a row for each set, where it has all.
std::vector<std::string> with_spread(const std::string& name) {
    return {name, name + "_min", name + "_max", name + "_std"};
}

bool is_own_name(std::string_view name, std::ptrdiff_t loss_count) {
    return name == kRateStatistic || name.starts_with(std::string(kRateStatistic) + ".") ||
           (loss_count > 1 && contains(with_spread(kTotalStatistic), name)) ||
           contains(kOwnColumns, name);
}

std::ptrdiff_t count_losses(const Assembly& assembly) {
    std::ptrdiff_t count = 0;
    for (const Draft& draft : assembly.components) {
        count += std::ranges::count_if(draft.node.outputs, [&](const Binding& output) {
            return output.stream >= 0 && draft.port(output).is_loss;
        });
    }
    return count;
}

}  // namespace

std::vector<std::string> statistics_in(const std::string& section, const Assembly& assembly) {
    const Draft* const found = assembly.task_of(section);
    assert(found != nullptr);
    const auto task = static_cast<std::size_t>(found - assembly.tasks.data());
    std::vector<std::string> names;
    for (const Draft& draft : assembly.components) {
        for (const auto& [declared, name] : draft.node.statistics) {
            if (draft.node.runs_on(task) && is_shown(draft.node, declared)) {
                names.push_back(name);
            }
        }
    }
    if (count_losses(assembly) > 1) {
        names.emplace_back(kTotalStatistic);
    }
    return names;
}

void check_statistics(const Assembly& assembly, Diagnostics& problems) {
    using Owner = std::pair<const Node*, std::string>;  // of a column: a node, and its statistic
    std::map<std::string, Owner> owners;
    const std::ptrdiff_t loss_count = count_losses(assembly);
    // Returns why the statistic cannot have this name, or "".
    const auto problem = [&](const Node& node, const std::string& declared,
                             const std::string& name) -> std::string {
        if (is_own_name(name, loss_count)) {
            return fmt::format("statistic '{}' has the name of a column of ptp's own", name);
        }
        const auto* const statistic = find_named(node.component->statistics, declared);
        const bool has_spread = statistic == nullptr || statistic->has_spread;
        for (const std::string& column : has_spread ? with_spread(name) : std::vector{name}) {
            const auto [owner, is_new] = owners.emplace(column, Owner{&node, name});
            const auto& [other, its_name] = owner->second;
            if (!is_new) {
                return name == its_name
                           ? fmt::format("statistic '{}' has the name of one of {}", name,
                                         node_text(*other))
                           : fmt::format(
                                 "statistic '{}' would share the column '{}' with '{}' of {}", name,
                                 column, its_name, node_text(*other));
            }
        }
        return "";
    };
    for (const Draft& draft : assembly.components) {
        const Node& node = draft.node;
        for (const auto& [declared, name] : node.statistics) {
            const std::string text = is_shown(node, declared) ? problem(node, declared, name) : "";
            if (!text.empty()) {
                report(node, node.place,
                       fmt::format("{}; write statistics = {{ {} = \"{}_{}\" }}", text,
                                   toml_key(declared), node.name, declared),
                       problems);
            }
        }
    }
}

}  // namespace ptp::pipeline
