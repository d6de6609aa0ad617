// Collects what the progress line and the progress event show, and decides when they are shown.

#include "engine/output/progress.hpp"

#include "base/json.hpp"
#include "base/memory.hpp"
#include "base/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kLinesPerEpoch = 4;
constexpr std::uint64_t kEarlyLines = 20;  // of epochs, which are shown however short they are
constexpr int kLossDecimals = 4;

// Returns the largest number if there is no limit.
std::uint64_t count_or_most(std::int64_t limit) {
    return limit < 0 ? kUnlimited : static_cast<std::uint64_t>(limit);
}

// Returns the product, limited to the largest number.
std::uint64_t product_or_most(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kUnlimited : product;
}

void set_limits(Course& course, const experiment::TerminalConditions& limits) {
    course.epoch_count = count_or_most(limits.epoch_limit);
    course.episode_count = std::min(product_or_most(course.epoch_count, course.episodes_per_epoch),
                                    count_or_most(limits.episode_limit));
    course.seconds = limits.wall_time.seconds;
}

}  // namespace

Course course_of(const experiment::Experiment& experiment, std::uint64_t episodes_per_epoch) {
    Course course;
    course.episodes_per_epoch = episodes_per_epoch;
    course.validates_epochs = experiment.training.worker != experiment::Worker::kOnline;
    course.partial_interval = static_cast<std::uint64_t>(experiment.partial_validation_interval);
    set_limits(course, experiment.training.terminal_conditions);
    return course;
}

Progress::Progress(Console& console, ProgressSetup setup)
    : console_(console), setup_(std::move(setup)), pace_(setup_.clock) {}

void Progress::change_limits(const experiment::TerminalConditions& limits) {
    set_limits(setup_.course, limits);
}

void Progress::episode(const EpisodeDone& done) {
    phase_ = Phase::kTraining;
    pace_.batch(phase_);
    const std::uint64_t per_epoch = std::max<std::uint64_t>(setup_.course.episodes_per_epoch, 1);
    phase_done_ = done.episode % per_epoch + 1;
    phase_count_ = per_epoch;
    episodes_ = done.episode + 1;
    wait_seconds_ += done.wait_seconds;
    last_ = done;
    const std::uint64_t stride = std::max<std::uint64_t>(1, per_epoch / kLinesPerEpoch);
    if (console_.is_live() || console_.is_json()) {
        show();
    } else if (console_.is_verbose() && phase_done_ % stride == 0) {
        console_.line(progress_line(view(), kPlainLineWidth));
    }
}

void Progress::begin_pass(Phase phase, std::uint64_t batches_before) {
    phase_ = phase;
    phase_before_ = batches_before;
    phase_done_ = 0;
    phase_count_ = 0;
    pace_.release();
}

void Progress::batch(std::uint64_t done, std::uint64_t count) {
    pace_.batch(phase_);
    phase_done_ = done;
    phase_count_ = count;
    show();
}

void Progress::show() {
    if (console_.wants_progress()) {
        console_.progress(console_.is_json() ? json() : progress_line(view(), console_.width()));
    }
}

void Progress::result(const SetResult& result) {
    const std::string best = result.is_best ? "  (best)" : "";
    if (console_.is_live() || console_.is_json() || console_.is_verbose()) {
        console_.headline(
            fmt::format("{}  {:<10}  {}{}", result.where, result.set, result.text, best));
        return;
    }
    if (std::exchange(is_complete_, false)) {
        results_.clear();  // those of an earlier epoch are not shown
    }
    results_ += fmt::format("{}  {}  {}{}", results_.empty() ? result.where : "", result.set,
                            result.text, best);
    is_complete_ = !result.has_more;
    const double now = setup_.clock();
    const bool is_early = lines_ < kEarlyLines;
    if (is_complete_ && (is_early || now - last_line_ >= kPlainEpochSeconds)) {
        ++lines_;
        last_line_ = now;
        flush();
    }
}

void Progress::flush() {
    if (!results_.empty()) {
        console_.headline(results_);
        results_.clear();
    }
    is_complete_ = false;
}

std::optional<double> Progress::seconds_left() const {
    const Course& course = setup_.course;
    const auto left =
        pace_.seconds_left(course.left(episodes_, phase_, phase_before_ + phase_done_));
    if (course.seconds <= 0) {
        return left;
    }
    // The time limit ends training and validation; the test's time is additional.
    const double rest = std::max(course.seconds - pace_.seconds(), 0.0);
    if (course.episode_count == kUnlimited) {
        return rest;
    }
    return left ? std::optional(std::min(*left, rest)) : std::nullopt;
}

void Progress::add_to(Value& table) const {
    const auto add_count = [&](const char* key, std::uint64_t count) {
        if (count <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            table.set(key, count);
        }
    };
    add_count("epoch_count", setup_.course.epoch_count);
    add_count("episode_count", setup_.course.episode_count);
    if (const auto left = seconds_left()) {
        table.set("seconds_left", *left);
    }
    table.set("episodes_per_second", pace_.batches_per_second(Phase::kTraining));
}

ProgressView Progress::view() const {
    ProgressView view;
    view.label = phase_ == Phase::kTest
                     ? std::string(phase_name(phase_))
                     : fmt::format("epoch {}  {}", epoch_text(last_.epoch), phase_name(phase_));
    view.done = phase_done_;
    view.count = phase_count_;
    view.seconds_left = seconds_left();
    view.batches_per_second = pace_.batches_per_second(phase_);
    view.memory_mib = resident_bytes() / kMiB;
    if (phase_ == Phase::kTraining) {
        view.loss_name = setup_.loss_name;
        view.loss = last_.loss;
        view.statistic_name = setup_.statistic_name;
        view.statistic = last_.statistic;
        view.wait_share = std::min(wait_seconds_ / std::max(pace_.seconds(), 1e-9), 1.0);
    }
    return view;
}

std::string Progress::json() const {
    const auto left = seconds_left();
    Json json = {{"event", "progress"}};
    json["phase"] = phase_name(phase_);
    json["episode"] = last_.episode;
    json["epoch"] = last_.epoch + 1;
    json["episode_count"] = setup_.course.episode_count;
    json["phase_done"] = phase_done_;
    json["phase_count"] = phase_count_;
    json["loss"] = last_.loss;
    json["episodes_per_second"] = pace_.batches_per_second(Phase::kTraining);
    json["seconds_left"] = left ? Json(*left) : Json();
    json["memory_bytes"] = resident_bytes();
    json["wait_share"] = std::min(wait_seconds_ / std::max(pace_.seconds(), 1e-9), 1.0);
    return text_of(json);
}

std::string Progress::epoch_text(std::uint64_t epoch) const {
    return setup_.course.epoch_count == kUnlimited
               ? fmt::format("{}", epoch + 1)
               : fmt::format("{}/{}", epoch + 1, setup_.course.epoch_count);
}

std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_recorded(columns[i], aggregates[i])) {
            text += fmt::format(
                "{}{} {}", text.empty() ? "" : "  ", columns[i].name,
                rounded_text(aggregates[i].value, std::min(columns[i].decimals, kLossDecimals)));
        }
    }
    return text;
}

}  // namespace ptp::engine
