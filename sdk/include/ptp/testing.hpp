// Tests of components, through the built plugin and the C boundary, as in the host.
//
//   ptp::testing::Plugin plugin("build/lib/ptp/plugins/vision_models.so");
//   auto net = plugin.make("LeNet5", "", {.sizes = {{"prediction_size", 10}}});
//   at::Tensor predictions = net.forward(images);
//
//   auto same = plugin.make_from("type = 'LeNet5'", {.sizes = {{"prediction_size", 10}}});
//
//   net.run({{"inputs", ptp::testing::sines({2, 1, 32, 32})}});          tensors.hpp
//   CHECK(ptp::testing::gradient_difference(net, inputs) == "");         gradients.hpp
//   auto losses = ptp::testing::train(net, inputs, {.loss = squares});   training.hpp
//
// Settings are TOML text; Wiring has the sizes, globals and streams that the experiment's other
// components would provide. Errors of the component are thrown as ptp::ConfigError, ptp::DataError
// and std::runtime_error, with its message. Ranges are not checked here, because the host checks
// them. One file of a test program includes ptp/testing/toml.hpp as well. Needs libtorch and
// toml++; one thread at a time, except Component::fetch().
#pragma once

#include <ptp/testing/component.hpp>
#include <ptp/testing/gradients.hpp>
#include <ptp/testing/plugin.hpp>
#include <ptp/testing/tensors.hpp>
#include <ptp/testing/training.hpp>
