// Plans, creates and calls one component without a pipeline around it.

#include "solo/lone_component.hpp"

#include "pipeline/assemble.hpp"

#include <ptp/ext/task.h>

#include <algorithm>
#include <mutex>

namespace ptp::solo {

experiment::ComponentEntry entry_without_settings(const plugin::Component& component) {
    experiment::ComponentEntry entry;
    entry.name = "component";
    entry.path = component.name;
    entry.type = component.name;
    return entry;
}

Feeder::Feeder() {
    kind = plugin::Kind::kTask;
    name = "MadeUpTask";
    summary = "Writes what the component reads";
}

void Feeder::write(const std::string& stream, plugin::Element element, const std::string& shape) {
    const bool is_text = plugin::is_text(element);
    plugin::Port port;
    port.direction = plugin::Direction::kOutput;
    port.element = element;
    port.name = stream;
    port.shape = is_text ? "B" : shape;
    port.help = "of the component";
    ports.push_back(std::move(port));
}

void Feeder::publish(const std::string& global_name, const std::string& value) {
    plugin::Global global;
    global.access = plugin::GlobalAccess::kWrite;
    global.name = global_name;
    global.value = value;
    global.help = "of the component";
    globals.push_back(std::move(global));
}

LonePlan::LonePlan(const LoneEntry& lone, const Options& options) : home_(lone.home) {
    catalog.plugins.push_back(lone.plugin);
    experiment.name = "alone";
    experiment.seed = options.seed;
    experiment.training.name = options.section;
    experiment::TaskEntry& task = experiment.training.task;
    task.batch_size = options.batch_size;
    if (lone.component.kind == plugin::Kind::kTask) {
        task.place = lone.entry.place;
        task.path = lone.entry.path;
        task.type = lone.component.name;
        task.names = lone.entry.names;
        task.settings = lone.entry.settings;
        return;
    }
    task.path = "training.task";
    experiment.pipeline.components.push_back(lone.entry);
}

void LonePlan::assemble(const Feeder& feeder) {
    if (!experiment.pipeline.components.empty()) {
        experiment.training.task.type = feeder.name;
        catalog.plugins.resize(1);
        plugin::CatalogEntry& entry = catalog.plugins.emplace_back();
        entry.manifest.name = "feeder";
        entry.manifest.components.push_back(feeder);
    }
    Diagnostics problems;
    auto assembled =
        pipeline::assemble(experiment, catalog, home_, problems, pipeline::NeededFiles::kIgnored,
                           {.processed = {experiment.training.name}});
    if (!assembled) {
        throw NoPlan(problems);
    }
    plan = std::move(*assembled);
}

LoneComponent::LoneComponent(const LonePlan& plan, const ptp_component_info& info,
                             const Options& options)
    : plan_(plan.plan),
      context_{plan_,          globals_,    engine::silent_log("alone"), options.folder.string(),
               options.device, options.seed},
      frame_(plan_),
      output_check_(plan_) {
    std::filesystem::create_directories(options.folder);
    for (const Member& global : plan.globals) {
        globals_.publish(global.key, global.value, options.publisher);
    }
    instance_ = plan_.nodes.empty()
                    ? std::make_shared<Instance>(context_, plan_.tasks.front(), info)
                    : engine::create_node(context_, plan_.nodes.front(), info);
}

void LoneComponent::forward(const ptp_step& step, Frame& frame,
                            std::vector<engine::Picture>* pictures) {
    const engine::FrameValues values(instance_->node(), frame);
    instance_->forward(step, values.inputs.data(), values.outputs.data(), {pictures});
}

void LoneComponent::transform(Frame& frame) {
    const engine::FrameValues values(instance_->node(), frame);
    instance_->transform(frame.samples(), values.inputs.data(), values.outputs.data());
}

void LoneComponent::fetch(Frame& frame) {
    const BatchSamples& samples = frame.samples();
    ptp_fetch fetch{};
    fetch.struct_size = sizeof(ptp_fetch);
    fetch.is_training = samples.is_training ? 1 : 0;
    fetch.indices = samples.indices.data_ptr<std::int64_t>();
    fetch.seeds = samples.seeds.data();
    fetch.count = samples.seeds.size();
    fetch.epoch = samples.epoch;
    instance_->fetch(fetch, engine::FrameValues(instance_->node(), frame).outputs.data());
}

void LoneComponent::check_outputs(std::uint64_t batch_size) {
    output_check_.begin(batch_size, true);
    output_check_.check(*instance_, frame_, context_.device);
}

std::vector<std::pair<std::string, double>> defined_statistics(const pipeline::Node& node,
                                                               bool is_over_set,
                                                               const double* values) {
    std::vector<std::pair<std::string, double>> numbers;
    const std::vector<plugin::Statistic>& declared = node.component->statistics;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const bool is_defined = is_over_set
                                    ? declared[i].aggregation == plugin::Aggregation::kComputed
                                    : !declared[i].is_set_only;
        if (node.has_statistic[i] && is_defined) {
            numbers.emplace_back(declared[i].name, values[i]);
        }
    }
    return numbers;
}

std::vector<at::Tensor> generator_states(Instance& instance) {
    std::vector<at::Tensor> states;
    for (at::Generator& generator : instance.generators()) {
        const std::scoped_lock lock(generator.mutex());
        states.push_back(generator.get_state());
    }
    return states;
}

std::string tensor_text(const at::Tensor& tensor) {
    return tensor.defined() ? engine::type_and_sizes(tensor) : "none";
}

void LoneComponent::set_generators(const std::vector<at::Tensor>& states) {
    std::vector<at::Generator> generators = instance_->generators();
    for (std::size_t i = 0; i < std::min(generators.size(), states.size()); ++i) {
        if (states[i].defined()) {
            const std::scoped_lock lock(generators[i].mutex());
            generators[i].set_state(states[i]);
        }
    }
}

}  // namespace ptp::solo
