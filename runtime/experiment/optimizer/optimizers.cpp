// Reads and sets the options that several optimizers have, such as `lr`, for whichever type it is.

#include "experiment/optimizer/optimizers.hpp"

namespace ptp::optimizer {

std::string_view name_of(const Any& any) {
    return std::visit([](const auto& one) { return one.kName; }, any);
}

double& lr_of(Any& any) {
    return std::visit([](auto& one) -> double& { return one.lr; }, any);
}
double lr_of(const Any& any) {
    return std::visit([](const auto& one) { return one.lr; }, any);
}

std::optional<bool> fused_of(const Any& any) {
    return std::visit(
        []<class O>(const O& one) -> std::optional<bool> {
            if constexpr (kHasFused<O>) {
                return one.fused;
            } else {
                return false;
            }
        },
        any);
}
void set_fused(Any& any, std::optional<bool> fused) {
    std::visit(
        [&]<class O>(O& one) {
            if constexpr (kHasFused<O>) {
                one.fused = fused;
            }
        },
        any);
}

bool uses_closure(const Any& any) {
    return std::visit([]<class O>(const O&) { return kNeedsClosure<O>; }, any);
}

}  // namespace ptp::optimizer
