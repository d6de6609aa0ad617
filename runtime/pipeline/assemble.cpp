// Runs the stages that turn an experiment into a plan, in their order.

#include "pipeline/assemble.hpp"

#include "pipeline/component_stages.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/tried.hpp"
#include "pipeline/wiring.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

// Returns whether a key is one of the table of the pipeline or of a task, or a table itself.
bool is_of_wiring(std::string_view key) {
    const bool is_table = key.find('.') == std::string_view::npos;
    bool is_of_task = false;
    for (std::string_view rest = key; !rest.empty() && !is_of_task;) {
        const std::string_view name = rest.substr(0, rest.find('.'));
        is_of_task = name == "task";
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return is_table || is_of_task || key.starts_with("pipeline.");
}

// Returns whether the problems found so far are about tasks or components. A stream that then seems
// to be missing or not to fit may only follow from them.
bool concern_the_wiring(const Diagnostics& problems) {
    return std::ranges::any_of(problems.reported(), [](const Problem& problem) {
        return problem.severity == Severity::kError && is_of_wiring(problem.key);
    });
}

bool is_only_processed(const std::vector<std::string>& phases) {
    return !phases.empty() && std::ranges::all_of(phases, [](const std::string& phase) {
        return phase == "process" || phase == "predict";
    });
}

// The sections that run, and beside them those that a run works with.
Assembly make_drafts(const experiment::Experiment& experiment, const Purpose& purpose,
                     const DraftContext& context) {
    const std::vector<std::string>& processed = purpose.processed;
    // The plugins of a run are those that its training needs.
    const bool is_alone = processed.empty() && purpose.processed_tasks == nullptr;
    Assembly assembly{&experiment, &context.catalog, processed, purpose.is_predicted};
    const auto keep = [&](std::optional<Draft> draft, std::vector<Draft>& drafts) {
        if (!draft || !draft->is_sound) {
            assembly.is_complete = false;
        }
        if (!draft || !draft->has_known_outputs) {
            assembly.are_streams_known = false;
        }
        if (draft) {
            drafts.push_back(std::move(*draft));
        }
    };
    for (const experiment::Section* section : experiment::run_sections(experiment)) {
        keep(draft_task(*section, context), assembly.tasks);
    }
    for (const experiment::Section& section : experiment.processed) {
        if (contains(processed, section.name)) {
            keep(draft_task(section, context), assembly.tasks);
        }
    }
    assembly.components.reserve(experiment.pipeline.components.size());
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        const bool is_of_other_plugin =
            is_alone && is_only_processed(with_try(entry, experiment.pipeline).phases) &&
            context.catalog.find(entry.type).empty();
        if (entry.is_enabled && !is_of_other_plugin) {
            keep(draft_component(entry, experiment.pipeline, context), assembly.components);
        }
    }
    return assembly;
}

void add_streams(const Draft& draft, std::set<std::string>& streams) {
    for (const Binding& output : draft.node.outputs) {
        streams.insert(output.wire.stream);
    }
}

// Returns whether a required input of the component reads a stream that is not among these.
bool lacks_any(const Draft& draft, const std::set<std::string>& streams) {
    return std::ranges::any_of(draft.node.inputs, [&](const Binding& input) {
        const bool may_stay = draft.port(input).is_optional && !input.wire.is_named;
        return !input.wire.stream.empty() && !may_stay && !streams.contains(input.wire.stream);
    });
}

// Components that run only in the phase "process", and read what only a task of [process] writes,
// or another of these components: a training is without them, and so is what processes another
// section, where they may be skipped. What nothing writes is left for wire() to report, where the
// tasks of [process] are known. Returns those that are left out.
std::vector<Draft> leave_out_unfed(Assembly& assembly, const Purpose& purpose) {
    const std::vector<Draft>* processed_tasks = purpose.processed_tasks;
    std::vector<Draft> unfed;
    for (bool is_changed = true; std::exchange(is_changed, false);) {
        std::set<std::string> streams;
        for (const Draft& task : assembly.tasks) {
            add_streams(task, streams);
            streams.insert(task.indices);
        }
        for (const Draft& draft : assembly.components) {
            add_streams(draft, streams);
        }
        std::set<std::string> when_processing = streams;
        if (processed_tasks != nullptr) {
            for (const std::vector<Draft>* drafts : {processed_tasks, &std::as_const(unfed)}) {
                for (const Draft& draft : *drafts) {
                    add_streams(draft, when_processing);
                    when_processing.insert(draft.indices);
                }
            }
        }
        const auto found = std::ranges::find_if(assembly.components, [&](const Draft& draft) {
            const bool may_be_without =
                purpose.processed.empty()
                    ? processed_tasks == nullptr || !lacks_any(draft, when_processing)
                    : draft.skip_if_missing;
            return is_only_processed(draft.phases) && may_be_without && lacks_any(draft, streams);
        });
        if (found != assembly.components.end()) {
            unfed.push_back(std::move(*found));
            assembly.components.erase(found);
            is_changed = true;
        }
    }
    return unfed;
}

