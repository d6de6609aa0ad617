// Replaces libtorch's operator of batch normalization, and sums its moments over all processes.

#include "engine/distributed/synchronized_batch_norm.hpp"

#include "engine/component/compat.hpp"

#include <ATen/ops/batch_norm_native.h>
#include <ATen/ops/batch_norm_update_stats.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/instance_norm_native.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <mutex>
#include <utility>

namespace ptp::engine {

namespace {

using MaybeTensor = compat::Optional<at::Tensor>;

// The object whose run() is active on this thread.
thread_local SynchronizedBatchNorm* current_norm = nullptr;

class CurrentNorm {
public:
    explicit CurrentNorm(SynchronizedBatchNorm* norm)
        : before_(std::exchange(current_norm, norm)) {}
    ~CurrentNorm() { current_norm = before_; }
    CurrentNorm(const CurrentNorm&) = delete;
    CurrentNorm& operator=(const CurrentNorm&) = delete;

private:
    SynchronizedBatchNorm* before_;
};

// Reshapes numbers of the channels for broadcasting.
at::Tensor by_channel(const at::Tensor& numbers, const at::Tensor& input) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
    shape[1] = input.size(1);
    return numbers.to(input.scalar_type()).view(shape);
}

// With x' = (x - mean) / deviation over all samples, and sums over all of them:
// dx = weight / deviation * (dy - sum(dy) / n - x' * sum(dy * x') / n).
class SharedNormalization : public torch::autograd::Function<SharedNormalization> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                              const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& mean, const at::Tensor& variance, double epsilon,
                              double count, std::int64_t place, std::int64_t number,
                              std::int64_t norm) {
        context->save_for_backward({input, weight, mean, (variance + epsilon).rsqrt()});
        context->saved_data["epsilon"] = epsilon;
        context->saved_data["count"] = count;
        context->saved_data["place"] = place;
        context->saved_data["number"] = number;
        context->saved_data["norm"] = norm;
        if (input.numel() == 0) {
            return at::empty_like(input);
        }
        return std::get<0>(at::native_batch_norm(input, weight, bias, mean.to(input.scalar_type()),
                                                 variance.to(input.scalar_type()), false, 0,
                                                 epsilon));
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients) {
        const auto saved = context->get_saved_variables();
        const at::Tensor& input = saved[0];
        const at::Tensor& weight = saved[1];
        const at::Tensor mean = by_channel(saved[2], input);
        const at::Tensor inverse = saved[3];
        const at::Tensor& gradient = gradients[0];
        auto* const norm = reinterpret_cast<SynchronizedBatchNorm*>(
            context->saved_data["norm"].toInt());  // NOLINT
        if (c10::GradMode::is_enabled()) {
            norm->refuse(
                "distributed.buffers = \"synchronized\": a second derivative through a "
                "batch normalization cannot be had",
                "take buffers = \"first\", or train in one process");
        }
        const auto [of_weight, of_bias] = of_parameters(
            gradient, input, weight, saved[2].to(input.scalar_type()),
            inverse.to(input.scalar_type()), context->saved_data["epsilon"].toDouble());
        const at::Tensor sums = at::cat({of_bias, of_weight}).to(at::kDouble);
        norm->sum(sums,
                  {context->saved_data["place"].toInt(), context->saved_data["number"].toInt()});
        const std::vector<at::Tensor> means =
            sums.div(context->saved_data["count"].toDouble()).chunk(2);
        const at::Tensor slope = weight.defined() ? inverse.mul(weight) : inverse;
        const at::Tensor of_input =
            gradient.sub(by_channel(means[0], input))
                .mul_(by_channel(slope, input))
                .sub_(input.sub(mean).mul_(by_channel(slope * inverse * means[1], input)));
        return {of_input,
                weight.defined() ? of_weight : at::Tensor(),
                weight.defined() ? of_bias : at::Tensor(),
                {},
                {},
                {},
                {},
                {},
                {},
                {}};
    }

