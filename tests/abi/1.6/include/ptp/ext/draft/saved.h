/* ptp/ext/draft/saved.h - the saved values of a component that is created again. A draft: a
 * later minor version may replace it by another revision and stop querying this one. The rules
 * of <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_SAVED_H
#define PTP_EXT_DRAFT_SAVED_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's ability to return values from the checkpoint whose weights the component receives:
 * that of a run that is resumed or processed, or that predicts. With it, a component does not
 * need the training files from which it made its state. Results are ABSENT if there is no such
 * checkpoint or value, and are valid until create() returns. */
#define PTP_HOST_SAVED "ptp.saved/1"
typedef struct ptp_saved {
    uint32_t struct_size;
    /* The state that the component has exported, and its version; import_state() is called as
     * well if the run is resumed. [main], in create() */
    ptp_status (*state)(void* context, uint32_t* version, const ptp_data** out);
    /* The value of a global that the component declares as written. [main], in create() */
    ptp_status (*global)(void* context, const char* name, const ptp_data** out);
} ptp_saved;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_SAVED_H */
