// The order in which components run, which is also the order in which they are created.
#include "pipeline/stages.hpp"

#include "base/text.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace ptp::pipeline {

namespace {

// `from` must come before the component that has this edge.
struct Edge {
    int from = -1;
    std::string reason;  // "stream 'images'", "global 'vocabulary_size'"
};

using Edges = std::vector<std::vector<Edge>>;  // for each component, those into it

std::size_t position_of(int number) {
    return static_cast<std::size_t>(number);
}

Edges edges_of(const Assembly& assembly, const std::map<std::string, int>& global_writers) {
    Edges edges(assembly.components.size());
    for (std::size_t i = 0; i < assembly.components.size(); ++i) {
        const Draft& draft = assembly.components[i];
        for (const Binding& binding : draft.node.inputs) {
            if (binding.stream < 0) {
                continue;
            }
            const WiredStream& stream = assembly.streams[position_of(binding.stream)];
            if (stream.is_of_tasks) {
                continue;
            }
            edges[i].push_back(
                {stream.writers.front().draft, fmt::format("stream '{}'", stream.name)});
        }
        for (const std::string& name : globals_read(draft)) {
            const auto writer = global_writers.find(name);
            if (writer == global_writers.end()) {
                continue;
            }
            edges[i].push_back({writer->second, fmt::format("global '{}'", name)});
        }
    }
    return edges;
}

class Ordering {
public:
    Ordering(const Assembly& assembly, Edges edges, Diagnostics& problems)
        : assembly_(assembly), edges_(std::move(edges)), problems_(problems) {}

    std::optional<std::vector<int>> run() {
        const std::size_t errors_before = problems_.error_count();
        if (report_cycles()) {
            return std::nullopt;
        }
        check_priorities();
        if (problems_.error_count() > errors_before) {
            return std::nullopt;
        }
        return sorted();
    }

private:
    enum class State { kUnseen, kOpen, kDone };

    const Draft& at(int number) const { return assembly_.components[position_of(number)]; }

    std::string priority_text(int number) const { return fmt::format("{}", *at(number).priority); }

    // Cycles
    // ----------------------------------------------------------------------------------------

    bool report_cycles() {
        states_.assign(edges_.size(), State::kUnseen);
        bool has_cycle = false;
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            if (states_[i] != State::kUnseen) {
                continue;
            }
            std::vector<Edge> trail;
            if (walk(static_cast<int>(i), trail)) {
                has_cycle = true;
            }
        }
        return has_cycle;
    }

    // Goes against the edges; `trail` leads from the start to `number`. Reports the cycles it
    // closes.
    bool walk(int number, std::vector<Edge>& trail) {
        states_[position_of(number)] = State::kOpen;
        trail.push_back({number, ""});
        bool has_cycle = false;
        for (const Edge& edge : edges_[position_of(number)]) {
            trail.back().reason = edge.reason;
            const State state = states_[position_of(edge.from)];
            if (state == State::kOpen) {
                report_cycle(trail, edge.from);
                has_cycle = true;
            } else if (state == State::kUnseen && walk(edge.from, trail)) {
                has_cycle = true;
            }
        }
        trail.pop_back();
        states_[position_of(number)] = State::kDone;
        return has_cycle;
    }

    // Each step of the trail reads its reason from the next one; the last reads it from the first.
    void report_cycle(const std::vector<Edge>& trail, int first) {
        const auto begin = std::ranges::find(trail, first, &Edge::from);
        const Node& node = at(first).node;
        std::vector<std::string> names = {node.name};
        std::vector<std::string> reasons;
        for (auto step = trail.end(); step != begin;) {
            --step;
            names.push_back(at(step->from).node.name);
            reasons.push_back(step->reason);
        }
        report(node, node.place,
               fmt::format("cycle in the pipeline: {} ({}); rename one of these",
                           join(names, " -> "), join(reasons, ", ")),
               problems_);
    }

