// Decides when components run: in which order, which is also that of their creation, and on the
// batches of which sections.

#include "pipeline/stages.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

namespace ptp::pipeline {

namespace {

// An edge of the graph: the component `from` must come before the one that has this edge.
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
            if (binding.stream >= 0 && !assembly.stream(binding.stream).is_of_tasks) {
                const WiredStream& stream = assembly.stream(binding.stream);
                for (const Writer& writer : stream.writers) {
                    edges[i].push_back({writer.draft, fmt::format("stream '{}'", stream.name)});
                }
            }
        }
        const Node& node = draft.node;
        for (std::size_t k = 0; k < assembly.components.size() && !node.tried_in.empty(); ++k) {
            const Node& other = assembly.components[k].node;
            if (other.tried_in == node.tried_in && other.turn + 1 == node.turn) {
                edges[i].push_back(
                    {static_cast<int>(k), fmt::format("its turn in '{}'", node.tried_in)});
            }
        }
        for (const std::string& name : globals_read(draft)) {
            if (const auto writer = global_writers.find(name); writer != global_writers.end()) {
                edges[i].push_back({writer->second, fmt::format("global '{}'", name)});
            }
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
        states_.assign(edges_.size(), State::kUnseen);
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            std::vector<Edge> trail;
            walk(static_cast<int>(i), trail);
        }
        if (problems_.error_count() == errors_before) {
            check_priorities();
        }
        return problems_.error_count() == errors_before ? std::optional(sorted()) : std::nullopt;
    }

