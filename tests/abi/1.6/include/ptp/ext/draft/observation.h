/* ptp/ext/draft/observation.h - whether somebody looks at the operations of a component. A draft: a
 * later minor version may replace it by another revision and stop querying this one. The rules of
 * <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_OBSERVATION_H
#define PTP_EXT_DRAFT_OBSERVATION_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's ability to state that it looks at libtorch's operations in the current call: it
 * records their results, explains a prediction by them, or traces them. A component whose own loops
 * replace such operations takes libtorch's then, with the same values and gradients. */
#define PTP_HOST_OBSERVATION "ptp.observation/1"
typedef struct ptp_observation {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Returns 1 if the current call is observed, else 0; `context` is the host's. [step], in
     * forward() */
    int32_t (*is_observed)(void* context);
} ptp_observation;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_OBSERVATION_H */
