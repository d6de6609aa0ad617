#include "engine/conformance/guarded_tensor.hpp"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace ptp::engine {

namespace {

// Between its elements lie those of the tensor in another order.
at::Tensor strided_copy(const at::Tensor& tensor) {
    const at::Tensor other = tensor.dim() == 0 ? tensor : tensor.flip(0);
    return at::stack({tensor, other}, -1).select(-1, 0);
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

void change_memory(const pipeline::Node& node, InputMemory memory, Frame& frame) {
    if (memory == InputMemory::kPlain) {
        return;
    }
    const auto changed = memory == InputMemory::kGuarded ? guarded_copy : strided_copy;
    for (const pipeline::Binding& input : node.inputs) {
        if (input.stream < 0) {
            continue;
        }
        Slot& slot = frame[input.stream];
        if (slot.tensor.defined()) {
            slot.tensor = changed(slot.tensor);
        }
        for (at::Tensor& tensor : slot.list.tensors()) {
            tensor = changed(tensor);
        }
    }
}

}  // namespace ptp::engine
