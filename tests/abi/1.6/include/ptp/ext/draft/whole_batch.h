/* ptp/ext/draft/whole_batch.h - the samples of all processes that share a batch. A draft: a later
 * minor version may replace it by another revision and stop querying this one. The rules of
 * <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_WHOLE_BATCH_H
#define PTP_EXT_DRAFT_WHOLE_BATCH_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's ability to gather what several processes that train together have computed of their
 * parts of a batch, for a component that compares each sample with all others: a contrastive loss.
 * A component asks for the ability in create(), not later, because each process must know of it
 * before the first batch. */
#define PTP_HOST_WHOLE_BATCH "ptp.whole_batch/1"
typedef struct ptp_whole_batch {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Set `all` to the rows of all samples of the batch, in their order. `rows`, an at::Tensor* as
     * `all`, has a row for each sample of the call: sizes [B, ...], the same in each process but
     * for B. `first` is the place of the first of them among all. Processes wait for each other:
     * each with samples of the batch must call it equally often, in the same order, whatever its
     * samples are. A single process gets its rows back.
     *
     * `all` has an autograd history: the gradient of `rows` is that of the sum of what all
     * processes compute from `all`. So a loss that is the mean over the samples of the call, which
     * the host weighs by their number, has the gradients of one process with the whole batch. It
     * must depend on `rows` in each process, even if nothing counts, and has no second derivative.
     * [step], in forward() */
    ptp_status (*gather)(void* context, const ptp_value* rows, ptp_value* all, uint64_t* first);
} ptp_whole_batch;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_WHOLE_BATCH_H */
