// Appends the parts of a recording to FILE.unfinished, turns that file into the recording in place
// when all parts are there, and reports what is lost if that fails.

#include "solo/unfinished_recording.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/sha256.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/keys.hpp"
#include "solo/recording_file.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;

// The mark is replaced when the rest of a header is on the disk.
constexpr std::size_t kMarkSize = 64;

// Approximate bytes of the finished file's header: for a call, and for each tensor of it. The first
// call has all parameters, and the further ones their gradients.
constexpr std::uint64_t kRoomForRecord = 65536;
constexpr std::uint64_t kRoomForCall = 8192;
constexpr std::uint64_t kRoomForTensor = 1024;

// If the room is more than this share of the file, the recording is rewritten without it.
constexpr std::uint64_t kMinShare = 4;

std::uint64_t room_for_header(std::uint64_t facts, std::uint64_t calls, std::uint64_t tensors) {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t of_call = kRoomForCall + kRoomForTensor * tensors;
    const std::uint64_t room =
        kRoomForRecord + 4 * facts + of_call * std::min(calls, kMaxUnfinishedRoom / of_call + 1);
    return std::min(room / kPage * kPage, kMaxUnfinishedRoom);
}

// Makes a new file; an existing one is of a killed process.
OutputFile new_file(const fs::path& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    return OutputFile::create(file);
}

// An entry of the header of a safetensors file, whose data begin at `data` in the file.
struct HeaderEntry {
    std::string name;
    std::string_view type;
    std::vector<std::int64_t> sizes;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::string text(std::uint64_t data) const {
        return fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                           nlohmann::json(name).dump(), type, fmt::join(sizes, ","), begin - data,
                           end - data);
    }
};

// Adds entries for the bytes between tensors, which must belong to one, too: the rest of the parts.
std::vector<HeaderEntry> with_parts(std::vector<HeaderEntry> entries, std::uint64_t begin,
                                    std::uint64_t end) {
    std::ranges::sort(entries, {},
                      [](const HeaderEntry& one) { return std::pair(one.begin, one.end); });
    std::vector<HeaderEntry> all;
    int number = 0;
    const auto fill = [&](std::uint64_t until) {
        if (begin < until) {
            all.push_back({.name = fmt::format("{}{}", kPartsPrefix, number++),
                           .type = "U8",
                           .sizes = {static_cast<std::int64_t>(until - begin)},
                           .begin = begin,
                           .end = until});
        }
    };
    for (HeaderEntry& entry : entries) {
        fill(entry.begin);
        begin = entry.end;
        all.push_back(std::move(entry));
    }
    fill(end);
    return all;
}

}  // namespace

fs::path unfinished_path(const fs::path& recording) {
    fs::path path = recording;
    path += ".unfinished";
    return path;
}

void UnfinishedRecording::add(const SavedState& part) {
    if (!facts_) {
        facts_ = part;
        return;
    }
    if (!out_) {
        begin(part);
    }
    append(part);
}

void UnfinishedRecording::begin(const SavedState& call) {
    const auto calls = static_cast<std::uint64_t>(run::integer_in(facts_->record, "asked"));
    room_ = room_for_header(to_toml(facts_->record).size(), calls, call.tensors.size());
    out_.emplace(new_file(file_));
    std::string begin =
        fmt::format("{}{}{}{}\n", kUnfinishedMark, kRecordingFormat, kPartsBegin, room_);
    begin.resize(room_, ' ');
    out_->write(begin);
    append(*facts_);
}

