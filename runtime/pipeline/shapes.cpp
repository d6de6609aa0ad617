// Solves the shapes of a pipeline: all ends of each stream are made to agree, in the order of
// execution, and what contradicts is reported in the end.

#include "pipeline/shapes.hpp"

#include "pipeline/layers.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <deque>
#include <set>
#include <utility>

namespace ptp::pipeline {

namespace {

class Solver {
public:
    Solver(Assembly& assembly, Sizes& sizes, std::vector<Mismatch>& mismatches,
           Diagnostics& problems)
        : assembly_(assembly), problems_(problems), sizes_(sizes), mismatches_(mismatches) {}

    void run(const std::vector<int>& order) {
        const std::size_t errors_before = problems_.error_count();
        begin_all();
        for_each_sound([&](const Solving& one) { unify_published(one); });
        for (Draft& task : assembly_.tasks) {
            unify_task(task);
        }
        for (const int number : order) {
            unify_component(assembly_.components[static_cast<std::size_t>(number)]);
        }
        derive_all();
        std::set<const Draft*> joining;  // inputs that do not fit together
        for_each_sound([&](const Solving& one) {
            if (has_other_ranks(one)) {
                joining.insert(&one.draft);
            }
        });
        std::vector<std::string> fixes;
        for (const Mismatch& mismatch : mismatches_) {
            const bool is_of_rank = mismatch.second.is_reader && mismatch.differing.empty();
            const bool is_replaced = is_of_rank && mismatch.second.draft->is_replaced;
            if (is_replaced || joining.contains(mismatch.first.draft)) {
                continue;  // it follows from them
            }
            fixes.push_back(report_mismatch(mismatch, problems_));
        }
        for (const auto& [draft, conflicts] : conflicts_) {
            report_globals(*draft, conflicts, fixes, problems_);
        }
        for_each_sound([&](const Solving& one) {
            const std::size_t before = problems_.error_count();
            check_formulas(one, problems_);
            if (problems_.error_count() == before) {
                check_requirements(one, problems_);
            }
        });
        // A further problem beside other errors may only follow from them.
        if (problems_.error_count() == errors_before) {
            for_each_sound([&](const Solving& one) { check_samples_stay_whole(one, problems_); });
            for_each_sound([&](const Solving& one) { check_joined_steps(one, problems_); });
            warn_of_class_counts(assembly_, sizes_, problems_);
        }
    }

private:
    void begin_all() {
        for (auto* drafts : {&assembly_.tasks, &assembly_.components}) {
            for (Draft& draft : *drafts) {
                begin(draft);
            }
        }
    }

    void begin(Draft& draft) {
        for (auto* bindings : {&draft.node.inputs, &draft.node.outputs}) {
            for (Binding& binding : *bindings) {
                binding.has_shape = false;
            }
        }
        name_shapes({assembly_, sizes_, draft});
    }

    void unify_published(const Solving& one) {
        std::vector<GlobalConflict> conflicts;
        for (const PublishedSize& published : published_sizes(one)) {
            const Dimension global = symbol_dimension(sizes_.globals.at(published.global));
            const auto first = sizes_.table.size_of(global);
            if (!sizes_.table.unify(global, published.dimension)) {
                conflicts.push_back(
                    {published.global, *first, *sizes_.table.size_of(published.dimension)});
            }
        }
        if (!conflicts.empty()) {
            conflicts_.emplace_back(&one.draft, std::move(conflicts));
        }
    }

    // All ends of a stream must agree with the first shape that any end gave. "*" becomes a size
    // that is not known yet, because two readers must not ask for different sizes.
    void start_stream(WiredStream& stream, const std::vector<Dimension>& shape) {
        stream.has_shape = true;
        stream.shape = shape;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (takes_any(shape[i])) {
                stream.shape[i].symbol = sizes_.table.add(fmt::format("{}.{}", stream.name, i));
            }
        }
    }

    static bool takes_any(const Dimension& dimension) {
        return !dimension.size && dimension.symbol < 0;
    }

