// Builds the messages for sizes that disagree. Each way to fix one is a function; likely_fix() has
// their order.
#include "pipeline/mismatch.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;

// Returns what the stream carries.
Element element_of(const Mismatch& mismatch) {
    return mismatch.assembly.stream(mismatch.stream).element;
}

// "    training (MNIST) writes [B, 1, 28, 28]"
std::string end_text(const Mismatch& mismatch, const StreamEnd& end) {
    return fmt::format("\n    {} {} {} as '{}'", node_text(end.draft->node),
                       end.is_reader ? "reads" : "writes",
                       shape_text(mismatch.shapes.sizes, *end.shape), end.port);
}

// Returns the origin of the numbers that differ, where the shapes do not show it.
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
        const SourcedDimension global = symbol_dimension(symbol, name);
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
    const Draft* reader = mismatch.second.draft;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const bool is_behind_reader =
            std::ranges::any_of(streams[i].writers, [&](const Writer& writer) {
                const Draft& source = mismatch.assembly.writer(streams[i], writer);
                return &source == reader || sources_of(mismatch.assembly, source).contains(reader);
            });
        const bool is_other = static_cast<int>(i) != mismatch.stream && !is_behind_reader &&
                              streams[i].element == element_of(mismatch);
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

std::size_t rank_of(const StreamEnd& end) {
    return end.shape->dimensions.size();
}

// Suggests a loss over classes: one integer for each sample is the index of its class, which losses
// over numbers do not take.
std::string fix_by_loss(const Mismatch& mismatch) {
    const Node& node = mismatch.second.draft->node;
    const bool are_classes = element_of(mismatch) == Element::kInteger &&
                             rank_of(mismatch.first) == 1 &&
                             node.component->kind == plugin::Kind::kLoss;
    const plugin::Catalog& catalog = *mismatch.assembly.catalog;
    const std::string losses = are_classes ? losses_for_classes(catalog) : "";
    if (losses.empty()) {
        return "";
    }
    const std::string transform = transform_between(
        catalog, {Element::kInteger, 1}, {Element::kFloating, rank_of(mismatch.second)}, false);
    return fmt::format(
        "class indices need a loss for classes, such as {}; {} takes a row of numbers for each "
        "sample{}",
        losses, node.component->name,
        transform.empty()
            ? ""
            : fmt::format(", which a {} before {} makes of them", transform, node.path));
}

// The setting with which the port of an end has as many dimensions as the other end.
std::string fix_by_port(const Mismatch& mismatch, const StreamEnd& end, const StreamEnd& other) {
    const auto direction = end.is_reader ? plugin::Direction::kInput : plugin::Direction::kOutput;
    return change_to_have(end.draft->node, direction, end.port,
                          [&](const plugin::Port& port, const Settings& settings) {
                              const auto shape = expand(parse_shape(port.shape), settings);
                              return port.element == element_of(mismatch) && shape &&
                                     shape->size() == rank_of(other);
                          });
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
                               mismatch.assembly.stream(stream).name, reader.draft->node.path);
        }
    }
    return "";
}

// Returns whether the samples' other dimensions can be made one.
bool can_flatten(const Mismatch& mismatch) {
    return rank_of(mismatch.second) == 2 && rank_of(mismatch.first) > 2;
}

// The samples' other dimensions made one, where it is known how many values that are. Scores have
// the dimensions that a loss takes, or another component has to make them.
std::string fix_by_reshaping(const Mismatch& mismatch) {
    const auto& from = mismatch.first.shape->dimensions;
    const Node& reader = mismatch.second.draft->node;
    const bool are_known =
        !from.empty() && std::ranges::all_of(from.begin() + 1, from.end(), [&](const auto& one) {
            return mismatch.shapes.sizes.size_of(one).has_value();
        });
    if (can_flatten(mismatch) && (reader.component->kind != plugin::Kind::kModel || !are_known)) {
        return "";
    }
    const Element element = element_of(mismatch);
    const std::string transform =
        transform_between(*mismatch.assembly.catalog, {element, rank_of(mismatch.first)},
                          {element, rank_of(mismatch.second)}, true);
    return transform.empty() ? "" : fmt::format("insert a {} before {}", transform, reader.path);
}

// Returns whether the stream carries other elements than the port takes, so that another shape does
// not help.
bool has_other_element(const Mismatch& mismatch) {
    const Binding* input = reading_port(mismatch);
    const auto wanted =
        input == nullptr ? Element::kAny : mismatch.second.draft->port(*input).element;
    return wanted != Element::kAny && wanted != element_of(mismatch);
}

// Returns the first fix that applies, in the order in which they are likely to be meant.
std::string likely_fix(const Mismatch& mismatch) {
    const StreamEnd& writer = mismatch.first;
    const StreamEnd& reader = mismatch.second;
    if (!reader.is_reader) {
        return fix_by_setting(mismatch, reader, writer);
    }
    const bool has_other_rank = mismatch.differing.empty();
    std::string fix = has_other_rank ? fix_by_count(mismatch) : "";
    const auto otherwise = [&](const auto& find) {
        if (fix.empty()) {
            fix = find();
        }
    };
    otherwise([&] { return fix_by_loss(mismatch); });
    if (has_other_element(mismatch)) {
        return fix;
    }
    if (has_other_rank) {
        otherwise([&] { return fix_by_port(mismatch, reader, writer); });
        otherwise([&] { return fix_by_unread_output(mismatch); });
        otherwise([&] { return fix_by_port(mismatch, writer, reader); });
        otherwise([&] { return can_flatten(mismatch) ? "" : fix_by_stream(mismatch); });
        otherwise([&] { return fix_by_reshaping(mismatch); });
        return fix;
    }
    otherwise([&] { return fix_by_setting(mismatch, reader, writer); });
    otherwise([&] { return fix_by_global(mismatch); });
    otherwise([&] { return fix_by_setting(mismatch, writer, reader); });
    otherwise([&] { return fix_by_stream(mismatch); });
    return fix;
}

std::string headline(const Mismatch& mismatch) {
    const std::string& name = mismatch.assembly.stream(mismatch.stream).name;
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
