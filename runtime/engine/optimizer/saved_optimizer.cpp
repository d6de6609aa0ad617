// Writes and reads what is saved of an optimizer, and of tensors that belong to its parameters, and
// reports everything that does not fit.

#include "engine/optimizer/saved_optimizer.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>
#include <utility>

namespace ptp::engine {

namespace {

// Returns "Float [4, 3]".
std::string shape_text(at::ScalarType type, at::IntArrayRef sizes) {
    return fmt::format("{} [{}]", c10::toString(type), join(sizes, ", "));
}

std::string shape_text(const at::Tensor& tensor) {
    return shape_text(tensor.scalar_type(), tensor.sizes());
}

// Options with this value are omitted, as in libtorch.
constexpr const char* kNone = "none";

std::string group_text(const std::string& name) {
    return name.empty() ? "the parameters' options" : fmt::format("the options of '{}'", name);
}

// Reads saved numbers, flags and texts. An integer is not accepted for a real, which is never
// written as one.
class QuantityReader {
public:
    QuantityReader(const Value& table, std::string where, std::vector<std::string>& problems)
        : table_(table), where_(std::move(where)), problems_(problems) {}

    template <class T>
    void read(std::string_view name, T& into) {
        if constexpr (std::is_same_v<T, bool>) {
            const Value* const value = wanted(name, ValueType::kBool);
            into = value != nullptr ? value->as_bool() : into;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            const Value* const value = wanted(name, ValueType::kInteger);
            into = value != nullptr ? value->as_integer() : into;
        } else if constexpr (std::is_same_v<T, double>) {
            const Value* const value = wanted(name, ValueType::kReal);
            into = value != nullptr ? value->as_real() : into;
        } else if constexpr (std::is_same_v<T, std::string>) {
            const bool is_there = table_.find(name) != nullptr;
            const Value* const value = is_there ? wanted(name, ValueType::kString) : nullptr;
            into = value != nullptr ? value->as_string() : kNone;
        } else if constexpr (std::is_same_v<T, std::array<double, 2>>) {
            const Value* const value = wanted(name, ValueType::kList);
            if (value != nullptr && value->items().size() == 2 && value->items()[0].is_real() &&
                value->items()[1].is_real()) {
                into = {value->items()[0].as_real(), value->items()[1].as_real()};
            } else if (value != nullptr) {
                problems_.push_back(fmt::format("{}{}: must be a list of 2 reals", where_, name));
            }
        } else if constexpr (requires {
                                 into.emplace();
                                 into.reset();
                             }) {
            into.reset();
            if (table_.find(name) != nullptr) {
                read(name, into.emplace());
            }
        } else {  // no option of an optimizer has another type
            problems_.push_back(fmt::format("{}{}: cannot be read", where_, name));
        }
    }

private:
    const Value* wanted(std::string_view name, ValueType type) {
        const Value* value = table_.find(name);
        if (value == nullptr) {
            problems_.push_back(fmt::format("{}{}: is missing", where_, name));
        } else if (value->type() != type) {
            problems_.push_back(fmt::format("{}{}: must be {}, not {}", where_, name,
                                            type_name(type), type_name(value->type())));
            value = nullptr;
        }
        return value;
    }

    const Value& table_;
    std::string where_;
    std::vector<std::string>& problems_;
};

// Returns the names of the tensors that the entry of a parameter lists.
std::set<std::string> tensors_in(const Value& entry) {
    std::set<std::string> names;
    const Value* const listed = entry.find("tensors");
    if (listed != nullptr && listed->is_list()) {
        for (const Value& name : listed->items()) {
            names.insert(name.is_string() ? name.as_string() : "");
        }
    }
    return names;
}

// Returns nullptr if there is none.
const at::Tensor* take(SavedTensors& tensors, const std::string& name) {
    const auto found = tensors.extract(name);
    return found.empty() ? nullptr : found.mapped();
}

}  // namespace

Value options_record(const std::string& group, const std::vector<schema::Field>& fields) {
    Value record = Value::table({{"name", group}});
    const Value options = schema::write_fields(fields);
    for (const Member& option : options.members()) {
        if (!(option.value == Value(kNone))) {
            record.set(option.key, option.value);
        }
    }
    return record;
}

void StateWriter::operator()(const char* name, std::int64_t value) {
    numbers_.set(name, value);
    has_counted_ = has_counted_ || value != 0;
}

void StateWriter::operator()(const char* name, const at::Tensor& tensor, Shape) {
    if (tensor.defined()) {
        add(name, tensor);
    }
}

void StateWriter::operator()(const char* name, const std::deque<at::Tensor>& tensors, Shape) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        add(fmt::format("{}.{}", name, i), tensors[i]);
    }
}