// Connects the components, and checks what can be checked before they are ordered. Returns which
// component publishes each global.
std::map<std::string, int> connect(Assembly& assembly, Diagnostics& problems) {
    wire(assembly, problems);
    wire_layers(assembly, problems);
    drop_unpublished(assembly);
    auto global_writers = check_globals(assembly, problems);
    check_global_sizes(assembly, problems);
    check_statistics(assembly, problems);
    check_training(assembly, problems);
    check_sampler_streams(assembly, problems);
    check_output_files(assembly, problems);
    check_tried(assembly, problems);
    return global_writers;
}

// Removes the tasks that do not run; a plan to train keeps them all.
void drop_unused_tasks(Plan& plan, const Assembly& assembly) {
    for (std::size_t i = plan.tasks.size(); i-- > 0;) {
        if (!assembly.runs(plan.tasks[i].section)) {
            const auto place = static_cast<std::ptrdiff_t>(i);
            plan.tasks.erase(plan.tasks.begin() + place);
            for (Node& node : plan.nodes) {
                node.runs_for.erase(node.runs_for.begin() + place);
                node.passes_for.erase(node.passes_for.begin() + place);
            }
        }
    }
}

// Converts the symbols of the solver to those of the plan.
void renumber(std::vector<Dimension>& shape, const std::vector<int>& positions) {
    for (Dimension& dimension : shape) {
        if (dimension.symbol >= 0) {
            dimension.symbol = positions[static_cast<std::size_t>(dimension.symbol)];
        }
    }
}

void renumber(std::map<std::string, int>& symbols, const std::vector<int>& positions) {
    for (auto& [name, symbol] : symbols) {
        symbol = positions[static_cast<std::size_t>(symbol)];
    }
}

Stream finished(WiredStream& wired, const std::vector<int>& positions) {
    Stream stream{.name = wired.name,
                  .element = wired.element,
                  .has_shape = wired.has_shape,
                  .shape = std::move(wired.shape)};
    renumber(stream.shape, positions);
    return stream;
}

Node finished(Draft& draft, const std::vector<int>& positions) {
    Node node = std::move(draft.node);
    for (auto* bindings : {&node.inputs, &node.outputs}) {
        for (Binding& binding : *bindings) {
            binding.has_shape = binding.has_shape && binding.stream >= 0;
            if (!binding.has_shape) {
                binding.shape.clear();
            }
            renumber(binding.shape, positions);
        }
    }
    renumber(node.symbols, positions);
    for (DerivedSize& size : node.derived) {
        size.symbol = positions[static_cast<std::size_t>(size.symbol)];
    }
    if (draft.inner != nullptr) {
        for (WiredStream& stream : draft.inner->streams) {
            node.inner_streams.push_back(finished(stream, positions));
        }
        for (Draft& layer : draft.inner->components) {
            node.layers.push_back(finished(layer, positions));
        }
    }
    return node;
}

