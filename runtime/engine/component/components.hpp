// All components of a run, tasks and pipeline, created in the plan's order and checked against each
// other with the sizes that are known only after they are created.

#pragma once

#include "engine/component/instance.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

class Descriptors;
struct ComponentContext;

// The instances; a copy shares them.
struct Components {
    std::vector<std::shared_ptr<Instance>> tasks;  // as Plan::tasks
    std::vector<std::shared_ptr<Instance>> nodes;  // as Plan::nodes
    std::string unknown_layers = {};  // errors about names in `freeze` that no layer has

    // Returns the task of a section, or nullptr if the experiment has none.
    [[nodiscard]] Instance* task(const std::string& section) const;

    void set_training(bool is_training) const;
    // In training mode, freezes what is frozen until a later epoch, and unfreezes what was until
    // now.
    void begin_epoch(std::uint64_t epoch) const;
};

// Creates a node of the plan, frozen if it is marked frozen. [main] Throws RunError; errors about
// layers that it does not have go to `unknown_layers`, if it is given.
std::shared_ptr<Instance> create_node(ComponentContext& component_context,
                                      const pipeline::Node& node, const ptp_component_info& info,
                                      std::string* unknown_layers = nullptr);

// Creates a node that uses the instance of another, already created one: Node::share.
std::shared_ptr<Instance> share_node(ComponentContext& component_context,
                                     const pipeline::Node& node, const Components& created);

// [main] Throws RunError; but for unknown layers, which the caller reports with what it finds.
Components create_components(ComponentContext& component_context, const Descriptors& descriptors);

// [main] Warns of tables of vectors, in layers, with fewer rows than the indices have words. Both
// are known by their usual names, num_embeddings and vocabulary_size.
void warn_of_small_tables(const ComponentContext& component_context);

// Throws RunError for unknown layers.
void require_known_layers(const Components& components);

// Returns whether components of this kind may have gradients: the others only observe.
[[nodiscard]] inline bool takes_part_in_learning(plugin::Kind kind) {
    return kind != plugin::Kind::kStatistic && kind != plugin::Kind::kViewer &&
           kind != plugin::Kind::kPublisher;
}

// [main] Collects the buffers once, when it is constructed.
class Buffers {
public:
    explicit Buffers(const Components& components);

    [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return buffers_; }
    [[nodiscard]] std::vector<at::Tensor> copies() const;

    // Sets the buffers to values that copies() returned earlier.
    void restore(const std::vector<at::Tensor>& copies) const;

private:
    std::vector<at::Tensor> buffers_;
};

}  // namespace ptp::engine
