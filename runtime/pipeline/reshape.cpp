// Outputs that hold the values of an input in another shape.

#include "base/number.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using Dimensions = std::vector<Dimension>;

// The product of the sizes that are known, and how many are not.
struct Count {
    std::int64_t known = 1;
    std::size_t unknown = 0;
    std::size_t batches = 0;  // of the unknown: the number of samples

    // The number of values of a sample is known.
    [[nodiscard]] bool is_of_samples() const { return batches == 1 && unknown == 1; }
};

std::optional<Count> count(const SizeTable& table, const Dimensions& shape) {
    Count result;
    for (const Dimension& dimension : shape) {
        const auto size = table.number_of(dimension);
        if (!size) {
            ++result.unknown;
            result.batches += table.is_batch(dimension) ? 1 : 0;
        } else if (__builtin_mul_overflow(result.known, *size, &result.known)) {
            return std::nullopt;
        }
    }
    return result;
}

// An output with the values of the first input in another shape, and that input.
struct Reshaped {
    const std::string& input_name;
    Dimensions input;
    Count before;  // values of the input
    Binding& output;
    Count after;  // values of the output
};

// Returns the shape that the component asks for, with the sizes that it gets where it takes any;
// nullopt if it is not known.
std::optional<Dimensions> input_shape(const Solving& of, const Binding& input) {
    if (input.stream < 0) {
        return input.has_shape ? std::optional(input.shape) : std::nullopt;
    }
    const WiredStream& flowing = of.assembly.stream(input.stream);
    if (!input.has_shape) {
        return flowing.has_shape ? std::optional(flowing.shape) : std::nullopt;
    }
    Dimensions shape = input.shape;
    for (std::size_t i = 0; i < shape.size() && flowing.shape.size() == shape.size(); ++i) {
        if (!of.sizes.table.number_of(shape[i])) {
            shape[i] = flowing.shape[i];
        }
    }
    return shape;
}

// Returns the outputs whose shape and that of the input are known; with `as_it_flows`, the shape of
// the output's stream counts.
std::vector<Reshaped> reshaped(const Solving& of, bool as_it_flows) {
    std::vector<Reshaped> result;
    Node& node = of.draft.node;
    if (node.inputs.empty()) {
        return result;
    }
    // The first input with a stream, of those that exist under different conditions.
    const auto wired = std::ranges::find_if(
        node.inputs, [](const Binding& binding) { return binding.stream >= 0; });
    const Binding& first = wired == node.inputs.end() ? node.inputs.front() : *wired;
    for (Binding& output : node.outputs) {
        if (!node.port(output).is_reshaped || output.stream < 0) {
            continue;
        }
        const WiredStream& stream = of.assembly.stream(output.stream);
        const auto input = input_shape(of, first);
        if (!input || !(as_it_flows ? stream.has_shape : output.has_shape)) {
            continue;
        }
        const auto before = count(of.sizes.table, *input);
        const auto after = count(of.sizes.table, as_it_flows ? stream.shape : output.shape);
        if (before && after) {
            result.push_back({first.name, *input, *before, output, *after});
        }
    }
    return result;
}

// An unknown size, such as the batch's, may be any number, 1 too.
bool is_possible(const Count& input, const Count& output) {
    const auto divides = [](std::int64_t part, std::int64_t whole) {
        return part != 0 && whole % part == 0;
    };
    if (input.unknown == 0 && output.unknown == 0) {
        return input.known == output.known;
    }
    if (output.unknown == 0) {
        return divides(input.known, output.known);
    }
    if (input.unknown == 0 || (input.is_of_samples() && output.batches == 1)) {
        return divides(output.known, input.known);
    }
    return divides(input.known, output.known) || divides(output.known, input.known);
}

// The change of the only size of the output that is known.
std::string fix_text(const Solving& of, const Dimensions& output, const Count& input) {
    std::vector<WantedSize> wanted;
    for (const Dimension& dimension : output) {
        if (const auto size = of.sizes.table.size_of(dimension)) {
            wanted.push_back({size->source, input.known});
        }
    }
    return wanted.size() == 1 ? setting_fix(of.assembly, wanted) : "";
}

