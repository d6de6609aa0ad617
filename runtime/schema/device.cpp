// Checks whether a device can be named so, and exists.

#include "schema/device.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ptp::schema {

std::string device_problem(const std::string& name, int count) {
    if (name == "cpu") {
        return "";
    }
    if (count == 0) {
        return "libtorch finds no CUDA device here";
    }
    // Does not use libtorch's parser, whose indices have 8 bits: 256 would become 0.
    int index = 0;
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
        std::from_chars(name.data() + colon + 1, name.data() + name.size(), index);
    }
    if (index < count) {
        return "";
    }
    return count == 1
               ? "the one CUDA device here is cuda:0"
               : fmt::format("the {} CUDA devices here are cuda:0 to cuda:{}", count, count - 1);
}

}  // namespace ptp::schema
