#include "engine/component/instance.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/own_generator.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/declared_value.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <c10/util/Type.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <typeinfo>
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

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string plugin_and_title(const pipeline::Node& node) {
    const plugin::Manifest& manifest = node.plugin->manifest;
    return fmt::format("plugin '{}' {}: {}", manifest.name, manifest.version,
                       pipeline::node_text(node));
}

struct Visit {
    std::vector<NamedTensor> tensors;
    std::set<std::string> names;
    std::string problem;
};

ptp_status take_tensor(void* user, const char* name, ptp_role role, ptp_value* tensor) {
    Visit& visit = *static_cast<Visit*>(user);
    if (!visit.names.insert(name).second) {
        visit.problem = fmt::format("has two tensors named '{}'", name);
    } else if (tensor == nullptr || !as_tensor(tensor).defined()) {
        visit.problem = fmt::format("its tensor '{}' is undefined", name);
    } else {
        visit.tensors.push_back({name, role, as_tensor(tensor)});
        return PTP_OK;
    }
    return PTP_ERROR_INTERNAL;
}

}  // namespace

Instance::Instance(ComponentContext& component_context, const pipeline::Node& node,
                   const ptp_component_info& info)
    : node_(node),
      info_(info),
      blamed_(plugin_and_title(node)),
      host_(component_context, node),
      setup_(component_context.plan, node, device_text(component_context.device)),
      input_elements_(elements(setup_.get()->inputs, setup_.get()->input_count)),
      output_elements_(elements(setup_.get()->outputs, setup_.get()->output_count)),
      task_(ability<ptp_task>(PTP_EXTENSION_TASK)),
      parameters_(ability<ptp_parameters>(PTP_EXTENSION_PARAMETERS)),
      mode_(ability<ptp_mode>(PTP_EXTENSION_MODE)),
      state_(ability<ptp_state>(PTP_EXTENSION_STATE)),
      migrate_(ability<ptp_migrate>(PTP_EXTENSION_MIGRATE)),
      sample_transform_(ability<ptp_sample_transform>(PTP_EXTENSION_SAMPLES)),
      sampling_(ability<ptp_sampling>(PTP_EXTENSION_SAMPLING)),
      statistics_(ability<ptp_statistics>(PTP_EXTENSION_STATISTICS)) {
    invoke({}, "create()", [&] { return info_.create(host_.table(), setup_.get(), &handle_); });
    if (handle_ == nullptr) {
        throw RunError(kPluginError, blamed_ + ": create() gave no instance");
    }
    check_published();
    host_.finish_creation();
}

Instance::~Instance() {
    if (handle_ != nullptr) {
        destroy();
    }
}

void Instance::destroy() {
    Call call({blamed_.c_str(), "destroy()"});
    info_.destroy(std::exchange(handle_, nullptr));
}

std::string Instance::title() const {
    return pipeline::node_text(node_);
}

// Its place in the experiment, if it has one: "x.toml:4:1: ".
std::string Instance::where() const {
    const std::string place = node_.place.text();
    return place.empty() ? "" : place + ": ";
}

template <class Ability>
const Ability* Instance::ability(const char* id) const {
    if (info_.extension == nullptr) {
        return nullptr;
    }
    Call call({blamed_.c_str(), "extension()"});
    return static_cast<const Ability*>(info_.extension(id));
}

// A destructor does not run when a constructor throws, so this one undoes the creation itself.
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

// What create() leaves to the host.
void Instance::require_declared(const plugin::Global& global, const std::string& name) {
    std::string conflict;
    try {
        if (host_.publish_declared(global)) {
            return;
        }
    } catch (const std::runtime_error& error) {
        conflict = error.what();
    }
    destroy();
    if (!conflict.empty()) {
        throw RunError(kConfigurationError, fmt::format("{}{}: {}", where(), title(), conflict));
    }
    if (global.value.empty() || global.name.starts_with('$')) {
        throw RunError(kPluginError, fmt::format("{}: create() has not published the global '{}'",
                                                 blamed_, name));
    }
    throw RunError(kConfigurationError,
                   fmt::format("{}{}: the global '{}' ({}) is not known before the data flows",
                               where(), title(), name, global.value));
}

// Every call goes through here. Catching all is what the boundary asks for: an exception that a
// plugin lets out may have a type that only the plugin knows.
template <class Function>
void Instance::invoke_in_any_thread(const CallValues& values, const char* work, Function function) {
    Call call({blamed_.c_str(), work}, values);
    ptp_status status = PTP_OK;
    std::string escaped;
    try {
        status = function();
        if (status == PTP_OK) [[likely]] {
            return;
        }
    } catch (const std::exception& error) {
        escaped =
            fmt::format("{}: {}", c10::demangle(typeid(error).name()), first_line(error.what()));
    } catch (...) {
        escaped = "of an unknown type";
    }
    if (!escaped.empty()) {
        throw RunError(kPluginError,
                       fmt::format("{}: {} let an exception out: {}", blamed_, work, escaped));
    }
    report(status, call);
}

// Only one thread at a time makes these.
template <class Function>
void Instance::invoke(const CallValues& values, const char* work, Function function) {
    if (draws_from_libtorch_) {
        invoke_in_any_thread(values, work, function);
        return;
    }
    const OwnGenerator own(host_.bit_generator(), host_.generator());
    invoke_in_any_thread(values, work, function);
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
    if (status == PTP_ERROR_INTERNAL && is_about_refused_write(message)) {
        throw RefusedWrite(error.code(), error.explanation());
    }
    throw error;
}

