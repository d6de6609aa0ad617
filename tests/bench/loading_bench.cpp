// How many samples a second tasks and augmentations make, through the C boundary and in one thread:
// a loader thread's work. By CPU time, which other programs hardly change; medians.
//
//   ptp-bench-loading [--json] [--images FOLDER] [OTHER_PLUGINS]
//
// With the plugins of another build, OTHER_PLUGINS, both are measured in turns, and compared by the
// median of the ratios of all rounds. FOLDER is one that ImageFolder reads, with JPEG files for
// example; they become 224 x 224 pixels. They should be 256 x 256: then libjpeg-turbo alone, which
// is measured in turns, decodes them at 7 eighths for scaled decoding. FashionMNIST needs Debian's
// dataset-fashion-mnist.

#include "bench/jpeg_alone.hpp"
#include "support/paths.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ptp/testing.hpp>
#include <ptp/testing/toml.hpp>

namespace {

namespace fs = std::filesystem;
using ptp::testing::Component;
using ptp::testing::Plugin;

constexpr int kRounds = 9;
constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kSamples = 60000;
constexpr std::int64_t kStride = 7919;  // prime: samples from anywhere in the file

struct Case {
    std::string name;
    std::string task;
    std::string settings;
    std::string augmentation = {};  // settings of a RandomAffine behind it, if not empty
    std::int64_t batches = 1;       // in a round
    unsigned eighths = 0;           // compared with libjpeg-turbo alone at this size, if not 0
};

struct Options {
    bool is_json = false;
    std::string images;
    std::optional<fs::path> other;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A case with the plugins of one build.
class Loader {
public:
    Loader(const fs::path& plugins, const Case& measured)
        : tasks_(plugins / "vision_tasks.so"),
          augmentations_(plugins / "augmentations.so"),
          task_(tasks_.make(measured.task, measured.settings)),
          batches_(measured.batches) {
        if (!measured.augmentation.empty()) {
            affine_.reset(
                new Component(augmentations_.make("RandomAffine", measured.augmentation)));
        }
    }

    // Samples in a second of CPU time.
    double rate() {
        const std::int64_t size = std::min(task_.size(), kSamples);
        const std::int64_t batch = std::min(size, kBatch);
        const std::vector<std::uint64_t> seeds(static_cast<std::size_t>(batch), 1);
        std::vector<std::int64_t> indices(static_cast<std::size_t>(batch));
        std::int64_t next = 0;
        const double begin = cpu_seconds();
        for (std::int64_t i = 0; i < batches_; ++i) {
            for (std::int64_t& index : indices) {
                index = next;
                next = (next + kStride) % size;
            }
            auto samples = task_.fetch(indices);
            if (affine_) {
                affine_->transform({{"inputs", samples.at("inputs")}}, seeds);
            }
        }
        return static_cast<double>(batches_ * batch) / (cpu_seconds() - begin);
    }

private:
    Plugin tasks_;
    Plugin augmentations_;
    Component task_;
    std::unique_ptr<Component> affine_;  // it cannot be moved
    std::int64_t batches_;
};

double median(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

// Images in a second of CPU time that libjpeg-turbo decodes.
double rate_alone(const std::vector<fs::path>& files, unsigned eighths) {
    const double begin = cpu_seconds();
    ptp::bench::decode_jpegs(files, eighths);
    return static_cast<double>(files.size()) / (cpu_seconds() - begin);
}

// In turns with libjpeg-turbo.
void measure_beside_decoder(const Case& measured, const Options& options) {
    Loader own(ptp::test::build_dir() / "lib/ptp/plugins", measured);
    std::vector<fs::path> files = ptp::bench::files_in(options.images);
    files.resize(std::min<std::size_t>(files.size(), 128));
    std::vector<double> rates;
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
        rates.push_back(own.rate());
        ratios.push_back(rates.back() / rate_alone(files, measured.eighths));
    }
    if (options.is_json) {
        fmt::print("{{\"case\": \"{}\", \"samples_per_second\": {:.0f}, \"of_decoder\": {:.3f}}}\n",
                   measured.name, median(rates), median(ratios));
        return;
    }
    fmt::print("{:<44} {:>10.0f} samples/s  of libjpeg-turbo alone, {}/8: {:.2f}\n", measured.name,
               median(rates), measured.eighths, median(ratios));
}

void measure(const Case& measured, const Options& options) {
    Loader own(ptp::test::build_dir() / "lib/ptp/plugins", measured);
    std::optional<Loader> other;
    if (options.other) {
        other.emplace(*options.other, measured);
    }
    std::vector<double> rates;
    std::vector<double> other_rates;
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
        rates.push_back(own.rate());
        if (other) {
            other_rates.push_back(other->rate());
            ratios.push_back(rates.back() / other_rates.back());
        }
    }
    if (options.is_json) {
        fmt::print("{{\"case\": \"{}\", \"samples_per_second\": {:.0f}", measured.name,
                   median(rates));
        if (other) {
            fmt::print(", \"other\": {:.0f}, \"ratio\": {:.3f}", median(other_rates),
                       median(ratios));
        }
        fmt::print("}}\n");
        return;
    }
    fmt::print("{:<44} {:>10.0f} samples/s", measured.name, median(rates));
    if (other) {
        fmt::print("  {:>10.0f}  ratio {:.2f}", median(other_rates), median(ratios));
    }
    fmt::print("\n");
}

std::vector<Case> cases(const Options& options) {
    constexpr const char* kAffine = "degrees = 15\ntranslate = [0.1, 0.1]\nscale = [0.8, 1.2]";
    std::vector<Case> made;
    if (fs::exists("/usr/share/datasets/fashion-mnist")) {
        made = {{"FashionMNIST", "FashionMNIST", "", "", 1000},
                {"FashionMNIST, 32 x 32", "FashionMNIST", "resize_image = [32, 32]", "", 400},
                {"FashionMNIST, RandomAffine", "FashionMNIST", "", kAffine, 100}};
    }
    if (!options.images.empty()) {
        const std::string folder =
            "data_folder = \"" + options.images + "\"\nresize_image = [224, 224]";
        made.push_back({"ImageFolder, 224 x 224", "ImageFolder", folder, "", 2});
        made.push_back({"ImageFolder, 224 x 224, RandomAffine", "ImageFolder", folder, kAffine, 2});
        const std::string scaled = folder + "\nscaled_decoding = true";
        made.push_back({"ImageFolder, 224 x 224", "ImageFolder", folder, "", 2, 8});
        made.push_back({"ImageFolder, scaled decoding", "ImageFolder", scaled, "", 2, 7});
    }
    return made;
}

Options options_from(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--json") {
            options.is_json = true;
        } else if (word == "--images" && i + 1 < argc) {
            options.images = argv[++i];
        } else {
            options.other = word;
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = options_from(argc, argv);
    at::set_num_threads(1);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as the engine does
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (const Case& measured : cases(options)) {
        if (measured.eighths != 0) {
            measure_beside_decoder(measured, options);
        } else {
            measure(measured, options);
        }
    }
    return 0;
}
