#include "engine/swap/plan_difference.hpp"

#include "base/text.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace ptp::engine {

namespace {

using pipeline::Plan;
using pipeline::Stream;

const Stream* stream_of(const Plan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.streams, name, &Stream::name);
    return found == plan.streams.end() ? nullptr : &*found;
}

// Returns "float [B, prediction_size = 4]".
std::string stream_text(const Plan& plan, const Stream& stream) {
    return fmt::format("{} {}", plugin::to_string(stream.element),
                       pipeline::shape_text(plan, stream.shape, stream.has_shape));
}

void compare_streams(const Plan& running, const Plan& next, std::vector<std::string>& lines) {
    for (const Stream& stream : running.streams) {
        const Stream* const other = stream_of(next, stream.name);
        if (other == nullptr) {
            lines.push_back(fmt::format("'{}' would not exist", stream.name));
            continue;
        }
        const std::string is = stream_text(running, stream);
        const std::string would_be = stream_text(next, *other);
        if (is != would_be) {
            lines.push_back(fmt::format("'{}' is {}, would be {}", stream.name, is, would_be));
        }
    }
    for (const Stream& stream : next.streams) {
        if (stream_of(running, stream.name) == nullptr) {
            lines.push_back(fmt::format("'{}' would be new", stream.name));
        }
    }
}

template <class Items>
std::string node_names(const Items& items) {
    std::vector<std::string> names;
    for (const auto& item : items) {
        names.push_back(item.name);
    }
    return join(names, ", ");
}

template <class Items>
void compare_order(const char* what, const Items& running, const Items& next,
                   std::vector<std::string>& lines) {
    const std::string are = node_names(running);
    const std::string would_be = node_names(next);
    if (are != would_be) {
        lines.push_back(fmt::format("the {} are {}, would be {}", what, are, would_be));
    }
}

}  // namespace

void complete_sizes(const Plan& running, Plan& next) {
    if (node_names(running.symbols) != node_names(next.symbols)) {
        return;  // They are different pipelines.
    }
    for (std::size_t i = 0; i < next.symbols.size(); ++i) {
        if (!next.symbols[i].size) {
            next.symbols[i].size = running.symbols[i].size;
            next.symbols[i].origin = running.symbols[i].origin;
        }
    }
}

std::vector<std::string> plan_differences(const Plan& running, const Plan& next) {
    std::vector<std::string> lines;
    compare_streams(running, next, lines);
    if (lines.empty()) {
        compare_order("streams, in this order,", running.streams, next.streams, lines);
        compare_order("sizes", running.symbols, next.symbols, lines);
        compare_order("components, in this order,", running.nodes, next.nodes, lines);
        compare_order("tasks", running.tasks, next.tasks, lines);
    }
    return lines;
}

}  // namespace ptp::engine
