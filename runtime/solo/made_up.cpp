// Makes up the task around a component that is tried, with the streams, globals and sizes that the
// component declares; and the values of those streams.

#include "solo/lone_trial.hpp"

#include "base/text.hpp"
#include "engine/solo_requests.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

std::int64_t size_for(std::string_view name, const Guess& guess) {
    constexpr std::int64_t kColors = 3;
    for (const std::string_view word : {"height", "width", "side"}) {
        if (name.find(word) != std::string_view::npos) {
            return guess.side;
        }
    }
    return name.find("channel") != std::string_view::npos ? kColors : guess.size;
}

// Returns the n-th of the globals that are not sizes.
Value constant_of(const Guess& guess, std::size_t n) {
    std::vector<Value> words;
    Value numbers;
    for (std::int64_t i = 0; i < guess.size; ++i) {
        words.emplace_back(std::string(1, static_cast<char>('a' + i)));
        numbers.set(words.back().as_string(), i);
    }
    switch (guess.constants.at(n % guess.constants.size())) {
        case Guess::Constant::kWords:
            return Value::list(std::move(words));
        case Guess::Constant::kNumbersOfWords:
            return numbers;
        case Guess::Constant::kNumber:
            break;
    }
    return guess.size;
}

// Returns the globals, by their names in the pipeline, that the component reads and does not write.
std::set<std::string> read_globals(const pipeline::Node& node) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        const plugin::Global& global = node.component->globals[i];
        if (global.access != plugin::GlobalAccess::kRead || !node.has_global[i]) {
            continue;
        }
        for (const auto& [declared, name] : node.globals) {
            if (declared == global.name || global.name.starts_with('$')) {
                names.insert(name);
            }
        }
    }
    for (const plugin::Global& global : node.component->globals) {
        if (global.access == plugin::GlobalAccess::kWrite) {
            names.erase(global.name);
        }
    }
    return names;
}

// Returns the symbols of sizes that the component itself publishes.
std::set<int> published_symbols(const pipeline::Plan& plan, const pipeline::Node& node) {
    std::set<int> symbols;
    for (const plugin::Global& global : node.component->globals) {
        const auto name = node.globals.find(global.name);
        const auto symbol =
            plan.global_symbols.find(name == node.globals.end() ? global.name : name->second);
        if (global.is_written() && symbol != plan.global_symbols.end()) {
            symbols.insert(symbol->second);
        }
    }
    return symbols;
}

// Returns a size that the plan requires, or a made-up one; "" if the component will publish it.
std::string size_text(const pipeline::Plan& plan, int symbol, const Guess& guess) {
    const pipeline::Symbol& known = plan.symbols[static_cast<std::size_t>(symbol)];
    if (!known.size && published_symbols(plan, plan.nodes.front()).contains(symbol)) {
        return "";
    }
    return std::to_string(known.size ? *known.size : size_for(known.name, guess));
}

std::string shape_text(const pipeline::Plan& plan, const pipeline::Binding& input,
                       const Guess& guess) {
    if (!input.has_shape) {
        std::string text = "B";
        for (std::int64_t i = 1; i < guess.rank; ++i) {
            text += fmt::format(", {}", guess.size);
        }
        return text;
    }
    std::vector<std::string> texts;
    for (const pipeline::Dimension& dimension : input.shape) {
        if (dimension.symbol == pipeline::kBatchSymbol) {
            texts.emplace_back("B");
        } else if (dimension.symbol < 0) {
            texts.push_back(std::to_string(dimension.size.value_or(guess.size)));
        } else {
            const std::string size = size_text(plan, dimension.symbol, guess);
            texts.push_back(size.empty() ? "*" : size);
        }
    }
    return join(texts, ", ");
}

