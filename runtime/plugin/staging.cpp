// Waits for a file to be complete, copies it and checks the copy.

#include "plugin/staging.hpp"

#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "plugin/companions.hpp"
#include "plugin/note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

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

Manifest inspect(const fs::path& copy, const fs::path& source) {
    const LibraryFile file =
        in_stage_phase(StagePhase::kInspect, source, "build it with ptp_add_plugin()",
                       [&] { return read_library(copy); });
    return in_stage_phase(StagePhase::kInspect, source, "", [&] { return read_manifest(file); });
}

std::optional<Staged> take(const StageRequest& request, PrivateCopies& copies,
                           const fs::path& source, const FileState& state) {
    std::optional<Staged> staged =
        in_stage_phase(StagePhase::kStage, source, "name a plugin's file that this user can read",
                       [&] { return copy_once(request, copies, source, state); });
    if (staged) {
        try {
            staged->copy.manifest = inspect(staged->copy.path, source);
        } catch (...) {
            remove_copy(staged->copy.path);
            throw;
        }
    }
    return staged;
}

[[noreturn]] void give_up(const StageRequest& request, const fs::path& source,
                          const FileState& state, const std::string& reason) {
    const std::string limit =
        fmt::format("{:g} s", std::chrono::duration<double>(request.limit).count());
    if (!state.exists) {
        throw StageError(source, StagePhase::kStage,
                         {fmt::format("no such file, and none came within {}", limit),
                          "build it, or name another"});
    }
    throw StageError(
        source, StagePhase::kStage,
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

std::optional<Staged> copy_once(const StageRequest& request, PrivateCopies& copies,
                                const fs::path& source, const FileState& state) {
    const InputFile file(source);
    const std::string content = file.read(0, file.size());
    const std::vector<Companion> companions = companions_of(source);
    const std::string hash = build_hash(sha256(content), companions);
    if (std::ranges::find(request.active_hashes, hash) != request.active_hashes.end()) {
        return std::nullopt;
    }
    if (state_of(source) != state) {
        throw UnfinishedFile("changed while it was read");
    }
    const std::string name = request.name.empty() ? source.stem().string() : request.name;
    const fs::path copy = copies.add(name, content, hash, companions);
    if (!companions.empty() && build_hash(copy) != hash) {
        remove_copy(copy);
        throw UnfinishedFile("changed while it was read");
    }
    return Staged{.source = source, .copy = {.path = copy, .manifest = {}}, .hash = hash};
}

std::optional<Staged> stage(const StageRequest& request, PrivateCopies& copies,
                            const StageClock& clock) {
    const fs::path source = fs::absolute(request.file);
    const auto deadline = clock.now() + request.limit;
    Settling settling(request.quiet);
    FileState tried;  // the last one that was not whole
    std::string reason;
    while (true) {
        const auto now = clock.now();
        settling.seen(state_of(source), now);
        if (!settling.state().exists) {
            tried = {};
        }
        if (settling.is_settled() && settling.state() != tried) {
            tried = settling.state();
            try {
                return take(request, copies, source, tried);
            } catch (const UnfinishedFile& unfinished) {
                reason = unfinished.what();
            }
        }
        if (now >= deadline) {
            give_up(request, source, settling.state(), settling.state() == tried ? reason : "");
        }
        const auto rest = std::chrono::ceil<milliseconds>(deadline - now);
        clock.wait(std::min(kPause, rest));
    }
}

}  // namespace ptp::plugin
