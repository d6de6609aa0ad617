// Writes and reads recordings, finished and unfinished ones, and checks that they are whole.

#include "solo/recording_file.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFormat = 1;
constexpr const char* kFormatName = "ptp_recording";
constexpr const char* kRecordName = "record";
constexpr const char* kPartName = "part";
constexpr const char* kSums = "checksums";

// The prefix of tensors that are not part of the recording: in files of earlier versions, the bytes
// between the others.
constexpr std::string_view kPartsPrefix = "parts/";

// The first line of an unfinished recording: the mark, the number of the format, and the place of
// the first part.
constexpr std::string_view kMark = "ptp_recording unfinished ";
constexpr std::string_view kPartsBegin = " parts at ";
constexpr std::uint64_t kPartsAt = 64;
constexpr std::uint64_t kMaxPartsAt = std::uint64_t{16} << 20U;

// Returns the number of zeros after a part of this size: the next begins at a multiple of 8.
constexpr std::uint64_t filling_behind(std::uint64_t size) {
    return (8 - size % 8) % 8;
}

// Returns the CRC-32C of the bytes.
std::int64_t checksum_of(const at::Tensor& tensor) {
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(tensor.data_ptr(), tensor.nbytes());
    return crc.checksum();
}

// Returns metadata with the record, the checksums of these tensors in it, and its hash.
std::map<std::string, std::string> metadata_of(const std::string& name, const SavedState& state) {
    Value sums = Value::table();
    for (const auto& [tensor_name, tensor] : state.tensors) {
        sums.members().push_back({tensor_name, {}, Value(checksum_of(tensor))});
    }
    Value record = state.record;
    record.set(kSums, std::move(sums));
    const std::string text = to_toml(record);
    return {{name, text}, {name + "_sha256", sha256(text)}};
}

[[noreturn]] void refuse(const fs::path& file, const std::string& problem) {
    throw RunError(kDataError, fmt::format("{}: {}", file.string(), problem));
}

[[noreturn]] void refuse_format(const fs::path& file, std::string_view text) {
    refuse(file, fmt::format("is damaged: its format is '{}'", text));
}

// Returns what follows the number of the format in a text.
std::string_view behind_format(const fs::path& file, std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 1) {
        refuse_format(file, text);
    }
    if (number > kFormat) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("{}: was written in format {}; this ptp-inspect reads up to {}",
                         file.string(), number, kFormat),
             "use the ptp that has recorded it, or a newer one"});
    }
    return text.substr(static_cast<std::size_t>(end - text.data()));
}

// Returns the record from metadata_of(), whose tensors these must be.
Value checked_record(const fs::path& file, const std::string& name,
                     const engine::Safetensors& content) {
    const auto text = content.metadata.find(name);
    const auto hash = content.metadata.find(name + "_sha256");
    if (text == content.metadata.end() || hash == content.metadata.end() ||
        sha256(text->second) != hash->second) {
        refuse(file, "is damaged: the record of its calls is not what was written");
    }
    Diagnostics problems;
    auto record = read_toml(text->second, file.string(), problems);
    if (!record) {
        refuse(file, "is damaged: the record of its calls cannot be read: " + problems.text());
    }
    std::map<std::string_view, const Value*> sums;
    if (const Value* const table = record->find(kSums); table != nullptr && table->is_table()) {
        for (const Member& sum : table->members()) {
            sums.emplace(sum.key, &sum.value);
        }
    }
    for (const auto& [tensor_name, tensor] : content.tensors) {
        if (tensor_name.starts_with(kPartsPrefix)) {
            continue;
        }
        const auto sum = sums.find(tensor_name);
        if (sum == sums.end()) {
            refuse(file, fmt::format("is damaged: '{}' was not recorded", tensor_name));
        }
        if (*sum->second != Value(checksum_of(tensor))) {
            refuse(file,
                   fmt::format("is damaged: the bytes of '{}' are not those that were written",
                               tensor_name));
        }
        sums.erase(sum);
    }
    if (!sums.empty()) {
        refuse(file, fmt::format("is damaged: '{}' is missing", sums.begin()->first));
    }
    return std::move(*record);
}

// Requires the facts of every record.
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
        refuse(file, std::string("is damaged: ") + error.what());
    }
}

// Requires the header of a safetensors file after its length, which is in little-endian order.
void require_header(const fs::path& file) {
    constexpr std::uint64_t kAt = sizeof(std::uint64_t);
    std::string begin;
    std::uint64_t size = 0;
    try {
        InputFile in(file);
        size = in.size();
        begin = in.read(0, kAt + 1);
    } catch (const FileError&) {  // read_safetensors() reports it
        return;
    }
    if (begin.back() != '{') {
        refuse(file, "is not a recording; `ptprun record` makes one");
    }
    std::uint64_t length = 0;
    for (std::uint64_t i = kAt; i-- > 0;) {
        length = length << 8 | static_cast<unsigned char>(begin[i]);
    }
    if (length <= engine::kMaxSafetensorsHeader && length > size - kAt) {
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("{}: is cut off: its header alone has {} bytes, the file has {}",
                         file.string(), kAt + length, size),
             "copy it again, or record again"});
    }
}