// Returns the task that writes the component's streams. Without a plan, they have any shape; with a
// plan made that way, they and the globals have the sizes that the component requires there.
Feeder feeder_for(const pipeline::Draft& draft, const std::set<std::string>& unwired,
                  const pipeline::Plan* plan, const Guess& guess) {
    Feeder feeder;
    std::set<std::string> written = {"", "indices"};
    for (std::size_t i = 0; i < draft.node.inputs.size(); ++i) {
        const std::string& stream = draft.node.inputs[i].wire.stream;
        if (unwired.contains(draft.node.inputs[i].name) || !written.insert(stream).second) {
            continue;
        }
        const plugin::Element element = draft.port(draft.node.inputs[i]).element;
        feeder.write(
            stream, element == plugin::Element::kAny ? plugin::Element::kFloating : element,
            plan == nullptr ? "..." : shape_text(*plan, plan->nodes.front().inputs[i], guess));
    }
    for (const std::string& name : read_globals(draft.node)) {
        const bool is_size = plan != nullptr && plan->global_symbols.contains(name);
        feeder.publish(name, is_size ? size_text(*plan, plan->global_symbols.at(name), guess) : "");
    }
    return feeder;
}

// Returns the optional inputs that are not to be wired. Their streams get their usual names, which
// nothing writes.
std::set<std::string> take_unwired(experiment::ComponentEntry& entry) {
    std::set<std::string> ports;
    std::erase_if(entry.names.streams, [&](const experiment::Renaming& one) {
        return one.to == engine::kUnwired && ports.insert(one.from).second;
    });
    return ports;
}

using SizeList = std::vector<std::int64_t>;

at::Tensor reals_of(const SizeList& sizes, MadeUpReals reals) {
    if (reals == MadeUpReals::kLogProbabilities && sizes.size() > 1) {
        return at::log_softmax(at::randn(sizes), -1);
    }
    return at::rand(sizes);
}

// Fills each row with a word of constant_of(), or with two.
void fill_text(bool has_lists, const InputOptions& options, Slot& slot) {
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint64_t> rows = {0};
    const auto row_count = static_cast<std::uint64_t>(options.batch_size);
    const std::uint64_t count = has_lists ? 2 * row_count : row_count;
    const at::Tensor drawn =
        at::randint(options.guess.size, {static_cast<std::int64_t>(count)}, at::kLong);
    std::string bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        bytes += static_cast<char>('a' + drawn.data_ptr<std::int64_t>()[i]);
        offsets.push_back(bytes.size());
        if (i % 2 == 1) {
            rows.push_back(i + 1);
        }
    }
    slot.text.assign({bytes.data(), offsets.data(), count, has_lists ? rows.data() : nullptr,
                      has_lists ? row_count : 0});
}

// Returns the sizes of an input. One that is still unknown is set by the component, or arbitrary.
SizeList sizes_of(const pipeline::Plan& plan, const pipeline::Binding& input,
                  const InputOptions& options) {
    const auto& stream = plan.streams[static_cast<std::size_t>(input.stream)];
    SizeList sizes;
    for (std::size_t i = 0; i < stream.shape.size(); ++i) {
        auto size = pipeline::size_of(plan, stream.shape[i]);
        if (!size && input.has_shape) {
            size = pipeline::size_of(plan, input.shape[i]);
        }
        const bool is_batch = stream.shape[i].symbol == pipeline::kBatchSymbol;
        sizes.push_back(is_batch ? options.batch_size : size.value_or(options.guess.size));
    }
    return sizes;
}

// Returns truths; exactly one is true for each sample among the streams of a port.
at::Tensor truths_of(const pipeline::Node& node, std::size_t input, const SizeList& sizes) {
    std::int64_t count = 0;
    std::int64_t own = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const bool is_beside = node.inputs[i].port == node.inputs[input].port;
        own += is_beside && i < input ? 1 : 0;
        count += is_beside ? 1 : 0;
    }
    if (count == 1 || sizes.empty()) {
        return at::randint(2, sizes, at::kBool);
    }
    SizeList of_rows(sizes.size(), 1);
    of_rows.front() = sizes.front();
    const at::Tensor is_own = at::arange(sizes.front()).remainder(count).eq(own);
    return is_own.view(of_rows).expand(sizes).clone();
}

