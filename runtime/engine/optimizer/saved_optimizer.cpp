// Writes and reads what is saved of an optimizer, and of tensors that belong to its parameters, and
// reports everything that does not fit.

#include "engine/optimizer/saved_optimizer.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

namespace {

constexpr const char* kNone = "none";  // options with this value are omitted, as in libtorch

std::string group_text(const std::string& name) {
    return name.empty() ? "the parameters' options" : fmt::format("the options of '{}'", name);
}

// Returns "Float [4, 3]".
std::string form_text(at::ScalarType type, at::IntArrayRef sizes) {
    return fmt::format("{} [{}]", c10::toString(type), join(sizes, ", "));
}

// The type and sizes that a saved tensor must have.
struct Form {
    at::ScalarType type;
    at::IntArrayRef sizes;
};

// Returns a copy on the parameter's device; undefined, with a problem, if it has another form.
at::Tensor copy_for(const NamedParameter& parameter, const std::string& name,
                    const at::Tensor& saved, const Form& wanted,
                    std::vector<std::string>& problems) {
    if (saved.sizes() != wanted.sizes || saved.scalar_type() != wanted.type) {
        problems.push_back(fmt::format("{}: is saved as {}, must be {}", name,
                                       form_text(saved.scalar_type(), saved.sizes()),
                                       form_text(wanted.type, wanted.sizes)));
        return {};
    }
    return saved.to(parameter.tensor.device(), wanted.type, false, true);
}

[[noreturn]] void refuse(const std::string& what, const std::vector<std::string>& problems) {
    throw RunError(kDataError, fmt::format("{}:\n  {}", what, join(problems, "\n  ")));
}

constexpr const char* kNoFit = "the saved state does not fit the optimizer";

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

std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent) {
    std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
    std::vector<at::Tensor> made;
    std::vector<std::string> problems;
    for (const NamedParameter& parameter : parameters) {
        const auto found = by_name.extract(parameter.name);
        if (found.empty() && absent == Absent::kIsRefused) {
            problems.push_back(parameter.name + ": is missing");
        }
        made.push_back(found.empty()
                           ? at::Tensor()
                           : copy_for(parameter, parameter.name, found.mapped(),
                                      {parameter.tensor.scalar_type(), parameter.tensor.sizes()},
                                      problems));
    }
    for (const auto& [name, tensor] : by_name) {
        problems.push_back(name + ": is not trained");
    }
    if (!problems.empty()) {
        refuse(what + " does not fit what is trained", problems);
    }
    return made;
}

SavedOptimizer::SavedOptimizer(const SavedState& saved, std::string_view type,
                               const std::vector<NamedParameter>& parameters)
    : saved_(saved), parameters_(parameters) {
    const std::string saved_type = saved.record.text_at("type");
    if (saved_type != type) {
        refuse(kNoFit, {fmt::format("it is of '{}', must be of '{}'", saved_type, type)});
    }
    const Value* const entries = saved.record.find("parameters");
    if (entries != nullptr && entries->is_table()) {
        entries_ = *entries;
    }
    for (const Value& group : run::items_in(saved.record, "groups")) {
        groups_.emplace(group.text_at("name"), group);
    }
    for (const auto& [name, tensor] : saved.tensors) {
        unread_.emplace(name, tensor);
    }
}

void SavedOptimizer::read_options(const std::string& group, std::vector<schema::Field> fields) {
    const auto table = groups_.extract(group);
    if (table.empty()) {
        problems_.push_back(group_text(group) + ": are missing");
        return;
    }
    for (schema::Field& field : fields) {
        field.range = {};  // a schedule may have left the range of the experiment
        if (auto* const* text = std::get_if<std::string*>(&field.into)) {
            **text = kNone;
        }
    }
    const Value wanted = options_record(group, fields);
    for (schema::Field& field : fields) {
        field.is_required = wanted.find(field.name) != nullptr;
    }
    Diagnostics problems;
    const schema::ReadOptions no_home;
    schema::read_fields({table.mapped(), "", no_home, problems}, fields);
    for (const Problem& problem : problems.reported()) {
        problems_.push_back(
            fmt::format("{}: {}: {}", group_text(group), problem.key, problem.message));
    }
}

