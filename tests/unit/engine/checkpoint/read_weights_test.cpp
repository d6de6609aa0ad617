#include "engine/checkpoint/safetensors.hpp"

#include "base/error.hpp"
#include "pth_files.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <map>
#include <string>

namespace read_weights_test {

using ptp::RunError;
using namespace ptp::engine;
using ptp::test::pth;

namespace {

std::map<std::string, at::Tensor> by_name(const SavedWeights& saved) {
    return {saved.tensors.begin(), saved.tensors.end()};
}

std::string problem_of(const std::filesystem::path& file) {
    try {
        read_weights(file);
    } catch (const RunError& error) {
        CHECK(error.code() == ptp::kDataError);
        const std::string text = error.what();
        const std::string start = file.string() + ": ";
        CHECK(text.starts_with(start));
        return text.substr(start.size());
    }
    return "";
}

constexpr const char* kInsteadOf =
    "in Python, torch.save(model.state_dict(), \"weights.pth\") writes one that can be";

}  // namespace

TEST_CASE("read weights: every type and every view that PyTorch saves, in all of its forms") {
    for (const char* file : {"tensors.pth", "tensors_legacy.pth", "tensors_protocol4.pth",
                             "tensors_legacy_protocol4.pth"}) {
        CAPTURE(file);
        const SavedWeights saved = read_weights(pth(file));
        CHECK(saved.is_from_torch);
        CHECK(saved.others == std::vector<std::string>{"nested.size", "nested.text", "list"});
        auto tensors = by_name(saved);
        CHECK(tensors.size() == 19);
        const std::map<std::string, at::ScalarType> types = {
            {"float64", at::kDouble},    {"float32", at::kFloat}, {"float16", at::kHalf},
            {"bfloat16", at::kBFloat16}, {"int64", at::kLong},    {"int32", at::kInt},
            {"int16", at::kShort},       {"int8", at::kChar},     {"uint8", at::kByte}};
        for (const auto& type : types) {
            CAPTURE(type.first);
            const at::Tensor& read = tensors.at(type.first);
            CHECK((read.scalar_type() == type.second));
            CHECK(read.equal(at::arange(6).to(type.second).reshape({2, 3})));
        }
        CHECK(tensors.at("bool").equal(at::tensor({1, 0, 1}).to(at::kBool)));
        CHECK(tensors.at("number").equal(at::full({}, 7.0F)));
        CHECK(tensors.at("empty").equal(at::zeros({0, 4})));
        // All of these are views of one memory, the numbers from 0 to 11.
        const at::Tensor base = at::arange(12).to(at::kFloat);
        CHECK(tensors.at("transposed").equal(base.reshape({3, 4}).t()));
        CHECK(tensors.at("slice").equal(at::tensor({2.0F, 5.0F, 8.0F})));
        CHECK(tensors.at("expanded").equal(at::full({2, 3}, 5.0F)));
        CHECK(tensors.at("parameter").equal(base.slice(0, 0, 2)));
        CHECK(tensors.at("features.denselayer12.norm2.running_mean").equal(base.slice(0, 0, 3)));
        CHECK(tensors.at("nested.a.b").equal(base.slice(0, 3, 5)));
        CHECK(tensors.at("nested.7").equal(base.slice(0, 0, 1)));
    }
}

TEST_CASE("read weights: a state dictionary with what belongs to it, in both forms") {
    for (const char* file : {"net.pth", "net_legacy.pth"}) {
        CAPTURE(file);
        const SavedWeights saved = read_weights(pth(file));
        CHECK(saved.others.empty());
        REQUIRE(saved.tensors.size() == 4);
        const auto tensors = by_name(saved);
        const char* const names[] = {"layers.0.weight", "layers.0.bias", "layers.3.weight",
                                     "layers.3.bias"};
        for (int i = 0; i < 4; ++i) {
            const at::Tensor& tensor = tensors.at(names[i]);
            const at::Tensor expected = at::arange(tensor.numel()).to(at::kFloat).div(8).add(i);
            CHECK(tensor.equal(expected.reshape(tensor.sizes())));
        }
    }
}

TEST_CASE("read weights: safetensors are read too, whatever the name of the file") {
    const ptp::test::TempFolder folder;
    write_safetensors(folder.path() / "a.pth", {{"net.x", at::arange(3)}}, {});
    const SavedWeights saved = read_weights(folder.path() / "a.pth");
    CHECK_FALSE(saved.is_from_torch);
    CHECK(by_name(saved).at("net.x").equal(at::arange(3)));
}

TEST_CASE("read weights: what is not a state dictionary is refused, with what to do") {
    const std::string model =
        std::string(
            "holds a whole object, a '__main__.Net', which is not read, since reading it "
            "would run it: ") +
        kInsteadOf;
    CHECK(problem_of(pth("model.pth")) == model);
    CHECK(problem_of(pth("model_legacy.pth")) == model);
    CHECK(problem_of(pth("numpy.pth")) ==
          std::string("holds a 'numpy.core.multiarray.scalar'; only tensors, numbers, texts, lists "
                      "and dictionaries are read, since reading anything else would run it: ") +
              kInsteadOf);
    CHECK(problem_of(pth("script.pt")) ==
          "holds a TorchScript program, which is not run: in Python, "
          "torch.save(torch.jit.load(\"script.pt\").state_dict(), \"weights.pth\") writes its "
          "weights alone");
    CHECK(problem_of(pth("tensor.pth")) ==
          "holds no state dictionary, but a single value: in Python, "
          "torch.save(model.state_dict(), \"weights.pth\") writes one");
    CHECK(problem_of(pth("nothing.pth")) == "holds no tensors");
}

TEST_CASE("read weights: other files are refused") {
    const ptp::test::TempFolder folder;
    const std::string neither =
        "is not a file of weights: neither safetensors nor what torch.save() writes (.pth, .pt)";
    CHECK(problem_of(folder.write("page.pth", "<!DOCTYPE html><html></html>")) == neither);
    CHECK(problem_of(folder.write("empty.pth", "")) == neither);
    CHECK(problem_of(folder.path() / "missing.pth") == "cannot be read");
    CHECK(problem_of(folder.path()) == "cannot be read");
    CHECK(problem_of(folder.write("zip.pth", "PK\x03\x04 and no more")) ==
          "is damaged or not whole: Not a zip archive");
}

TEST_CASE("read weights: zip archives of other programs are refused") {
    CHECK(problem_of(pth("compressed.zip")) ==
          "what is in it is compressed, which PyTorch never does");
    CHECK(problem_of(pth("other.zip")) ==
          "is a zip archive, but not one that torch.save() wrote: it has no data.pkl");
}

TEST_CASE("read weights: a file that was cut or changed is refused") {
    const ptp::test::TempFolder folder;
    const std::string zip = ptp::test::pth_bytes("net.pth");
    CHECK(problem_of(folder.write("cut.pth", zip.substr(0, zip.size() - 100))) ==
          "is damaged or not whole: Not a zip archive");
    // 0.125, the second number of the first tensor: its memory begins at a multiple of 64.
    std::string changed = zip;
    const std::size_t place = zip.find(std::string("\0\0\0\0\0\0\0\x3e", 8));
    REQUIRE(place != std::string::npos);
    changed[place + 7] = '\x3f';
    CHECK(problem_of(folder.write("changed.pth", changed)) == "is damaged: CRC error");

    const std::string legacy = ptp::test::pth_bytes("net_legacy.pth");
    CHECK(problem_of(folder.write("cut.pth", legacy.substr(0, legacy.size() - 1))) ==
          "ends too early");
    CHECK(problem_of(folder.write("short.pth", legacy.substr(0, 200))) == "ends too early");
}

}  // namespace read_weights_test
