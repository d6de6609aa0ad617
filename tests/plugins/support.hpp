// First-party components are tested through the built plugin, as a user meets them. The code that
// opens plugins and plays the host is compiled once, in support.cpp.
#pragma once

#include <ptp/error.hpp>
#include <ptp/testing.hpp>

#include <torch/types.h>
#include <torch/utils.h>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using ptp::testing::Component;
using ptp::testing::Slots;
using ptp::testing::Wiring;

// A component of the plugin build/<preset>/lib/ptp/plugins/<plugin>.so.
Component build(const std::string& plugin, std::string_view type, std::string_view settings = "",
                Wiring wiring = {});

// Gives every parameter values that follow a formula: 0.1 * cos(k) for element k.
void set_by_formula(Component& component);

// Names of the parameters that have no gradient, or one that is all zeros.
std::vector<std::string> without_gradient(Component& component);

at::Tensor floats(const std::vector<double>& values, at::IntArrayRef shape);
at::Tensor integers(const std::vector<int64_t>& values);
at::Tensor bools(const std::vector<int64_t>& values);

}  // namespace test
