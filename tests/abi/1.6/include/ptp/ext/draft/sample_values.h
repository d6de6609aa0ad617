/* ptp/ext/draft/sample_values.h - numbers of a loss or statistic for each sample. A draft: a later
 * minor version may replace it by another revision and stop querying this one. The rules of
 * <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_SAMPLE_VALUES_H
#define PTP_EXT_DRAFT_SAMPLE_VALUES_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values for each sample whose mean, or another summary, the component returns for a batch: the
 * loss of each sample beside the loss, the predicted class beside the accuracy. The host asks for
 * them only if the run records them. */
#define PTP_EXTENSION_SAMPLE_VALUES "ptp.sample_values/1"
typedef struct ptp_sample_values {
    uint32_t struct_size;
    uint32_t name_count;      /* 1 or more */
    const char* const* names; /* of the values: [a-z][a-z0-9_]*, unique */
    /* Writes the values of the last batch of forward(): name_count rows of `samples` numbers, one
     * for each sample of the batch, in its order. NaN where nothing in the sample counts. [step] */
    ptp_status (*collect)(void* instance, uint64_t samples, double* out);
} ptp_sample_values;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_SAMPLE_VALUES_H */
