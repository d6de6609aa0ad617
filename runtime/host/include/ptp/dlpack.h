/* The part of DLPack that <ptp/host.h> uses, laid out as in all its versions since 0.6: the common
 * description of a tensor among libraries (https://github.com/dmlc/dlpack, Apache License 2.0).
 * With the guard of the original, so that whichever of the two is included first is the one.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_ /* NOLINT(readability-identifier-naming): the name of the original */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the memory is; device_id counts devices of one type. */
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

/* float32 is {kDLFloat, 32, 1}. */
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLBfloat = 4U } DLDataTypeCode;
typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

/* A view of a tensor, which belongs to its maker. */
typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;       /* ndim sizes */
    int64_t* strides;     /* ndim numbers of elements; NULL: compact, the last dimension first */
    uint64_t byte_offset; /* of the first element from data */
} DLTensor;

/* A tensor that its holder gives back by one call of deleter(self); a NULL deleter needs none. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

#ifdef __cplusplus
}
#endif

#endif
