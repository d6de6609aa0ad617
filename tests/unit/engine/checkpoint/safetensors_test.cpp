#include "engine/checkpoint/safetensors.hpp"

#include "base/error.hpp"
#include "base/tar.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace safetensors_test {

using ptp::RunError;
using namespace ptp::engine;

namespace {

// The bytes of a bundle whose weights are a file of safetensors.
std::string bundle_with(const std::string& weights) {
    return ptp::tar_header("manifest.toml", 0) +
           ptp::tar_header("checkpoints/best/weights.safetensors", weights.size()) + weights +
           ptp::tar_padding(weights.size()) + ptp::tar_end();
}

// Returns whether this program has mapped the file.
bool is_mapped(const std::string& file) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(file)) {
            return true;
        }
    }
    return false;
}

// A file with this header and N bytes of data.
std::string file_of(const std::string& header, std::size_t data_size) {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    return bytes + header + std::string(data_size, '\1');
}

}  // namespace

TEST_CASE("safetensors: the bytes of a small file, as the format says them") {
    const ptp::test::TempFolder folder;
    const at::Tensor ones = at::ones({2}, at::TensorOptions(at::kShort));
    write_safetensors(folder.path() / "a", {{"x", ones}}, {});
    const std::string header = R"({"x":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})";
    const std::string padding((8 - header.size() % 8) % 8, ' ');
    std::string expected = file_of(header + padding, 0);
    expected += std::string("\1\0\1\0", 4);
    CHECK(folder.read("a") == expected);
}

TEST_CASE(
    "safetensors: in more than 64 MiB, tensors of whole blocks of 64 bytes come first, aligned") {
    TensorsByName tensors;
    for (const std::int64_t size : {3, 16, 5, 32, 0}) {
        tensors.emplace_back(std::to_string(size), at::empty({size}, at::kFloat));
    }
    const std::string small = safetensors_bytes(tensors, {}).header;
    CHECK(small.size() % 8 == 0);
    CHECK(small.substr(8).starts_with(
        R"({"3":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
        R"("16":{"dtype":"F32","shape":[16],"data_offsets":[12,76]},)"));
    const std::int64_t bytes = std::int64_t{64} << 20;
    tensors.emplace_back("x", at::empty({bytes}, at::TensorOptions(at::kByte)));
    const std::string large = safetensors_bytes(tensors, {}).header;
    CHECK(large.size() % 64 == 0);
    CHECK(large.substr(8).starts_with(
        R"({"16":{"dtype":"F32","shape":[16],"data_offsets":[0,64]},)"
        R"("32":{"dtype":"F32","shape":[32],"data_offsets":[64,192]},)"
        R"("x":{"dtype":"U8","shape":[67108864],"data_offsets":[192,67109056]},)"
        R"("3":{"dtype":"F32","shape":[3],"data_offsets":[67109056,67109068]},)"
        R"("5":{"dtype":"F32","shape":[5],"data_offsets":[67109068,67109088]},)"
        R"("0":{"dtype":"F32","shape":[0],"data_offsets":[67109088,67109088]}})"));
}

TEST_CASE("safetensors: every type and shape comes back bit for bit") {
    const ptp::test::TempFolder folder;
    TensorsByName tensors;
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                                      at::kInt, at::kShort, at::kChar, at::kByte, at::kBool}) {
        tensors.emplace_back(c10::toString(type), at::arange(6).to(type).reshape({2, 3}));
    }
    tensors.emplace_back("number", at::ones({}));
    tensors.emplace_back("nothing", at::zeros({0, 4}));
    tensors.emplace_back("transposed", at::arange(6).reshape({2, 3}).t());
    write_safetensors(folder.path() / "a", tensors, {{"format", "pt"}});

    const Safetensors read = read_safetensors(folder.path() / "a");
    CHECK(read.metadata.at("format") == "pt");
    REQUIRE(read.tensors.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        CAPTURE(tensors[i].first);
        CHECK(read.tensors[i].first == tensors[i].first);
        CHECK((read.tensors[i].second.scalar_type() == tensors[i].second.scalar_type()));
        CHECK(read.tensors[i].second.equal(tensors[i].second));
    }
}

