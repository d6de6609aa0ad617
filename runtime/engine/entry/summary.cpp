// The lists of a model's tensors and of the data, and a pipeline that is created only for them.

#include "engine/entry/summary.hpp"

#include "base/number.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "engine/component/plugins.hpp"
#include "engine/entry/run_messages.hpp"
#include "engine/train/first_targets.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/unknown_words.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/layers.hpp"
#include "plugin/catalog.hpp"
#include "plugin/enum_names.hpp"
#include "run/paths.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/ScalarType.h>
#include <fmt/core.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ptp::engine {

std::string tensor_type_name(const at::Tensor& tensor) {
    constexpr std::pair<at::ScalarType, const char*> kNames[] = {
        {at::kDouble, "float64"}, {at::kFloat, "float32"}, {at::kHalf, "float16"},
        {at::kLong, "int64"},     {at::kInt, "int32"},     {at::kByte, "uint8"}};
    for (const auto& [type, name] : kNames) {
        if (type == tensor.scalar_type()) {
            return name;
        }
    }
    std::string name = c10::toString(tensor.scalar_type());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

namespace {

// The numbers in tensors: of all components, or of one.
struct Counts {
    std::int64_t parameters = 0;
    std::int64_t trained = 0;
    std::map<std::int64_t, std::int64_t> until = {};  // by the epochs in which they are frozen
    std::int64_t buffers = 0;
    std::size_t bytes = 0;

    void add(const NamedTensor& named, const Instance& instance) {
        const std::int64_t numbers = named.tensor.numel();
        const bool is_parameter = named.role == PTP_PARAMETER;
        (is_parameter ? parameters : buffers) += numbers;
        if (is_parameter && named.tensor.requires_grad()) {
            trained += numbers;
        } else if (is_parameter && instance.thaws(named.tensor)) {
            until[*instance.node().frozen_until] += numbers;
        }
        bytes += named.tensor.nbytes();
    }

    [[nodiscard]] std::string text() const {
        std::string later;
        for (const auto& [epochs, numbers] : until) {
            later += fmt::format(", {} more after {}", numbers, counted(epochs, "epoch"));
        }
        return fmt::format("{} parameters, {} of them trained{}; {} numbers in buffers; {:.1f} KiB",
                           parameters, trained, later, buffers, static_cast<double>(bytes) / 1024);
    }
};

std::string title(const pipeline::Node& node) {
    const bool is_task = node.component->kind == plugin::Kind::kTask;
    const std::string turn = pipeline::turn_text(node);
    return fmt::format("{} ({}, {} {}{}{})", node.name, node.component->name,
                       node.plugin->manifest.name, node.plugin->manifest.version,
                       is_task ? "" : fmt::format(", {}", pipeline::stage_name(node.stage)),
                       turn.empty() ? "" : ", " + turn);
}

std::string sizes_text(at::IntArrayRef sizes) {
    return fmt::format("[{}]", join(sizes, ", "));
}

// Returns the shape of one sample, without the batch.
std::string first_sample(const Slot& slot) {
    if (is_tensor(slot.element)) {
        return fmt::format("{} {}", tensor_type_name(slot.tensor),
                           sizes_text(slot.tensor.sizes().slice(1)));
    }
    if (slot.element == PTP_TENSOR_LIST) {
        const at::Tensor& first = slot.list.tensors().front();
        return fmt::format("list of {} {} ...", tensor_type_name(first), sizes_text(first.sizes()));
    }
    return std::string(plugin::to_string(static_cast<plugin::Element>(slot.element)));
}

std::string section_summary(BatchSource& source, const pipeline::Plan& plan) {
    const pipeline::Node& node = source.task().node();
    std::string text = fmt::format(
        "  {}\n    {}, {} of {}\n", title(node), counted(source.sample_count(), "sample"),
        counted(source.batch_count(), "episode"), source.section().task.batch_size);
    PassPlan first = source.plan_pass(0, false);
    first.order.resize(1);
    Batch batch = source.new_batch();
    source.fetch(first, 0, batch);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const int stream = node.outputs[i].stream;
        if (stream >= 0) {
            text +=
                fmt::format("    {:<24}  {}\n", plan.streams[static_cast<std::size_t>(stream)].name,
                            first_sample(batch.slots[i]));
        }
    }
    return text;
}

// Keeps the warnings of components. A component's lines begin with its name, as on the console.
class WarningSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    std::vector<std::string> warnings;

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (message.level == spdlog::level::warn) {
            const std::string text(message.payload.data(), message.payload.size());
            const std::string name(message.logger_name.data(), message.logger_name.size());
            warnings.push_back(name == "ptp" ? text : name + ": " + text);
        }
    }
    void flush_() override {}
};

