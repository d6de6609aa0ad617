// Writes and reads recordings, and checks that they are whole.

#include "solo/recording_file.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/keys.hpp"
#include "solo/unfinished_recording.hpp"

#include <fmt/core.h>

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormatName = "ptp_recording";
constexpr const char* kRecordName = "record";
constexpr const char* kHashName = "record_sha256";
constexpr const char* kSums = "checksums";

class RecordingReader {
public:
    explicit RecordingReader(const fs::path& file) : file_(file) {}

    Recording read() {
        require_header();
        engine::Safetensors content = engine::read_safetensors(file_);
        check_format(content.metadata);
        Recording made;
        made.record = read_record(content.metadata);
        std::map<std::string_view, const Value*> sums;
        for (const Member& sum : sums_in(made.record).members()) {
            sums.emplace(sum.key, &sum.value);
        }
        for (auto& [name, tensor] : content.tensors) {
            if (name.starts_with(kPartsPrefix)) {
                continue;
            }
            check_sum(sums, name, tensor);
            made.tensors.emplace(name, std::move(tensor));
        }
        for (const Member& sum : made.record.find(kSums)->members()) {
            if (!made.tensors.contains(sum.key)) {
                refuse(fmt::format("is damaged: '{}' is missing", sum.key));
            }
        }
        return made;
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const {
        throw RunError(kDataError, fmt::format("{}: {}", file_.string(), problem));
    }

    // Requires the header of a safetensors file after its length, which is in little-endian order.
    void require_header() const {
        constexpr std::uint64_t kAt = sizeof(std::uint64_t);
        std::string begin;
        std::uint64_t size = 0;
        try {
            InputFile in(file_);
            size = in.size();
            begin = in.read(0, kAt + 1);
        } catch (const FileError&) {  // read_safetensors() reports it
            return;
        }
        if (begin.back() != '{') {
            refuse("is not a recording; `ptprun record` makes one");
        }
        std::uint64_t length = 0;
        for (std::uint64_t i = kAt; i-- > 0;) {
            length = length << 8 | static_cast<unsigned char>(begin[i]);
        }
        if (length <= engine::kMaxSafetensorsHeader && length > size - kAt) {
            throw WithFix<RunError>(
                kDataError,
                {fmt::format("{}: is cut off: its header alone has {} bytes, the file has {}",
                             file_.string(), kAt + length, size),
                 "copy it again, or record again"});
        }
    }

    void check_format(const std::map<std::string, std::string>& metadata) const {
        const auto format = metadata.find(kFormatName);
        if (format == metadata.end()) {
            refuse("is not a recording; `ptprun record` makes one");
        }
        const std::string& text = format->second;
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number < 1) {
            refuse(fmt::format("is damaged: its format is '{}'", text));
        }
        if (number > kRecordingFormat) {
            refuse_newer_recording(file_, number);
        }
    }

    [[nodiscard]] Value read_record(const std::map<std::string, std::string>& metadata) const {
        const auto record = metadata.find(kRecordName);
        const auto hash = metadata.find(kHashName);
        if (record == metadata.end() || hash == metadata.end() ||
            sha256(record->second) != hash->second) {
            refuse("is damaged: the record of its calls is not what was written");
        }
        Diagnostics problems;
        auto read = read_toml(record->second, file_.string(), problems);
        if (!read) {
            refuse("is damaged: the record of its calls cannot be read: " + problems.text());
        }
        require_facts(*read, file_);
        static_cast<void>(sums_in(*read));
        return std::move(*read);
    }

    [[nodiscard]] const Value& sums_in(const Value& record) const {
        const Value* const sums = record.find(kSums);
        if (sums == nullptr || !sums->is_table()) {
            refuse(fmt::format("is damaged: '{}' must be a table", kSums));
        }
        return *sums;
    }

    void check_sum(const std::map<std::string_view, const Value*>& sums, const std::string& name,
                   const at::Tensor& tensor) const {
        const auto sum = sums.find(name);
        if (sum == sums.end() || !sum->second->is_integer()) {
            refuse(fmt::format("is damaged: '{}' was not recorded", name));
        }
        if (sum->second->as_integer() != checksum_of(tensor)) {
            refuse(
                fmt::format("is damaged: the bytes of '{}' are not those that were written", name));
        }
    }

    const fs::path& file_;
};

}  // namespace

const at::Tensor* Recording::tensor(const std::string& name) const {
    const auto place = tensors.find(name);
    return place == tensors.end() ? nullptr : &place->second;
}

void refuse_newer_recording(const fs::path& file, std::int64_t format) {
    throw WithFix<RunError>(
        kConfigurationError,
        {fmt::format("{}: was written in format {}; this ptp-inspect reads up to {}", file.string(),
                     format, kRecordingFormat),
         "use the ptp that has recorded it, or a newer one"});
}

std::map<std::string, std::string> recording_metadata(Value record, std::vector<Member> sums) {
    Value table = Value::table();
    table.members() = std::move(sums);
    record.set(kSums, std::move(table));
    const std::string text = to_toml(record);
    return {{kFormatName, std::to_string(kRecordingFormat)},
            {kRecordName, text},
            {kHashName, sha256(text)}};
}

void require_facts(const Value& record, const fs::path& file) {
    try {
        for (const char* name :
             {"type", "name", "path", "section", "plugin", "version", "run", "device"}) {
            static_cast<void>(run::value_in(record, name, ValueType::kString));
        }
        for (const char* name : {"kind", "seed", "threads", "batches"}) {
            static_cast<void>(run::integer_in(record, name));
        }
        for (const char* name : {"settings", "global_names", "constants", "globals", "sizes"}) {
            static_cast<void>(run::value_in(record, name, ValueType::kTable));
        }
        for (const char* name : {"inputs", "outputs", "calls"}) {
            static_cast<void>(run::value_in(record, name, ValueType::kList));
        }
    } catch (const RunError& error) {
        throw RunError(kDataError, fmt::format("{}: is damaged: {}", file.string(), error.what()));
    }
}

void rename_recording(const fs::path& from, const fs::path& to) {
    std::error_code why;
    fs::rename(from, to, why);
    if (why) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", to.string(), why.message()));
    }
    sync_folder(fs::absolute(to).parent_path());
}

void write_recording(const fs::path& file, const SavedState& recording) {
    std::vector<Member> sums;
    for (const auto& [name, tensor] : recording.tensors) {
        sums.push_back({name, {}, Value(checksum_of(tensor))});
    }
    fs::path part = file;
    part += ".part";
    std::error_code ignored;
    fs::remove(part, ignored);  // left by a killed process
    TemporaryPath made(part);
    engine::write_safetensors(part, recording.tensors,
                              recording_metadata(recording.record, std::move(sums)));
    rename_recording(part, file);
    made.keep();
}

Recording read_recording(const fs::path& file) {
    if (is_unfinished(file)) {
        return read_unfinished(file);
    }
    std::error_code ignored;
    const fs::path unfinished = unfinished_path(written_path(file));
    if (!fs::exists(file, ignored) && fs::is_regular_file(unfinished, ignored)) {
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("{}: is not there: its recording was not finished", file.string()),
             fmt::format("replay {}, which has the batches that were complete",
                         unfinished.string())});
    }
    return RecordingReader(file).read();
}

}  // namespace ptp::solo
