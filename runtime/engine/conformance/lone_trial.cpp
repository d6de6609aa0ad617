#include "engine/conformance/lone_trial.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/component/components.hpp"

#include <ptp/ext/task.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<spdlog::logger> silent_log() {
    return std::make_shared<spdlog::logger>("check",
                                            std::make_shared<spdlog::sinks::null_sink_mt>());
}

std::string bits_of(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return "none";
    }
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    std::string bits = fmt::format("{} {}:", c10::toString(plain.scalar_type()), plain.dim());
    for (const std::int64_t size : plain.sizes()) {
        bits += fmt::format(" {}", size);
    }
    return bits.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
}

std::string bits_of(const Slot& slot) {
    if (is_tensor(slot.element)) {
        return bits_of(slot.tensor);
    }
    std::string bits;
    for (const at::Tensor& tensor : slot.list.tensors()) {
        bits += bits_of(tensor);
    }
    const ptp_text& text = slot.text;
    for (std::uint64_t i = 0; i < text.string_count; ++i) {
        bits.append(text.bytes + text.offsets[i], text.bytes + text.offsets[i + 1]) += '\n';
    }
    for (std::uint64_t i = 0; i < text.row_count; ++i) {
        bits += fmt::format("{} ", text.rows[i]);
    }
    return bits;
}

void add_files(const fs::path& folder, std::vector<Outcome>& outcomes) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        outcomes.push_back({fmt::format("the file {}", fs::relative(file, folder).string()),
                            {std::istreambuf_iterator<char>(in), {}}});
    }
}

}  // namespace

LoneTrial::LoneTrial(const LonePipeline& pipeline, const ptp_component_info& info, Options options)
    : options_(std::move(options)),
      guess_(pipeline.guess),
      plan_(pipeline.plan),
      component_context_{plan_, globals_, silent_log(), options_.folder.string(), at::kCPU, 1},
      frame_(plan_),
      output_check_(plan_) {
    fs::create_directories(options_.folder);
    for (const Member& global : pipeline.globals) {
        globals_.publish(global.key, global.value, "the check");
    }
    at::manual_seed(component_context_.seed);
    if (plan_.nodes.empty()) {
        instance_ = std::make_shared<Instance>(component_context_, plan_.tasks.front(), info);
        sample_count_ = instance_->size();
        if (sample_count_ == 0) {
            throw RunError(kDataError, "it has no samples");
        }
    } else {
        instance_ = create_node(component_context_, plan_.nodes.front(), info);
    }
    instance_->set_training(true);
}

void LoneTrial::begin_set() {
    if (instance_->has_statistics()) {
        instance_->reset_statistics(0);
    }
}

void LoneTrial::choose_samples(std::uint64_t number, bool is_training) {
    BatchSamples& samples = frame_.samples();
    const auto first = static_cast<std::int64_t>(number) * kMadeUpBatch;
    samples.indices = at::arange(first, first + kMadeUpBatch, at::kLong).remainder(sample_count_);
    samples.is_training = is_training;
    samples.seeds.clear();
    for (std::int64_t i = 0; i < kMadeUpBatch; ++i) {
        samples.seeds.push_back(derived(number, std::to_string(i)));
    }
}

void LoneTrial::fetch() {
    std::vector<ptp_value*> outputs;
    for (const pipeline::Binding& output : instance_->node().outputs) {
        outputs.push_back(output.stream < 0 ? nullptr : frame_[output.stream].value());
    }
    const BatchSamples& samples = frame_.samples();
    ptp_fetch fetch{};
    fetch.struct_size = sizeof(ptp_fetch);
    fetch.is_training = samples.is_training ? 1 : 0;
    fetch.indices = samples.indices.data_ptr<std::int64_t>();
    fetch.seeds = samples.seeds.data();
    fetch.count = samples.seeds.size();
    instance_->fetch(fetch, outputs.data());
}

