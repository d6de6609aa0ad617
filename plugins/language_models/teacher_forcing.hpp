// Teacher forcing: in training, the input of a step is sometimes the target of the previous step
// instead of its output.
//
// Williams and Zipser: A learning algorithm for continually running fully recurrent neural
// networks, 1989; with a chance for each sample and step, Bengio, Vinyals, Jaitly and Shazeer:
// Scheduled sampling, 2015, arXiv 1506.03099.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/where.h>

#include <optional>
#include <vector>

namespace recurrent {

class TeacherForcing {
public:
    // `stream` is the name of the port with the targets.
    TeacherForcing(std::optional<double> rate, const char* stream) : rate_(rate), stream_(stream) {}

    // Throws ConfigError if there are no targets in training. [step]
    void require(const at::Tensor* right, bool is_training) const {
        if (rate_ && is_training && right == nullptr) {
            throw ptp::ConfigError("teacher_forcing_rate needs the stream '", stream_,
                                   "' while training, which no component writes");
        }
    }

    // Returns the next input: `output`, or for some of the samples (the first dimension) that step
    // of `right`, [B, T, ...]. [step]
    [[nodiscard]] at::Tensor next(const at::Tensor& output, const at::Tensor* right, int64_t step,
                                  bool is_training) const {
        if (!rate_ || !is_training) {
            return output;
        }
        std::vector<int64_t> sizes(static_cast<std::size_t>(output.dim()), 1);
        sizes[0] = output.size(0);
        const at::Tensor is_taught =
            at::rand(sizes, output.options().dtype(at::kFloat).requires_grad(false)).lt(*rate_);
        return at::where(is_taught, right->select(1, step).to(output.scalar_type()), output);
    }

private:
    std::optional<double> rate_;
    const char* stream_;
};

}  // namespace recurrent
