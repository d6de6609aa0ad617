/* ptp/ext/statistics.h - numbers (metrics) of batches and sets. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_STATISTICS_H
#define PTP_EXT_STATISTICS_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statistics; every component that declares some has it. Numbers are in declared order; those
 * whose `when` is false stay undefined. */
#define PTP_EXTENSION_STATISTICS "ptp.statistics/1"
typedef struct ptp_statistics {
    uint32_t struct_size;
    /* Discard the accumulated values of this set (ptp_step.set). [step] */
    ptp_status (*reset)(void* instance, uint64_t set);
    /* The numbers of the last batch of forward(). SET_ONLY ones stay unchanged. [step] */
    ptp_status (*collect)(void* instance, uint64_t set, double* out_values);
    /* The numbers over all batches since reset(); only COMPUTED ones are read. [step] */
    ptp_status (*aggregate)(void* instance, uint64_t set, double* out_values);
} ptp_statistics;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_STATISTICS_H */