TEST_CASE("safetensors: damaged files are refused, with what is wrong") {
    struct Case {
        std::string bytes;
        const char* problem;
    };
    const Case cases[] = {
        {"", "is not a safetensors file: the length of its header cannot be right"},
        {std::string(8, '\xff'),
         "is not a safetensors file: the length of its header cannot be right"},
        {file_of("{", 0), "is not a safetensors file: its header is not JSON"},
        {file_of("[]", 0), "is not a safetensors file: its header is not an object"},
        {file_of(std::string(100, '[') + std::string(100, ']'), 0),
         "is not a safetensors file: its header is not JSON"},
        {file_of(R"({"x":3})", 0), "'x': its shape is missing or is not a list of numbers"},
        {file_of(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
         "'x': its shape is missing or is not a list of numbers"},
        {file_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4),
         "'x': its data_offsets must be two numbers"},
        {file_of(R"({"x":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", 4),
         "'x': unknown type \"F99\""},
        {file_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3),
         "'x': its data_offsets do not fit its shape or the file"},
        {file_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
         "'x': its data_offsets do not fit its shape or the file"},
        {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
         "'x': its data_offsets do not fit its shape or the file"},
        {file_of(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
                 0),
         "'x': its shape is too large"},
        {file_of(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
         "'x': its bytes do not follow the tensor before it"},
        {file_of(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                 R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                 3),
         "'y': its bytes do not follow the tensor before it"},
        {file_of(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 9),
         "has 9 bytes of data, its tensors take 1"},
        {file_of(R"({"__metadata__":{"a":1}})", 0), "its metadata 'a' is not a text"},
    };
    const ptp::test::TempFolder folder;
    for (const Case& c : cases) {
        CAPTURE(c.problem);
        const std::string path = folder.write("bad", c.bytes).string();
        CHECK_THROWS_WITH_AS(read_safetensors(path), (path + ": " + c.problem).c_str(), RunError);
    }
}

TEST_CASE("safetensors: a header of very many names is read") {
    // In a time that grows with their number, not with its square: that would take minutes.
    constexpr int kCount = 200'000;
    std::string header = "{";
    for (int i = 0; i < kCount; ++i) {
        header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
                  R"(":{"dtype":"I8","shape":[0],"data_offsets":[0,0]})";
    }
    const ptp::test::TempFolder folder;
    const auto path = folder.write("a", file_of(header + "}", 0));
    CHECK(read_safetensors(path).tensors.size() == kCount);
}

TEST_CASE("safetensors: no change of a byte in a good file does harm") {
    const ptp::test::TempFolder folder;
    write_safetensors(folder.path() / "good", {{"x", at::arange(3)}, {"y", at::ones({2, 2})}}, {});
    const std::string good = folder.read("good");
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x15);
        const auto path = folder.write("bad", bad);
        try {
            read_safetensors(path);
        } catch (const RunError& error) {
            CHECK(error.code() == ptp::kDataError);
        }
        const auto cut = folder.write("cut", good.substr(0, i));
        CHECK_THROWS_AS(read_safetensors(cut), RunError);
    }
}

TEST_CASE(
    "safetensors: the weights of a bundle stay as they were when another takes its path, or it is cut") {
    const ptp::test::TempFolder folder;
    const auto bundle_of = [&](float value) {
        write_safetensors(folder.path() / "w", {{"x", at::full({3}, value)}}, {});
        const std::string weights = folder.read("w");
        std::filesystem::remove(folder.path() / "w");
        return bundle_with(weights);
    };
    const std::string path = folder.write("m.ptpm", bundle_of(2)).string();
    const Safetensors read = read_safetensors(path);
    std::filesystem::rename(folder.write("other.ptpm", bundle_of(3)), path);
    REQUIRE(read.tensors.size() == 1);
    CHECK(read.tensors[0].second.equal(at::full({3}, 2.0F)));
    CHECK(read_safetensors(path).tensors[0].second.equal(at::full({3}, 3.0F)));
    const Safetensors kept = read_safetensors(path);
    std::filesystem::resize_file(path, 600);  // in place: a mapping of it would end this program
    CHECK(kept.tensors[0].second.equal(at::full({3}, 3.0F)));
    folder.write("m.ptpm", bundle_of(3));
    const std::string whole = folder.read("m.ptpm");
    const std::string cut = folder.write("cut.ptpm", whole.substr(0, whole.size() - 1536)).string();
    CHECK_THROWS_AS(read_safetensors(cut), RunError);
}

TEST_CASE(
    "safetensors: weights are mapped above 64 MiB alone, where a bundle has them or all are") {
    constexpr std::int64_t kMiB = std::int64_t{1} << 20;
    for (const bool is_large : {false, true}) {
        CAPTURE(is_large);
        const ptp::test::TempFolder folder;
        const at::Tensor bytes =
            at::full({(is_large ? 64 : 63) * kMiB}, 7, at::TensorOptions(at::kByte));
        write_safetensors(folder.path() / "w", {{"x", bytes}}, {});
        {
            const std::string file = (folder.path() / "w").string();
            const Safetensors read = read_safetensors(file);
            CHECK_FALSE(is_mapped(file));
            const Safetensors mapped = read_safetensors(file, ptp::engine::Mapped::kAll);
            CHECK(is_mapped(file) == is_large);
            CHECK((mapped.mapped != nullptr) == is_large);
            CHECK(mapped.tensors.at(0).second.equal(bytes));
        }
        const std::string path = folder.write("m.ptpm", bundle_with(folder.read("w"))).string();
        {
            const Safetensors read = read_safetensors(path);
            CHECK(is_mapped(path) == is_large);
            CHECK(read.tensors.at(0).second.equal(bytes));
            read.tensors.at(0).second.zero_();  // which the file does not see
        }
        CHECK_FALSE(is_mapped(path));
        CHECK(read_safetensors(path).tensors.at(0).second.equal(bytes));
    }
}

}  // namespace safetensors_test
