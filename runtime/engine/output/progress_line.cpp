// Selects the parts of a line that fit into its width.

#include "engine/output/progress_line.hpp"

#include "base/characters.hpp"
#include "base/duration.hpp"
#include "base/memory.hpp"
#include "base/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kMinBar = 8;
constexpr std::size_t kMaxBar = 32;
constexpr int kDecimals = 4;

struct Part {
    std::string text;
    int rank = 0;  // lower ones are shown first
    bool is_shown = false;
};

std::string named(const std::string& name, double value) {
    return std::isnan(value) || name.empty()
               ? ""
               : fmt::format("{} {}", name, rounded_text(value, kDecimals));
}

constexpr std::size_t kBar = 1;  // the place of the bar in parts_of()

std::vector<Part> parts_of(const ProgressView& view) {
    return {
        {view.label, 0},
        {std::string(kMinBar, ' '), 5},
        {fmt::format("{}/{}", view.done, view.count), 1},
        {named(view.loss_name, view.loss), 3},
        {named(view.statistic_name, view.statistic), 4},
        {view.seconds_left ? duration_text(view.seconds_left, DurationStyle::kProse) + " left" : "",
         2},
        {view.batches_per_second > 0 ? rate_text(view.batches_per_second) : "", 6},
        {view.memory_mib > 0 ? fmt::format("{} MiB", view.memory_mib) : "", 7},
        {view.wait_share > 0 ? fmt::format("waiting {:.0f}%", 100 * view.wait_share) : "", 8},
    };
}

}  // namespace

std::string progress_bar(std::uint64_t done, std::uint64_t count, std::size_t width) {
    const std::size_t room = std::max<std::size_t>(width, 3) - 2;
    const double share =
        count == 0 ? 0 : std::min(static_cast<double>(done) / static_cast<double>(count), 1.0);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
    std::string bar(filled, '=');
    if (filled < room) {
        bar += '>';
    }
    return fmt::format("[{}{}]", bar, std::string(room - bar.size(), ' '));
}

std::string progress_line(const ProgressView& view, std::size_t width) {
    std::vector<Part> parts = parts_of(view);
    std::size_t used = 0;
    for (int rank = 0; rank <= 8; ++rank) {
        const auto part = std::ranges::find(parts, rank, &Part::rank);
        const std::size_t more = display_width(part->text) + (used == 0 ? 0 : kGap.size());
        if (part->text.empty()) {
            continue;
        }
        if (used > 0 && used + more > width) {
            break;
        }
        part->is_shown = true;
        used += more;
    }
    if (parts[kBar].is_shown) {
        const std::size_t spare = width - std::min(used, width);
        parts[kBar].text = progress_bar(view.done, view.count, std::min(kMinBar + spare, kMaxBar));
    }
    std::string line;
    for (const Part& part : parts) {
        if (part.is_shown) {
            line += (line.empty() ? "" : std::string(kGap)) + part.text;
        }
    }
    return cut_to_width(line, width);
}

PassProgress::PassProgress(Console& console, std::string label, Clock clock)
    : console_(console),
      label_(std::move(label)),
      clock_(std::move(clock)),
      begin_(clock_()),
      last_line_(begin_) {}

void PassProgress::batch(SamplesDone samples) {
    const double now = clock_();
    samples_ = samples;
    if (++batches_ == 1) {
        first_samples_ = samples.done;
        first_end_ = now;
    }
    if (console_.is_live()) {
        if (console_.wants_progress()) {
            console_.progress(progress_line(view(now), console_.width()));
        }
    } else if (now - last_line_ >= kPlainLineSeconds) {
        last_line_ = now;
        console_.line(progress_line(view(now), kPlainLineWidth));
    }
}

ProgressView PassProgress::view(double now) const {
    ProgressView view;
    view.label = label_;
    view.done = samples_.done;
    view.count = samples_.count;
    view.memory_mib = resident_bytes() / kMiB;
    const double seconds = now - first_end_;
    if (batches_ > 1 && seconds > 0) {
        const double rate = static_cast<double>(samples_.done - first_samples_) / seconds;
        view.batches_per_second = rate;
        if (is_enough(batches_, now - begin_) && rate > 0) {
            const std::uint64_t left = samples_.count - std::min(samples_.done, samples_.count);
            view.seconds_left = static_cast<double>(left) / rate;
        }
    }
    return view;
}

}  // namespace ptp::engine
