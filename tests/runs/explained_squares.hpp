// A run whose predictions for images are explained, and the numbers of its maps.
#pragma once

#include "runs/grey_images.hpp"
#include "runs/predictions.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

inline constexpr int kSide = 28;

// A square of 6 x 6 on the left or on the right of a dark image.
inline void write_square(const std::filesystem::path& file, int left, int shade) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kSide) * kSide);
    for (int y = 10; y < 16; ++y) {
        for (int x = left; x < left + 6; ++x) {
            pixels[static_cast<std::size_t>(y * kSide + x)] = static_cast<std::uint8_t>(shade);
        }
    }
    write_grey_png(file, kSide, pixels);
}

inline constexpr const char* kNet =
    "[pipeline.net]\ntype = \"RectifiedNetwork\"\nglobals = { prediction_size = \"num_classes\" }\n"
    "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n";

// A run in the folder `run` that tells on which side a square is.
class Squares {
public:
    explicit Squares(const std::string& pipeline = kNet, int epochs = 10,
                     const std::vector<std::string>& more = {}) {
        for (int i = 0; i < 8; ++i) {
            const std::string name = std::to_string(i) + ".png";
            for (const char* set : {"training", "test"}) {
                write_square(path() / set / "left" / name, 2 + i % 4, 150 + 10 * i);
                write_square(path() / set / "right" / name, 16 + i % 4, 150 + 10 * i);
            }
            write_square(path() / "new" / name, 4, 200 + i);
        }
        const auto task = [this](const std::string& set) {
            return "[" + set + ".task]\ntype = \"ImageFolder\"\nbatch_size = 8\ndata_folder = \"" +
                   (path() / set).string() + "\"\nresize_image = [28, 28]\nimage_depth = 1\n";
        };
        folder_.write("squares.toml",
                      "name = \"squares\"\nseed = 3\n[training]\n"
                      "optimizer = { type = \"Adam\", lr = 0.003 }\n"
                      "terminal_conditions = { epoch_limit = " +
                          std::to_string(epochs) + ", loss_stop_threshold = 0.0 }\n" +
                          task("training") + task("test") + pipeline);
        std::vector<std::string> words = {file("squares.toml"), "--run-dir", file("run"),
                                          "--plugins", plugins()};
        words.insert(words.end(), more.begin(), more.end());
        require_success(ptprun(words));
    }

    [[nodiscard]] static std::string plugins() {
        return (build_dir() / "tests/runs/plugins").string();
    }
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path() / name).string();
    }
    [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }

    // Explains the files in `new`.
    [[nodiscard]] ProcessResult explain(std::vector<std::string> more) const {
        std::vector<std::string> words = {"explain-prediction", file("run"), "--data", file("new")};
        words.insert(words.end(), more.begin(), more.end());
        return ptprun(words);
    }
    // Without the line about the weights.
    [[nodiscard]] std::string errors_of(const std::vector<std::string>& more,
                                        int status = 2) const {
        ProcessResult result = explain(more);
        CHECK(result.status == status);
        if (result.errors.starts_with("weights of ")) {
            result.errors.erase(0, result.errors.find('\n') + 1);
        }
        return without_folder(result.errors, path());
    }

private:
    TempFolder folder_;
};

// The numbers of a file of NumPy with this shape.
inline std::vector<float> numbers_of(const std::string& npy, const std::string& shape) {
    const std::size_t header =
        static_cast<unsigned char>(npy[8]) + 256U * static_cast<unsigned char>(npy[9]);
    CHECK(npy.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    CHECK(
        npy.substr(10, header)
            .starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + ",), }"));
    CHECK((10 + header) % 64 == 0);
    std::vector<float> numbers((npy.size() - 10 - header) / sizeof(float));
    std::memcpy(numbers.data(), npy.data() + 10 + header, numbers.size() * sizeof(float));
    return numbers;
}

inline double sum_of(const std::vector<float>& numbers) {
    double sum = 0;
    for (const float number : numbers) {
        sum += number;
    }
    return sum;
}

}  // namespace ptp::test