Plan make_plan(Assembly& assembly, const std::vector<int>& order, Sizes sizes) {
    Plan plan;
    std::vector<int> places(order.size());  // in the order, of each component
    for (std::size_t i = 0; i < order.size(); ++i) {
        places[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    }
    std::vector<int> positions;
    plan.symbols = sizes.table.symbols(positions);
    plan.global_symbols = std::move(sizes.globals);
    renumber(plan.global_symbols, positions);
    for (WiredStream& wired : assembly.streams) {
        const auto number = static_cast<int>(plan.streams.size());
        Stream& stream = plan.streams.emplace_back(finished(wired, positions));
        if (!wired.is_of_tasks) {
            for (const Writer& writer : wired.writers) {  // of several that are tried the last
                if (assembly.writer(wired, writer).node.writes(number)) {
                    stream.producer =
                        std::max(stream.producer, places[static_cast<std::size_t>(writer.draft)]);
                }
            }
        }
    }
    for (Draft& task : assembly.tasks) {
        plan.tasks.push_back(finished(task, positions));
    }
    plan.nodes.reserve(order.size());
    for (const int number : order) {
        plan.nodes.push_back(
            finished(assembly.components[static_cast<std::size_t>(number)], positions));
    }
    name_tried(plan);
    return plan;
}

}  // namespace

std::vector<Draft> draft_processed_tasks(const experiment::Experiment& experiment,
                                         const plugin::Catalog& catalog,
                                         const std::filesystem::path& home, Diagnostics& problems) {
    std::vector<Draft> drafts;
    const DraftContext context{catalog, home, problems, experiment.document.get()};
    for (const experiment::Section& section : experiment.processed) {
        if (auto draft = draft_task(section, context)) {
            drafts.push_back(std::move(*draft));
        }
    }
    return drafts;
}

std::optional<Plan> assemble(const experiment::Experiment& experiment,
                             const plugin::Catalog& catalog, const std::filesystem::path& home,
                             Diagnostics& problems, NeededFiles files, const Purpose& purpose) {
    const bool is_trained = purpose.processed.empty();
    const bool is_wiring_known = !concern_the_wiring(problems);
    Assembly assembly =
        make_drafts(experiment, purpose, {catalog, home, problems, experiment.document.get()});
    if (files != NeededFiles::kIgnored) {
        const bool has_checkpoint = files == NeededFiles::kWithoutWeights;
        check_setting_files(assembly, has_checkpoint, problems);
        check_columns(assembly, has_checkpoint, problems);
    }
    if (files == NeededFiles::kChecked) {
        check_loaded_files(experiment, problems);
    }
    if (!is_wiring_known) {
        return std::nullopt;
    }
    const std::vector<Draft> unfed = leave_out_unfed(assembly, purpose);
    const auto global_writers = connect(assembly, problems);
    if (files != NeededFiles::kIgnored) {
        check_samples(assembly, problems);
    }
    const auto order = order_components(assembly, global_writers, problems);
    if (!order) {
        return std::nullopt;
    }
    find_phases(assembly, *order, problems);
    if (is_trained && purpose.processed_tasks != nullptr) {
        check_predicted_inputs(assembly, *order, problems);
    }
    check_meanings(assembly, *order, problems);
    if (is_trained) {
        check_sections(assembly, !concern_the_wiring(problems), problems);
    }
    Sizes sizes = solve_shapes(assembly, *order, problems);
    const auto read_elsewhere = streams_read_elsewhere(experiment, unfed);
    if (is_trained) {
        warn_of_oversights(assembly, read_elsewhere, problems);
    } else if (!purpose.is_predicted) {
        warn_of_processed(assembly, problems);
    }
    if (!problems.ok()) {
        return std::nullopt;
    }
    Plan plan = make_plan(assembly, *order, std::move(sizes));
    find_stages(plan, problems);
    check_passing(plan, problems);
    check_record_streams(experiment.records, plan, problems);
    if (is_trained) {
        check_normalized(plan, problems);
    }
    if (!problems.ok()) {
        return std::nullopt;
    }
    if (is_trained) {
        warn_of_filling(plan, read_elsewhere, problems);
        warn_of_unread_outputs(plan, catalog, read_elsewhere, problems);
        warn_of_padding(plan, problems);
        warn_of_other_scores(plan, problems);
        warn_of_read_targets(plan, problems);
        warn_of_steps_as_channels(plan, problems);
        warn_of_other_vocabularies(plan, problems);
        warn_of_limits(plan, problems);
    }
    drop_unused_tasks(plan, assembly);
    for (const std::vector<Draft>* drafts : {purpose.processed_tasks, &unfed}) {
        for (std::size_t i = 0; drafts != nullptr && i < drafts->size(); ++i) {
            plan.only_recorded.push_back((*drafts)[i].node);
        }
    }
    return plan;
}

}  // namespace ptp::pipeline
