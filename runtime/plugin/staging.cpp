// Waits for a file to be complete, copies it and checks the copy.

#include "plugin/staging.hpp"

#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "plugin/companions.hpp"
#include "plugin/note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kPause{50};  // between two looks at a file that is waited for

// Runs a part of a phase. An unfinished file is the caller's to wait for.
template <class Work>
auto in_stage_phase(StagePhase phase, const fs::path& source, const char* fix, Work work) {
    return ptp::in_phase<UnfinishedFile>(work, [&](Explanation cause, RefusedFor refused_for) {
        if (cause.fix.empty() && refused_for == RefusedFor::kGood) {
            cause.fix = fix;
        }
        return StageError(source, phase, cause, refused_for);
    });
}

class Staging {
public:
    Staging(const StageRequest& request, PrivateCopies& copies)
        : request_(request), copies_(copies), source_(fs::absolute(request.file)) {}

    const fs::path& source() const { return source_; }

    // Takes the file as it is. Throws UnfinishedFile, for which the caller waits.
    std::optional<Staged> take(const FileState& state) const;

    [[noreturn]] void give_up(const FileState& state, const std::string& reason) const;

private:
    std::string read() const;
    Manifest inspect(const fs::path& path) const;
    bool is_active(const std::string& hash) const {
        return std::ranges::find(request_.active_hashes, hash) != request_.active_hashes.end();
    }

    const StageRequest& request_;
    PrivateCopies& copies_;
    fs::path source_;
};

std::string Staging::read() const {
    return in_stage_phase(StagePhase::kStage, source_,
                          "name a plugin's file that this user can read", [&] {
                              const InputFile file(source_);
                              return file.read(0, file.size());
                          });
}

Manifest Staging::inspect(const fs::path& path) const {
    const LibraryFile file =
        in_stage_phase(StagePhase::kInspect, source_, "build it with ptp_add_plugin()",
                       [&] { return read_library(path); });
    return in_stage_phase(StagePhase::kInspect, source_, "", [&] { return read_manifest(file); });
}

std::optional<Staged> Staging::take(const FileState& state) const {
    const std::string content = read();
    const std::vector<Companion> companions =
        in_stage_phase(StagePhase::kStage, source_, "", [&] { return companions_of(source_); });
    std::string hash = in_stage_phase(StagePhase::kStage, source_, "",
                                      [&] { return build_hash(sha256(content), companions); });
    if (is_active(hash)) {
        return std::nullopt;
    }
    if (state_of(source_) != state) {
        throw UnfinishedFile("changed while it was read");
    }
    const std::string name = request_.name.empty() ? source_.stem().string() : request_.name;
    const fs::path copy = in_stage_phase(StagePhase::kStage, source_, "", [&] {
        return copies_.add(name, content, hash, companions);
    });
    try {
        if (!companions.empty() && build_hash(copy) != hash) {
            throw UnfinishedFile("changed while it was read");
        }
        return Staged{.source = source_,
                      .copy = {.path = copy, .manifest = inspect(copy)},
                      .hash = std::move(hash)};
    } catch (...) {
        remove_copy(copy);
        throw;
    }
}

void Staging::give_up(const FileState& state, const std::string& reason) const {
    const std::string limit =
        fmt::format("{:g} s", std::chrono::duration<double>(request_.limit).count());
    if (!state.exists) {
        throw StageError(source_, StagePhase::kStage,
                         {fmt::format("no such file, and none came within {}", limit),
                          "build it, or name another"});
    }
    throw StageError(
        source_, StagePhase::kStage,
        reason.empty() ? Explanation{fmt::format("was still written to after {}", limit),
                                     "try again when its build is done"}
                       : Explanation{fmt::format("{}, and was not whole within {}", reason, limit),
                                     "build it again"});
}

}  // namespace

std::string_view to_string(StagePhase phase) {
    return phase == StagePhase::kStage ? "stage" : "inspect";
}

StageError::StageError(const fs::path& path, StagePhase phase, const Explanation& cause,
                       RefusedFor refused_for)
    : PhaseError(fmt::format("{}: cannot be swapped in {}({}): ", path.string(),
                             refused_for == RefusedFor::kNow ? "now " : "", to_string(phase)),
                 phase, cause, refused_for) {}

StageClock StageClock::real() {
    return {.now = [] { return std::chrono::steady_clock::now(); },
            .wait = [](milliseconds time) { std::this_thread::sleep_for(time); }};
}

std::optional<Staged> stage(const StageRequest& request, PrivateCopies& copies,
                            const StageClock& clock) {
    const Staging staging(request, copies);
    const auto deadline = clock.now() + request.limit;
    Settling settling(request.quiet);
    FileState tried;  // the last one that was not whole
    std::string reason;
    while (true) {
        const auto now = clock.now();
        settling.seen(state_of(staging.source()), now);
        if (!settling.state().exists) {
            tried = {};
        }
        if (settling.is_settled() && settling.state() != tried) {
            tried = settling.state();
            try {
                return staging.take(tried);
            } catch (const UnfinishedFile& unfinished) {
                reason = unfinished.what();
            }
        }
        if (now >= deadline) {
            staging.give_up(settling.state(), settling.state() == tried ? reason : "");
        }
        const auto rest = std::chrono::ceil<milliseconds>(deadline - now);
        clock.wait(std::min(kPause, rest));
    }
}

}  // namespace ptp::plugin
