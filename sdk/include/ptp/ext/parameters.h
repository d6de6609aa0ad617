/* ptp/ext/parameters.h - the tensors of a component that are trained or saved. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_PARAMETERS_H
#define PTP_EXT_PARAMETERS_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Since 1.6 the host may give them other memory before the first step: keep no pointers into it. */
#define PTP_EXTENSION_PARAMETERS "ptp.parameters/1"
typedef int32_t ptp_role;
enum {
    PTP_PARAMETER = 1, /* trained, unless it requires no gradient */
    PTP_BUFFER = 2     /* state that is not trained, such as running means */
};
/* `tensor` is an at::Tensor*, the instance's own; the host may change its content in place. */
typedef ptp_status (*ptp_visit)(void* user, const char* name, ptp_role role, ptp_value* tensor);
typedef struct ptp_parameters {
    uint32_t struct_size;
    /* Pass each tensor to `visit`, always in the same order, names unique. A status of `visit`
     * other than PTP_OK ends the visit and is returned. [main] */
    ptp_status (*visit)(void* instance, ptp_visit visit, void* user);
} ptp_parameters;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_PARAMETERS_H */
