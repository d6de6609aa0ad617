/* A plugin in plain C that keeps every rule: a task, a model and a statistic that touch all that a
 * manifest can say. Its functions do nothing. */
#include <ptp/abi.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#ifndef GOOD_VERSION /* other builds of it have others */
#define GOOD_VERSION "1.2.3"
#define GOOD_DROPOUT "[0, 1)"
#endif

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    static int instance;
    (void)host;
    (void)setup;
    *out_instance = &instance;
    return PTP_OK;
}

static void destroy(void* instance) {
    (void)instance;
}

static ptp_status forward(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                          ptp_value* const* outputs) {
    (void)instance;
    (void)step;
    (void)inputs;
    (void)outputs;
    return PTP_OK;
}

/* A model's ability; it has no tensors to show. */
static ptp_status visit_nothing(void* instance, ptp_visit visit, void* user) {
    (void)instance;
    (void)visit;
    (void)user;
    return PTP_OK;
}

static const void* model_extension(const char* id) {
    static const ptp_parameters parameters = {sizeof(ptp_parameters), visit_nothing};
    const char* wanted = PTP_EXTENSION_PARAMETERS;
    size_t i = 0;
    while (wanted[i] != '\0' && wanted[i] == id[i]) {
        ++i;
    }
    return wanted[i] == id[i] ? &parameters : NULL;
}

/* ---- a task ---- */

static ptp_status task_size(void* instance, int64_t* out) {
    (void)instance;
    *out = 10;
    return PTP_OK;
}

static ptp_status task_fetch(void* instance, const ptp_fetch* fetch, ptp_value* const* outputs) {
    (void)instance;
    (void)fetch;
    (void)outputs;
    return PTP_OK;
}

static const void* task_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), PTP_TASK_CONCURRENT, task_size, task_fetch};
    const char* wanted = PTP_EXTENSION_TASK;
    while (*id == *wanted && *id != '\0') {
        ++id;
        ++wanted;
    }
    return *id == *wanted ? &task : NULL;
}

static const ptp_setting_info resize = {.struct_size = sizeof(ptp_setting_info),
                                        .type = PTP_SETTING_INTEGER,
                                        .list_depth = 1,
                                        .flags = PTP_SETTING_LIST_OR_ONE,
                                        .name = "resize_image",
                                        .range = "[1, inf)",
                                        .length = "[1, 2]",
                                        .help = "Height and width in pixels"};
static const ptp_setting_info* const task_settings[] = {&resize};

static const ptp_port_info images = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_OUTPUT,
                                     .element = PTP_FLOAT,
                                     .name = "images",
                                     .shape = "B,1,image_height,28",
                                     .help = "Pictures, pixels in [0, 1]"};
static const ptp_port_info labels = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_OUTPUT,
                                     .element = PTP_STRING,
                                     .name = "labels",
                                     .shape = "B",
                                     .help = "Names of the classes"};
static const ptp_port_info* const task_ports[] = {&images, &labels};

static const ptp_global_info height = {.struct_size = sizeof(ptp_global_info),
                                       .access = PTP_GLOBAL_WRITE,
                                       .name = "image_height",
                                       .value = "$resize_image[0]|28",
                                       .help = "Height of the pictures in pixels"};
static const ptp_global_info* const task_globals[] = {&height};

static const ptp_component_info task = {.struct_size = sizeof(ptp_component_info),
                                        .kind = PTP_TASK,
                                        .name = "GoodTask",
                                        .summary = "Ten pictures of nothing",
                                        .settings = task_settings,
                                        .setting_count = COUNT(task_settings),
                                        .port_count = COUNT(task_ports),
                                        .ports = task_ports,
                                        .globals = task_globals,
                                        .global_count = COUNT(task_globals),
                                        .create = create,
                                        .destroy = destroy,
                                        .extension = task_extension};

/* ---- a model ---- */

static const ptp_setting_info learning_rate = {.struct_size = sizeof(ptp_setting_info),
                                               .type = PTP_SETTING_REAL,
                                               .flags = PTP_SETTING_REQUIRED,
                                               .name = "learning_rate",
                                               .range = "(0, 1]",
                                               .help = "Step of the inner optimizer"};
static const ptp_setting_info* const optimizer_members[] = {&learning_rate};
static const ptp_setting_info optimizer = {.struct_size = sizeof(ptp_setting_info),
                                           .type = PTP_SETTING_TABLE,
                                           .name = "optimizer",
                                           .members = optimizer_members,
                                           .member_count = COUNT(optimizer_members),
                                           .help = "An optimizer inside the model"};
static const ptp_setting_info cell = {.struct_size = sizeof(ptp_setting_info),
                                      .type = PTP_SETTING_ENUMERATION,
                                      .name = "cell",
                                      .default_value = "\"LSTM\"",
                                      .choices = "LSTM|GRU",
                                      .help = "Kind of the recurrent cell"};
static const ptp_setting_info dropout = {.struct_size = sizeof(ptp_setting_info),
                                         .type = PTP_SETTING_REAL,
                                         .name = "dropout",
                                         .default_value = "0.5",
                                         .range = GOOD_DROPOUT,
                                         .help = "Chance of dropping a unit while training"};
