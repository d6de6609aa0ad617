// Gathers gradients in buckets by hooks of the backward pass, sends them and hands out the sums.

#include "engine/distributed/gradient_buckets.hpp"

#include "engine/distributed/collective.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kSum = "the sum of the gradients";

// The node that accumulates a parameter's gradient: another pointer type in newer libtorch
// versions.
using Accumulator =
    decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()));

}  // namespace

class GradientBuckets::Parts {
public:
    Parts(const std::vector<at::Tensor>& parameters, Group& group, Limits limits)
        : parameters_(parameters),
          group_(group),
          is_rounded_(limits.is_rounded),
          profiler_(limits.profiler),
          places_(parameters.size()),
          accumulators_(parameters.size()) {
        // Gradients arrive in the reverse order of the forward pass, which is roughly that of
        // parameters.
        for (std::size_t i = parameters.size(); i-- > 0;) {
            const std::size_t limit = buckets_.size() == 1 ? limits.first_bytes : limits.bytes;
            if (buckets_.empty() || !fits(buckets_.back(), parameters[i],
                                          parameters[buckets_.back().parameters.front()], limit)) {
                buckets_.emplace_back();
            }
            Bucket& bucket = buckets_.back();
            places_[i] = {buckets_.size() - 1, bucket.element_count, bucket.parameters.size()};
            bucket.parameters.push_back(i);
            bucket.element_count += parameters[i].numel();
        }
        reset();
    }

    // Watches the currently trained parameters; those frozen until later have no accumulators yet.
    void watch(const std::shared_ptr<Parts>& self) {
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (accumulators_[i] || !parameters_[i].requires_grad()) {
                continue;
            }
            accumulators_[i] = torch::autograd::impl::grad_accumulator(parameters_[i]);
            const auto hook = [weak = std::weak_ptr<Parts>(self), i](
                                  const torch::autograd::variable_list& outputs,
                                  const torch::autograd::variable_list&) {
                if (const std::shared_ptr<Parts> parts = weak.lock()) {
                    parts->arrived(i);
                }
                return outputs;
            };
            accumulators_[i]->add_post_hook(
                std::make_unique<torch::autograd::utils::LambdaPostHook>(hook));
        }
    }

    void begin() {
        reset();
        is_watching_ = true;
    }

    void finish() {
        const Clock::time_point backward_end = Clock::now();
        if (!std::exchange(is_watching_, false)) {
            reset();
        }
        const c10::AutoGradMode without_gradients(false);
        for (Bucket& bucket : buckets_) {
            if (bucket.missing > 0) {
                for (const std::size_t i : bucket.parameters) {
                    take(i);
                }
                bucket.missing = 0;
            }
        }
        send_whole();
        for (Bucket& bucket : buckets_) {
            bucket.sum.wait();
            hand_out(bucket);
        }
        note_times(backward_end);
        reset();
    }

    [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }

