// The exchange of libtorch's default generators for those of a component, without counting
// references.

#include "engine/component/own_generator.hpp"

#include "engine/component/compat.hpp"

#include <cassert>
#include <memory>

namespace ptp::engine {

namespace {

// Stores the component's own generator. Any other generator there is borrowed and keeps its owner.
void put_own(at::Generator& place, const at::Generator& own) {
    if (place != own) {
        place.unsafeReleaseGeneratorImpl();
        place = own;
    }
}

// Fills an empty place, which has nothing to destroy, without counting a reference.
void fill(at::Generator* place, c10::GeneratorImpl* generator) {
    assert(!place->defined());
    if (generator != nullptr) {
        std::construct_at(place, c10::intrusive_ptr<c10::GeneratorImpl>::reclaim(generator));
    }
}

// Returns where libtorch keeps its CPU generator, which never moves.
at::Generator& libtorch_cpu_generator() {
    static at::Generator& generator = compat::default_generator(at::kCPU);
    return generator;
}

}  // namespace

LibtorchGenerators::LibtorchGenerators(at::Device device)
    : device_(device), cpu_(compat::default_generator(at::kCPU)) {
    if (!device.is_cpu()) {
        device_generator_ = compat::default_generator(device);
    }
}

void LibtorchGenerators::restore() const {
    put_own(compat::default_generator(at::kCPU), cpu_);
    if (device_generator_.defined()) {
        put_own(compat::default_generator(device_), device_generator_);
    }
}

void OwnGenerator::Place::put(at::Generator& at, const at::Generator& generator) {
    place = &at;
    borrowed = &generator;
    before = at.unsafeReleaseGeneratorImpl();
    fill(place, generator.unsafeGetGeneratorImpl());
}

// After a restore(), libtorch's own generator is already there; the previous one may be borrowed,
// too.
void OwnGenerator::Place::put_back() {
    if (place == nullptr) {
        return;
    }
    if (*place == *borrowed) {
        place->unsafeReleaseGeneratorImpl();
        fill(place, before);
    }
}

OwnGenerator::OwnGenerator(const at::Generator& cpu, const at::Generator& device) {
    cpu_.put(libtorch_cpu_generator(), cpu);
    if (device != cpu) {
        device_.put(compat::default_generator(device.device()), device);
    }
}

OwnGenerator::~OwnGenerator() {
    cpu_.put_back();
    device_.put_back();
}

}  // namespace ptp::engine
