// The sums of times by activity, their table, and the trace of the first activities.

#include "engine/component/profiler.hpp"

#include "base/json.hpp"
#include "base/output_file.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxEvents = 200000;

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

Profiler::Profiler(const pipeline::Plan& plan, at::Device device) : plan_(plan), device_(device) {
    for (const char* name :
         {"wait for data", "backward, all", "optimizer", "statistics", "records", "checkpoints",
          "wait for other processes", "sums of gradients", "sums beside backward"}) {
        totals_.push_back({.name = name});
    }
    for (const char* phase : {"forward", "backward"}) {
        for (const pipeline::Node& node : plan.nodes) {
            totals_.push_back({.name = fmt::format("{}  {}", phase, node.name)});
        }
    }
}

Profiler::Clock::time_point Profiler::now() const {
    if (device_.is_cuda()) {
        at::detail::getCUDAHooks().deviceSynchronize(device_.index());
    }
    return Clock::now();
}

void Profiler::end(std::size_t activity) {
    const Clock::time_point end = now();
    if (activity == kBackward) {
        close_backward(end);
    }
    add(activity, started_.back(), end);
    started_.pop_back();
}

void Profiler::add(std::size_t activity, Clock::time_point begin, Clock::time_point end) {
    totals_[activity].seconds += seconds(end - begin);
    ++totals_[activity].calls;
    if (events_.size() < kMaxEvents) {
        events_.push_back({activity, begin, end});
    }
}

void Profiler::watch_backward(std::size_t node, const Frame& frame) {
    for (const int stream : plan_.nodes[node].written_streams()) {
        const at::Tensor& tensor = frame[stream].tensor;
        if (tensor.defined() && tensor.requires_grad()) {
            tensor.register_hook([this, node](const at::Tensor&) { reached(node); });
        }
    }
}

void Profiler::reached(std::size_t node) {
    if (backward_ && backward_->node == node) {
        return;
    }
    const Clock::time_point at = now();
    close_backward(at);
    backward_ = {node, at};
}

void Profiler::close_backward(Clock::time_point now) {
    if (backward_) {
        add(kFixed + plan_.nodes.size() + backward_->node, backward_->begin, now);
        backward_.reset();
    }
}

void Profiler::add_sum(Clock::time_point begin, Clock::time_point end,
                       Clock::time_point backward_end) {
    add(kSums, begin, end);
    if (begin < backward_end) {
        add(kSumsInBackward, begin, std::min(end, backward_end));
    }
}

std::string Profiler::text_of_sums() const {
    const std::uint64_t passes = totals_[kBackward].calls;
    if (totals_[kSums].calls == 0 || passes == 0) {
        return "";
    }
    const auto each = [passes](const Total& total) {
        return 1000 * total.seconds / static_cast<double>(passes);
    };
    return fmt::format(
        "\nsums of gradients: {:.3f} ms in each episode, {:.3f} ms of it while the backward pass "
        "ran",
        each(totals_[kSums]), each(totals_[kSumsInBackward]));
}

std::string Profiler::table() const {
    const double whole = seconds(now() - created_);
    std::vector<std::size_t> order(totals_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater{},
                             [this](std::size_t i) { return totals_[i].seconds; });
    std::size_t width = 0;
    for (const Total& total : totals_) {
        width = std::max(width, total.name.size());
    }
    std::string text = fmt::format("{:<{}}  {:>9}  {:>7}  {:>8}  {:>9}", "profile", width,
                                   "seconds", "share", "calls", "mean ms");
    for (const std::size_t i : order) {
        const Total& total = totals_[i];
        if (total.calls > 0) {
            text += fmt::format("\n{:<{}}  {:>9.3f}  {:>6.1f}%  {:>8}  {:>9.3f}", total.name, width,
                                total.seconds, 100 * total.seconds / whole, total.calls,
                                1000 * total.seconds / static_cast<double>(total.calls));
        }
    }
    return text + fmt::format("\n{:<{}}  {:>9.3f}", "the whole run", width, whole) + text_of_sums();
}

void Profiler::write_trace(const std::filesystem::path& file) const {
    const auto microseconds = [](Clock::duration duration) { return 1e6 * seconds(duration); };
    Json events = Json::array();
    for (const Event& event : events_) {
        const bool is_loader = event.activity == kWait;
        const bool is_beside = event.activity == kSums || event.activity == kSumsInBackward;
        events.push_back({{"name", totals_[event.activity].name},
                          {"cat", is_loader ? "loader" : "training"},
                          {"ph", "X"},
                          {"ts", microseconds(event.begin - created_)},
                          {"dur", microseconds(event.end - event.begin)},
                          {"pid", 1},
                          {"tid", is_beside ? 2 : 1}});
    }
    Json trace;
    trace["displayTimeUnit"] = "ms";
    trace["traceEvents"] = std::move(events);
    replace_file(file, text_of(trace));
}

}  // namespace ptp::engine
