// Fuses layers of a list.
#include "layer_list.hpp"

#include "max_pool.hpp"

namespace layers {

namespace {

bool is_two_by_two(const ptp::detail::Layer& layer) {
    const auto is = [&](const char* setting, int64_t number) {
        const ptp::Data* const value = layer.settings().find(setting);
        return value == nullptr || std::ranges::all_of(value->as_list(), [&](const ptp::Data& one) {
                   return one.as_integer() == number;
               });
    };
    const ptp::Data* const ceil_mode = layer.settings().find("ceil_mode");
    return layer.type() == "MaxPool2d" && is("kernel_size", 2) && is("stride", 2) &&
           is("padding", 0) && is("dilation", 1) && (ceil_mode == nullptr || !ceil_mode->as_bool());
}

}  // namespace

ptp::LayerList make_list(const ptp::Layers& layers, const ptp::Setup& setup) {
    ptp::LayerList list(layers, setup);
    list.fuse([](const ptp::detail::Layer& first,
                 const ptp::detail::Layer& second) -> ptp::LayerList::Fused {
        return first.type() == "ReLU" && is_two_by_two(second) ? ptp::support::relu_max_pool_2x2
                                                               : nullptr;
    });
    return list;
}

}  // namespace layers
