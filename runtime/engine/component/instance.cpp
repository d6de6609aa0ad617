// Creates, calls, freezes and destroys a component. The rest is in instance_samples.cpp.

#include "engine/component/instance.hpp"

#include "base/error.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/instance_invoke.hpp"
#include "engine/component/picture.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

std::string device_text(at::Device device) {
    return device.is_cpu() ? "cpu" : fmt::format("cuda:{}", static_cast<int>(device.index()));
}

std::vector<ptp_element> elements(const ptp_binding* const* bindings, std::uint32_t count) {
    std::vector<ptp_element> made;
    for (std::uint32_t i = 0; i < count; ++i) {
        made.push_back(bindings[i]->element);
    }
    return made;
}

std::string plugin_and_title(const pipeline::Node& node) {
    const plugin::Manifest& manifest = node.plugin->manifest;
    return fmt::format("plugin '{}' {}: {}", manifest.name, manifest.version,
                       pipeline::node_text(node));
}

struct Visit {
    at::Device device;
    std::vector<NamedTensor> tensors = {};
    std::set<std::string> names = {};
    std::string problem = {};
    std::string fix = {};
};

ptp_status take_tensor(void* user, const char* name, ptp_role role, ptp_value* tensor) {
    Visit& visit = *static_cast<Visit*>(user);
    if (!visit.names.insert(name).second) {
        visit.problem = fmt::format("has two tensors named '{}'", name);
    } else if (tensor == nullptr || !as_tensor(tensor).defined()) {
        visit.problem = fmt::format("its tensor '{}' is undefined", name);
    } else if (role == PTP_PARAMETER && as_tensor(tensor).device() != visit.device) {
        visit.problem = fmt::format("its parameter '{}' is on {}, must be on {}", name,
                                    as_tensor(tensor).device().str(), visit.device.str());
        visit.fix =
            "create it on the device of ptp_setup; in C++ the SDK of this version moves module() there";
    } else {
        visit.tensors.push_back({name, role, as_tensor(tensor)});
        return PTP_OK;
    }
    return PTP_ERROR_INTERNAL;
}

}  // namespace

Instance::Instance(ComponentContext& component_context, const pipeline::Node& node,
                   const ptp_component_info& info, std::shared_ptr<Instance> shared)
    : node_(node),
      shared_(std::move(shared)),
      info_(info),
      blamed_(plugin_and_title(node)),
      host_(component_context, node, info_),
      setup_(component_context.plan, node, device_text(component_context.device)),
      input_elements_(elements(setup_.get()->inputs, setup_.get()->input_count)),
      output_elements_(elements(setup_.get()->outputs, setup_.get()->output_count)) {}

Instance::Instance(ComponentContext& component_context, const pipeline::Node& node,
                   const ptp_component_info& info)
    : Instance(component_context, node, info, nullptr) {
    task_ = ability<ptp_task>(PTP_EXTENSION_TASK);
    parameters_ = ability<ptp_parameters>(PTP_EXTENSION_PARAMETERS);
    mode_ = ability<ptp_mode>(PTP_EXTENSION_MODE);
    state_ = ability<ptp_state>(PTP_EXTENSION_STATE);
    migrate_ = ability<ptp_migrate>(PTP_EXTENSION_MIGRATE);
    onnx_ = ability<ptp_onnx>(PTP_EXTENSION_ONNX);
    sample_transform_ = ability<ptp_sample_transform>(PTP_EXTENSION_SAMPLES);
    sampling_ = ability<ptp_sampling>(PTP_EXTENSION_SAMPLING);
    statistics_ = ability<ptp_statistics>(PTP_EXTENSION_STATISTICS);
    sample_values_ = ability<ptp_sample_values>(PTP_EXTENSION_SAMPLE_VALUES);
    if (component_context.recorder != nullptr &&
        component_context.recorder->begin(component_context, node)) {
        recorder_ = component_context.recorder;
    }
    create();
    check_published();
    host_.finish_creation();
    if (recorder_ != nullptr) {
        recorder_->created(*this);
    }
}

Instance::Instance(ComponentContext& component_context, const pipeline::Node& node,
                   std::shared_ptr<Instance> shared)
    : Instance(component_context, node, shared->info_, shared) {
    handle_ = shared->handle_;
    host_.finish_creation();
}

void Instance::create() {
    void* made = nullptr;  // nothing is destroyed that a failed call has written here
    try {
        invoke({}, "create()", [&] { return info_.create(host_.table(), setup_.get(), &made); });
    } catch (const RunError& error) {
        // A component can only name the size; its wiring shows where it would come from.
        const auto unknown = host_.unknown_size(error.what());
        if (!unknown || error.code() != kConfigurationError) {
            throw;
        }
        throw WithFix<RunError>(
            kConfigurationError,
            Explanation{fmt::format("{}{}: {}", place_text(node_.place), title(), unknown->reason),
                        unknown->fix});
    }
    handle_ = made;
    if (handle_ == nullptr) {
        throw RunError(kPluginError, blamed_ + ": create() gave no instance");
    }
}

