// Reads the parts that are complete of FILE.unfinished.

#include "solo/unfinished_recording.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "base/toml_reader.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/keys.hpp"
#include "solo/recording_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;

bool is_true(const Value* value) {
    return value != nullptr && *value == Value(true);
}

class UnfinishedReader {
public:
    explicit UnfinishedReader(const fs::path& file) : file_(file), in_(file, std::ios::binary) {}

    Recording read() {
        const std::uint64_t begin = read_mark();
        const std::uint64_t size = fs::file_size(file_);
        rest_ = size - std::min(begin, size);
        in_.clear();  // the line may be everything there is
        in_.seekg(static_cast<std::streamoff>(begin));
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
    // Returns where the parts begin.
    std::uint64_t read_mark() {
        std::string line;
        std::getline(in_, line);
        const std::string_view text = std::string_view(line).substr(kUnfinishedMark.size());
        const char* const end = text.data() + text.size();
        std::int64_t number = 0;
        const auto format = std::from_chars(text.data(), end, number);
        if (format.ec == std::errc() && number > kRecordingFormat) {
            refuse_newer_recording(file_, number);
        }
        const std::string_view rest(format.ptr, static_cast<std::size_t>(end - format.ptr));
        std::uint64_t place = 0;
        if (format.ec == std::errc() && number > 0 && rest.starts_with(kPartsBegin)) {
            const auto read = std::from_chars(rest.data() + kPartsBegin.size(), end, place);
            if (read.ec == std::errc() && read.ptr == end && place > line.size() &&
                place <= kMaxUnfinishedRoom) {
                return place;
            }
        }
        throw RunError(kDataError,
                       fmt::format("{}: is damaged: its format is '{}'", file_.string(), text));
    }

    // Returns false at the end, and if the rest is incomplete.
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
            take(engine::read_safetensors(in_, size, file_));
        } catch (const RunError&) {  // such as after a power failure
            is_damaged_ = true;
            return false;
        }
        const std::uint64_t filled = std::min(filling_behind(size), rest_);
        in_.ignore(static_cast<std::streamsize>(filled));
        rest_ -= filled;
        return true;
    }

    [[noreturn]] static void refuse_part() { throw RunError(kDataError, "a part is damaged"); }

    void take(engine::Safetensors content) {
        const std::string& text = content.metadata[kUnfinishedPart];
        Diagnostics problems;
        const auto read = read_toml(text, file_.string(), problems);
        if (!read || sha256(text) != content.metadata[kUnfinishedPartHash] ||
            read->find(kUnfinishedPartSums) == nullptr) {
            refuse_part();
        }
        for (const auto& [name, tensor] : content.tensors) {
            const Value* const sum = read->find(kUnfinishedPartSums)->find(name);
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
        call.begins_batch = is_true(read->find("begins_batch"));
        call.is_complete = is_true(read->find("is_complete"));
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
                call.facts.set("failed", true);  // it is not compared
            }
            for (auto& [name, tensor] : call.tensors) {
                made.tensors.emplace(fmt::format("{}/{}", calls.size(), name), std::move(tensor));
            }
            calls.push_back(std::move(call.facts));
        }
        made.record = std::move(record_);
        made.record.set("batches", batches);
        made.record.set("calls", Value::list(std::move(calls)));
        require_facts(made.record, file_);
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

bool is_unfinished(const fs::path& file) {
    try {
        return InputFile(file).read(0, kUnfinishedMark.size()) == kUnfinishedMark;
    } catch (const FileError&) {
        return false;  // the reader of finished ones reports it
    }
}

Recording read_unfinished(const fs::path& file) {
    return UnfinishedReader(file).read();
}

}  // namespace ptp::solo
