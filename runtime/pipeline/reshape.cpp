// Outputs that hold the values of an input in another shape.
#include "pipeline/derive.hpp"

#include "base/number.hpp"
#include "pipeline/mismatch.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// The product of the sizes that are known, and how many are not.
struct Count {
    std::int64_t known = 1;
    std::size_t unknown = 0;
    std::size_t batches = 0;  // of the unknown: the number of samples

    // The number of values of a sample is known.
    [[nodiscard]] bool is_of_samples() const { return batches == 1 && unknown == 1; }
};

std::optional<Count> count(const SizeTable& sizes, const SourcedShape& shape) {
    Count result;
    for (const SourcedDimension& dimension : shape.dimensions) {
        const auto size = sizes.size_of(dimension);
        if (!size) {
            ++result.unknown;
            result.batches += sizes.is_batch(dimension) ? 1 : 0;
        } else if (__builtin_mul_overflow(result.known, size->number, &result.known)) {
            return std::nullopt;
        }
    }
    return result;
}

// The first input with a stream, of those that exist under different conditions.
std::size_t first_input(const Node& node) {
    const auto found = std::ranges::find_if(
        node.inputs, [](const Binding& binding) { return binding.stream >= 0; });
    return found == node.inputs.end() ? 0 : static_cast<std::size_t>(found - node.inputs.begin());
}

// Returns the shape that the component asks for, with the sizes that it gets where it takes any.
SourcedShape input_shape(const Derivation& of) {
    const std::size_t input = first_input(of.draft.node);
    SourcedShape shape = of.own.inputs[input];
    const int stream = of.draft.node.inputs[input].stream;
    if (stream < 0) {
        return shape;
    }
    const SourcedShape& flowing = of.all.streams[static_cast<std::size_t>(stream)];
    if (!shape.is_known) {
        return flowing;
    }
    for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
        const bool is_free = !of.all.sizes.size_of(shape.dimensions[i]);
        if (is_free && flowing.dimensions.size() == shape.dimensions.size()) {
            shape.dimensions[i] = flowing.dimensions[i];
        }
    }
    return shape;
}

// The sizes that nothing determines yet.
std::vector<SourcedDimension*> free_sizes(SourcedShape& shape) {
    std::vector<SourcedDimension*> result;
    for (SourcedDimension& one : shape.dimensions) {
        if (!one.dimension.size && one.dimension.symbol < 0) {
            result.push_back(&one);
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
    if (input.unknown == 0) {
        return divides(output.known, input.known);
    }
    if (input.is_of_samples() && output.batches == 1) {
        return divides(output.known, input.known);
    }
    return divides(input.known, output.known) || divides(output.known, input.known);
}

// The change of the only size of the output that is known.
std::string fix_text(const Derivation& of, const SourcedShape& output, const Count& input) {
    std::vector<WantedSize> wanted;
    for (const SourcedDimension& dimension : output.dimensions) {
        if (const auto size = of.all.sizes.size_of(dimension)) {
            wanted.push_back({size->source, input.known});
        }
    }
    return wanted.size() == 1 ? setting_fix(of.assembly, wanted) : "";
}

// "    'net' (Dense) reads it as [B, input_size = 392]": the first reader that takes batches.
std::string reader_text(const Derivation& of, int stream) {
    for (std::size_t i = 0; i < of.assembly.components.size(); ++i) {
        const Node& node = of.assembly.components[i].node;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            const SourcedShape& shape = of.all.components[i].inputs[k];
            const bool takes_batches =
                std::ranges::any_of(shape.dimensions, [&](const SourcedDimension& dimension) {
                    return of.all.sizes.is_batch(dimension);
                });
            if (node.inputs[k].stream == stream && takes_batches) {
                return fmt::format("\n    {} reads it as {}", node_text(node),
                                   shape_text(of.all.sizes, shape));
            }
        }
    }
    return "";
}

// Returns the shape as text, with "B" for the number of samples, even if the component declares
// "*".
std::string batch_text(const SizeTable& sizes, SourcedShape shape) {
    for (SourcedDimension& dimension : shape.dimensions) {
        if (sizes.is_batch(dimension)) {
            dimension.dimension.name = std::string(1, 'B');
        }
    }
    return shape_text(sizes, shape);
}

// Returns the fix of fix_text(), or a general one where several sizes could change.
std::string sample_fix_text(const Derivation& of, const SourcedShape& output, const Count& input) {
    const std::string fix = fix_text(of, output, input);
    if (!fix.empty()) {
        return fix;
    }
    for (const SourcedDimension& dimension : output.dimensions) {
        const auto size = of.all.sizes.size_of(dimension);
        if (!size || size->source.draft != &of.draft || size->source.setting.empty()) {
            continue;
        }
        return fmt::format("choose the sizes of {}.{} so that their product is {}",
                           of.draft.node.path, size->source.setting, input.known);
    }
    return "";
}

std::string number_text(const Count& count) {
    return counted(count.known, "value");
}

std::string values_text(const Count& count) {
    return number_text(count) + (count.unknown == 0 ? "" : ", times what is not known");
}

}  // namespace

