/* ptp/abi.h - the complete interface between the host and a plugin. C11, no dependencies.
 *
 * A plugin is a shared library that exports one symbol, ptp_plugin_entry(), which describes its
 * components. A component is data (settings, ports, globals, statistics) and a few functions. C++
 * authors use <ptp/plugin.hpp>, which writes all of this for them.
 *
 * These rules hold everywhere below, so no later comment repeats them.
 *
 *   strings     UTF-8 and NUL-terminated; never NULL unless marked (optional).
 *   ownership   Arguments are borrowed: valid until the call returns. *_info structs are constants
 *               of the plugin: valid as long as it is loaded, which is until the process ends.
 *   errors      A call that returns anything but PTP_OK has called host->fail() or fail_with() once,
 *               on the same thread, and has left its outputs as they were.
 *   exceptions  Never cross this boundary, in either direction.
 *   threads     [main] the thread that created the instance, never during another call on it.
 *               [step] one thread at a time per instance, not always the same one.
 *               [loader] several threads at once if PTP_TASK_CONCURRENT is set, else as [step].
 *               [any] any thread, at any time.
 *   growth      A struct that begins with struct_size may gain members at its end, which raises
 *               PTP_ABI_MINOR; it is reached through pointers, never laid out in an array. Structs
 *               without struct_size are frozen. Any other change raises PTP_ABI_MAJOR.
 *   abilities   What not every component or host has is asked for by a string id with a revision
 *   and
 *               declared in a header of its own, ptp/ext/<name>.h, which this one does not include.
 *               Those in ptp/ext/draft may still be replaced by another revision.
 *   enums       int32_t on the wire; 0 is never a valid choice, except PTP_OK.
 */
#ifndef PTP_ABI_H
#define PTP_ABI_H

#include <ptp/declarations.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTP_ABI_MAJOR 1u /* plugin and host must agree */
#define PTP_ABI_MINOR 6u /* a plugin's may be lower than the host's, not higher */
#define PTP_ENTRY_SYMBOL "ptp_plugin_entry"

#define PTP_EXPORT __attribute__((visibility("default")))

typedef int32_t ptp_status;
enum {
    PTP_OK = 0,
    PTP_ERROR_CONFIG = 1,  /* the experiment asks for something impossible */
    PTP_ERROR_DATA = 2,    /* a file, a sample or a tensor is not as declared */
    PTP_ERROR_INTERNAL = 3 /* anything else: a bug, out of memory, a libtorch failure */
};

typedef int32_t ptp_kind;
enum {
    PTP_TASK = 1,      /* produces the samples; is in [training.task] and similar tables */
    PTP_MODEL = 2,     /* has parameters */
    PTP_LOSS = 3,      /* has an output that is minimized */
    PTP_TRANSFORM = 4, /* transforms streams; has no parameters */
    PTP_STATISTIC = 5, /* measures; has no outputs */
    PTP_PUBLISHER = 6, /* publishes globals, or writes streams to files */
    PTP_VIEWER = 7     /* shows streams to a person */
};

/* ---- Plain data: settings, values of globals, state that is not tensors --------------------- */

typedef int32_t ptp_data_type;
enum {
    PTP_DATA_ABSENT = 1, /* an optional setting that was not given */
    PTP_DATA_BOOL = 2,
    PTP_DATA_INTEGER = 3,
    PTP_DATA_REAL = 4,
    PTP_DATA_TEXT = 5,
    PTP_DATA_LIST = 6,
    PTP_DATA_TABLE = 7
};

/* A tree of values. Only the member that belongs to `type` is meaningful. Frozen. */
typedef struct ptp_data {
    ptp_data_type type;
    int32_t reserved;             /* 0 */
    const char* key;              /* (optional) the name of a table's member; NULL elsewhere */
    int64_t integer;              /* BOOL: 0 or 1; INTEGER */
    double real;                  /* REAL */
    const char* text;             /* TEXT; NULL for the others */
    const struct ptp_data* items; /* LIST: elements; TABLE: members, keys unique, in order */
    uint64_t item_count;
} ptp_data;

/* ---- What flows: tensors, text, lists of tensors --------------------------------------------- */

/* A value in a stream's slot. The slots belong to the host. What the pointer really is depends on
 * the port's element:
 *   tensor        a plugin built with libtorch (ptp_build.libtorch): at::Tensor*, of the very
 *                 libtorch named there, with its autograd history; undefined in an output on entry.
 *                 A plugin built without: opaque; see host->tensor_view and host->tensor_allocate.
 *   STRING,TOKENS const ptp_text*; outputs are written with host->set_text.
 *   TENSOR_LIST   const ptp_tensor_list*; outputs are sized with host->resize_list, then filled. */
typedef struct ptp_value ptp_value;

