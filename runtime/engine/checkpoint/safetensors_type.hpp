// The names of types in safetensors.

#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <string_view>

namespace ptp::engine {

struct SafetensorsType {
    std::string_view name;
    at::ScalarType type;
};

inline constexpr std::array<SafetensorsType, 10> kSafetensorsTypes = {{
    {"F64", at::kDouble},
    {"F32", at::kFloat},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"I64", at::kLong},
    {"I32", at::kInt},
    {"I16", at::kShort},
    {"I8", at::kChar},
    {"U8", at::kByte},
    {"BOOL", at::kBool},
}};

}  // namespace ptp::engine
