// Shows the first convolution of each component as images, one for each kernel.

#include "base/base64.hpp"
#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/model_section.hpp"
#include "ptp-report/sample_file.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxImages = 256;   // of a component
constexpr std::uint64_t kMaxSide = 64;      // of a kernel
constexpr std::uint64_t kGreyChannels = 4;  // inputs of a kernel that is not of colors

using Named = std::pair<std::string, const SampleFile::Tensor*>;

// Returns the first kernels of each component, in the order in which weights were written.
std::vector<Named> first_kernels(const SampleFile& file) {
    std::vector<Named> all;
    for (const auto& [name, tensor] : file.tensors()) {
        const std::vector<std::uint64_t>& shape = tensor.shape;  // [out, in, height, width]
        if (tensor.type == "F32" && shape.size() == 4 && shape[2] * shape[3] > 1 &&
            std::max(shape[2], shape[3]) <= kMaxSide && tensor.size() > 0) {
            all.emplace_back(name, &tensor);
        }
    }
    std::ranges::sort(all, {}, [](const Named& one) { return one.second->begin; });
    std::set<std::string> components;
    std::erase_if(all, [&](const Named& one) {
        return !components.insert(one.first.substr(0, one.first.find('.'))).second;
    });
    return all;
}

// Returns kernels as bytes, 128 for 0, the largest magnitude of all as 1 or 255.
Json kernels_of(const SampleFile& file, const Named& named) {
    const std::vector<float> weights = file.reals(named.first);
    const std::vector<std::uint64_t>& shape = named.second->shape;
    const std::uint64_t inputs = shape[1];
    const std::uint64_t channels = inputs == 3 ? 3 : 1;
    const std::uint64_t shown = channels == 3 ? 1 : std::min(inputs, kGreyChannels);
    const std::uint64_t outputs =
        std::min(shape[0], std::max<std::uint64_t>(1, kMaxImages / shown));
    const std::uint64_t area = shape[2] * shape[3];
    float largest = 0;
    for (const float weight : weights) {
        largest = std::isfinite(weight) ? std::max(largest, std::abs(weight)) : largest;
    }
    std::string pixels;
    for (std::uint64_t image = 0; image < outputs * shown; ++image) {
        const std::uint64_t first = (image / shown * inputs + image % shown) * area;
        for (std::uint64_t i = 0; i < area * channels; ++i) {  // [height, width, channels]
            const float weight = weights[first + i % channels * area + i / channels];
            const float shade = largest > 0 && std::isfinite(weight) ? weight / largest : 0;
            pixels += static_cast<char>(static_cast<unsigned char>(std::lround(128 + 127 * shade)));
        }
    }
    return {{"name", harmless(named.first)},
            {"sizes", shape},
            {"largest", largest},
            {"inputs", shown},
            {"count", outputs * shown},
            {"height", shape[2]},
            {"width", shape[3]},
            {"channels", channels},
            {"pixels", base64(pixels)}};
}

}  // namespace

fs::path recorded_weights(const fs::path& run) {
    for (const char* checkpoint : {run::kBestCheckpoint, run::kLastCheckpoint}) {
        fs::path found = run / run::kCheckpointsFolder / checkpoint / run::kWeightsFile;
        std::error_code ignored;
        if (fs::exists(found, ignored)) {
            return found;
        }
    }
    return {};
}

void add_kernels(Json& sections, const fs::path& run, std::size_t bytes,
                 std::vector<std::string>& problems) {
    const fs::path file = recorded_weights(run);
    if (file.empty()) {
        return;
    }
    try {
        const SampleFile weights(file, SampleFile::Numbered::kNo);
        Json list = Json::array();
        std::size_t used = 0;
        for (const Named& named : first_kernels(weights)) {
            if (used += named.second->size(); used <= bytes) {
                list.push_back(kernels_of(weights, named));
            }
        }
        if (!list.empty()) {
            sections.push_back({{"kind", "kernels"},
                                {"file", harmless(file.lexically_relative(run).string())},
                                {"list", std::move(list)}});
        }
    } catch (const FileError& error) {
        problems.push_back(fmt::format(
            "{}: {}; the report has no kernels, and a resume takes the checkpoint before it\n"
            "    fix: ptprun resume {}",
            file.string(), error.what(), shell_word(run.string())));
    }
}

}  // namespace ptp::report
