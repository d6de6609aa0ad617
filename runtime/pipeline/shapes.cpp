// Solves the shapes of a pipeline: all ends of each stream are made to agree, in the order of
// execution, and what contradicts is reported in the end.
#include "pipeline/shapes.hpp"

#include "pipeline/class_counts.hpp"
#include "pipeline/derive.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/mismatch.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::pipeline {

namespace {

class Solver {
public:
    Solver(const Assembly& assembly, Diagnostics& problems)
        : assembly_(assembly), problems_(problems) {}

    Shapes run(const std::vector<int>& order) {
        const std::size_t errors_before = problems_.error_count();
        shapes_.streams.resize(assembly_.streams.size());
        for (const Draft& task : assembly_.tasks) {
            shapes_.tasks.push_back(shapes_of_node(task, shapes_.sizes, shapes_.globals));
        }
        shapes_.components.reserve(assembly_.components.size());
        for (const Draft& draft : assembly_.components) {
            shapes_.components.push_back(shapes_of_node(draft, shapes_.sizes, shapes_.globals));
        }
        for_each_sound([&](const Derivation& one) { publish(one.draft, one.own); });
        unify_tasks();
        for (const int number : order) {
            unify_component(static_cast<std::size_t>(number));
        }
        derive_all();
        std::vector<std::string> fixes;
        for (const Mismatch& mismatch : mismatches_) {
            fixes.push_back(report_mismatch(mismatch, problems_));
        }
        for (const auto& [draft, conflicts] : conflicts_) {
            report_globals(*draft, conflicts, fixes, problems_);
        }
        for_each_sound([&](const Derivation& one) {
            if (check_requirements(one, problems_)) {
                check_derived_sizes(one, problems_);
            }
        });
        // A further problem beside other errors may only follow from them.
        if (problems_.error_count() == errors_before) {
            for_each_sound(
                [&](const Derivation& one) { check_samples_stay_whole(one, problems_); });
            check_class_counts(assembly_, shapes_, problems_);
        }
        return std::move(shapes_);
    }

private:
    void publish(const Draft& draft, NodeShapes& shapes) {
        std::vector<GlobalConflict> conflicts;
        for (const PublishedSize& published :
             published_sizes(draft, shapes, shapes_.sizes, shapes_.globals)) {
            const SourcedDimension global = symbol_dimension(shapes_.globals.at(published.global));
            const auto first = shapes_.sizes.size_of(global);
            if (shapes_.sizes.unify(global, published.dimension)) {
                continue;
            }
            const auto second = shapes_.sizes.size_of(published.dimension);
            conflicts.push_back({published.global, *first, *second});
        }
        if (!conflicts.empty()) {
            conflicts_.emplace_back(&draft, std::move(conflicts));
        }
    }

    // All ends of a stream must agree with the first shape that any end gave. "*" becomes a size
    // that is not known yet, because two readers must not ask for different sizes.
    void start_stream(std::size_t stream, const SourcedShape& shape) {
        SourcedShape& start = shapes_.streams[stream];
        start = shape;
        for (std::size_t i = 0; i < start.dimensions.size(); ++i) {
            Dimension& dimension = start.dimensions[i].dimension;
            if (dimension.size || dimension.symbol >= 0) {
                continue;
            }
            const std::string& name = assembly_.streams[stream].name;
            dimension.symbol = shapes_.sizes.add(fmt::format("{}.{}", name, i));
        }
    }

    void unify_tasks() {
        for (std::size_t i = 0; i < assembly_.tasks.size(); ++i) {
            const Draft& task = assembly_.tasks[i];
            const int indices = task.node.indices_stream;
            if (indices >= 0) {
                unify_indices(static_cast<std::size_t>(indices));
            }
            derive(task, shapes_.tasks[i]);
            unify_outputs(task, shapes_.tasks[i]);
        }
    }

    void unify_indices(std::size_t stream) {
        const Dimension batch{.size = std::nullopt, .symbol = kBatchSymbol, .name = "B"};
        if (!shapes_.streams[stream].is_known) {
            start_stream(stream, {true, {{batch, {}}}});
        }
    }

    void unify_component(std::size_t number) {
        const Draft& draft = assembly_.components[number];
        NodeShapes& shapes = shapes_.components[number];
        const std::size_t errors_before = problems_.error_count() + mismatches_.size();
        for (std::size_t i = 0; i < draft.node.inputs.size(); ++i) {
            unify_end(draft, draft.node.inputs[i], shapes.inputs[i], true);
        }
        derive(draft, shapes);
        if (draft.is_sound) {
            complete_reshaped({assembly_, shapes_, draft, shapes});
        }
        unify_outputs(draft, shapes);
        // The output of a component follows from its input, even from a wrong one.
        if (draft.is_sound && problems_.error_count() + mismatches_.size() == errors_before) {
            check_reshaped({assembly_, shapes_, draft, shapes}, problems_);
        }
    }

