// Passes each event to all sinks, and gives up one that fails.

#include "engine/output/sinks.hpp"

#include "engine/output/json_lines.hpp"
#include "engine/output/tensorboard.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

at::Tensor bytes_of(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    text.copy(static_cast<char*>(bytes.data_ptr()), text.size());
    return bytes;
}

}  // namespace

void Sinks::add(std::unique_ptr<Sink> sink) {
    sinks_.push_back({.sink = std::move(sink)});
}

void Sinks::give_up(Kept& kept, const char* reason) {
    kept.is_given_up = true;
    log_.warn(fmt::format("{} is given up, the training continues: {}",
                          std::string(kept.sink->name()), reason));
}

// Reports once when rows begin to wait, and once when none does any more.
void Sinks::tell_of_waiting(Kept& kept) {
    const GrowingFile* file = kept.sink->file();
    const bool is_waiting = file != nullptr && file->problem();
    if (std::exchange(kept.is_waiting, is_waiting) == is_waiting) {
        return;
    }
    if (is_waiting) {
        log_.warn(fmt::format(
            "cannot write {}: {}; its rows wait in memory and in the checkpoints until there is room",
            file->path().string(), file->problem().message()));
    } else {
        log_.info(
            fmt::format("the rows of {} that waited are written", std::string(kept.sink->name())));
    }
}

// Reports once that rows are lost; the training is not.
void Sinks::tell_of_disturbances() {
    for (Kept& kept : sinks_) {
        const GrowingFile* file = kept.is_given_up ? nullptr : kept.sink->file();
        const std::string what = file == nullptr || kept.is_disturbed ? "" : file->disturbance();
        if (!what.empty()) {
            kept.is_disturbed = true;
            log_.warn(fmt::format("{} {}; rows of it are lost", file->path().string(), what));
        }
    }
}

template <class Function>
void Sinks::each(Function function) {
    for (Kept& kept : sinks_) {
        if (kept.is_given_up) {
            continue;
        }
        try {
            function(*kept.sink);
            tell_of_waiting(kept);
        } catch (const c10::Error& error) {
            give_up(kept, error.what_without_backtrace());
        } catch (const std::exception& error) {
            give_up(kept, error.what());
        }
    }
}

void Sinks::begin(const RunInfo& facts) {
    each([&](Sink& sink) { sink.begin(facts); });
}

void Sinks::episode(const EpisodeRow& row) {
    each([&](Sink& sink) { sink.episode(row); });
}

void Sinks::set(const SetRow& row) {
    each([&](Sink& sink) { sink.set(row); });
}

bool Sinks::read(std::string_view stream) const {
    return std::ranges::any_of(sinks_, [&](const Kept& kept) { return kept.sink->reads(stream); });
}

void Sinks::look_at(Position at, const Frame& frame) {
    each([&](Sink& sink) { sink.look_at(at, frame); });
}

void Sinks::learned(Position at, const Components& components) {
    each([&](Sink& sink) { sink.learned(at, components); });
}

bool Sinks::take_pictures() const {
    return std::ranges::any_of(sinks_,
                               [](const Kept& kept) { return kept.sink->takes_pictures(); });
}

void Sinks::pictures(const std::vector<Picture>& pictures) {
    for (const Picture& picture : pictures) {
        each([&](Sink& sink) { sink.picture(picture); });
    }
}

void Sinks::checkpoint(const SavedCheckpoint& saved) {
    each([&](Sink& sink) { sink.checkpoint(saved); });
}

void Sinks::end(const RunOutcome& outcome) {
    each([&](Sink& sink) {
        sink.end(outcome);
        sink.sync();
    });
    tell_of_disturbances();
    for (const Kept& kept : sinks_) {
        if (kept.is_waiting && !kept.is_given_up) {
            const GrowingFile& file = *kept.sink->file();
            log_.warn(fmt::format(
                "cannot write {}: {}; the rows that wait are written when the run is resumed",
                file.path().string(), file.problem().message()));
        }
    }
}

// Saves the state even of a sink that was given up: a resumed run tries it again from there.
SavedState Sinks::save() {
    each([](Sink& sink) { sink.sync(); });
    tell_of_disturbances();
    SavedState saved;
    for (const Kept& kept : sinks_) {
        const std::string name(kept.sink->name());
        saved.record.set(name, kept.sink->save());
        if (kept.is_waiting && !kept.is_given_up) {
            saved.tensors.emplace_back(name, bytes_of(kept.sink->file()->waiting()));
        }
    }
    return saved;
}

void Sinks::restore(const SavedState& saved) {
    each([&](Sink& sink) {
        if (const Value* state = saved.record.find(sink.name())) {
            sink.restore(*state);
        }
        for (const auto& [name, rows] : saved.tensors) {
            if (name == sink.name() && sink.file() != nullptr) {
                sink.file()->add({static_cast<const char*>(rows.data_ptr()), rows.nbytes()});
            }
        }
    });
}

void Sinks::restart() {
    each([](Sink& sink) { sink.restore(Value::table()); });
}

void add_record_sinks(Sinks& sinks, const experiment::Records& records,
                      const std::filesystem::path& run_folder) {
    records.for_each([&](const auto& options) { sinks.add(make_sink(options, run_folder)); });
}

}  // namespace ptp::engine