private:
    using Clock = std::chrono::steady_clock;

    // Parameters of one type on one device. After their gradients comes a number for each: the
    // number of ranks with a gradient.
    struct Bucket {
        std::vector<std::size_t> parameters;
        std::int64_t element_count = 0;
        std::size_t missing = 0;  // gradients
        at::Tensor sent = {};     // empty until the first gradient arrives
        Group::Pending sum = {};
        Clock::time_point sent_at = {};
    };

    struct Place {
        std::size_t bucket = 0;
        std::int64_t first = 0;  // element
        std::size_t number = 0;  // its place in the bucket
    };

    static bool fits(const Bucket& bucket, const at::Tensor& parameter, const at::Tensor& first,
                     std::size_t limit) {
        const auto bytes = static_cast<std::size_t>(bucket.element_count + parameter.numel()) *
                           parameter.element_size();
        return parameter.scalar_type() == first.scalar_type() &&
               parameter.device() == first.device() && bytes <= limit;
    }

    void reset() {
        next_ = 0;
        is_taken_.assign(parameters_.size(), false);
        for (Bucket& bucket : buckets_) {
            bucket.missing = bucket.parameters.size();
            bucket.sent = at::Tensor();
            bucket.sum = {};
        }
    }

    // [step] Called in the backward pass, in the thread that computes it.
    void arrived(std::size_t i) {
        if (!is_watching_ || is_taken_[i]) {
            return;
        }
        const c10::AutoGradMode without_gradients(false);
        take(i);
        Bucket& bucket = buckets_[places_[i].bucket];
        if (--bucket.missing == 0) {
            send_whole();
        }
    }

    void take(std::size_t i) {
        const at::Tensor& gradient = parameters_[i].grad();
        if (is_taken_[i] || !gradient.defined()) {
            return;
        }
        Bucket& bucket = buckets_[places_[i].bucket];
        ensure(bucket);
        part_of(bucket, i).copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
        count_of(bucket, i).fill_(1);
        is_taken_[i] = true;
    }

    void ensure(Bucket& bucket) const {
        if (bucket.sent.defined()) {
            return;
        }
        const auto count = static_cast<std::int64_t>(bucket.parameters.size());
        bucket.sent =
            at::empty({bucket.element_count + count},
                      parameters_[bucket.parameters.front()].options().requires_grad(false));
        bucket.sent.narrow(0, bucket.element_count, count).zero_();
    }

    at::Tensor part_of(const Bucket& bucket, std::size_t i) const {
        return bucket.sent.narrow(0, places_[i].first, parameters_[i].numel())
            .view(parameters_[i].sizes());
    }

    at::Tensor count_of(const Bucket& bucket, std::size_t i) const {
        return bucket.sent.narrow(
            0, bucket.element_count + static_cast<std::int64_t>(places_[i].number), 1);
    }

    // Sends in the order of the buckets, which is the same in each rank.
    void send_whole() {
        while (next_ < buckets_.size() && buckets_[next_].missing == 0) {
            Bucket& bucket = buckets_[next_++];
            ensure(bucket);
            for (const std::size_t i : bucket.parameters) {
                if (!is_taken_[i]) {
                    part_of(bucket, i).zero_();
                }
            }
            bucket.sent_at = Clock::now();
            bucket.sum = is_rounded_ && bucket.sent.scalar_type() == at::kFloat
                             ? group_.begin_rounded_sum(bucket.sent, kSum)
                             : group_.begin_sum(bucket.sent, kSum);
            if (profiler() != nullptr) {
                bucket.sum.note_end();
            }
        }
    }

    [[nodiscard]] Profiler* profiler() const { return profiler_ == nullptr ? nullptr : *profiler_; }

    // Several buckets may be sent at once; their time counts once.
    void note_times(Clock::time_point backward_end) const {
        if (profiler() == nullptr) {
            return;
        }
        Clock::time_point last_end = {};
        for (const Bucket& bucket : buckets_) {
            const Clock::time_point begin = std::max(bucket.sent_at, last_end);
            const Clock::time_point end = bucket.sum.ended_at();
            if (begin < end) {
                profiler()->add_sum(begin, end, backward_end);
                last_end = end;
            }
        }
    }

    void hand_out(const Bucket& bucket) {
        const at::Tensor counts = bucket.sent
                                      .narrow(0, bucket.element_count,
                                              static_cast<std::int64_t>(bucket.parameters.size()))
                                      .to(at::kDouble)
                                      .cpu();
        for (const std::size_t i : bucket.parameters) {
            const bool is_there = counts.data_ptr<double>()[places_[i].number] > 0;
            parameters_[i].mutable_grad() = is_there ? part_of(bucket, i) : at::Tensor();
        }
    }

    std::vector<at::Tensor> parameters_;
    Group& group_;
    bool is_rounded_;
    Profiler* const* profiler_;
    std::vector<Place> places_;
    std::vector<Accumulator> accumulators_;  // kept, or the hooks are removed
    std::vector<Bucket> buckets_;
    std::vector<bool> is_taken_;
    std::size_t next_ = 0;  // the bucket that is sent next
    bool is_watching_ = false;
};

GradientBuckets::GradientBuckets(const std::vector<at::Tensor>& parameters, Group& group,
                                 Limits limits)
    : parts_(std::make_shared<Parts>(parameters, group, limits)) {}

GradientBuckets::~GradientBuckets() = default;

void GradientBuckets::begin() {
    parts_->watch(parts_);
    parts_->begin();
}

void GradientBuckets::finish() {
    parts_->finish();
}

std::size_t GradientBuckets::bucket_count() const {
    return parts_->bucket_count();
}

std::unique_ptr<GradientBuckets> gradient_buckets(const Collective& collective,
                                                  const std::vector<at::Tensor>& parameters,
                                                  GradientBuckets::Limits limits) {
    Group* const group = collective.group();
    return group == nullptr ? nullptr
                            : std::make_unique<GradientBuckets>(parameters, *group, limits);
}

}  // namespace ptp::engine
