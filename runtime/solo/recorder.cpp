// Records the inputs and outputs of one component while a training runs, call by call, so that a
// build of it can be run on them alone. Only those functions of the component are called that a
// checkpoint would call.

#include "engine/component/compat.hpp"
#include "engine/component/components.hpp"
#include "engine/component/picture.hpp"
#include "solo/recorded_call.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace ptp::solo {

namespace {

constexpr std::uint64_t kMaxRecordedBytes = std::uint64_t{4} << 30U;

class Recorder final : public engine::CallRecorder {
public:
    explicit Recorder(engine::RecordingRequest request)
        : request_(std::move(request)), calls_(request_.file) {}

    bool begin(const ComponentContext& context, const pipeline::Node& node) override {
        const std::scoped_lock lock(mutex_);
        if (node.path != request_.component || node_ != nullptr) {
            return false;
        }
        main_thread_ = std::this_thread::get_id();
        plan_ = &context.plan;
        node_ = &node;
        record_ = recorded_facts(context, node);
        record_.set("ptp", PTP_VERSION);
        log_ = context.log;
        calls_.set_log(log_);
        return true;
    }

    void created(Instance& instance) override {
        const std::scoped_lock lock(mutex_);
        instance_ = &instance;
        if (node_->component->kind == plugin::Kind::kTask) {
            record_.set("samples", instance.size());
        }
    }

    void forget() override { instance_ = nullptr; }
    void start() override {
        const std::scoped_lock lock(mutex_);
        is_started_ = true;
    }

    CallPointer begin_forward(const ptp_step& step, const CallValues& values) override {
        std::unique_lock<std::mutex> lock(mutex_);
        CallPointer call =
            begin_batch(Value::table({{"call", "forward"},
                                      {"is_training", step.is_training != 0},
                                      {"episode", step.episode},
                                      {"epoch", step.epoch},
                                      {"section", step.section},
                                      {"set", step.set},
                                      {"batch_index", step.batch_index},
                                      {"batch_size", step.batch_size},
                                      {"has_gradients", c10::GradMode::is_enabled()}}),
                        fmt::format("{} {} {} {} {}", step.section, step.is_training, step.episode,
                                    step.epoch, step.batch_index),
                        lock);
        if (call == nullptr) {
            return nullptr;
        }
        const at::Device device(record_.find("device")->as_string());
        if (const auto precision = engine::compat::autocast_type(device.type())) {
            call->facts.set("autocast", *precision == at::kHalf ? "fp16" : "bf16");
        }
        pictures_before_ = values.pictures == nullptr ? 0 : values.pictures->size();
        known_.add_given(*instance_, *call);
        call->add_values("input", *plan_, node_->inputs, values.inputs, values.input_elements);
        latest_ = call;
        calls_.keep_begun(*call, facts());
        if (c10::GradMode::is_enabled() && keeps_gradients()) {
            call->waits_for_gradients = true;
            watch_parameters();
            watch(call, "input", node_->inputs, values.inputs, values.input_elements);
        }
        return call;
    }

    CallPointer begin_transform(const BatchSamples& samples, const CallValues& values) override {
        std::unique_lock<std::mutex> lock(mutex_);
        CallPointer call = begin_batch(Value::table({{"call", "transform"},
                                                     {"is_training", samples.is_training},
                                                     {"epoch", samples.epoch},
                                                     {"has_gradients", c10::GradMode::is_enabled()},
                                                     {"seeds", recorded_list(samples.seeds)}}),
                                       "", lock);
        if (call == nullptr) {
            return nullptr;
        }
        call->add("indices", samples.indices);
        if (!instance_->may_run_in_loaders()) {
            known_.add_given(*instance_, *call);
        }
        call->add_values("input", *plan_, node_->inputs, values.inputs, values.input_elements);
        calls_.keep_begun(*call, facts());
        return call;
    }

    CallPointer begin_fetch(const ptp_fetch& fetch) override {
        std::unique_lock<std::mutex> lock(mutex_);
        CallPointer call = begin_batch(
            Value::table({{"call", "fetch"},
                          {"is_training", fetch.is_training != 0},
                          {"epoch", fetch.epoch},
                          {"seeds", recorded_list(std::span(fetch.seeds, fetch.count))}}),
            "", lock);
        if (call == nullptr) {
            return nullptr;
        }
        call->add("indices", recorded_memory(fetch.indices, fetch.count, at::kLong));
        calls_.keep_begun(*call, facts());
        return call;
    }

