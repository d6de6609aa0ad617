// Passes each event to all sinks, and gives up one that fails; sinks with one file.

#include "engine/output/sinks.hpp"

#include "base/error.hpp"
#include "engine/output/json_lines.hpp"
#include "engine/output/layer_values.hpp"
#include "engine/output/probe_files.hpp"
#include "engine/output/sample_values.hpp"
#include "engine/output/tensorboard.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxWaiting = std::size_t{1} << 26U;  // 64 MiB: images can be large

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

void Sinks::give_up(std::string_view name, const std::string& reason) {
    for (Kept& kept : sinks_) {
        if (kept.sink->name() == name && !kept.is_given_up) {
            give_up(kept, reason.c_str());
        }
    }
}

// Reports rows that wait. Throws RunError if there are too many.
void Sinks::note_waiting(Kept& kept) {
    const GrowingFile* const file = kept.sink->file();
    if (file == nullptr) {
        return;
    }
    if (file->problem() && file->waiting().size() > kMaxWaiting) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", file->path().string(),
                                                   file->problem().message()));
    }
    kept.notes.note_waiting(
        *file, log_, "its rows wait in memory and in the checkpoints until there is room",
        fmt::format("the rows of {} that waited are written", std::string(kept.sink->name())));
}

// The rows are lost, the training is not.
void Sinks::note_disturbances() {
    for (Kept& kept : sinks_) {
        if (!kept.is_given_up && kept.sink->file() != nullptr) {
            kept.notes.note_disturbance(*kept.sink->file(), log_);
        }
    }
}

void Sinks::each(c10::function_ref<void(Sink&)> function) {
    for (Kept& kept : sinks_) {
        if (kept.is_given_up) {
            continue;
        }
        try {
            function(*kept.sink);
            note_waiting(kept);
        } catch (const c10::Error& error) {
            give_up(kept, error.what_without_backtrace());
        } catch (const std::exception& error) {
            give_up(kept, error.what());
        }
    }
}

bool Sinks::read(std::string_view stream) const {
    return std::ranges::any_of(sinks_, [&](const Kept& kept) { return kept.sink->reads(stream); });
}

ForwardObserver* Sinks::observer(Position at, const Components& components) {
    ForwardObserver* observer = nullptr;
    each([&](Sink& sink) {
        if (observer == nullptr) {
            observer = sink.observer(at, components);
        }
    });
    return observer;
}

bool Sinks::take_pictures() const {
    return std::ranges::any_of(sinks_,
                               [](const Kept& kept) { return kept.sink->takes_pictures(); });
}

bool Sinks::take_batches(std::optional<std::uint64_t> epoch) const {
    return std::ranges::any_of(sinks_, [&](const Kept& kept) {
        return !kept.is_given_up && kept.sink->takes_batches(epoch);
    });
}

std::set<int> Sinks::batch_streams(const SetBatch& batch) {
    std::set<int> streams;
    each([&](Sink& sink) { streams.merge(sink.batch_streams(batch)); });
    return streams;
}

const experiment::Probe* Sinks::probe(std::uint64_t epoch) {
    const experiment::Probe* probe = nullptr;
    each([&](Sink& sink) { probe = probe == nullptr ? sink.probe(epoch) : probe; });
    return probe;
}

void Sinks::pictures(const std::vector<Picture>& pictures) {
    for (const Picture& picture : pictures) {
        tell(&Sink::picture, picture);
    }
}

void Sinks::end(const RunOutcome& outcome) {
    each([&](Sink& sink) {
        sink.end(outcome);
        sink.sync();
    });
    note_disturbances();
    for (const Kept& kept : sinks_) {
        if (kept.notes.is_waiting() && !kept.is_given_up) {
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
    note_disturbances();
    SavedState saved;
    for (const Kept& kept : sinks_) {
        const std::string name(kept.sink->name());
        saved.record.set(name, kept.sink->save());
        if (kept.notes.is_waiting() && !kept.is_given_up) {
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

std::uint64_t saved_number(const Value& saved, const char* name) {
    const Value* value = saved.find(name);
    if (value == nullptr || !value->is_integer() || value->as_integer() < 0) {
        throw RunError(kDataError, std::string("the saved state has no usable '") + name + "'");
    }
    return static_cast<std::uint64_t>(value->as_integer());
}

void SinkWithFile::sync() {
    if (file_) {
        file_->sync();
    }
}

Value SinkWithFile::save() const {
    return Value::table({{"size", file_ ? file_->synced_size() : restored_size_},
                         {"sha256", file_ ? file_->synced_hash() : restored_hash_}});
}

// States of older runs have no hash.
void SinkWithFile::continue_file(const Value& saved) {
    restored_size_ = saved.members().empty() ? 0 : saved_number(saved, "size");
    restored_hash_ = saved.text_at("sha256");
    file_.emplace(path_, restored_size_, restored_hash_);
}

}  // namespace ptp::engine
