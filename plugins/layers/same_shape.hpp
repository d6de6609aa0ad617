// The ports of layers that compute numbers of the same shape as their input.
#pragma once

#include <ptp/declare.hpp>

#include <array>

namespace layers {

// `meaning` is that of the output's numbers, nullptr: unknown; `taken` are those of the input,
// nullptr: any.
constexpr std::array<ptp::Port, 2> same_shape(const char* help, const char* meaning = nullptr,
                                              const char* taken = nullptr) {
    return {ptp::input("inputs", PTP_FLOAT, "...", "Any numbers").meaning(taken),
            ptp::output("outputs", PTP_FLOAT, "inputs[0:]", help).meaning(meaning)};
}

}  // namespace layers
