#include "base/error.hpp"
#include "engine/component/compat.hpp"
#include "engine/optim/optimizer_state.hpp"
#include "engine/optim/quantities.hpp"
#include "engine/optim/saved_quantities.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace ptp::engine {

namespace {

std::string group_text(const std::string& name) {
    return name.empty() ? "the parameters' options" : fmt::format("the options of '{}'", name);
}

// Reads everything before anything is put in place.
template <class Kind>
class Restorer {
public:
    Restorer(const OptimizerView& view, const SavedState& saved)
        : view_(view), saved_(saved), tensors_(saved.tensors) {}

    void restore() {
        read_groups();
        read_states();
        for (const std::string& name : tensors_.never_taken()) {
            problems_.push_back(name + ": belongs to nothing that is trained");
        }
        if (!problems_.empty()) {
            throw RunError(kDataError, fmt::format("the saved state does not fit the optimizer:\n"
                                                   "  {}",
                                                   fmt::join(problems_, "\n  ")));
        }
        put_in_place();
    }

private:
    using Options = typename Kind::Options;
    using State = typename Kind::State;
    struct Made {
        at::Tensor parameter;
        std::unique_ptr<State> state;  // nullptr: it had none
    };

    void read_groups();
    void read_group(std::size_t group, const Value& table);
    void read_states();
    void read_state(const NamedParameter& parameter, const Value& entry);
    void put_in_place();

    const OptimizerView& view_;
    const SavedState& saved_;
    SavedTensors tensors_;
    std::vector<std::string> problems_;
    std::vector<Options> options_;
    std::vector<Made> made_;
};

template <class Kind>
void Restorer<Kind>::read_groups() {
    std::map<std::string, const Value*> saved;
    const Value* groups = saved_.record.find("groups");
    if (groups != nullptr && groups->is_list()) {
        for (const Value& group : groups->items()) {
            const Value* name = group.find("name");
            saved.emplace(name != nullptr && name->is_string() ? name->as_string() : "", &group);
        }
    }
    for (std::size_t i = 0; i < view_.groups.size(); ++i) {
        const auto found = saved.find(view_.groups[i]);
        if (found == saved.end()) {
            problems_.push_back(group_text(view_.groups[i]) + ": are missing");
        } else {
            read_group(i, *found->second);
            saved.erase(found);
        }
    }
    for (const auto& [name, group] : saved) {
        problems_.push_back(group_text(name) + ": there is no such group");
    }
}

template <class Kind>
void Restorer<Kind>::read_group(std::size_t group, const Value& table) {
    const auto& held = view_.optimizer.param_groups()[group].options();
    Options& options = options_.emplace_back(static_cast<const Options&>(held));
    const std::string where = group_text(view_.groups[group]) + ": ";
    visit_options(options, SavedQuantities({table, where, problems_}));
}

template <class Kind>
void Restorer<Kind>::read_states() {
    const Value* entries = saved_.record.find("parameters");
    for (const NamedParameter& parameter : view_.parameters) {
        const Value* entry = entries == nullptr ? nullptr : entries->find(parameter.name);
        if (entry == nullptr) {
            problems_.push_back(parameter.name + ": is missing");
        } else {
            read_state(parameter, *entry);
        }
    }
    if (entries == nullptr || !entries->is_table()) {
        return;
    }
    for (const Member& entry : entries->members()) {
        if (std::ranges::find(view_.parameters, entry.key, &NamedParameter::name) ==
            view_.parameters.end()) {
            problems_.push_back(entry.key + ": is not trained");
            const Value* names = entry.value.find("tensors");
            if (names != nullptr && names->is_list()) {
                for (const Value& name : names->items()) {
                    tensors_.take(entry.key + "/" + (name.is_string() ? name.as_string() : ""));
                }
            }
        }
    }
}

template <class Kind>
void Restorer<Kind>::read_state(const NamedParameter& parameter, const Value& entry) {
    if (entry.find("tensors") == nullptr) {
        made_.push_back({parameter.tensor, nullptr});
        return;
    }
    TensorRule rule = {parameter.tensor, {}};
    if constexpr (is_one_of<State, torch::optim::LBFGSParamState>) {
        rule.flat_size = 0;
        for (const NamedParameter& each : view_.parameters) {
            *rule.flat_size += each.tensor.numel();
        }
    }
    auto state = std::make_unique<State>();
    SavedQuantities quantities({entry, parameter.name + "/", problems_}, tensors_, std::move(rule));
    visit_state(*state, quantities);
    quantities.refuse_unknown();
    made_.push_back({parameter.tensor, std::move(state)});
}

template <class Kind>
void Restorer<Kind>::put_in_place() {
    for (std::size_t i = 0; i < options_.size(); ++i) {
        static_cast<Options&>(view_.optimizer.param_groups()[i].options()) = options_[i];
    }
    auto& states = view_.optimizer.state();
    states.clear();
    for (Made& made : made_) {
        if (made.state) {
            states[compat::state_key(made.parameter)] = std::move(made.state);
        }
    }
}

}  // namespace

void restore_optimizer(const OptimizerView& view, const SavedState& saved) {
    const Value* type = saved.record.find("type");
    const std::string text = type != nullptr && type->is_string() ? type->as_string() : "";
    if (text != view.type) {
        throw RunError(kDataError, fmt::format("the saved state does not fit the optimizer:\n"
                                               "  it is of '{}', must be of '{}'",
                                               text, view.type));
    }
    with_optimizer_kind(view.type,
                        [&]<class Kind>(Kind) { Restorer<Kind>(view, saved).restore(); });
}

}  // namespace ptp::engine
