// Records scalars, images, histograms and the pipeline as TensorBoard's events.

#include "engine/output/tensorboard.hpp"

#include "run/paths.hpp"

#include <ptp/ext/parameters.h>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

// Returns the text as indented code, which Markdown shows unchanged.
std::string as_code(const std::string& text) {
    std::istringstream lines(text);
    std::string code;
    for (std::string line; std::getline(lines, line);) {
        code += "    " + line + '\n';
    }
    return code;
}

bool is_due(std::uint64_t episode, std::int64_t every) {
    return every > 0 && episode % static_cast<std::uint64_t>(every) == 0;
}

}  // namespace

TensorBoard::TensorBoard(const fs::path& folder, experiment::TensorBoard settings,
                         double (*clock)())
    : SinkWithFile(folder / "events.out.tfevents.0.ptp"),
      settings_(std::move(settings)),
      clock_(clock) {}

void TensorBoard::begin(const RunInfo& facts) {
    columns_ = &facts.columns;
    for (const auto& image : settings_.images) {
        const auto found =
            std::ranges::find(facts.plan.streams, image.value, &pipeline::Stream::name);
        if (found != facts.plan.streams.end()) {
            images_.push_back({image.value, static_cast<int>(found - facts.plan.streams.begin())});
        }
    }
    if (file() == nullptr) {
        open(facts);
    }
}

// Viewers recognize event files by "tfevents".
void TensorBoard::open(const RunInfo& facts) {
    new_file();
    add(version_event(clock_()));
    add(graph_event(clock_(), facts.plan));
    Summary summary;
    summary.add_text("experiment/text_summary", as_code(facts.experiment));
    add(0, summary);
    file()->flush();
}

void TensorBoard::episode(const EpisodeRow& row) {
    if (!is_due(row.at.episode, settings_.every_episodes)) {
        return;
    }
    Summary summary;
    for (const auto& [name, value] : batch_cells(*columns_, row.values, kTrainingSet)) {
        summary.add_scalar("episodes/" + name, value);
    }
    add(row.at.episode, summary);
}

void TensorBoard::set(const SetRow& row) {
    Summary summary;
    for (std::size_t i = 0; i < columns_->size(); ++i) {
        const Column& column = (*columns_)[i];
        if (is_recorded(column, row.aggregates[i])) {
            summary.add_scalar(fmt::format("{}/{}", row.set, column.name), row.aggregates[i].value);
        }
    }
    add(row.position.at.episode, summary);
    file()->flush();
}

bool TensorBoard::reads(std::string_view stream) const {
    return std::ranges::any_of(settings_.images,
                               [&](const auto& image) { return image.value == stream; });
}

void TensorBoard::look_at(Position at, const Frame& frame) {
    if (at.epoch < next_image_epoch_ || images_.empty()) {
        return;
    }
    next_image_epoch_ = at.epoch + 1;
    Summary summary;
    for (const Images& images : images_) {
        const at::Tensor& batch = frame[images.slot].tensor;
        const std::int64_t count = std::min(settings_.image_count, batch.size(0));
        for (std::int64_t i = 0; i < count; ++i) {
            summary.add_image(fmt::format("{}/{}", images.stream, i), png_of(batch[i]));
        }
    }
    add(at.episode, summary);
}

void TensorBoard::learned(Position at, const Components& components) {
    const bool is_now = is_due(at.episode, settings_.histograms_every_episodes);
    are_gradients_due_ = are_gradients_due_ || is_now;
    if (!are_gradients_due_) {
        return;
    }
    bool has_gradients = false;
    Summary summary;
    for (const auto& node : components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            if (named.role != PTP_PARAMETER || !named.tensor.is_floating_point()) {
                continue;
            }
            const std::string name = fmt::format("{}.{}", node->node().name, named.name);
            if (is_now) {
                summary.add_histogram("weights/" + name, histogram_of(named.tensor));
            }
            if (named.tensor.grad().defined()) {
                has_gradients = true;
                summary.add_histogram("gradients/" + name, histogram_of(named.tensor.grad()));
            }
        }
    }
    are_gradients_due_ = !has_gradients;
    add(at.episode, summary);
}

void TensorBoard::picture(const Picture& picture) {
    Summary summary;
    summary.add_image(picture.tag, png_of(picture.pixels));
    add(picture.episode, summary);
}

void TensorBoard::add(const std::string& event) {
    file()->add(framed(event));
}

void TensorBoard::add(std::uint64_t step, const Summary& summary) {
    if (!summary.is_empty()) {
        add(summary_event({clock_(), step}, summary));
    }
}

Value TensorBoard::save() const {
    Value saved = SinkWithFile::save();
    saved.set("next_image_epoch", next_image_epoch_);
    saved.set("are_gradients_due", are_gradients_due_);
    return saved;
}

// Repeated episodes produce the same numbers again, so that a viewer that has read them is not
// wrong.
void TensorBoard::restore(const Value& saved) {
    if (saved.members().empty()) {
        fs::remove(path());
        return;
    }
    next_image_epoch_ = saved_number(saved, "next_image_epoch");
    are_gradients_due_ = saved.is_true_at("are_gradients_due");
    continue_file(saved);
}

std::unique_ptr<Sink> make_sink(const experiment::TensorBoard& options,
                                const std::filesystem::path& run_folder) {
    const auto wall_seconds = [] {
        return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    };
    return std::make_unique<TensorBoard>(run_folder / run::kTensorBoardFolder, options,
                                         wall_seconds);
}

}  // namespace ptp::engine
