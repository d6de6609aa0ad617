#include "engine/component/compat.hpp"
#include "engine/optim/optimizer_state.hpp"
#include "engine/optim/quantities.hpp"

#include <fmt/core.h>

#include <deque>
#include <tuple>
#include <utility>

namespace ptp::engine {

namespace {

// Writes numbers into a table of the record, and tensors beside it.
class Saver {
public:
    Saver(Value& table, std::string prefix, TensorsByName& tensors)
        : table_(table), prefix_(std::move(prefix)), tensors_(tensors) {}

    template <class T>
    void operator()(const char* name, const T& value) {
        table_.set(name, value);
    }
    template <class T>
    void operator()(const char* name, const compat::Optional<T>& value) {
        if (value) {
            table_.set(name, *value);
        }
    }
    void operator()(const char* name, const std::tuple<double, double>& value) {
        table_.set(name, Value::list({std::get<0>(value), std::get<1>(value)}));
    }
    void operator()(const char* name, const at::Tensor& tensor) {
        if (tensor.defined()) {
            add(name, tensor);
        }
    }
    void operator()(const char* name, const std::deque<at::Tensor>& tensors) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            add(fmt::format("{}.{}", name, i), tensors[i]);
        }
    }

    [[nodiscard]] const std::vector<Value>& names() const { return names_; }

private:
    void add(const std::string& name, const at::Tensor& tensor) {
        names_.emplace_back(name);
        tensors_.emplace_back(prefix_ + name, tensor.detach().clone());
    }

    Value& table_;
    std::string prefix_;
    TensorsByName& tensors_;
    std::vector<Value> names_;
};

template <class Kind>
SavedState save_as(const OptimizerView& view) {
    SavedState saved;
    saved.record.set("type", view.type);
    std::vector<Value> groups;
    for (std::size_t i = 0; i < view.groups.size(); ++i) {
        Value& group = groups.emplace_back(Value::table({{"name", view.groups[i]}}));
        const auto& options = view.optimizer.param_groups()[i].options();
        visit_options(static_cast<const typename Kind::Options&>(options),
                      Saver(group, "", saved.tensors));
    }
    saved.record.set("groups", Value::list(std::move(groups)));
    Value entries;
    for (const NamedParameter& parameter : view.parameters) {
        Value& entry = entries.set(parameter.name, Value());
        const auto state = view.optimizer.state().find(compat::state_key(parameter.tensor));
        if (state != view.optimizer.state().end()) {
            Saver saver(entry, parameter.name + "/", saved.tensors);
            visit_state(static_cast<const typename Kind::State&>(*state->second), saver);
            entry.set("tensors", Value::list(saver.names()));
        }
    }
    saved.record.set("parameters", std::move(entries));
    return saved;
}

}  // namespace

SavedState save_optimizer(const OptimizerView& view) {
    SavedState saved;
    with_optimizer_kind(view.type, [&]<class Kind>(Kind) { saved = save_as<Kind>(view); });
    return saved;
}

}  // namespace ptp::engine
