#include "pipeline/mismatch.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/size_fix.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// "    training (MNIST) writes [B, 1, 28, 28]"
std::string end_text(const Mismatch& mismatch, const StreamEnd& end) {
    return fmt::format("\n    {} {} {} as '{}'", node_text(end.draft->node),
                       end.is_reader ? "reads" : "writes",
                       shape_text(mismatch.shapes.sizes, *end.shape), end.port);
}

// Whence the numbers that differ come, where the shapes do not show it.
std::string origins_text(const Mismatch& mismatch) {
    std::vector<std::string> lines;
    for (const std::size_t i : mismatch.differing) {
        const auto& stream = mismatch.shapes.streams[static_cast<std::size_t>(mismatch.stream)];
        for (const SourcedDimension* dimension :
             {&stream.dimensions[i], &mismatch.second.shape->dimensions[i]}) {
            const auto size = mismatch.shapes.sizes.size_of(*dimension);
            if (!size || !size->source.is_known()) {
                continue;
            }
            std::string line =
                fmt::format("\n    {}: {}", dimension_text(dimension->dimension.name, size->number),
                            size->source.origin());
            if (std::ranges::find(lines, line) == lines.end()) {
                lines.push_back(std::move(line));
            }
        }
    }
    return join(lines, "");
}

// Fixes -------------------------------------------------------------------------------------------

// Changes what decides the sizes of `end` so that they equal `other`. A reader that takes
// its sizes from others is not fixed by changing those.
std::string fix_by_setting(const Mismatch& mismatch, const StreamEnd& end, const StreamEnd& other) {
    std::vector<WantedSize> wanted;
    for (const std::size_t i : mismatch.differing) {
        const auto here = mismatch.shapes.sizes.size_of(end.shape->dimensions[i]);
        const auto there = mismatch.shapes.sizes.size_of(other.shape->dimensions[i]);
        if (!here || !there) {
            return "";
        }
        if (end.is_reader && here->source.draft != end.draft) {
            return "";
        }
        wanted.push_back({here->source, there->number});
    }
    return setting_fix(mismatch.assembly, wanted);
}

// A reader that takes a size from a global may take it from another one, or from the stream itself.
std::string fix_by_global(const Mismatch& mismatch) {
    if (mismatch.differing.size() != 1) {
        return "";
    }
    const std::size_t i = mismatch.differing.front();
    const Dimension& reader = mismatch.second.shape->dimensions[i].dimension;
    const Node& node = mismatch.second.draft->node;
    const auto read = node.globals.find(reader.name);
    const auto wanted = mismatch.shapes.sizes.size_of(mismatch.first.shape->dimensions[i]);
    if (read == node.globals.end() || !wanted) {
        return "";
    }
    for (const auto& [name, symbol] : mismatch.shapes.globals) {
        const SourcedDimension global{{.size = std::nullopt, .symbol = symbol, .name = name}, {}};
        const auto size = mismatch.shapes.sizes.size_of(global);
        if (name == read->second || !size || size->number != wanted->number) {
            continue;
        }
        return fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(read->first), name,
                           node.path);
    }
    const auto& declared = node.component->globals;
    const auto global = std::ranges::find(declared, reader.name, &plugin::Global::name);
    const bool may_be_left_out =
        global != declared.end() && global->access == plugin::GlobalAccess::kReadIfNamed;
    if (!may_be_left_out) {
        return "";
    }
    return fmt::format("leave '{}' out of the globals of {}: it then follows from the stream",
                       reader.name, node.path);
}

bool fits(const SizeTable& sizes, const SourcedShape& stream, const SourcedShape& reader) {
    if (!stream.is_known || stream.dimensions.size() != reader.dimensions.size()) {
        return false;
    }
    for (std::size_t i = 0; i < reader.dimensions.size(); ++i) {
        const auto here = sizes.size_of(stream.dimensions[i]);
        const auto there = sizes.size_of(reader.dimensions[i]);
        if (here && there && here->number != there->number) {
            return false;
        }
    }
    return true;
}