std::string role_text(const NamedTensor& named, const Instance& instance) {
    if (named.role == PTP_BUFFER) {
        return "  buffer";
    }
    if (named.tensor.requires_grad()) {
        return "";
    }
    if (!instance.thaws(named.tensor)) {
        return "  frozen";
    }
    const std::int64_t until = *instance.node().frozen_until;
    return until == 1 ? "  frozen in the first epoch"
                      : fmt::format("  frozen in the first {} epochs", until);
}

}  // namespace

std::string model_summary(const Components& components, const pipeline::Plan& plan) {
    std::string text = "model\n";
    Counts all;
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const std::vector<NamedTensor> tensors = instance->tensors();
        Counts own;
        text += fmt::format("  {}\n", title(instance->node()));
        for (const pipeline::LayerLine& layer : pipeline::layer_lines(plan, instance->node())) {
            text += fmt::format("    {:<24}  {:<20}  -> {}\n", layer.name, layer.type, layer.shape);
        }
        for (const NamedTensor& named : tensors) {
            text += fmt::format("    {:<24}  {:<20}  {:>10}{}\n", named.name,
                                sizes_text(named.tensor.sizes()), named.tensor.numel(),
                                role_text(named, *instance));
            own.add(named, *instance);
            all.add(named, *instance);
        }
        if (!tensors.empty()) {
            text += fmt::format("    {}\n", own.text());
        }
    }
    return text + fmt::format("  all: {}\n", all.text());
}

std::string data_summary(TrainingSession& session, const pipeline::Plan& plan) {
    std::string text = "data\n";
    for (const auto* source : session.sources()) {
        if (*source) {
            text += section_summary(**source, plan);
        }
    }
    return text;
}

namespace {

void count_parameters(const Components& components, pipeline::ParameterCounts& counts) {
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        pipeline::ParameterCount& count = counts[instance->node().name];
        for (const NamedTensor& named : instance->tensors()) {
            if (named.role == PTP_PARAMETER) {
                count.all += named.tensor.numel();
                const bool is_trained =
                    named.tensor.requires_grad() || instance->thaws(named.tensor);
                count.trained += is_trained ? named.tensor.numel() : 0;
            }
        }
    }
}

}  // namespace

// Creates tasks and components as a run would, in a folder that is removed afterwards.
void summarize(const SummaryRequest& request, RunResult& result) {
    const TemporaryPath folder = TemporaryPath::new_folder();  // for files of components
    const std::filesystem::path copies = folder.path() / run::kPluginsFolder;
    std::filesystem::create_directory(copies);
    pipeline::Plan plan = request.plan;
    const Plugins plugins(plan, copies);
    Globals globals;
    const auto sink = std::make_shared<WarningSink>();
    ComponentContext component_context{
        plan,
        globals,
        std::make_shared<spdlog::logger>("ptp", sink),
        folder.path().string(),
        usable_device(request.experiment.device, request.experiment.is_deterministic),
        static_cast<std::uint64_t>(request.experiment.seed.value_or(0))};
    const auto known = pipeline::class_count_problems(plan, Value::table());
    Collective alone;
    try {
        TrainingSession session(request.experiment, component_context, plugins, alone);
        check_classes(component_context, request.experiment.training, known,
                      *component_context.log);
        if (request.is_printed) {
            fmt::print("{}{}", model_summary(session.components, plan),
                       data_summary(session, plan));
        }
        if (request.reads_texts) {
            warn_of_batch_size(session, *component_context.log);
            refuse_unknown_words(session, true);
            warn_of_unlike_scales(session);
        }
        count_parameters(session.components, result.parameters);
    } catch (...) {
        result.warnings = sink->warnings;  // may be what the error follows from
        throw;
    }
    result.warnings = sink->warnings;  // also those of components that ended
}

}  // namespace ptp::engine
