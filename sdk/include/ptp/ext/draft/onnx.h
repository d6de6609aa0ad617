/* ptp/ext/draft/onnx.h - a component in operators of ONNX. A draft: a later minor version may
 * replace it by another revision and stop querying this one. The rules of <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_ONNX_H
#define PTP_EXT_DRAFT_ONNX_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of the graph that is written; 0: none, as an operator's input that is left out. */
typedef uint64_t ptp_onnx_value;

/* What the host writes with. Its functions do not fail: the host keeps the first mistake, such as a
 * name that is not there, returns 0, and refuses the export with it. [main] */
typedef struct ptp_onnx_builder {
    uint32_t struct_size;
    uint32_t opset; /* of the operators: 17 */
    void* context;  /* first argument of every function here */

    /* An input of forward(), by the name of its port; 0 if the port has no stream. */
    ptp_onnx_value (*input)(void* context, const char* port);

    /* A parameter or buffer of the component, by its name in ptp.parameters. */
    ptp_onnx_value (*weight)(void* context, const char* name);

    /* A constant; the row-major numbers are copied. float32, float64, int32, int64, uint8 and bool.
     */
    ptp_onnx_value (*constant)(void* context, const ptp_tensor_view* tensor);

    /* Add an operator with a TABLE of attributes: integers, reals, texts and lists of integers.
     * Writes one value for each output. */
    void (*add)(void* context, const char* type, const ptp_onnx_value* inputs, uint64_t input_count,
                const ptp_data* attributes, ptp_onnx_value* outputs, uint64_t output_count);

    /* Make a value an output of forward(), by the name of its port. */
    void (*output)(void* context, const char* port, ptp_onnx_value value);
} ptp_onnx_builder;

/* Writes what forward() computes in evaluation, for exports as ONNX, in place of the operations of
 * libtorch that a trace would find. */
#define PTP_EXTENSION_ONNX "ptp.onnx/1"
typedef struct ptp_onnx {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Every wired output must be written. Sizes of batches and lengths are free. [main] */
    ptp_status (*write)(void* instance, const ptp_onnx_builder* builder);
} ptp_onnx;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_ONNX_H */
