#include "support.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace sort_of_clevr_test {

namespace {

test::Component make(const std::string& settings, const std::string& section = "training") {
    return test::build("vision_tasks", "SortOfCLEVR", settings, {.section = section});
}

std::vector<int64_t> first(int64_t count) {
    std::vector<int64_t> indices(static_cast<size_t>(count));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

// An object as found in the pixels, with nothing known but the colors.
struct Seen {
    bool is_circle = false;
    double row = 0;
    double column = 0;
};

constexpr std::array<std::array<double, 3>, 6> kColors{{{1, 0, 0},
                                                        {0, 1, 0},
                                                        {0, 0, 1},
                                                        {1, 156 / 255.0, 0},
                                                        {128 / 255.0, 128 / 255.0, 128 / 255.0},
                                                        {1, 1, 0}}};

std::array<Seen, 6> look(const at::Tensor& image) {
    std::array<Seen, 6> seen;
    for (size_t color = 0; color < 6; ++color) {
        at::Tensor mask = torch::ones({image.size(1), image.size(2)}, torch::kBool);
        for (int64_t channel = 0; channel < 3; ++channel) {
            mask = mask.logical_and(
                (image[channel] - kColors[color][static_cast<size_t>(channel)]).abs() < 1e-4);
        }
        const at::Tensor places = mask.nonzero().to(torch::kDouble);
        REQUIRE(places.size(0) > 0);
        const auto lowest = std::get<0>(places.min(0));
        const auto highest = std::get<0>(places.max(0));
        const double height = (highest - lowest)[0].item<double>() + 1;
        const double width = (highest - lowest)[1].item<double>() + 1;
        CHECK(height == width);
        seen[color].is_circle = static_cast<double>(places.size(0)) < height * width;
        seen[color].row = ((highest + lowest) / 2)[0].item<double>();
        seen[color].column = ((highest + lowest) / 2)[1].item<double>();
    }
    return seen;
}

// The answer to an encoded question, from what is seen.
std::string answer(const std::array<Seen, 6>& seen, const at::Tensor& question, double side) {
    const auto color = static_cast<size_t>(question.slice(0, 0, 6).argmax().item<int64_t>());
    const bool is_relational = question[7].item<float>() == 1;
    const int64_t subtype = question.slice(0, 8, 11).argmax().item<int64_t>();
    const Seen& object = seen[color];
    const auto form = [](const Seen& o) { return o.is_circle ? "circle" : "square"; };
    if (!is_relational) {
        const double place = subtype == 1 ? object.column : object.row;
        return subtype == 0 ? form(object) : place + 0.5 < side / 2 ? "yes" : "no";
    }
    if (subtype == 2) {
        const auto same = [&](const Seen& o) { return o.is_circle == object.is_circle; };
        return std::to_string(std::count_if(seen.begin(), seen.end(), same));
    }
    std::vector<std::pair<double, const Seen*>> others;
    for (const Seen& other : seen) {
        if (&other != &object) {
            others.emplace_back(std::hypot(other.row - object.row, other.column - object.column),
                                &other);
        }
    }
    std::sort(others.begin(), others.end());
    return form(subtype == 0 ? *others.front().second : *others.back().second);
}

}  // namespace

TEST_CASE("SortOfCLEVR: the answers are those that can be seen in the images") {
    for (const int64_t side : {75, 32}) {
        CAPTURE(side);
        auto task = make("image_size = " + std::to_string(side));
        const test::Slots batch = task.fetch(first(150));
        const at::Tensor inputs = batch.at("inputs").tensor();
        REQUIRE(inputs.sizes() == at::IntArrayRef({150, 3, side, side}));
        for (int64_t i = 0; i < 150; ++i) {
            CAPTURE(i);
            CHECK(answer(look(inputs[i]), batch.at("questions").tensor()[i], side) ==
                  batch.at("labels").strings()[static_cast<size_t>(i)]);
        }
    }
}

TEST_CASE("SortOfCLEVR: questions, types, masks, targets and labels agree") {
    auto task = make("");
    const test::Slots batch = task.fetch(first(300));
    const at::Tensor questions = batch.at("questions").tensor();
    CHECK(torch::equal(questions.slice(1, 0, 6).sum(1), torch::ones({300})));
    CHECK(torch::equal(questions.slice(1, 6, 8).sum(1), torch::ones({300})));
    CHECK(torch::equal(questions.slice(1, 8, 11).sum(1), torch::ones({300})));
    const at::Tensor relational = batch.at("relational_masks").tensor();
    CHECK(torch::equal(relational, questions.select(1, 7).to(torch::kBool)));
    CHECK(torch::equal(batch.at("non_relational_masks").tensor(), relational.logical_not()));
    CHECK(torch::equal(batch.at("question_types").tensor(),
                       questions.slice(1, 8, 11).argmax(1) + relational.to(torch::kLong) * 3));
    const ptp::Data& mappings = task.published().at("label_word_mappings");
    for (size_t i = 0; i < 300; ++i) {
        CHECK(mappings.find(batch.at("labels").strings()[i])->as_integer() ==
              batch.at("targets").tensor()[static_cast<int64_t>(i)].item<int64_t>());
    }
}

TEST_CASE("SortOfCLEVR: a sample is a function of seed, split and index alone") {
    auto task = make("");
    const at::Tensor all = task.fetch(first(20), 1).at("inputs").tensor();
    auto again = make("");
    CHECK(torch::equal(again.fetch({7, 3}, 99).at("inputs").tensor()[0], all[7]));
    CHECK(torch::equal(again.fetch({3}, 5).at("inputs").tensor()[0], all[3]));
    auto other_seed = make("seed = 1");
    CHECK_FALSE(torch::equal(other_seed.fetch({3}).at("inputs").tensor()[0], all[3]));
}

TEST_CASE("SortOfCLEVR: splits share no image") {
    const auto images = [](const std::string& split) {
        auto task = make("split = \"" + split + "\"");
        return task.fetch(first(200)).at("inputs").tensor().flatten(1);
    };
    const std::array<at::Tensor, 3> splits{images("training"), images("validation"),
                                           images("test")};
    for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < a; ++b) {
            CHECK(torch::cdist(splits[a], splits[b]).min().item<double>() > 0.1);
        }
    }
}

