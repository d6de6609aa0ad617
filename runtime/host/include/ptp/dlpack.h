/* The part of DLPack that <ptp/host.h> uses, with the layout of all its versions since 0.6: the
 * common description of a tensor among libraries (https://github.com/dmlc/dlpack, Apache License
 * 2.0). It has the include guard of the original, so that only the first of the two is used.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_ /* NOLINT(readability-identifier-naming): the name of the original */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The location of the memory; device_id counts devices of one type. */
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

/* A view of a tensor, which its creator owns. */
typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;       /* ndim sizes */
    int64_t* strides;     /* ndim, in elements; NULL: row-major and contiguous */
    uint64_t byte_offset; /* from data to the first element */
} DLTensor;

/* A tensor that its holder releases by one call of deleter(self), unless deleter is NULL. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

#ifdef __cplusplus
}
#endif

#endif