    [[nodiscard]] std::unique_lock<std::mutex> in_order() override {
        return std::unique_lock<std::mutex>(order_);
    }
    void end(const CallPointer& call, const CallValues& values) override {
        std::unique_lock<std::mutex> lock(mutex_);
        const std::vector<const ptp_value*> outputs(values.outputs.begin(), values.outputs.end());
        call->add_values("output", *plan_, node_->outputs, outputs, values.output_elements);
        std::vector<std::string> tags;
        for (std::size_t i = pictures_before_;
             values.pictures != nullptr && i < values.pictures->size(); ++i) {
            call->add(fmt::format("picture/{}", tags.size()), (*values.pictures)[i].pixels);
            tags.push_back((*values.pictures)[i].tag);
        }
        if (!tags.empty()) {
            call->facts.set("pictures", recorded_list(tags));
        }
        const std::string& name = call->facts.find("call")->as_string();
        if (name == "forward" || (name == "transform" && !instance_->may_run_in_loaders())) {
            known_.add_changed(*instance_, *call);
        }
        if (name == "forward" && c10::GradMode::is_enabled() && keeps_gradients()) {
            watch(call, "output", node_->outputs, outputs, values.output_elements);
        }
        for (const auto& [tensor_name, tensor] : call->tensors) {
            bytes_ += tensor.nbytes();
        }
        call->is_complete = true;
        --running_;
        calls_.keep_ended();
        if (bytes_ > kMaxRecordedBytes) {
            is_cut_ = true;
            is_over_ = true;
        }
        stop(lock);
    }

    void fail(const CallPointer& call) override {
        const std::scoped_lock lock(mutex_);
        call->facts.set("failed", true);
        call->is_complete = true;
        call->waits_for_gradients = false;
        --running_;
        calls_.keep_ended();
    }

    void add_mode(bool is_training) override {
        add_event(Value::table({{"call", "set_training"}, {"is_training", is_training}}));
    }
    void add_import(const Instance::State& state) override {
        add_event(Value::table(
            {{"call", "import_state"}, {"version", state.version}, {"state", state.value}}));
    }
    void add_reset(std::uint64_t set) override {
        add_event(Value::table({{"call", "reset"}, {"set", set}}));
    }
    void add_statistics(const char* call, std::uint64_t set, const double* values) override {
        std::vector<std::string> names;
        std::vector<double> numbers;
        for (const auto& [name, number] :
             defined_statistics(*node_, std::string_view(call) == "aggregate", values)) {
            names.push_back(name);
            numbers.push_back(number);
        }
        add_event(
            Value::table({{"call", call}, {"set", set}, {"statistics", recorded_list(names)}}),
            {{"statistics", recorded_memory(numbers.data(), numbers.size(), at::kDouble)}});
    }

    void finish() override {
        std::unique_lock<std::mutex> lock(mutex_);
        is_over_ = true;
        is_in_flight_ = running_ > 0;
        running_ = 0;  // calls that other threads have begun are left out
        stop(lock);
    }

    void finish_after_error() noexcept override {
        try {
            finish();
        } catch (const std::exception& error) {  // only the first error is reported
            log_->error(fmt::format("the recording is not finished: {}", error.what()));
        }
    }

    [[nodiscard]] std::string summary() const override {
        std::string text =
            fmt::format("recorded {} batch{} of {} in {}", batches_, batches_ == 1 ? "" : "es",
                        request_.component, request_.file.string());
        if (is_cut_) {
            text +=
                fmt::format(": {} were asked for, but they have more than 4 GiB", request_.batches);
        } else if (batches_ < request_.batches) {
            text += fmt::format(": {} were asked for, the training had no more", request_.batches);
        }
        if (lacks_state_) {
            text += "; without the state at the end, because loader threads make its batches";
        }
        return text;
    }

private:
    // Returns nullptr if the batch is not recorded; after the last one that is, also writes the
    // recording.
    CallPointer begin_batch(Value facts, const std::string& step,
                            std::unique_lock<std::mutex>& lock) {
        const bool is_new = step.empty() || step != last_step_;
        is_over_ = is_over_ || (is_started_ && is_new && batches_ == request_.batches);
        if (is_over_ || !is_started_) {
            stop(lock);
            return nullptr;
        }
        batches_ += is_new ? 1 : 0;
        last_step_ = step;
        ++running_;
        CallPointer call = calls_.add(*node_, std::move(facts));
        call->begins_batch = is_new;
        calls_.keep_ended();
        return call;
    }

    // Writes once everything is complete; releases the lock.
    void stop(std::unique_lock<std::mutex>& lock) {
        if (!is_over_ || running_ > 0 || is_written_ || node_ == nullptr) {
            return;
        }
        is_written_ = true;
        if (instance_ != nullptr && instance_->has_state()) {
            lacks_state_ = is_in_flight_ || std::this_thread::get_id() != main_thread_;
            if (!lacks_state_) {
                const std::optional<Instance::State> state = instance_->export_state();
                record_.set("state_version", state->version);
                record_.set("state", state->value);
            }
        }
        const SavedState whole = calls_.take(record_);
        batches_ = static_cast<std::uint64_t>(whole.record.find("batches")->as_integer());
        known_ = {};
        latest_.reset();
        for (const auto& [tensor, hook] : watched_) {
            tensor.remove_hook(hook);
        }
        watched_.clear();
        lock.unlock();
        calls_.write(whole);
    }