void fill(const pipeline::Node& node, std::size_t input, const SizeList& sizes,
          const InputOptions& options, Slot& slot) {
    constexpr std::int64_t kClasses = 2;  // valid indices for any number of classes
    constexpr std::int64_t kBytes = 256;
    // An optional one may be a length, which is at least 1, or a mask, which needs a true one.
    const bool is_optional = node.port(node.inputs[input]).is_optional;
    switch (slot.element) {
        case PTP_INTEGER:
            slot.tensor =
                is_optional ? at::ones(sizes, at::kLong) : at::randint(kClasses, sizes, at::kLong);
            break;
        case PTP_BOOL:
            slot.tensor = is_optional ? at::ones(sizes, at::kBool) : truths_of(node, input, sizes);
            break;
        case PTP_BYTE:
            slot.tensor = at::randint(kBytes, sizes, at::kByte);
            break;
        case PTP_STRING:
        case PTP_TOKENS:
            fill_text(slot.element == PTP_TOKENS, options, slot);
            break;
        case PTP_TENSOR_LIST:
            slot.list.resize(static_cast<std::uint64_t>(options.batch_size));
            for (at::Tensor& tensor : slot.list.tensors()) {
                tensor =
                    reals_of({sizes.begin() + (sizes.empty() ? 0 : 1), sizes.end()}, options.reals);
            }
            break;
        default: {
            const bool are_shares =
                node.port(node.inputs[input]).meaning.starts_with("probabilities");
            slot.tensor = are_shares && sizes.size() > 1 ? at::softmax(at::randn(sizes), -1)
                                                         : reals_of(sizes, options.reals);
            break;
        }
    }
}

// Returns a copy with the elements of the tensor in another order between its own.
at::Tensor strided_copy(const at::Tensor& tensor) {
    const at::Tensor other = tensor.dim() == 0 ? tensor : tensor.flip(0);
    return at::stack({tensor, other}, -1).select(-1, 0);
}

at::Tensor in_memory(InputMemory memory, const at::Tensor& tensor) {
    return !tensor.defined() || memory == InputMemory::kPlain ? tensor
           : memory == InputMemory::kGuarded                  ? guarded_copy(tensor)
                                                              : strided_copy(tensor);
}

}  // namespace

MadeUpPipeline::MadeUpPipeline(const LoneEntry& lone, const Guess& made_up_guess)
    : LonePlan(lone, {.batch_size = kMadeUpBatch}),
      guess(made_up_guess),
      settings(lone.entry.settings) {
    if (lone.component.kind == plugin::Kind::kTask) {
        assemble();
        return;
    }
    experiment::ComponentEntry& entry = experiment.pipeline.components.front();
    const std::set<std::string> unwired = take_unwired(entry);
    Diagnostics problems;
    const auto draft =
        pipeline::draft_component(entry, experiment.pipeline, {catalog, lone.home, problems});
    if (!draft || !problems.ok()) {
        throw NoPlan(problems);
    }
    assemble(feeder_for(*draft, unwired, nullptr, guess));
    const Feeder feeder = feeder_for(*draft, unwired, &plan, guess);
    assemble(feeder);
    for (const plugin::Global& global : feeder.globals) {
        const auto symbol = plan.global_symbols.find(global.name);
        if (symbol == plan.global_symbols.end()) {
            globals.push_back({global.name, {}, constant_of(guess, constant_count++)});
        } else if (const auto size = plan.symbols[static_cast<std::size_t>(symbol->second)].size) {
            globals.push_back({global.name, {}, Value(*size)});
        }
    }
}

at::Tensor guarded_copy(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.contiguous();
    const std::size_t bytes = plain.nbytes();
    if (bytes == 0) {
        return tensor;
    }
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t readable = (bytes + page - 1) / page * page;
    void* const memory = ::mmap(nullptr, readable + page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return tensor;
    }
    char* const begin = static_cast<char*>(memory);
    ::mprotect(begin + readable, page, PROT_NONE);
    char* const data = begin + (readable - bytes);
    std::memcpy(data, plain.data_ptr(), bytes);
    const auto give_back = [memory, readable, page](void*) { ::munmap(memory, readable + page); };
    return at::from_blob(data, plain.sizes(), give_back, plain.options());
}

void make_up_inputs(const pipeline::Plan& plan, const pipeline::Node& node,
                    const InputOptions& options, Frame& frame) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].stream < 0) {
            continue;
        }
        Slot& slot = frame[node.inputs[i].stream];
        fill(node, i, sizes_of(plan, node.inputs[i], options), options, slot);
        slot.tensor = in_memory(options.memory, slot.tensor);
        for (at::Tensor& tensor : slot.list.tensors()) {
            tensor = in_memory(options.memory, tensor);
        }
    }
}

}  // namespace ptp::solo