void complete_reshaped(const Derivation& of) {
    const Node& node = of.draft.node;
    const SizeTable& sizes = of.all.sizes;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        SourcedShape& output = of.own.outputs[i];
        if (!of.draft.port(node.outputs[i]).is_reshaped || !output.is_known ||
            node.outputs[i].stream < 0 || node.inputs.empty()) {
            continue;
        }
        const std::vector<SourcedDimension*> free = free_sizes(output);
        const SourcedShape input = input_shape(of);
        const auto before = count(sizes, input);
        const auto after = count(sizes, output);
        const bool is_determined = free.size() == 2 && free.front() == output.dimensions.data() &&
                                   input.is_known && !input.dimensions.empty() &&
                                   sizes.is_batch(input.dimensions.front()) && before &&
                                   before->is_of_samples() && after;
        if (!is_determined) {
            continue;
        }
        free.front()->dimension = {.size = std::nullopt, .symbol = kBatchSymbol, .name = "B"};
        if (after->known != 0 && before->known % after->known == 0) {
            free.back()->dimension.size = before->known / after->known;
            free.back()->source = {.text = "computed by " + node_text(node),
                                   .draft = nullptr,
                                   .setting = "",
                                   .index = {}};
        }
    }
}

void check_reshaped(const Derivation& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const SizeTable& sizes = of.all.sizes;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const SourcedShape& output = of.own.outputs[i];
        if (!of.draft.port(node.outputs[i]).is_reshaped || node.outputs[i].stream < 0 ||
            node.inputs.empty()) {
            continue;
        }
        const std::string& name = node.inputs[first_input(node)].name;
        const SourcedShape input = input_shape(of);
        const auto before = count(sizes, input);
        const auto after = count(sizes, output);
        if (!input.is_known || !output.is_known || !before || !after ||
            is_possible(*before, *after)) {
            continue;
        }
        report(node, node.place,
               Explanation{fmt::format("the values of '{}' do not fit into '{}'"
                                       "\n    '{}' is {}: {}\n    '{}' is {}: {}",
                                       name, node.outputs[i].name, name, shape_text(sizes, input),
                                       values_text(*before), node.outputs[i].name,
                                       shape_text(sizes, output), values_text(*after)),
                           fix_text(of, output, *before)},
               problems);
    }
}

void check_samples_stay_whole(const Derivation& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const SizeTable& sizes = of.all.sizes;
    for (const Binding& binding : node.outputs) {
        if (!of.draft.port(binding).is_reshaped || binding.stream < 0 || node.inputs.empty()) {
            continue;
        }
        const SourcedShape& output = of.all.streams[static_cast<std::size_t>(binding.stream)];
        const SourcedShape input = input_shape(of);
        const auto before = count(sizes, input);
        const auto after = count(sizes, output);
        const bool is_known = input.is_known && output.is_known && before && after &&
                              before->is_of_samples() && after->is_of_samples();
        if (!is_known || before->known == after->known) {
            continue;
        }
        const std::string& name = node.inputs[first_input(node)].name;
        report(
            node, node.place,
            Explanation{fmt::format("a sample of '{}' does not become one sample of '{}'"
                                    "\n    '{}' is {}: {} for each sample"
                                    "\n    '{}' is {}: {} for each sample{}",
                                    name, binding.name, name, batch_text(sizes, input),
                                    number_text(*before), binding.name, batch_text(sizes, output),
                                    number_text(*after), reader_text(of, binding.stream)),
                        sample_fix_text(of, output, *before)},
            problems);
    }
}

}  // namespace ptp::pipeline
