// Files of samples/ as a report reads them, damaged ones among them.

#include "ptp-report/sample_file.hpp"
#include "base/file_error.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sample_file_test {

using ptp::report::SampleFile;
using ptp::test::TempFolder;

namespace {

constexpr const char* kFile = "run/samples/test_000001.safetensors";

std::string file_of(const std::string& header, std::string_view content) {
    const std::uint64_t size = header.size();
    std::string bytes(sizeof(size), '\0');
    std::memcpy(bytes.data(), &size, sizeof(size));
    return bytes + header + std::string(content);
}

const std::string kHeader =
    R"({"__metadata__":{"format":"2","judged":"[1]"},"a.loss":{"dtype":"F32","shape":[2],)"
    R"("data_offsets":[0,8]}})";

std::string problem_of(const TempFolder& folder, const std::string& bytes) {
    folder.write(kFile, bytes);
    return ptp::test::error_of<ptp::FileError>([&] {
        const SampleFile file(folder.path() / kFile);
        static_cast<void>(file.reals("a.loss"));
    });
}

}  // namespace

TEST_CASE("sample file: numbers and metadata are read") {
    const TempFolder folder;
    const float numbers[] = {1.5F, -2};
    folder.write(kFile, file_of(kHeader, {reinterpret_cast<const char*>(numbers), 8}));
    const SampleFile file(folder.path() / kFile);
    CHECK(file.reals("a.loss") == std::vector<float>{1.5F, -2});
    CHECK(file.json("judged") == ptp::Json::array({1}));
    CHECK(file.json("absent").is_null());
}

TEST_CASE("sample file: each damage is named") {
    const TempFolder folder;
    CHECK(problem_of(folder, "") == "is cut off, or no file of safetensors");
    CHECK(problem_of(folder, file_of(kHeader, "1234")) == "is cut off, or its header is damaged");
    CHECK(problem_of(folder, file_of("{", "")) == "has a damaged header");
    CHECK(problem_of(folder, file_of(R"({"a.loss":{"dtype":"F32"}})", "")) ==
          "has a damaged entry in its header");
    CHECK(problem_of(folder, file_of("{}", "")) == "has no number of its format");
    CHECK(problem_of(folder, file_of(R"({"__metadata__":{"format":"9"}})", "")) ==
          "is of format 9, and this ptp reads up to 2");
    CHECK(problem_of(folder, file_of(R"({"__metadata__":{"format":"1"}})", "")) ==
          "has no 'a.loss' of F32");
    // 2^63 numbers of 4 bytes are 0 bytes to a product that overflows.
    CHECK(problem_of(folder, file_of(R"({"__metadata__":{"format":"1"},"a.loss":{"dtype":"F32",)"
                                     R"("shape":[9223372036854775808],"data_offsets":[0,0]}})",
                                     "")) == "has a damaged entry in its header");
}

TEST_CASE("sample file: a tensor above the limit is no damage, and is left out") {
    const TempFolder folder;
    constexpr std::uint64_t kSize = (1ULL << 30U) + 4;
    folder.write(kFile, file_of(R"({"__metadata__":{"format":"1"},"a.loss":{"dtype":"F32",)"
                                R"("shape":[1],"data_offsets":[0,4]},"huge":{"dtype":"F32",)"
                                R"("shape":[268435457],"data_offsets":[4,1073741832]}})",
                                ""));
    const auto path = folder.path() / kFile;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + 4 + kSize);  // a hole
    const SampleFile file(path);
    CHECK(file.reals("a.loss") == std::vector<float>{0});
    CHECK(file.find("huge") == nullptr);
}

TEST_CASE("sample file: the files of each set are listed by their episode") {
    const TempFolder folder;
    for (const char* name : {"test_000009", "validation.hard_1000000", "validation.hard_999999"}) {
        folder.write(std::string("run/samples/") + name + ".safetensors", "");
    }
    folder.write("run/samples/test_000010.safetensors.part", "");
    const auto files = ptp::report::sample_files_of(folder.path() / "run");
    REQUIRE(files.size() == 2);
    CHECK(files.at("test").size() == 1);
    REQUIRE(files.at("validation.hard").size() == 2);
    CHECK(files.at("validation.hard")[1].filename() == "validation.hard_1000000.safetensors");
}

}  // namespace sample_file_test