void LoneTrial::run(std::uint64_t number) {
    const pipeline::Node& node = instance_->node();
    const auto value = [&](const pipeline::Binding& binding) {
        return binding.stream < 0 ? nullptr : frame_[binding.stream].value();
    };
    std::vector<const ptp_value*> inputs;
    std::vector<ptp_value*> outputs;
    std::ranges::transform(node.inputs, std::back_inserter(inputs), value);
    std::ranges::transform(node.outputs, std::back_inserter(outputs), value);
    const BatchSamples& samples = frame_.samples();
    if (instance_->is_per_sample()) {
        instance_->transform(samples, inputs.data(), outputs.data());
        return;
    }
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.is_training = samples.is_training ? 1 : 0;
    step.episode = number;
    step.section = "training";
    step.batch_index = number;
    step.batch_size = kMadeUpBatch;
    instance_->forward(step, inputs.data(), outputs.data());
}

std::vector<Outcome> LoneTrial::step_in(std::uint64_t number, bool is_training) {
    frame_.clear();
    at::manual_seed(derived(number, "inputs"));
    make_up_inputs(plan_, instance_->node(), guess_, options_.reals, frame_);
    choose_samples(number, is_training);
    at::manual_seed(derived(number, "step"));
    output_check_.begin(kMadeUpBatch, true);
    if (instance_->node().section.empty()) {
        run(number);
    } else {
        fetch();
    }
    output_check_.check(*instance_, frame_, at::kCPU);
    std::vector<Outcome> outcomes;
    add_outputs(outcomes);
    add_statistics(false, outcomes);
    return outcomes;
}

std::vector<Outcome> LoneTrial::evaluation(std::uint64_t number) {
    const c10::AutoGradMode without_gradients(false);
    instance_->set_training(false);
    return step_in(number, false);
}

std::vector<Outcome> LoneTrial::end() {
    std::vector<Outcome> outcomes;
    add_statistics(true, outcomes);
    for (const NamedTensor& named : instance_->tensors()) {
        outcomes.push_back({fmt::format("tensor '{}'", named.name), bits_of(named.tensor)});
    }
    instance_.reset();  // which may write the end of a file
    add_files(options_.folder, outcomes);
    return outcomes;
}

void LoneTrial::add_outputs(std::vector<Outcome>& outcomes) const {
    for (const pipeline::Binding& output : instance_->node().outputs) {
        if (output.stream >= 0) {
            outcomes.push_back(
                {fmt::format("output '{}'", output.name), bits_of(frame_[output.stream])});
        }
    }
}

void LoneTrial::add_statistics(bool is_over_set, std::vector<Outcome>& outcomes) {
    if (!instance_->has_statistics()) {
        return;
    }
    const std::vector<plugin::Statistic>& declared = instance_->node().component->statistics;
    std::vector<double> values(declared.size());
    if (is_over_set) {
        instance_->aggregate_statistics(0, values.data());
    } else {
        instance_->collect_statistics(0, values.data());
    }
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (instance_->node().has_statistic[i] &&
            (!is_over_set || declared[i].aggregation == plugin::Aggregation::kComputed)) {
            outcomes.push_back({fmt::format("statistic '{}'{}", declared[i].name,
                                            is_over_set ? " over the set" : ""),
                                fmt::format("{:a}", values[i])});
        }
    }
}

LoneTrial::Saved LoneTrial::save() {
    Saved saved{instance_->tensors(), instance_->export_state(), {}};
    for (NamedTensor& named : saved.tensors) {
        named.tensor = named.tensor.detach().clone();
    }
    for (at::Generator& generator : instance_->generators()) {
        const std::scoped_lock lock(generator.mutex());
        saved.generators.push_back(generator.get_state());
    }
    return saved;
}

void LoneTrial::restore(const Saved& saved) {
    const c10::AutoGradMode without_gradients(false);
    std::vector<NamedTensor> own = instance_->tensors();
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].tensor.copy_(saved.tensors.at(i).tensor);
    }
    if (saved.state) {
        instance_->import_state(*saved.state);
    }
    std::vector<at::Generator> generators = instance_->generators();
    for (std::size_t i = 0; i < generators.size(); ++i) {
        const std::scoped_lock lock(generators[i].mutex());
        generators[i].set_state(saved.generators.at(i));
    }
}

}  // namespace ptp::engine
