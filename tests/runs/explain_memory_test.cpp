// The memory of `ptprun explain-prediction`: bounded by the copies that are computed at once, and
// not by the number of steps.

#include "runs/grey_images.hpp"
#include "support/peak_memory.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace explain_memory_test {

namespace {

using nlohmann::json;
using ptp::test::peak_memory;
using ptp::test::TempFolder;

constexpr int kSide = 224;

// With three convolutions an image needs some 3 MB of results, and 400 of them 1 GB.
constexpr const char* kNet = R"([pipeline.net]
type = "LayerStack"
layers = [{ type = "Conv2d", out = 8, kernel = 7, stride = 2, padding = 3 }, "ReLU",
          { type = "Conv2d", out = 16, kernel = 3, stride = 2, padding = 1 }, "ReLU",
          { type = "Conv2d", out = 16, kernel = 3, stride = 2, padding = 1 }, "ReLU",
          { type = "AdaptiveAvgPool2d", output_size = [1, 1] }, "Flatten", { type = "Linear", out = 2 }]
streams = { outputs = "predictions" }
[pipeline.loss]
type = "CrossEntropyLoss"
)";

}  // namespace

TEST_CASE(
    "explain-prediction: 400 steps at 224 x 224 need less than 600 MB beside a forward pass") {
    const TempFolder folder;
    for (const char* side : {"left", "right"}) {
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kSide) * kSide);
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            pixels[i] = static_cast<std::uint8_t>(i * (*side == 'l' ? 7 : 11));
        }
        ptp::test::write_grey_png(folder.path() / "images" / side / "0.png", kSide, pixels);
    }
    const std::string run = (folder.path() / "run").string();
    const auto file = folder.write(
        "net.toml",
        "name = \"net\"\nseed = 3\n[training]\n"
        "optimizer = { type = \"SGD\", lr = 0.01 }\n"
        "terminal_conditions = { epoch_limit = 1 }\n"
        "[training.task]\ntype = \"ImageFolder\"\nbatch_size = 1\ndata_folder = \"" +
            (folder.path() / "images").string() + "\"\nresize_image = [224, 224]\n" + kNet);
    static_cast<void>(peak_memory("ptprun", {file.string(), "--run-dir", run, "--quiet"}));
    const std::string images = (folder.path() / "images/left").string();
    const double before = peak_memory("ptprun", {"predict", run, "--data", images, "--quiet", "-o",
                                                 (folder.path() / "predictions.csv").string()});
    const double peak =
        peak_memory("ptprun", {"explain-prediction", run, "--data", images, "--method",
                               "integrated_gradients", "--steps", "400", "--without-check", "-o",
                               (folder.path() / "maps").string(), "--quiet"});
    const json facts = json::parse(folder.read("maps/explanations.json"));
    CHECK(facts.at("samples")[0].at("maps")[0].at("settings").at("steps") == 400);
    MESSAGE("a forward pass: ", before / 1e6, " MB, 400 steps: ", peak / 1e6, " MB");
    CHECK(peak - before < 600e6);
}

}  // namespace explain_memory_test
