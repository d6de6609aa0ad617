// Tensor formats shared by the host and Python: the types of numbers, and DLPack.
#pragma once

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::python {

// DLManagedTensor of DLPack 0.8, whose first member is identical to ptp_tensor_view.
struct ManagedTensor {
    ptp_tensor_view tensor;
    void* context;
    void (*deleter)(ManagedTensor*);
};

inline constexpr const char* kCapsule = "dltensor";
inline constexpr const char* kUsedCapsule = "used_dltensor";

// DLManagedTensorVersioned of DLPack 1.0, which states whether the memory may be changed.
struct VersionedTensor {
    std::uint32_t major;
    std::uint32_t minor;
    void* context;
    void (*deleter)(VersionedTensor*);
    std::uint64_t flags;
    ptp_tensor_view tensor;
};

inline constexpr const char* kVersionedCapsule = "dltensor_versioned";
inline constexpr std::uint64_t kIsReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;

struct Format {
    const char* name;  // in the buffer protocol
    std::uint8_t code;
    std::uint8_t bits;
    const char* dtype;
};

inline constexpr Format kFormats[] = {
    {"f", 2, 32, "float32"}, {"d", 2, 64, "float64"}, {"e", 2, 16, "float16"},
    {"q", 0, 64, "int64"},   {"l", 0, 64, "int64"},   {"i", 0, 32, "int32"},
    {"h", 0, 16, "int16"},   {"b", 0, 8, "int8"},     {"B", 1, 8, "uint8"},
    {"?", 6, 8, "bool"},     {"", 4, 16, "bfloat16"}};

}  // namespace ptp::python