/* A batch of strings or of token lists, flat. String i is bytes offsets[i] to offsets[i + 1], not
 * NUL-terminated. In token lists, sample r is the strings rows[r] to rows[r + 1]. Frozen. */
typedef struct ptp_text {
    const char* bytes;
    const uint64_t* offsets; /* string_count + 1 numbers, the first 0, never falling */
    uint64_t string_count;
    const uint64_t* rows; /* (optional) row_count + 1 numbers; NULL for a batch of strings */
    uint64_t row_count;   /* 0 for a batch of strings */
} ptp_text;

/* Frozen. */
typedef struct ptp_tensor_list {
    ptp_value* const* items;
    uint64_t count;
} ptp_tensor_list;

/* A tensor as plain memory: member for member a DLTensor of DLPack 0.8. Frozen. */
typedef struct ptp_tensor_view {
    void* data;
    int32_t device_type; /* 1 CPU, 2 CUDA, as DLDeviceType */
    int32_t device_id;
    int32_t rank;
    uint8_t type_code; /* 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, as DLDataTypeCode */
    uint8_t type_bits;
    uint16_t type_lanes; /* 1 */
    int64_t* shape;
    int64_t* strides; /* in elements; NULL for row-major */
    uint64_t byte_offset;
} ptp_tensor_view;

/* ---- What the host provides to a component --------------------------------------------------- */

typedef int32_t ptp_log_level;
enum {
    PTP_LOG_DEBUG = 1,
    PTP_LOG_INFO = 2,
    PTP_LOG_WARNING = 3,
    PTP_LOG_ERROR = 4,
    PTP_LOG_RESULT = 5 /* what the experiment asked for, such as a table: shown on the screen too,
                          unless nothing is; since minor 2 */
};

/* Why a call fails; since 1.5. */
typedef struct ptp_failure {
    uint32_t struct_size;
    ptp_status status;
    const char* message; /* of a setting, what follows its name: "must be at most 10" */
    const char* setting; /* (optional) the declared setting whose value is refused */
    int32_t system;      /* errno of the operation that the system refused; 0: none */
    uint32_t reserved;   /* 0 */
} ptp_failure;

typedef struct ptp_generator ptp_generator; /* at::Generator, for plugins built with libtorch */

/* The services of the host for one instance; valid from create() until destroy() has returned. */
typedef struct ptp_host {
    uint32_t struct_size;
    void* context; /* first argument of every function here */

    /* Report why the call now running on this thread fails. [any] */
    void (*fail)(void* context, ptp_status status, const char* message);

    /* Write to the run's log under the instance's name. [any] */
    void (*log)(void* context, ptp_log_level level, const char* message);

    /* The size of a dimension that the component's ports name, or -1 if it is not known before the
     * data flows ("B" always is). PTP_ERROR_INTERNAL for a name no port has. [main], in create() */
    ptp_status (*size)(void* context, const char* dimension, int64_t* out);

    /* The value of a global that the component declares as read; ABSENT if it is read only if
     * named, and was not. Valid as long as the instance. [main], in create() */
    ptp_status (*global)(void* context, const char* name, const ptp_data** out);

    /* Publish a global that the component declares as written. Fails if it already has another
     * value. Each without a `value` must be published by the end of create(). [main], in
     * create()
     */
    ptp_status (*publish)(void* context, const char* name, const ptp_data* value);

    /* The instance's own random generator, seeded from the run's seed and the instance's name; part
     * of the training's state. at::Generator* with libtorch, else use random(). [main] [step] */
    ptp_generator* (*generator)(void* context);

    /* 64 random bits from that generator. [main] [step] */
    uint64_t (*random)(void* context);

    /* The absolute path of the run's folder; the only place a component may write to. [any] */
    const char* (*run_folder)(void* context);

    /* Write a text output; the text is copied. [step] [loader] */
    ptp_status (*set_text)(void* context, ptp_value* output, const ptp_text* text);

    /* Resize a list output to this many undefined tensors. [step] [loader] */
    ptp_status (*resize_list)(void* context, ptp_value* output, uint64_t count);

    /* View a tensor as memory; valid until the call of the component returns. [step] [loader] */
    ptp_status (*tensor_view)(void* context, const ptp_value* tensor, ptp_tensor_view* out);

    /* Make an output a new row-major CPU tensor of this type and shape and view its memory,
     * which is not initialized. [step] [loader] */
    ptp_status (*tensor_allocate)(void* context, ptp_value* output, uint8_t type_code,
                                  uint8_t type_bits, int32_t rank, const int64_t* shape,
                                  ptp_tensor_view* out);

    /* A further ability of the host, of ptp/ext, or NULL if it has none with that id. [any] */
    const void* (*extension)(void* context, const char* id);

    /* Since 1.5. Report why the call now running on this thread fails, in place of fail(), with
     * what the host shows beside the message: a setting's line in the experiment, and how to get
     * what the system refused. [any] */
    void (*fail_with)(void* context, const ptp_failure* failure);
} ptp_host;

