// A recording that is finished in the file that it was appended to.

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "solo/unfinished_recording.hpp"
#include "support/temp_folder.hpp"
#include "unit/solo/made_up_record.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace recording_in_place_test {

namespace fs = std::filesystem;
using ptp::Value;
using ptp::engine::SavedState;
using ptp::solo::read_recording;
using ptp::solo::Recording;
using ptp::solo::unfinished_path;
using ptp::solo::UnfinishedRecording;
using ptp::test::TempFolder;

namespace {

// Two calls with tensors of N numbers, where the second tensor is left out at the end; then three
// bytes, and a third call.
class Recorded {
public:
    explicit Recorded(std::int64_t numbers) {
        const at::Tensor x = torch::arange(numbers, torch::kFloat);
        const at::Tensor pixels = torch::tensor({1, 2, 3}, torch::kByte);
        file_.add({Value::table({{"asked", 2}, {"record", ptp::test::made_up_record("x")}}), {}});
        add(0, false, {{"input/x", x}});
        add(0, true, {{"output/y", -x}, {"picture/0", pixels}, {"output/none", x.narrow(0, 0, 0)}});
        add(1, false, {{"input/x", x + 1}});
        add(2, false, {{"input/x", x + 2}});
        add(2, true, {{"output/y", x + 3}});
        whole_.record = ptp::test::made_up_record("x");
        whole_.record.set("batches", 2);
        whole_.record.set("calls", Value::list({Value::table({{"call", "forward"}}),
                                                Value::table({{"call", "forward"}})}));
        for (const auto& [call, number] : {std::pair(0, 0), std::pair(2, 1)}) {
            for (const auto& [name, tensor] : parts_[static_cast<std::size_t>(call)]) {
                whole_.tensors.emplace_back(std::to_string(number) + "/" + name, tensor);
            }
        }
    }

    [[nodiscard]] fs::path file() const { return folder_.path() / "x.ptprec"; }
    [[nodiscard]] const TempFolder& folder() const { return folder_; }
    SavedState& whole() { return whole_; }
    bool finish() { return file_.finish(file(), whole_); }

private:
    void add(int index, bool is_complete, ptp::engine::TensorsByName tensors) {
        ptp::engine::TensorsByName& all = parts_[static_cast<std::size_t>(index)];
        all.insert(all.end(), tensors.begin(), tensors.end());
        file_.add({Value::table({{"index", index},
                                 {"begins_batch", true},
                                 {"is_complete", is_complete},
                                 {"facts", Value::table({{"call", "forward"}})}}),
                   std::move(tensors)});
    }

    TempFolder folder_;
    UnfinishedRecording file_{unfinished_path(folder_.path() / "x.ptprec")};
    std::vector<ptp::engine::TensorsByName> parts_{3};
    SavedState whole_;
};

constexpr std::int64_t kMany = 50000;

void check_content(const Recording& recording) {
    const at::Tensor x = torch::arange(kMany, torch::kFloat);
    CHECK(recording.unfinished == "");
    CHECK(recording.calls().size() == 2);
    CHECK(recording.tensors.size() == 6);
    CHECK(torch::equal(*recording.tensor("0/input/x"), x));
    CHECK(torch::equal(*recording.tensor("0/output/y"), -x));
    CHECK(torch::equal(*recording.tensor("0/picture/0"), torch::tensor({1, 2, 3}, torch::kByte)));
    CHECK(recording.tensor("0/output/none")->sizes() == at::IntArrayRef({0}));
    CHECK(torch::equal(*recording.tensor("1/input/x"), x + 2));
    CHECK(torch::equal(*recording.tensor("1/output/y"), x + 3));
}

}  // namespace

TEST_CASE("recording in place: the file that was appended to becomes the recording") {
    Recorded recorded(kMany);
    recorded.folder().write("x.ptprec", "an older one");
    const std::uintmax_t before = fs::file_size(unfinished_path(recorded.file()));
    REQUIRE(recorded.finish());
    CHECK_FALSE(fs::exists(unfinished_path(recorded.file())));
    CHECK(fs::file_size(recorded.file()) == before);
    check_content(read_recording(recorded.file()));
}

TEST_CASE(
    "recording in place: its bytes belong to one tensor each, at places that suit all types") {
    Recorded recorded(kMany);
    REQUIRE(recorded.finish());
    const ptp::engine::Safetensors content = ptp::engine::read_safetensors(recorded.file());
    std::uint64_t place = 0;
    for (const auto& [name, tensor] : content.tensors) {
        CAPTURE(name);
        const bool is_alone = name == "0/input/x" || name == "1/input/x" || name == "1/output/y";
        CHECK((!is_alone || place % 8 == 0));
        place += tensor.nbytes();
    }
    CHECK(content.tensors.front().first == "parts/0");
}

TEST_CASE("recording in place: until its last write it is an unfinished one, then a whole one") {
    Recorded recorded(kMany);
    const fs::path unfinished = unfinished_path(recorded.file());
    const std::string mark = recorded.folder().read("x.ptprec.unfinished").substr(0, 64);
    REQUIRE(recorded.finish());
    fs::rename(recorded.file(), unfinished);  // killed before it had its name
    check_content(read_recording(unfinished));
    std::string bytes = recorded.folder().read("x.ptprec.unfinished");
    bytes.replace(0, mark.size(), mark);  // killed before the last write
    recorded.folder().write("x.ptprec.unfinished", bytes);
    const Recording left = read_recording(unfinished);
    CHECK(left.unfinished ==
          "the process that recorded it ended when 2 of 2 batches were complete; of the one that "
          "had begun its inputs are there");
    CHECK(left.calls().size() == 3);
}

TEST_CASE("recording in place: one with little in it is left as it is, to be written anew") {
    Recorded recorded(10);
    const std::string before = recorded.folder().read("x.ptprec.unfinished");
    CHECK_FALSE(recorded.finish());
    CHECK(recorded.folder().read("x.ptprec.unfinished") == before);
    CHECK_FALSE(fs::exists(recorded.file()));
}

TEST_CASE("recording in place: a header without room, or a tensor that was not appended") {
    Recorded recorded(kMany);
    const std::string before = recorded.folder().read("x.ptprec.unfinished");
    recorded.whole().tensors.emplace_back("1/output/other", torch::zeros({3}));
    CHECK_FALSE(recorded.finish());
    recorded.whole().tensors.pop_back();
    recorded.whole().record.set("state", std::string(200000, 'x'));
    CHECK_FALSE(recorded.finish());
    CHECK(recorded.folder().read("x.ptprec.unfinished") == before);
    recorded.whole().record.erase("state");
    CHECK(recorded.finish());
}

TEST_CASE("recording in place: a damaged tensor is found") {
    Recorded recorded(kMany);
    REQUIRE(recorded.finish());
    std::string bytes = recorded.folder().read("x.ptprec");
    const float last = 3 + kMany - 1;
    const std::size_t place =
        bytes.rfind(std::string(reinterpret_cast<const char*>(&last), sizeof(last)));
    REQUIRE(place != std::string::npos);
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    recorded.folder().write("x.ptprec", bytes);
    try {
        static_cast<void>(read_recording(recorded.file()));
        CHECK(false);
    } catch (const ptp::RunError& error) {
        CHECK(error.what() == recorded.file().string() +
                                  ": is damaged: the bytes of '1/output/y' are not those that were "
                                  "written");
    }
}

}  // namespace recording_in_place_test
