/* ptp/ext/draft/sampling.h - how often each sample of a task is drawn. A draft: a later minor
 * version may replace it by another revision and stop querying this one. The rules of
 * <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_SAMPLING_H
#define PTP_EXT_DRAFT_SAMPLING_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A task's ability, queried if a sampler of the experiment uses the task's weights or classes.
 * At least one function is present. Without weights(), a sample's weight is 1 divided by the
 * number of samples of its class. Results are constant. */
#define PTP_EXTENSION_SAMPLING "ptp.sampling/1"
typedef struct ptp_sampling {
    uint32_t struct_size;
    /* (optional) Write the weight of each sample, in order: size() numbers, finite and not negative,
     * not all 0. [main] */
    ptp_status (*weights)(void* instance, double* out);
    /* (optional) Write the class of each sample, in order: size() numbers, not negative. [main] */
    ptp_status (*classes)(void* instance, int64_t* out);
} ptp_sampling;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_SAMPLING_H */
