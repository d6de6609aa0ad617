// Damaged files of torch.save() in both of their forms; whole ones are in read_weights_test.cpp.

#include "engine/pretrained/torch_file.hpp"

#include "engine/pretrained/pickle.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"
#include "unit/engine/pretrained/torch_bytes.hpp"

#include <ATen/core/Tensor.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace torch_file_test {

using namespace ptp::test;
using ptp::engine::SavedWeights;

namespace {

const std::string kTwo = little_endian(0x3f800000, 4) + little_endian(0x40000000, 4);  // 1 and 2
const std::string kTrue = "\x88";
const std::string kFalse = "\x89";

std::string problem_of(SavedWeights (*read)(const std::filesystem::path&),
                       const std::string& bytes) {
    const TempFolder folder;
    return ptp::test::error_of<ptp::engine::PickleError>(
        [&] { read(folder.write("net.pth", bytes)); });
}

std::string state_dict(const std::string& storage) {
    return pickled_dict({pickled("w"), pickled_tensor(storage, 2)});
}

std::string two_of_storage(const std::string& one, const std::string& other) {
    return pickled_dict(
        {pickled("a"), pickled_tensor(one, 2), pickled("b"), pickled_tensor(other, 2)});
}

// The form before PyTorch 1.6.
struct Legacy {
    int protocol = 1001;
    std::string is_little_endian = kTrue;
    std::string value = state_dict(pickled_storage("0", 2));
    std::string keys = pickled_list({pickled("0")});
    std::string memory = little_endian(2, 8) + kTwo;

    [[nodiscard]] std::string bytes() const {
        return whole_pickle("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") +
               whole_pickle(pickled(protocol)) +
               whole_pickle(pickled_dict({pickled("little_endian"), is_little_endian})) +
               whole_pickle(value) + whole_pickle(keys) + memory;
    }
};

// The form since then.
std::vector<ZipPart> zip_parts(const std::string& value = state_dict(pickled_storage("0", 2))) {
    return {{"archive/data.pkl", whole_pickle(value)}, {"archive/data/0", kTwo}};
}

std::vector<ZipPart> with(std::vector<ZipPart> parts, const ZipPart& one) {
    parts.push_back(one);
    return parts;
}

}  // namespace

TEST_CASE("torch file: what the tests below damage is read whole") {
    const TempFolder folder;
    for (const SavedWeights& saved :
         {ptp::engine::read_torch_legacy(folder.write("legacy.pth", Legacy().bytes())),
          ptp::engine::read_torch_zip(folder.write("zip.pth", zip_archive(zip_parts())))}) {
        REQUIRE(saved.tensors.size() == 1);
        CHECK(saved.tensors[0].first == "w");
        CHECK(saved.tensors[0].second[0].item<float>() == 1);
        CHECK(saved.tensors[0].second[1].item<float>() == 2);
    }
}

TEST_CASE("torch file: a damaged file of before PyTorch 1.6 is refused, with what is wrong") {
    const std::string twice = two_of_storage(pickled_storage("0", 2), pickled_storage("0", 3));
    const std::string others = "is damaged: it has the memory of other tensors than it describes";
    struct Case {
        Legacy file;
        std::string problem;
    };
    const Case cases[] = {
        {{.protocol = 1002}, "is not a file that torch.save() wrote"},
        {{.is_little_endian = kFalse}, "was written by a machine with another order of bytes"},
        {{.value = twice}, "is damaged: '0' is described twice"},
        {{.keys = pickled_list({pickled("0"), pickled("1")})}, others},
        {{.keys = pickled_list({pickled("1")})}, others},
        {{.memory = little_endian(3, 8) + kTwo}, "is damaged: '0' is missing or has another size"},
        {{.memory = little_endian(2, 8)}, "ends too early"},
    };
    for (const Case& c : cases) {
        CHECK(problem_of(ptp::engine::read_torch_legacy, c.file.bytes()) == c.problem);
    }
}

TEST_CASE("torch file: a damaged zip archive is refused, with what is wrong") {
    const std::string big(4096, 'x');
    const std::vector<ZipPart> one_over_the_other = {
        {"archive/data/0", big},
        {"archive/data/1", big, 0, -1, true},
        {"archive/data.pkl",
         whole_pickle(two_of_storage(pickled_storage("0", 1024), pickled_storage("1", 1024)))}};
    struct Case {
        std::vector<ZipPart> parts;
        const char* problem;
    };
    const Case cases[] = {
        {with(zip_parts(), {"archive/byteorder", "big"}),
         "was written by a machine with another order of bytes"},
        {with(zip_parts(), {"archive/data/0", "again"}),
         "is damaged: 'archive/data/0' is in it twice"},
        {with(zip_parts(), {"archive/data/1", "x", 0, 7}),
         "is damaged: 'archive/data/1' has an impossible size"},
        {{{"archive/data.pkl", "x", 8, 65 << 20}},
         "its data.pkl is larger than a description of tensors"},
        {zip_parts(state_dict(pickled_storage("1", 2))),
         "is damaged: '1' is missing or has another size"},
        {zip_parts(state_dict(pickled_storage("0", 3))),
         "is damaged: '0' is missing or has another size"},
        {zip_parts(two_of_storage(pickled_storage("0", 2), pickled_storage("0", 3))),
         "is damaged: '0' is described twice"},
        {one_over_the_other, "is damaged: its entries are larger than the file"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.problem);
        CHECK(problem_of(ptp::engine::read_torch_zip, zip_archive(c.parts)) == c.problem);
    }
}

}  // namespace torch_file_test