bool SavedOptimizer::begin_state(std::size_t index) {
    parameter_ = &parameters_[index];
    entry_ = entries_.find(parameter_->name);
    if (entry_ == nullptr) {
        problems_.push_back(parameter_->name + ": is missing");
    }
    if (entry_ == nullptr || entry_->find("tensors") == nullptr) {
        return false;
    }
    listed_.clear();
    for (const Value& name : run::items_in(*entry_, "tensors")) {
        listed_.insert(name.is_string() ? name.as_string() : "");
    }
    return true;
}

// An integer is not accepted for a real, which is never written as one.
const Value* SavedOptimizer::number(const char* name, ValueType type) {
    const Value* const value = entry_->find(name);
    if (value != nullptr && value->type() == type) {
        return value;
    }
    problems_.push_back(fmt::format(
        "{}/{}: {}", parameter_->name, name,
        value == nullptr
            ? "is missing"
            : fmt::format("must be {}, not {}", type_name(type), type_name(value->type()))));
    return nullptr;
}

void SavedOptimizer::operator()(const char* name, std::int64_t& into) {
    const Value* const value = number(name, ValueType::kInteger);
    into = value != nullptr ? value->as_integer() : into;
}

void SavedOptimizer::operator()(const char* name, double& into) {
    const Value* const value = number(name, ValueType::kReal);
    into = value != nullptr ? value->as_real() : into;
}

void SavedOptimizer::operator()(const char* name, at::Tensor& into, Shape shape) {
    if (listed_.contains(name)) {
        into = tensor(name, shape);
    }
}

void SavedOptimizer::operator()(const char* name, std::deque<at::Tensor>& into, Shape shape) {
    for (std::size_t i = 0; listed_.contains(fmt::format("{}.{}", name, i)); ++i) {
        into.push_back(tensor(fmt::format("{}.{}", name, i), shape));
    }
}

// The scalars of LBFGS begin as an integer 1, so that they may have any type.
at::Tensor SavedOptimizer::tensor(const std::string& name, Shape shape) {
    const std::string whole_name = fmt::format("{}/{}", parameter_->name, name);
    const auto found = unread_.extract(whole_name);
    if (found.empty()) {
        problems_.push_back(whole_name + ": is missing");
        return {};
    }
    const at::Tensor& like = parameter_->tensor;
    std::int64_t all_elements = 0;
    for (const NamedParameter& each : parameters_) {
        all_elements += each.tensor.numel();
    }
    const at::Tensor& saved = found.mapped();
    Form form{like.scalar_type(), like.sizes()};
    if (shape == Shape::kAllParameters) {
        form.sizes = all_elements;
    } else if (shape == Shape::kScalar) {
        form = {saved.scalar_type(), {}};
    }
    return copy_for(*parameter_, whole_name, saved, form, problems_);
}

void SavedOptimizer::finish() {
    for (const auto& [name, group] : groups_) {
        problems_.push_back(group_text(name) + ": unknown group");
    }
    std::set<std::string> untrained;
    for (const Member& entry : entries_.members()) {
        if (std::ranges::find(parameters_, entry.key, &NamedParameter::name) == parameters_.end()) {
            problems_.push_back(entry.key + ": is not trained");
            untrained.insert(entry.key);
        }
    }
    for (const auto& [name, tensor] : saved_.tensors) {
        if (unread_.contains(name) && !untrained.contains(name.substr(0, name.rfind('/')))) {
            problems_.push_back(name + ": belongs to nothing that is trained");
        }
    }
    if (!problems_.empty()) {
        refuse(kNoFit, problems_);
    }
}

}  // namespace ptp::engine
