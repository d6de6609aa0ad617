#include "engine/component/own_generator.hpp"

#include "engine/component/compat.hpp"

#include <ATen/Context.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <optional>
#include <stdexcept>

namespace own_generator_test {

using ptp::engine::LibtorchGenerators;
using ptp::engine::OwnGenerator;

namespace {

at::Generator seeded(std::uint64_t seed) {
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
    generator.set_current_seed(seed);
    return generator;
}

at::Tensor drawn_from(const at::Generator& generator) {
    return torch::rand({5}, generator);
}

}  // namespace

TEST_CASE("own generator: modules draw from it, and libtorch's own stays where it was") {
    at::manual_seed(3);
    const at::Generator own = seeded(9);
    {
        const OwnGenerator in_place(own, own);
        CHECK(torch::equal(torch::rand({5}), drawn_from(seeded(9))));
        CHECK(torch::dropout(torch::ones({64}), 0.5, true).eq(0).any().item<bool>());
    }
    CHECK(torch::equal(torch::rand({5}), drawn_from(seeded(3))));
    CHECK_FALSE(torch::equal(drawn_from(own), drawn_from(seeded(9))));  // It has gone on.
}

TEST_CASE("own generator: an exception puts libtorch's own back") {
    at::manual_seed(3);
    try {
        const at::Generator own = seeded(9);
        const OwnGenerator in_place(own, own);
        throw std::runtime_error("from a component");
    } catch (const std::runtime_error&) {
    }
    CHECK(torch::equal(torch::rand({5}), drawn_from(seeded(3))));
}

TEST_CASE("own generator: libtorch's own can be put back while a call has replaced it") {
    at::manual_seed(3);
    const at::Generator before = at::globalContext().defaultGenerator(at::kCPU);
    const LibtorchGenerators libtorch(at::kCPU);
    const at::Generator own = seeded(9);
    std::optional<OwnGenerator> replaced;
    replaced.emplace(own, own);
    libtorch.restore();
    CHECK(torch::equal(torch::rand({5}), drawn_from(seeded(3))));
    replaced.reset();
    libtorch.restore();
    CHECK(at::globalContext().defaultGenerator(at::kCPU) == before);
}

}  // namespace own_generator_test
