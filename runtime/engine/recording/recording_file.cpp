#include "engine/recording/recording_file.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>
#include <boost/crc.hpp>

#include <charconv>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormatName = "ptp_recording";
constexpr const char* kRecordName = "record";
constexpr const char* kHashName = "record_sha256";
constexpr const char* kSums = "checksums";

// CRC-32C of the bytes.
std::int64_t checksum(const at::Tensor& tensor) {
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(tensor.data_ptr(), tensor.nbytes());
    return crc.checksum();
}

class RecordingReader {
public:
    explicit RecordingReader(const fs::path& file) : file_(file) {}

    Recording read() {
        Safetensors content = read_safetensors(file_);
        check_format(content.metadata);
        Recording made;
        made.record = read_record(content.metadata);
        for (auto& [name, tensor] : content.tensors) {
            check_sum(made.record, name, tensor);
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
            throw WithFix<RunError>(
                kConfigurationError,
                {fmt::format("{}: was written in format {}; this ptp-inspect reads up to {}",
                             file_.string(), number, kRecordingFormat),
                 "use the ptp that has recorded it, or a newer one"});
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
        try {
            for (const char* name :
                 {"type", "name", "path", "section", "plugin", "version", "run", "device"}) {
                static_cast<void>(run::value_in(*read, name, ValueType::kString));
            }
            for (const char* name : {"kind", "seed", "threads", "batches"}) {
                static_cast<void>(run::integer_in(*read, name));
            }
            for (const char* name :
                 {"settings", "global_names", "constants", "globals", "sizes", kSums}) {
                static_cast<void>(run::value_in(*read, name, ValueType::kTable));
            }
            for (const char* name : {"inputs", "outputs", "calls"}) {
                static_cast<void>(run::value_in(*read, name, ValueType::kList));
            }
        } catch (const RunError& error) {
            refuse(fmt::format("is damaged: {}", error.what()));
        }
        return std::move(*read);
    }

    void check_sum(const Value& record, const std::string& name, const at::Tensor& tensor) const {
        const Value* const sum = record.find(kSums)->find(name);
        if (sum == nullptr || !sum->is_integer()) {
            refuse(fmt::format("is damaged: '{}' was not recorded", name));
        }
        if (sum->as_integer() != checksum(tensor)) {
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

void write_recording(const fs::path& file, const SavedState& recording) {
    Value record = recording.record;
    Value sums = Value::table();
    for (const auto& [name, tensor] : recording.tensors) {
        sums.set(name, checksum(tensor));
    }
    record.set(kSums, std::move(sums));
    const std::string text = to_toml(record);
    fs::path part = file;
    part += ".part";
    std::error_code ignored;
    fs::remove(part, ignored);  // of a process that was ended
    TemporaryPath made(part);
    write_safetensors(part, recording.tensors,
                      {{kFormatName, std::to_string(kRecordingFormat)},
                       {kRecordName, text},
                       {kHashName, sha256(text)}});
    std::error_code why;
    fs::rename(part, file, why);
    if (why) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", file.string(), why.message()));
    }
    made.keep();
    sync_folder(fs::absolute(file).parent_path());
}

Recording read_recording(const fs::path& file) {
    return RecordingReader(file).read();
}

}  // namespace ptp::engine