private:
    // libtorch computes nothing, or fails, without values.
    static std::pair<at::Tensor, at::Tensor> of_parameters(
        const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight,
        const at::Tensor& mean, const at::Tensor& inverse, double epsilon) {
        if (input.numel() == 0) {
            return {at::zeros_like(mean), at::zeros_like(mean)};
        }
        auto [none, of_weight, of_bias] = at::native_batch_norm_backward(
            gradient, input, weight, {}, {}, mean, inverse, true, epsilon, {false, true, true});
        return {std::move(of_weight), std::move(of_bias)};
    }
};

// Divides by the count; both are 0 without values.
std::pair<at::Tensor, at::Tensor> own_moments(const at::Tensor& input) {
    if (input.numel() == 0) {
        const at::Tensor none = at::zeros({input.size(1)}, input.options());
        return {none, none};
    }
    auto [mean, variance] = at::batch_norm_update_stats(input, {}, {}, 0);
    return {std::move(mean), std::move(variance)};
}

// Updates running moments as libtorch does, with the unbiased variance.
void follow_moments(const SynchronizedBatchNorm::Moments& moments, const MaybeTensor& mean,
                    const MaybeTensor& variance, double momentum) {
    const c10::AutoGradMode without_gradients(false);
    const auto follow = [momentum](at::Tensor buffer, const at::Tensor& value) {
        buffer.mul_(1 - momentum).add_(value.to(buffer.scalar_type()), momentum);
    };
    if (mean && mean->defined()) {
        follow(*mean, moments.mean);
    }
    if (variance && variance->defined()) {
        follow(*variance, moments.variance * (moments.count / (moments.count - 1)));
    }
}

at::Tensor shared_batch_norm(const at::Tensor& input, const MaybeTensor& weight,
                             const MaybeTensor& bias, const MaybeTensor& running_mean,
                             const MaybeTensor& running_var, bool training, double momentum,
                             double eps, bool cudnn_enabled) {
    if (current_norm == nullptr || !training) {
        return at::native::batch_norm(input, weight, bias, running_mean, running_var, training,
                                      momentum, eps, cudnn_enabled);
    }
    const bool is_half = input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16;
    const auto widened = [is_half](const at::Tensor& tensor) {
        return is_half && tensor.defined() ? tensor.to(at::kFloat) : tensor;
    };
    const at::Tensor values = widened(input);
    const SynchronizedBatchNorm::Moments moments = current_norm->moments(
        values.detach(), {running_mean.value_or(at::Tensor()), weight.value_or(at::Tensor()),
                          bias.value_or(at::Tensor())});
    follow_moments(moments, running_mean, running_var, momentum);
    const at::Tensor normalized = SharedNormalization::apply(
        values, widened(weight.value_or(at::Tensor())), widened(bias.value_or(at::Tensor())),
        moments.mean, moments.variance, eps, moments.count, moments.layer.place,
        moments.layer.number, reinterpret_cast<std::int64_t>(current_norm));  // NOLINT
    return is_half ? normalized.to(input.scalar_type()) : normalized;
}

// Calls libtorch's batch_norm with the channels of each sample.
at::Tensor own_instance_norm(const at::Tensor& input, const MaybeTensor& weight,
                             const MaybeTensor& bias, const MaybeTensor& running_mean,
                             const MaybeTensor& running_var, bool use_input_stats, double momentum,
                             double eps, bool cudnn_enabled) {
    const CurrentNorm none(nullptr);
    return at::native::instance_norm(input, weight, bias, running_mean, running_var,
                                     use_input_stats, momentum, eps, cudnn_enabled);
}

}  // namespace

// Replaces libtorch's operators while it exists.
class SynchronizedBatchNorm::Operators {
public:
    // Returns the object shared by all users.
    static std::shared_ptr<Operators> shared() {
        static std::mutex mutex;
        static std::weak_ptr<Operators> last;
        const std::lock_guard<std::mutex> lock(mutex);
        std::shared_ptr<Operators> operators = last.lock();
        if (!operators) {
            last = operators = std::make_shared<Operators>();
        }
        return operators;
    }