static const ptp_setting_info extra = {.struct_size = sizeof(ptp_setting_info),
                                       .type = PTP_SETTING_STRING,
                                       .list_depth = 1,
                                       .name = "extra_streams",
                                       .default_value = "[]",
                                       .help = "Names of further inputs"};
static const ptp_setting_info* const model_settings[] = {&cell, &dropout, &extra, &optimizer};

static const ptp_port_info features = {.struct_size = sizeof(ptp_port_info),
                                       .direction = PTP_INPUT,
                                       .element = PTP_FLOAT,
                                       .name = "features",
                                       .shape = "B,input_size",
                                       .help = "A row for each sample"};
static const ptp_port_info further = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_INPUT,
                                      .element = PTP_FLOAT,
                                      .flags = PTP_PORT_OPTIONAL,
                                      .name = "further",
                                      .shape = "B,*",
                                      .streams_setting = "extra_streams",
                                      .help = "What extra_streams names"};
static const ptp_port_info predictions = {.struct_size = sizeof(ptp_port_info),
                                          .direction = PTP_OUTPUT,
                                          .element = PTP_FLOAT,
                                          .name = "predictions",
                                          .shape = "B,prediction_size",
                                          .when = "cell = LSTM",
                                          .help = "Log-probability of each class"};
static const ptp_port_info* const model_ports[] = {&features, &further, &predictions};

static const ptp_global_info input_size = {.struct_size = sizeof(ptp_global_info),
                                           .access = PTP_GLOBAL_READ_IF_NAMED,
                                           .name = "input_size",
                                           .help = "Length of a row"};
static const ptp_global_info prediction_size = {.struct_size = sizeof(ptp_global_info),
                                                .access = PTP_GLOBAL_READ,
                                                .name = "prediction_size",
                                                .help = "Number of classes"};
static const ptp_global_info* const model_globals[] = {&input_size, &prediction_size};

static const ptp_component_info model = {
    .struct_size = sizeof(ptp_component_info),
    .kind = PTP_MODEL,
    .name = "GoodModel",
    .summary = "Gives back what it is given",
    .description = "A model that exists to be described.\nIts second line.",
    .settings = model_settings,
    .setting_count = COUNT(model_settings),
    .port_count = COUNT(model_ports),
    .ports = model_ports,
    .globals = model_globals,
    .global_count = COUNT(model_globals),
    .create = create,
    .destroy = destroy,
    .forward = forward,
    .extension = model_extension};

/* ---- a statistic ---- */

static ptp_status reset(void* instance, uint64_t set) {
    (void)instance;
    (void)set;
    return PTP_OK;
}

static ptp_status values(void* instance, uint64_t set, double* out_values) {
    (void)instance;
    (void)set;
    out_values[0] = 0;
    out_values[1] = 0;
    return PTP_OK;
}

static const void* statistic_extension(const char* id) {
    static const ptp_statistics statistics = {sizeof(ptp_statistics), reset, values, values};
    const char* wanted = PTP_EXTENSION_STATISTICS;
    while (*id == *wanted && *id != '\0') {
        ++id;
        ++wanted;
    }
    return *id == *wanted ? &statistics : NULL;
}

static const ptp_port_info anything = {.struct_size = sizeof(ptp_port_info),
                                       .direction = PTP_INPUT,
                                       .element = PTP_ANY,
                                       .name = "stream",
                                       .shape = "",
                                       .help = "What is measured"};
static const ptp_port_info* const statistic_ports[] = {&anything};

static const ptp_statistic_info samples = {.struct_size = sizeof(ptp_statistic_info),
                                           .aggregation = PTP_AGGREGATE_SUM,
                                           .flags = PTP_STATISTIC_HIDDEN | PTP_STATISTIC_INTEGER,
                                           .name = "samples",
                                           .help = "Number of samples"};
static const ptp_statistic_info accuracy = {.struct_size = sizeof(ptp_statistic_info),
                                            .aggregation = PTP_AGGREGATE_MEAN,
                                            .flags = PTP_STATISTIC_SPREAD,
                                            .decimals = 4,
                                            .name = "accuracy",
                                            .weight = "samples",
                                            .help = "Share of right answers"};
static const ptp_statistic_info* const statistic_statistics[] = {&samples, &accuracy};

static const ptp_component_info statistic = {.struct_size = sizeof(ptp_component_info),
                                             .kind = PTP_STATISTIC,
                                             .name = "GoodStatistic",
                                             .summary = "Measures nothing",
                                             .port_count = COUNT(statistic_ports),
                                             .ports = statistic_ports,
                                             .statistic_count = COUNT(statistic_statistics),
                                             .statistics = statistic_statistics,
                                             .create = create,
                                             .destroy = destroy,
                                             .forward = forward,
                                             .extension = statistic_extension};

/* ---- the plugin ---- */

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .standard_library = "none",
                                .sanitizer = "none",
                                .compiler = "a C compiler"};
static const ptp_component_info* const components[] = {&task, &model, &statistic};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "good",
                                       .version = GOOD_VERSION,
                                       .build = &build,
#ifdef PTP_PLUGIN_LICENSE /* the build says it */
                                       .license = PTP_PLUGIN_LICENSE,
                                       .author = PTP_PLUGIN_AUTHOR,
                                       .homepage = PTP_PLUGIN_HOMEPAGE,
#endif
                                       .components = components};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