    void derive(const Draft& draft, NodeShapes& shapes) {
        if (!draft.is_sound) {
            return;
        }
        const Derivation derivation{assembly_, shapes_, draft, shapes};
        derive_sizes(derivation, problems_);
        try {
            complete_outputs(derivation);
        } catch (const ComputationError& error) {
            report(draft.node, draft.node.place,
                   fmt::format("the shape of an output cannot be computed: {}", error.what()),
                   problems_);
        }
        derive_sizes(derivation, problems_);
    }

    // A size that a component learns from a later one may decide what an earlier one publishes.
    void derive_all() {
        bool has_found = true;
        while (has_found) {
            has_found = false;
            for_each_sound([&](const Derivation& one) {
                if (derive_sizes(one, problems_)) {
                    has_found = true;
                }
            });
        }
    }

    template <class Function>
    void for_each_sound(const Function& function) {
        const auto visit = [&](const std::vector<Draft>& drafts, std::vector<NodeShapes>& shapes) {
            for (std::size_t i = 0; i < drafts.size(); ++i) {
                if (drafts[i].is_sound) {
                    function(Derivation{assembly_, shapes_, drafts[i], shapes[i]});
                }
            }
        };
        visit(assembly_.tasks, shapes_.tasks);
        visit(assembly_.components, shapes_.components);
    }

    void unify_outputs(const Draft& draft, const NodeShapes& shapes) {
        for (std::size_t i = 0; i < draft.node.outputs.size(); ++i) {
            unify_end(draft, draft.node.outputs[i], shapes.outputs[i], false);
        }
    }

    void unify_end(const Draft& draft, const Binding& binding, const SourcedShape& shape,
                   bool is_reader) {
        if (binding.stream < 0 || !shape.is_known || !draft.is_sound) {
            return;
        }
        const auto stream = static_cast<std::size_t>(binding.stream);
        const StreamEnd end{&draft, binding.name, &shape, is_reader,
                            draft.port(binding).streams_setting};
        SourcedShape& agreed = shapes_.streams[stream];
        if (!agreed.is_known) {
            start_stream(stream, shape);
            starts_.emplace(binding.stream, end);
            return;
        }
        if (agreed.dimensions.size() != shape.dimensions.size()) {
            refuse(binding.stream, end, {});
            return;
        }
        std::vector<std::size_t> differing;
        for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
            const Dimension& here = shape.dimensions[i].dimension;
            const bool takes_any = !here.size && here.symbol < 0;
            if (takes_any) {
                continue;
            }
            if (!agree(binding.stream, agreed.dimensions[i], draft, shape.dimensions[i])) {
                differing.push_back(i);
            }
        }
        if (!differing.empty()) {
            refuse(binding.stream, end, differing);
        }
    }

    // Unifies the dimension that a stream has with the one that a component takes.
    bool agree(int stream, const SourcedDimension& has, const Draft& draft,
               const SourcedDimension& takes) {
        if (!lacks_source(has) && !lacks_source(takes)) {
            return shapes_.sizes.unify(has, takes);
        }
        return shapes_.sizes.unify(with_source(has, origin_text(stream)),
                                   with_source(takes, "what " + node_text(draft.node) + " takes"));
    }

    static bool lacks_source(const SourcedDimension& dimension) {
        return dimension.dimension.size && !dimension.source.is_known();
    }

    // A fixed number that binds a name has an origin, as far as the name's owner is concerned.
    static SourcedDimension with_source(SourcedDimension dimension, const std::string& text) {
        if (lacks_source(dimension)) {
            dimension.source.text = text;
        }
        return dimension;
    }

    std::string origin_text(int stream) const {
        const auto start = starts_.find(stream);
        const std::string& name = assembly_.stream(stream).name;
        return start == starts_.end()
                   ? fmt::format("stream '{}'", name)
                   : fmt::format("stream '{}' of {}", name, node_text(start->second.draft->node));
    }

    void refuse(int stream, const StreamEnd& end, const std::vector<std::size_t>& differing) {
        const auto position = static_cast<std::size_t>(stream);
        const auto start = starts_.find(stream);
        StreamEnd first{nullptr, "indices", &shapes_.streams[position], false};
        if (start != starts_.end()) {
            first = start->second;
        } else {
            const WiredStream& wired = assembly_.streams[position];
            first.draft = &assembly_.writer(wired, wired.writers.front());
        }
        mismatches_.push_back({assembly_, shapes_, stream, first, end, differing});
    }

    const Assembly& assembly_;
    Diagnostics& problems_;
    Shapes shapes_;
    std::map<int, StreamEnd> starts_;
    // Reported once all shapes are solved, because a component after these may have what they need.
    std::vector<Mismatch> mismatches_;
    std::vector<std::pair<const Draft*, std::vector<GlobalConflict>>> conflicts_;
};

}  // namespace

Shapes solve_shapes(const Assembly& assembly, const std::vector<int>& order,
                    Diagnostics& problems) {
    return Solver(assembly, problems).run(order);
}

}  // namespace ptp::pipeline