    // Adds the gradients that reach the values, "input" or "output", when a backward pass has them.
    void watch(const CallPointer& call, const std::string& what,
               const std::vector<pipeline::Binding>& bindings,
               std::span<const ptp_value* const> values, std::span<const ptp_element> elements) {
        for (std::size_t i = 0; i < bindings.size(); ++i) {
            const int stream = bindings[i].stream;
            if (stream < 0 || values[i] == nullptr || !engine::is_tensor(elements[i]) ||
                (what == "input" && !is_only_reader(stream))) {
                continue;
            }
            const at::Tensor& tensor = engine::as_tensor(values[i]);
            if (tensor.defined() && tensor.requires_grad()) {
                tensor.register_hook(
                    [this, call,
                     name = fmt::format("gradient/{}/{}", what,
                                        plan_->streams[static_cast<std::size_t>(stream)].name)](
                        const at::Tensor& gradient) { add_gradient(call.get(), name, gradient); });
            }
        }
    }

    // Adds a hook to each trained parameter, once. It sees what one backward pass adds, not the sum
    // in `grad`.
    void watch_parameters() {
        for (const NamedTensor& named : instance_->tensors()) {
            const auto is_it = [&](const auto& each) { return each.first.is_same(named.tensor); };
            if (!named.tensor.requires_grad() || std::ranges::any_of(watched_, is_it)) {
                continue;
            }
            const unsigned hook = named.tensor.register_hook(
                [this, name = "gradient/parameter/" + named.name](const at::Tensor& gradient) {
                    add_gradient(nullptr, name, gradient);
                });
            watched_.emplace_back(named.tensor, hook);
        }
    }

    void add_gradient(RecordedCall* call, const std::string& name, const at::Tensor& gradient) {
        const std::scoped_lock lock(mutex_);
        RecordedCall* const of = call == nullptr ? latest_.get() : call;
        if (of == nullptr || is_written_ || !gradient.defined()) {
            return;
        }
        const auto has_name = [&](const auto& each) { return each.first == name; };
        if (std::ranges::any_of(of->gradients, has_name)) {
            of->has_several_passes = true;
            return;
        }
        of->gradients.emplace_back(name, recorded_copy(gradient));
        bytes_ += of->gradients.back().second.nbytes();
    }

    void add_event(Value facts, TensorsByName tensors = {}) {
        const std::scoped_lock lock(mutex_);
        if (is_over_ || instance_ == nullptr) {
            return;
        }
        const CallPointer call = calls_.add(*node_, std::move(facts));
        call->tensors = std::move(tensors);
        call->is_complete = true;
        calls_.keep_ended();
    }

    [[nodiscard]] Value facts() const {
        return Value::table({{"asked", request_.batches}, {"record", record_}});
    }
    // Returns whether the gradients of one backward pass can be told from those of others.
    [[nodiscard]] bool keeps_gradients() const {
        const auto shares = [&](const pipeline::Node& node) { return node.share == node_->name; };
        return engine::takes_part_in_learning(node_->component->kind) &&
               std::ranges::none_of(plan_->nodes, shares);
    }

    // Returns whether all gradients of the stream come from this component.
    [[nodiscard]] bool is_only_reader(int stream) const {
        int readers = 0;
        for (const pipeline::Node& node : plan_->nodes) {
            if (engine::takes_part_in_learning(node.component->kind)) {
                readers += static_cast<int>(
                    std::ranges::count(node.inputs, stream, &pipeline::Binding::stream));
            }
            for (const pipeline::Binding& output : node.outputs) {
                const plugin::Port& port =
                    node.component->ports[static_cast<std::size_t>(output.port)];
                readers += output.stream == stream && port.is_loss ? 1 : 0;
            }
        }
        return readers == 1;
    }

    const engine::RecordingRequest request_;
    std::mutex order_;  // taken before mutex_
    std::mutex mutex_;  // guards everything below
    RecordedCalls calls_;
    std::shared_ptr<spdlog::logger> log_;
    const pipeline::Plan* plan_ = nullptr;
    const pipeline::Node* node_ = nullptr;
    Instance* instance_ = nullptr;
    Value record_ = Value::table();
    CallPointer latest_;  // the next gradients belong to it
    KnownTensors known_;
    std::size_t pictures_before_ = 0;                       // before the latest forward()
    std::vector<std::pair<at::Tensor, unsigned>> watched_;  // parameters, and their hooks
    std::string last_step_;
    std::uint64_t batches_ = 0;
    std::uint64_t bytes_ = 0;
    std::thread::id main_thread_;
    bool lacks_state_ = false;
    bool is_in_flight_ = false;  // another thread was in a call when the training ended
    int running_ = 0;
    bool is_started_ = false;
    bool is_cut_ = false;
    bool is_over_ = false;
    bool is_written_ = false;
};

}  // namespace

std::unique_ptr<engine::CallRecorder> make_recorder(engine::RecordingRequest request) {
    return std::make_unique<Recorder>(std::move(request));
}

}  // namespace ptp::solo
