#include "loss_cases.hpp"

#include "support/golden.hpp"

#include <algorithm>
#include <limits>

namespace test {

namespace {

at::Tensor count_up(at::IntArrayRef sizes, at::ScalarType type) {
    return torch::arange(c10::multiply_integers(sizes), type);
}

struct Outcome {
    at::Tensor loss;
    double weight;
    at::Tensor gradients;  // of all that is differentiated, one after the other
};

Component make(const std::string& type, const LossCase& of) {
    return build("losses", type, of.settings, {.globals = of.globals});
}

Outcome run(Component& loss, const LossCase& of) {
    Slots streams;
    Inputs leaves;
    for (const auto& [name, tensor] : of.inputs) {
        at::Tensor input = tensor.detach().clone();
        if (std::ranges::find(of.differentiated, name) != of.differentiated.end()) {
            leaves[name] = input.requires_grad_();
        }
        streams.emplace(name, input);
    }
    Outcome result{.loss = loss.run(std::move(streams)).at("loss").tensor(),
                   .weight = loss.collect().at("loss_weight"),
                   .gradients = {}};
    CHECK(result.loss.dim() == 0);
    result.loss.backward();
    std::vector<at::Tensor> gradients;
    for (const std::string& name : of.differentiated) {
        gradients.push_back(leaves.at(name).grad().reshape(-1));
    }
    result.gradients = torch::cat(gradients);
    return result;
}

// Samples `from` to `to` of each input.
LossCase part(const LossCase& of, int64_t from, int64_t to) {
    LossCase result = of;
    for (auto& [name, tensor] : result.inputs) {
        tensor = tensor.slice(0, from, to);
    }
    return result;
}

}  // namespace

at::Tensor sines(at::IntArrayRef sizes, double phase) {
    return ((count_up(sizes, torch::kDouble) * 0.7 + phase).sin() * 1.5).reshape(sizes);
}

at::Tensor shares(at::IntArrayRef sizes) {
    return sines(sizes, 1.0) / 3 + 0.5;
}

at::Tensor classes(at::IntArrayRef sizes, int64_t count) {
    const at::Tensor k = count_up(sizes, torch::kLong);
    return (k * k + 1).remainder(count).reshape(sizes);
}

at::Tensor some_masks(at::IntArrayRef sizes) {
    return count_up(sizes, torch::kLong).remainder(3).ne(1).reshape(sizes);
}

at::Tensor sample_weights(int64_t count) {
    return (torch::arange(count, torch::kDouble).remainder(4) + 1) * 0.5;
}

void check_golden(const std::string& type, const LossCase& of) {
    CAPTURE(of.golden);
    const std::vector<double> expected = ptp::test::golden("losses", type + "." + of.golden);
    Component loss = make(type, of);
    const Outcome outcome = run(loss, of);
    REQUIRE(expected.size() == 2 + static_cast<size_t>(outcome.gradients.numel()));
    CHECK(outcome.loss.item<double>() == doctest::Approx(expected[0]).epsilon(1e-11));
    CHECK(outcome.weight == doctest::Approx(expected[1]));
    const at::Tensor gradients =
        torch::tensor(std::vector<double>(expected.begin() + 2, expected.end()), torch::kDouble);
    CHECK(torch::allclose(outcome.gradients, gradients, 1e-10, 1e-13));
}

void check_counting(const std::string& type, const LossCase& of) {
    Component loss = make(type, of);
    LossCase masked = of;
    const int64_t count = of.inputs.begin()->second.size(0);
    masked.inputs["masks"] = torch::arange(count).ne(1);
    const Outcome numbers = run(loss, masked);
    LossCase with_nan = masked;
    for (auto& [name, tensor] : with_nan.inputs) {
        if (tensor.is_floating_point() && name != "sample_weights") {
            tensor = tensor.clone();
            tensor[1].fill_(std::numeric_limits<double>::quiet_NaN());
        }
    }
    const Outcome nans = run(loss, with_nan);
    CHECK(nans.loss.item<double>() == numbers.loss.item<double>());
    CHECK(torch::equal(nans.gradients, numbers.gradients));

    with_nan.inputs["masks"] = torch::zeros({count}, torch::kBool);
    for (auto& [name, tensor] : with_nan.inputs) {
        tensor = tensor.is_floating_point() && name != "sample_weights"
                     ? torch::full_like(tensor, std::numeric_limits<double>::quiet_NaN())
                     : tensor;
    }
    const Outcome nothing = run(loss, with_nan);
    CHECK(nothing.loss.item<double>() == 0);
    CHECK(nothing.weight == 0);
    CHECK(nothing.gradients.abs().sum().item<double>() == 0);

    const Outcome first = run(loss, part(masked, 0, 3));
    const Outcome second = run(loss, part(masked, 3, count));
    CHECK(first.weight + second.weight == doctest::Approx(numbers.weight));
    CHECK((first.weight * first.loss + second.weight * second.loss).item<double>() ==
          doctest::Approx(numbers.weight * numbers.loss.item<double>()));
}

Inputs joined(Inputs inputs, const Inputs& more) {
    inputs.insert(more.begin(), more.end());
    return inputs;
}

void check_element_goldens(const std::string& type, const Inputs& inputs) {
    const Inputs masks{{"masks", some_masks({5})}};
    const Inputs weights{{"sample_weights", sample_weights(5)}};
    check_golden(type, {"plain", "", inputs});
    check_golden(type, {"masked", "use_masking = true", joined(inputs, masks)});
    check_golden(type, {"weighted", "use_sample_weights = true", joined(inputs, weights)});
    check_golden(type, {"both", "use_masking = true\nuse_sample_weights = true",
                        joined(joined(inputs, masks), weights)});
    check_golden(type, {"elements", "use_masking = true\nnum_masks_dims = 2",
                        joined(inputs, {{"masks", some_masks({5, 3})}})});
}

std::string refusal(const std::string& type, const LossCase& of) {
    try {
        Component loss = make(type, of);
        run(loss, of);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "it was not refused";
}

}  // namespace test