void StateWriter::add(const std::string& name, const at::Tensor& tensor) {
    names_.emplace_back(name);
    tensors_.emplace_back(prefix_ + name, tensor.detach().clone());
}

Value StateWriter::entry() const {
    if (!has_counted_ && names_.empty()) {
        return {};
    }
    Value entry = numbers_;
    entry.set("tensors", Value::list(names_));
    return entry;
}

StateReader::StateReader(Source source) : source_(source), where_(source_.parameter.name + "/") {
    listed_ = tensors_in(source_.entry);
}

void StateReader::operator()(const char* name, std::int64_t& into) {
    QuantityReader(source_.entry, where_, source_.problems).read(name, into);
}

void StateReader::operator()(const char* name, double& into) {
    QuantityReader(source_.entry, where_, source_.problems).read(name, into);
}

void StateReader::operator()(const char* name, at::Tensor& into, Shape shape) {
    if (listed_.erase(name) > 0) {
        into = tensor(name, shape);
    }
}

void StateReader::operator()(const char* name, std::deque<at::Tensor>& into, Shape shape) {
    for (std::size_t i = 0; listed_.erase(fmt::format("{}.{}", name, i)) > 0; ++i) {
        into.push_back(tensor(fmt::format("{}.{}", name, i), shape));
    }
}

// Returns a copy on the parameter's device. The scalars of LBFGS begin as an integer 1, so that
// they may have any type.
at::Tensor StateReader::tensor(const std::string& name, Shape shape) {
    const at::Tensor* found = take(source_.tensors, where_ + name);
    if (found == nullptr) {
        source_.problems.push_back(where_ + name + ": is missing");
        return {};
    }
    const at::Tensor& parameter = source_.parameter.tensor;
    std::vector<std::int64_t> sizes;
    if (shape == Shape::kParameter) {
        sizes = parameter.sizes().vec();
    } else if (shape == Shape::kAllParameters) {
        sizes = {source_.element_count};
    }
    const at::ScalarType type =
        shape == Shape::kScalar ? found->scalar_type() : parameter.scalar_type();
    if (found->sizes() != at::IntArrayRef(sizes) || found->scalar_type() != type) {
        source_.problems.push_back(fmt::format("{}{}: is saved as {}, must be {}", where_, name,
                                               shape_text(*found), shape_text(type, sizes)));
        return {};
    }
    return found->to(parameter.device(), found->scalar_type(), false, true);
}

void StateReader::refuse_unknown() {
    for (const std::string& name : listed_) {
        take(source_.tensors, where_ + name);
        source_.problems.push_back(where_ + name + ": this optimizer has no such tensor");
    }
}

SavedOptimizer::SavedOptimizer(const SavedState& saved, std::string_view type) : saved_(saved) {
    for (const auto& [name, tensor] : saved.tensors) {
        tensors_.emplace(name, &tensor);
    }
    const Value* found = saved.record.find("type");
    const std::string text = found != nullptr && found->is_string() ? found->as_string() : "";
    if (text != type) {
        throw RunError(kDataError, fmt::format("the saved state does not fit the optimizer:\n"
                                               "  it is of '{}', must be of '{}'",
                                               text, type));
    }
}

