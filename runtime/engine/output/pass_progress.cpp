#include "engine/output/pass_progress.hpp"

#include "base/memory.hpp"

#include <algorithm>
#include <utility>

namespace ptp::engine {

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
