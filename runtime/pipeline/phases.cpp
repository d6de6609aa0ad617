// Decides which components run on the batches of a section.
#include "pipeline/stages.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

class PhaseFinder {
public:
    PhaseFinder(Assembly& assembly, const std::vector<std::string>& processed,
                Diagnostics& problems)
        : assembly_(assembly), processed_(processed), problems_(problems) {}

    void run(const std::vector<int>& order) {
        for (const int number : order) {
            find(assembly_.components[static_cast<std::size_t>(number)]);
        }
    }

private:
    void find(Draft& draft) {
        Node& node = draft.node;
        node.runs_for.assign(assembly_.tasks.size(), false);
        leave_out_optional(draft);
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            if (is_wanted(draft, task)) {
                node.runs_for[task] = !draft.skip_if_missing || has_inputs(draft, task);
            }
        }
        if (draft.skip_if_missing || !assembly_.are_streams_known) {
            return;
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (is_needed(draft, node.inputs[i])) {
                check_input(draft, node.inputs[i], draft.inputs[i]);
            }
        }
    }

    // Unwires the optional inputs that the samples of a processed section lack: a decoder that is
    // taught by targets writes without them.
    void leave_out_optional(Draft& draft) {
        const auto is_processed = [&](const Draft& task) {
            return processed_.size() == 1 && task.node.section == processed_.front();
        };
        const auto task = std::ranges::find_if(assembly_.tasks, is_processed);
        if (!draft.skip_if_missing || task == assembly_.tasks.end()) {
            return;
        }
        const auto number = static_cast<std::size_t>(task - assembly_.tasks.begin());
        for (Binding& input : draft.node.inputs) {
            if (draft.port(input).is_optional && input.stream >= 0 &&
                !is_written(input.stream, number)) {
                input.stream = -1;
            }
        }
    }

    // Returns whether a section must have the input's stream: it is wired, and not one of an
    // optional list.
    static bool is_needed(const Draft& draft, const Binding& binding) {
        const plugin::Port& port = draft.port(binding);
        return binding.stream >= 0 && (!port.is_optional || port.streams_setting.empty());
    }

    bool is_wanted(const Draft& draft, std::size_t task) const {
        const std::string& section = assembly_.tasks[task].node.section;
        if (!processed_.empty() && std::ranges::find(processed_, section) == processed_.end()) {
            return false;
        }
        const std::string_view phase =
            processed_.empty() ? experiment::role_of(section) : "process";
        return draft.phases.empty() || std::ranges::find(draft.phases, phase) != draft.phases.end();
    }

    bool has_inputs(const Draft& draft, std::size_t task) const {
        return std::ranges::all_of(draft.node.inputs, [&](const Binding& binding) {
            return binding.stream < 0 || is_written(binding.stream, task);
        });
    }

    bool is_written(int stream, std::size_t task) const {
        const WiredStream& wired = assembly_.streams[static_cast<std::size_t>(stream)];
        return std::ranges::any_of(wired.writers, [&](const Writer& writer) {
            return wired.is_of_tasks ? writer.draft == static_cast<int>(task)
                                     : assembly_.writer(wired, writer).node.runs_for[task];
        });
    }

    void check_input(const Draft& draft, const Binding& binding, const Wire& wire) {
        std::vector<std::string> with;  // phases in all of whose sections it is
        std::vector<std::string> without;
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            if (draft.node.runs_for[task]) {
                std::vector<std::string>& phases =
                    is_written(binding.stream, task) ? with : without;
                const std::string phase(experiment::role_of(assembly_.tasks[task].node.section));
                if (std::ranges::find(phases, phase) == phases.end()) {
                    phases.push_back(phase);
                }
            }
        }
        std::erase_if(with, [&](const std::string& phase) {
            return std::ranges::find(without, phase) != without.end();
        });
        for (std::size_t task = 0; task < assembly_.tasks.size(); ++task) {
            if (draft.node.runs_for[task] && !is_written(binding.stream, task)) {
                refuse(draft, binding, wire, task, with);
            }
        }
    }

    void refuse(const Draft& draft, const Binding& binding, const Wire& wire, std::size_t task,
                const std::vector<std::string>& with) {
        const WiredStream& stream = assembly_.streams[static_cast<std::size_t>(binding.stream)];
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
        if (!with.empty() && processed_.empty()) {
            advice += fmt::format(" or phases = [\"{}\"]", join(with, "\", \""));
        }
        report(draft.node, wire.place,
               fmt::format("input '{}' reads stream '{}', which {}; to leave it out there, {}",
                           binding.name, wire.stream, what, advice),
               problems_);
    }

    Assembly& assembly_;
    const std::vector<std::string>& processed_;
    Diagnostics& problems_;
};

}  // namespace

void find_phases(Assembly& assembly, const std::vector<int>& order,
                 const std::vector<std::string>& processed, Diagnostics& problems) {
    PhaseFinder(assembly, processed, problems).run(order);
}

}  // namespace ptp::pipeline