Recording read_finished(const fs::path& file) {
    require_header(file);
    engine::Safetensors content = engine::read_safetensors(file);
    const auto format = content.metadata.find(kFormatName);
    if (format == content.metadata.end()) {
        refuse(file, "is not a recording; `ptprun record` makes one");
    }
    if (!behind_format(file, format->second).empty()) {
        refuse_format(file, format->second);
    }
    Recording made;
    made.record = checked_record(file, kRecordName, content);
    require_facts(made.record, file);
    for (auto& [name, tensor] : content.tensors) {
        if (!name.starts_with(kPartsPrefix)) {
            made.tensors.emplace(name, std::move(tensor));
        }
    }
    return made;
}

// Reads the parts that are complete.
class UnfinishedReader {
public:
    explicit UnfinishedReader(const fs::path& file) : file_(file), in_(file, std::ios::binary) {}

    Recording read() {
        const std::uint64_t begin = begin_of_parts();
        const std::uint64_t size = fs::file_size(file_);
        rest_ = size - std::min(begin, size);
        in_.clear();  // the line may be everything there is
        in_.seekg(static_cast<std::streamoff>(begin));
        while (read_part()) {
        }
        if (record_.members().empty()) {
            refuse(file_,
                   "has nothing yet: the process that recorded it ended before the first batch");
        }
        return assembled();
    }

private:
    std::uint64_t begin_of_parts() {
        std::string line;
        std::getline(in_, line);
        const std::string_view text = std::string_view(line).substr(kMark.size());
        const std::string_view rest = behind_format(file_, text);
        std::uint64_t place = 0;
        if (rest.starts_with(kPartsBegin)) {
            const char* const end = rest.data() + rest.size();
            const auto read = std::from_chars(rest.data() + kPartsBegin.size(), end, place);
            if (read.ec == std::errc() && read.ptr == end && place > line.size() &&
                place <= kMaxPartsAt) {
                return place;
            }
        }
        refuse_format(file_, text);
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
        size = std::min(filling_behind(size), rest_);
        in_.ignore(static_cast<std::streamsize>(size));
        rest_ -= size;
        return true;
    }

    void take(engine::Safetensors content) {
        const Value part = checked_record(file_, kPartName, content);
        if (part.find(kRecordName) != nullptr) {
            record_ = run::value_in(part, kRecordName, ValueType::kTable);
            asked_ = run::integer_in(part, "asked");
            return;
        }
        Call& call = calls_[run::integer_in(part, "index")];
        call.begins_batch = run::value_in(part, "begins_batch", ValueType::kBool).as_bool();
        call.is_complete = run::value_in(part, "is_complete", ValueType::kBool).as_bool();
        call.facts = run::value_in(part, "facts", ValueType::kTable);
        std::ranges::move(content.tensors, std::back_inserter(call.tensors));
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
    bool is_damaged_ = false;
};

bool is_unfinished(const fs::path& file) {
    try {
        return InputFile(file).read(0, kMark.size()) == kMark;
    } catch (const FileError&) {
        return false;  // the reader of finished ones reports it
    }
}

}  // namespace

const at::Tensor* Recording::tensor(const std::string& name) const {
    const auto place = tensors.find(name);
    return place == tensors.end() ? nullptr : &place->second;
}

Recording read_recording(const fs::path& file) {
    if (is_unfinished(file)) {
        return UnfinishedReader(file).read();
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
    return read_finished(file);
}

void write_recording(const fs::path& file, const SavedState& recording) {
    auto metadata = metadata_of(kRecordName, recording);
    metadata[kFormatName] = std::to_string(kFormat);
    fs::path part = file;
    part += ".part";
    std::error_code why;
    fs::remove(part, why);  // left by a killed process
    TemporaryPath made(part);
    engine::write_safetensors(part, recording.tensors, metadata);
    fs::rename(part, file, why);
    if (why) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", file.string(), why.message()));
    }
    sync_folder(fs::absolute(file).parent_path());
    made.keep();
}

fs::path unfinished_path(const fs::path& recording) {
    fs::path path = recording;
    path += ".unfinished";
    return path;
}

void UnfinishedRecording::add(const SavedState& part) {
    if (!out_) {
        std::error_code ignored;
        fs::remove(file_, ignored);
        out_ = OutputFile::create(file_);
        std::string line = fmt::format("{}{}{}{}\n", kMark, kFormat, kPartsBegin, kPartsAt);
        line.resize(kPartsAt, ' ');
        out_->write(line);
    }
    const engine::SafetensorsBytes bytes =
        engine::safetensors_bytes(part.tensors, metadata_of(kPartName, part));
    const std::uint64_t size = bytes.size();
    out_->write(&size, sizeof(size));
    bytes.write(*out_);
    out_->write(std::string(filling_behind(size), '\0'));
}

}  // namespace ptp::solo