    // Priorities
    // ------------------------------------------------------------------------------------

    // Takes the square of the number of components.
    void find_ancestors() {
        ancestors_.assign(edges_.size(), std::vector<bool>(edges_.size()));
        states_.assign(edges_.size(), State::kUnseen);
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            collect_ancestors(i);
        }
    }

    void collect_ancestors(std::size_t number) {
        if (states_[number] == State::kDone) {
            return;
        }
        states_[number] = State::kDone;
        for (const Edge& edge : edges_[number]) {
            const std::size_t from = position_of(edge.from);
            collect_ancestors(from);
            ancestors_[number][from] = true;
            for (std::size_t i = 0; i < edges_.size(); ++i) {
                if (ancestors_[from][i]) {
                    ancestors_[number][i] = true;
                }
            }
        }
    }

    void check_priorities() {
        const auto with_priority = std::ranges::count_if(
            assembly_.components, [](const Draft& draft) { return draft.priority.has_value(); });
        if (with_priority < 2) {
            return;
        }
        find_ancestors();
        const int count = static_cast<int>(edges_.size());
        for (int later = 0; later < count; ++later) {
            for (int earlier = 0; earlier < count; ++earlier) {
                if (!ancestors_[position_of(later)][position_of(earlier)]) {
                    continue;
                }
                const auto here = at(later).priority;
                const auto there = at(earlier).priority;
                if (here && there && *there > *here) {
                    report_contradiction(later, earlier);
                }
            }
        }
    }

    void report_contradiction(int reader, int writer) {
        const auto& edges = edges_[position_of(reader)];
        const auto direct = std::ranges::find(edges, writer, &Edge::from);
        const std::string reason =
            direct == edges.end() ? "what it needs depends on" : direct->reason + " comes from";
        report(at(reader).node, at(reader).priority_place,
               fmt::format("priority {} puts it before '{}' with priority {}, but {} '{}'; "
                           "leave the priorities out, or give it a higher one",
                           priority_text(reader), at(writer).node.name, priority_text(writer),
                           reason, at(writer).node.name),
               problems_);
    }

    // The components with a priority form a chain. It contradicts no edge, so the result has no
    // cycle either.
    void add_chain() {
        std::vector<int> chain;
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            if (assembly_.components[i].priority) {
                chain.push_back(static_cast<int>(i));
            }
        }
        std::ranges::sort(chain, {}, [&](int number) { return *at(number).priority; });
        for (std::size_t i = 1; i < chain.size(); ++i) {
            edges_[position_of(chain[i])].push_back({chain[i - 1], "priority"});
        }
    }

    // Places, of the components that may come next, always the first one as written.
    std::vector<int> sorted() {
        add_chain();
        std::vector<std::size_t> missing(edges_.size());  // edges from what is not placed yet
        std::vector<std::vector<int>> readers(edges_.size());
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            missing[i] = edges_[i].size();
            for (const Edge& edge : edges_[i]) {
                readers[position_of(edge.from)].push_back(static_cast<int>(i));
            }
            if (edges_[i].empty()) {
                ready.push(static_cast<int>(i));
            }
        }
        std::vector<int> result;
        while (!ready.empty()) {
            result.push_back(ready.top());
            ready.pop();
            for (const int reader : readers[position_of(result.back())]) {
                if (--missing[position_of(reader)] == 0) {
                    ready.push(reader);
                }
            }
        }
        return result;
    }

    const Assembly& assembly_;
    Edges edges_;
    Diagnostics& problems_;
    std::vector<State> states_;
    std::vector<std::vector<bool>> ancestors_;
};

}  // namespace

std::optional<std::vector<int>> order_components(const Assembly& assembly,
                                                 const std::map<std::string, int>& global_writers,
                                                 Diagnostics& problems) {
    return Ordering(assembly, edges_of(assembly, global_writers), problems).run();
}

}  // namespace ptp::pipeline
