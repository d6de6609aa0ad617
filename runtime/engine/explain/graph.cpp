// Walks the nodes of a graph, hooks them, and looks at libtorch's operations as they run.

#include "engine/explain/graph.hpp"

#include <ATen/core/ivalue.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/ones_like.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <unordered_set>

namespace ptp::engine {

namespace {

using torch::autograd::Edge;
using torch::autograd::Node;
using torch::autograd::variable_list;

constexpr std::int64_t kMapDimensions = 4;

class PositiveGradients final : public torch::autograd::FunctionPostHook {
public:
    variable_list operator()(const variable_list& gradients, const variable_list&) override {
        variable_list positive;
        for (const at::Tensor& gradient : gradients) {
            positive.push_back(gradient.defined() ? gradient.clamp_min(0) : gradient);
        }
        return positive;
    }
};

// Calls visit(node, depth) for each node behind the scores, the nearest first, until it returns
// false.
template <class Visit>
void walk(const at::Tensor& scores, Visit visit) {
    std::unordered_set<const Node*> seen;
    std::vector<Node*> level = {edge_of(scores).function.get()};
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        std::vector<Node*> next;
        for (Node* const node : level) {
            if (!visit(*node, depth)) {
                return;
            }
            for (const Edge& edge : node->next_edges()) {
                if (edge.is_valid() && seen.insert(edge.function.get()).second) {
                    next.push_back(edge.function.get());
                }
            }
        }
        level = std::move(next);
    }
}

bool is_rectifier(const std::string& name) {
    return name.starts_with("ReluBackward") || name.starts_with("ThresholdBackward");
}

SoftmaxWatch*& softmax_watch() {
    thread_local SoftmaxWatch* watch = nullptr;
    return watch;
}

}  // namespace

Edge edge_of(const at::Tensor& tensor) {
    return torch::autograd::impl::gradient_edge(tensor);
}

std::vector<at::Tensor> gradients_of(const at::Tensor& scores, const std::vector<Edge>& results) {
    return torch::autograd::Engine::get_default_engine().execute(
        {edge_of(scores)}, {at::ones_like(scores)}, false, false, false, results);
}

void guide_rectifiers(const at::Tensor& scores) {
    walk(scores, [](Node& node, std::size_t) {
        if (is_rectifier(node.name())) {
            node.add_post_hook(std::make_unique<PositiveGradients>());
        }
        return true;
    });
}

std::vector<at::Tensor> last_layer(const at::Tensor& scores, const at::Tensor& image) {
    std::vector<at::Tensor> found;
    std::optional<std::size_t> depth_of_weights;
    walk(scores, [&](Node& node, std::size_t depth) {
        if (depth_of_weights && depth > *depth_of_weights) {
            return false;
        }
        const auto* const leaf = dynamic_cast<torch::autograd::AccumulateGrad*>(&node);
        if (leaf != nullptr && leaf->variable.dim() > 0 && !leaf->variable.is_same(image)) {
            found.push_back(leaf->variable);
            if (leaf->variable.dim() > 1) {
                depth_of_weights = depth;
            }
        }
        return true;
    });
    return depth_of_weights ? found : std::vector<at::Tensor>();
}

void LayerWatch::enter(const std::string& component) {
    component_ = component;
    count_ = 0;
}

void LayerWatch::computed(std::string_view operation, const at::Tensor& result) noexcept {
    ++count_;
    if (result.dim() != kMapDimensions) {
        return;
    }
    std::string name = fmt::format("{}.{}.{}", component_, count_, operation);
    maps_.push_back(name);
    const bool has_places = result.size(2) * result.size(3) > 1;
    const bool is_wanted =
        wanted_.empty() ? has_places && operation.find("conv") != operation.npos : name == wanted_;
    if (is_wanted) {
        found_ = LayerResult{std::move(name), result.detach().clone(), edge_of(result)};
    }
}

struct SoftmaxWatch::Context final : at::ObserverContext {
    Context(at::Tensor tensor, std::int64_t along) : input(std::move(tensor)), dim(along) {}
    at::Tensor input;
    std::int64_t dim;
};

SoftmaxWatch::SoftmaxWatch() {
    assert(softmax_watch() == nullptr);
    softmax_watch() = this;
    const auto begin =
        [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        const std::string_view name = function.name();
        const auto& inputs = function.inputs();
        if (softmax_watch() == nullptr || !name.ends_with("softmax") || inputs.size() < 2 ||
            !inputs[0].isTensor() || !inputs[1].isInt()) {
            return nullptr;
        }
        return std::make_unique<Context>(inputs[0].toTensor(), inputs[1].toInt());
    };
    const auto end = [](const at::RecordFunction& function, at::ObserverContext* context) {
        auto* const begun = dynamic_cast<Context*>(context);
        const auto& outputs = function.outputs();
        if (softmax_watch() != nullptr && begun != nullptr && !outputs.empty() &&
            outputs[0].isTensor()) {
            softmax_watch()->add(
                {.input = begun->input,
                 .output = outputs[0].toTensor(),
                 .dim = begun->dim,
                 .is_log = plain_name(function.name()).find("log") != std::string_view::npos});
        }
    };
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

SoftmaxWatch::~SoftmaxWatch() {
    at::removeCallback(handle_);
    softmax_watch() = nullptr;
}

void SoftmaxWatch::add(Applied applied) {
    // An operation that others consist of has returned the same tensor before.
    if (applied_.empty() || !applied_.back().output.is_same(applied.output)) {
        applied_.push_back(std::move(applied));
    }
}

std::optional<at::Tensor> SoftmaxWatch::before(const at::Tensor& scores) const {
    const auto applied = std::ranges::find_if(
        applied_, [&](const Applied& softmax) { return softmax.output.is_same(scores); });
    return applied == applied_.end() ? std::nullopt : std::optional(applied->input);
}

}  // namespace ptp::engine