void Instance::forward(const ptp_step& step, const ptp_value* const* inputs,
                       ptp_value* const* outputs, std::vector<Picture>* pictures) {
    const CallValues values{{inputs, input_elements_.size()},
                            input_elements_,
                            {outputs, output_elements_.size()},
                            output_elements_,
                            &step,
                            pictures};
    invoke(values, "forward()", [&] { return info_.forward(handle_, &step, inputs, outputs); });
}

bool Instance::may_run_in_loaders() const {
    return is_per_sample() && node_.component->kind == plugin::Kind::kTransform &&
           parameters_ == nullptr && mode_ == nullptr && state_ == nullptr &&
           statistics_ == nullptr;
}

void Instance::transform(const BatchSamples& samples, const ptp_value* const* inputs,
                         ptp_value* const* outputs) {
    std::vector<std::uint64_t> seeds;
    seeds.reserve(samples.seeds.size());
    for (const std::uint64_t seed : samples.seeds) {
        seeds.push_back(derived(seed, node_.name));
    }
    ptp_samples given{};
    given.struct_size = sizeof(ptp_samples);
    given.is_training = samples.is_training ? 1 : 0;
    given.indices = samples.indices.data_ptr<std::int64_t>();
    given.seeds = seeds.data();
    given.count = seeds.size();
    given.epoch = samples.epoch;
    CallValues values{{inputs, input_elements_.size()},
                      input_elements_,
                      {outputs, output_elements_.size()},
                      output_elements_};
    values.samples = {given.indices, given.count};
    invoke_in_any_thread(values, "transform()", [&] {
        return sample_transform_->transform(handle_, &given, inputs, outputs);
    });
}

std::int64_t Instance::size() {
    std::int64_t size = -1;
    invoke({}, "size()", [&] { return task_->size(handle_, &size); });
    if (size < 0) {
        throw RunError(kPluginError, fmt::format("{}: its size is {}", blamed_, size));
    }
    const auto declared = pipeline::declared_sample_count(node_);
    if (declared && *declared != size) {
        throw RunError(kPluginError,
                       fmt::format("{}: has {} samples, but declares {} ({})", blamed_, size,
                                   *declared, node_.component->sample_count));
    }
    return size;
}

bool Instance::is_concurrent() const {
    return (task_->flags & PTP_TASK_CONCURRENT) != 0;
}

void Instance::fetch(const ptp_fetch& fetch, ptp_value* const* outputs) {
    CallValues values{{}, {}, {outputs, output_elements_.size()}, output_elements_};
    values.samples = {fetch.indices, fetch.count};
    std::shared_lock<std::shared_mutex> together(fetching_, std::defer_lock);
    std::unique_lock<std::shared_mutex> alone(fetching_, std::defer_lock);
    if (is_concurrent()) {
        together.lock();
    } else {
        alone.lock();
    }
    invoke_in_any_thread(values, "fetch()", [&] { return task_->fetch(handle_, &fetch, outputs); });
}

template <class Number>
std::vector<Number> Instance::numbers_of_samples(ptp_status (*write)(void*, Number*),
                                                 const char* work, const char* what) {
    std::vector<Number> numbers(static_cast<std::size_t>(size()), Number{-1});
    invoke({}, work, [&] { return write(handle_, numbers.data()); });
    const auto wrong = std::ranges::find_if_not(
        numbers, [](Number number) { return number >= 0 && std::isfinite(double(number)); });
    if (wrong != numbers.end()) {
        throw RunError(kPluginError,
                       fmt::format("{}: sample {} has {} {}, must be finite and not negative",
                                   blamed_, wrong - numbers.begin(), what, *wrong));
    }
    return numbers;
}

std::optional<std::vector<double>> Instance::sample_weights() {
    if (sampling_ == nullptr || sampling_->weights == nullptr) {
        return std::nullopt;
    }
    return numbers_of_samples(sampling_->weights, "weights()", "a weight of");
}

std::optional<std::vector<std::int64_t>> Instance::sample_classes() {
    if (sampling_ == nullptr || sampling_->classes == nullptr) {
        return std::nullopt;
    }
    return numbers_of_samples(sampling_->classes, "classes()", "the class");
}

void Instance::set_training(bool is_training) {
    if (mode_ != nullptr) {
        const std::int32_t mode = is_training && !node_.is_frozen ? 1 : 0;
        invoke({}, "set_training()", [&] { return mode_->set_training(handle_, mode); });
    }
}

std::vector<NamedTensor> Instance::tensors() {
    if (parameters_ == nullptr) {
        return {};
    }
    Visit visit;
    invoke({}, "visit()", [&] {
        const ptp_status status = parameters_->visit(handle_, take_tensor, &visit);
        return visit.problem.empty() ? status : PTP_OK;
    });
    if (!visit.problem.empty()) {
        throw RunError(kPluginError, blamed_ + ": " + visit.problem);
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
    const std::unique_lock<std::shared_mutex> alone(fetching_);
    invoke({}, "import_state()",
           [&] { return state_->import_state(handle_, state.version, &data.root()); });
}

void Instance::migrate(std::vector<NamedTensor>& old) {
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
}

void Instance::collect_statistics(std::uint64_t set, double* values) {
    invoke({}, "collect()", [&] { return statistics_->collect(handle_, set, values); });
}

void Instance::aggregate_statistics(std::uint64_t set, double* values) {
    invoke({}, "aggregate()", [&] { return statistics_->aggregate(handle_, set, values); });
}

}  // namespace ptp::engine
