#include "support.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace shapes_test {

namespace {

test::Component make(const std::string& settings, const std::string& section = "training") {
    return test::build("vision_tasks", "Shapes", settings, {.section = section});
}

std::vector<int64_t> first(int64_t count) {
    std::vector<int64_t> indices(static_cast<size_t>(count));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

// The kind of a shape from its pixels alone. In its smallest square, which has an odd side, a
// square fills all; a circle lacks the corners and touches the middles of all sides; a triangle has
// a full side; a cross has neither corner nor full side and less than a circle.
int64_t look(const at::Tensor& mask) {
    const at::Tensor places = mask.nonzero();
    const at::Tensor low = std::get<0>(places.min(0));
    const at::Tensor high = std::get<0>(places.max(0));
    const int64_t side = (high - low)[0].item<int64_t>() + 1;
    CHECK(side == (high - low)[1].item<int64_t>() + 1);
    const at::Tensor box = mask.slice(0, low[0].item<int64_t>(), high[0].item<int64_t>() + 1)
                               .slice(1, low[1].item<int64_t>(), high[1].item<int64_t>() + 1)
                               .to(torch::kLong);
    const int64_t area = box.sum().item<int64_t>();
    if (area == side * side) {
        return 1;
    }
    const std::array<int64_t, 4> edges{
        box[0].sum().item<int64_t>(), box[side - 1].sum().item<int64_t>(),
        box.select(1, 0).sum().item<int64_t>(), box.select(1, side - 1).sum().item<int64_t>()};
    if (std::count(edges.begin(), edges.end(), side) == 1) {
        return 2;
    }
    // For radii of 6 to 12 a circle covers at least 0.66 of its square, a cross at most 0.63.
    return static_cast<double>(area) / static_cast<double>(side * side) > 0.64 ? 0 : 3;
}

}  // namespace

TEST_CASE("Shapes: segments, instances, counts, targets and labels are what can be seen") {
    auto task = make("image_size = 96");
    const test::Slots batch = task.fetch(first(120));
    const std::vector<std::string> names{"circle", "square", "triangle", "cross"};
    std::array<int, 4> seen{};
    for (int64_t i = 0; i < 120; ++i) {
        CAPTURE(i);
        const at::Tensor instances = batch.at("instances").tensor()[i];
        const at::Tensor segments = batch.at("segments").tensor()[i];
        CHECK(torch::equal(segments == 0, instances == 0));
        std::vector<int64_t> counts(4);
        int64_t largest = -1;
        int64_t most = 0;
        for (int64_t shape = 1; shape <= instances.max().item<int64_t>(); ++shape) {
            const at::Tensor mask = instances == shape;
            const int64_t kind = look(mask);
            CHECK(segments.masked_select(mask).eq(kind + 1).all().item<bool>());
            ++counts[static_cast<size_t>(kind)];
            ++seen[static_cast<size_t>(kind)];
            const int64_t area = mask.sum().item<int64_t>();
            if (area > most) {
                most = area;
                largest = kind;
            }
        }
        CHECK(torch::equal(batch.at("counts").tensor()[i], test::integers(counts)));
        CHECK(batch.at("targets").tensor()[i].item<int64_t>() == largest);
        CHECK(batch.at("labels").strings()[static_cast<size_t>(i)] ==
              names[static_cast<size_t>(largest)]);
    }
    // 120 images of 2.5 shapes: 75 of each kind, 6 standard deviations are 45
    for (const int count : seen) {
        CHECK(std::abs(count - 75) < 45);
    }
}

TEST_CASE("Shapes: captions have size, kind and place of all that can be seen, row by row") {
    constexpr int64_t kSide = 96;
    auto task = make("image_size = 96");
    const test::Slots batch = task.fetch(first(60));
    const std::array<std::string, 4> kinds{" circle", " square", " triangle", " cross"};
    const std::array<std::string, 3> rows{" at top", " at middle", " at bottom"};
    const std::array<std::string, 3> columns{" left", " center", " right"};
    for (int64_t i = 0; i < 60; ++i) {
        CAPTURE(i);
        const at::Tensor instances = batch.at("instances").tensor()[i];
        std::vector<std::pair<int64_t, std::string>> mentions;
        for (int64_t shape = 1; shape <= instances.max().item<int64_t>(); ++shape) {
            const at::Tensor mask = instances == shape;
            const at::Tensor places = mask.nonzero();
            const at::Tensor low = std::get<0>(places.min(0));
            const at::Tensor high = std::get<0>(places.max(0));
            const int64_t radius = (high - low)[0].item<int64_t>() / 2;  // 6 to 12
            const auto third = [&](int64_t axis) {
                return static_cast<size_t>(3 * (low[axis].item<int64_t>() + radius) / kSide);
            };
            const std::string size = radius > 9 ? "large" : "small";
            mentions.emplace_back(
                3 * third(0) + third(1),
                size + kinds[static_cast<size_t>(look(mask))] + rows[third(0)] + columns[third(1)]);
        }
        std::sort(mentions.begin(), mentions.end());
        std::string caption;
        for (const auto& [ninth, text] : mentions) {
            caption += (caption.empty() ? "" : " and ") + text;
        }
        CHECK(batch.at("captions").strings()[static_cast<size_t>(i)] == caption);
    }
}

TEST_CASE("Shapes: a shape has one color, brighter than the grey background") {
    auto task = make("noise = 0");
    const test::Slots batch = task.fetch(first(40));
    for (int64_t i = 0; i < 40; ++i) {
        const at::Tensor image = batch.at("inputs").tensor()[i];
        const at::Tensor instances = batch.at("instances").tensor()[i];
        for (int64_t shape = 0; shape <= instances.max().item<int64_t>(); ++shape) {
            const at::Tensor pixels =
                image.flatten(1).index({torch::indexing::Slice(), (instances == shape).flatten()});
            CHECK(std::get<0>(pixels.max(1)).equal(std::get<0>(pixels.min(1))));
            const at::Tensor color = pixels.select(1, 0);
            if (shape == 0) {
                CHECK(color.max().item<float>() == color.min().item<float>());
                CHECK(color.max().item<float>() < 0.4f);
            } else {
                CHECK(color.min().item<float>() >= 0.5f);
            }
        }
    }
}

TEST_CASE("Shapes: noise is small, and nothing leaves [0, 1]") {
    auto task = make("noise = 0.2");
    const at::Tensor noisy = task.fetch(first(20)).at("inputs").tensor();
    const at::Tensor clean = make("noise = 0").fetch(first(20)).at("inputs").tensor();
    const at::Tensor difference = noisy - clean;
    CHECK(difference.abs().max().item<double>() <= 0.2001);
    CHECK(difference.std().item<double>() > 0.1);  // 0.2 / sqrt(3), less what is cut off
    CHECK(noisy.min().item<double>() >= 0);
    CHECK(noisy.max().item<double>() <= 1);
}

TEST_CASE("Shapes: as many shapes as are asked for, that do not touch") {
    for (const int64_t count : {1, 6}) {
        CAPTURE(count);
        const std::string number = std::to_string(count);
        auto task = make("image_size = 32\nmin_shapes = " + number + "\nmax_shapes = " + number);
        const test::Slots batch = task.fetch(first(60));
        CHECK(batch.at("counts").tensor().sum(1).eq(count).all().item<bool>());
        const at::Tensor instances = batch.at("instances").tensor();
        CHECK(instances.flatten(1).amax(1).eq(count).all().item<bool>());
        // Neighbors are of one shape, or one of them is background.
        for (const int64_t dimension : {1, 2}) {
            const at::Tensor a = instances.narrow(dimension, 0, 31);
            const at::Tensor b = instances.narrow(dimension, 1, 31);
            CHECK((a.eq(b) | a.eq(0) | b.eq(0)).all().item<bool>());
        }
    }
    CHECK_THROWS_WITH_AS(make("min_shapes = 3\nmax_shapes = 2"),
                         "min_shapes = 3: must be at most max_shapes, which is 2",
                         ptp::ConfigError);
}

TEST_CASE("Shapes: a sample is a function of seed, split and index alone") {
    auto task = make("");
    const at::Tensor all = task.fetch(first(20), 1).at("inputs").tensor();
    auto again = make("");
    CHECK(torch::equal(again.fetch({7, 3}, 99).at("inputs").tensor()[0], all[7]));
    CHECK(torch::equal(again.fetch({3}, 5).at("inputs").tensor()[0], all[3]));
    const auto image = [](const std::string& settings, const std::string& section) {
        return make(settings, section).fetch({3}).at("inputs").tensor()[0];
    };
    CHECK_FALSE(torch::equal(image("seed = 1", "training"), all[3]));
    CHECK_FALSE(torch::equal(image("", "validation"), all[3]));
    CHECK(torch::equal(image("split = \"training\"", "test"), all[3]));
    CHECK_THROWS_WITH_AS(make("", "processing"),
                         "split: the section 'processing' is not one of training, validation and "
                         "test; set which images to use",
                         ptp::ConfigError);
}

TEST_CASE("Shapes: publishes what the rest of a pipeline needs to know") {
    auto task = make("image_size = 40\nsize = 7");
    CHECK(task.size() == 7);
    CHECK(task.published().at("num_classes") == ptp::Data(4));
    CHECK(task.published().at("num_segment_classes") == ptp::Data(5));
    CHECK(task.published().at("image_height") == ptp::Data(40));
    CHECK(task.published().at("image_depth") == ptp::Data(3));
    CHECK(task.published().at("label_word_mappings").toml() ==
          "{ circle = 0, square = 1, triangle = 2, cross = 3 }");
    CHECK(task.published().at("caption_word_mappings").toml() ==
          "{ large = 0, small = 1, circle = 2, square = 3, triangle = 4, cross = 5, at = 6, top = "
          "7, middle = 8, bottom = 9, left = 10, center = 11, right = 12, and = 13 }");
}

}  // namespace shapes_test
