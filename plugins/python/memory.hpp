// Shares tensors of libtorch as memory, without copies in either direction.
#pragma once

#include <ptp/abi.h>

#include <memory>
#include <string>

namespace ptp::python {

struct Memory {
    ptp_tensor_view view{};       // shape and strides live as long as the owner
    std::shared_ptr<void> owner;  // keeps the memory alive
};

// Returns the memory of a tensor, without its history; shared, so that it may be kept. Throws
// ptp::DataError for a tensor that is not strided, and for types that DLPack does not have.
Memory memory_of(const ptp_value& tensor);

// Returns a copy with its own memory on the same device.
Memory copy_of_memory(const Memory& memory);

// Makes the output a tensor on `device` ("" is where it is) that uses this memory and keeps its
// owner; reals of another size are copied to float32, signed integers to int64. Throws
// ptp::DataError for a type or strides that libtorch does not support.
void set_tensor(ptp_value& output, const Memory& memory, const std::string& device);

// Returns the file of the libtorch that this process uses.
std::string libtorch_file();

}  // namespace ptp::python
