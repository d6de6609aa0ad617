#include "engine/recording/unfinished_recording.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/sha256.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/recording/checksum.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "ptp_recording unfinished ";
constexpr const char* kPart = "part";
constexpr const char* kPartHash = "part_sha256";
constexpr const char* kPartSums = "checksums";

// A file that is there already is of a process that was ended.
OutputFile new_file(const fs::path& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    return OutputFile::create(file);
}

class UnfinishedReader {
public:
    explicit UnfinishedReader(const fs::path& file) : file_(file), in_(file, std::ios::binary) {}

    Recording read() {
        read_mark();
        rest_ = fs::file_size(file_) - static_cast<std::uint64_t>(in_.tellg());
        while (read_part()) {
        }
        if (!has_record_) {
            throw RunError(kDataError,
                           fmt::format("{}: has nothing yet: the process that recorded it ended "
                                       "before the first batch",
                                       file_.string()));
        }
        return assembled();
    }

private:
    void read_mark() {
        std::string line;
        std::getline(in_, line);
        const std::string_view text = std::string_view(line).substr(kMark.size());
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number < 1) {
            throw RunError(kDataError,
                           fmt::format("{}: is damaged: its format is '{}'", file_.string(), text));
        }
        if (number > kRecordingFormat) {
            refuse_newer_recording(file_, number);
        }
    }

    // False at the end, and where the rest is not whole.
    bool read_part() {
        std::uint64_t size = 0;
        if (rest_ < sizeof(size)) {
            return false;
        }
        in_.read(reinterpret_cast<char*>(&size), sizeof(size));
        rest_ -= sizeof(size);
        if (!in_ || size > rest_) {
            return false;  // it was being written
        }
        rest_ -= size;
        try {
            take(read_safetensors(in_, size, file_));
        } catch (const RunError&) {  // such as by a loss of power
            is_damaged_ = true;
            return false;
        }
        return true;
    }

    [[noreturn]] static void refuse_part() { throw RunError(kDataError, "a part is damaged"); }

    void take(Safetensors content) {
        const std::string& text = content.metadata[kPart];
        Diagnostics problems;
        const auto read = read_toml(text, file_.string(), problems);
        if (!read || sha256(text) != content.metadata[kPartHash] ||
            read->find(kPartSums) == nullptr) {
            refuse_part();
        }
        for (const auto& [name, tensor] : content.tensors) {
            const Value* const sum = read->find(kPartSums)->find(name);
            if (sum == nullptr || *sum != Value(checksum_of(tensor))) {
                refuse_part();
            }
        }
        if (const Value* const record = read->find("record")) {
            record_ = *record;
            asked_ = run::integer_in(*read, "asked");
            has_record_ = true;
            return;
        }
        Call& call = calls_[run::integer_in(*read, "index")];
        call.begins_batch = *read->find("begins_batch") == Value(true);
        call.is_complete = *read->find("is_complete") == Value(true);
        call.facts = run::value_in(*read, "facts", ValueType::kTable);
        for (auto& named : content.tensors) {
            call.tensors.push_back(std::move(named));
        }
    }

    Recording assembled() {
        Recording made;
        std::vector<Value> calls;
        std::int64_t batches = 0;
        bool has_begun = false;
        for (auto& [index, call] : calls_) {
            if (call.is_complete) {
                batches += call.begins_batch ? 1 : 0;
            } else {
                has_begun = true;
                call.facts.set("failed", true);  // nothing of it is compared
            }
            for (auto& [name, tensor] : call.tensors) {
                made.tensors.emplace(fmt::format("{}/{}", calls.size(), name), std::move(tensor));
            }
            calls.push_back(std::move(call.facts));
        }
        made.record = std::move(record_);
        made.record.set("batches", batches);
        made.record.set("calls", Value::list(std::move(calls)));
        made.unfinished = fmt::format(
            "the process that recorded it ended when {} of {} batches were complete{}{}", batches,
            asked_, has_begun ? "; of the one that had begun its inputs are there" : "",
            is_damaged_ ? "; what follows is damaged" : "");
        return made;
    }

    struct Call {
        Value facts;
        TensorsByName tensors;
        bool begins_batch = false;
        bool is_complete = false;
    };

    const fs::path& file_;
    std::ifstream in_;
    std::uint64_t rest_ = 0;
    Value record_;
    std::int64_t asked_ = 0;
    std::map<std::int64_t, Call> calls_;
    bool has_record_ = false;
    bool is_damaged_ = false;
};

}  // namespace

fs::path unfinished_path(const fs::path& recording) {
    fs::path path = recording;
    path += ".unfinished";
    return path;
}

UnfinishedRecording::UnfinishedRecording(const fs::path& file) : out_(new_file(file)) {
    out_.write(fmt::format("{}{}\n", kMark, kRecordingFormat));
}

void UnfinishedRecording::add(const SavedState& part) {
    Value record = part.record;
    Value sums = Value::table();
    for (const auto& [name, tensor] : part.tensors) {
        sums.set(name, checksum_of(tensor));
    }
    record.set(kPartSums, std::move(sums));
    const std::string text = to_toml(record);
    const SafetensorsBytes bytes =
        safetensors_bytes(part.tensors, {{kPart, text}, {kPartHash, sha256(text)}});
    const std::uint64_t size = bytes.size();
    out_.write(&size, sizeof(size));
    bytes.write(out_);
}

void remove_unfinished(const fs::path& recording) {
    std::error_code ignored;  // What it has is in the recording, too.
    fs::remove(unfinished_path(recording), ignored);
}

bool is_unfinished(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string begin(kMark.size(), '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return in && begin == kMark;
}

Recording read_unfinished(const fs::path& file) {
    return UnfinishedReader(file).read();
}

}  // namespace ptp::engine
