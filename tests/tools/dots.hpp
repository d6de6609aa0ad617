// Pictures of one grey pixel in two classes, and parts of experiments that tell them.
#pragma once

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <string>

namespace ptp::test {

// Trains and validates on the pictures.
inline constexpr const char* kDotsTasks = R"(
[training.task]
type = "ImageFolder"
batch_size = 4
data_folder = "pictures"
resize_image = [4, 4]
[validation.task]
type = "ImageFolder"
batch_size = 4
data_folder = "pictures"
resize_image = [4, 4]
)";

inline constexpr const char* kPixelClassifier = R"(
[pipeline.flatten]
type = "ReshapeTensor"
input_dims = [-1, 3, 4, 4]
output_dims = [-1, 48]
streams = { inputs = "inputs", outputs = "pixels" }
[pipeline.classifier]
type = "FeedForwardNetwork"
streams = { inputs = "pixels" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

inline std::filesystem::path dots() {
    return source_dir() / "plugins/vision_tasks/check/pictures";
}

// A folder with the pictures, for an experiment net.toml and its run.
class DotsFolder {
public:
    DotsFolder() {
        std::filesystem::copy(dots(), folder_.path() / "pictures",
                              std::filesystem::copy_options::recursive);
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_.path() / name).string();
    }
    [[nodiscard]] std::string file() const { return path("net.toml"); }
    [[nodiscard]] std::string run() const { return path("run"); }
    [[nodiscard]] const TempFolder& folder() const { return folder_; }

private:
    TempFolder folder_;
};

}  // namespace ptp::test
