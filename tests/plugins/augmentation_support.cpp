#include "augmentation_support.hpp"

namespace test {

at::Tensor wave(at::IntArrayRef shape, double phase) {
    const at::Tensor k = torch::arange(c10::multiply_integers(shape), torch::kDouble);
    return (k * 0.7 + phase).cos().to(torch::kFloat).reshape(shape);
}

namespace {

constexpr int64_t kCount = 8;

at::Tensor image_batch() {
    return (wave({kCount, 3, 9, 7}, 0) + 1) / 2;
}

void check_places(Component& component) {
    const at::Tensor all = augment(component, image_batch());
    const std::vector<int64_t> order = {5, 0, 7};
    std::vector<uint64_t> chosen(order.begin(), order.end());
    const at::Tensor some =
        component
            .transform(slots({{"inputs", image_batch().index_select(0, torch::tensor(order))}}),
                       chosen)
            .at("outputs")
            .tensor();
    CHECK(torch::equal(some, all.index_select(0, torch::tensor(order))));
    CHECK(torch::equal(augment(component, image_batch()), all));
}

void check_evaluation(const std::string& type, const std::string& settings) {
    Component component = build("augmentations", type, settings);
    CHECK(torch::equal(augment(component, image_batch(), false), image_batch()));
    Component always = build("augmentations", type, settings + "\nalways = true");
    CHECK(
        torch::equal(augment(always, image_batch(), false), augment(always, image_batch(), true)));
    CHECK(torch::equal(augment(always, image_batch(), true),
                       augment(component, image_batch(), true)));
}

}  // namespace

void check_augmentation(const std::string& type, const std::string& settings) {
    Component component = build("augmentations", type, settings);
    check_places(component);

    const at::Tensor alike = image_batch().slice(0, 0, 1).repeat({kCount, 1, 1, 1});
    const at::Tensor before = alike.clone();
    const at::Tensor changed = augment(component, alike);
    CHECK(torch::equal(alike, before));
    CHECK((changed - alike).abs().flatten(1).amax(1).gt(1e-3).sum().item<int64_t>() >= 4);
    CHECK((changed - changed[0]).abs().flatten(1).amax(1).gt(1e-3).sum().item<int64_t>() >= 4);

    check_evaluation(type, settings);
    CHECK_THROWS_WITH_AS(
        build("augmentations", type, settings + "\nmore_streams = [\"depth\"]"),
        "setting 'more_outputs': must name 1 streams, one for each of more_streams, not 0",
        ptp::ConfigError);
}

}  // namespace test
