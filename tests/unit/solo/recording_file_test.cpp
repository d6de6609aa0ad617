#include "solo/recording_file.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <torch/types.h>

#include <filesystem>
#include <string>

namespace recording_file_test {

namespace fs = std::filesystem;
using ptp::RunError;
using ptp::Value;
using ptp::engine::SavedState;
using ptp::solo::read_recording;
using ptp::solo::write_recording;
using ptp::test::TempFolder;

namespace {

SavedState small() {
    SavedState state;
    for (const char* name :
         {"type", "name", "path", "section", "plugin", "version", "run", "device"}) {
        state.record.set(name, "x");
    }
    for (const char* name : {"kind", "seed", "threads", "batches"}) {
        state.record.set(name, 1);
    }
    for (const char* name : {"settings", "global_names", "constants", "globals", "sizes"}) {
        state.record.set(name, Value::table());
    }
    for (const char* name : {"inputs", "outputs"}) {
        state.record.set(name, Value::list({}));
    }
    state.record.set("calls", Value::list({Value::table({{"call", "forward"}})}));
    state.tensors = {{"0/input/x", torch::tensor({1.5F, 2.5F})},
                     {"0/output/y", torch::tensor({3, 4, 5})}};
    return state;
}

// What read_recording() says of the file after its path; "" if it is read.
std::string refusal(const TempFolder& folder) {
    const fs::path file = folder.path() / "x.ptprec";
    try {
        read_recording(file);
    } catch (const RunError& error) {
        const std::string text = error.what();
        CHECK(text.starts_with(file.string() + ": "));
        return text.substr(file.string().size() + 2);
    }
    return "";
}

// Of a file in which `left` has become `right`, which is as long.
std::string refusal_of(const std::string& left, const std::string& right) {
    const TempFolder folder;
    write_recording(folder.path() / "x.ptprec", small());
    std::string bytes = folder.read("x.ptprec");
    const std::size_t place = bytes.find(left);
    REQUIRE(place != std::string::npos);
    bytes.replace(place, left.size(), right);
    folder.write("x.ptprec", bytes);
    return refusal(folder);
}

}  // namespace

TEST_CASE("recording file: what was written is read again, and a whole file replaces another") {
    const TempFolder folder;
    const fs::path file = folder.write("x.ptprec", "something else");
    folder.write("x.ptprec.part", "left by a process that was ended");
    write_recording(file, small());
    const auto recording = read_recording(file);
    CHECK(recording.calls().size() == 1);
    CHECK(torch::equal(*recording.tensor("0/input/x"), torch::tensor({1.5F, 2.5F})));
    CHECK(torch::equal(*recording.tensor("0/output/y"), torch::tensor({3, 4, 5})));
    CHECK(recording.tensor("0/output/z") == nullptr);
    CHECK_FALSE(fs::exists(folder.path() / "x.ptprec.part"));
}

TEST_CASE("recording file: bytes between its tensors, as earlier versions left them, are skipped") {
    const TempFolder folder;
    const fs::path file = folder.path() / "x.ptprec";
    write_recording(file, small());
    ptp::engine::Safetensors content = ptp::engine::read_safetensors(file);
    content.tensors.emplace_back("parts/0", torch::tensor({1, 2, 3}, torch::kByte));
    fs::remove(file);
    ptp::engine::write_safetensors(file, content.tensors, content.metadata);
    const auto recording = read_recording(file);
    CHECK(recording.tensors.size() == 2);
    CHECK(recording.tensor("parts/0") == nullptr);
}

TEST_CASE("recording file: a damaged one is refused, with what is damaged") {
    const std::string two_and_a_half("\0\0\x20\x40", 4);
    CHECK(refusal_of(two_and_a_half, std::string("\0\0\x21\x40", 4)) ==
          "is damaged: the bytes of '0/input/x' are not those that were written");
    CHECK(refusal_of("0/output/y\":{", "0/output/z\":{") ==
          "is damaged: '0/output/z' was not recorded");
    CHECK(refusal_of("seed = 1", "seed = 2") ==
          "is damaged: the record of its calls is not what was written");
    CHECK(refusal_of("\"ptp_recording\":\"1\"", "\"ptp_recording\":\"x\"") ==
          "is damaged: its format is 'x'");
}

TEST_CASE("recording file: one that is cut off is refused") {
    const TempFolder folder;
    write_recording(folder.path() / "x.ptprec", small());
    const std::string bytes = folder.read("x.ptprec");
    folder.write("x.ptprec", bytes.substr(0, bytes.size() - 3));
    CHECK(refusal(folder) == "'0/output/y': its data_offsets do not fit its shape or the file");
    folder.write("x.ptprec", bytes.substr(0, 5));
    CHECK(refusal(folder) == "is not a recording; `ptprun record` makes one");
}

TEST_CASE("recording file: a record that lacks something is refused") {
    const TempFolder folder;
    SavedState state = small();
    state.record.erase("seed");
    write_recording(folder.path() / "x.ptprec", state);
    CHECK(refusal(folder) == "is damaged: 'seed' must be an integer, and is missing");
}

TEST_CASE("recording file: another file, and one of a newer format, are refused by name") {
    const TempFolder folder;
    ptp::engine::write_safetensors(folder.path() / "x.ptprec", {{"w", torch::tensor({1.0F})}},
                                   {{"format", "pt"}});
    CHECK(refusal(folder) == "is not a recording; `ptprun record` makes one");
    CHECK(refusal_of("\"ptp_recording\":\"1\"", "\"ptp_recording\":\"7\"") ==
          "was written in format 7; this ptp-inspect reads up to 1\n"
          "    fix: use the ptp that has recorded it, or a newer one");
    fs::remove(folder.path() / "x.ptprec");
    CHECK(refusal(folder) == "cannot be opened: No such file or directory");
    REQUIRE(::mkfifo((folder.path() / "x.ptprec").c_str(), 0600) == 0);  // waits for no writer
    CHECK(refusal(folder) == "is not a regular file");
}

}  // namespace recording_file_test
