// What components show, from the call of the host to what the sinks get.

#include "engine/component/picture.hpp"

#include "base/error.hpp"
#include "engine/component/executor.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/draft/pictures.h>

#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace picture_test {

using ptp::RunError;
using ptp::engine::Components;
using ptp::engine::Picture;
using ptp::plugin::Kind;

namespace {

const ptp_host* given_host = nullptr;
std::function<ptp_status()> forward_of_test;  // a functions' table cannot carry anything along

ptp_status show(const ptp_picture& picture) {
    const auto* pictures = static_cast<const ptp_pictures*>(
        given_host->extension(given_host->context, PTP_HOST_PICTURES));
    return pictures->show(given_host->context, &picture);
}

ptp_component_info showing(std::function<ptp_status()> forward) {
    forward_of_test = std::move(forward);
    ptp_component_info info = ptp::test::idle_component();
    info.create = [](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        given_host = host;
        *out = &given_host;
        return PTP_OK;
    };
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status { return forward_of_test(); };
    return info;
}

ptp_step step_of(const char* section, std::uint64_t episode) {
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = section;
    step.episode = episode;
    return step;
}

// A pipeline of one component, "sheets".
struct One {
    explicit One(const ptp_component_info& info, Kind kind = Kind::kViewer) {
        plan.add_task(ptp::test::idle_component(), {});
        plan.add_node("sheets", kind, info, {}, {});
        components = plan.create();
    }
    void forward(std::vector<Picture>* pictures) {
        components.nodes[0]->forward(step_of("validation", 7), nullptr, nullptr, {pictures});
    }
    ptp::test::EnginePlan plan;
    Components components;
};

constexpr std::uint8_t kPixels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

// Two lines of two pixels in colors.
constexpr ptp_picture kPicture = {nullptr, kPixels, 2, 2, 3, 0};

}  // namespace

TEST_CASE("picture: it is copied, with its channels first, and told by component and section") {
    std::vector<std::uint8_t> pixels(std::begin(kPixels), std::end(kPixels));
    One one(showing([&pixels] {
        ptp_picture picture = kPicture;
        picture.pixels = pixels.data();
        const ptp_status first = show(picture);
        picture.tag = "worst \xC3\xA9";
        picture.height = 1;
        picture.width = 3;
        picture.channels = 1;
        const ptp_status second = show(picture);
        return first == PTP_OK ? second : first;
    }));
    std::vector<Picture> pictures;
    one.forward(&pictures);
    pixels.assign(pixels.size(), 0);
    REQUIRE(pictures.size() == 2);
    CHECK(pictures[0].episode == 7);
    CHECK(pictures[0].tag == "sheets/validation");
    CHECK(
        at::equal(pictures[0].pixels,
                  at::tensor({1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}, at::kByte).view({3, 2, 2})));
    CHECK(pictures[1].tag == "sheets/validation/worst \xC3\xA9");
    CHECK(at::equal(pictures[1].pixels, at::tensor({1, 2, 3}, at::kByte).view({1, 1, 3})));
}

TEST_CASE("picture: where nobody takes it a component continues all the same") {
    One one(showing([] { return show(kPicture); }));
    one.forward(nullptr);
}

TEST_CASE("picture: one that is none is the plugin's fault, whoever takes it") {
    struct Case {
        ptp_picture picture;
        const char* message;
    };
    const Case cases[] = {
        {{nullptr, kPixels, 0, 2, 3, 0},
         "show: a picture of 0 x 2 pixels with 3 channels: must have a pixel or more, and 1 or 3 "
         "channels"},
        {{nullptr, kPixels, 2, 0, 1, 0},
         "show: a picture of 2 x 0 pixels with 1 channels: must have a pixel or more, and 1 or 3 "
         "channels"},
        {{nullptr, kPixels, 2, 2, 2, 0},
         "show: a picture of 2 x 2 pixels with 2 channels: must have a pixel or more, and 1 or 3 "
         "channels"},
        {{nullptr, nullptr, 2, 2, 3, 0}, "show: the pixels are missing"},
        {{"\xFF", kPixels, 2, 2, 3, 0}, "show: the tag is not UTF-8"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.message);
        One one(showing([&c] { return show(c.picture); }));
        std::vector<Picture> pictures;
        for (std::vector<Picture>* taken :
             {&pictures, static_cast<std::vector<Picture>*>(nullptr)}) {
            try {
                one.forward(taken);
                FAIL("was let through");
            } catch (const RunError& error) {
                CHECK(error.what() ==
                      std::string("plugin 'test_plugin' 1.0: 'sheets' (Idle): ") + c.message);
                CHECK(error.code() == ptp::kPluginError);
            }
        }
        CHECK(pictures.empty());
    }
}

