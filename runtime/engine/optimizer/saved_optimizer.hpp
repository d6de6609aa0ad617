// The saved form of an optimizer, by the names of its parameters. libtorch's own archives are not
// used: in 1.13 they lose the options, and address parameters by position.
//
// The record:   type = "Adam"
//               groups = [{ name = "", lr = 0.001, ... }]    the current options
//               parameters."net.0.weight" = { step = 3, tensors = ["exp_avg", "exp_avg_sq"] }
// The tensors:  "net.0.weight/exp_avg", ...
//
// Options and quantities have the names of PyTorch's state_dict(). A parameter that has never had a
// gradient has an empty entry.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optimizer/gradients.hpp"
#include "experiment/optimizer/common_fields.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptp::engine {

using optimizer::Shape;

// Returns the table of a group in the record.
Value options_record(const std::string& group, const std::vector<schema::Field>& fields);

// A visitor of the quantities of a state, which writes numbers to an entry of the record, and
// copies the tensors.
class StateWriter {
public:
    StateWriter(std::string prefix, TensorsByName& tensors)
        : prefix_(std::move(prefix)), tensors_(tensors) {}

    void operator()(const char* name, std::int64_t value);
    void operator()(const char* name, double value) { numbers_.set(name, value); }
    void operator()(const char* name, const at::Tensor& tensor, Shape = Shape::kParameter);
    void operator()(const char* name, const std::deque<at::Tensor>& tensors, Shape);

    // Returns an empty value if there are no counts and no tensors.
    [[nodiscard]] Value entry() const;

private:
    void add(const std::string& name, const at::Tensor& tensor);

    std::string prefix_;
    TensorsByName& tensors_;
    Value numbers_;
    std::vector<Value> names_;
    bool has_counted_ = false;
};

enum class Absent { kIsRefused, kIsUndefined };

// Returns copies, on the parameters' devices, of the tensors saved under the parameters' names.
// Everything that does not fit is reported at once; `what` begins the message. Throws RunError with
// kDataError.
std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent = Absent::kIsRefused);

// Reads the saved state of an optimizer, and collects what does not fit.
class SavedOptimizer {
public:
    // Both must outlive it. Throws RunError if the state is of an optimizer of another type.
    SavedOptimizer(const SavedState& saved, std::string_view type,
                   const std::vector<NamedParameter>& parameters);

    // Reads the options of a group into the targets of its fields.
    void read_options(const std::string& group, std::vector<schema::Field> fields);

    // Reads the state of the parameter at this index, unless it had none.
    template <class State>
    void read_state(std::size_t index, State& state) {
        if (begin_state(index)) {
            state.visit(*this);
        }
    }

    // Called after all groups and states have been read: throws RunError with everything that does
    // not fit.
    void finish();

    // Read a quantity, as called by read_state().
    void operator()(const char* name, std::int64_t& into);
    void operator()(const char* name, double& into);
    void operator()(const char* name, at::Tensor& into, Shape shape = Shape::kParameter);
    void operator()(const char* name, std::deque<at::Tensor>& into, Shape shape);

private:
    bool begin_state(std::size_t index);
    const Value* number(const char* name, ValueType type);
    at::Tensor tensor(const std::string& name, Shape shape);

    const SavedState& saved_;
    const std::vector<NamedParameter>& parameters_;
    Value entries_;                                       // by the names of parameters
    std::map<std::string, Value> groups_;                 // that nothing has read yet
    std::unordered_map<std::string, at::Tensor> unread_;  // tensors by their names
    std::vector<std::string> problems_;

    // The parameter whose state is being read.
    const NamedParameter* parameter_ = nullptr;
    const Value* entry_ = nullptr;
    std::set<std::string> listed_;  // the names of its tensors
};

}  // namespace ptp::engine
