#include "engine/output/json_lines.hpp"

#include "engine/output/json_text.hpp"
#include "engine/output/saved_number.hpp"
#include "run/paths.hpp"

#include <utility>

namespace ptp::engine {

JsonLines::JsonLines(std::filesystem::path path, const experiment::JsonLines& settings)
    : path_(std::move(path)), stride_(static_cast<std::uint64_t>(settings.every_episodes)) {}

void JsonLines::begin(const RunInfo& facts) {
    columns_ = &facts.columns;
    first_epoch_ = facts.first_epoch;
    if (!file_) {
        file_.emplace(path_);
    }
}

void JsonLines::episode(const EpisodeRow& row) {
    if (row.at.episode % stride_ == 0) {
        add(json_text(row, *columns_, first_epoch_));
    }
}

void JsonLines::set(const SetRow& row) {
    add(json_text(row, *columns_, first_epoch_));
    file_->flush();
}

void JsonLines::add(std::string text) {
    text += '\n';
    file_->add(text);
}

void JsonLines::sync() {
    if (file_) {
        file_->sync();
    }
}

Value JsonLines::save() const {
    return Value::table({{"size", file_ ? file_->synced_size() : restored_size_},
                         {"sha256", file_ ? file_->synced_hash() : restored_hash_}});
}

void JsonLines::restore(const Value& saved) {
    restored_size_ = saved.members().empty() ? 0 : saved_number(saved, "size");
    restored_hash_ = saved_text(saved, "sha256");
    if (!saved.members().empty() || std::filesystem::exists(path_)) {
        file_.emplace(path_, restored_size_, restored_hash_);
    }
}

std::unique_ptr<Sink> make_sink(const experiment::JsonLines& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<JsonLines>(run_folder / run::kJsonLinesFile, options);
}

}  // namespace ptp::engine