Instance::~Instance() {
    if (recorder_ != nullptr) {
        recorder_->forget();
    }
    if (handle_ != nullptr && shared_ == nullptr) {
        destroy();
    }
}

void Instance::destroy() {
    Call call({blamed_.c_str(), "destroy()"});
    try {
        info_.destroy(std::exchange(handle_, nullptr));
    } catch (...) {  // a destructor must not throw
        host_.log(PTP_LOG_ERROR, let_out("destroy()").c_str());
    }
}

std::string Instance::title() const {
    return pipeline::node_text(node_);
}

template <class Ability>
const Ability* Instance::ability(const char* id) const {
    if (info_.extension == nullptr) {
        return nullptr;
    }
    Call call({blamed_.c_str(), "extension()"});
    try {
        return static_cast<const Ability*>(info_.extension(id));
    } catch (...) {
        throw RunError(kPluginError, let_out("extension()"));
    }
}

std::string Instance::let_out(const char* work) const {
    return fmt::format("{}: {} let an exception out: {}", blamed_, work, current_exception_text());
}

void Instance::check_published() {
    const std::vector<plugin::Global>& globals = node_.component->globals;
    for (std::size_t i = 0; i < globals.size(); ++i) {
        if (!globals[i].is_written() || !node_.has_global[i]) {
            continue;
        }
        for (const std::string& name : declared_names(node_, i)) {
            const bool is_wanted =
                globals[i].access == plugin::GlobalAccess::kWrite || node_.globals.contains(name);
            if (!is_wanted || host_.has_published(name)) {
                continue;
            }
            require_declared(globals[i], name);
        }
    }
}

// Publishes a global that create() leaves to the host.
void Instance::require_declared(const plugin::Global& global, const std::string& name) {
    std::string conflict;
    try {
        if (host_.publish_declared(global)) {
            return;
        }
    } catch (const std::runtime_error& error) {
        conflict = error.what();
    }
    if (!conflict.empty()) {
        throw RunError(kConfigurationError,
                       fmt::format("{}{}: {}", place_text(node_.place), title(), conflict));
    }
    if (global.value.empty() || global.name.starts_with('$')) {
        throw RunError(kPluginError, fmt::format("{}: create() has not published the global '{}'",
                                                 blamed_, name));
    }
    throw RunError(kConfigurationError,
                   fmt::format("{}{}: the global '{}' ({}) is not known before the data flows",
                               place_text(node_.place), title(), name, global.value));
}

void Instance::report(ptp_status status, const Call& call) const {
    const std::string& message = call.message();
    const char* const work = call.name().work;
    if (message.empty()) {
        throw RunError(kPluginError,
                       fmt::format("{}: {} failed with status {} and without a message", blamed_,
                                   work, status));
    }
    if (call.is_breach()) {
        throw RunError(kPluginError, fmt::format("{}: {}", blamed_, message));
    }
    if (status != PTP_ERROR_CONFIG && status != PTP_ERROR_DATA && status != PTP_ERROR_INTERNAL) {
        throw RunError(kPluginError, fmt::format("{}: {} gave the unknown status {}: {}", blamed_,
                                                 work, status, message));
    }
    const WithFix<RunError> error = component_error(node_, status, call, handle_ == nullptr);
    if (status == PTP_ERROR_INTERNAL && is_about_refused_write(call)) {
        throw RefusedWrite(error.code(), error.explanation());
    }
    if (status == PTP_ERROR_CONFIG && is_about_setting(node_, call)) {
        throw WrongSetting(error.code(), error.explanation());
    }
    throw error;
}

void Instance::forward(const ptp_step& step, const ptp_value* const* inputs,
                       ptp_value* const* outputs, const Beside& beside) {
    CallValues values{{inputs, input_elements_.size()},
                      input_elements_,
                      {outputs, output_elements_.size()},
                      output_elements_,
                      &step,
                      beside.pictures,
                      beside.whole_batch};
    const auto call_it = [&] {
        invoke(values, "forward()", [&] { return info_.forward(handle_, &step, inputs, outputs); });
    };
    if (recorder_ == nullptr) [[likely]] {
        call_it();
        return;
    }
    std::vector<Picture> recorded;  // used if the caller takes none
    if (beside.pictures == nullptr) {
        values.pictures = &recorded;
    }
    record_call(recorder_, recorder_->begin_forward(step, values), values, call_it);
}

