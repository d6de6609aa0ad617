// The tensors of an older build of a component, for the newer one that takes its place while a
// training runs.
#pragma once

#include <ptp/ext/draft/migrate.h>
#include <ptp/error.hpp>
#include <ptp/values.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptp {

// The argument of migrate(const OldTensors&): the tensors of the older build. Tensors with the same
// name, role, type and shape in both builds have been copied already; the component's other tensors
// are as its constructor made them. Change them in place, without gradients:
//
//   void migrate(const ptp::OldTensors& old) {
//       torch::NoGradGuard guard;
//       hidden->weight.zero_();
//       hidden->weight.slice(0, 0, old.at("hidden.weight").size(0)).copy_(old.at("hidden.weight"));
//   }
class OldTensors {
public:
    OldTensors(const ptp_old_tensor* tensors, std::uint64_t count)
        : tensors_(tensors, static_cast<std::size_t>(count)) {}

    // Returns the tensor of this name, valid during the call of migrate(); nullptr if the older
    // build had none.
    const detail::InputTensor* find(std::string_view name) const {
        for (const ptp_old_tensor& old : tensors_) {
            if (old.name == name) {
                return reinterpret_cast<const detail::InputTensor*>(old.tensor);
            }
        }
        return nullptr;
    }

    // Returns the tensor of this name. Throws DataError, which refuses the swap, if the older build
    // had none.
    const detail::InputTensor& at(std::string_view name) const {
        if (const detail::InputTensor* tensor = find(name)) {
            return *tensor;
        }
        std::string names;
        for (const ptp_old_tensor& old : tensors_) {
            names += (names.empty() ? "" : ", ") + std::string(old.name);
        }
        throw DataError("the older build has no tensor '" + std::string(name) + "'; it has " +
                        (names.empty() ? "none" : names));
    }

private:
    std::span<const ptp_old_tensor> tensors_;
};

}  // namespace ptp
