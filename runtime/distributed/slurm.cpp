// Parses the lists of hosts and of tasks in Slurm's variables.

#include "distributed/slurm.hpp"

#include <charconv>

namespace ptp::distributed {

namespace {

// Removes and returns the number at the beginning of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(std::string_view& text, std::string_view what) {
    if (!text.starts_with(what)) {
        return false;
    }
    text.remove_prefix(what.size());
    return true;
}

}  // namespace

std::string first_host(std::string_view nodes) {
    // A comma within brackets separates numbers, outside of them hosts.
    std::string host;
    while (!nodes.empty() && nodes.front() != ',') {
        if (nodes.front() != '[') {
            host += nodes.front();
            nodes.remove_prefix(1);
            continue;
        }
        const std::size_t end = nodes.find(']');
        if (end == std::string_view::npos) {
            return "";
        }
        const std::string_view numbers = nodes.substr(1, end - 1);
        host += numbers.substr(0, numbers.find_first_of("-,"));
        nodes.remove_prefix(end + 1);
    }
    return host;
}

std::optional<std::int64_t> tasks_on_node(std::string_view tasks_per_node, std::int64_t node) {
    while (!tasks_per_node.empty()) {
        const auto tasks = take_number(tasks_per_node);
        std::optional<std::int64_t> nodes = 1;
        if (take(tasks_per_node, "(x")) {
            nodes = take_number(tasks_per_node);
            if (!take(tasks_per_node, ")")) {
                return std::nullopt;
            }
        }
        if (!tasks || !nodes) {
            return std::nullopt;
        }
        if (node < *nodes) {
            return tasks;
        }
        node -= *nodes;
        if (!take(tasks_per_node, ",")) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace ptp::distributed