void Instance::set_training(bool is_training) {
    if (mode_ != nullptr) {
        const bool is_evaluating = !is_training || (node_.is_frozen && is_frozen_);
        const std::int32_t mode = is_evaluating ? 0 : 1;
        invoke({}, "set_training()", [&] { return mode_->set_training(handle_, mode); });
        if (recorder_ != nullptr) {
            recorder_->add_mode(mode == 1);
        }
    }
}

void Instance::freeze(std::vector<at::Tensor> parameters) {
    frozen_ = std::move(parameters);
    is_frozen_ = true;
    for (at::Tensor& parameter : frozen_) {
        parameter.set_requires_grad(false);
    }
}

void Instance::set_frozen(bool is_frozen) {
    if (is_frozen == is_frozen_) {
        return;
    }
    is_frozen_ = is_frozen;
    for (at::Tensor& parameter : frozen_) {
        parameter.set_requires_grad(!is_frozen);
        if (is_frozen) {
            parameter.mutable_grad().reset();
        }
    }
    set_training(true);
}

bool Instance::freezes(const at::Tensor& parameter) const {
    return std::ranges::any_of(frozen_, [&](const auto& each) { return each.is_same(parameter); });
}

std::vector<NamedTensor> Instance::tensors() {
    if (parameters_ == nullptr) {
        return {};
    }
    Visit visit{.device = at::Device(setup_.get()->device)};
    invoke({}, "visit()", [&] {
        const ptp_status status = parameters_->visit(handle_, take_tensor, &visit);
        return visit.problem.empty() ? status : PTP_OK;
    });
    if (!visit.problem.empty()) {
        throw WithFix<RunError>(kPluginError, {blamed_ + ": " + visit.problem, visit.fix});
    }
    return std::move(visit.tensors);
}

std::optional<Instance::State> Instance::export_state() {
    if (state_ == nullptr) {
        return std::nullopt;
    }
    const std::unique_lock<std::shared_mutex> alone(fetching_);
    const ptp_data* data = nullptr;
    invoke({}, "export_state()", [&] { return state_->export_state(handle_, &data); });
    if (data == nullptr) {
        throw RunError(kPluginError, blamed_ + ": export_state() gave nothing");
    }
    try {
        return State{state_->version, to_value(*data)};
    } catch (const std::invalid_argument& error) {
        throw RunError(kPluginError,
                       fmt::format("{}: export_state() gave {}", blamed_, error.what()));
    }
}

void Instance::import_state(const State& state) {
    if (!can_import(state)) {
        throw RunError(
            kDataError,
            fmt::format("{}: its saved state has version {}, the component {}", title(),
                        state.version,
                        state_ == nullptr ? "has no state"
                                          : fmt::format("reads up to {}", state_->version)));
    }
    const DataTree data(state.value);
    std::unique_lock<std::shared_mutex> alone(fetching_);
    invoke({}, "import_state()",
           [&] { return state_->import_state(handle_, state.version, &data.root()); });
    alone.unlock();  // The recorder, with its own lock, may ask for export_state().
    if (recorder_ != nullptr) {
        recorder_->add_import(state);
    }
}

void Instance::write_onnx(const ptp_onnx_builder& builder) {
    assert(writes_onnx());
    if (onnx_->struct_size < sizeof(ptp_onnx) || onnx_->write == nullptr) {
        throw RunError(kPluginError, blamed_ + ": its ptp.onnx/1 has no write()");
    }
    invoke({}, "onnx()", [&] { return onnx_->write(handle_, &builder); });
}

void Instance::migrate(std::vector<NamedTensor>& old) {
    assert(can_migrate());
    std::vector<ptp_old_tensor> tensors;
    for (NamedTensor& named : old) {
        tensors.push_back(
            {named.name.c_str(), named.role, 0, reinterpret_cast<const ptp_value*>(&named.tensor)});
    }
    invoke({}, "migrate()",
           [&] { return migrate_->migrate(handle_, tensors.data(), tensors.size()); });
}

std::vector<at::Generator> Instance::generators() {
    if (host_.generator() == host_.bit_generator()) {
        return {host_.generator()};
    }
    return {host_.generator(), host_.bit_generator()};
}

void Instance::reset_statistics(std::uint64_t set) {
    invoke({}, "reset()", [&] { return statistics_->reset(handle_, set); });
    if (recorder_ != nullptr) {
        recorder_->add_reset(set);
    }
}

void Instance::collect_statistics(std::uint64_t set, double* values) {
    invoke({}, "collect()", [&] { return statistics_->collect(handle_, set, values); });
    if (recorder_ != nullptr) {
        recorder_->add_statistics("collect", set, values);
    }
}

void Instance::aggregate_statistics(std::uint64_t set, double* values) {
    invoke({}, "aggregate()", [&] { return statistics_->aggregate(handle_, set, values); });
    if (recorder_ != nullptr) {
        recorder_->add_statistics("aggregate", set, values);
    }
}

}  // namespace ptp::engine
