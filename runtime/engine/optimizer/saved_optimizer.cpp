#include "engine/optimizer/saved_optimizer.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/optimizer/saved_tensors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ptp::engine {

namespace {

// Options with this value are omitted, as in libtorch.
constexpr const char* kNone = "none";

std::string group_text(const std::string& name) {
    return name.empty() ? "the parameters' options" : fmt::format("the options of '{}'", name);
}

// Reads a saved number, flag or text. An integer is not accepted for a real, which is never written
// as one.
class QuantityReader {
public:
    QuantityReader(const Value& table, std::string where, std::vector<std::string>& problems)
        : table_(table), where_(std::move(where)), problems_(problems) {}

    void read(std::string_view name, bool& into) {
        if (const Value* value = wanted(name, ValueType::kBool)) {
            into = value->as_bool();
        }
    }
    void read(std::string_view name, std::int64_t& into) {
        if (const Value* value = wanted(name, ValueType::kInteger)) {
            into = value->as_integer();
        }
    }
    void read(std::string_view name, double& into) {
        if (const Value* value = wanted(name, ValueType::kReal)) {
            into = value->as_real();
        }
    }
    void read(std::string_view name, std::string& into) {
        into = kNone;
        if (table_.find(name) != nullptr) {
            if (const Value* value = wanted(name, ValueType::kString)) {
                into = value->as_string();
            }
        }
    }
    void read(std::string_view name, std::array<double, 2>& into) {
        const Value* value = wanted(name, ValueType::kList);
        if (value == nullptr) {
            return;
        }
        const auto& items = value->items();
        if (items.size() == 2 && items[0].is_real() && items[1].is_real()) {
            into = {items[0].as_real(), items[1].as_real()};
        } else {
            problems_.push_back(fmt::format("{}{}: must be a list of 2 reals", where_, name));
        }
    }
    template <class T>
    void read(std::string_view name, std::optional<T>& into) {
        into.reset();
        if (table_.find(name) != nullptr) {
            read(name, into.emplace());
        }
    }
    // No option of an optimizer has another type.
    template <class T>
    void read(std::string_view name, T&) {
        problems_.push_back(fmt::format("{}{}: cannot be read", where_, name));
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
    const Value* names = source_.entry.find("tensors");
    if (names != nullptr && names->is_list()) {
        for (const Value& name : names->items()) {
            listed_.insert(name.is_string() ? name.as_string() : "");
        }
    }
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
        const Value* names = entry.value.find("tensors");
        if (names != nullptr && names->is_list()) {
            for (const Value& name : names->items()) {
                take(tensors_, entry.key + "/" + (name.is_string() ? name.as_string() : ""));
            }
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

}  // namespace ptp::engine
