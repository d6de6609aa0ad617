#include "engine/component/own_generator.hpp"

#include "engine/component/compat.hpp"

#include <utility>

namespace ptp::engine {

LibtorchGenerators::LibtorchGenerators(at::Device device)
    : device_(device), cpu_(compat::default_generator(at::kCPU)) {
    if (!device.is_cpu()) {
        device_generator_ = compat::default_generator(device);
    }
}

void LibtorchGenerators::restore() const {
    compat::default_generator(at::kCPU) = cpu_;
    if (device_generator_.defined()) {
        compat::default_generator(device_) = device_generator_;
    }
}

OwnGenerator::OwnGenerator(const at::Generator& cpu, const at::Generator& device)
    : cpu_place_(compat::default_generator(at::kCPU)),
      device_place_(device == cpu ? nullptr : &compat::default_generator(device.device())),
      cpu_before_(std::exchange(cpu_place_, cpu)) {
    if (device_place_ != nullptr) {
        device_before_ = std::exchange(*device_place_, device);
    }
}

OwnGenerator::~OwnGenerator() {
    cpu_place_ = std::move(cpu_before_);
    if (device_place_ != nullptr) {
        *device_place_ = std::move(device_before_);
    }
}

}  // namespace ptp::engine
