/* ptp/ext/draft/migrate.h - weights of an older build whose shapes differ. A draft: a later
 * minor version may replace it by another revision and stop querying this one. The rules of
 * <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_MIGRATE_H
#define PTP_EXT_DRAFT_MIGRATE_H

#include <ptp/abi.h>
#include <ptp/ext/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Converts the tensors of an older build of the component when it is exchanged for this one, if
 * names, roles, types or shapes differ. Tensors that are equal in all of these have been copied
 * before. */
#define PTP_EXTENSION_MIGRATE "ptp.migrate/1"
typedef struct ptp_old_tensor { /* frozen */
    const char* name;
    ptp_role role;
    int32_t reserved;        /* 0 */
    const ptp_value* tensor; /* an at::Tensor*, to be read only */
} ptp_old_tensor;
typedef struct ptp_migrate {
    uint32_t struct_size;
    /* Set the instance's own tensors from the old ones. [main] */
    ptp_status (*migrate)(void* instance, const ptp_old_tensor* tensors, uint64_t count);
} ptp_migrate;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_MIGRATE_H */