/* One port and its stream. */
typedef struct ptp_binding {
    uint32_t struct_size;
    uint32_t port;       /* index in ptp_component_info.ports */
    const char* stream;  /* (optional) NULL: the port does not exist, or is optional and unwired */
    ptp_element element; /* never PTP_ANY where there is a stream */
    int32_t rank;        /* -1: not known */
    const int64_t* dimensions; /* rank numbers, -1 where not known */
} ptp_binding;

/* The arguments of create(). Valid as long as the instance. */
typedef struct ptp_setup {
    uint32_t struct_size;
    const char* name;                /* of the instance: "image_encoder" */
    const char* section;             /* a task's: "training", "validation", "test"; else "" */
    const char* device;              /* "cpu", "cuda:0" */
    const ptp_data* const* settings; /* one for each declared setting, in order, checked */
    uint32_t setting_count;
    const ptp_binding* const* inputs; /* in the order of forward's inputs */
    uint32_t input_count;
    const ptp_binding* const* outputs; /* in the order of forward's outputs */
    uint32_t output_count;
} ptp_setup;

/* The current episode. */
typedef struct ptp_step {
    uint32_t struct_size;
    int32_t is_training;
    uint64_t episode;     /* of training, from 0; stays during validation */
    uint64_t epoch;       /* from 0 */
    const char* section;  /* "training", "validation", "test", "validation.hard", "process.easy" */
    uint64_t set;         /* 0 training, 1 validation, 2 test: which set the statistics belong to */
    uint64_t batch_index; /* within the pass over the set */
    uint64_t batch_size;  /* samples */
} ptp_step;

/* ---- A component and a plugin ---------------------------------------------------------------- */

typedef struct ptp_component_info {
    uint32_t struct_size;
    ptp_kind kind;
    const char* name;        /* the type in the experiment: "LeNet5"; unique in the plugin */
    const char* summary;     /* one line */
    const char* description; /* (optional) the manual: formula, paper, what to pair it with */

    const ptp_setting_info* const* settings;
    uint32_t setting_count;
    uint32_t port_count;
    const ptp_port_info* const* ports; /* a task's are all outputs */
    const ptp_global_info* const* globals;
    uint32_t global_count;
    uint32_t statistic_count;
    const ptp_statistic_info* const* statistics;

    /* Create an instance. All checks and all loading belong here, not in forward(). [main] */
    ptp_status (*create)(const ptp_host* host, const ptp_setup* setup, void** out_instance);

    /* Destroy what create() made. Called once; cannot fail. [main] */
    void (*destroy)(void* instance);

    /* Compute outputs from inputs. Both are in declared order, as many as in ptp_setup; NULL if
     * a port has no stream. NULL for a task. [step] */
    ptp_status (*forward)(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                          ptp_value* const* outputs);

    /* One of the abilities of ptp/ext, or NULL if the component lacks it. [any] */
    const void* (*extension)(const char* id);

    /* Since 1.2. */
    const ptp_requirement_info* const* requirements;
    uint32_t requirement_count;
    uint32_t reserved;        /* 0 */
    const char* sample_count; /* (optional) of a task: a formula for how many samples it has */
} ptp_component_info;

/* The build of the plugin. Relevant differences are rejected before its code runs. */
typedef struct ptp_build {
    uint32_t struct_size;
    const char* libtorch;         /* (optional) "1.13.1 (libtorch_cpu.so.1.13)"; NULL: without */
    const char* standard_library; /* "libstdc++ cxx11", "libstdc++ pre-cxx11"; "none" for plain C */
    const char* sanitizer;        /* "none", "address", "thread" */
    const char* compiler;         /* for people: "g++ 12.2.0" */
} ptp_build;

typedef struct ptp_plugin_info {
    uint32_t abi_major; /* these two come first forever: they are read before the rest */
    uint32_t abi_minor;
    uint32_t struct_size;
    uint32_t component_count;
    const char* name;    /* snake_case: "vision_models" */
    const char* version; /* "0.1.0" */
    const ptp_build* build;
    const ptp_component_info* const* components;
    /* Since 1.2. For people, each one line; ptp_add_plugin() defines PTP_PLUGIN_LICENSE and so on.
     * */
    const char* license;  /* (optional) SPDX: "Apache-2.0", "MIT OR GPL-3.0-only" */
    const char* author;   /* (optional) who answers for it: "Jane Doe <jane@example.org>" */
    const char* homepage; /* (optional) where it is kept, and mistakes are reported */
} ptp_plugin_info;

/* The only symbol a plugin exports. Must not fail, log or start work; always returns the same. */
PTP_EXPORT const ptp_plugin_info* ptp_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif /* PTP_ABI_H */
