// A file of samples/: losses, scores and examples of the samples of one pass. Nothing in it is
// trusted.
#pragma once

#include "base/input_file.hpp"
#include "base/json.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::report {

class SampleFile {
public:
    // kYes: the file must have the number of a format that this program reads; weights have none.
    enum class Numbered { kNo, kYes };

    // Reads the header. Throws FileError.
    explicit SampleFile(const std::filesystem::path& file, Numbered numbered = Numbered::kYes);

    struct Tensor {
        std::string type = {};  // "F32", "I64" or "U8"
        std::vector<std::uint64_t> shape = {};
        std::uint64_t begin = 0;  // in the file

        [[nodiscard]] std::uint64_t size() const;  // of numbers
        // Returns the numbers of each row; 1 for one dimension.
        [[nodiscard]] std::uint64_t width() const;
    };

    // Returns nullptr if there is none.
    [[nodiscard]] const Tensor* find(const std::string& name) const;
    [[nodiscard]] const std::map<std::string, Tensor>& tensors() const { return tensors_; }

    // Return the numbers of a tensor of F32, or of some of its rows, I64, or U8. Throw FileError if
    // it is missing or of another type.
    [[nodiscard]] std::vector<float> reals(const std::string& name) const;
    [[nodiscard]] std::vector<float> reals(const std::string& name,
                                           const std::vector<std::size_t>& rows) const;
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
    [[nodiscard]] std::string bytes(const std::string& name) const;

    // Returns a part of the metadata that is a text; "" without it.
    [[nodiscard]] std::string text(const char* key) const;
    // Returns a part of the metadata that is JSON; null for anything else.
    [[nodiscard]] Json json(const char* key) const;

private:
    [[nodiscard]] std::string content(const std::string& name, const char* type) const;
    void add_tensor(const std::string& name, const Json& entry, std::uint64_t begin);

    InputFile file_;
    std::map<std::string, Tensor> tensors_;
    Json metadata_ = Json::object();
};

// Returns the files of each section of a run, the oldest first.
std::map<std::string, std::vector<std::filesystem::path>> sample_files_of(
    const std::filesystem::path& run);

}  // namespace ptp::report