    void unify_task(Draft& task) {
        if (const int indices = task.node.indices_stream; indices >= 0) {
            WiredStream& stream = assembly_.streams[static_cast<std::size_t>(indices)];
            if (!stream.has_shape) {
                start_stream(stream, indices_.shape);
            }
        }
        derive(task);
        unify_all(task, task.node.outputs);
    }

    void unify_component(Draft& draft) {
        const std::size_t errors_before = problems_.error_count() + mismatches_.size();
        unify_all(draft, draft.node.inputs);
        derive(draft);
        if (!draft.is_sound) {
            return;
        }
        if (draft.inner != nullptr) {
            Solver& layers = inner_.emplace_back(*draft.inner, sizes_, mismatches_, problems_);
            layers.unify_layers(draft, *this);
            if (layers.has_wrong_rank_) {
                wrong_ranks_.insert(&draft);
            }
            derive(draft);
        }
        const Solving solving{assembly_, sizes_, draft};
        complete_reshaped(solving);
        unify_all(draft, draft.node.outputs);
        // The output of a component follows from its input, even from a wrong one.
        if (problems_.error_count() + mismatches_.size() == errors_before) {
            check_reshaped(solving, problems_);
        }
    }

    // Solves the layers of a component of `outer`, whose inputs have their shapes.
    void unify_layers(const Draft& owner, const Solver& outer) {
        are_layers_ = true;
        for (std::size_t i = 0; i < owner.node.inputs.size(); ++i) {
            const int stream = owner.node.inputs[i].stream;
            const auto start = outer.starts_.find(stream);
            if (stream >= 0 && start != outer.starts_.end()) {
                assembly_.streams[i].has_shape = true;
                assembly_.streams[i].shape = outer.assembly_.stream(stream).shape;
                starts_.emplace(static_cast<int>(i), start->second);
            }
        }
        begin_all();
        for (Draft& layer : assembly_.components) {
            unify_component(layer);
        }
    }

    void derive(Draft& draft) {
        if (!draft.is_sound) {
            return;
        }
        const Solving solving{assembly_, sizes_, draft};
        derive_sizes(solving, problems_);
        try {
            name_shapes(solving);
        } catch (const ComputationError& error) {
            report(draft.node, draft.node.place,
                   fmt::format("the shape of an output cannot be computed: {}", error.what()),
                   problems_);
        }
        derive_sizes(solving, problems_);
    }

    // A size that a component learns from a later one may decide what an earlier one publishes.
    void derive_all() {
        for (bool has_found = true; std::exchange(has_found, false);) {
            for_each_sound(
                [&](const Solving& one) { has_found = derive_sizes(one, problems_) || has_found; });
        }
    }

    template <class Function>
    void for_each_sound(const Function& function) {
        for (auto* drafts : {&assembly_.tasks, &assembly_.components}) {
            for (Draft& draft : *drafts) {
                if (draft.is_sound) {
                    function(Solving{assembly_, sizes_, draft});
                }
            }
        }
        for (Solver& layers : inner_) {
            layers.for_each_sound(function);
        }
    }

    void unify_all(const Draft& draft, const std::vector<Binding>& bindings) {
        for (const Binding& binding : bindings) {
            if (binding.stream >= 0 && binding.has_shape && draft.is_sound) {
                unify_end(draft, binding);
            }
        }
    }

    void unify_end(const Draft& draft, const Binding& binding) {
        WiredStream& stream = assembly_.streams[static_cast<std::size_t>(binding.stream)];
        const StreamEnd end{&draft, &binding,
                            draft.port(binding).direction == plugin::Direction::kInput};
        if (!fits(stream, end)) {
            return;
        }
        if (!stream.has_shape) {
            start_stream(stream, binding.shape);
            starts_.emplace(binding.stream, end);
            return;
        }
        std::vector<std::size_t> differing;
        const bool has_rank = stream.shape.size() == binding.shape.size();
        for (std::size_t i = 0; has_rank && i < binding.shape.size(); ++i) {
            if (!takes_any(binding.shape[i]) &&
                !agree(binding.stream, stream.shape[i], draft, binding.shape[i])) {
                differing.push_back(i);
            }
        }
        if ((!has_rank || !differing.empty()) && !is_meant_otherwise(stream)) {
            const auto start = starts_.find(binding.stream);
            const StreamEnd first =
                start != starts_.end()
                    ? start->second
                    : StreamEnd{&assembly_.writer(stream, stream.writers.front()), &indices_};
            if (!has_rank && (has_wrong_rank_ || wrong_ranks_.contains(first.draft))) {
                return;  // it follows from the first
            }
            has_wrong_rank_ = has_wrong_rank_ || (are_layers_ && !has_rank);
            mismatches_.push_back(
                {assembly_, sizes_, binding.stream, first, end, std::move(differing)});
        }
    }

