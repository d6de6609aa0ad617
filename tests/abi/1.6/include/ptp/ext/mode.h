/* ptp/ext/mode.h - training and evaluation mode. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_MODE_H
#define PTP_EXT_MODE_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For components that behave differently in training (dropout, batch normalization). */
#define PTP_EXTENSION_MODE "ptp.mode/1"
typedef struct ptp_mode {
    uint32_t struct_size;
    /* 1 training, which is the state after create(), or 0 evaluation. [main] */
    ptp_status (*set_training)(void* instance, int32_t is_training);
} ptp_mode;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_MODE_H */