void UnfinishedRecording::append(const SavedState& part) {
    Value record = part.record;
    Value sums = Value::table();
    std::vector<std::int64_t> checksums;
    for (const auto& [name, tensor] : part.tensors) {
        checksums.push_back(checksum_of(tensor));
        sums.set(name, checksums.back());
    }
    record.set(kUnfinishedPartSums, std::move(sums));
    const std::string text = to_toml(record);
    const engine::SafetensorsBytes bytes = engine::safetensors_bytes(
        part.tensors, {{kUnfinishedPart, text}, {kUnfinishedPartHash, sha256(text)}});
    const std::uint64_t size = bytes.size();
    out_->write(&size, sizeof(size));
    std::uint64_t place = out_->size() + bytes.header.size();
    bytes.write(*out_);
    out_->write(std::string(filling_behind(size), '\0'));
    for (std::size_t i = 0; i < checksums.size(); ++i) {
        const std::uint64_t end = place + bytes.tensors[i].nbytes();
        written_.emplace(part.tensors[i].second.unsafeGetTensorImpl(),
                         Written{part.tensors[i].second, place, end, checksums[i]});
        place = end;
    }
}

// Returns nullopt if a tensor is in no part, or there is no room.
std::optional<std::string> UnfinishedRecording::header_of(const SavedState& whole) const {
    std::multimap<const at::TensorImpl*, Written> left = written_;
    std::vector<HeaderEntry> entries;
    std::vector<Member> sums;
    for (const auto& [name, tensor] : whole.tensors) {
        const auto found = left.find(tensor.unsafeGetTensorImpl());
        const auto* const type = std::ranges::find(engine::kSafetensorsTypes, tensor.scalar_type(),
                                                   &engine::SafetensorsType::type);
        if (found == left.end() || type == engine::kSafetensorsTypes.end()) {
            return std::nullopt;
        }
        const Written place = found->second;
        left.erase(found);  // one that is there twice was written twice
        entries.push_back({name, type->name, tensor.sizes().vec(), place.begin, place.end});
        sums.push_back({name, {}, Value(place.sum)});
    }
    std::string text = "{\"__metadata__\":" +
                       nlohmann::json(recording_metadata(whole.record, std::move(sums))).dump();
    for (const HeaderEntry& entry : with_parts(std::move(entries), room_, out_->size())) {
        text += "," + entry.text(room_);
    }
    text += "}";
    const std::uint64_t length = room_ - sizeof(length);
    if (text.size() > length) {
        return std::nullopt;
    }
    // The file already has blanks, except in the line with the mark.
    text.resize(std::max(text.size(), kMarkSize), ' ');
    return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

bool UnfinishedRecording::finish(const fs::path& recording, const SavedState& whole) {
    if (!out_ || out_->size() < kMinShare * room_) {
        return false;
    }
    const std::optional<std::string> header = header_of(whole);
    if (!header) {
        return false;
    }
    const std::string_view text = *header;
    out_->overwrite(kMarkSize, text.substr(kMarkSize));
    out_->sync();
    out_->overwrite(0, text.substr(0, kMarkSize));
    out_->finish();
    rename_recording(file_, recording);
    return true;
}

void RecordingWriter::keep(const SavedState& part) {
    try {
        if (!is_begun_) {
            is_begun_ = true;
            unfinished_.emplace(unfinished_path(request_.file));
        }
        if (unfinished_) {
            unfinished_->add(part);
            leaves_file_ = unfinished_->is_begun();
        }
    } catch (const RunError& error) {
        log_->warn(fmt::format("if this process ends early, what it {} is lost: {}",
                               leaves_file_ ? "records from here on" : "has recorded",
                               error.what()));
        unfinished_.reset();
    }
}

void RecordingWriter::write(const SavedState& whole) {
    try {
        if (!unfinished_ || !unfinished_->finish(request_.file, whole)) {
            write_recording(request_.file, whole);
            std::error_code ignored;  // Its content is in the recording, too.
            fs::remove(unfinished_path(request_.file), ignored);
        }
    } catch (const RunError& error) {
        if (!leaves_file_) {
            throw;
        }
        throw WithFix<RunError>(
            error.code(),
            {explanation_of(error).reason,
             fmt::format("make room and record again; {} has the batches that were written before, "
                         "and ptp-inspect replay reads it",
                         unfinished_path(request_.file).string())});
    }
    unfinished_.reset();
    log_->info(fmt::format("the recording is in {}", request_.file.string()));
}

void RecordingWriter::log_unfinished(const char* problem) {
    log_->error(fmt::format("the recording is not finished: {}", problem));
}

}  // namespace ptp::solo
