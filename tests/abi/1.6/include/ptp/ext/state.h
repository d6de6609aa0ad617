/* ptp/ext/state.h - state that is not tensors. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_STATE_H
#define PTP_EXT_STATE_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* State that is not tensors: a vocabulary, counters. */
#define PTP_EXTENSION_STATE "ptp.state/1"
typedef struct ptp_state {
    uint32_t struct_size;
    uint32_t version; /* of what is exported */
    /* The state as data; valid until the next call on the instance. [main] */
    ptp_status (*export_state)(void* instance, const ptp_data** out);
    /* Import the state that an instance of the same or an older version exported. [main] */
    ptp_status (*import_state)(void* instance, uint32_t version, const ptp_data* state);
} ptp_state;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_STATE_H */