// A stream of the tasks or of an earlier component that has the right shape.
std::string fix_by_stream(const Mismatch& mismatch) {
    const auto& streams = mismatch.assembly.streams;
    const auto element = streams[static_cast<std::size_t>(mismatch.stream)].element;
    const Draft* reader = mismatch.second.draft;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const bool is_behind_reader =
            std::ranges::any_of(streams[i].writers, [&](const Writer& writer) {
                const Draft& source = mismatch.assembly.writer(streams[i], writer);
                return &source == reader || sources_of(mismatch.assembly, source).contains(reader);
            });
        const bool is_other = static_cast<int>(i) != mismatch.stream && !is_behind_reader &&
                              streams[i].element == element;
        const auto& shape = mismatch.shapes.streams[i];
        if (!is_other || is_of_host(streams[i]) ||
            !fits(mismatch.shapes.sizes, shape, *mismatch.second.shape)) {
            continue;
        }
        const StreamEnd& end = mismatch.second;
        const std::string& where = end.draft->node.path;
        if (!end.streams_setting.empty()) {
            return fmt::format("stream '{0}' has this shape: name it \"{0}\" in {1}.{2}",
                               streams[i].name, where, end.streams_setting);
        }
        return fmt::format(
            "stream '{0}' has this shape: write streams = {{ {1} = \"{0}\" }} in {2}",
            streams[i].name, toml_key(end.port), where);
    }
    return "";
}

// One integer for each sample is the index of its class, which losses over numbers do not take.
std::string fix_by_loss(const Mismatch& mismatch) {
    const auto& stream = mismatch.assembly.streams[static_cast<std::size_t>(mismatch.stream)];
    const Node& node = mismatch.second.draft->node;
    const bool are_classes =
        stream.element == plugin::Element::kInteger && mismatch.first.shape->dimensions.size() == 1;
    if (!are_classes || node.component->kind != plugin::Kind::kLoss) {
        return "";
    }
    return fmt::format(
        "class indices need a loss for classes, such as CrossEntropyLoss or NLLLoss; {} takes a "
        "row of numbers for each sample, which a OneHot before {} makes of them",
        node.component->name, node.path);
}

// The setting with which a port of this name has as many dimensions as the stream: such a port
// exists under all conditions that hold but one.
std::string fix_by_mode(const Mismatch& mismatch) {
    const Draft& draft = *mismatch.second.draft;
    const auto& ports = draft.node.component->ports;
    const auto is_input = [&](const plugin::Port& port) {
        return port.name == mismatch.second.port && port.direction == plugin::Direction::kInput;
    };
    const Settings settings{*draft.node.component, draft.node.settings};
    const auto used = std::ranges::find_if(ports, [&](const plugin::Port& port) {
        return is_input(port) && holds(parse_condition(port.when), settings);
    });
    if (used == ports.end()) {
        return "";
    }
    const auto more = static_cast<std::ptrdiff_t>(mismatch.first.shape->dimensions.size()) -
                      static_cast<std::ptrdiff_t>(mismatch.second.shape->dimensions.size());
    for (const plugin::Port& port : ports) {
        const bool has_dimensions =
            std::ranges::count(port.shape, ',') == std::ranges::count(used->shape, ',') + more;
        if (!is_input(port) || &port == &*used || !has_dimensions) {
            continue;
        }
        std::string change = change_to_hold(parse_condition(port.when), settings, draft.node.path);
        if (!change.empty()) {
            return change;
        }
    }
    return "";
}

const Binding* reading_port(const Mismatch& mismatch) {
    const auto& inputs = mismatch.second.draft->node.inputs;
    const auto found = std::ranges::find(inputs, mismatch.second.port, &Binding::name);
    return found == inputs.end() ? nullptr : &*found;
}

