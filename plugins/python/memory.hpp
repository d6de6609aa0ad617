// Tensors of libtorch as memory, without copies in either direction.
#pragma once

#include <ptp/abi.h>

#include <memory>
#include <string>

namespace ptp::python {

struct Memory {
    ptp_tensor_view view{};       // its shape and strides live as long as the owner
    std::shared_ptr<void> owner;  // keeps the memory
};

// The memory of a tensor, without its history; shared, so that it may be kept. Throws
// ptp::DataError for one that is not strided, and for numbers that DLPack has not.
Memory memory_of(const ptp_value& tensor);

// The same numbers in memory that belongs to nothing else, on the same device.
Memory copy_of_memory(const Memory& memory);

// Makes the output a tensor on `device` ("" is where it is) that uses this memory and keeps its
// owner; reals of another size are copied to float32, signed integers to int64. Throws
// ptp::DataError for a type or strides that libtorch has not.
void set_tensor(ptp_value& output, const Memory& memory, const std::string& device);

// The file of the libtorch that this process uses.
std::string libtorch_file();

}  // namespace ptp::python
