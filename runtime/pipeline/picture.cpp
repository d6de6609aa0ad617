#include "pipeline/picture.hpp"

#include "pipeline/sizes.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ptp::pipeline {

namespace {

class Drawer {
public:
    explicit Drawer(const Plan& plan) : plan_(plan), box_of_stream_(plan.streams.size(), -1) {}

    Picture run() {
        add_tasks();
        for (const Node& node : plan_.nodes) {
            const int box = add_box(
                {Figure::component, "component " + node.name, node.name, node.component->name});
            for (const Binding& input : node.inputs) {
                if (input.stream >= 0)
                    add_line(box_of(input.stream), box);
            }
            for (const Binding& output : node.outputs) {
                if (output.stream < 0)
                    continue;
                const auto& ports = node.component->ports;
                const bool is_loss = ports[static_cast<std::size_t>(output.port)].is_loss;
                add_stream(output.stream, box, is_loss ? Figure::loss : figure_of(output.stream));
            }
        }
        return std::move(picture_);
    }

private:
    void add_tasks() {
        std::vector<std::string> sections;
        std::vector<std::string> types;
        for (const Node& task : plan_.tasks) {
            sections.push_back(task.name);
            const std::string& type = task.component->name;
            if (std::ranges::find(types, type) == types.end())
                types.push_back(type);
        }
        const int box =
            add_box({Figure::tasks, "tasks", fmt::format("{}", fmt::join(sections, ", ")),
                     fmt::format("{}", fmt::join(types, ", "))});
        for (std::size_t i = 0; i < plan_.streams.size(); ++i) {
            const int stream = static_cast<int>(i);
            if (plan_.streams[i].producer < 0 && is_read(stream))
                add_stream(stream, box, Figure::stream);
        }
    }

    Figure figure_of(int stream) const { return is_read(stream) ? Figure::stream : Figure::unread; }

    void add_stream(int number, int writer, Figure figure) {
        const Stream& stream = plan_.streams[static_cast<std::size_t>(number)];
        const int box =
            add_box({figure, "stream " + stream.name, stream.name,
                     carried_text(plan_, stream.element, stream.shape, stream.has_shape)});
        box_of_stream_[static_cast<std::size_t>(number)] = box;
        add_line(writer, box);
    }

    bool is_read(int stream) const {
        return std::ranges::any_of(plan_.nodes, [&](const Node& node) {
            return std::ranges::find(node.inputs, stream, &Binding::stream) != node.inputs.end();
        });
    }

    int box_of(int stream) const { return box_of_stream_[static_cast<std::size_t>(stream)]; }

    int add_box(PictureBox box) {
        picture_.boxes.push_back(std::move(box));
        return static_cast<int>(picture_.boxes.size()) - 1;
    }

    // A component that reads a stream twice has one line to it.
    void add_line(int from, int to) {
        const auto is_same = [&](const PictureLine& line) {
            return line.from == from && line.to == to;
        };
        if (std::ranges::none_of(picture_.lines, is_same))
            picture_.lines.push_back({from, to});
    }

    const Plan& plan_;
    std::vector<int> box_of_stream_;
    Picture picture_;
};

}  // namespace

Picture picture_of(const Plan& plan) {
    return Drawer(plan).run();
}

std::string carried_text(const Plan& plan, plugin::Element element,
                         const std::vector<Dimension>& shape, bool has_shape) {
    const bool is_number = has_shape && shape.empty();
    if (element == plugin::Element::floating) {
        return is_number ? "a number" : shape_text(plan, shape, has_shape);
    }
    return element_text(element) + " " + shape_text(plan, shape, has_shape);
}

}  // namespace ptp::pipeline
