// Lets the modules of a component, above all for their initial weights and for dropout, draw random
// numbers from the component's own generator, independent of which other components there are and
// what they draw.
//
// libtorch's modules are not passed a generator, they use the process's default one. During a call,
// the component's own generator replaces it at the cost of a few pointers: it is borrowed, without
// counting a reference.

#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace ptp::engine {

// libtorch's own generators for the CPU and for a device, which may also be the CPU.
class LibtorchGenerators {
public:
    explicit LibtorchGenerators(at::Device device);

    // Restores them: after an abandoned call that replaced them, and at the end.
    void restore() const;

private:
    at::Device device_;
    at::Generator cpu_;
    at::Generator device_generator_;  // undefined if the device is the CPU
};

// While it exists, libtorch draws from these generators, which must outlive it. [step] One thread
// at a time may have one; meanwhile, other threads must not rely on libtorch's own generator.
class OwnGenerator {
public:
    // For the CPU, both are the same generator.
    OwnGenerator(const at::Generator& cpu, const at::Generator& device);
    ~OwnGenerator();
    OwnGenerator(const OwnGenerator&) = delete;
    OwnGenerator& operator=(const OwnGenerator&) = delete;

private:
    // The place in which libtorch keeps a generator, and the generator that was there before.
    struct Place {
        at::Generator* place = nullptr;  // nullptr if there is none
        const at::Generator* borrowed = nullptr;
        c10::GeneratorImpl* before = nullptr;  // owns one reference

        void put(at::Generator& at, const at::Generator& generator);
        void put_back();
    };

    Place cpu_;
    Place device_;  // none if the device is the CPU
};

}  // namespace ptp::engine
