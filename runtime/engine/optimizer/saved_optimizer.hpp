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
#include <optional>
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

// The tensors of a saved state that nothing has requested yet, by their names.
using SavedTensors = std::unordered_map<std::string, const at::Tensor*>;

// The reverse of StateWriter. A number that is missing or of another type, and a tensor that is
// missing or has another shape or type, is added to `problems`.
class StateReader {
public:
    struct Source {
        const Value& entry;
        const NamedParameter& parameter;
        std::int64_t element_count = 0;  // of all parameters
        SavedTensors& tensors;
        std::vector<std::string>& problems;
    };

    explicit StateReader(Source source);

    void operator()(const char* name, std::int64_t& into);
    void operator()(const char* name, double& into);
    void operator()(const char* name, at::Tensor& into, Shape shape = Shape::kParameter);
    void operator()(const char* name, std::deque<at::Tensor>& into, Shape shape);

    // Reports the listed tensors that were not requested.
    void refuse_unknown();

private:
    at::Tensor tensor(const std::string& name, Shape shape);

    Source source_;
    std::string where_;  // "net.0.weight/", also before the name of a tensor
    std::set<std::string> listed_;
};

enum class Absent { kIsRefused, kIsUndefined };

// Returns copies, on the parameters' devices, of the tensors saved under the parameters' names.
// Everything that does not fit is reported at once; `what` begins the message. Throws RunError with
// kDataError.
std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent = Absent::kIsRefused);

// Returns those named "<part>/...", without this prefix.
TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part);

// The saved state of an optimizer, and what does not fit.
class SavedOptimizer {
public:
    // The state must outlive it. Throws RunError if it is of an optimizer of another type.
    SavedOptimizer(const SavedState& saved, std::string_view type);

    // Reads the options of each group into the targets of its fields.
    void read_groups(const std::vector<std::string>& names,
                     const std::vector<std::vector<schema::Field>>& fields);

    // Returns the state of the parameter at this place; nullopt if it had none.
    std::optional<StateReader> state_of(std::size_t place,
                                        const std::vector<NamedParameter>& parameters);

    // Called after all groups and states have been read: throws RunError with everything that does
    // not fit.
    void finish(const std::vector<NamedParameter>& parameters);

private:
    void read_options(const std::string& group, const Value& table,
                      const std::vector<schema::Field>& fields);
    void refuse_untrained(const std::vector<NamedParameter>& parameters);

    const SavedState& saved_;
    SavedTensors tensors_;
    std::vector<std::string> problems_;
};

}  // namespace ptp::engine