private:
    enum class State { kUnseen, kOpen, kDone };

    const Draft& at(int number) const { return assembly_.components[position_of(number)]; }

    std::string priority_text(int number) const { return fmt::format("{}", *at(number).priority); }

    // Visits what a component depends on, depth first; `trail` leads from the start to `number`.
    // Reports each cycle that this closes.
    void walk(int number, std::vector<Edge>& trail) {
        State& state = states_[position_of(number)];
        if (state == State::kOpen) {
            report_cycle(trail, number);
        }
        if (state != State::kUnseen) {
            return;
        }
        state = State::kOpen;
        trail.push_back({number, ""});
        for (const Edge& edge : edges_[position_of(number)]) {
            trail.back().reason = edge.reason;
            walk(edge.from, trail);
        }
        trail.pop_back();
        state = State::kDone;
    }

    // The reason of a step is why it depends on the next one of the trail; that of the last step,
    // why it depends on `first`.
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

    // Compares each component that has a priority with all that it depends on.
    void check_priorities() {
        for (std::size_t later = 0; later < edges_.size(); ++later) {
            std::set<int> before;
            if (assembly_.components[later].priority) {
                add_before(later, before);
            }
            for (const int earlier : before) {
                if (at(earlier).priority > assembly_.components[later].priority) {
                    report_contradiction(static_cast<int>(later), earlier);
                }
            }
        }
    }

    void add_before(std::size_t number, std::set<int>& before) {
        for (const Edge& edge : edges_[number]) {
            if (before.insert(edge.from).second) {
                add_before(position_of(edge.from), before);
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

    // Sorts topologically. Of the components that may come next, the first one as written does.
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
};

}  // namespace

std::optional<std::vector<int>> order_components(const Assembly& assembly,
                                                 const std::map<std::string, int>& global_writers,
                                                 Diagnostics& problems) {
    return Ordering(assembly, edges_of(assembly, global_writers), problems).run();
}

namespace {

class PhaseFinder {
public:
    PhaseFinder(Assembly& assembly, Diagnostics& problems)
        : assembly_(assembly), problems_(problems) {}

    void run(const std::vector<int>& order) {
        for (const int number : order) {
            find(assembly_.components[static_cast<std::size_t>(number)]);
        }
    }

private:
    void find(Draft& draft) {
        Node& node = draft.node;
        node.runs_for.assign(assembly_.tasks.size(), false);
        node.passes_for = node.runs_for;
        const bool is_without_targets = leave_out_missing(draft);
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            if (!assembly_.runs(assembly_.tasks[task].node.section)) {
                continue;
            }
            const bool may_run = !draft.skip_if_missing || has_inputs(draft, task);
            const bool is_in_phase = is_wanted(draft, task);
            node.runs_for[task] = may_run && is_in_phase && !is_without_targets;
            node.passes_for[task] =
                may_run && (is_in_phase ? is_without_targets : node.passes_through);
        }
        if (draft.skip_if_missing || !assembly_.are_streams_known) {
            return;
        }
        for (const Binding& input : node.inputs) {
            if (is_needed(draft, input)) {
                check_input(draft, input);
            }
        }
    }

    // Unwires the inputs that the samples of a processed section lack and that may be left out: the
    // optional ones, since a decoder that is taught by targets writes without them, those of a list
    // that come out of a transform as they go in, and the targets of a transform that passes its
    // other inputs through without them. Returns whether it does.
    bool leave_out_missing(Draft& draft) {
        const std::vector<std::string>& processed = assembly_.processed;
        const Draft* const task =
            processed.size() == 1 ? assembly_.task_of(processed.front()) : nullptr;
        if (!draft.skip_if_missing || task == nullptr) {
            return false;
        }
        const auto number = static_cast<std::size_t>(task - assembly_.tasks.data());
        const auto is_missing = [&](const Binding& input) {
            return input.stream >= 0 && !is_written(input.stream, number);
        };
        for (Binding& input : draft.node.inputs) {
            if (draft.port(input).is_optional && is_missing(input)) {
                input.stream = -1;
            }
        }
        std::vector<int> missing;
        for (const Binding& input : draft.node.inputs) {
            if (is_missing(input)) {
                missing.push_back(input.stream);
            }
        }
        leave_out_listed(draft.node, missing);
        const Binding* const targets = draft.node.input_for(plugin::Purpose::kTargets);
        if (targets == nullptr || !is_missing(*targets) || !passes_without_targets(draft.node)) {
            return false;
        }
        leave_targets_out(draft.node);
        return true;
    }

    // Returns whether a section must have the input's stream: it is wired, and not one of an
    // optional list.
    static bool is_needed(const Draft& draft, const Binding& binding) {
        const plugin::Port& port = draft.port(binding);
        return binding.stream >= 0 && (!port.is_optional || port.streams_setting.empty());
    }

    bool is_wanted(const Draft& draft, std::size_t task) const {
        const std::string& section = assembly_.tasks[task].node.section;
        return draft.runs_in(assembly_.processed.empty() ? experiment::role_of(section)
                             : assembly_.is_predicted    ? "predict"
                                                         : "process");
    }

    bool has_inputs(const Draft& draft, std::size_t task) const {
        return std::ranges::all_of(draft.node.inputs, [&](const Binding& binding) {
            return binding.stream < 0 || is_written(binding.stream, task);
        });
    }

    bool is_written(int stream, std::size_t task) const {
        const WiredStream& wired = assembly_.stream(stream);
        return std::ranges::any_of(wired.writers, [&](const Writer& writer) {
            const Node& node = assembly_.writer(wired, writer).node;
            return wired.is_of_tasks ? writer.draft == static_cast<int>(task)
                                     : node.writes(stream) && node.writes_on(task);
        });
    }

    // Returns whether the component reads this input on the batches of a task.
    static bool is_read(const Draft& draft, const Binding& binding, std::size_t task) {
        const Node& node = draft.node;
        return node.runs_for[task] ||
               (node.passes_on(task) &&
                std::ranges::any_of(node.passed_ports(), [&](const auto& passed) {
                    return &node.inputs[passed.first] == &binding;
                }));
    }

    void check_input(const Draft& draft, const Binding& binding) {
        std::vector<std::string> with;  // phases in all of whose sections it is
        std::vector<std::string> without;
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            auto& phases = is_written(binding.stream, task) ? with : without;
            const std::string phase(experiment::role_of(assembly_.tasks[task].node.section));
            if (is_read(draft, binding, task) && !contains(phases, phase)) {
                phases.push_back(phase);
            }
        }
        std::erase_if(with, [&](const std::string& phase) { return contains(without, phase); });
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            if (is_read(draft, binding, task) && !is_written(binding.stream, task)) {
                refuse(draft, binding, task, with);
            }
        }
    }

    void refuse(const Draft& draft, const Binding& binding, std::size_t task,
                const std::vector<std::string>& with) {
        const WiredStream& stream = assembly_.stream(binding.stream);
        const Node& lacking = assembly_.tasks[task].node;
        std::vector<std::string> writers;
        for (const Writer& writer : stream.writers) {
            writers.push_back(node_text(assembly_.writer(stream, writer).node));
        }
        const std::string what =
            stream.is_of_tasks
                ? fmt::format("{} lacks (it is written by {})", node_text(lacking), joined(writers))
                : fmt::format("{} does not write in [{}]", writers.front(), lacking.section);
        std::string advice = "write skip_if_missing = true";
        if (!with.empty() && assembly_.processed.empty()) {
            advice += fmt::format(" or phases = [\"{}\"]", join(with, "\", \""));
        }
        const Node* const writer =
            stream.is_of_tasks ? nullptr : &assembly_.writer(stream, stream.writers.front()).node;
        if (writer != nullptr &&
            may_pass_through(assembly_.writer(stream, stream.writers.front()))) {
            advice += fmt::format("; to read there what '{}' reads, pass_through = true in [{}]",
                                  writer->name, writer->path);
        }
        report(draft.node, binding.wire.place,
               fmt::format("input '{}' reads stream '{}', which {}; to leave it out there, {}",
                           binding.name, binding.wire.stream, what, advice),
               problems_);
    }

    Assembly& assembly_;
    Diagnostics& problems_;
};

}  // namespace

void find_phases(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems) {
    PhaseFinder(assembly, problems).run(order);
}

}  // namespace ptp::pipeline