    // Returns whether a component was to write the host's stream, which is refused: readers mean
    // that component's.
    [[nodiscard]] bool is_meant_otherwise(const WiredStream& stream) const {
        return is_of_host(stream) &&
               std::ranges::any_of(assembly_.components, [&](const Draft& one) {
                   return std::ranges::any_of(one.node.outputs, [&](const Binding& output) {
                       return output.wire.stream == stream.name;
                   });
               });
    }

    // Returns whether the input may take such elements. Where a loss or a statistic does not,
    // numbers are read in place of texts, or another setting is needed, that is the error: another
    // shape is no help.
    static bool fits(const WiredStream& stream, const StreamEnd& end) {
        const Node& node = end.draft->node;
        const plugin::Port& port = end.draft->port(*end.binding);
        if (!end.is_reader || port.element == plugin::Element::kAny ||
            port.element == stream.element) {
            return true;
        }
        const plugin::Port* const form = form_of(*node.component, port, stream.element);
        const Shape shape = form == nullptr ? Shape() : shape_of(*form, checked_settings(node));
        const bool has_form = shape && stream.has_shape && shape->size() == stream.shape.size();
        return !node.compares() && !has_form &&
               plugin::is_text(port.element) == plugin::is_text(stream.element);
    }

    // Unifies the dimension that a stream has with the one that a component takes. A fixed number
    // gets an origin for messages: the stream, or the component that takes it.
    bool agree(int stream, const Dimension& has, const Draft& draft, const Dimension& takes) {
        if (!lacks_source(has) && !lacks_source(takes)) {
            return sizes_.table.unify(has, takes);
        }
        return sizes_.table.unify(with_source(has, origin_text(stream)),
                                  with_source(takes, "what " + node_text(draft.node) + " takes"));
    }

    bool lacks_source(const Dimension& dimension) const {
        return dimension.size && !sizes_.table.size_of(dimension)->source.is_known();
    }

    Dimension with_source(const Dimension& dimension, const std::string& text) {
        if (!lacks_source(dimension)) {
            return dimension;
        }
        SizeSource source = sizes_.table.size_of(dimension)->source;
        source.text = text;
        return sizes_.table.number(*dimension.size, std::move(source));
    }

    std::string origin_text(int stream) const {
        const auto start = starts_.find(stream);
        const std::string& name = assembly_.stream(stream).name;
        return start == starts_.end()
                   ? fmt::format("stream '{}'", name)
                   : fmt::format("stream '{}' of {}", name, node_text(start->second.draft->node));
    }

    Assembly& assembly_;
    Diagnostics& problems_;
    Sizes& sizes_;
    std::map<int, StreamEnd> starts_;  // of the streams, the first end
    // The host's own output.
    const Binding indices_{.name = "indices", .shape = {symbol_dimension(kBatchSymbol, "B")}};
    // Reported once all shapes are solved, because a component after these may have what they need.
    std::vector<Mismatch>& mismatches_;
    std::deque<Solver> inner_;  // of components with layers
    bool are_layers_ = false;
    bool has_wrong_rank_ = false;         // of the layers: those of later ones follow from it
    std::set<const Draft*> wrong_ranks_;  // the components of such layers
    std::vector<std::pair<const Draft*, std::vector<GlobalConflict>>> conflicts_;
};

}  // namespace

Sizes solve_shapes(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems) {
    Sizes sizes;
    std::vector<Mismatch> mismatches;
    Solver(assembly, sizes, mismatches, problems).run(order);
    return sizes;
}

}  // namespace ptp::pipeline
