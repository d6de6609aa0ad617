// Makes the steps of a trial and collects their outcomes.

#include "solo/lone_trial.hpp"

#include "base/error.hpp"
#include "base/random.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;

// Adds "the file x.csv" for each file of the folder, in the order of the names.
void add_files(const fs::path& folder, Outcomes& outcomes) {
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

std::string bits_of(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return "none";
    }
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    std::string bits = fmt::format("{} {}:", c10::toString(plain.scalar_type()), plain.dim());
    for (const std::int64_t size : plain.sizes()) {
        bits += fmt::format(" {}", size);
    }
    return plain.nbytes() == 0
               ? bits
               : bits.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
}

std::string bits_of(const Slot& slot) {
    if (engine::is_tensor(slot.element)) {
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

void append(Outcomes& all, Outcomes more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::string first_difference(const Outcomes& left, const Outcomes& right) {
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        if (left[i].what != right[i].what || left[i].bits != right[i].bits) {
            return left[i].what;
        }
    }
    return left.size() == right.size() ? "" : "the number of files";
}

LoneTrial::LoneTrial(const MadeUpPipeline& pipeline, const ptp_component_info& info,
                     Options options)
    : options_(std::move(options)), guess_(pipeline.guess) {
    at::manual_seed(options_.seed);
    component_.emplace(pipeline, info,
                       LoneComponent::Options{.folder = options_.folder, .seed = options_.seed});
    Instance& instance = component_->instance();
    if (plan().nodes.empty()) {
        sample_count_ = instance.size();
        if (sample_count_ == 0) {
            throw RunError(kDataError, "it has no samples");
        }
    }
    instance.set_training(true);
}

void LoneTrial::prepare(const LoneStep& step, Frame& frame) {
    if (!std::exchange(has_begun_, true) && instance().has_statistics()) {
        component_->instance().reset_statistics(0);
    }
    frame.clear();
    const std::uint64_t seed = derived(options_.seed, step.number);
    at::manual_seed(derived(seed, "inputs"));
    make_up_inputs(plan(), instance().node(),
                   {guess_, options_.reals, step.batch_size, options_.memory}, frame);
    BatchSamples& samples = frame.samples();
    const auto first = static_cast<std::int64_t>(step.number) * step.batch_size;
    samples.indices =
        at::arange(first, first + step.batch_size, at::kLong).remainder(sample_count_);
    samples.is_training = step.is_training;
    samples.seeds.clear();
    for (std::int64_t i = 0; i < step.batch_size; ++i) {
        samples.seeds.push_back(derived(seed, std::to_string(i)));
    }
    at::manual_seed(derived(seed, "step"));
}

void LoneTrial::call(const LoneStep& step, Frame& frame) {
    if (!instance().node().section.empty()) {
        component_->fetch(frame);
        return;
    }
    if (instance().is_per_sample()) {
        component_->transform(frame);
        return;
    }
    ptp_step made{};
    made.struct_size = sizeof(ptp_step);
    made.is_training = step.is_training ? 1 : 0;
    made.episode = step.number;
    made.section = "training";
    made.batch_index = step.number;
    made.batch_size = static_cast<std::uint64_t>(step.batch_size);
    component_->forward(made, frame);
}

Outcomes LoneTrial::run(const LoneStep& step) {
    const c10::AutoGradMode gradients(step.is_training && c10::GradMode::is_enabled());
    component_->instance().set_training(step.is_training);
    prepare(step);
    call(step);
    check_outputs(step);
    Outcomes outcomes = outputs(frame());
    add_statistics(false, outcomes);
    return outcomes;
}

Outcomes LoneTrial::end() {
    Outcomes outcomes;
    add_statistics(true, outcomes);
    for (const NamedTensor& named : tensors()) {
        outcomes.push_back({fmt::format("tensor '{}'", named.name), bits_of(named.tensor)});
    }
    component_.reset();  // which may write the end of a file
    add_files(options_.folder, outcomes);
    return outcomes;
}

Outcomes LoneTrial::outputs(const Frame& frame) const {
    Outcomes outcomes;
    for (const pipeline::Binding& output : instance().node().outputs) {
        if (output.stream >= 0) {
            const Slot& slot = frame[output.stream];
            const bool is_real = slot.tensor.defined() && slot.tensor.is_floating_point();
            outcomes.push_back({fmt::format("output '{}'", output.name), bits_of(slot),
                                is_real ? slot.tensor.detach() : at::Tensor()});
        }
    }
    return outcomes;
}

void LoneTrial::add_statistics(bool is_over_set, Outcomes& outcomes) {
    Instance& instance = component_->instance();
    if (!instance.has_statistics()) {
        return;
    }
    std::vector<double> values(instance.node().component->statistics.size());
    if (is_over_set) {
        instance.aggregate_statistics(0, values.data());
    } else {
        instance.collect_statistics(0, values.data());
    }
    for (const auto& [name, value] :
         defined_statistics(instance.node(), is_over_set, values.data())) {
        outcomes.push_back(
            {fmt::format("statistic '{}'{}", name, is_over_set ? " over the set" : ""),
             fmt::format("{:a}", value), at::scalar_tensor(value, at::kDouble)});
    }
}

LoneTrial::Saved LoneTrial::save() {
    Saved saved{tensors(), component_->instance().export_state(), {}};
    for (NamedTensor& named : saved.tensors) {
        named.tensor = named.tensor.detach().clone();
    }
    saved.generators = generator_states(component_->instance());
    return saved;
}

void LoneTrial::restore(const Saved& saved) {
    const c10::AutoGradMode without_gradients(false);
    std::vector<NamedTensor> own = tensors();
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].tensor.copy_(saved.tensors.at(i).tensor);
    }
    if (saved.state) {
        component_->instance().import_state(*saved.state);
    }
    component_->set_generators(saved.generators);
    has_begun_ = true;
}

}  // namespace ptp::solo