TEST_CASE("SortOfCLEVR: the section decides the split unless it is given") {
    const auto image = [](const std::string& settings, const std::string& section) {
        return make(settings, section).fetch({0}).at("inputs").tensor();
    };
    CHECK(torch::equal(image("", "validation"), image("split = \"validation\"", "training")));
    CHECK_FALSE(torch::equal(image("", "validation"), image("", "training")));
    CHECK_THROWS_WITH_AS(make("", "processing"),
                         "split: the section 'processing' is not one of training, validation and "
                         "test; set which images to use",
                         ptp::ConfigError);
}

TEST_CASE("SortOfCLEVR: question_kind chooses the questions") {
    const auto share = [](const std::string& kind) {
        auto task = make("question_kind = \"" + kind + "\"");
        const at::Tensor masks = task.fetch(first(400)).at("relational_masks").tensor();
        return masks.to(torch::kDouble).mean().item<double>();
    };
    CHECK(share("relational") == 1);
    CHECK(share("non_relational") == 0);
    // 400 fair coins: 6 standard deviations are 0.15
    CHECK(share("all") == doctest::Approx(0.5).epsilon(0.3));
}

TEST_CASE("SortOfCLEVR: all questions are asked and all answers are given") {
    auto task = make("image_size = 15\nsize = 3000");
    CHECK(task.size() == 3000);
    const test::Slots batch = task.fetch(first(3000));
    CHECK(batch.at("targets").tensor().bincount({}, 10).gt(0).all().item<bool>());
    // 3000 questions of six types: 500 each, 6 standard deviations are 123
    CHECK((batch.at("question_types").tensor().bincount() - 500).abs().max().item<int64_t>() < 123);
}

TEST_CASE("SortOfCLEVR: an image has as many questions as asked for, and they differ") {
    auto task = make("questions_per_image = 20\nsize = 60");
    const test::Slots batch = task.fetch(first(60));
    const at::Tensor images = batch.at("inputs").tensor().view({3, 20, -1});
    CHECK(torch::equal(images, images.slice(1, 0, 1).expand({3, 20, -1})));
    CHECK(torch::cdist(images.select(1, 0), images.select(1, 0)).gt(0.1).sum().item<int64_t>() ==
          6);
    // 36 possible questions: 20 fair draws of them are 15.5 different ones on average
    for (const at::Tensor& questions : batch.at("questions").tensor().chunk(3)) {
        CHECK(std::get<0>(torch::unique_dim(questions, 0)).size(0) >= 10);
    }
}

TEST_CASE("SortOfCLEVR: the first samples equal an independent implementation's") {
    // From tests/golden/sort_of_clevr.py. Samples must not change from one version to the next, or
    // results could no longer be compared.
    struct Expected {
        std::string settings;
        std::vector<std::string> labels;
        at::Tensor colors;
        at::Tensor types;
        std::array<std::array<int64_t, 2>, 6> red;
    };
    const std::vector<Expected> expected{
        {"",
         {"no", "square", "square", "square", "yes", "circle", "square", "no", "yes", "no", "4",
          "square"},
         test::integers({5, 4, 1, 1, 4, 3, 3, 4, 5, 1, 5, 4}),
         test::integers({2, 4, 3, 0, 1, 4, 0, 2, 1, 2, 5, 4}),
         {{{53, 24}, {12, 68}, {6, 33}, {51, 59}, {63, 18}, {58, 34}}}},
        {"questions_per_image = 4",
         {"no", "square", "circle", "yes", "square", "circle", "circle", "circle", "square", "yes",
          "square", "no"},
         test::integers({5, 3, 2, 0, 4, 4, 3, 0, 1, 4, 5, 3}),
         test::integers({2, 0, 3, 1, 4, 0, 3, 4, 3, 2, 3, 2}),
         {{{53, 24}, {53, 24}, {53, 24}, {53, 24}, {12, 68}, {12, 68}}}}};
    for (const Expected& of : expected) {
        CAPTURE(of.settings);
        auto task = make(of.settings);
        const test::Slots batch = task.fetch(first(12));
        CHECK(batch.at("labels").strings() == of.labels);
        CHECK(torch::equal(batch.at("questions").tensor().slice(1, 0, 6).argmax(1), of.colors));
        CHECK(torch::equal(batch.at("question_types").tensor(), of.types));
        for (int64_t i = 0; i < 6; ++i) {
            const auto [row, column] = of.red[static_cast<size_t>(i)];
            const Seen seen = look(batch.at("inputs").tensor()[i])[0];
            CHECK(seen.is_circle);
            CHECK(seen.row == row);
            CHECK(seen.column == column);
        }
    }
}

}  // namespace sort_of_clevr_test
