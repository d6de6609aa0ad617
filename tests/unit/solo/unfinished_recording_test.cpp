#include "base/error.hpp"
#include "solo/recording_file.hpp"
#include "support/temp_folder.hpp"
#include "unit/solo/made_up_record.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <filesystem>
#include <string>

namespace unfinished_recording_test {

namespace fs = std::filesystem;
using ptp::RunError;
using ptp::Value;
using ptp::engine::SavedState;
using ptp::solo::read_recording;
using ptp::solo::Recording;
using ptp::solo::UnfinishedRecording;
using ptp::test::TempFolder;

namespace {

SavedState facts_part() {
    return {Value::table({{"asked", 10}, {"record", ptp::test::made_up_record("Net")}}), {}};
}

// A part of a call: its inputs, or the rest.
SavedState call_part(int index, bool is_complete) {
    SavedState part{Value::table({{"index", index},
                                  {"begins_batch", true},
                                  {"is_complete", is_complete},
                                  {"facts", Value::table({{"call", "forward"}})}}),
                    {}};
    part.tensors = {
        {is_complete ? "output/y" : "input/x", torch::tensor({1.5F, 0.5F * float(index)})}};
    return part;
}

// Where the first part begins.
std::size_t begin_of_parts(const std::string& bytes) {
    const std::string before = "ptp_recording unfinished 1 parts at ";
    REQUIRE(bytes.starts_with(before));
    return std::stoul(bytes.substr(before.size()));
}

// Two whole calls, and one that has begun.
std::string bytes_of_three(const TempFolder& folder) {
    {
        UnfinishedRecording file(folder.path() / "x.ptprec");
        file.add(facts_part());
        for (const int index : {0, 1}) {
            file.add(call_part(index, false));
            file.add(call_part(index, true));
        }
        file.add(call_part(2, false));
    }
    return folder.read("x.ptprec");
}

Recording read_bytes(const TempFolder& folder, const std::string& bytes) {
    return read_recording(folder.write("x.ptprec", bytes));
}

std::string refusal(const TempFolder& folder, const std::string& bytes) {
    try {
        static_cast<void>(read_bytes(folder, bytes));
    } catch (const RunError& error) {
        return std::string(error.what()).substr((folder.path() / "x.ptprec").string().size() + 2);
    }
    return "";
}

}  // namespace

TEST_CASE("unfinished recording: calls are put together, and the one that had begun has failed") {
    const TempFolder folder;
    folder.write("x.ptprec", "left by another process");
    const Recording recording = read_bytes(folder, bytes_of_three(folder));
    CHECK(recording.record.find("type")->as_string() == "Net");
    CHECK(*recording.record.find("batches") == Value(2));
    REQUIRE(recording.calls().size() == 3);
    CHECK(recording.calls()[1].find("failed") == nullptr);
    CHECK(*recording.calls()[2].find("failed") == Value(true));
    CHECK(torch::equal(*recording.tensor("1/input/x"), torch::tensor({1.5F, 0.5F})));
    CHECK(torch::equal(*recording.tensor("1/output/y"), torch::tensor({1.5F, 0.5F})));
    CHECK(recording.tensor("2/output/y") == nullptr);
    CHECK(recording.unfinished ==
          "the process that recorded it ended when 2 of 10 batches were complete; of the one that "
          "had begun its inputs are there");
}

TEST_CASE("unfinished recording: wherever it was cut off, the parts before it are read") {
    const TempFolder folder;
    const std::string bytes = bytes_of_three(folder);
    std::size_t calls = 3;
    const std::size_t half = (begin_of_parts(bytes) + bytes.size()) / 2;
    for (std::size_t size = bytes.size(); size > half; size -= 7) {
        CAPTURE(size);
        const Recording recording = read_bytes(folder, bytes.substr(0, size));
        CHECK(recording.calls().size() <= calls);
        calls = recording.calls().size();
        CHECK(recording.unfinished.find("damaged") == std::string::npos);
    }
    CHECK(calls == 1);
}

TEST_CASE("unfinished recording: without its parts, and without its room, it has nothing yet") {
    const TempFolder folder;
    const std::string bytes = bytes_of_three(folder);
    for (const std::size_t size : {begin_of_parts(bytes), begin_of_parts(bytes) - 1}) {
        CAPTURE(size);
        CHECK(refusal(folder, bytes.substr(0, size)) ==
              "has nothing yet: the process that recorded it ended before the first batch");
    }
}

TEST_CASE("unfinished recording: from where it is damaged on it is not read, which is said") {
    const TempFolder folder;
    std::string bytes = bytes_of_three(folder);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the last number
    const Recording recording = read_bytes(folder, bytes);
    CHECK(recording.calls().size() == 2);
    CHECK(recording.unfinished ==
          "the process that recorded it ended when 2 of 10 batches were complete; what follows is "
          "damaged");
}

TEST_CASE("unfinished recording: one with nothing in it, and one of a newer format, are refused") {
    const TempFolder folder;
    const std::string bytes = bytes_of_three(folder);
    const std::size_t line = bytes.find('\n') + 1;
    CHECK(refusal(folder, bytes.substr(0, line)) ==
          "has nothing yet: the process that recorded it ended before the first batch");
    CHECK(refusal(folder, "ptp_recording unfinished 7\n") ==
          "was written in format 7; this ptp-inspect reads up to 1\n    fix: use the ptp that has "
          "recorded it, or a newer one");
    for (const std::string format : {"x", "0", "1", "1 parts at ", "1 parts at 5",
                                     "1 parts at 4096 more", "1 parts at 99999999999999999999"}) {
        CAPTURE(format);
        CHECK(refusal(folder, "ptp_recording unfinished " + format + "\n") ==
              "is damaged: its format is '" + format + "'");
    }
}

TEST_CASE("unfinished recording: a record that lacks something is refused") {
    const TempFolder folder;
    {
        UnfinishedRecording file(folder.path() / "x.ptprec");
        SavedState facts = facts_part();
        facts.record.find("record")->erase("seed");
        file.add(facts);
        file.add(call_part(0, true));
    }
    CHECK(refusal(folder, folder.read("x.ptprec")) ==
          "is damaged: 'seed' must be an integer, and is missing");
}

TEST_CASE("unfinished recording: it is named where the finished one is not there") {
    const TempFolder folder;
    folder.write("x.ptprec.unfinished", bytes_of_three(folder));
    fs::remove(folder.path() / "x.ptprec");
    const std::string file = (folder.path() / "x.ptprec").string();
    try {
        static_cast<void>(read_recording(file));
        CHECK(false);
    } catch (const RunError& error) {
        CHECK(error.what() ==
              file + ": is not there: its recording was not finished\n    fix: replay " + file +
                  ".unfinished, which has the batches that were complete");
    }
}

}  // namespace unfinished_recording_test
