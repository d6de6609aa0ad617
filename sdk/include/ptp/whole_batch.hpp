// The samples of all processes that share a batch, see Setup::whole_batch().
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/whole_batch.h>
#include <ptp/detail/host.hpp>
#include <ptp/error.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ptp {

class WholeBatch {
public:
    struct Rows {
        at::Tensor rows;         // of all samples of the batch, in their order
        std::int64_t first = 0;  // the place of the first one of this process
    };

    explicit WholeBatch(const ptp_host& host)
        : host_(&host),
          ability_(static_cast<const ptp_whole_batch*>(
              host.extension(host.context, PTP_HOST_WHOLE_BATCH))) {
        if (ability_ == nullptr) {
            throw ConfigError(
                "the samples of all processes cannot be gathered: this ptp is older than "
                "ptp.whole_batch/1, or whole_batch() is called after the constructor");
        }
    }

    // Gathers the rows of all processes that share the batch: [b, ...] of its own samples to
    // [B, ...] of all. Gradients pass through: that of the own rows is the gradient of the sum of
    // all processes' losses. So a component that returns the mean over its own samples, compared
    // with all, has the gradients of one process with the whole batch. Each process must call it
    // equally often, whatever its samples are, and its loss must depend on its rows, if only by
    // their sum times 0. A single process gets its rows back. [step], in forward()
    Rows gather(const at::Tensor& own) const {
        Rows all;
        std::uint64_t first = 0;
        detail::checked(ability_->gather(host_->context, reinterpret_cast<const ptp_value*>(&own),
                                         reinterpret_cast<ptp_value*>(&all.rows), &first));
        all.first = static_cast<std::int64_t>(first);
        return all;
    }

private:
    const ptp_host* host_;
    const ptp_whole_batch* ability_;
};

}  // namespace ptp