    Operators() {
        for (torch::Library* const library : {&cpu_, &cuda_}) {
            library->impl("batch_norm", shared_batch_norm);
            library->impl("instance_norm", own_instance_norm);
        }
    }

private:
    torch::Library cpu_{torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__,
                        __LINE__};
    torch::Library cuda_{torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCUDA, __FILE__,
                         __LINE__};
};

SynchronizedBatchNorm::SynchronizedBatchNorm(PassSums& sums)
    : sums_(sums), operators_(Operators::shared()) {}

SynchronizedBatchNorm::~SynchronizedBatchNorm() = default;

void SynchronizedBatchNorm::run(bool takes_part, bool all_take_part,
                                c10::function_ref<void()> work) {
    sums_.run(takes_part, all_take_part, [&] {
        const CurrentNorm own(takes_part ? this : nullptr);
        work();
    });
}

void SynchronizedBatchNorm::know(const std::vector<Named>& tensors) {
    names_ = {""};
    known_.clear();
    for (const Named& each : tensors) {
        if (each.tensor.numel() > 0 &&
            known_.emplace(each.tensor.data_ptr(), static_cast<std::int64_t>(names_.size()))
                .second) {
            names_.push_back(each.name);
        }
    }
}

SynchronizedBatchNorm::Moments SynchronizedBatchNorm::moments(
    const at::Tensor& input, std::initializer_list<at::Tensor> owned) {
    const c10::AutoGradMode without_gradients(false);
    std::int64_t number = 0;
    for (const at::Tensor& tensor : owned) {
        const auto found = tensor.defined() ? known_.find(tensor.data_ptr()) : known_.end();
        if (found != known_.end()) {
            number = found->second;
            break;
        }
    }
    Moments all;
    all.layer = sums_.reach(number);
    const double own_count =
        static_cast<double>(input.numel()) / static_cast<double>(input.size(1));
    auto [mean, variance] = own_moments(input);
    mean = mean.to(at::kDouble);
    const at::Tensor sums =
        at::cat({mean.mul(own_count), at::full({1}, own_count, mean.options())});
    sum(sums, all.layer);
    all.count = sums[-1].item<double>();
    if (all.count < 2) {  // the other processes get the same count
        sums_.refuse(
            {"batch normalization: a channel has one value only in the batch of all processes",
             "take a larger batch_size"});
    }
    all.mean = sums.narrow(0, 0, mean.numel()).div(all.count);
    all.variance = variance.to(at::kDouble).add_(mean.sub(all.mean).square_()).mul_(own_count);
    sum(all.variance, all.layer);
    all.variance.div_(all.count);
    return all;
}

void SynchronizedBatchNorm::sum(const at::Tensor& numbers, const PassSums::Place& layer) {
    sums_.sum(numbers, layer, *this);
}

void SynchronizedBatchNorm::refuse(const char* problem, const char* fix) {
    sums_.refuse({problem, fix});
}

Explanation SynchronizedBatchNorm::differing(const PassSums::Place& layer,
                                             std::uint64_t rank) const {
    return {
        fmt::format("distributed.buffers = \"synchronized\": the processes are in different "
                    "layers of batch normalization: rank {} in the {}. of a pass{}, another one "
                    "in another",
                    rank, layer.place,
                    layer.number == 0
                        ? ""
                        : fmt::format(", '{}'", names_[static_cast<std::size_t>(layer.number)])),
        "let the net take the same layers whatever its samples are, or take buffers = \"first\""};
}

Explanation SynchronizedBatchNorm::differing_announced() const {
    return {
        "distributed.buffers = \"synchronized\": the processes are in different layers of "
        "batch normalization, because not all of them have something that counts for each "
        "loss in this batch",
        "take buffers = \"first\", or batches in which each process has something that counts"};
}

}  // namespace ptp::engine