void SavedOptimizer::read_groups(const std::vector<std::string>& names,
                                 const std::vector<std::vector<schema::Field>>& fields) {
    std::map<std::string, const Value*> saved;
    const Value* groups = saved_.record.find("groups");
    if (groups != nullptr && groups->is_list()) {
        for (const Value& group : groups->items()) {
            const Value* name = group.find("name");
            saved.emplace(name != nullptr && name->is_string() ? name->as_string() : "", &group);
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = saved.find(names[i]);
        if (found == saved.end()) {
            problems_.push_back(group_text(names[i]) + ": are missing");
        } else {
            read_options(names[i], *found->second, fields[i]);
            saved.erase(found);
        }
    }
    for (const auto& [name, group] : saved) {
        problems_.push_back(group_text(name) + ": unknown group");
    }
}

void SavedOptimizer::read_options(const std::string& group, const Value& table,
                                  const std::vector<schema::Field>& fields) {
    QuantityReader reader(table, group_text(group) + ": ", problems_);
    for (const schema::Field& field : fields) {
        std::visit([&](auto* into) { reader.read(field.name, *into); }, field.into);
    }
}

std::optional<StateReader> SavedOptimizer::state_of(std::size_t place,
                                                    const std::vector<NamedParameter>& parameters) {
    const NamedParameter& parameter = parameters[place];
    const Value* entries = saved_.record.find("parameters");
    const Value* entry = entries == nullptr ? nullptr : entries->find(parameter.name);
    if (entry == nullptr) {
        problems_.push_back(parameter.name + ": is missing");
        return std::nullopt;
    }
    if (entry->find("tensors") == nullptr) {
        return std::nullopt;
    }
    std::int64_t element_count = 0;
    for (const NamedParameter& each : parameters) {
        element_count += each.tensor.numel();
    }
    return StateReader({*entry, parameter, element_count, tensors_, problems_});
}

void SavedOptimizer::refuse_untrained(const std::vector<NamedParameter>& parameters) {
    const Value* entries = saved_.record.find("parameters");
    if (entries == nullptr || !entries->is_table()) {
        return;
    }
    for (const Member& entry : entries->members()) {
        if (std::ranges::find(parameters, entry.key, &NamedParameter::name) != parameters.end()) {
            continue;
        }
        problems_.push_back(entry.key + ": is not trained");
        for (const std::string& name : tensors_in(entry.value)) {
            take(tensors_, entry.key + "/" + name);
        }
    }
}

void SavedOptimizer::finish(const std::vector<NamedParameter>& parameters) {
    refuse_untrained(parameters);
    for (const auto& [name, tensor] : saved_.tensors) {
        if (tensors_.contains(name)) {
            problems_.push_back(name + ": belongs to nothing that is trained");
        }
    }
    if (!problems_.empty()) {
        throw RunError(kDataError, fmt::format("the saved state does not fit the optimizer:\n  {}",
                                               join(problems_, "\n  ")));
    }
}

TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part) {
    TensorsByName found;
    for (const auto& [name, tensor] : tensors) {
        if (name.starts_with(part + "/")) {
            found.emplace_back(name.substr(part.size() + 1), tensor);
        }
    }
    return found;
}

std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent) {
    std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
    std::vector<at::Tensor> made;
    std::string problems;
    for (const NamedParameter& parameter : parameters) {
        const auto found = by_name.find(parameter.name);
        if (found == by_name.end()) {
            if (absent == Absent::kIsRefused) {
                problems += fmt::format("\n  {}: is missing", parameter.name);
            }
            made.emplace_back();
            continue;
        }
        const at::Tensor& tensor = found->second;
        if (tensor.sizes() != parameter.tensor.sizes() ||
            tensor.scalar_type() != parameter.tensor.scalar_type()) {
            problems += fmt::format("\n  {}: is saved as {}, must be {}", parameter.name,
                                    shape_text(tensor), shape_text(parameter.tensor));
        }
        made.push_back(tensor.to(parameter.tensor.device(), tensor.scalar_type(), false, true));
        by_name.erase(found);
    }
    for (const auto& [name, tensor] : by_name) {
        problems += fmt::format("\n  {}: is not trained", name);
    }
    if (!problems.empty()) {
        throw RunError(kDataError, what + " does not fit what is trained:" + problems);
    }
    return made;
}

}  // namespace ptp::engine
