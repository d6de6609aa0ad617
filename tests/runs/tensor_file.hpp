// A file of safetensors as any other reader sees it: a length, a header in JSON, the numbers.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::test {

class TensorFile {
public:
    // `file`: its bytes.
    explicit TensorFile(std::string file) : file_(std::move(file)) {
        std::uint64_t size = 0;
        std::memcpy(&size, file_.data(), sizeof(size));
        header_ = nlohmann::json::parse(file_.substr(sizeof(size), size));
        first_ = sizeof(size) + size;
    }

    [[nodiscard]] const nlohmann::json& header() const { return header_; }

    template <class Number>
    [[nodiscard]] std::vector<Number> numbers(const std::string& name) const {
        const nlohmann::json& tensor = header_.at(name);
        const auto begin = tensor.at("data_offsets").at(0).get<std::size_t>();
        const auto end = tensor.at("data_offsets").at(1).get<std::size_t>();
        std::vector<Number> result((end - begin) / sizeof(Number));
        std::memcpy(result.data(), file_.data() + first_ + begin, end - begin);
        return result;
    }

private:
    std::string file_;
    nlohmann::json header_;
    std::size_t first_ = 0;
};

// The names of the files in a folder.
inline std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename());
    }
    return names;
}

}  // namespace ptp::test
