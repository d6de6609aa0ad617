/* ptp/ext/samples.h - transforms that run in the loader threads. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_SAMPLES_H
#define PTP_EXT_SAMPLES_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A transform whose result for a sample depends only on that sample, its seed and the settings:
 * it keeps no state between calls, and draws random numbers only from the seeds. If all its
 * inputs come from the task, or from other such transforms, the host runs it in the loader
 * threads; otherwise in its place among the components. The bits are the same. Needs no
 * parameters, mode, state or statistics; with one of these it is not run in the loader threads. */
#define PTP_EXTENSION_SAMPLES "ptp.samples/1"
typedef struct ptp_samples {
    uint32_t struct_size;
    int32_t is_training;
    const int64_t* indices; /* of the samples of the batch */
    const uint64_t* seeds;  /* one for each: a function of run seed, section, epoch, index and the
                               instance's name */
    uint64_t count;
    uint64_t epoch;
} ptp_samples;
typedef struct ptp_sample_transform {
    uint32_t struct_size;
    /* Called instead of forward(). [loader], several threads at once. Tensors are on the CPU
     * there, and in its place among the components on ptp_setup's device; outputs may be on the
     * CPU in both, and the host moves them. */
    ptp_status (*transform)(void* instance, const ptp_samples* samples,
                            const ptp_value* const* inputs, ptp_value* const* outputs);
} ptp_sample_transform;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_SAMPLES_H */
