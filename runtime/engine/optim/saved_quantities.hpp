// Reads what save_optimizer() wrote, collecting what does not fit instead of stopping at it.

#pragma once

#include "base/value.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptp::engine {

// All tensors of a saved state, and which of them were asked for.
class SavedTensors {
public:
    explicit SavedTensors(const TensorsByName& tensors);

    // nullptr when there is none.
    const at::Tensor* take(const std::string& name);

    // In the order in which they were saved.
    [[nodiscard]] std::vector<std::string> never_taken() const;

private:
    const TensorsByName& tensors_;
    std::unordered_map<std::string, const at::Tensor*> by_name_;
    std::set<std::string> taken_;
};

// What tensors of a state must be like: `parameter` is the one to which they belong, and
// `flat_size` the number of elements of all parameters where the state is that of all of them.
struct TensorRule {
    at::Tensor parameter;
    std::optional<std::int64_t> flat_size;
};

// A visitor for visit_options() and visit_state(), which puts saved values in place. A number that
// is absent or of another type, and a tensor that is absent or does not follow the rule, is added
// to `problems` as "<where><name>: ...".
class SavedQuantities {
public:
    struct Source {
        const Value& table;
        std::string where;  // "net.0.weight/", before the name of a tensor, too
        std::vector<std::string>& problems;
    };

    explicit SavedQuantities(Source source) : source_(std::move(source)) {}
    SavedQuantities(Source source, SavedTensors& tensors, TensorRule rule);

    void operator()(const char* name, bool& into);
    void operator()(const char* name, std::int64_t& into);
    void operator()(const char* name, double& into);
    void operator()(const char* name, std::string& into);
    void operator()(const char* name, std::tuple<double, double>& into);
    void operator()(const char* name, at::Tensor& into);
    void operator()(const char* name, std::deque<at::Tensor>& into);
    template <class T>
    void operator()(const char* name, compat::Optional<T>& into) {
        into = compat::Optional<T>();
        if (source_.table.find(name) != nullptr) {
            T value{};
            (*this)(name, value);
            into = value;
        }
    }

    // Adds the listed tensors that were not asked for.
    void refuse_unknown();

private:
    const Value* wanted(const char* name, ValueType type);
    at::Tensor tensor(const std::string& name, bool is_scalar);

    Source source_;
    SavedTensors* tensors_ = nullptr;
    TensorRule rule_;
    std::set<std::string> listed_;
};

}  // namespace ptp::engine
