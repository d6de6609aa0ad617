#include "engine/pretrained/old_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::engine {

namespace {

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
    return std::ranges::find(words, word) != words.end();
}

// Removes and returns the text after the last dot.
std::string_view cut_last(std::string_view& name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) {
        return {};
    }
    const std::string_view last = name.substr(dot + 1);
    name = name.substr(0, dot);
    return last;
}

bool ends_with_dense_layer(std::string_view name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last != std::string_view::npos && last + 1 < name.size() &&
           name.substr(0, last + 1).ends_with("denselayer");
}

}  // namespace

std::string present_name(const std::string& name) {
    std::string_view layer = name;
    const std::string_view tensor = cut_last(layer);
    const std::string_view number = cut_last(layer);
    const std::string_view kind = cut_last(layer);
    const bool is_old = is_one_of<4>(tensor, {"weight", "bias", "running_mean", "running_var"}) &&
                        is_one_of<2>(number, {"1", "2"}) &&
                        is_one_of<3>(kind, {"norm", "relu", "conv"}) &&
                        ends_with_dense_layer(layer);
    return is_old ? std::string(layer) + "." + std::string(kind) + std::string(number) + "." +
                        std::string(tensor)
                  : name;
}

}  // namespace ptp::engine
