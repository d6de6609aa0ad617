#include "engine/train/status_file.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/time_text.hpp"
#include "engine/component/crash.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

namespace ptp::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;  // 2: epochs count from 1

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);  // JSON has no others
}

Json to_json(const Measurement& measured) {
    if (measured.set.empty()) {
        return nullptr;
    }
    Json statistics = Json::object();
    for (const Member& member : measured.statistics.members()) {
        statistics[member.key] = number(member.value.as_real());
    }
    return {{"set", measured.set},
            {"episode", measured.at.episode},
            {"epoch", measured.at.epoch_number()},
            {"loss", number(measured.loss)},
            {"statistics", std::move(statistics)}};
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Field 22 of /proc/self/stat, in clock ticks since the machine started. The second field, the
// program's name in brackets, may hold anything.
std::uint64_t process_began() {
    const std::string line = first_line("/proc/self/stat");
    const std::size_t name_end = line.rfind(')');
    std::istringstream fields(name_end == std::string::npos ? "" : line.substr(name_end + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) {
        fields >> skipped;
    }
    std::uint64_t ticks = 0;
    fields >> ticks;
    return ticks;
}

}  // namespace

StatusFile::StatusFile(std::filesystem::path file) : file_(std::move(file)) {}

double StatusFile::begin() {
    Json before;
    try {
        before = Json::parse(read_text(file_), nullptr, false);
    } catch (const RunError&) {
        before = Json::object();  // A new run has none.
    }
    // What an earlier process wrote stays until this one has something newer to say.
    const auto kept = [&before](const char* key, Json otherwise) {
        const bool is_kept =
            before.is_object() && before.contains(key) && before[key].type() == otherwise.type();
        return is_kept ? before[key] : otherwise;
    };
    const bool counts_from_0 = before.is_object() && !before.contains("format");
    const auto kept_set = [&](const char* key) {
        const bool is_set = before.is_object() && before.contains(key) && before[key].is_object();
        Json set = is_set ? before[key] : Json(nullptr);
        if (is_set && counts_from_0 && set.contains("epoch") && set["epoch"].is_number_unsigned()) {
            set["epoch"] = set["epoch"].get<std::uint64_t>() + 1;
        }
        return set;
    };
    const Json seconds = kept("seconds", 0.0);
    content_ = {{"format", kFormat},
                {"state", "running"},
                {"reason", nullptr},
                {"exit_code", nullptr},
                {"episode", kept("episode", 0U)},
                {"epoch", kept("epoch", 0U)},
                {"seconds", seconds},
                {"last", kept_set("last")},
                {"best", kept_set("best")},
                {"began", now_text()},
                {"ended", nullptr},
                {"pid", getpid()},
                {"host", host_name()},
                {"boot", first_line("/proc/sys/kernel/random/boot_id")},
                {"process_began", process_began()}};
    write();
    return seconds.get<double>();
}

void StatusFile::progress(std::uint64_t episodes, std::uint64_t epoch, double seconds,
                          const Measurement& last, const Measurement& best) {
    content_["episode"] = episodes;
    content_["epoch"] = epoch;
    content_["seconds"] = seconds;
    content_["last"] = to_json(last);
    content_["best"] = to_json(best);
    write();
}

void StatusFile::end(std::string_view state, std::string_view reason, int exit_code) {
    content_["state"] = state;
    content_["reason"] = reason;
    content_["exit_code"] = exit_code;
    content_["ended"] = now_text();
    write();
}

void StatusFile::write() const {
    // A component's message may hold bytes that are no text.
    replace_file(file_, content_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");

    Json rest = content_;
    for (const char* key : {"state", "reason", "exit_code"}) {
        rest.erase(key);
    }
    remember_for_crash("," + rest.dump(2).substr(1) + "\n");
}

}  // namespace ptp::engine
