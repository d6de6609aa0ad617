// The files of TensorBoard's projector: vectors, their labels and small images of them.
#pragma once

#include "common/png.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace ptp::report {

// Images of one size, row by row in one picture: that of the first vector is at the left of the
// first row.
struct Sprite {
    tools::Picture picture;
    std::size_t height = 0;  // of one image
    std::size_t width = 0;
};

struct ProjectedVectors {
    std::string name;
    std::span<const float> numbers;  // rows of `width`
    std::uint64_t width = 0;
    std::string metadata;  // a line for each vector; with tabs, titles in a line before them
    std::optional<Sprite> sprite = {};
};

// Writes vectors into a folder, and projector_config.pbtxt, by which the projector finds them.
class Projector {
public:
    // Makes the folder.
    explicit Projector(std::filesystem::path folder);

    // Throws FileError.
    void add(const ProjectedVectors& vectors);
    void finish() const;

    [[nodiscard]] std::size_t count() const { return count_; }  // of tables of vectors

private:
    std::filesystem::path folder_;
    std::string config_;
    std::size_t count_ = 0;
};

// Returns a text without what separates cells.
std::string projector_cell(std::string text);

// Adds, of each set with values of samples, the vectors that its newest file has: of those with an
// image if there are images, otherwise of all. The labels are the classes, the loss and the
// sample's number. Throws FileError.
void project_samples(const std::filesystem::path& run, Projector& projector);

}  // namespace ptp::report