// A model with another number of dimensions would be another model.
std::string fix_by_count(const Mismatch& mismatch) {
    const Binding* input = reading_port(mismatch);
    const plugin::Kind kind = mismatch.second.draft->node.component->kind;
    const bool compares = kind == plugin::Kind::kLoss || kind == plugin::Kind::kStatistic;
    return input == nullptr || !compares
               ? ""
               : count_fix(mismatch.shapes, *mismatch.second.draft, *input,
                           std::ssize(mismatch.first.shape->dimensions));
}

// The setting with which the writer has this output in as many dimensions as the reader takes.
std::string fix_by_other_output(const Mismatch& mismatch) {
    const Node& node = mismatch.first.draft->node;
    const Settings settings{*node.component, node.settings};
    const auto element =
        mismatch.assembly.streams[static_cast<std::size_t>(mismatch.stream)].element;
    for (const plugin::Port& port : node.component->ports) {
        const bool is_output = port.name == mismatch.first.port && port.element == element &&
                               port.direction == plugin::Direction::kOutput;
        const auto shape = is_output ? expand(parse_shape(port.shape), settings) : std::nullopt;
        if (!shape || shape->size() != mismatch.second.shape->dimensions.size()) {
            continue;
        }
        std::string change = change_to_hold(parse_condition(port.when), settings, node.path);
        if (!change.empty()) {
            return change;
        }
    }
    return "";
}

// A transform that makes the wanted shape of this stream is there, but its output is not read.
std::string fix_by_unread_output(const Mismatch& mismatch) {
    const auto& components = mismatch.assembly.components;
    const StreamEnd& reader = mismatch.second;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const Node& node = components[i].node;
        const bool reads_it = std::ranges::any_of(
            node.inputs, [&](const Binding& input) { return input.stream == mismatch.stream; });
        const bool is_other = components[i].is_sound && &components[i] != reader.draft &&
                              node.component->kind == plugin::Kind::kTransform && reads_it;
        for (std::size_t k = 0; is_other && k < node.outputs.size(); ++k) {
            const int stream = node.outputs[k].stream;
            const SourcedShape& shape = mismatch.shapes.components[i].outputs[k];
            if (stream < 0 || !fits(mismatch.shapes.sizes, shape, *reader.shape)) {
                continue;
            }
            return fmt::format("read what {} writes: streams = {{ {} = \"{}\" }} in {}",
                               node_text(node), toml_key(reader.port),
                               mismatch.assembly.streams[static_cast<std::size_t>(stream)].name,
                               reader.draft->node.path);
        }
    }
    return "";
}

// The samples' other dimensions made one, where it is known how many values that are. Scores have
// the dimensions that a loss takes, or another component has to make them.
std::string fix_by_reshaping(const Mismatch& mismatch) {
    const auto& from = mismatch.first.shape->dimensions;
    const Node& reader = mismatch.second.draft->node;
    const bool can_flatten = mismatch.second.shape->dimensions.size() == 2 && from.size() > 2;
    const bool are_known =
        !from.empty() && std::ranges::all_of(from.begin() + 1, from.end(), [&](const auto& one) {
            return mismatch.shapes.sizes.size_of(one).has_value();
        });
    if (can_flatten && (reader.component->kind != plugin::Kind::kModel || !are_known)) {
        return "";
    }
    return fmt::format("insert a {} before {}", can_flatten ? "Flatten" : "ReshapeTensor",
                       reader.path);
}

// Another shape does not help where the stream carries something else than the port takes.
bool has_other_element(const Mismatch& mismatch) {
    const Binding* input = reading_port(mismatch);
    const auto wanted =
        input == nullptr ? plugin::Element::kAny : mismatch.second.draft->port(*input).element;
    return wanted != plugin::Element::kAny &&
           wanted != mismatch.assembly.streams[static_cast<std::size_t>(mismatch.stream)].element;
}