// Returns the fix of fix_text(), or a general one where several sizes could change.
std::string sample_fix_text(const Solving& of, const Dimensions& output, const Count& input) {
    std::string fix = fix_text(of, output, input);
    for (std::size_t i = 0; fix.empty() && i < output.size(); ++i) {
        const auto size = of.sizes.table.size_of(output[i]);
        if (size && size->source.draft == &of.draft && !size->source.setting.empty()) {
            fix = fmt::format("choose the sizes of {}.{} so that their product is {}",
                              of.draft.node.path, size->source.setting, input.known);
        }
    }
    return fix;
}

// "    'net' (Dense) reads it as [B, input_size = 392]": the first reader that takes batches.
std::string reader_text(const Solving& of, int stream) {
    for (const Draft& draft : of.assembly.components) {
        for (const Binding& input : draft.node.inputs) {
            const bool takes_batches = std::ranges::any_of(
                input.shape,
                [&](const Dimension& dimension) { return of.sizes.table.is_batch(dimension); });
            if (input.stream == stream && takes_batches) {
                return fmt::format("\n    {} reads it as {}", node_text(draft.node),
                                   shape_text(of.sizes.table, input.shape));
            }
        }
    }
    return "";
}

// Returns the shape as text, with "B" for the number of samples, even if the component declares
// "*".
std::string batch_text(const SizeTable& table, Dimensions shape) {
    for (Dimension& dimension : shape) {
        if (table.is_batch(dimension)) {
            dimension.name = std::string(1, 'B');
        }
    }
    return shape_text(table, shape);
}

std::string values_text(const Count& count) {
    return counted(count.known, "value") + (count.unknown == 0 ? "" : ", times what is not known");
}

}  // namespace

void complete_reshaped(const Solving& of) {
    for (const Reshaped& one : reshaped(of, false)) {
        std::vector<Dimension*> free;  // sizes that nothing determines yet
        for (Dimension& dimension : one.output.shape) {
            if (!dimension.size && dimension.symbol < 0) {
                free.push_back(&dimension);
            }
        }
        if (free.size() != 2 || free.front() != one.output.shape.data() || one.input.empty() ||
            !of.sizes.table.is_batch(one.input.front()) || !one.before.is_of_samples()) {
            continue;
        }
        *free.front() = symbol_dimension(kBatchSymbol, "B");
        if (one.after.known != 0 && one.before.known % one.after.known == 0) {
            *free.back() =
                of.sizes.table.number(one.before.known / one.after.known,
                                      {.text = "computed by " + node_text(of.draft.node)});
        }
    }
}

void check_reshaped(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const SizeTable& table = of.sizes.table;
    for (const auto& [name, input, before, output, after] : reshaped(of, false)) {
        if (is_possible(before, after)) {
            continue;
        }
        report(node, node.place,
               Explanation{fmt::format("the values of '{}' do not fit into '{}'"
                                       "\n    '{}' is {}: {}\n    '{}' is {}: {}",
                                       name, output.name, name, shape_text(table, input),
                                       values_text(before), output.name,
                                       shape_text(table, output.shape), values_text(after)),
                           fix_text(of, output.shape, before)},
               problems);
    }
}

void check_samples_stay_whole(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const SizeTable& table = of.sizes.table;
    for (const auto& [name, input, before, output, after] : reshaped(of, true)) {
        if (!before.is_of_samples() || !after.is_of_samples() || before.known == after.known) {
            continue;
        }
        const Dimensions& shape = of.assembly.stream(output.stream).shape;
        report(node, node.place,
               Explanation{fmt::format("a sample of '{}' does not become one sample of '{}'"
                                       "\n    '{}' is {}: {} for each sample"
                                       "\n    '{}' is {}: {} for each sample{}",
                                       name, output.name, name, batch_text(table, input),
                                       counted(before.known, "value"), output.name,
                                       batch_text(table, shape), counted(after.known, "value"),
                                       reader_text(of, output.stream)),
                           sample_fix_text(of, shape, before)},
               problems);
    }
}

}  // namespace ptp::pipeline
