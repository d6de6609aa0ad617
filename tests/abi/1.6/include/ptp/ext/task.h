/* ptp/ext/task.h - the samples of a task, by index. The rules of <ptp/abi.h> hold. */
#ifndef PTP_EXT_TASK_H
#define PTP_EXT_TASK_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A task's ability; every task has it. The host adds the stream `indices` (INTEGER, "B") to the
 * declared ones. */
#define PTP_EXTENSION_TASK "ptp.task/1"
enum { PTP_TASK_CONCURRENT = 1u << 0 }; /* fetch() may run on several threads at once */
typedef struct ptp_fetch {
    uint32_t struct_size;
    int32_t is_training;
    const int64_t* indices; /* of the samples wanted, each in [0, size) */
    const uint64_t* seeds;  /* one for each: a function of run seed, section, epoch and index. All
                               randomness of a sample must come from it */
    uint64_t count;
    uint64_t epoch;
} ptp_fetch;
typedef struct ptp_task {
    uint32_t struct_size;
    uint32_t flags;
    /* The number of samples; constant. [main] */
    ptp_status (*size)(void* instance, int64_t* out);
    /* Write the samples, batched along dimension 0, to the outputs; tensors on the CPU. [loader] */
    ptp_status (*fetch)(void* instance, const ptp_fetch* fetch, ptp_value* const* outputs);
} ptp_task;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_TASK_H */
