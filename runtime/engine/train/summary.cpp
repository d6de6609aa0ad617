#include "engine/train/summary.hpp"

#include "plugin/catalog.hpp"
#include "plugin/enum_names.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/ScalarType.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cctype>
#include <vector>

namespace ptp::engine {

namespace {

struct Count {
    std::int64_t parameters = 0;
    std::int64_t trained = 0;
    std::int64_t buffers = 0;
    std::size_t bytes = 0;

    void add(const NamedTensor& named) {
        const std::int64_t numbers = named.tensor.numel();
        if (named.role == PTP_PARAMETER) {
            parameters += numbers;
            trained += named.tensor.requires_grad() ? numbers : 0;
        } else {
            buffers += numbers;
        }
        bytes += named.tensor.nbytes();
    }

    void add(const Count& other) {
        parameters += other.parameters;
        trained += other.trained;
        buffers += other.buffers;
        bytes += other.bytes;
    }

    [[nodiscard]] std::string text() const {
        return fmt::format("{} parameters, {} of them trained; {} numbers in buffers; {:.1f} KiB",
                           parameters, trained, buffers, static_cast<double>(bytes) / 1024);
    }
};

std::string title(const pipeline::Node& node) {
    return fmt::format("{} ({}, {} {})", node.name, node.component->name,
                       node.plugin->manifest.name, node.plugin->manifest.version);
}

// "float32"
std::string type_name(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kDouble:
            return "float64";
        case at::kFloat:
            return "float32";
        case at::kHalf:
            return "float16";
        case at::kLong:
            return "int64";
        case at::kInt:
            return "int32";
        case at::kByte:
            return "uint8";
        default:
            std::string name = c10::toString(tensor.scalar_type());
            for (char& c : name) {
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
            return name;
    }
}

std::string shape_text(at::IntArrayRef sizes) {
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

// Of one sample: without the batch.
std::string first_sample(const Slot& slot) {
    if (is_tensor(slot.element)) {
        return fmt::format("{} {}", type_name(slot.tensor),
                           shape_text(slot.tensor.sizes().slice(1)));
    }
    if (slot.element == PTP_TENSOR_LIST) {
        const at::Tensor& first = slot.list.tensors().front();
        return fmt::format("list of {} {} ...", type_name(first), shape_text(first.sizes()));
    }
    return std::string(plugin::to_string(static_cast<plugin::Element>(slot.element)));
}

std::string section_summary(BatchSource& source, const pipeline::Plan& plan) {
    const pipeline::Node& node = source.task().node();
    std::string text =
        fmt::format("  {}\n    {} samples, {} episodes of {}\n", title(node), source.sample_count(),
                    source.batch_count(), source.section().task.batch_size);
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

}  // namespace

std::string model_summary(const Components& components) {
    std::string text = "model\n";
    Count total;
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        Count count;
        std::string lines;
        for (const NamedTensor& named : instance->tensors()) {
            count.add(named);
            const char* role = named.role == PTP_BUFFER       ? "  buffer"
                               : named.tensor.requires_grad() ? ""
                                                              : "  frozen";
            lines += fmt::format("    {:<24}  {:<20}  {:>10}{}\n", named.name,
                                 shape_text(named.tensor.sizes()), named.tensor.numel(), role);
        }
        text += fmt::format("  {}\n{}", title(instance->node()), lines);
        if (!lines.empty()) {
            text += fmt::format("    {}\n", count.text());
        }
        total.add(count);
    }
    return text + fmt::format("  all: {}\n", total.text());
}

std::string data_summary(Session& session, const pipeline::Plan& plan) {
    std::string text = "data\n" + section_summary(*session.training, plan);
    for (const auto* source : {&session.validation, &session.test}) {
        if (*source) {
            text += section_summary(**source, plan);
        }
    }
    return text;
}

}  // namespace ptp::engine
