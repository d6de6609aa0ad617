// What the modules of a component draw, first weights and dropout, comes from a generator of its
// own: what other components there are, and what they draw, changes none of its numbers.
//
// libtorch's modules are given no generator, they take the one of the process. While the
// component is called its own generator replaces libtorch's default one, which costs a few
// pointers: it is borrowed, and no reference is counted.

#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace ptp::engine {

// libtorch's own generators for the CPU and for a device, which may be the CPU too.
class LibtorchGenerators {
public:
    explicit LibtorchGenerators(at::Device device);

    // Puts them back: where a call that replaced them was abandoned, and at the end.
    void restore() const;

    [[nodiscard]] const at::Generator& of_cpu() const { return cpu_; }

private:
    at::Device device_;
    at::Generator cpu_;
    at::Generator device_generator_;  // undefined: the device is the CPU
};

// While it lives, libtorch draws from these, which must outlive it. [step] One thread at a time
// may have one, and no other thread may draw from libtorch's own meanwhile and expect a certain
// number.
class OwnGenerator {
public:
    // On the CPU both are the same one.
    OwnGenerator(const at::Generator& cpu, const at::Generator& device);
    ~OwnGenerator();
    OwnGenerator(const OwnGenerator&) = delete;
    OwnGenerator& operator=(const OwnGenerator&) = delete;

private:
    // Where libtorch keeps a generator, and what it kept there before.
    struct Place {
        at::Generator* place = nullptr;  // nullptr: there is none
        const at::Generator* borrowed = nullptr;
        c10::GeneratorImpl* before = nullptr;  // with its reference

        void put(at::Generator& at, const at::Generator& generator);
        void put_back();
    };

    Place cpu_;
    Place device_;  // none: the device is the CPU
};

}  // namespace ptp::engine