std::string likely_fix(const Mismatch& mismatch) {
    if (!mismatch.second.is_reader) {
        return fix_by_setting(mismatch, mismatch.second, mismatch.first);
    }
    std::string fix = mismatch.differing.empty() ? fix_by_count(mismatch) : "";
    if (fix.empty()) {
        fix = fix_by_loss(mismatch);
    }
    if (!fix.empty() || has_other_element(mismatch)) {
        return fix;
    }
    if (mismatch.differing.empty()) {
        fix = fix_by_mode(mismatch);
        if (!fix.empty()) {
            return fix;
        }
        const bool can_flatten = mismatch.second.shape->dimensions.size() == 2 &&
                                 mismatch.first.shape->dimensions.size() > 2;
        fix = fix_by_unread_output(mismatch);
        if (fix.empty()) {
            fix = fix_by_other_output(mismatch);
        }
        if (fix.empty() && !can_flatten) {
            fix = fix_by_stream(mismatch);
        }
        return fix.empty() ? fix_by_reshaping(mismatch) : fix;
    }
    fix = fix_by_setting(mismatch, mismatch.second, mismatch.first);
    if (fix.empty()) {
        fix = fix_by_global(mismatch);
    }
    if (fix.empty()) {
        fix = fix_by_setting(mismatch, mismatch.first, mismatch.second);
    }
    return fix.empty() ? fix_by_stream(mismatch) : fix;
}

std::string headline(const Mismatch& mismatch) {
    const std::string& name =
        mismatch.assembly.streams[static_cast<std::size_t>(mismatch.stream)].name;
    if (!mismatch.second.is_reader) {
        return fmt::format("the sections disagree on stream '{}'", name);
    }
    if (!mismatch.differing.empty()) {
        return fmt::format("stream '{}' has another shape than '{}' takes", name,
                           mismatch.second.port);
    }
    const std::size_t takes = mismatch.second.shape->dimensions.size();
    return fmt::format("takes {} dimension{} as '{}', but stream '{}' has {}", takes,
                       takes == 1 ? "" : "s", mismatch.second.port, name,
                       mismatch.first.shape->dimensions.size());
}

}  // namespace

std::string shape_text(const SizeTable& sizes, const SourcedShape& shape) {
    std::vector<std::string> parts;
    for (const SourcedDimension& dimension : shape.dimensions) {
        const auto size = sizes.size_of(dimension);
        parts.push_back(dimension_text(dimension.dimension.name,
                                       size ? std::optional(size->number) : std::nullopt));
    }
    return fmt::format("[{}]", join(parts, ", "));
}

std::string report_mismatch(const Mismatch& mismatch, Diagnostics& problems) {
    const std::string message = headline(mismatch) + end_text(mismatch, mismatch.first) +
                                end_text(mismatch, mismatch.second) + origins_text(mismatch);
    const Node& node = mismatch.second.draft->node;
    std::string fix = likely_fix(mismatch);
    report(node, node.place, Explanation{message, fix}, problems);
    return fix;
}

void report_globals(const Draft& draft, const std::vector<GlobalConflict>& conflicts,
                    const std::vector<std::string>& fixes, Diagnostics& problems) {
    std::string message = "publishes other sizes than another section:";
    for (const GlobalConflict& conflict : conflicts) {
        message +=
            fmt::format("\n    {} = {}, but it is {} ({})", conflict.global, conflict.second.number,
                        conflict.first.number, conflict.first.source.origin());
    }
    std::vector<WantedSize> wanted;
    for (const GlobalConflict& conflict : conflicts) {
        wanted.push_back({conflict.second.source, conflict.first.number});
    }
    // The fix of a stream may change this section, too: two values would contradict each other.
    const auto changes_it = std::ranges::find_if(fixes, [&](const std::string& fix) {
        const std::size_t siblings = fix.find(kSameIn);
        return siblings != std::string::npos &&
               fix.find(draft.node.path, siblings) != std::string::npos;
    });
    const std::string fix = changes_it == fixes.end() ? setting_fix({}, wanted) : *changes_it;
    report(draft.node, draft.node.place, Explanation{message, fix}, problems);
}

}  // namespace ptp::pipeline