TEST_CASE("picture: only forward() may show one, because other calls have no episode") {
    ptp_component_info info = showing([] { return PTP_OK; });
    info.create = [](const ptp_host* host, const ptp_setup*, void**) -> ptp_status {
        given_host = host;
        return show(kPicture);
    };
    CHECK_THROWS_WITH_AS(
        One{info}, "plugin 'test_plugin' 1.0: 'sheets' (Idle): show: only forward() shows pictures",
        RunError);
}

TEST_CASE("picture: what is too much for an episode is left out, and the log says so once") {
    std::ostringstream text;
    spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_st>(text));
    log.set_pattern("%n %l %v");
    constexpr std::uint32_t kSide = 1U << 13;  // the square has 64 MiB
    std::uint32_t width = 0;
    std::vector<std::uint8_t> pixels(std::size_t{kSide} * kSide);
    const ptp_component_info info = showing([&] {
        return show({nullptr, pixels.data(), kSide, width, 1, 0});
    });
    ptp::test::EnginePlan plan;
    plan.component_context.log = log.clone("test");
    plan.add_node("sheets", Kind::kViewer, info, {}, {});
    const Components components = plan.create();
    std::vector<Picture> pictures;
    for (const std::uint32_t tried : {kSide + 1, 0xFFFFFFFFU, kSide - 1, 2U, 1U, 1U}) {
        width = tried;
        components.nodes[0]->forward(step_of("training", 0), nullptr, nullptr, {&pictures});
    }
    REQUIRE(pictures.size() == 2);
    CHECK(pictures[0].pixels.size(2) == kSide - 1);
    CHECK(pictures[1].pixels.size(2) == 1);
    pictures.clear();
    components.nodes[0]->forward(step_of("training", 1), nullptr, nullptr, {&pictures});
    CHECK(pictures.size() == 1);
    CHECK(text.str() ==
          "sheets warning a picture of 8192 x 8193 pixels with 1 channels is not recorded: the "
          "pictures of an episode, or of a pass over a set, may have 64 MiB together\n");
}

TEST_CASE("picture: an executor collects pictures on request, but not from a repeated step") {
    One one(showing([] { return show(kPicture); }), Kind::kModel);
    ptp::engine::Frame frame(one.plan.plan);
    ptp::engine::Executor executor(one.plan.plan, one.components, frame, at::kCPU);
    const ptp::engine::Instance& task = *one.components.tasks[0];
    const ptp_step step = step_of("training", 3);
    executor.run(task, step, true);
    std::vector<Picture> pictures;
    executor.collect(pictures);
    executor.run(task, step, true);
    CHECK(pictures.size() == 1);
    executor.run_again(step);
    CHECK(pictures.size() == 1);
    executor.rebind(one.components);
    executor.run(task, step, true);
    REQUIRE(pictures.size() == 2);
    CHECK(pictures[1].episode == 3);
    CHECK(pictures[1].tag == "sheets/training");
}

TEST_CASE("picture: a host does not know abilities of other names") {
    One one(showing([] { return PTP_OK; }));
    for (const char* id : {"ptp.pictures/2", "ptp.pictures", ""}) {
        CHECK(given_host->extension(given_host->context, id) == nullptr);
    }
}

}  // namespace picture_test
