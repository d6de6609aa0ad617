#include "pipeline/draw/picture.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::pipeline {

namespace {

// 61706 -> "61,706"
std::string grouped(std::int64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
        text.insert(static_cast<std::size_t>(i), 1, ',');
    }
    return text;
}

std::string parameters_text(const ParameterCount& count) {
    if (count.all == 0) {
        return "";
    }
    if (count.trained == count.all) {
        return fmt::format("{} parameters", grouped(count.all));
    }
    return fmt::format("{} parameters, {} trained", grouped(count.all), grouped(count.trained));
}

class Drawer {
public:
    Drawer(const Plan& plan, const ParameterCounts& counts) : plan_(plan), counts_(counts) {
        for (const Stream& stream : plan.streams) {
            picture_.streams.push_back(
                {.name = stream.name,
                 .carried = carried_text(plan, stream.element, stream.shape, stream.has_shape),
                 .element = stream.element});
        }
    }

    Picture run() {
        picture_.task_count = plan_.tasks.size();
        for (const Node& task : plan_.tasks) {
            if (task.indices_stream >= 0) {
                write(task.indices_stream);
            }
            add(task);
        }
        for (const Node& node : plan_.nodes) {
            add(node);
        }
        return std::move(picture_);
    }

private:
    void add(const Node& node) {
        const int number = static_cast<int>(picture_.nodes.size());
        PictureNode drawn{.name = node.name,
                          .type = node.component->name,
                          .kind = node.component->kind,
                          .is_frozen = node.is_frozen,
                          .is_partly_frozen = !node.is_frozen && !node.frozen_layers.empty()};
        if (const auto found = counts_.find(node.name); found != counts_.end()) {
            const ParameterCount& count = found->second;
            drawn.parameters = parameters_text(count);
            drawn.is_frozen = drawn.is_frozen || (count.all > 0 && count.trained == 0);
            drawn.is_partly_frozen = !drawn.is_frozen && count.trained < count.all;
        }
        for (const Binding& input : node.inputs) {
            add_port(node, input, true, drawn);
        }
        for (const Binding& output : node.outputs) {
            add_port(node, output, false, drawn);
        }
        for (const PicturePort& port : drawn.ports) {
            PictureStream& stream = picture_.streams[static_cast<std::size_t>(port.stream)];
            if (!port.is_input) {
                write(port.stream);
            } else if (stream.readers.empty() || stream.readers.back() != number) {
                stream.readers.push_back(number);
            }
        }
        picture_.nodes.push_back(std::move(drawn));
    }

    // The node that is added next writes the stream.
    void write(int number) {
        PictureStream& stream = picture_.streams[static_cast<std::size_t>(number)];
        stream.writer = stream.writer < 0 ? static_cast<int>(picture_.nodes.size()) : stream.writer;
    }

    void add_port(const Node& node, const Binding& binding, bool is_input, PictureNode& drawn) {
        if (binding.stream < 0) {
            return;
        }
        const Stream& stream = plan_.streams[static_cast<std::size_t>(binding.stream)];
        drawn.ports.push_back(
            {.is_input = is_input,
             .is_loss = node.component->ports[static_cast<std::size_t>(binding.port)].is_loss,
             .stream = binding.stream,
             .name = binding.name,
             .carried = binding.has_shape
                            ? carried_text(plan_, stream.element, binding.shape, true)
                            : carried_text(plan_, stream.element, stream.shape, stream.has_shape)});
    }

    const Plan& plan_;
    const ParameterCounts& counts_;
    Picture picture_;
};

}  // namespace

Picture picture_of(const Plan& plan, const ParameterCounts& counts) {
    return Drawer(plan, counts).run();
}

std::string frozen_text(const PictureNode& node) {
    return node.is_frozen ? "frozen" : node.is_partly_frozen ? "partly frozen" : "";
}

std::string carried_text(const Plan& plan, plugin::Element element,
                         const std::vector<Dimension>& shape, bool has_shape) {
    const bool is_number = has_shape && shape.empty();
    if (element == plugin::Element::kFloating) {
        return is_number ? "a number" : shape_text(plan, shape, has_shape);
    }
    return element_text(element) + " " + shape_text(plan, shape, has_shape);
}

}  // namespace ptp::pipeline
