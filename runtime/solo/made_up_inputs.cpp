// Makes up the values that a component reads, by the declarations of its inputs.

#include "solo/lone_trial.hpp"

#include "pipeline/sizes.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace ptp::solo {

namespace {

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

void fill_list(const SizeList& sizes, const InputOptions& options, Slot& slot) {
    const SizeList of_one(sizes.begin() + (sizes.empty() ? 0 : 1), sizes.end());
    slot.list.resize(static_cast<std::uint64_t>(options.batch_size));
    for (at::Tensor& tensor : slot.list.tensors()) {
        tensor = reals_of(of_one, options.reals);
    }
}

class ValueMaker {
public:
    ValueMaker(const pipeline::Plan& plan, const pipeline::Node& node, const InputOptions& options)
        : plan_(plan), node_(node), options_(options) {}

    void fill(std::size_t input, Slot& slot) const {
        constexpr std::int64_t kClasses = 2;  // valid indices for any number of classes
        constexpr std::int64_t kBytes = 256;
        const SizeList sizes = sizes_of(node_.inputs[input]);
        switch (slot.element) {
            case PTP_INTEGER:
                slot.tensor = at::randint(kClasses, sizes, at::kLong);
                break;
            case PTP_BOOL:
                slot.tensor = truths_of(input, sizes);
                break;
            case PTP_BYTE:
                slot.tensor = at::randint(kBytes, sizes, at::kByte);
                break;
            case PTP_STRING:
            case PTP_TOKENS:
                fill_text(slot.element == PTP_TOKENS, options_, slot);
                break;
            case PTP_TENSOR_LIST:
                fill_list(sizes, options_, slot);
                break;
            default:
                slot.tensor = reals_of(sizes, options_.reals);
                break;
        }
    }

private:
    // Returns the sizes. One that is still unknown is set by the component, or arbitrary.
    [[nodiscard]] SizeList sizes_of(const pipeline::Binding& input) const {
        const auto& stream = plan_.streams[static_cast<std::size_t>(input.stream)];
        SizeList sizes;
        for (std::size_t i = 0; i < stream.shape.size(); ++i) {
            auto size = pipeline::size_of(plan_, stream.shape[i]);
            if (!size && input.has_shape) {
                size = pipeline::size_of(plan_, input.shape[i]);
            }
            const bool is_batch = stream.shape[i].symbol == pipeline::kBatchSymbol;
            sizes.push_back(is_batch ? options_.batch_size : size.value_or(options_.guess.size));
        }
        return sizes;
    }

    [[nodiscard]] at::Tensor truths_of(std::size_t input, const SizeList& sizes) const {
        std::int64_t count = 0;
        std::int64_t own = 0;
        for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
            if (node_.inputs[i].port == node_.inputs[input].port) {
                own = i < input ? own + 1 : own;
                ++count;
            }
        }
        if (count == 1 || sizes.empty()) {
            return at::randint(2, sizes, at::kBool);
        }
        SizeList of_rows(sizes.size(), 1);
        of_rows.front() = sizes.front();
        return at::arange(sizes.front())
            .remainder(count)
            .eq(own)
            .view(of_rows)
            .expand(sizes)
            .clone();
    }

    const pipeline::Plan& plan_;
    const pipeline::Node& node_;
    const InputOptions& options_;
};

// Returns a copy with the elements of the tensor in another order between its own.
at::Tensor strided_copy(const at::Tensor& tensor) {
    const at::Tensor other = tensor.dim() == 0 ? tensor : tensor.flip(0);
    return at::stack({tensor, other}, -1).select(-1, 0);
}

// Replaces the tensors of a slot by equal ones.
void change_memory(InputMemory memory, Slot& slot) {
    const auto changed = memory == InputMemory::kGuarded ? guarded_copy : strided_copy;
    if (slot.tensor.defined()) {
        slot.tensor = changed(slot.tensor);
    }
    for (at::Tensor& tensor : slot.list.tensors()) {
        tensor = changed(tensor);
    }
}

}  // namespace

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
    const ValueMaker maker(plan, node, options);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].stream < 0) {
            continue;
        }
        Slot& slot = frame[node.inputs[i].stream];
        maker.fill(i, slot);
        if (options.memory != InputMemory::kPlain) {
            change_memory(options.memory, slot);
        }
    }
}

}  // namespace ptp::solo
